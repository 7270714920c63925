package shamap

import (
	"bytes"
	"fmt"
	"math/bits"
	"slices"
	"unsafe"
)

// Put inserts or replaces one leaf. Hashing waits until a hash is asked for.
func (m *Map) Put(key [32]byte, data []byte) error {
	if data == nil {
		data = []byte{}
	}
	return m.change([]Change{{Key: key, Data: data}}, false)
}

// Delete removes a leaf if it is there.
func (m *Map) Delete(key [32]byte) error {
	return m.change([]Change{{Key: key}}, false)
}

// Apply makes all changes, or none when it returns an error. Each inner node
// is cloned and hashed once, so one large batch is far cheaper than many small
// ones. Changes need not be sorted; of several for one key the last counts.
func (m *Map) Apply(changes []Change) error { return m.change(sorted(changes), true) }

func sorted(ch []Change) []Change {
	ascending := true
	for i := 1; i < len(ch) && ascending; i++ {
		ascending = bytes.Compare(ch[i-1].Key[:], ch[i].Key[:]) < 0
	}
	if ascending {
		return ch
	}
	ch = slices.Clone(ch)
	slices.SortStableFunc(ch, func(a, b Change) int { return bytes.Compare(a.Key[:], b.Key[:]) })
	out := ch[:0]
	for i := range ch {
		if i+1 == len(ch) || ch[i].Key != ch[i+1].Key {
			out = append(out, ch[i])
		}
	}
	return out
}

func (m *Map) validate(ch []Change) error {
	for i := range ch {
		c := &ch[i]
		switch {
		case c.Data != nil && len(c.Data) == 0:
			return fmt.Errorf("shamap: key %X: a leaf needs data", c.Key[:])
		case len(c.Data) > dataBytesMax:
			return fmt.Errorf("shamap: key %X: %d bytes of data, at most %d are allowed", c.Key[:], len(c.Data), dataBytesMax)
		case c.Data != nil && m.kind != KindTx && c.Key == [32]byte{}:
			return fmt.Errorf("shamap: a %s leaf cannot have an empty key", m.kind)
		}
	}
	return nil
}

func (m *Map) change(ch []Change, hash bool) error {
	switch {
	case m.released.Load():
		return ErrReleased
	case !m.mutable:
		return ErrImmutable
	case len(ch) == 0:
		return nil
	}
	if err := m.validate(ch); err != nil {
		return err
	}
	if hash && m.dirty {
		m.rehash()
	}
	if m.owner == 0 || hash && m.Backed() {
		// A batch on a backed map may meet a missing node half way: it clones
		// everything, so that the old root is still whole then.
		m.owner = m.env.owner()
	}
	b := newBatch(m, ch, hash)
	defer b.end()
	root, changed, err := b.root()
	if err != nil || !changed {
		return err
	}
	if old := m.root; old != root {
		m.root = root
		if old != nil {
			old.Release()
		}
	}
	if hash {
		b.pend.hash(m.env)
	} else {
		m.dirty = true
	}
	return nil
}

func (b *batch) root() (res *Node, changed bool, err error) {
	n := b.m.root
	if n == nil {
		res = b.build(nil, 0, 0, len(b.ch))
		return res, res != nil, nil
	}
	return b.editInner(n, 0, 0, len(b.ch))
}

// edit applies changes lo to hi, which share their first depth nibbles, to the
// node there, nil when there is none. The result takes the node's place. It is
// the node itself, without a further reference, when nothing changed or when
// the node was changed in place; else it comes with a reference.
func (b *batch) edit(n *Node, depth, lo, hi int) (res *Node, changed bool, err error) {
	if n != nil && !n.isLeaf() {
		return b.editInner(n, depth, lo, hi)
	}
	if n == nil {
		res = b.build(nil, depth, lo, hi)
		return res, res != nil, nil
	}
	keep, key := n, n.key()
	for i := lo; i < hi && keep != nil; i++ {
		if b.ch[i].Key == *key {
			keep = nil
		}
	}
	res = b.build(keep, depth, lo, hi)
	if res == n {
		n.Release() // build took a reference for a new place; there is none
		return n, false, nil
	}
	return res, true, nil
}

// kids are the results for the branches of one inner node.
type kids struct {
	at      [branches]*Node
	changed uint16
	mask    uint16 // present after the change
}

func (k *kids) set(branch int, n *Node) {
	k.at[branch] = n
	k.changed |= 1 << branch
	if n == nil {
		k.mask &^= 1 << branch
	} else {
		k.mask |= 1 << branch
	}
}

func (b *batch) editInner(n *Node, depth, lo, hi int) (res *Node, changed bool, err error) {
	k := kids{mask: n.mask}
	warmed := hi
	if !b.warming && hi-lo <= warmMax { // the top of a subtree of few changes
		b.warming, warmed = true, lo
		defer func() { b.warming = false }()
	}
	for i := lo; i < hi; {
		if i >= warmed {
			warmed = min(hi, i+warmWindow)
			b.warm(n, depth, i, warmed)
		}
		branch := nibble(&b.ch[i].Key, depth)
		j := i + 1
		for j < hi && nibble(&b.ch[j].Key, depth) == branch {
			j++
		}
		if err := b.editBranch(&k, n, branch, depth, i, j); err != nil {
			b.drop(n, &k)
			return nil, false, err
		}
		i = j
	}
	switch {
	case k.changed == 0:
		return n, false, nil
	case k.mask == 0:
		return nil, true, nil
	case depth > 0 && bits.OnesCount16(k.mask) == 1:
		leaf, err := b.pullUp(n, depth, &k)
		if leaf != nil || err != nil {
			return leaf, true, err
		}
	}
	if k.mask == n.mask && n.ownedBy(b.m.owner) {
		b.inPlace(n, &k)
		b.pended(n, depth, k.changed)
		return n, true, nil
	}
	res = b.clone(n, &k)
	b.pended(res, depth, k.changed&k.mask)
	return res, true, nil
}

