package check

import (
	"context"
	"errors"
	"fmt"

	"ledgerlab/node/protocol"
	"ledgerlab/store"
)

type protocolHeader = protocol.Header

func parseHeader(raw []byte) (protocolHeader, error) { return protocol.ParsePrefixedHeader(raw) }

// Run checks one data folder.
func Run(ctx context.Context, o Options) (rep *Report, err error) {
	o = o.withDefaults()
	rep = &Report{Dir: o.Dir, Findings: []Finding{}, Damaged: map[Fault]int{}}
	s, err := open(o, rep)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err = errors.Join(err, s.close()); err != nil {
			rep = nil
		}
	}()
	if rep.Format == 0 { // no state file to go by
		return rep, nil
	}
	v := s.state.Validated
	if v.Seq == 0 {
		return nil, fmt.Errorf("%w: %s has no validated ledger yet", ErrEmpty, o.Dir)
	}
	rep.Newest, rep.Oldest, rep.Hash = v.Seq, max(s.state.Oldest, 1), hexOf(hash(v.Hash))
	w := &walk{ctx: ctx, o: o, s: s, r: reader{gens: s.gens}, rep: rep}
	return rep, w.chain(v)
}

// chain walks the ledgers from the marker down.
func (w *walk) chain(v store.Validated) error {
	c := descent{w: w, next: hash(v.Hash), marker: w.marker(v)}
	for seq := v.Seq; seq >= w.rep.Oldest; seq-- {
		if err := w.ctx.Err(); err != nil {
			return err
		}
		w.ledger, w.damaged = seq, 0
		if !c.find(seq) {
			if c.lost(seq) {
				return nil
			}
			continue
		}
		if err := c.ledger(seq); err != nil {
			return err
		}
	}
	return nil
}

// marker compares the header in the state file with its own hash: the node starts
// from this one. It returns the header when it is right.
func (w *walk) marker(v store.Validated) *protocolHeader {
	h, err := protocol.ParseHeader(v.Header)
	switch {
	case err != nil:
	case h.Hash() != protocol.Hash(v.Hash):
		err = fmt.Errorf("its header hashes to %s", h.Hash())
	case h.Sequence != v.Seq:
		err = fmt.Errorf("its header is of ledger %d", h.Sequence)
	}
	if err != nil {
		w.rep.damage(w.o.NamedMax, Finding{
			Fault: Wrong, Kind: KindStateFile, Key: hexOf(hash(v.Hash)), First: v.Seq, Last: v.Seq,
			Detail: "marker of the validated ledger: " + err.Error(),
		})
		return nil
	}
	return &h
}

// descent is the way down through the headers.
type descent struct {
	w      *walk
	next   hash            // of the ledger to walk now; empty when it is not known
	marker *protocolHeader // the newest ledger's header as the state file has it, nil if that is wrong
	last   *protocolHeader // the lowest one read: its state was walked, its skip list names those before it
}

// ledger walks one ledger.
func (c *descent) ledger(seq uint32) error {
	w := c.w
	id := c.next
	w.checkEntry(seq, id)
	head, f := w.header(id, seq)
	if _, held, known := w.s.entered(seq); f == errMissing && known && !held {
		w.rep.notHeld(seq)
		c.next = c.hashOf(seq - 1)
		return nil
	}
	if f != nil {
		w.damaged++
		w.rep.damage(w.o.NamedMax, Finding{
			Fault: f.what, Kind: KindHeader, Key: hexOf(id), First: seq, Last: seq, Detail: f.detail, key: id,
		})
		if c.marker == nil || seq != c.marker.Sequence {
			c.next = c.hashOf(seq - 1)
			return nil
		}
		head = *c.marker
	}
	w.rep.Ledgers++
	if err := w.tree(KindTx, head.TxHash, hash{}); err != nil {
		return err
	}
	base, above := hash{}, uint32(0)
	if c.last != nil {
		base, above = c.last.AccountHash, c.last.Sequence
	}
	before := len(w.rep.Findings)
	if err := w.tree(KindState, head.AccountHash, base); err != nil {
		return err
	}
	w.inherit(head.AccountHash, above, before)
	if w.damaged == 0 {
		w.rep.Whole++
	}
	c.last, c.next = &head, head.ParentHash
	return nil
}

// inheritMax bounds the findings that are followed into older ledgers.
const inheritMax = 256

// inherit extends findings of the ledger above to this one where it has the same
// node at the same place, and so was not walked there. New ones begin at index fresh.
func (w *walk) inherit(root hash, above uint32, fresh int) {
	followed := 0
	for i := range w.rep.Findings[:fresh] {
		f := &w.rep.Findings[i]
		if f.Kind != KindState || f.First != above {
			continue
		}
		if followed++; followed > inheritMax {
			return
		}
		if w.at(root, &f.at) == f.key {
			f.First = w.ledger
			w.damaged++
		}
	}
}

// hashOf finds the hash of a ledger in the skip list of the lowest header read.
func (c *descent) hashOf(seq uint32) hash {
	if c.last == nil || seq == 0 {
		return hash{}
	}
	leaf := c.w.lookup(c.last.AccountHash, protocol.SkipListKey())
	if leaf == nil {
		return hash{}
	}
	list, err := protocol.ParseObject(leaf.data())
	if err != nil {
		return hash{}
	}
	h, _ := protocol.SkipListHash(list, seq)
	return h
}

// find makes sure that the hash of a ledger is known: the index may have it.
func (c *descent) find(seq uint32) bool {
	if c.next == (hash{}) {
		c.next, _, _ = c.w.s.entered(seq)
	}
	return c.next != (hash{})
}

// lost deals with a ledger whose hash nothing tells: one that the node never had is
// noted; without an index nobody knows, and nothing below it can be reached either.
func (c *descent) lost(seq uint32) (end bool) {
	if _, _, known := c.w.s.entered(seq); known {
		c.w.rep.notHeld(seq)
		return false
	}
	c.w.rep.damage(c.w.o.NamedMax, Finding{
		Fault: Missing, Kind: KindHeader, Key: fmt.Sprintf("of ledger %d", seq), First: c.w.rep.Oldest, Last: seq,
		Detail: "nothing that can be read tells its hash",
	})
	return true
}
