package consensus

import (
	"testing"
	"time"
)

func testVals(trusted ...byte) *validations {
	p := DefaultParms()
	v := newValidations(&p, &Stats{})
	var nodes []NodeID
	for _, n := range trusted {
		nodes = append(nodes, NodeID{n})
	}
	v.setTrusted(nodes, 0, noLedger)
	return v
}

func noLedger(Hash) Ledger { return nil }

func known(names ...string) func(Hash) Ledger {
	return func(h Hash) Ledger {
		for _, n := range names {
			if nameID(n) == h {
				return led(n)
			}
		}
		return nil
	}
}

func val(node byte, name string, sign NetTime) Validation {
	return Validation{Node: NodeID{node}, LedgerID: nameID(name), Seq: uint32(len(name)), SignTime: sign, SeenAt: sign, Full: true}
}

func TestIsCurrent(t *testing.T) {
	v := testVals(1)
	const now NetTime = 100_000
	for _, tc := range []struct {
		sign, seen NetTime
		want       bool
	}{
		{now, 0, true},
		{now - 180, 0, false},
		{now - 179, 0, true}, // EARLY behind
		{now + 300, 0, false},
		{now + 299, 0, true}, // WALL ahead
		{now, now - 180, true},
		{now, now + 180, false},
		{now, now + 179, true}, // LOCAL
	} {
		if got := v.isCurrent(now, &Validation{SignTime: tc.sign, SeenAt: tc.seen}); got != tc.want {
			t.Errorf("signed %d, seen %d: %v", int64(tc.sign)-int64(now), int64(tc.seen)-int64(now), got)
		}
	}
}

