package family

import (
	"testing"
	"time"

	"ledgerlab/shamap/payload"
	"ledgerlab/store/memdb"
)

// TestExpireAllReachesEveryCache switches cache.expire_all while caches are in use: none of them keeps an entry that
// is not held elsewhere, and all keep theirs again when it is off.
func TestExpireAllReachesEveryCache(t *testing.T) {
	heap, err := payload.NewHeap("go")
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, memdb.NewFolder(), "go", func(o *Options) { o.Heap = heap })
	root := r.build(t, 300)
	for _, on := range []bool{true, false} {
		r.empty()
		r.readAll(t, root, 300) // fills the tree and the object cache
		r.f.MarkFullBelow(key(1))
		r.f.SetExpireAll(on)
		for _, c := range r.f.Sweepables() {
			s := c.Sweep(time.Now())
			if gone := s.SizeAfter == 0; s.SizeBefore == 0 || gone != on {
				t.Errorf("expire all %v: %s keeps %d of %d", on, s.Name, s.SizeAfter, s.SizeBefore)
			}
		}
	}
}
