package rcl

import (
	"context"
	"testing"
	"time"

	"ledgerlab/node/protocol"
)

func TestFiveValidate(t *testing.T) {
	inBubble(t, 5, func(net *fakeNet) {
		net.signed = true
		for _, n := range net.nodes {
			n.start()
		}
		defer net.traffic(0.2)()
		first := net.await(2, 30*time.Second)
		took := net.await(22, 5*time.Minute)
		t.Logf("first ledger after %s, then 20 in %s", first, took)
		n := net.nodes[0]
		if st := n.driver().Status(); st.Mode != ModeFull || st.Waiting != "" {
			t.Errorf("status %+v", st)
		}
		var acquired, disputes int
		for _, r := range n.rounds {
			disputes += r.Disputes
			acquired += r.SetsAcquired
			if r.Result != "yes" || r.Validated != "full" {
				t.Errorf("round %+v", r)
			}
			if sum := r.Open + r.Establish + r.Build + r.Accept; sum <= 0 || sum > 30*time.Second {
				t.Errorf("waterfall of ledger %d: %+v", r.Seq, r)
			}
		}
		t.Logf("disputes %d, sets acquired %d, counters %+v", disputes, acquired, n.driver().Counters())
		if disputes == 0 || acquired == 0 {
			t.Error("positions never differed: the test tests nothing")
		}
	})
}

func TestOneKilledAndRestarted(t *testing.T) {
	inBubble(t, 5, func(net *fakeNet) {
		for _, n := range net.nodes {
			n.start()
		}
		defer net.traffic(0.1)()
		net.await(6, 2*time.Minute)
		n := net.nodes[2]
		n.kill()
		before := net.nodes[0].chain().Validated().Sequence
		net.await(before+8, 2*time.Minute)
		n.start()
		behind := net.nodes[0].chain().Validated().Sequence - n.chain().Validated().Sequence
		took := net.await(net.nodes[0].chain().Validated().Sequence+1, 30*time.Second)
		t.Logf("%d ledgers behind, caught up in %s", behind, took)
		net.await(net.nodes[0].chain().Validated().Sequence+5, time.Minute)
		if st := n.driver().Status(); st.Mode != ModeFull || st.Counters.ValidationsFull == 0 {
			t.Errorf("the restarted node does not validate: %+v", st)
		}
	})
}

// TestAllRestarted is trial C03: all stop, all start in some order, one with an
// older ledger.
func TestAllRestarted(t *testing.T) {
	orders := [][]int{
		{0, 1, 2, 3, 4},
		{4, 3, 2, 1, 0},
		{2, 0, 4, 1, 3},
		{1, 4, 0, 3, 2},
		{3, 1, 2, 0, 4},
		{0, 2, 4, 3, 1},
		{4, 0, 1, 2, 3},
		{2, 3, 1, 4, 0},
		{1, 0, 3, 2, 4},
		{3, 4, 2, 1, 0},
	}
	pauses := []time.Duration{0, 700 * time.Millisecond, 4 * time.Second}
	if testing.Short() {
		orders = orders[:3]
	}
	for i, order := range orders {
		for _, pause := range pauses[i%3 : i%3+1] {
			inBubble(t, 5, func(net *fakeNet) {
				for _, n := range net.nodes {
					n.start()
				}
				defer net.traffic(0.1)()
				net.await(5, 2*time.Minute)
				old := net.nodes[i%5].disk.valid
				net.await(8, 2*time.Minute)
				time.Sleep(time.Duration(i) * 300 * time.Millisecond) // at another point of the round
				for _, n := range net.nodes {
					n.kill()
				}
				newest := uint32(0)
				for _, n := range net.nodes {
					newest = max(newest, n.disk.valid.Sequence)
				}
				net.nodes[i%5].disk.valid = old
				time.Sleep(time.Duration(i) * 20 * time.Second)
				for _, k := range order {
					net.nodes[k].start()
					time.Sleep(pause)
				}
				took := net.await(newest+1, 30*time.Second)
				net.await(newest+4, time.Minute)
				t.Logf("order %v, %s apart: validation resumed %s after the last start", order, pause, took)
			})
		}
	}
}

// TestLastValidatedSurvives: only one node has stored the newest validated ledger,
// and it comes back seven seconds after the others, which signed that ledger but
// stored it not.
func TestLastValidatedSurvives(t *testing.T) {
	inBubble(t, 5, func(net *fakeNet) {
		for _, n := range net.nodes {
			n.start()
		}
		net.await(4, 2*time.Minute)
		old := net.nodes[0].disk.valid
		net.await(old.Sequence+1, time.Minute)
		for _, n := range net.nodes {
			n.kill()
			if n.index != 3 {
				n.disk.valid = old
			}
		}
		last := net.nodes[3].disk.valid
		for i, n := range net.nodes {
			if i != 3 {
				n.start()
			}
		}
		time.Sleep(7 * time.Second)
		net.nodes[3].start()
		net.await(last.Sequence+3, 30*time.Second)
		for _, n := range net.nodes {
			if l := n.chain().Validated(); l.Ancestor(last.Sequence) != last.ID() {
				t.Errorf("n%d: ledger %d is lost", n.index, last.Sequence)
			}
		}
	})
}

func TestWaitsForQuorumAndSaysWhoIsMissing(t *testing.T) {
	inBubble(t, 5, func(net *fakeNet) {
		for _, n := range net.nodes[:3] {
			n.start()
		}
		time.Sleep(time.Minute)
		for _, n := range net.nodes[:3] {
			st := n.driver().Status()
			if want := "3 of 4 validators needed for quorum are connected; missing: n"; len(st.Waiting) < len(want) || st.Waiting[:len(want)] != want {
				t.Errorf("waiting %q", st.Waiting)
			}
			if st.ClosedSeq != 1 {
				t.Errorf("closed %d without a quorum", st.ClosedSeq)
			}
		}
		net.nodes[4].start()
		t.Logf("the fourth came, validated after %s", net.await(2, 30*time.Second))
	})
}