func TestAddValidation(t *testing.T) {
	v := testVals(1, 2)
	const now NetTime = 100_000
	k := known("a", "ab", "ac", "abc", "abcd")
	for _, tc := range []struct {
		name string
		val  Validation
		want ValStatus
	}{
		{"first", val(1, "ab", now), ValCurrent},
		{"the same again", val(1, "ab", now), ValBadSeq},
		{"the same ledger, signed later", val(1, "ab", now+1), ValMultiple},
		{"another ledger at the sequence", val(1, "ac", now+1), ValConflicting},
		{"an earlier sequence", val(1, "a", now+2), ValBadSeq},
		{"a later sequence signed earlier", val(1, "abc", now-1), ValStale},
		{"the next", val(1, "abcd", now+3), ValCurrent},
		{"too old", val(2, "ab", now-181), ValStale},
		{"another node", val(2, "ab", now), ValCurrent},
	} {
		if got := v.add(now, tc.val, k); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
	if v.trie.TipSupport(led("abcd")) != 1 || v.trie.TipSupport(led("ab")) != 1 || v.trie.BranchSupport(led("a")) != 2 {
		t.Error("the trie does not show where the nodes are")
	}
	if n := v.trustedFor(nameID("ab")); n != 2 {
		t.Errorf("%d trusted for ab", n)
	}
	partial := val(2, "abc", now+1)
	partial.Full = false
	v.add(now, partial, k)
	if n := v.trustedFor(nameID("abc")); n != 1 { // node 1's, though signed out of order
		t.Errorf("%d for abc: a partial validation counts", n)
	}
}

func TestEnforcerForgets(t *testing.T) {
	v := testVals(1)
	now := NetTime(100_000)
	v.add(now, val(1, "abcd", now), noLedger)
	now += 600
	if s := v.add(now, val(1, "a", now), noLedger); s != ValBadSeq {
		t.Errorf("after 10 min: %s", s)
	}
	now++
	if s := v.add(now, val(1, "a", now), noLedger); s != ValCurrent {
		t.Errorf("after 10 min and a second: %s", s)
	}
}

func TestAcquiring(t *testing.T) {
	v := testVals(1, 2, 3)
	const now NetTime = 100_000
	curr := led("xy")
	v.add(now, val(1, "abcd", now), noLedger)
	v.add(now, val(2, "abcd", now), noLedger)
	v.add(now, val(3, "zzz", now), noLedger)
	if w := v.wanted(); len(w) != 2 || w[0].id != nameID("abcd") {
		t.Fatalf("wanted %v", w)
	}
	if seq, id, ok := v.preferred(curr, 0); !ok || seq != 4 || id != nameID("abcd") {
		t.Errorf("preferred %d %x", seq, id)
	}
	v.gotLedger(led("abcd"))
	if v.trie.TipSupport(led("abcd")) != 2 || len(v.wanted()) != 1 {
		t.Error("an acquired ledger does not count")
	}
	v.add(now, val(3, "abcd", now+1), known("abcd"))
	if len(v.wanted()) != 0 || v.trie.TipSupport(led("abcd")) != 3 {
		t.Error("a node that went on still wants its old ledger")
	}
}

func TestPreferredLedger(t *testing.T) {
	const now NetTime = 100_000
	for _, tc := range []struct {
		name string
		curr string
		tips []string
		want string
	}{
		{"where we are", "abc", []string{"abc", "abc"}, "abc"},
		{"we are its parent: about to build it", "abc", []string{"abcd", "abcd"}, "abc"},
		{"two ahead", "abc", []string{"abcde", "abcde"}, "abcde"},
		{"ahead on another branch", "abx", []string{"abcd", "abcd"}, "abcd"},
		{"behind us on our branch", "abcd", []string{"ab", "ab"}, "abcd"},
		{"behind us on another branch", "abcd", []string{"ax", "ax"}, "ax"},
		{"same sequence, other branch", "abc", []string{"abd", "abd"}, "abd"},
	} {
		v := testVals(1, 2)
		for i, name := range tc.tips {
			v.add(now, val(byte(i+1), name, now), known(name))
		}
		if _, id, ok := v.preferred(led(tc.curr), 0); !ok || id != nameID(tc.want) {
			t.Errorf("%s: %q, want %q", tc.name, nameOf(Tip{ID: id}), tc.want)
		}
	}
	v := testVals(1)
	if _, _, ok := v.preferred(led("abc"), 0); ok {
		t.Error("something is preferred though nothing is known")
	}
}

func TestPreferredLCLByPeers(t *testing.T) {
	c := New(Config{Parms: DefaultParms()})
	lcl := led("abc")
	now := Times{Network: 100_000}
	a, b := nameID("abd"), nameID("abe")
	for _, tc := range []struct {
		peers map[Hash]int
		want  Hash
	}{
		{nil, lcl.ID()},
		{map[Hash]int{a: 2, b: 1}, a},
		{map[Hash]int{a: 2, b: 2}, b}, // ties go to the larger hash
		{map[Hash]int{a: 0}, lcl.ID()},
	} {
		if got := c.PreferredLCL(now, lcl, tc.peers); got != tc.want {
			t.Errorf("%v: %x", tc.peers, got[:3])
		}
	}
}

func TestTrustChanges(t *testing.T) {
	v := testVals(1, 2)
	const now NetTime = 100_000
	for n := range byte(4) {
		v.add(now, val(n+1, "abc", now), known("abc"))
	}
	if v.trustedFor(nameID("abc")) != 2 || v.trie.TipSupport(led("abc")) != 2 {
		t.Fatal("untrusted nodes count")
	}
	v.setTrusted([]NodeID{{2}, {3}, {4}}, 0, known("abc"))
	if v.trustedFor(nameID("abc")) != 3 || v.trie.TipSupport(led("abc")) != 3 || v.quorum != 3 {
		t.Errorf("after the change: %d validations, %d tips, quorum %d", v.trustedFor(nameID("abc")), v.trie.TipSupport(led("abc")), v.quorum)
	}
}

func TestExpire(t *testing.T) {
	v := testVals(1, 2)
	now := NetTime(100_000)
	v.add(now, val(1, "abc", now), known("abc"))
	v.add(now, val(2, "xyz", now), noLedger)
	v.expire(now + 179)
	if len(v.current) != 2 {
		t.Error("dropped too early")
	}
	v.expire(now + 180)
	if len(v.current) != 0 || !v.trie.Empty() || len(v.acquiring) != 0 || len(v.last) != 0 {
		t.Errorf("still there: %v %v %v", v.current, v.acquiring, v.last)
	}
	v.expire(now + 601)
	if len(v.byLedger)+len(v.bySeq)+len(v.enforcers) != 0 {
		t.Error("validations by ledger are kept for ever")
	}
}

func TestLaggards(t *testing.T) {
	v := testVals(1, 2, 3, 4, 5)
	now := NetTime(100_000)
	v.add(now, val(1, "abc", now), noLedger)
	v.add(now, val(2, "ab", now), noLedger)
	v.add(now-20, val(3, "a", now-20), noLedger)
	if behind, offline := v.laggards(now, 3); behind != 1 || offline != 3 {
		t.Errorf("behind %d, offline %d", behind, offline)
	}
}

func TestMemoryIsBounded(t *testing.T) {
	p := DefaultParms()
	p.NodesMax = 8
	c := New(Config{Parms: p, Trusted: []NodeID{{1}, {2}}})
	now := Times{Network: 100_000}
	for i := range 5000 {
		now.Network++
		now.Steady += time.Second
		for n := range byte(20) {
			v := Validation{Node: NodeID{n}, Seq: uint32(i + 1), SignTime: now.Network, SeenAt: now.Network}
			v.LedgerID[0], v.LedgerID[1], v.LedgerID[2] = byte(i), byte(i>>8), n
			c.Step(now, GotValidation{v})
			c.Step(now, GotProposal{Proposal{Node: NodeID{n}, Seq: uint32(i), SeenAt: now.Network}})
		}
		c.Step(now, Tick{})
	}
	v := c.vals
	if len(v.current) > 8 || len(v.byLedger) > valLedgersMax || len(v.bySeq) > valLedgersMax || len(c.recent) > 2 || len(v.acquiring) > 2 {
		t.Errorf("current %d, by ledger %d, by seq %d, recent %d, acquiring %d",
			len(v.current), len(v.byLedger), len(v.bySeq), len(c.recent), len(v.acquiring))
	}
	if len(c.recent[NodeID{1}]) != p.RecentPositions {
		t.Errorf("%d positions kept", len(c.recent[NodeID{1}]))
	}
}
