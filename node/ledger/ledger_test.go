package ledger

import (
	"testing"

	"ledgerlab/node/protocol"
	"ledgerlab/shamap"
	"ledgerlab/shamap/payload"
)

func testEnv(t testing.TB) *shamap.Env {
	t.Helper()
	h, err := payload.NewHeap("go")
	if err != nil {
		t.Fatal(err)
	}
	return &shamap.Env{Heap: h}
}

func mustGenesis(t testing.TB, o GenesisOptions) *Ledger {
	t.Helper()
	l, err := Genesis(testEnv(t), o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestGenesisGoldens(t *testing.T) {
	plain := DefaultGenesis()
	plain.FeeForm = FeesAbsent
	old := plain
	old.Resolution = 30
	legacy := DefaultGenesis()
	legacy.FeeForm = FeesLegacy
	for _, c := range []struct {
		name        string
		o           GenesisOptions
		state, hash string
	}{
		{"historical", old, "A21ED30C04C88046FC61DB9DC19375EEDBD365FD8C17286F27127DF804E9CAA6", "AB868A6CFEEC779C2FF845C0AF00A642259986AF40C01976A7F842B6918936C7"},
		{"account only", plain, "A21ED30C04C88046FC61DB9DC19375EEDBD365FD8C17286F27127DF804E9CAA6", "E9BB323980D202EC7E51BAB2AA8E35353F9C7BDAB59BF17378EADD4D0486EF9F"},
		{"legacy fees", legacy, "EC2F822EDFBC6F2F4DE5AA7C8AFF128F27DB2C194315FD727445A4967DAFD018", "B06F8E90DF67B6A383E692A12963425B0E5FA6FBF0704370C137FCE71D88A2D8"},
		{"drops fees", DefaultGenesis(), "86BF42F56018B421B9AC1B483F461210393C60AAEDFD18815D722ABA348B85E6", "0B8C32EB7FACD26482A9D861ACF5E78CD4F455A5D72E888B9FE5A0C541286A22"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := mustGenesis(t, c.o)
			defer l.Release()
			if got := l.Header().AccountHash.String(); got != c.state {
				t.Errorf("state root %s, want %s", got, c.state)
			}
			if got := l.Hash().String(); got != c.hash {
				t.Errorf("hash %s, want %s", got, c.hash)
			}
			if l.Fees() != DefaultFees() {
				t.Errorf("fees %+v", l.Fees())
			}
		})
	}
}

func TestGenesisAccounts(t *testing.T) {
	o := DefaultGenesis()
	o.Amendments = LabAmendments()
	for i := range 1000 {
		id := protocol.AccountID{1, byte(i >> 8), byte(i)}
		o.Accounts = append(o.Accounts, GenesisAccount{ID: id, Balance: protocol.Drops(i + 1)})
	}
	l := mustGenesis(t, o)
	defer l.Release()
	var sum protocol.Drops
	n := 0
	err := l.State().Walk([32]byte{}, func(_ [32]byte, data []byte) bool {
		e, err := protocol.ParseEntry(data)
		if err != nil {
			t.Fatal(err)
		}
		if a, ok := e.(*protocol.AccountRoot); ok {
			sum += a.Balance
			n++
		}
		return true
	})
	if err != nil || n != 1001 || sum != TotalDrops {
		t.Errorf("%d accounts hold %d drops, %v", n, sum, err)
	}
	if !l.Rules().DeletableAccounts || !l.Rules().Enabled(Amendment("XRPFees")) || l.Rules().Enabled(Amendment("Flow")) {
		t.Error("amendments are not those given")
	}
}

func TestGenesisOptionsFaults(t *testing.T) {
	id := protocol.AccountID{1}
	for name, change := range map[string]func(*GenesisOptions){
		"drops":      func(o *GenesisOptions) { o.Drops = TotalDrops + 1 },
		"resolution": func(o *GenesisOptions) { o.Resolution = 0 },
		"fee form":   func(o *GenesisOptions) { o.FeeForm = 9 },
		"balance":    func(o *GenesisOptions) { o.Accounts = []GenesisAccount{{id, 0}} },
		"too much":   func(o *GenesisOptions) { o.Accounts = []GenesisAccount{{id, TotalDrops}, {id, 1}} },
	} {
		o := DefaultGenesis()
		change(&o)
		if o.Validate() == nil {
			t.Errorf("%s: not refused", name)
		}
	}
}

// chain builds n empty ledgers on l and returns the last.
func emptyChain(t *testing.T, l *Ledger, n int) *Ledger {
	t.Helper()
	var b Builder
	for range n {
		v := NewBuildView(l, 0)
		next, err := b.Build(v, Close{Time: l.Header().CloseTime + 1, Agreed: true})
		v.Release()
		l.Release()
		if err != nil {
			t.Fatal(err)
		}
		l = next
	}
	return l
}

func TestSkipLists(t *testing.T) {
	l := mustGenesis(t, DefaultGenesis())
	want := map[uint32]protocol.Hash{1: l.Hash()}
	for l.Sequence() < 600 {
		l = emptyChain(t, l, 1)
		want[l.Sequence()] = l.Hash()
	}
	defer l.Release()
	for seq, h := range want {
		got, ok, err := l.HashOf(seq)
		if err != nil {
			t.Fatal(err)
		}
		reach := seq+256 >= 600 || seq%256 == 0
		if ok != reach || ok && got != h {
			t.Errorf("ledger %d: found %v, want %v; %s", seq, ok, reach, got)
		}
	}
	a, err := l.Ancestors()
	if err != nil || len(a) != 256 || a[255] != want[599] || a[0] != want[344] {
		t.Errorf("%d ancestors, %v", len(a), err)
	}
	if _, ok, _ := l.HashOf(601); ok {
		t.Error("a later ledger was found")
	}
}

func TestResolutionFollowsAgreement(t *testing.T) {
	l := mustGenesis(t, DefaultGenesis())
	var b Builder
	v := NewBuildView(l, 0)
	bad, err := b.Build(v, Close{Time: 1, Agreed: false})
	if err != nil {
		t.Fatal(err)
	}
	v.Release()
	l.Release()
	defer bad.Release()
	if bad.Header().CloseTimeResolution != 10 || bad.Header().CloseFlags != 1 || bad.CloseAgreed() {
		t.Errorf("header %+v", bad.Header())
	}
	if got := bad.NextResolution(); got != 20 {
		t.Errorf("next resolution %d, want 20", got)
	}
}

func TestCountedLifetime(t *testing.T) {
	env := testEnv(t)
	l, err := Genesis(env, DefaultGenesis())
	if err != nil {
		t.Fatal(err)
	}
	v := NewOpenView(l)
	c := v.Clone()
	l.Release()
	if l.Users() != 2 {
		t.Fatalf("%d users, want the two views", l.Users())
	}
	if !v.Acquire() {
		t.Fatal("view cannot be acquired")
	}
	v.Release()
	v.Release()
	if v.Acquire() {
		t.Fatal("view was acquired after its end")
	}
	c.Release()
	if l.Acquire() {
		t.Fatal("ledger was acquired after its end")
	}
	if err := env.Heap.Close(); err != nil {
		t.Errorf("payload is left after the last release: %v", err)
	}
}
