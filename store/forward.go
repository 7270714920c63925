package store

import "errors"

// Place is where a hash was found.
type Place uint8

// The places.
const (
	Nowhere Place = iota
	InWritable
	InArchive
)

// has asks the filter before the backend.
func (g generation) has(h Hash) (bool, error) {
	if g.filter.lacks(&h) {
		return false, nil
	}
	return g.Has(h)
}

// fetched is told what a read found, and copies it forward where that is due.
func (r *Rotating) fetched(p *pair, h Hash, value []byte, archived, duplicate bool) error {
	inFlight := r.inFlight.Load()
	switch {
	case archived && (duplicate || inFlight):
		return r.forward(p, h, value)
	case !archived && inFlight:
		p.seen.note(h, InWritable)
	}
	return nil
}

// FetchSorted looks up hashes that ascend and calls fn, in no particular order, with the position and payload of each
// that is there; the payload is valid during the call only. It copies forward as Get does and costs a fraction of it.
func (r *Rotating) FetchSorted(hs []Hash, fn func(i int, t ObjectType, payload []byte) error) error {
	p, err := r.acquire()
	if err != nil {
		return err
	}
	defer p.release()
	scratch := getScratch()
	defer putScratch(scratch)
	rest := make([]int, 0, len(hs)) // positions that the writable generation does not have
	maybe := make([]int, 0, len(hs))
	for i := range hs {
		if p.writable.filter.lacks(&hs[i]) {
			rest = append(rest, i)
		} else {
			maybe = append(maybe, i)
		}
	}
	take := func(archived bool) func(i int, value []byte) error {
		return func(i int, value []byte) error {
			return r.taken(p, hs[i], value, archived, scratch, func(t ObjectType, b []byte) error { return fn(i, t, b) })
		}
	}
	absent, err := lookup(p.writable, hs, maybe, take(false))
	if err != nil {
		return err
	}
	absent, err = lookup(p.archive, hs, mergeSorted(rest, absent), take(true))
	r.n.reads.Add(uint64(len(absent)))
	r.n.missing.Add(uint64(len(absent)))
	return err
}

// taken is one value that FetchSorted found.
func (r *Rotating) taken(p *pair, h Hash, value []byte, archived bool, scratch *[]byte, fn func(ObjectType, []byte) error) error {
	r.countRead(archived, nil)
	b, t, err := r.decode(h, (*scratch)[:0], value)
	if err != nil {
		return err
	}
	*scratch = b
	if err := r.fetched(p, h, value, archived, false); err != nil {
		return err
	}
	return fn(t, b)
}

// decode gives the payload of a stored value and judges it.
func (r *Rotating) decode(h Hash, dst, value []byte) ([]byte, ObjectType, error) {
	out, t, err := r.judge(h, dst, value, r.o.Check)
	if err == nil {
		r.n.readBytes.Add(uint64(len(out) - len(dst)))
	}
	return out, t, err
}

func (r *Rotating) judge(h Hash, dst, value []byte, check func(Hash, ObjectType, []byte) error) ([]byte, ObjectType, error) {
	out, t, err := DecodeObject(dst, value)
	if err == nil && check != nil {
		err = check(h, t, out[len(dst):])
	}
	if err != nil {
		r.n.corrupt.Add(1)
		return dst, t, &CorruptError{h, err}
	}
	return out, t, nil
}

// sound judges a value that is about to be copied forward unread.
func (r *Rotating) sound(h Hash, value []byte) error {
	if r.o.CheckCopied == nil {
		return nil
	}
	scratch := getScratch()
	defer putScratch(scratch)
	out, _, err := r.judge(h, (*scratch)[:0], value, r.o.CheckCopied)
	*scratch = out
	return err
}

// lookup asks a generation for the hashes at some positions and names those it does not have.
func lookup(g generation, hs []Hash, at []int, fn func(i int, value []byte) error) (absent []int, err error) {
	if len(at) == 0 {
		return nil, nil
	}
	part := make([]Hash, len(at))
	for i, j := range at {
		part[i] = hs[j]
	}
	next := 0
	err = g.GetSorted(part, func(i int, value []byte) error {
		absent = append(absent, at[next:i]...)
		next = i + 1
		return fn(at[i], value)
	})
	return append(absent, at[next:]...), err
}

