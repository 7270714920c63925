package consensus

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// chainLedger is a ledger that knows its whole ancestry. Its name is a string like
// "abc": each prefix is an ancestor.
type chainLedger struct {
	name string
	low  uint32 // MinSeq
}

func led(name string) *chainLedger { return &chainLedger{name: name} }

func nameID(s string) (h Hash) {
	if s == "" {
		return h
	}
	copy(h[:], s)
	h[31] = byte(len(s))
	return h
}

func (l *chainLedger) ID() Hash                       { return nameID(l.name) }
func (l *chainLedger) Seq() uint32                    { return uint32(len(l.name)) }
func (l *chainLedger) ParentCloseTime() NetTime       { return 0 }
func (l *chainLedger) CloseTime() NetTime             { return 0 }
func (l *chainLedger) CloseResolution() time.Duration { return 10 * time.Second }
func (l *chainLedger) CloseAgree() bool               { return true }
func (l *chainLedger) MinSeq() uint32                 { return l.low }
func (l *chainLedger) Ancestor(seq uint32) Hash {
	if seq < l.low || seq > l.Seq() {
		return Hash{}
	}
	return nameID(l.name[:seq])
}

func TestMismatch(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		low  uint32
		want uint32
	}{
		{"abc", "abc", 0, 4},
		{"abc", "abcde", 0, 4},
		{"abc", "abd", 0, 3},
		{"abc", "xyz", 0, 1},
		{"", "abc", 0, 1},
		{"abcdef", "abcdef", 4, 7},
		{"abcdef", "abcdeg", 4, 6},
		{"abcdef", "abcxyz", 4, 1},
		{"abc", "abcdefgh", 5, 1},
	} {
		a, b := led(tc.a), &chainLedger{tc.b, tc.low}
		if got := Mismatch(a, b); got != tc.want {
			t.Errorf("%q, %q from %d: %d, want %d", tc.a, tc.b, tc.low, got, tc.want)
		}
		if got := Mismatch(b, a); got != tc.want {
			t.Errorf("%q, %q from %d, other way: %d, want %d", tc.a, tc.b, tc.low, got, tc.want)
		}
	}
}

// slowTrie recomputes everything from the list of tips.
type slowTrie struct{ tips []string }

func (s *slowTrie) tipSupport(name string) (n int) {
	for _, t := range s.tips {
		if t == name {
			n++
		}
	}
	return n
}

func (s *slowTrie) branchSupport(name string) (n int) {
	for _, t := range s.tips {
		if len(t) >= len(name) && t[:len(name)] == name {
			n++
		}
	}
	return n
}

func (s *slowTrie) uncommitted(seq, largest uint32) (n int) {
	for _, t := range s.tips {
		if uint32(len(t)) < max(seq, largest) {
			n++
		}
	}
	return n
}

// children lists the next ledgers of the branch, best first.
func (s *slowTrie) children(name string) (out []string) {
	for _, t := range s.tips {
		if len(t) > len(name) && t[:len(name)] == name && !slices.Contains(out, t[:len(name)+1]) {
			out = append(out, t[:len(name)+1])
		}
	}
	slices.SortFunc(out, func(a, b string) int {
		if x, y := s.branchSupport(a), s.branchSupport(b); x != y {
			return y - x
		}
		return -compareNames(a, b)
	})
	return out
}

func compareNames(a, b string) int {
	x, y := nameID(a), nameID(b)
	return bytes.Compare(x[:], y[:])
}

// margin of the best child over the second.
func (s *slowTrie) margin(kids []string) int {
	best := s.branchSupport(kids[0])
	if len(kids) == 1 {
		return best
	}
	m := best - s.branchSupport(kids[1])
	if compareNames(kids[0], kids[1]) > 0 {
		m++
	}
	return m
}

// preferred goes ledger by ledger. Where ancestries part or somebody stopped, the
// best child's margin must exceed the uncommitted support, if there is any; on a
// straight piece the support of the branch must.
func (s *slowTrie) preferred(largest uint32) string {
	cur := ""
	for {
		kids := s.children(cur)
		if len(kids) == 0 {
			return cur
		}
		unc := s.uncommitted(uint32(len(cur)+1), largest)
		if cur != "" && len(kids) == 1 && s.tipSupport(cur) == 0 {
			if s.branchSupport(cur) <= unc {
				return cur
			}
		} else if unc != 0 && s.margin(kids) <= unc {
			return cur
		}
		cur = kids[0]
	}
}

// settled goes down while the margin exceeds those that stopped on the way.
func (s *slowTrie) settled() string {
	cur, unc := "", 0
	for {
		unc += s.tipSupport(cur)
		kids := s.children(cur)
		if len(kids) == 0 {
			return cur
		}
		if len(kids) > 1 || s.tipSupport(cur) > 0 {
			if m := s.margin(kids); m <= unc && unc != 0 {
				return cur
			}
		}
		cur = kids[0]
	}
}

func nameOf(tip Tip) string {
	n := int(tip.ID[31])
	return string(tip.ID[:n])
}

func drawName(t *rapid.T) string {
	n := rapid.IntRange(1, 6).Draw(t, "len")
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('a' + rapid.IntRange(0, 1).Draw(t, "branch"))
	}
	return string(b)
}

