package node

import (
	"log/slog"
	"testing"
	"time"

	"ledgerlab/node/config"
	"ledgerlab/node/ledger"
)

// openState opens a prepared state as a node does, without the rest of a node.
func openState(t testing.TB, accounts int, set map[string]string) *Node {
	t.Helper()
	dir := t.TempDir()
	if _, err := MakeState(StateSpec{Dir: dir, NetworkID: 20100, Accounts: stateAccounts(accounts)}, time.Now); err != nil {
		t.Fatal(err)
	}
	if set == nil {
		set = map[string]string{}
	}
	set["heap.payload"] = heapForTests()
	reg, err := config.NewRegistry(set)
	if err != nil {
		t.Fatal(err)
	}
	cfg := config.Default()
	cfg.DataDir = dir
	log := slog.New(slog.DiscardHandler)
	st, err := openStorage(cfg, reg, log, time.Now, func(err error) { t.Error(err) })
	if err != nil {
		t.Fatal(err)
	}
	n := &Node{cfg: cfg, flags: reg, log: log, now: time.Now, store: st}
	for _, step := range []func() error{n.newJobs, n.newChain} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		n.chain.Close()
		if err := st.close(); err != nil {
			t.Error(err)
		}
	})
	return n
}

// TestWhatIsReadWithoutLinkingLeavesWithTheSweep: a walk over the whole state, as
// a rotation makes it, fills cache and payload heap; a sweep in which everything
// expires empties both again but for what the ledgers themselves hold.
func TestWhatIsReadWithoutLinkingLeavesWithTheSweep(t *testing.T) {
	n := openState(t, 5000, map[string]string{"cache.expire_all": "on"})
	l := n.chain.Validated()
	defer l.Release()
	before := n.store.heap.Stats().Total.LiveBytes
	nodes := 0
	if err := l.State().WalkNodes(func([32]byte, []byte) bool { nodes++; return true }); err != nil {
		t.Fatal(err)
	}
	full := n.store.heap.Stats().Total.LiveBytes
	if full-before < int64(nodes)*100 {
		t.Fatalf("a walk over %d nodes left %d bytes in the heap", nodes, full-before)
	}
	sweepAll(n)
	if after := n.store.heap.Stats().Total; after.LiveBytes > before {
		t.Errorf("%d bytes live before the walk, %d with everything read, %d after the sweep", before, full, after.LiveBytes)
	}
	if s := n.store.family.Tree().Stats(); s.Size > 64 {
		t.Errorf("the cache still has %d entries, %d strong", s.Size, s.Strong)
	}
}

func sweepAll(n *Node) {
	for range 2 { // parents first, then the children that only they held
		for _, s := range n.store.family.Sweepables() {
			s.Sweep(time.Now())
		}
		n.store.heap.Reclaim()
	}
}

// TestReadsLinkOnlyInTheNewestLedger: with tree.link=current, accounts read in an
// older ledger live in the cache alone and leave with the sweep; in the newest
// one they stay.
func TestReadsLinkOnlyInTheNewestLedger(t *testing.T) {
	for _, link := range []string{"current", "all", "none"} {
		t.Run(link, func(t *testing.T) {
			n := openState(t, 5000, map[string]string{"cache.expire_all": "on", "tree.link": link})
			old := n.chain.Validated()
			defer old.Release()
			readAll(t, old, 1000)
			sweepAll(n)
			held := n.store.heap.Stats().Total.Live
			if linked := link != "none"; linked != (held > 1000) {
				t.Errorf("newest ledger, link=%s: %d payloads held after the sweep", link, held)
			}
			old.State().SetLinking(false)
			readAll(t, old, 3000)
			sweepAll(n)
			more := n.store.heap.Stats().Total.Live - held
			if linked := link == "all"; linked != (more > 1000) {
				t.Errorf("older ledger, link=%s: %d more payloads held after the sweep", link, more)
			}
		})
	}
}

func readAll(t *testing.T, l *ledger.Ledger, accounts int) {
	t.Helper()
	for _, a := range stateAccounts(accounts) {
		root, err := ledger.ReadAccount(l, a.ID)
		if err != nil || root == nil {
			t.Fatalf("account %s: %v %v", a.ID, root, err)
		}
	}
}
