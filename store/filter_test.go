package store

import (
	"crypto/sha256"
	"fmt"
	"sync"
	"testing"
)

func filterKey(n int) Hash { return sha256.Sum256(fmt.Append(nil, n)) }

func filterBatch(first, n int) *Batch {
	b := NewBatch(0)
	for i := range n {
		b.Put(filterKey(first+i), nil)
	}
	return b
}

// TestFilterNeverDenies adds keys from many goroutines while the filter grows: what is there is never denied, and of
// what is not few are asked for in vain.
func TestFilterNeverDenies(t *testing.T) {
	const writers, each, batch = 4, 60_000, 500
	f := newFilter()
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := 0; i < each; i += batch {
				f.add(filterBatch(w*each+i, batch))
				for j := range batch {
					if h := filterKey(w*each + i + j); f.lacks(&h) {
						t.Errorf("key %d is denied", w*each+i+j)
						return
					}
				}
			}
		})
	}
	wg.Wait()
	vain := 0
	for i := range writers * each {
		if h := filterKey(i); f.lacks(&h) {
			t.Fatalf("key %d is denied after all are in", i)
		}
		if h := filterKey(-1 - i); !f.lacks(&h) {
			vain++
		}
	}
	if limit := writers * each / 50; vain > limit {
		t.Errorf("%d of %d absent keys asked for in vain, want at most %d", vain, writers*each, limit)
	}
	if got, limit := f.bytes(), uint64(8*writers*each); got > limit {
		t.Errorf("%d bytes for %d keys, want at most %d", got, writers*each, limit)
	}
}

// TestFilterOverflows sees that a filter beyond its bound knows nothing rather than something wrong.
func TestFilterOverflows(t *testing.T) {
	f := newFilter()
	f.add(filterBatch(0, 10))
	last := (*f.blocks.Load())[0]
	last.room = filterKeysMax
	last.used.Store(filterKeysMax)
	f.add(filterBatch(10, 10))
	for n := range 30 {
		if h := filterKey(n); f.lacks(&h) {
			t.Errorf("key %d is denied by an overflowed filter", n)
		}
	}
	var none *filter
	if h := filterKey(1); none.lacks(&h) {
		t.Error("no filter denies")
	}
}
