package node

import (
	"errors"
	"testing"

	"ledgerlab/node/ledger"
	"ledgerlab/shamap"
	"ledgerlab/store"
)

// damage overwrites every tenth node of a ledger's state with bytes of another hash, and some with bytes of no object,
// and returns how many.
func damage(t *testing.T, n *Node, l *ledger.Ledger) int {
	t.Helper()
	b := store.NewBatch(0)
	i := 0
	err := l.State().WalkNodes(func(h [32]byte, prefixed []byte) bool {
		switch i++; i % 20 {
		case 5:
			wrong := append([]byte{}, prefixed...)
			wrong[len(wrong)/2] ^= 1
			b.PutObject(store.AccountNode, h, wrong)
		case 15:
			b.Put(h, []byte{77})
		}
		return true
	})
	if err != nil || b.Len() == 0 {
		t.Fatalf("%d of %d nodes damaged: %v", b.Len(), i, err)
	}
	if err := n.store.db.Commit(b); err != nil {
		t.Fatal(err)
	}
	return b.Len()
}

// walkFromDisk reads a whole state with empty caches and returns its nodes and what was wrong.
func walkFromDisk(t *testing.T, n *Node, root [32]byte) (nodes int, err error) {
	t.Helper()
	n.store.family.Clear()
	m, err := shamap.Open(n.store.env, shamap.KindState, root)
	if err != nil {
		return 0, err
	}
	defer m.Release()
	err = m.WalkNodes(func([32]byte, []byte) bool { nodes++; return true })
	return nodes, err
}

// TestCorruptObjectsAreRepaired damages the store of one of five nodes: a read names and counts what is wrong, gets it
// from a peer and puts it right; what the store has afterwards is good.
func TestCorruptObjectsAreRepaired(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		g := ledger.DefaultGenesis()
		g.Accounts = stateAccounts(300)
		nodes := memoryNetworkOf(t, 5, g, nil)
		awaitValidated(t, nodes, 4)
		n := nodes[4].Node
		l := n.chain.Validated()
		bad := damage(t, n, l)
		root := l.Header().AccountHash
		l.Release()
		want, err := walkFromDisk(t, nodes[0].Node, root)
		if err != nil {
			t.Fatal(err)
		}
		got, err := walkFromDisk(t, n, root)
		if err != nil || got != want {
			t.Errorf("walked %d nodes, %v; want %d", got, err, want)
		}
		s := n.store.family.Stats()
		if s.Corrupt != uint64(bad) || s.Repaired != uint64(bad) {
			t.Errorf("%d corrupt, %d repaired; %d were damaged", s.Corrupt, s.Repaired, bad)
		}
		if got, err = walkFromDisk(t, n, root); err != nil || got != want || n.store.family.Stats().Corrupt != uint64(bad) {
			t.Errorf("second walk: %d nodes, %v, %+v", got, err, n.store.family.Stats())
		}
		for _, r := range nodes {
			r.end(t)
		}
	})
}

// TestCorruptObjectIsNamed: without peers the read fails and names the key.
func TestCorruptObjectIsNamed(t *testing.T) {
	n := openState(t, 500, nil)
	l := n.chain.Validated()
	defer l.Release()
	damage(t, n, l)
	_, err := walkFromDisk(t, n, l.Header().AccountHash)
	var corrupt shamap.ErrCorrupt
	if !errors.As(err, &corrupt) && !errors.Is(err, store.ErrCorrupt) {
		t.Fatalf("walk over a damaged store: %v", err)
	}
	if s := n.store.family.Stats(); s.Corrupt == 0 || s.Repaired != 0 {
		t.Errorf("%+v", s)
	}
	t.Log(err)
}