// mergeSorted joins two ascending lists.
func mergeSorted(a, b []int) []int {
	if len(a) == 0 {
		return b
	}
	out := make([]int, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0] < b[0] {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// Duplicate makes sure that h is in the writable generation, copying it forward if need be. It reports where it was.
func (r *Rotating) Duplicate(h Hash) (Place, error) {
	p, err := r.acquire()
	if err != nil {
		return Nowhere, err
	}
	defer p.release()
	if place, known, err := p.find(h); known || err != nil {
		return place, err
	}
	if p.archive.filter.lacks(&h) {
		return Nowhere, nil
	}
	scratch := getScratch()
	defer putScratch(scratch)
	value, err := p.archive.Get(h, (*scratch)[:0])
	*scratch = value
	if errors.Is(err, ErrNotFound) {
		return Nowhere, nil
	}
	if err == nil {
		err = r.sound(h, value)
	}
	if err != nil {
		return Nowhere, err
	}
	return InArchive, r.fetched(p, h, value, true, true)
}

// DuplicateSorted is Duplicate for hashes that ascend, each of them once; fn is told, in no particular order, where each
// was. It costs a fraction of as many Duplicates.
func (r *Rotating) DuplicateSorted(hs []Hash, fn func(i int, where Place)) error {
	p, err := r.acquire()
	if err != nil {
		return err
	}
	defer p.release()
	var maybe, rest []int // positions that the writable generation may have, and that it surely lacks
	for i := range hs {
		if place, ok := p.seen.find(hs[i]); ok {
			fn(i, place)
		} else if p.writable.filter.lacks(&hs[i]) {
			rest = append(rest, i)
		} else {
			maybe = append(maybe, i)
		}
	}
	absent, err := lookup(p.writable, hs, maybe, func(i int, value []byte) error {
		fn(i, InWritable)
		return r.fetched(p, hs[i], value, false, true)
	})
	if err != nil {
		return err
	}
	absent, err = lookup(p.archive, hs, mergeSorted(rest, absent), func(i int, value []byte) error {
		if err := r.sound(hs[i], value); err != nil {
			return err
		}
		fn(i, InArchive)
		return r.fetched(p, hs[i], value, true, true)
	})
	if err != nil {
		return err
	}
	for _, i := range absent {
		fn(i, Nowhere)
	}
	return nil
}

// Keep is Duplicate for an object that the caller has in memory: it is written from there, and the archive need not
// be read. It answers Nowhere when neither generation has it; one in some hundreds of such is called InArchive.
func (r *Rotating) Keep(t ObjectType, h Hash, payload []byte) (Place, error) {
	p, err := r.acquire()
	if err != nil {
		return Nowhere, err
	}
	defer p.release()
	if place, known, err := p.find(h); known || err != nil {
		return place, err
	}
	place := InArchive
	if p.archive.filter.lacks(&h) {
		place = Nowhere
	} else if p.archive.filter == nil {
		ok, err := p.archive.Has(h)
		if err != nil {
			return Nowhere, err
		}
		if !ok {
			place = Nowhere
		}
	}
	scratch := getScratch()
	defer putScratch(scratch)
	*scratch = AppendObject((*scratch)[:0], t, payload)
	return place, r.forward(p, h, *scratch)
}

// find tells where an object is that the writable generation has, or will have once what is queued is written.
func (p *pair) find(h Hash) (place Place, known bool, err error) {
	if place, ok := p.seen.find(h); ok {
		return place, true, nil
	}
	ok, err := p.writable.has(h)
	return InWritable, ok, err
}

// forward queues value for p's writable generation and writes the queue when it is long enough. The note that others
// rely on is made under the lock under which the value is queued: whoever flushes after seeing it writes the value.
func (r *Rotating) forward(p *pair, h Hash, value []byte) error {
	f := &p.forward
	f.Lock()
	if r.inFlight.Load() && !p.seen.note(h, InArchive) {
		f.Unlock()
		return nil // somebody was faster
	}
	f.batch.Put(h, value)
	full := f.batch.Size() >= r.o.ForwardBytes
	f.Unlock()
	r.n.forwarded.Add(1)
	if full {
		return r.flushForward(p)
	}
	return nil
}

// flushForward writes what forward has queued; when it returns, whatever was queued before is written.
func (r *Rotating) flushForward(p *pair) error {
	f := &p.forward
	f.flush.Lock()
	defer f.flush.Unlock()
	var rest Batch
	r.timed(&f.Mutex, func() {
		rest = f.batch
		f.batch, f.spare = f.spare, Batch{}
	})
	err := r.write(p, &rest)
	rest.Reset(2 * r.o.ForwardBytes)
	f.Lock()
	f.spare = rest
	f.Unlock()
	return err
}

// Replace is Commit for objects whose stored values are wrong: what is queued, maybe those values, is written before.
func (r *Rotating) Replace(b *Batch) error {
	p, err := r.acquire()
	if err != nil {
		return err
	}
	defer p.release()
	if err := r.flushForward(p); err != nil {
		return err
	}
	return r.write(p, b)
}