func TestSlowValidator(t *testing.T) {
	inBubble(t, 5, func(net *fakeNet) {
		for _, n := range net.nodes {
			n.start()
		}
		defer net.traffic(0)()
		net.await(4, 2*time.Minute)
		fast := net.await(net.nodes[0].chain().Validated().Sequence+10, 3*time.Minute)
		net.nodes[4].driver().SetDelay(1500 * time.Millisecond)
		slow := net.await(net.nodes[0].chain().Validated().Sequence+10, 3*time.Minute)
		t.Logf("ten ledgers in %s, with a slow validator %s", fast, slow)
	})
}

// TestSplitVotesEnd is trial C01: a third of the proposals is lost.
func TestSplitVotesEnd(t *testing.T) {
	if testing.Short() {
		t.Skip("ten minutes of virtual time under loss; not in -short")
	}
	inBubble(t, 5, func(net *fakeNet) {
		net.loss = 0.33
		for _, n := range net.nodes {
			n.start()
		}
		defer net.traffic(0.4)()
		net.await(12, 10*time.Minute)
		results := map[string]int{}
		longest := time.Duration(0)
		for _, n := range net.nodes {
			for _, r := range n.rounds {
				results[r.Result]++
				longest = max(longest, r.Establish)
			}
		}
		t.Logf("rounds %v, longest %s", results, longest)
		if longest > 2*time.Minute {
			t.Errorf("a round of %s", longest)
		}
	})
}

func TestPartition(t *testing.T) {
	inBubble(t, 5, func(net *fakeNet) {
		for _, n := range net.nodes {
			n.start()
		}
		defer net.traffic(0.1)()
		net.await(4, 2*time.Minute)
		net.mu.Lock()
		net.cut[net.nodes[0]], net.cut[net.nodes[1]] = true, true
		net.mu.Unlock()
		time.Sleep(time.Minute)
		if st := net.nodes[3].driver().Status(); st.Waiting == "" {
			t.Error("three of five do not say what they wait for")
		} else {
			t.Logf("in the partition: %s", st.Waiting)
		}
		stuck := net.nodes[3].chain().Validated().Sequence
		net.mu.Lock()
		clear(net.cut)
		net.mu.Unlock()
		t.Logf("healed after %s", net.await(stuck+3, 90*time.Second))
	})
}

// TestDivergence is trial C07: one node builds another ledger of the same set.
func TestDivergence(t *testing.T) {
	inBubble(t, 5, func(net *fakeNet) {
		var got []DivergenceInfo
		net.nodes[1].hooks.Divergence = func(i DivergenceInfo) { got = append(got, i) }
		for _, n := range net.nodes {
			n.start()
		}
		defer net.traffic(0)()
		net.await(5, 2*time.Minute)
		net.nodes[1].wrong.Store(true)
		net.await(net.nodes[0].chain().Validated().Sequence+6, 3*time.Minute)
		if len(got) != 1 {
			t.Fatalf("%d divergences", len(got))
		}
		if got[0].Part() != "state" {
			t.Errorf("differs in %s, want state: %+v", got[0].Part(), got[0])
		}
		if st := net.nodes[1].driver().Status(); st.Mode != ModeFull {
			t.Errorf("the node is not back: %+v", st)
		}
	})
}

func TestStandalone(t *testing.T) {
	inBubble(t, 1, func(net *fakeNet) {
		n := net.nodes[0]
		n.opts = func(o *Options) { o.Standalone = true }
		n.start()
		n.open().submit(makeTx(t, 1))
		for want := uint32(3); want < 8; want++ {
			seq, err := n.driver().LedgerAccept(context.Background())
			if err != nil || seq != want {
				t.Fatalf("open ledger %d, %v; want %d", seq, err, want)
			}
		}
		if v := n.chain().Validated().Sequence; v != 6 {
			t.Errorf("validated %d", v)
		}
		if n.rounds[0].Txs != 1 || !n.rounds[0].Simulated {
			t.Errorf("round %+v", n.rounds[0])
		}
	})
}

func TestNetworkOfOne(t *testing.T) {
	inBubble(t, 1, func(net *fakeNet) {
		n := net.nodes[0]
		n.opts = func(o *Options) { o.PeersMin = 0 }
		n.start()
		defer net.traffic(0)()
		t.Logf("3 ledgers in %s", net.await(4, 2*time.Minute))
	})
}

func TestBadMessages(t *testing.T) {
	inBubble(t, 2, func(net *fakeNet) {
		net.signed = true
		n := net.nodes[0]
		n.start()
		d := n.driver()
		d.Proposal(1, nil)
		d.Validation(1, []byte{1, 2, 3})
		p := protocol.Proposal{PublicKey: key(t, 1).Public, Signature: make([]byte, 70)}
		d.Proposal(1, p.AppendTo(nil))
		d.Proposal(1, p.AppendTo(nil))
		stranger := key(t, 9)
		q := protocol.Proposal{PublicKey: stranger.Public}
		q.Signature = stranger.SignDigest(q.SigningHash())
		d.Proposal(1, q.AppendTo(nil))
		c := d.Counters()
		if c.ProposalsBad != 2 || c.ProposalsDuplicate != 1 || c.ProposalsUntrusted != 1 || c.ValidationsBad != 1 {
			t.Errorf("%+v", c)
		}
	})
}
