package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc/test/bufconn"

	"ledgerlab/api"
	"ledgerlab/node/config"
	"ledgerlab/node/crypto"
	"ledgerlab/node/ledger"
	"ledgerlab/node/peer"
	"ledgerlab/node/protocol"
)

// testKey is the node key of node i.
func testKey(t *testing.T, i int) (seed string, pair *crypto.KeyPair) {
	t.Helper()
	s := crypto.SeedFromPassphrase(fmt.Sprintf("test node %d", i))
	pair, err := crypto.GenerateNodeKey(s)
	if err != nil {
		t.Fatal(err)
	}
	return s.Encode(crypto.Secp256k1), pair
}

func loopback(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// running is a node under test with the backend its control plane has.
type running struct {
	*Node
	backend
	cancel context.CancelFunc
	done   chan error
}

func startNode(t *testing.T, o Options) *running {
	t.Helper()
	if testing.Verbose() && os.Getenv("LEDGERLAB_LOG") != "" {
		o.Log = slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	if o.Control == nil {
		o.Control = loopback(t)
	}
	n, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r := &running{Node: n, backend: backend{n}, cancel: cancel, done: make(chan error, 1)}
	go func() { r.done <- n.Run(ctx) }()
	t.Cleanup(func() { r.end(t) })
	return r
}

// end stops the node; payload memory must be counted back to zero.
func (r *running) end(t *testing.T) {
	t.Helper()
	if r.cancel == nil {
		return
	}
	r.cancel()
	r.cancel = nil
	if err := <-r.done; err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("run %s: %v", r.cfg.Name, err)
	}
	if err := r.Node.Close(); err != nil {
		t.Errorf("close %s: %v", r.cfg.Name, err)
	}
}

func testConfig(t *testing.T, i int) config.Config {
	c := config.Default()
	c.Name = fmt.Sprintf("n%d", i)
	c.NodeKey, _ = testKey(t, i)
	c.Listen.Control = "127.0.0.1:0"
	c.Listen.Peer = "127.0.0.1:0"
	c.Record.File = "-"
	c.Flags = map[string]string{"store.backend": "memory", "trim.trigger": "none", "heap.payload": heapForTests()}
	return c
}

func masterKey(t *testing.T) *crypto.KeyPair {
	t.Helper()
	k, err := crypto.GenerateAccountKey(crypto.SeedFromPassphrase("masterpassphrase"), crypto.Secp256k1)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// payment signs a payment for a test network.
func payment(t *testing.T, from *crypto.KeyPair, to protocol.AccountID, seq uint32, drops uint64, network uint32) []byte {
	t.Helper()
	o := &protocol.Object{}
	o.SetUint16(protocol.FieldTransactionType, uint16(protocol.TxPayment))
	o.SetUint32(protocol.FieldFlags, 0)
	o.SetUint32(protocol.FieldSequence, seq)
	if network > 1024 {
		o.SetUint32(protocol.FieldNetworkID, network)
	}
	o.SetAmount(protocol.FieldAmount, protocol.XRP(protocol.Drops(drops)))
	o.SetAmount(protocol.FieldFee, protocol.XRP(10))
	o.SetAccountID(protocol.FieldAccount, from.AccountID())
	o.SetAccountID(protocol.FieldDestination, to)
	tx, err := crypto.SignTransaction(from, o)
	if err != nil {
		t.Fatal(err)
	}
	return tx.Blob()
}

func submit(t *testing.T, r *running, blob []byte) api.SubmitResult {
	t.Helper()
	wait, err := r.Submit(t.Context(), [][]byte{blob}, api.SubmitWait, false)
	if err != nil {
		t.Fatal(err)
	}
	res, err := wait()
	if err != nil {
		t.Fatal(err)
	}
	return res[0]
}

func TestStandaloneNodeClosesLedgers(t *testing.T) {
	c := testConfig(t, 0)
	c.Standalone = true
	r := startNode(t, Options{Config: c})
	var to protocol.AccountID
	to[19] = 7
	res := submit(t, r, payment(t, masterKey(t), to, 1, 1_000_000_000, c.NetworkID))
	if !res.Applied || res.Token != "tesSUCCESS" {
		t.Fatalf("submit: %+v", res)
	}
	seq, hash, err := r.Accept(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if seq != 2 || hash == [32]byte{} {
		t.Fatalf("accept: %d %X", seq, hash)
	}
	acct, err := r.Account(t.Context(), to.String(), api.LedgerRef{})
	if err != nil {
		t.Fatal(err)
	}
	if acct.Balance != 1_000_000_000 || !acct.Validated {
		t.Fatalf("account: %+v", acct)
	}
}

// memoryNetwork starts n nodes on a memory transport, each trusting all.
func memoryNetwork(t *testing.T, n int, change func(i int, c *config.Config)) []*running {
	t.Helper()
	return memoryNetworkOf(t, n, ledger.GenesisOptions{}, change)
}

// memoryNetworkOf starts it on a first ledger of its own.
func memoryNetworkOf(t *testing.T, n int, g ledger.GenesisOptions, change func(i int, c *config.Config)) []*running {
	t.Helper()
	net := peer.NewMemoryNetwork()
	var pubs []string
	for i := range n {
		_, k := testKey(t, i)
		pubs = append(pubs, protocol.EncodeNodePublic(k.Public))
	}
	var nodes []*running
	for i := range n {
		c := testConfig(t, i)
		c.Validators = pubs
		for j, p := range pubs {
			if j != i {
				c.Peers = append(c.Peers, config.Peer{Name: fmt.Sprintf("n%d", j), Address: fmt.Sprintf("127.0.0.1:%d", 9000+j), PublicKey: p})
			}
		}
		if change != nil {
			change(i, &c)
		}
		_, k := testKey(t, i)
		nodes = append(nodes, startNode(t, Options{
			Config: c, Genesis: g, Control: bufconn.Listen(1 << 16), Transport: net.Transport(peer.Key(k.Public)),
		}))
	}
	return nodes
}

// awaitValidated waits until every node has validated seq and returns the hashes.
func awaitValidated(t *testing.T, nodes []*running, seq uint32) [][32]byte {
	t.Helper()
	var out [][32]byte
	for _, r := range nodes {
		seen := make(chan struct{}, 1)
		cancel := r.WatchLedgers(func(api.ValidatedLedger) {
			select {
			case seen <- struct{}{}:
			default:
			}
		})
		for {
			got, err := r.Ledger(t.Context(), api.LedgerRef{Seq: seq}, false)
			if err == nil {
				out = append(out, got.Header.Hash)
				break
			}
			select {
			case <-seen:
			case <-time.After(30 * time.Second):
				i, _ := r.Info(t.Context())
				t.Fatalf("%s: ledger %d is not there: %v; %+v; waiting: %s", r.cfg.Name, seq, err, i, r.driver.Status().Waiting)
			}
		}
		cancel()
	}
	return out
}

// inVirtualTime runs fn in a bubble whose clock jumps when everything waits.
func inVirtualTime(t *testing.T, fn func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(20 * 365 * 24 * time.Hour) // network time 0 has a meaning of its own
		fn(t)
	})
}

func TestFiveNodesAgree(t *testing.T) { inVirtualTime(t, fiveNodesAgree) }

func fiveNodesAgree(t *testing.T) {
	nodes := memoryNetwork(t, 5, nil)
	awaitValidated(t, nodes, 2)
	var to protocol.AccountID
	to[19] = 9
	res := submit(t, nodes[3], payment(t, masterKey(t), to, 1, 500_000_000, 20100))
	if !res.Applied {
		t.Fatalf("submit: %+v", res)
	}
	i, _ := nodes[0].Info(t.Context())
	hashes := awaitValidated(t, nodes, i.ValidatedSeq+3)
	for k, h := range hashes {
		if h != hashes[0] {
			t.Errorf("n%d has %X, n0 %X", k, h, hashes[0])
		}
	}
	for _, r := range nodes {
		a, err := r.Account(t.Context(), to.String(), api.LedgerRef{})
		if err != nil || a.Balance != 500_000_000 {
			t.Errorf("%s: %+v %v", r.cfg.Name, a, err)
		}
		r.end(t)
	}
}

// awaitPeers waits until every node of a network is connected to every other.
func awaitPeers(t *testing.T, nodes []*running) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		up := 0
		for _, r := range nodes {
			i, err := r.Info(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			up += len(i.Peers)
		}
		if up == len(nodes)*(len(nodes)-1) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d sessions after 30 s", up)
		}
	}
}

