package txq

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"

	"ledgerlab/node/protocol"
)

// The scripts: new [initial= per_account= max_bytes= queue_min=], submit account= seq= fee= ..., close [slow], fee,
// queue [account=], repeat n with submit.
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var b *bench
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "new" {
				b = newBench(t, 64, func(o *Options) {
					d.MaybeScanArgs(t, "initial", &o.Initial)
					d.MaybeScanArgs(t, "per_account", &o.PerAccount)
					d.MaybeScanArgs(t, "max_bytes", &o.MaxBytes)
					d.MaybeScanArgs(t, "queue_min", &o.QueueMin)
					d.MaybeScanArgs(t, "queue_ledgers", &o.QueueLedgers)
				})
				return ""
			}
			return b.command(t, d)
		})
	})
}

func (b *bench) command(t *testing.T, d *datadriven.TestData) string {
	switch d.Cmd {
	case "submit":
		var out strings.Builder
		for _, line := range strings.Split(d.Input, "\n") {
			out.WriteString(b.script(t, line))
		}
		return out.String()
	case "close":
		txs := b.close(d.HasArg("slow"))
		return fmt.Sprintf("ledger %d with %d transactions\n", b.closed.Sequence(), len(txs))
	case "fee":
		m := b.q.Metrics(b.open)
		return fmt.Sprintf("in ledger %d of %d, in queue %d of %d, levels: open %d, median %d, minimum %d; fees: open %d, median %d, minimum %d\n",
			m.InLedger, m.Expected, m.InQueue, m.QueueMax, m.OpenLedgerLevel, m.MedianLevel, m.MinimumLevel, m.OpenLedgerFee, m.MedianFee, m.MinimumFee)
	case "queue":
		var id int
		if !d.MaybeScanArgs(t, "account", &id) {
			return fmt.Sprintf("%d queued\n", b.q.Len())
		}
		var out strings.Builder
		queued, err := b.q.Account(accountID(id))
		b.must(err)
		for _, q := range queued {
			fmt.Fprintf(&out, "sequence %d, level %d, retries %d\n", q.Tx.Sequence(), q.Level, q.Retries)
		}
		return out.String()
	}
	return "unknown command " + d.Cmd
}

// script is one line: account first..last fee [last=n] [blocker] [drops=n] [memo=n] [prior].
func (b *bench) script(t *testing.T, line string) string {
	f := strings.Fields(line)
	var s txSpec
	var first, last uint32
	if n, err := fmt.Sscanf(f[0], "%d", &s.account); n != 1 {
		t.Fatalf("%q: %v", line, err)
	}
	if n, _ := fmt.Sscanf(f[1], "%d..%d", &first, &last); n == 1 {
		last = first
	}
	fmt.Sscanf(f[2], "%d", &s.fee)
	for _, o := range f[3:] {
		switch {
		case o == "blocker":
			s.blocker = true
		case o == "prior":
			s.priorTx = true
		case strings.HasPrefix(o, "last="):
			fmt.Sscanf(o, "last=%d", &s.last)
		case strings.HasPrefix(o, "drops="):
			fmt.Sscanf(o, "drops=%d", &s.drops)
		default:
			t.Fatalf("%q: what is %s?", line, o)
		}
	}
	counts := map[protocol.TER]int{}
	var order []protocol.TER
	for s.seq = first; s.seq <= last; s.seq++ {
		ter := b.submit(b.make(s))
		if counts[ter]++; counts[ter] == 1 {
			order = append(order, ter)
		}
	}
	b.q.check(t)
	var out []string
	for _, ter := range order {
		out = append(out, fmt.Sprintf("%d %s", counts[ter], ter))
	}
	return strings.Join(out, ", ") + "\n"
}

