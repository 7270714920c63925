package consensus

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
)

// scriptSet is a set of one-letter transactions, named by its letters.
type scriptSet string

func (s scriptSet) ID() Hash { return nameID("set " + string(s)) }
func (s scriptSet) Has(id Hash) bool {
	return strings.IndexByte(string(s), id[0]) >= 0
}

func (s scriptSet) With(id Hash) TxSet {
	b := append([]byte(s), id[0])
	slices.Sort(b)
	return scriptSet(b)
}

func (s scriptSet) Without(id Hash) TxSet {
	return scriptSet(strings.ReplaceAll(string(s), string(id[0]), ""))
}

func (s scriptSet) Diff(o TxSet, limit int) (only, theirs []Hash, ok bool) {
	for _, c := range []byte(s) {
		if !o.Has(Hash{c}) {
			only = append(only, Hash{c})
		}
	}
	for _, c := range []byte(o.(scriptSet)) {
		if !s.Has(Hash{c}) {
			theirs = append(theirs, Hash{c})
		}
	}
	return only, theirs, len(only)+len(theirs) <= limit
}

// scriptLedger is a chainLedger with close times.
type scriptLedger struct {
	*chainLedger
	parentClose, close NetTime
	res                time.Duration
	agree              bool
}

func (l *scriptLedger) ParentCloseTime() NetTime       { return l.parentClose }
func (l *scriptLedger) CloseTime() NetTime             { return l.close }
func (l *scriptLedger) CloseResolution() time.Duration { return l.res }
func (l *scriptLedger) CloseAgree() bool               { return l.agree }

// script is one core and what its file has named so far.
type script struct {
	core    *Core
	steady  time.Duration
	start   NetTime
	ledgers map[string]*scriptLedger
	accept  Accept
	names   map[Hash]string
}

// TestScripts plays testdata/*.txt. Times count from the start of a script;
// network time starts at 1000. Run with -rewrite to accept new outputs.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		s := &script{start: 1000, ledgers: map[string]*scriptLedger{}, names: map[Hash]string{{}: "none"}}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string { return s.run(t, d) })
	})
}

func (s *script) times() Times {
	return Times{Steady: s.steady, Network: s.start + NetTime(s.steady/time.Second)}
}

func (s *script) run(t *testing.T, d *datadriven.TestData) string {
	if d.HasArg("at") {
		var at string
		d.ScanArgs(t, "at", &at)
		v, err := time.ParseDuration(at)
		if err != nil || v < s.steady {
			t.Fatalf("%s: time %s", d.Pos, at)
		}
		s.steady = v
	}
	switch d.Cmd {
	case "new":
		return s.create(t, d)
	case "ledger":
		return s.ledger(t, d)
	case "state":
		return s.state()
	case "ticks":
		return s.ticks(t, d)
	}
	return s.step(s.input(t, d))
}

// create makes a core: self=1 trusted=5 (nodes 1 to 5).
func (s *script) create(t *testing.T, d *datadriven.TestData) string {
	self, trusted := 1, 5
	if d.HasArg("self") {
		d.ScanArgs(t, "self", &self)
	}
	if d.HasArg("trusted") {
		d.ScanArgs(t, "trusted", &trusted)
	}
	cfg := Config{Parms: DefaultParms(), Self: NodeID{byte(self)}}
	for i := range trusted {
		cfg.Trusted = append(cfg.Trusted, NodeID{byte(i + 1)})
	}
	s.core = New(cfg)
	return fmt.Sprintf("quorum %d", s.core.Quorum())
}

// ledger names a ledger by its ancestry: name=abc close=990 [parent-close=980]
// [res=30s] [disagree].
func (s *script) ledger(t *testing.T, d *datadriven.TestData) string {
	var name, res string
	l := &scriptLedger{res: 30 * time.Second, agree: !d.HasArg("disagree")}
	d.ScanArgs(t, "name", &name)
	for arg, to := range map[string]*NetTime{"close": &l.close, "parent-close": &l.parentClose} {
		if d.HasArg(arg) {
			var v int
			d.ScanArgs(t, arg, &v)
			*to = NetTime(v)
		}
	}
	if d.HasArg("res") {
		d.ScanArgs(t, "res", &res)
		l.res, _ = time.ParseDuration(res)
	}
	l.chainLedger = led(name)
	s.ledgers[name] = l
	for i := range len(name) + 1 {
		s.names[nameID(name[:i])] = name[:i]
	}
	return ""
}

func (s *script) input(t *testing.T, d *datadriven.TestData) Input {
	text := func(arg string) (v string) {
		if d.HasArg(arg) {
			d.ScanArgs(t, arg, &v)
		}
		return v
	}
	number := func(arg string) (v int) {
		if d.HasArg(arg) {
			d.ScanArgs(t, arg, &v)
		}
		return v
	}
	set := func() scriptSet {
		v := scriptSet(text("set"))
		s.names[v.ID()] = "{" + string(v) + "}"
		return v
	}
	switch d.Cmd {
	case "tick":
		return Tick{OpenTransactions: number("open")}
	case "start":
		want := text("want")
		if want == "" {
			want = text("ledger")
		}
		s.names[nameID(want)] = want
		return StartRound{LedgerID: nameID(want), Ledger: s.ledgers[text("ledger")], Propose: d.HasArg("propose"), Validating: true}
	case "closed":
		return OpenClosed{Set: set()}
	case "set":
		return GotTxSet{Set: set()}
	case "simulate":
		return Simulate{}
	case "proposal":
		seq := uint32(number("seq"))
		if d.HasArg("leave") {
			seq = SeqLeave
		}
		return GotProposal{Proposal{
			Node: NodeID{byte(number("node"))}, PrevLedger: nameID(text("prev")), Position: set().ID(), Seq: seq,
			CloseTime: NetTime(number("close")), SeenAt: s.times().Network,
		}}
	case "validation":
		name := text("ledger")
		s.names[nameID(name)] = name
		return GotValidation{Validation{
			Node: NodeID{byte(number("node"))}, LedgerID: nameID(name), Seq: uint32(len(name)), SignTime: s.times().Network,
			SeenAt: s.times().Network, Full: !d.HasArg("partial"),
		}}
	case "got":
		return GotLedger{s.ledgers[text("ledger")]}
	case "built":
		return Built{Ledger: s.ledgers[text("ledger")], Compatible: !d.HasArg("incompatible")}
	case "validated":
		return SetValidated{Seq: uint32(number("seq"))}
	}
	t.Fatalf("%s: unknown command %s", d.Pos, d.Cmd)
	return nil
}

