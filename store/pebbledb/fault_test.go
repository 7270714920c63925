package pebbledb

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"

	"ledgerlab/store"
	"ledgerlab/store/storetest"
)

// story opens a store, commits ledgers, rotates with every step, reads everything back and closes: whatever a node does
// to its disk. It returns the first error, and told is the newest ledger whose promise was given before it.
func story(d *Disk, told *atomic.Int64) (failed error) {
	r, err := openOn(d, nil, nil)
	if err != nil {
		return err
	}
	defer func() {
		if err := r.Close(); failed == nil {
			failed = err
		}
	}()
	const ledgers, interval = 12, 6
	for n := 1; n <= ledgers; n++ {
		if err := ledgerOf(r, n); err != nil {
			return err
		}
		told.Store(int64(n))
		if n%interval == 0 {
			if err := rotation(r, n); err != nil {
				return err
			}
		}
	}
	for n := 1; n <= ledgers; n++ {
		if v, _, err := r.Get(storetest.Key(n), nil); err != nil || !bytes.Equal(v, storetest.Value(n)) {
			return fmt.Errorf("read %d back: %w", n, err)
		}
	}
	return nil
}

func ledgerOf(r *store.Rotating, n int) error {
	b := store.NewBatch(0)
	b.PutObject(store.AccountNode, storetest.Key(n), storetest.Value(n))
	if err := errors.Join(r.Commit(b), r.Sync()); err != nil {
		return err
	}
	return r.SetValidated(store.Validated{Seq: uint32(n)})
}

// rotation copies by every way there is: in batches, from memory, one by one.
func rotation(r *store.Rotating, n int) error {
	r.SetInFlight(true)
	defer r.SetInFlight(false)
	if err := r.SetOldest(uint32(1)); err != nil {
		return err
	}
	var hs []store.Hash
	for k := 1; k <= n; k++ {
		hs = append(hs, storetest.Key(k))
	}
	slices.SortFunc(hs, func(a, b store.Hash) int { return bytes.Compare(a[:], b[:]) })
	if err := r.FetchSorted(hs[:n/2], func(int, store.ObjectType, []byte) error { return nil }); err != nil {
		return err
	}
	for k := 1; k <= n; k++ {
		if k%2 == 0 {
			if _, err := r.Duplicate(storetest.Key(k)); err != nil {
				return err
			}
		} else if _, err := r.Keep(store.AccountNode, storetest.Key(k), storetest.Value(k)); err != nil {
			return err
		}
	}
	p, err := r.Prepare()
	if err != nil {
		return err
	}
	return r.Rotate(p, store.Rotation{LastRotated: uint32(n)})
}

// afterFault opens what is left of a disk and wants all that was promised.
func afterFault(mem *vfs.MemFS, told int, rng *rand.Rand) error {
	left := mem.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: 50, RNG: rng})
	r, err := openOn(left, nil, nil)
	if err != nil {
		if told == 0 && errors.Is(err, store.ErrForeign) {
			return nil // failed while it was made: says so, and nothing was in it
		}
		return fmt.Errorf("open: %w", err)
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	if got := int(r.State().Validated.Seq); got < told {
		return fmt.Errorf("fell back to ledger %d", got)
	}
	for n := 1; n <= told; n++ {
		if v, _, err := r.Get(storetest.Key(n), nil); err != nil || !bytes.Equal(v, storetest.Value(n)) {
			return fmt.Errorf("ledger %d: %w", n, err)
		}
	}
	return errors.Join(ledgerOf(r, told+1), rotation(r, told+1))
}

var faultKinds = []struct {
	kind  OpKind
	cause error
	want  store.Fault
}{
	{OpWrite, syscall.ENOSPC, store.DiskFull},
	{OpWrite, syscall.EIO, store.WriteError},
	{OpChange, syscall.EIO, store.WriteError},
	{OpSync, syscall.EIO, store.SyncError},
	{OpRead, syscall.EIO, store.ReadError},
}

// TestEveryCallFails lets the k-th write, change, sync or read fail, and in a second round all from the k-th on, for every
// k: nothing panics or hangs, what fails has the right name, and the next start finds whatever was promised.
func TestEveryCallFails(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	for _, f := range faultKinds {
		for _, lasting := range []bool{false, true} {
			tried, noticed := 0, 0
			for k := int64(1); ; k += faultStride() {
				mem := vfs.NewCrashableMem()
				var told atomic.Int64
				reached, where, err := failAt(mem, f.kind, f.cause, k, lasting, &told)
				if !reached {
					break
				}
				tried++
				if err != nil {
					noticed++
					if got := store.FaultOf(err); got != f.want {
						t.Errorf("%s %d (%s) fails with %v: named %q, want %q: %v", f.kind, k, where, f.cause, got, f.want, err)
					}
				}
				if err := afterFault(mem, int(told.Load()), rng); err != nil {
					t.Errorf("%s %d (%s, lasting %v) failed with %v, %d promised: %v", f.kind, k, where, lasting, f.cause, told.Load(), err)
				}
			}
			t.Logf("%s, %v, lasting %v: %d call sites failed in turn, %d noticed by a caller", f.kind, f.cause, lasting, tried, noticed)
			if tried < 3 || noticed == 0 {
				t.Errorf("%s: %d tried, %d noticed", f.kind, tried, noticed)
			}
		}
	}
}

// faultStride: every call with LEDGERLAB_LONG set, some of them otherwise.
func faultStride() int64 {
	switch {
	case os.Getenv("LEDGERLAB_LONG") != "":
		return 1
	case testing.Short():
		return 11
	}
	return 4
}

// failAt tells the story with a fault at the k-th operation of a kind, and where that was.
func failAt(mem *vfs.MemFS, kind OpKind, cause error, k int64, lasting bool, told *atomic.Int64) (reached bool, where string, err error) {
	d := NewDisk(mem)
	var n atomic.Int64
	var mu sync.Mutex // guards where
	d.SetInjector(func(o Op) error {
		if o.Kind != kind {
			return nil
		}
		at := n.Add(1)
		if at == k {
			mu.Lock()
			where = o.Name + " " + o.Path
			mu.Unlock()
		}
		if at == k || lasting && at > k {
			return o.Fail(cause)
		}
		return nil
	})
	err = story(d, told)
	mu.Lock()
	defer mu.Unlock()
	return n.Load() >= k, where, err
}