// The worked examples of rippled's FeeEscalation.md, as in cases/fees.
func TestWorkedExamples(t *testing.T) {
	m := Metric{Expected: 6, Multiplier: 128_000}
	for _, c := range []struct {
		in    int
		level Level
		drops protocol.Drops
	}{{5, 256, 10}, {6, 256, 10}, {7, 174_222, 6805}, {19, 1_283_555, 50_138}} {
		if got := m.Required(c.in); got != c.level || got.Drops(10) != c.drops {
			t.Errorf("%d in the ledger: level %d (%d drops), want %d (%d)", c.in, got, got.Drops(10), c.level, c.drops)
		}
	}
	if got := LevelOf(20, 10, 10); got != 512 {
		t.Errorf("fee 20 of 10: level %d", got)
	}
	if got := LevelOf(60, 40, 10); got != 384 {
		t.Errorf("fee 60, three signers: level %d", got)
	}
	if got := LevelOf(0, 0, 10); got != 256 {
		t.Errorf("free transaction: level %d", got)
	}
	dir := os.Getenv("LEDGERLAB_CASES")
	if dir == "" {
		t.Skip("LEDGERLAB_CASES is not set: the examples above were checked, the file was not")
	}
	raw, err := os.ReadFile(filepath.Join(dir, "fees", "fee_escalation.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Escalation []struct {
			Multiplier Level
			InLedger   int `json:"in_ledger"`
			Limit      int
			Level      float64
			Drops      float64 `json:"drops_for_reference_tx"`
		}
		Rules struct {
			BaseLevel  Level   `json:"base_level"`
			Multiplier Level   `json:"minimum_multiplier"`
			Growth     float64 `json:"healthy_growth_percent"`
			Cut        int     `json:"unhealthy_cut_percent"`
			Ledgers    int     `json:"queue_ledgers"`
			Min        int     `json:"queue_minimum"`
			PerAccount int     `json:"max_per_account"`
			Retries    int
			Replace    int    `json:"replace_fee_percent"`
			Buffer     uint32 `json:"last_ledger_buffer"`
		}
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	for i, c := range file.Escalation {
		got := Metric{Expected: c.Limit, Multiplier: c.Multiplier}.Required(c.InLedger)
		if got != Level(math.Floor(c.Level)) || got.Drops(10) != protocol.Drops(math.Floor(c.Drops)) {
			t.Errorf("example %d: got %d, %d drops", i, got, got.Drops(10))
		}
	}
	o, r := Default(), file.Rules
	if r.BaseLevel != BaseLevel || r.Multiplier != o.MinMultiplier || r.Growth != o.Growth*100 || r.Cut != o.SlowCutPct || r.Ledgers != o.QueueLedgers ||
		r.Min != o.QueueMin || r.PerAccount != o.PerAccount || r.Retries != retriesAllowed || r.Replace != o.RetryPct || r.Buffer != o.LastBuffer {
		t.Errorf("defaults %+v are not the rules %+v", o, r)
	}
	t.Logf("%d escalation examples and 10 rules agree", len(file.Escalation))
}

func TestSeries(t *testing.T) {
	m := Metric{Expected: 10, Multiplier: 128_000}
	want := uint64(0)
	for n := uint64(20); n < 25; n++ {
		want += n * n
	}
	if got, ok := m.Series(20, 5); !ok || got != Level(128_000*want/100) {
		t.Errorf("got %d, %v", got, ok)
	}
	if _, ok := m.Series(1<<21, 1); ok {
		t.Error("an overflow was not noticed")
	}
}

// From 32 to 7,600 in about 25 ledgers when each is a fifth over the expected size (the seed's growth).
func TestGrowth(t *testing.T) {
	l := newLearner(Default())
	ledgers := 0
	for l.metric.Expected < 7600 {
		l.learn(make([]Level, l.metric.Expected+1+l.metric.Expected/20), false)
		if ledgers++; ledgers > 40 {
			t.Fatalf("only %d after %d ledgers", l.metric.Expected, ledgers)
		}
	}
	t.Logf("7,600 after %d ledgers that were 5 %% over", ledgers)
	if l.learn(make([]Level, 7000), true); l.metric.Expected != 3500 {
		t.Errorf("after a slow ledger of 7,000: %d", l.metric.Expected)
	}
	if l.learn(nil, true); l.metric.Expected != 32 {
		t.Errorf("after a slow empty one: %d", l.metric.Expected)
	}
}

// Trial T04: 8 entries of each of 20 accounts behind a gap, then the gap is filled.
func TestGapThenRelease(t *testing.T) {
	b := newBench(t, 64, func(o *Options) { o.Initial = 5; o.Target = 0 })
	var held []*protocol.Transaction
	for a := range 20 {
		for s := uint32(3); s <= 10; s++ {
			x := b.make(txSpec{account: a, seq: s, fee: 10})
			if ter := b.submit(x); ter != protocol.TerPRE_SEQ {
				t.Fatalf("account %d sequence %d: %s", a, s, ter)
			}
			held = append(held, x) // the door holds them and brings them again at each close
		}
	}
	for a := range 20 {
		for s := uint32(1); s <= 2; s++ {
			if ter := b.submit(b.make(txSpec{account: a, seq: s, fee: 10})); !ter.IsTes() && ter != protocol.TerQUEUED {
				t.Fatalf("filling the gap: %s", ter)
			}
		}
	}
	done := 0
	for round := 0; done < 200; round++ {
		if round > 60 {
			t.Fatalf("%d validated after %d ledgers, %d queued", done, round, b.q.Len())
		}
		var again []*protocol.Transaction
		for _, x := range held {
			if ter := b.submit(x); !ter.IsTes() && ter != protocol.TerQUEUED && ter != protocol.TefPAST_SEQ {
				again = append(again, x)
			}
		}
		held = again
		next := map[protocol.AccountID]uint32{}
		for _, x := range b.close(false) {
			if last := next[x.Account()]; last != 0 && x.Sequence() != last+1 {
				t.Errorf("%s: %d after %d", x.Account(), x.Sequence(), last)
			}
			next[x.Account()] = x.Sequence()
			done++
		}
	}
	if b.q.Len() != 0 || len(held) != 0 {
		t.Errorf("left: %d queued, %d held", b.q.Len(), len(held))
	}
}

// Random traffic keeps both orders of the queue equal, and no account over its limit.
func TestQueueProperties(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := newBench(t, 12, func(o *Options) {
			o.Initial = 3
			o.Target = 0
			o.QueueMin = 12
			o.QueueLedgers = 2
			o.MaxBytes = 20_000
		})
		seq := make([]uint32, 10)
		for i := range seq {
			seq[i] = 1
		}
		for range rapid.IntRange(10, 120).Draw(rt, "steps") {
			if rapid.IntRange(0, 14).Draw(rt, "close") == 0 {
				b.close(rapid.Bool().Draw(rt, "slow"))
				continue
			}
			a := rapid.IntRange(0, 9).Draw(rt, "account")
			s := txSpec{account: a, seq: seq[a] + rapid.Uint32Range(0, 3).Draw(rt, "ahead") - min(seq[a]-1, rapid.Uint32Range(0, 2).Draw(rt, "back"))}
			s.fee = protocol.Drops(rapid.IntRange(9, 20_000).Draw(rt, "fee"))
			s.blocker = rapid.IntRange(0, 9).Draw(rt, "blocker") == 0
			if rapid.Bool().Draw(rt, "expires") {
				s.last = b.open.Header().Sequence + rapid.Uint32Range(0, 4).Draw(rt, "last")
			}
			ter := b.submit(b.make(s))
			if ter.IsTes() || ter == protocol.TerQUEUED {
				seq[a] = max(seq[a], s.seq+1)
			}
			b.q.check(t)
			if n := b.q.Waiting(accountID(a)); n > 11 {
				rt.Fatalf("account %d has %d queued", a, n)
			}
			if m := b.q.Metrics(b.open); m.QueueMax > 0 && m.InQueue > max(m.QueueMax, 12) && m.QueueBytes > 20_000 {
				rt.Fatalf("over the limits: %+v", m)
			}
		}
	})
}

func BenchmarkAcceptFull(b *testing.B) {
	n := newBench(b, 5000, func(o *Options) { o.Initial = 1; o.Target = 0; o.QueueMin = 1 << 20 })
	for i := range 2 {
		n.submit(n.make(txSpec{account: i, seq: 1, fee: 10}))
	}
	for a := 2; a < 5000; a++ {
		for s := range 10 {
			n.submit(n.make(txSpec{account: a, seq: uint32(s + 1), fee: 10}))
		}
	}
	b.ReportMetric(float64(n.q.Len()), "queued")
	for b.Loop() {
		n.q.mu.byFee.rekey(protocol.Hash{byte(b.N)})
	}
}
