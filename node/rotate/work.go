package rotate

import (
	"context"
	"encoding/binary"
	"errors"
	"time"

	"ledgerlab/store"
)

// work is one rotation: the steps of SHAMapStoreImp::run from 4 on.
type work struct {
	r    *Rotator
	ctx  context.Context
	l    *Ledger
	info Info
}

// errEnd ends a walk whose result is already set.
var errEnd = errors.New("rotate: end")

func (w *work) run() {
	r := w.r
	r.d.Store.SetInFlight(true)
	w.info.DiskBefore = disk(r.d.Store.Stats())
	w.info.Result = Rotated
	w.steps()
	r.d.Store.SetInFlight(false)
	w.info.DiskAfter = disk(r.d.Store.Stats())
	w.info.Duration = r.d.Now().Sub(w.info.Start)
	info := w.info
	r.publish(func(s *Status) {
		s.Step, s.Last = "", &info
		switch info.Result {
		case Rotated:
			s.Rotations++
			s.LastRotated = info.Seq
		case Expired:
			s.Expired++
		case Failed:
			s.Failed++
		}
	})
	if r.d.Done != nil {
		r.d.Done(info)
	}
}

func disk(s store.Stats) uint64 { return s.Writable.DiskBytes + s.Archive.DiskBytes }

// steps runs until one of them does not answer to go on.
func (w *work) steps() {
	w.info.Oldest = w.info.LastRotated + 1
	steps := []struct {
		name string
		bulk bool
		took *time.Duration
		fn   func()
	}{
		{"clear_prior", false, &w.info.ClearPrior, w.clearPrior},
		{"copy", true, &w.info.Copy, w.copyState},
		{"history", true, &w.info.HistoryCopy, w.copyHistory},
		{"freshen", true, &w.info.FreshenTime, w.freshen},
		{"swap", false, &w.info.Swap, w.swap},
	}
	for _, s := range steps {
		if !w.well() {
			return
		}
		w.begin(s.name)
		start := w.r.d.Now()
		if s.bulk {
			w.r.d.Bulk("rotate."+s.name, s.fn)
		} else {
			s.fn()
		}
		*s.took = w.r.d.Now().Sub(start)
		if w.info.Result != Rotated {
			return
		}
	}
}

func (w *work) begin(step string) {
	w.r.publish(func(s *Status) { s.Step = step })
	w.r.d.Step(step)
}

// well waits for health and reports whether to go on.
func (w *work) well() bool {
	res := w.r.healthy(w.ctx, &w.info)
	if res == Rotated {
		return true
	}
	w.info.Result = res
	if res == Stopping {
		w.info.Err = context.Cause(w.ctx)
	}
	return false
}

func (w *work) fail(err error) bool {
	if err == nil || errors.Is(err, errEnd) {
		return false
	}
	w.info.Result, w.info.Err = Failed, err
	return true
}

// clearPrior shrinks the claimed range before anything of it goes (step 5).
func (w *work) clearPrior() {
	if w.fail(w.r.d.Store.SetOldest(w.info.Oldest)) {
		return
	}
	w.r.d.ClearPrior(w.info.LastRotated)
}

// copyState visits the whole state so that every node of it ends up in the writable generation (step 6). The walk
// goes through the family, so nodes that were not in memory are now.
func (w *work) copyState() {
	var failed error
	err := w.l.State.WalkNodes(func(h Hash, prefixed []byte) bool {
		w.info.Nodes++
		failed = w.keep(h, prefixed)
		return failed == nil && w.checked(w.info.Nodes)
	})
	w.fail(errors.Join(failed, err))
}

// keep makes sure that a node is in the writable generation.
func (w *work) keep(h Hash, prefixed []byte) error {
	where, err := w.r.d.Store.Duplicate(h)
	if err != nil {
		return err
	}
	switch where {
	case store.InWritable:
		w.info.AlreadyThere++
	case store.InArchive:
		w.info.Copied++
	case store.Nowhere: // only in memory: rescue it
		w.info.Rescued++
		b := store.NewBatch(0)
		b.PutObject(store.AccountNode, h, prefixed)
		return w.r.d.Store.Commit(b)
	}
	return nil
}

// checked looks after the health every CheckEvery nodes and reports whether to go on.
func (w *work) checked(n uint64) bool {
	if n%uint64(w.r.o.CheckEvery) != 0 {
		return true
	}
	return w.well()
}

// copyHistory keeps the nodes of the oldest retained ledger that the newest has no more; all nodes of the ledgers
// between the two are either among these or were written since the last rotation.
func (w *work) copyHistory() {
	old := w.r.d.Oldest(w.info.Oldest)
	if old == nil {
		return
	}
	defer old.release()
	if old.Seq >= w.l.Seq {
		return
	}
	oldRoot, err := old.State.Hash()
	if w.fail(err) {
		return
	}
	newRoot, err := w.l.State.Hash()
	if w.fail(err) {
		return
	}
	w.fail(w.difference(oldRoot, newRoot, 0))
}

const (
	depthMax    = 64
	innerLen    = 516
	innerPrefix = 0x4D494E00 // "MIN\0"
)

// difference keeps every node under a that is not at the same place under b.
func (w *work) difference(a, b Hash, depth int) error {
	if a == b || a == (Hash{}) || depth > depthMax {
		return nil
	}
	w.info.History++
	if !w.checked(w.info.History) {
		return errEnd
	}
	raw, err := w.duplicated(a)
	if err != nil || !isInner(raw) {
		return err
	}
	var rawB []byte
	if b != (Hash{}) {
		if rawB, _, err = w.r.d.Store.Get(b, nil); err != nil {
			return err
		}
	}
	for i := range 16 {
		childA, childB := Hash(raw[4+32*i:]), Hash{}
		if isInner(rawB) {
			childB = Hash(rawB[4+32*i:])
		}
		if err := w.difference(childA, childB, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (w *work) duplicated(h Hash) ([]byte, error) {
	raw, _, err := w.r.d.Store.Fetch(h, nil, true)
	return raw, err
}

func isInner(b []byte) bool {
	return len(b) == innerLen && binary.BigEndian.Uint32(b) == innerPrefix
}

// freshen copies what the tree-node cache names (step 7).
func (w *work) freshen() {
	if Freshen(w.r.freshen.Load()) == FreshenNone {
		return
	}
	for _, h := range w.r.d.CacheKeys(nil) {
		w.info.Keys++
		where, err := w.r.d.Store.Duplicate(h)
		if w.fail(err) {
			return
		}
		switch where {
		case store.InArchive:
			w.info.Freshened++
		case store.Nowhere: // not flushed yet, or of a ledger that was never stored
			w.info.KeysGone++
		case store.InWritable:
		}
		if !w.checked(w.info.Keys) {
			return
		}
	}
}

// swap makes the new generation, clears, swaps and deletes (steps 8 to 10).
func (w *work) swap() {
	next, err := w.r.d.Store.Prepare()
	if w.fail(err) {
		return
	}
	if !w.well() {
		if err := w.r.d.Store.Discard(next); err != nil {
			w.info.Err = errors.Join(w.info.Err, err)
		}
		return
	}
	w.begin("clear")
	w.r.d.ClearCaches(w.info.Seq)
	w.r.d.Trim("rotate_clear")
	w.begin("rotate")
	err = w.r.d.Store.Rotate(next, w.info.Seq, func() { w.r.d.ClearCaches(w.info.Seq) })
	if w.fail(err) {
		return
	}
	w.r.d.Trim("rotate_delete")
}