// cut disturbs every link of node i, both ways; the zero fault heals it.
func cut(t *testing.T, nodes []*running, i int, f peer.Fault) {
	t.Helper()
	for _, p := range nodes[i].overlay.Peers() {
		if err := nodes[i].overlay.SetFault(p.ID, f, f); err != nil {
			t.Fatal(err)
		}
	}
}

// TestCutOffNodeComesBack: the other four go on, and the fifth catches up by
// itself to the same ledgers.
func TestCutOffNodeComesBack(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		nodes := memoryNetwork(t, 5, nil)
		awaitValidated(t, nodes, 3)
		cut(t, nodes, 4, peer.Fault{Cut: true})
		k := masterKey(t)
		for seq := uint32(1); seq <= 30; seq++ {
			submit(t, nodes[0], payment(t, k, protocol.AccountID{byte(seq)}, seq, 300_000_000, 20100))
			time.Sleep(2 * time.Second)
		}
		four := nodes[0].chain.ValidatedSeq()
		awaitValidated(t, nodes[:4], four+1)
		if behind := nodes[4].chain.ValidatedSeq(); behind >= four {
			t.Fatalf("the node that was cut off validated %d, the others %d", behind, four)
		}
		cut(t, nodes, 4, peer.Fault{})
		hashes := awaitValidated(t, nodes, four+4)
		for i, h := range hashes {
			if h != hashes[0] {
				t.Errorf("n%d has %X, n0 %X", i, h, hashes[0])
			}
		}
		for _, r := range nodes {
			a, err := r.Account(t.Context(), protocol.AccountID{30}.String(), api.LedgerRef{})
			if err != nil || a.Balance != 300_000_000 {
				t.Errorf("%s: %+v %v", r.cfg.Name, a, err)
			}
			r.end(t)
		}
	})
}

// TestSlowValidatorIsWaitedFor: ledgers go on when one validator answers late.
func TestSlowValidatorIsWaitedFor(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		nodes := memoryNetwork(t, 5, func(i int, c *config.Config) {
			if i == 2 {
				c.Flags["consensus.delay"] = "700ms"
			}
		})
		hashes := awaitValidated(t, nodes, 6)
		for i, h := range hashes {
			if h != hashes[0] {
				t.Errorf("n%d has %X, n0 %X", i, h, hashes[0])
			}
		}
		for _, r := range nodes {
			r.end(t)
		}
	})
}
