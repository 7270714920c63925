package payload

import "testing"

// TestPilesOfEverySize retires collections of every size on either side of a
// full pile, mixed with single headers: none may overflow, and all is freed.
func TestPilesOfEverySize(t *testing.T) {
	h, err := NewHeap("go")
	if err != nil {
		t.Fatal(err)
	}
	for first := 1; first <= freeBatch; first++ {
		for _, n := range []int{first, freeBatch - first, 1} {
			r := h.Retirer()
			for range n {
				b := h.NewBlob(TagBlob, []byte("x"))
				if !b.h.Drop() {
					t.Fatal("a sole reference did not die")
				}
				r.Add(&b.h, nil)
			}
			r.Flush()
		}
		h.NewBlob(TagBlob, []byte("y")).Release()
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
}
