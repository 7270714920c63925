package chain

import (
	"fmt"
	"slices"
	"strings"
)

// span is a closed interval of ledger sequences.
type span struct{ first, last uint32 }

// rangeSet is a set of sequences as sorted, disjoint, not adjacent intervals.
type rangeSet struct{ spans []span }

// at returns the index of the first interval that ends at or after seq.
func (r *rangeSet) at(seq uint32) int {
	i, _ := slices.BinarySearchFunc(r.spans, seq, func(s span, seq uint32) int {
		if s.last < seq {
			return -1
		}
		return 1
	})
	return i
}

func (r *rangeSet) has(seq uint32) bool {
	i := r.at(seq)
	return i < len(r.spans) && r.spans[i].first <= seq
}

func (r *rangeSet) add(seq uint32) {
	i := r.at(seq)
	if i < len(r.spans) && r.spans[i].first <= seq {
		return
	}
	joinsPrev := i > 0 && r.spans[i-1].last+1 == seq
	joinsNext := i < len(r.spans) && r.spans[i].first == seq+1
	switch {
	case joinsPrev && joinsNext:
		r.spans[i-1].last = r.spans[i].last
		r.spans = slices.Delete(r.spans, i, i+1)
	case joinsPrev:
		r.spans[i-1].last = seq
	case joinsNext:
		r.spans[i].first = seq
	default:
		r.spans = slices.Insert(r.spans, i, span{seq, seq})
	}
}

func (r *rangeSet) remove(seq uint32) {
	i := r.at(seq)
	if i == len(r.spans) || r.spans[i].first > seq {
		return
	}
	s := r.spans[i]
	switch {
	case s.first == s.last:
		r.spans = slices.Delete(r.spans, i, i+1)
	case s.first == seq:
		r.spans[i].first++
	case s.last == seq:
		r.spans[i].last--
	default:
		r.spans[i].last = seq - 1
		r.spans = slices.Insert(r.spans, i+1, span{seq + 1, s.last})
	}
}

// removeThrough drops everything up to and including seq.
func (r *rangeSet) removeThrough(seq uint32) {
	i := r.at(seq)
	r.spans = slices.Delete(r.spans, 0, i)
	if len(r.spans) > 0 && r.spans[0].first <= seq {
		r.spans[0].first = seq + 1
		if r.spans[0].first > r.spans[0].last {
			r.spans = r.spans[1:]
		}
	}
}

// within returns the parts of the set from first to last.
func (r *rangeSet) within(first, last uint32) []span {
	var out []span
	for _, s := range r.spans[r.at(first):] {
		if s.first > last {
			break
		}
		out = append(out, span{max(s.first, first), min(s.last, last)})
	}
	return out
}

// around returns the interval that holds seq.
func (r *rangeSet) around(seq uint32) (span, bool) {
	i := r.at(seq)
	if i < len(r.spans) && r.spans[i].first <= seq {
		return r.spans[i], true
	}
	return span{}, false
}

// String is rippled's complete_ledgers form.
func (r *rangeSet) String() string {
	if len(r.spans) == 0 {
		return "empty"
	}
	parts := make([]string, len(r.spans))
	for i, s := range r.spans {
		if parts[i] = fmt.Sprint(s.first); s.last != s.first {
			parts[i] = fmt.Sprintf("%d-%d", s.first, s.last)
		}
	}
	return strings.Join(parts, ",")
}
