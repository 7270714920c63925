package check

import (
	"context"

	"ledgerlab/store"
)

// depthMax is the depth of the deepest leaf.
const depthMax = 64

// progressEvery is how many objects lie between two words of progress and two
// looks at the context.
const progressEvery = 8192

// walk goes through a store. It is used by one goroutine.
type walk struct {
	ctx context.Context
	o   Options
	s   *opened
	r   reader
	rep *Report

	ledger  uint32 // being walked
	damaged int    // findings of this ledger's trees and header
	// Scratch of the descent, one pair a level: the older tree's node and the
	// newer one's.
	older, newer [depthMax + 1][]byte
}

// damage names a finding, or counts it when there are enough.
func (r *Report) damage(namedMax int, f Finding) {
	if r.Damaged == nil {
		r.Damaged = map[Fault]int{}
	}
	r.Damaged[f.Fault]++
	if len(r.Findings) < namedMax {
		r.Findings = append(r.Findings, f)
		return
	}
	r.Unnamed++
}

// found reports a node of the ledger being walked.
func (w *walk) found(kind Kind, h hash, p *place, f *fault) {
	w.damaged++
	w.rep.damage(w.o.NamedMax, Finding{
		Fault: f.what, Kind: kind, Key: hexOf(h), Path: p.String(), First: w.ledger, Last: w.ledger,
		Detail: f.detail, key: h, at: *p,
	})
}

// tick counts an object and looks up now and then.
func (w *walk) tick(archived bool, bytes int) error {
	c := &w.rep.Objects
	c.Bytes += uint64(bytes)
	if archived {
		c.Archive++
	} else {
		c.Writable++
	}
	if (c.Writable+c.Archive)%progressEvery != 0 {
		return nil
	}
	w.o.Progress(Progress{Ledger: w.ledger, Oldest: w.rep.Oldest, Objects: c.Total(), Damaged: len(w.rep.Findings) + w.rep.Unnamed})
	return w.ctx.Err()
}

// tree walks the tree of root a and leaves out what it shares with that of root b,
// which was walked before; b may be empty.
func (w *walk) tree(kind Kind, a, b hash) error {
	var p place
	return w.descend(kind, a, b, &p)
}

func (w *walk) descend(kind Kind, a, b hash, p *place) error {
	if a == b || a == (hash{}) {
		return nil
	}
	n, ok, err := w.visit(kind, a, p)
	if err != nil || !ok || n.leaf {
		return err
	}
	shared := w.beside(kind, b, p)
	d := p.depth
	for i := range 16 {
		child, other := n.child(i), hash{}
		if shared != nil {
			other = shared.child(i)
		}
		p.nibbles[d], p.depth = byte(i), d+1
		err := w.descend(kind, child, other, p)
		p.depth = d
		if err != nil {
			return err
		}
	}
	return nil
}

// visit reads, checks and counts a node; ok is false for one that is damaged.
func (w *walk) visit(kind Kind, h hash, p *place) (n node, ok bool, err error) {
	raw, t, archived, f := w.r.get(h, w.older[p.depth][:0])
	w.older[p.depth] = raw
	if f == nil {
		n, f = parseNode(kind, t, p, raw)
	}
	if f != nil {
		w.found(kind, h, p, f)
		return n, false, nil
	}
	w.count(kind, n.leaf)
	return n, true, w.tick(archived, len(raw))
}

func (w *walk) count(kind Kind, leaf bool) {
	c := &w.rep.Objects
	switch {
	case kind == KindState && leaf:
		c.StateLeaves++
	case kind == KindState:
		c.StateInner++
	case leaf:
		c.TxLeaves++
	default:
		c.TxInner++
	}
}

// beside reads the newer tree's node at the same place: nil when there is none, or
// a leaf, or one that was found damaged, and so nothing below it was walked.
func (w *walk) beside(kind Kind, h hash, p *place) *node {
	if h == (hash{}) {
		return nil
	}
	raw, t, _, f := w.r.get(h, w.newer[p.depth][:0])
	w.newer[p.depth] = raw
	if f != nil {
		return nil
	}
	n, f := parseNode(kind, t, p, raw)
	if f != nil || n.leaf {
		return nil
	}
	return &n
}

// lookup finds the leaf of a key below a root; nil when it is not there or cannot
// be read.
func (w *walk) lookup(root, key hash) *node {
	var p place
	h := root
	for h != (hash{}) {
		raw, t, _, f := w.r.get(h, nil)
		if f != nil {
			return nil
		}
		n, f := parseNode(KindState, t, &p, raw)
		switch {
		case f != nil, n.leaf && n.key != key:
			return nil
		case n.leaf:
			return &n
		}
		i := nibble(&key, p.depth)
		p.nibbles[p.depth] = i
		p.depth++
		h = n.child(int(i))
	}
	return nil
}

// at is the hash at a place of a tree, empty when it cannot be reached.
func (w *walk) at(root hash, to *place) hash {
	var p place
	h := root
	for p.depth < to.depth && h != (hash{}) {
		raw, t, _, f := w.r.get(h, w.newer[p.depth][:0])
		w.newer[p.depth] = raw
		if f != nil {
			return hash{}
		}
		n, f := parseNode(KindState, t, &p, raw)
		if f != nil || n.leaf {
			return hash{}
		}
		i := to.nibbles[p.depth]
		p.nibbles[p.depth] = i
		p.depth++
		h = n.child(int(i))
	}
	return h
}

// header reads the header of a ledger whose hash is known.
func (w *walk) header(h hash, seq uint32) (protocolHeader, *fault) {
	raw, t, archived, f := w.r.get(h, nil)
	if f != nil {
		return protocolHeader{}, f
	}
	if t != store.Ledger {
		return protocolHeader{}, wrong("stored as an object of type %d, want %d", t, store.Ledger)
	}
	head, err := parseHeader(raw)
	if err != nil {
		return protocolHeader{}, wrong("%v", err)
	}
	if head.Sequence != seq {
		return protocolHeader{}, wrong("it is the header of ledger %d", head.Sequence)
	}
	w.rep.Objects.Headers++
	c := &w.rep.Objects
	c.Bytes += uint64(len(raw))
	if archived {
		c.Archive++
	} else {
		c.Writable++
	}
	return head, nil
}