func (b *batch) editBranch(k *kids, n *Node, branch, depth, lo, hi int) error {
	var kid *Node
	var held bool
	if n.has(branch) {
		var err error
		if kid, held, err = b.m.child(n, branch, depth, b.link); err != nil {
			return err
		}
	}
	res, changed, err := b.edit(kid, depth+1, lo, hi)
	if changed && err == nil {
		k.set(branch, res)
	}
	if held {
		kid.Release()
	}
	return err
}

// pullUp answers the leaf that shall take the place of n, of which one child
// is left, or nil when that child is an inner node.
func (b *batch) pullUp(n *Node, depth int, k *kids) (*Node, error) {
	branch := bits.TrailingZeros16(k.mask)
	if k.changed>>branch&1 != 0 {
		if c := k.at[branch]; c.isLeaf() {
			return c, nil
		}
		return nil, nil
	}
	c, held, err := b.m.child(n, branch, depth, b.link)
	if err != nil {
		return nil, err
	}
	if !c.isLeaf() {
		if held {
			c.Release()
		}
		return nil, nil
	}
	if !held {
		c.hd.AddRef()
	}
	return c, nil
}

// drop gives back the results collected for n when the batch fails.
func (b *batch) drop(n *Node, k *kids) {
	for m := k.changed & k.mask; m != 0; m &= m - 1 {
		branch := bits.TrailingZeros16(m)
		if r := k.at[branch]; !n.has(branch) || r != n.kid(branch) {
			r.Release()
		}
	}
}

func (b *batch) inPlace(n *Node, k *kids) {
	for m := k.changed; m != 0; m &= m - 1 {
		branch := bits.TrailingZeros16(m)
		r := k.at[branch]
		if old := n.kid(branch); old != r {
			n.setKid(branch, r)
			if old != nil {
				old.Release()
			}
		}
		if !r.bit(ownDirty) {
			*n.childHash(branch) = r.hash
		}
	}
	n.own |= ownDirty | ownUnsaved
}

// clone makes the successor of n, which may be nil, with the given children.
// Unchanged links get a further reference.
func (b *batch) clone(n *Node, k *kids) *Node {
	// Counts first: an atomic add waits for all writes before it. A reader may link
	// a child into n at any moment, so each link is read once: what was counted is
	// what is copied.
	same := k.mask &^ k.changed
	for m := same; m != 0; m &= m - 1 {
		branch := bits.TrailingZeros16(m)
		c := n.kid(branch)
		if c != nil {
			c.hd.AddRef()
		}
		k.at[branch] = c
	}
	x := b.inner(k.mask)
	b.copyHashes(x, n, k)
	i := 0
	for m := k.mask; m != 0; m &= m - 1 {
		branch := bits.TrailingZeros16(m)
		c := k.at[branch]
		if same>>branch&1 == 0 {
			if n != nil && n.has(branch) && c == n.kid(branch) {
				c.hd.AddRef() // changed in place under a node that is replaced
			}
			if !c.bit(ownDirty) {
				*x.childHash(branch) = c.hash
			}
		}
		*(**Node)(unsafe.Pointer(x.slot(i))) = c
		i++
	}
	return x
}

func (b *batch) copyHashes(x, n *Node, k *kids) {
	switch {
	case x.typ == typeInner && n != nil && n.typ == typeInner:
		*(*[denseBytes]byte)(x.hd.Raw()) = *(*[denseBytes]byte)(n.hd.Raw())
		for m := n.mask &^ k.mask; m != 0; m &= m - 1 {
			*(*[32]byte)(x.raw()[4+32*bits.TrailingZeros16(m):]) = [32]byte{}
		}
		return
	case x.typ == typeInner:
		raw := x.raw()
		clear(raw)
		copy(raw, prefixInner)
	}
	for m := k.mask &^ k.changed; m != 0; m &= m - 1 {
		branch := bits.TrailingZeros16(m)
		*x.childHash(branch) = *n.childHash(branch)
	}
}

// build makes the tree of the leaf keep, nil when there is none, and of the
// inserts among changes lo to hi, none of which is for keep's key. The result
// comes with a reference, keep too.
func (b *batch) build(keep *Node, depth, lo, hi int) *Node {
	total, last := 0, 0
	for i := lo; i < hi && total < 2; i++ {
		if b.ch[i].Data != nil {
			total, last = total+1, i
		}
	}
	switch {
	case total == 0 && keep == nil:
		return nil
	case total == 0:
		keep.hd.AddRef()
		return keep
	case total == 1 && keep == nil && depth > 0:
		return b.leaf(last)
	}
	k := kids{}
	own := -1
	if keep != nil {
		own = nibble(keep.key(), depth)
	}
	for i := lo; i < hi || own >= 0; {
		branch := branches
		if i < hi {
			branch = nibble(&b.ch[i].Key, depth)
		}
		var sub *Node
		if own >= 0 && own <= branch {
			branch, sub, own = own, keep, -1
		}
		j := i
		for j < hi && nibble(&b.ch[j].Key, depth) == branch {
			j++
		}
		if r := b.build(sub, depth+1, i, j); r != nil {
			k.set(branch, r)
		}
		i = j
	}
	x := b.clone(nil, &k)
	b.pended(x, depth, k.changed)
	return x
}