// ticks gives heartbeats until something other than silence or n: n=10 open=1.
func (s *script) ticks(t *testing.T, d *datadriven.TestData) string {
	var n, open int
	d.ScanArgs(t, "n", &n)
	if d.HasArg("open") {
		d.ScanArgs(t, "open", &open)
	}
	var b strings.Builder
	for range n {
		s.steady += time.Second
		if out := s.step(Tick{OpenTransactions: open}); out != "-" {
			fmt.Fprintf(&b, "%s: %s\n", s.steady, strings.ReplaceAll(out, "\n", "\n  "))
		}
	}
	if b.Len() == 0 {
		return "-"
	}
	return b.String()
}

func (s *script) step(in Input) string {
	var lines []string
	for _, e := range s.core.Step(s.times(), in) {
		lines = append(lines, s.describe(e))
		if a, ok := e.(Accept); ok {
			s.accept = a
		}
	}
	if len(lines) == 0 {
		return "-"
	}
	return strings.Join(lines, "\n")
}

func (s *script) name(h Hash) string {
	if n, ok := s.names[h]; ok {
		return n
	}
	return strings.TrimRight(string(h[:12]), "\x00")
}

func (s *script) describe(e Effect) string {
	switch e := e.(type) {
	case CloseOpen:
		return fmt.Sprintf("close open ledger on %s at %d", s.name(e.Parent.ID()), e.CloseTime)
	case ShareTxSet:
		s.names[e.Set.ID()] = "{" + string(e.Set.(scriptSet)) + "}"
		return "share set " + s.name(e.Set.ID())
	case ShareTx:
		return "share transaction " + string(e.ID[:1])
	case Propose:
		return "propose " + s.proposal(e.Proposal)
	case RelayProposal:
		return fmt.Sprintf("relay node %d: %s", e.Proposal.Node[0], s.proposal(e.Proposal))
	case AcquireTxSet:
		return "acquire set " + s.name(e.ID)
	case AcquireLedger:
		return fmt.Sprintf("acquire ledger %s (%s)", s.name(e.ID), [...]string{"preferred", "validated"}[e.Reason])
	case Accept:
		var ds []string
		for _, d := range e.Disputes {
			ds = append(ds, fmt.Sprintf("%c %d/%d %v", d.ID[0], d.Yays, d.Nays, d.OurVote))
		}
		return fmt.Sprintf("accept %s on %s: %s, close %d correct %v res %s, proposers %d, establish %s, %s%s", s.name(e.Set.ID()),
			s.name(e.Parent.ID()), e.State, e.CloseTime, e.CloseTimeCorrect, e.Resolution, e.Timing.Proposers, e.Timing.Establish,
			e.Mode, strings.Join(append([]string{""}, ds...), "; dispute "))
	case SignValidation:
		return fmt.Sprintf("validate %s full %v", s.name(e.Ledger.ID()), e.Full)
	case Quorum:
		return fmt.Sprintf("quorum for %s: %d", s.name(e.LedgerID), e.Count)
	case ModeChange:
		return fmt.Sprintf("mode %s -> %s (%s)", e.From, e.To, e.Reason)
	case PhaseChange:
		return fmt.Sprintf("phase %s -> %s", e.From, e.To)
	case ViewChange:
		return fmt.Sprintf("view %s -> %s", s.name(e.From), s.name(e.To))
	}
	return fmt.Sprintf("%T", e)
}

func (s *script) proposal(p Proposal) string {
	seq := fmt.Sprint(p.Seq)
	if p.BowOut() {
		seq = "leave"
	}
	return fmt.Sprintf("%s on %s seq %s close %d", s.name(p.Position), s.name(p.PrevLedger), seq, p.CloseTime)
}

// state prints what consensus_info would.
func (s *script) state() string {
	in := s.core.Info(true)
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s on %s, proposers %d (before %d), previous round %s, converge %d %%, close time agreed %v\n", in.Phase, in.Mode,
		s.name(in.PrevLedger), in.Proposers, in.PrevProposers, in.PrevRoundTime, in.ConvergePct, in.HaveCloseTime)
	if in.Position != nil {
		fmt.Fprintf(&b, "ours: %s\n", s.proposal(*in.Position))
	}
	for _, p := range in.Peers {
		fmt.Fprintf(&b, "node %d: %s\n", p.Node[0], s.proposal(p))
	}
	for _, d := range in.Disputes {
		fmt.Fprintf(&b, "dispute %c: %d yes %d no, ours %v\n", d.ID[0], d.Yays, d.Nays, d.OurVote)
	}
	for _, t := range slices.Sorted(maps.Keys(in.CloseTimes)) {
		fmt.Fprintf(&b, "close time %d: %d\n", t, in.CloseTimes[t])
	}
	for _, n := range in.DeadNodes {
		fmt.Fprintf(&b, "dead: node %d\n", n[0])
	}
	return b.String()
}
