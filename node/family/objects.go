package family

import (
	"errors"
	"fmt"

	"ledgerlab/cache"
	"ledgerlab/shamap/payload"
	"ledgerlab/store"
)

// objects is the NodeObject cache (DatabaseNodeImp's, flag cache.object): what the store gave, as counted blobs in the
// payload heap. rippled has it on non-rotating databases only, so it is off by default. While a rotation is in flight
// it is passed by, for a hit in it would not be copied forward.
type objects struct {
	heap  *payload.Heap
	cache *cache.Tagged[Hash, *payload.Blob]
}

// fetch gives the cached payload, or nil.
func (o *objects) fetch(h Hash) []byte {
	blob, ok := o.cache.Fetch(h)
	if !ok {
		return nil
	}
	defer blob.Release()
	b, err := blob.AppendTo(nil)
	if err != nil {
		return nil
	}
	return b
}

func (o *objects) keep(h Hash, b []byte) {
	blob, _ := o.cache.Canonicalize(h, o.heap.NewBlob(payload.TagBlob, b), cache.ReplaceClient)
	blob.Release()
}

// load reads a node's bytes from the object cache or the store.
func (f *Family) load(h Hash) ([]byte, error) {
	cached := f.objects != nil && !f.db.InFlight()
	if cached {
		if b := f.objects.fetch(h); b != nil {
			f.objectHits.Add(1)
			return b, nil
		}
	}
	b, _, err := f.db.Get(h, nil)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("family: fetch %X: %w", h, err)
	}
	if cached {
		f.objects.keep(h, b)
	}
	return b, nil
}

// loadSorted reads many; where the object cache is on it asks one by one, for some of them may be there. So it does with
// the rest of a batch in which the store met a corrupt object.
func (f *Family) loadSorted(hs []Hash, fn func(i int, b []byte) error) error {
	done := make([]bool, len(hs))
	if f.objects == nil || f.db.InFlight() {
		var stop error
		err := f.db.FetchSorted(hs, func(i int, _ store.ObjectType, b []byte) error {
			done[i] = true
			stop = fn(i, b)
			return stop
		})
		if stop != nil || err != nil && !errors.Is(err, store.ErrCorrupt) {
			return fmt.Errorf("family: fetch %d nodes: %w", len(hs), err)
		}
		if err == nil {
			return nil
		}
	}
	for i, h := range hs {
		if done[i] {
			continue
		}
		b, err := f.load(h)
		if errors.Is(err, store.ErrCorrupt) {
			b, err = f.healed(h, err)
		}
		if err == nil && b != nil {
			err = fn(i, b)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
