package history

import (
	"encoding/binary"
	"fmt"
	"slices"

	"ledgerlab/store"
)

// Span is a range of ledgers, both ends included.
type Span struct {
	First uint32 `json:"first"`
	Last  uint32 `json:"last"`
}

// Held returns the ledgers from first to last that the index has, as ranges in order.
func (x *Index) Held(first, last uint32) ([]Span, error) {
	gs, err := x.pair()
	if err != nil {
		return nil, err
	}
	defer release(gs)
	var seqs []uint32
	for _, g := range gs {
		if g == nil {
			continue
		}
		err := g.Range(ledgerKey(first), end(ledgerKey(last), 5), false, func(k store.Hash, _ []byte) bool {
			seqs = append(seqs, binary.BigEndian.Uint32(k[1:]))
			return true
		})
		if err != nil {
			return nil, fmt.Errorf("history: ledgers of %s: %w", g.name, err)
		}
	}
	slices.Sort(seqs)
	var out []Span
	for _, s := range seqs {
		if n := len(out); n > 0 && s <= out[n-1].Last+1 {
			out[n-1].Last = s
			continue
		}
		out = append(out, Span{s, s})
	}
	return out, nil
}

// Gaps returns what of the range from first to last lies outside the spans.
func Gaps(first, last uint32, held []Span) []Span {
	var out []Span
	next := first
	for _, s := range held {
		if s.First > next {
			out = append(out, Span{next, min(s.First-1, last)})
		}
		next = max(next, s.Last+1)
	}
	if next <= last && next >= first {
		out = append(out, Span{next, last})
	}
	return out
}

// Both returns what lies in spans of a and of b, each in order.
func Both(a, b []Span) []Span {
	var out []Span
	for len(a) > 0 && len(b) > 0 {
		if first, last := max(a[0].First, b[0].First), min(a[0].Last, b[0].Last); first <= last {
			out = append(out, Span{first, last})
		}
		if a[0].Last < b[0].Last {
			a = a[1:]
		} else {
			b = b[1:]
		}
	}
	return out
}

// In says whether a sequence lies in one of the spans.
func In(spans []Span, seq uint32) bool {
	return slices.ContainsFunc(spans, func(s Span) bool { return s.First <= seq && seq <= s.Last })
}
