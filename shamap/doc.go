// Package shamap is the XRP Ledger's hash tree: a radix-16 Merkle tree over
// 256-bit keys whose versions share what they have in common.
//
// It holds account state, transactions, and transactions with metadata, and
// reproduces the ledger's hashes bit for bit. It knows nothing of ledgers,
// caches or stores: nodes come in through a Source and leave through a Sink,
// both declared here and implemented by whoever joins the parts.
//
// Ownership. A Map holds one counted reference on its root, an inner node one
// on every child it links. Nodes are immutable once hashed; a mutable Map
// modifies only nodes it made itself since its last snapshot and clones the
// rest. A Map that is not mutable may be read by any number of goroutines
// while others build children of it. Release ends a Map: what only it held is
// given back at once, and any later use answers ErrReleased.
//
// Errors. A node that is not there is ErrMissing, a node whose bytes do not
// hash to its name or do not parse is ErrCorrupt; both carry the hash.
//
// Units. Sizes are bytes, depths are nibbles from the root.
//
//	m := shamap.New(env, shamap.KindState)
//	defer m.Release()
//	_ = m.Put(key, data)
//	root, _ := m.Hash()
package shamap
