package storetest

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"ledgerlab/store"
)

// Run runs the suite; open gives an empty backend each time, and the suite closes it.
func Run(t *testing.T, open func(t *testing.T) store.Backend) {
	t.Helper()
	cases := []struct {
		name string
		fn   func(t *testing.T, b store.Backend)
	}{
		{"GetAppends", getAppends},
		{"OverwriteWins", overwriteWins},
		{"EmptyBatch", emptyBatch},
		{"EmptyValue", emptyValue},
		{"BatchIsCopied", batchIsCopied},
		{"GetSorted", getSorted},
		{"EachInOrder", eachInOrder},
		{"EachStops", eachStops},
		{"Concurrent", concurrent},
		{"LargeValue", largeValue},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			b := open(t)
			c.fn(t, b)
			if err := b.Close(); err != nil {
				t.Errorf("close: %v", err)
			}
		})
	}
}

// Key is the n-th key of the suite.
func Key(n int) store.Hash { return sha256.Sum256(fmt.Append(nil, "key ", n)) }

// Value is the n-th value of the suite, of varying length.
func Value(n int) []byte {
	h := sha256.Sum256(fmt.Append(nil, "value ", n))
	return bytes.Repeat(h[:], 1+n%20)[:1+(n*37)%(32*(1+n%20))]
}

func put(t *testing.T, b store.Backend, sync bool, ns ...int) {
	t.Helper()
	w := store.NewBatch(0)
	w.Sync = sync
	for _, n := range ns {
		w.Put(Key(n), Value(n))
	}
	if err := b.Commit(w); err != nil {
		t.Fatalf("commit: %v", err)
	}
}

func want(t *testing.T, b store.Backend, n int) {
	t.Helper()
	got, err := b.Get(Key(n), nil)
	if err != nil || !bytes.Equal(got, Value(n)) {
		t.Errorf("get %d: %X, %v; want %X", n, got, err, Value(n))
	}
}

func getAppends(t *testing.T, b store.Backend) {
	put(t, b, true, 1, 2)
	dst := []byte("before")
	got, err := b.Get(Key(1), dst)
	if err != nil || !bytes.Equal(got, append([]byte("before"), Value(1)...)) {
		t.Errorf("get: %q, %v", got, err)
	}
	got, err = b.Get(Key(3), dst)
	if !errors.Is(err, store.ErrNotFound) || !bytes.Equal(got, dst) {
		t.Errorf("unknown key: %q, %v; want %q and ErrNotFound", got, err, dst)
	}
	for n, there := range map[int]bool{1: true, 3: false} {
		if ok, err := b.Has(Key(n)); ok != there || err != nil {
			t.Errorf("has %d: %v, %v", n, ok, err)
		}
	}
	if err := b.Sync(); err != nil {
		t.Errorf("sync: %v", err)
	}
}

func overwriteWins(t *testing.T, b store.Backend) {
	w := store.NewBatch(0)
	w.Put(Key(1), []byte("first"))
	w.Put(Key(1), []byte("second"))
	if err := b.Commit(w); err != nil {
		t.Fatal(err)
	}
	got, err := b.Get(Key(1), nil)
	if err != nil || string(got) != "second" {
		t.Errorf("got %q, %v", got, err)
	}
}

func emptyBatch(t *testing.T, b store.Backend) {
	for _, sync := range []bool{false, true} {
		w := store.NewBatch(0)
		w.Sync = sync
		if err := b.Commit(w); err != nil {
			t.Errorf("sync %v: %v", sync, err)
		}
	}
}

func emptyValue(t *testing.T, b store.Backend) {
	w := store.NewBatch(0)
	w.Put(Key(1), nil)
	if err := b.Commit(w); err != nil {
		t.Fatal(err)
	}
	got, err := b.Get(Key(1), nil)
	if err != nil || len(got) != 0 {
		t.Errorf("got %X, %v", got, err)
	}
}

func batchIsCopied(t *testing.T, b store.Backend) {
	w := store.NewBatch(0)
	w.Put(Key(1), Value(1))
	if err := b.Commit(w); err != nil {
		t.Fatal(err)
	}
	w.Reset(1 << 20)
	w.Put(Key(2), bytes.Repeat([]byte{0xFF}, 100))
	want(t, b, 1)
	if _, err := b.Get(Key(2), nil); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a batch that was not committed is visible: %v", err)
	}
}

func eachInOrder(t *testing.T, b store.Backend) {
	const n = 500
	for i := range n {
		put(t, b, false, i)
	}
	seen := 0
	var last store.Hash
	err := b.Each(func(h store.Hash, v []byte) error {
		if seen > 0 && bytes.Compare(last[:], h[:]) >= 0 {
			t.Errorf("order: %X after %X", h, last)
		}
		last, seen = h, seen+1
		return nil
	})
	if err != nil || seen != n {
		t.Errorf("visited %d of %d: %v", seen, n, err)
	}
}

func getSorted(t *testing.T, b store.Backend) {
	var hs []store.Hash
	wanted := map[store.Hash][]byte{}
	for n := range 300 { // written and unwritten ones, one twice in a row
		hs = append(hs, Key(n))
		if n%3 != 0 {
			put(t, b, false, n)
			wanted[Key(n)] = Value(n)
		}
	}
	hs = append(hs, Key(1))
	slices.SortFunc(hs, func(a, b store.Hash) int { return bytes.Compare(a[:], b[:]) })
	found, last := 0, -1
	err := b.GetSorted(hs, func(i int, value []byte) error {
		if v, ok := wanted[hs[i]]; !ok || !bytes.Equal(v, value) || i <= last {
			t.Errorf("position %d after %d: %X, want %X", i, last, value, v)
		}
		found, last = found+1, i
		return nil
	})
	if err != nil || found != 201 {
		t.Errorf("found %d, %v; want 201", found, err)
	}
	stop := errors.New("stop")
	if err := b.GetSorted(hs, func(int, []byte) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("get sorted: %v, want what the function said", err)
	}
}

func eachStops(t *testing.T, b store.Backend) {
	put(t, b, false, 1, 2, 3)
	stop := errors.New("stop")
	n := 0
	err := b.Each(func(store.Hash, []byte) error { n++; return stop })
	if !errors.Is(err, stop) || n != 1 {
		t.Errorf("visited %d, %v", n, err)
	}
}

func concurrent(t *testing.T, b store.Backend) {
	const workers, each = 4, 200
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for i := range each {
				put(t, b, false, w*each+i)
				want(t, b, w*each+i)
			}
		})
	}
	wg.Wait()
	for i := range workers * each {
		want(t, b, i)
	}
}

func largeValue(t *testing.T, b store.Backend) {
	big := bytes.Repeat([]byte("ledger"), 200_000)
	w := store.NewBatch(0)
	w.Sync = true
	w.Put(Key(1), big)
	w.Put(Key(2), Value(2))
	if err := b.Commit(w); err != nil {
		t.Fatal(err)
	}
	got, err := b.Get(Key(1), nil)
	if err != nil || !bytes.Equal(got, big) {
		t.Errorf("large value: %d bytes, %v; want %d", len(got), err, len(big))
	}
	want(t, b, 2)
}
