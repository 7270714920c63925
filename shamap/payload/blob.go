package payload

import "unsafe"

// Blob is a counted byte string in a heap. It never changes.
type Blob struct {
	h    Header
	keep unsafe.Pointer // kind go
	sum  checksum
}

// NewBlob copies b into the heap. The blob comes with one reference.
func (h *Heap) NewBlob(t Tag, b []byte) *Blob {
	x := &Blob{}
	p := h.Alloc(t, len(b))
	copy(unsafe.Slice((*byte)(p), len(b)), b)
	x.h.Init(h, t, p, len(b))
	if !h.c {
		x.keep = p
	}
	x.sum.set(b)
	return x
}

// Acquire takes a reference; false says the blob is gone.
func (b *Blob) Acquire() bool { return b.h.Acquire() }

// Release gives a reference back.
func (b *Blob) Release() {
	if b.h.Drop() {
		b.retire()
	}
}

// DropIfSole gives up the only reference in one step.
func (b *Blob) DropIfSole() bool {
	if !b.h.DropIfSole() {
		return false
	}
	b.retire()
	return true
}

// Alive says whether the blob is referenced.
func (b *Blob) Alive() bool { return b.h.Alive() }

// Len is the number of bytes.
func (b *Blob) Len() int { return b.h.Len() }

// AppendTo appends the bytes to dst.
func (b *Blob) AppendTo(dst []byte) ([]byte, error) {
	if !b.h.Pin() {
		return dst, ErrReleased
	}
	raw := unsafe.Slice((*byte)(b.h.Raw()), b.h.Len())
	b.sum.check(raw)
	dst = append(dst, raw...)
	if b.h.Unpin() {
		b.retire()
	}
	return dst, nil
}

func (b *Blob) retire() {
	hp := b.h.Heap()
	if hp.c {
		hp.RetireOne(&b.h, nil)
	} else {
		hp.RetireOne(&b.h, &b.keep)
	}
}