// TestTrieAgainstSlow inserts and removes at random and compares supports, the
// invariants of the nodes, and the choices of Preferred and Settled.
func TestTrieAgainstSlow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tr, slow := NewLedgerTrie(), &slowTrie{}
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			name := drawName(t)
			if rapid.IntRange(0, 2).Draw(t, "op") > 0 {
				tr.Insert(led(name))
				slow.tips = append(slow.tips, name)
			} else {
				i := slices.Index(slow.tips, name)
				if got := tr.Remove(led(name)); got != (i >= 0) {
					t.Fatalf("remove %q: %v", name, got)
				}
				if i >= 0 {
					slow.tips = slices.Delete(slow.tips, i, i+1)
				}
			}
			checkNode(t, tr.root)
			probe := drawName(t)
			if got, want := tr.TipSupport(led(probe)), slow.tipSupport(probe); got != want {
				t.Fatalf("tip support of %q: %d, want %d; %v", probe, got, want, slow.tips)
			}
			if got, want := tr.BranchSupport(led(probe)), slow.branchSupport(probe); got != want {
				t.Fatalf("branch support of %q: %d, want %d; %v", probe, got, want, slow.tips)
			}
			tip, ok := tr.Settled()
			if ok != (len(slow.tips) > 0) {
				t.Fatalf("settled %v with %v", ok, slow.tips)
			}
			if ok && nameOf(tip) != slow.settled() {
				t.Fatalf("settled %q, want %q; %v", nameOf(tip), slow.settled(), slow.tips)
			}
			largest := uint32(rapid.IntRange(0, 7).Draw(t, "largest"))
			if tip, ok = tr.Preferred(largest); ok && nameOf(tip) != slow.preferred(largest) {
				t.Fatalf("preferred %q, want %q; %v, largest %d", nameOf(tip), slow.preferred(largest), slow.tips, largest)
			}
		}
	})
}

// checkNode asserts that support adds up, spans join, and nothing needless is kept.
func checkNode(t *rapid.T, n *trieNode) {
	sum := n.tip
	for _, c := range n.children {
		if c.parent != n || c.span.start != n.span.end {
			t.Fatalf("child [%d,%d) of [%d,%d)", c.span.start, c.span.end, n.span.start, n.span.end)
		}
		sum += c.branch
		checkNode(t, c)
	}
	if sum != n.branch {
		t.Fatalf("branch %d, sum %d", n.branch, sum)
	}
	if n.parent != nil && n.tip == 0 && len(n.children) < 2 {
		t.Fatalf("needless node [%d,%d)", n.span.start, n.span.end)
	}
}

// TestPreferred are the worked cases of the algorithm.
func TestPreferred(t *testing.T) {
	for _, tc := range []struct {
		name    string
		tips    []string
		largest uint32
		want    string
		settled string
	}{
		{"one", []string{"abc"}, 3, "abc", "abc"},
		{"straight, two behind", []string{"abc", "abcde", "abcde"}, 5, "abcde", "abcde"},
		{"straight, half behind", []string{"abc", "abc", "abcde", "abcde"}, 3, "abc", "abc"},
		{"tie, the larger id", []string{"aba", "abb"}, 3, "abb", "abb"},
		{"two against one", []string{"aba", "aba", "abb"}, 3, "aba", "aba"},
		{"margin does not exceed the uncommitted", []string{"ab", "abc", "abc", "abd"}, 3, "ab", "ab"},
		{"margin does", []string{"ab", "abc", "abc", "abc", "abd"}, 3, "abc", "abc"},
		{"this node is ahead: all else is uncommitted", []string{"aba", "abb", "abcccc"}, 6, "ab", "abc" + "ccc"},
		{"the largest branch though others are lower", []string{"aba", "aba", "abcccc"}, 6, "ab", "aba"},
	} {
		tr := NewLedgerTrie()
		for _, n := range tc.tips {
			tr.Insert(led(n))
		}
		if tip, _ := tr.Preferred(tc.largest); nameOf(tip) != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, nameOf(tip), tc.want)
		}
		if tip, _ := tr.Settled(); nameOf(tip) != tc.settled {
			t.Errorf("%s: settled %q, want %q", tc.name, nameOf(tip), tc.settled)
		}
	}
	if _, ok := NewLedgerTrie().Preferred(0); ok {
		t.Error("an empty trie prefers something")
	}
}

// TestTrieShortAncestry: ledgers that know only their last few ancestors.
func TestTrieShortAncestry(t *testing.T) {
	tr := NewLedgerTrie()
	a, b := &chainLedger{"aaaaaaaa", 5}, &chainLedger{"aaaaaaab", 5}
	tr.Insert(a)
	tr.Insert(a)
	tr.Insert(b)
	if tip, _ := tr.Preferred(8); tip.ID != a.ID() {
		t.Errorf("preferred %q", nameOf(tip))
	}
	for _, l := range []Ledger{a, b, a} {
		if !tr.Remove(l) {
			t.Fatal("a tip is not found again")
		}
	}
	if !tr.Empty() || len(tr.root.children) != 0 {
		t.Error("not empty")
	}
}
