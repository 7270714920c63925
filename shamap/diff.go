package shamap

import (
	"bytes"
	"errors"
	"math/bits"
)

// Diff calls fn for each key, in order, whose data differ between two trees,
// with the data on both sides; nil says that the key is absent there. It
// descends only where hashes differ. Slices are valid during the call only.
// After max differences (0: no limit) or when fn answers false it stops with
// complete false.
func Diff(a, b *Map, max int, fn func(key [32]byte, inA, inB []byte) bool) (complete bool, err error) {
	ra, err := a.hold()
	if err != nil {
		return false, err
	}
	if ra != nil {
		defer ra.Release()
	}
	rb, err := b.hold()
	if err != nil {
		return false, err
	}
	if rb != nil {
		defer rb.Release()
	}
	d := differ{a: a, b: b, left: max, fn: fn}
	if max <= 0 {
		d.left = int(^uint(0) >> 1)
	}
	switch err := d.nodes(ra, rb, 0); {
	case errors.Is(err, errStop):
		return false, nil
	case err != nil:
		return false, err
	}
	return true, nil
}

var errStop = errors.New("stop")

type differ struct {
	a, b       *Map
	left       int
	fn         func(key [32]byte, inA, inB []byte) bool
	bufA, bufB []byte
}

func (d *differ) emit(key *[32]byte, inA, inB *Node) error {
	if d.left == 0 {
		return errStop
	}
	d.left--
	var da, db []byte
	if inA != nil {
		d.bufA = append(d.bufA[:0], inA.data()...)
		da = d.bufA
	}
	if inB != nil {
		d.bufB = append(d.bufB[:0], inB.data()...)
		db = d.bufB
	}
	if !d.fn(*key, da, db) {
		return errStop
	}
	return nil
}

// nodes compares what two trees have at the same place.
func (d *differ) nodes(x, y *Node, depth int) error {
	switch {
	case x == nil && y == nil, x != nil && y != nil && x.hash == y.hash:
		return nil
	case x == nil:
		return d.against(y, nil, depth, false)
	case y == nil:
		return d.against(x, nil, depth, true)
	case x.isLeaf():
		return d.against(y, x, depth, false)
	case y.isLeaf():
		return d.against(x, y, depth, true)
	}
	for set := x.mask | y.mask; set != 0; set &= set - 1 {
		if err := d.branch(x, y, bits.TrailingZeros16(set), depth); err != nil {
			return err
		}
	}
	return nil
}

func (d *differ) branch(x, y *Node, b, depth int) (err error) {
	if x.has(b) && y.has(b) && *x.childHash(b) == *y.childHash(b) {
		return nil
	}
	var kx, ky *Node
	var held bool
	if x.has(b) {
		if kx, held, err = d.a.child(x, b, depth, d.a.walkLinks()); err != nil {
			return err
		}
		if held {
			defer kx.Release()
		}
	}
	if y.has(b) {
		if ky, held, err = d.b.child(y, b, depth, d.b.walkLinks()); err != nil {
			return err
		}
		if held {
			defer ky.Release()
		}
	}
	return d.nodes(kx, ky, depth+1)
}

// against compares the subtree n of one tree with a single leaf of the other,
// nil when there is none. inA says that n belongs to the first tree.
func (d *differ) against(n, leaf *Node, depth int, inA bool) error {
	m := d.b
	if inA {
		m = d.a
	}
	lone := leaf // not yet met
	err := m.eachLeaf(n, depth, func(l *Node) error {
		if lone != nil {
			switch c := bytes.Compare(lone.key()[:], l.key()[:]); {
			case c == 0:
				o := lone
				lone = nil
				if bytes.Equal(o.data(), l.data()) {
					return nil
				}
				return d.side(l, o, inA)
			case c < 0:
				o := lone
				lone = nil
				if err := d.side(nil, o, inA); err != nil {
					return err
				}
			}
		}
		return d.side(l, nil, inA)
	})
	if err == nil && lone != nil {
		err = d.side(nil, lone, inA)
	}
	return err
}

func (d *differ) side(mine, other *Node, inA bool) error {
	key := mine
	if key == nil {
		key = other
	}
	if inA {
		return d.emit(key.key(), mine, other)
	}
	return d.emit(key.key(), other, mine)
}

func (m *Map) eachLeaf(n *Node, depth int, fn func(leaf *Node) error) error {
	if n.isLeaf() {
		return fn(n)
	}
	for set := n.mask; set != 0; set &= set - 1 {
		k, held, err := m.child(n, bits.TrailingZeros16(set), depth, m.walkLinks())
		if err != nil {
			return err
		}
		err = m.eachLeaf(k, depth+1, fn)
		if held {
			k.Release()
		}
		if err != nil {
			return err
		}
	}
	return nil
}
