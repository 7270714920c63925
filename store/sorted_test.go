package store_test

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"testing"

	"ledgerlab/store"
	"ledgerlab/store/memdb"
	"ledgerlab/store/storetest"
)

// TestFetchSortedIsManyFetches looks up objects of the archive, of the writable generation, of both and of neither, with
// filters and, after the store was opened again, without; in flight what the archive had survives the next swap.
func TestFetchSortedIsManyFetches(t *testing.T) {
	for _, reopened := range []bool{false, true} {
		f := memdb.NewFolder()
		r := open(t, f, nil)
		put(t, r, 1, 2, 3, 4)
		rotate(t, r, 10)
		put(t, r, 3, 5, 6)
		if reopened {
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			r = open(t, f, nil)
		}
		r.SetInFlight(true)
		var hs []store.Hash
		number := map[store.Hash]int{}
		for n := range 9 {
			hs, number[storetest.Key(n)] = append(hs, storetest.Key(n)), n
		}
		slices.SortFunc(hs, func(a, b store.Hash) int { return bytes.Compare(a[:], b[:]) })
		found := map[int]bool{}
		err := r.FetchSorted(hs, func(i int, typ store.ObjectType, payload []byte) error {
			n := number[hs[i]]
			if found[n] || typ != store.AccountNode || !bytes.Equal(payload, storetest.Value(n)) {
				t.Errorf("object %d: twice %v, type %d, %X", n, found[n], typ, payload)
			}
			found[n] = true
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for n := range 9 {
			if want := n >= 1 && n <= 6; found[n] != want {
				t.Errorf("reopened %v: object %d found %v, want %v", reopened, n, found[n], want)
			}
		}
		s := r.Stats()
		if s.HitArchive != 3 || s.HitWritable != 3 || s.Missing != 3 || s.Forwarded != 3 {
			t.Errorf("reopened %v: %+v", reopened, s)
		}
		stop := errors.New("stop")
		if err := r.FetchSorted(hs, func(int, store.ObjectType, []byte) error { return stop }); !errors.Is(err, stop) {
			t.Errorf("fetch sorted: %v", err)
		}
		rotate(t, r, 20)
		for n := 1; n <= 6; n++ {
			if !readable(t, r, n) {
				t.Errorf("reopened %v: object %d is gone after the swap", reopened, n)
			}
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestKeepWritesFromMemory keeps objects wherever they were before.
func TestKeepWritesFromMemory(t *testing.T) {
	for _, reopened := range []bool{false, true} {
		f := memdb.NewFolder()
		r := open(t, f, nil)
		put(t, r, 1)
		rotate(t, r, 10)
		put(t, r, 2)
		if reopened {
			if err := r.Close(); err != nil {
				t.Fatal(err)
			}
			r = open(t, f, nil)
		}
		for n, want := range []store.Place{store.Nowhere, store.InArchive, store.InWritable} {
			got, err := r.Keep(store.AccountNode, storetest.Key(n), storetest.Value(n))
			if err != nil || got != want {
				t.Errorf("reopened %v: keep %d: %v, %v; want %v", reopened, n, got, err, want)
			}
		}
		rotate(t, r, 20)
		for n := range 3 {
			if !readable(t, r, n) {
				t.Errorf("reopened %v: object %d is gone", reopened, n)
			}
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDuplicateSortedIsManyDuplicates asks for objects of each place, in flight and not, with filters and without, and
// finds what the archive had after the next swap.
func TestDuplicateSortedIsManyDuplicates(t *testing.T) {
	for _, inFlight := range []bool{false, true} {
		for _, reopened := range []bool{false, true} {
			one, many := places(t, inFlight, reopened, false), places(t, inFlight, reopened, true)
			if !maps.Equal(one, many) {
				t.Errorf("in flight %v, reopened %v: one by one %v, sorted %v", inFlight, reopened, one, many)
			}
			want := map[int]store.Place{0: store.Nowhere, 1: store.InArchive, 2: store.InArchive, 3: store.InWritable, 5: store.InWritable}
			if !maps.Equal(many, want) {
				t.Errorf("in flight %v, reopened %v: %v, want %v", inFlight, reopened, many, want)
			}
		}
	}
}

// places duplicates objects 0, 1, 2, 3 and 5 of a store with 1 to 3 in the archive and 3 and 5 in the writable
// generation, and checks that all of them outlive the archive.
func places(t *testing.T, inFlight, reopened, sorted bool) map[int]store.Place {
	f := memdb.NewFolder()
	r := open(t, f, nil)
	put(t, r, 1, 2, 3)
	rotate(t, r, 10)
	put(t, r, 3, 5)
	if reopened {
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		r = open(t, f, nil)
	}
	r.SetInFlight(inFlight)
	numbers := []int{0, 1, 2, 3, 5}
	slices.SortFunc(numbers, func(a, b int) int {
		x, y := storetest.Key(a), storetest.Key(b)
		return bytes.Compare(x[:], y[:])
	})
	out := map[int]store.Place{}
	var hs []store.Hash
	for _, n := range numbers {
		hs = append(hs, storetest.Key(n))
		if !sorted {
			place, err := r.Duplicate(storetest.Key(n))
			if err != nil {
				t.Fatal(err)
			}
			out[n] = place
		}
	}
	if sorted {
		if err := r.DuplicateSorted(hs, func(i int, place store.Place) { out[numbers[i]] = place }); err != nil {
			t.Fatal(err)
		}
	}
	r.SetInFlight(false)
	rotate(t, r, 20)
	for _, n := range numbers {
		if ok, err := r.Has(storetest.Key(n)); err != nil || ok != (n != 0) {
			t.Errorf("object %d after the swap: %v, %v", n, ok, err)
		}
	}
	return out
}
