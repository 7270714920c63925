//go:build invariants

package shamap

import "fmt"

// verify panics when the payload of a hashed node is not what was hashed. It
// runs when the node dies, before its bytes are poisoned.
func (n *Node) verify() {
	if !n.bit(ownDirty) && half(n.appendPrefixed(nil)) != n.hash {
		panic(fmt.Sprintf("shamap: payload of node %X changed behind its header", n.hash))
	}
}
