package shamap

import "bytes"

// Proof gives the prefix forms of the nodes from the root down to the leaf of
// key, or down to the node that shows key to be absent.
func (m *Map) Proof(key [32]byte) (path [][]byte, found bool, err error) {
	n, err := m.hold()
	if n == nil {
		return nil, false, err
	}
	for depth := 0; ; depth++ {
		path = append(path, n.appendPrefixed(nil))
		if n.isLeaf() {
			found = *n.key() == key
			n.Release()
			return path, found, nil
		}
		b := nibble(&key, depth)
		if !n.has(b) {
			n.Release()
			return path, false, nil
		}
		k, held, err := m.child(n, b, depth, m.walkLinks())
		if err == nil && !held && !k.Acquire() {
			err = ErrReleased
		}
		n.Release()
		if err != nil {
			return nil, false, err
		}
		n = k
	}
}

// VerifyProof checks a path from Proof against a root hash. With found true,
// data is what the tree holds for key; with found false and no error, the path
// proves that key is absent.
func VerifyProof(kind Kind, root, key [32]byte, path [][]byte) (data []byte, found bool, err error) {
	if root == ([32]byte{}) && len(path) == 0 {
		return nil, false, nil
	}
	want := root
	for depth, b := range path {
		if depth > maxDepth || half(b) != want {
			return nil, false, ErrCorrupt{Hash: want, Reason: "proof holds another node in its place"}
		}
		s, err := parse(want, b)
		if err != nil {
			return nil, false, ErrCorrupt{Hash: want, Reason: err.Error()}
		}
		last := depth == len(path)-1
		if s.typ != typeInner {
			if s.typ != uint8(kind) || depth == 0 || !last || !sharesPath(&s.key, &key, depth) {
				return nil, false, ErrCorrupt{Hash: want, Reason: "proof ends in a leaf that does not belong there"}
			}
			if s.key != key {
				return nil, false, nil
			}
			return bytes.Clone(s.data), true, nil
		}
		if depth == maxDepth {
			break
		}
		at := nibble(&key, depth)
		if s.mask>>at&1 == 0 {
			if !last {
				return nil, false, ErrCorrupt{Hash: want, Reason: "proof goes on below an empty branch"}
			}
			return nil, false, nil
		}
		want = [32]byte(s.data[32*at:])
	}
	return nil, false, ErrMissing{Hash: want}
}

// sharesPath says whether two keys agree in their first depth nibbles.
func sharesPath(a, b *[32]byte, depth int) bool {
	return bytes.Equal(a[:depth/2], b[:depth/2]) && (depth%2 == 0 || a[depth/2]>>4 == b[depth/2]>>4)
}
