package txq

import (
	"encoding/binary"
	"slices"
	"sort"

	"ledgerlab/node/protocol"
)

// chunkMax entries of the fee index lie in one slice.
const chunkMax = 512

// feeIndex orders all queued transactions by level, highest first; equal levels by id xor the parent hash, so that no
// sender can choose an id that is always first. It is a list of sorted chunks: an insertion moves at most one chunk.
type feeIndex struct {
	chunks [][]*entry
	size   int
}

// before is the order. rippled: TxQ::OrderCandidates.
func (e *entry) before(o *entry) bool {
	return e.compare(o) < 0
}

func (e *entry) compare(o *entry) int {
	switch {
	case e.level > o.level:
		return -1
	case e.level < o.level:
		return 1
	case e.lead < o.lead:
		return -1
	case e.lead > o.lead:
		return 1
	}
	return e.tie.Compare(o.tie)
}

// setTie orders e among its equals under a parent hash.
func (e *entry) setTie(parent protocol.Hash) {
	e.tie = xor(e.id, parent)
	e.lead = binary.BigEndian.Uint64(e.tie[:])
}

// find returns the chunk and the place where e is or belongs.
func (x *feeIndex) find(e *entry) (chunk, at int) {
	chunk = sort.Search(len(x.chunks), func(i int) bool {
		c := x.chunks[i]
		return !c[len(c)-1].before(e)
	})
	if chunk == len(x.chunks) {
		return chunk, 0
	}
	c := x.chunks[chunk]
	return chunk, sort.Search(len(c), func(i int) bool { return !c[i].before(e) })
}

func (x *feeIndex) insert(e *entry) {
	x.size++
	if len(x.chunks) == 0 {
		x.chunks = append(x.chunks, []*entry{e})
		return
	}
	i, at := x.find(e)
	if i == len(x.chunks) {
		i--
		at = len(x.chunks[i])
	}
	c := slices.Insert(x.chunks[i], at, e)
	if len(c) > chunkMax {
		half := len(c) / 2
		right := append(make([]*entry, 0, chunkMax), c[half:]...)
		clear(c[half:])
		x.chunks = slices.Insert(x.chunks, i+1, right)
		c = c[:half]
	}
	x.chunks[i] = c
}

func (x *feeIndex) remove(e *entry) {
	i, at := x.find(e)
	if i == len(x.chunks) || x.chunks[i][at] != e {
		panic("txq: entry is not in the fee index")
	}
	x.size--
	c := slices.Delete(x.chunks[i], at, at+1)
	x.chunks[i] = c
	if len(c) == 0 {
		x.chunks = slices.Delete(x.chunks, i, i+1)
	}
}

func (x *feeIndex) first() *entry {
	if len(x.chunks) == 0 {
		return nil
	}
	return x.chunks[0][0]
}

func (x *feeIndex) last() *entry {
	if len(x.chunks) == 0 {
		return nil
	}
	c := x.chunks[len(x.chunks)-1]
	return c[len(c)-1]
}

// next is the first entry behind e, which need not be in the index any more.
func (x *feeIndex) next(e *entry) *entry {
	i, at := x.find(e)
	if i == len(x.chunks) {
		return nil
	}
	if x.chunks[i][at] == e {
		at++
	}
	if at < len(x.chunks[i]) {
		return x.chunks[i][at]
	}
	if i+1 < len(x.chunks) {
		return x.chunks[i+1][0]
	}
	return nil
}

// lastNotOf is the cheapest entry of any other account.
func (x *feeIndex) lastNotOf(id protocol.AccountID) *entry {
	for i := len(x.chunks) - 1; i >= 0; i-- {
		for j := len(x.chunks[i]) - 1; j >= 0; j-- {
			if e := x.chunks[i][j]; e.account != id {
				return e
			}
		}
	}
	return nil
}

func (x *feeIndex) each(fn func(e *entry)) {
	for _, c := range x.chunks {
		for _, e := range c {
			fn(e)
		}
	}
}

// rekey orders equal levels by a new parent hash.
func (x *feeIndex) rekey(parent protocol.Hash) {
	all := make([]*entry, 0, x.size)
	x.each(func(e *entry) {
		e.setTie(parent)
		all = append(all, e)
	})
	slices.SortFunc(all, (*entry).compare)
	x.chunks = x.chunks[:0]
	for len(all) > 0 {
		n := min(len(all), chunkMax/2)
		x.chunks = append(x.chunks, append(make([]*entry, 0, chunkMax), all[:n]...))
		all = all[n:]
	}
}

func xor(a, b protocol.Hash) protocol.Hash {
	for i := range a {
		a[i] ^= b[i]
	}
	return a
}
