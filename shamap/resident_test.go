package shamap

import (
	"errors"
	"testing"

	"ledgerlab/shamap/payload"
)

// TestResident: a map that was built holds every node, its successor only what changed, and the two together what is
// live in the heap.
func TestResident(t *testing.T) {
	heap, err := payload.NewHeap("go")
	if err != nil {
		t.Fatal(err)
	}
	m := New(&Env{Heap: heap}, KindState)
	for i := range 500 {
		if err := m.Put([32]byte{byte(i * 7), byte(i), byte(i >> 8), 1}, make([]byte, 20+i%50)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := m.Resident(nil); !errors.Is(err, ErrMutable) {
		t.Errorf("of a mutable map: %v", err)
	}
	old := m.Snapshot(false)
	if err := m.Put([32]byte{1, 2, 3}, make([]byte, 40)); err != nil {
		t.Fatal(err)
	}
	next := m.Snapshot(false)
	m.Release()
	nodes := 0
	if err := next.WalkHashes(func([32]byte) bool { nodes++; return true }); err != nil {
		t.Fatal(err)
	}
	whole, err := next.Resident(nil)
	if err != nil || whole.Inner+whole.Leaves != nodes {
		t.Errorf("%+v, want %d nodes; %v", whole, nodes, err)
	}
	rest, err := old.Resident(next)
	if err != nil || rest.Leaves > 1 || rest.Inner < 1 || rest.Inner > 6 {
		t.Errorf("beside its successor the old one holds %+v, %v", rest, err)
	}
	if same, err := next.Resident(next); err != nil || same != (Resident{}) {
		t.Errorf("beside itself: %+v, %v", same, err)
	}
	for range 3 {
		heap.Reclaim()
	}
	if live := heap.Stats().Total.LiveBytes; live != whole.PayloadBytes+rest.PayloadBytes {
		t.Errorf("%d bytes live, the maps hold %d and %d", live, whole.PayloadBytes, rest.PayloadBytes)
	}
	old.Release()
	next.Release()
	if _, err := next.Resident(nil); !errors.Is(err, ErrReleased) {
		t.Errorf("of a released map: %v", err)
	}
}
