package node

import (
	"crypto/sha256"
	"testing"
	"time"

	"ledgerlab/node/config"
	"ledgerlab/node/ledger"
	"ledgerlab/node/memory"
	"ledgerlab/node/record"
)

// recorded gives the records of some kinds that a node holds, oldest first.
func recorded(t *testing.T, n *Node, kinds ...string) []*record.Record {
	t.Helper()
	want := map[string]struct{}{}
	for _, k := range kinds {
		want[k] = struct{}{}
	}
	var out []*record.Record
	err := n.records.Stream(t.Context(), record.StreamOptions{FromStart: true, Kinds: want}, func(r *record.Record, _ record.Token, lost uint64) error {
		if lost > 0 {
			t.Errorf("%d records lost", lost)
		}
		out = append(out, r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestTrialM01 sweeps ten times in an arm that trims and in one that does not, with everything expiring. The arm that
// trims makes one trim a sweep, between the two sheets of that sweep and before the sweep's own record; the other makes
// none; both take the same sheets. That no cache is locked meanwhile: TestTrialM01 of node/sweep.
func TestTrialM01(t *testing.T) {
	method := "malloc"
	if memory.Detect().Allocator == memory.NoCgo {
		method = "go"
	}
	for _, trigger := range []string{"sweep", "none"} {
		t.Run(trigger, func(t *testing.T) {
			c := testConfig(t, 0)
			c.Standalone = true
			c.Flags["trim.trigger"], c.Flags["trim.method"], c.Flags["cache.expire_all"] = trigger, method, "on"
			c.Flags["memory.sheet_interval"], c.Flags["cache.sweep_interval"] = "0s", "1h"
			r := startNode(t, Options{Config: c})
			const sweeps = 10
			for range sweeps {
				if _, err := r.Sweep(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			var kinds []string
			for _, rec := range recorded(t, r.Node, "sweep", "trim", "sheet") {
				kinds = append(kinds, record.KindOf(rec))
				checkTrialM01(t, rec, uint64(len(kinds)-1), trigger)
			}
			each := 4
			if trigger == "none" {
				each = 3
			}
			if len(kinds) != sweeps*each {
				t.Errorf("%d records of %d sweeps: %v", len(kinds), sweeps, kinds)
			}
		})
	}
}

// checkTrialM01 checks the i-th record of sheet, trim (if it trims), sheet, sweep, sheet, ...
func checkTrialM01(t *testing.T, r *record.Record, i uint64, trigger string) {
	t.Helper()
	order := []string{"sheet", "trim", "sheet", "sweep"}
	if trigger == "none" {
		order = []string{"sheet", "sheet", "sweep"}
	}
	n := uint64(len(order))
	if got := record.KindOf(r); got != order[i%n] {
		t.Fatalf("record %d is a %s, want %v over and over", i, got, order)
	}
	number := i/n + 1
	if x := r.GetTrim(); x != nil {
		if x.GetTrigger() != "sweep" || x.GetSkipped() != "" || x.GetSweep() != number || x.GetNumber() != number ||
			x.GetRssBeforeBytes() <= 0 || x.GetRssAfterBytes() <= 0 || x.GetDurationNs() <= 0 {
			t.Errorf("trim of sweep %d: %v", number, x)
		}
	}
	if x := r.GetSheet(); x != nil {
		moment := beforeTrim
		if i%n != 0 {
			moment = afterTrim
		}
		sum := int64(0)
		for _, b := range x.GetLines() {
			sum += b
		}
		if x.GetMoment() != moment || x.GetSweep() != number || sum != x.GetRssBytes() || x.GetDurationNs() <= 0 {
			t.Errorf("sheet of sweep %d: %v", number, x)
		}
	}
	if x := r.GetSweep(); x != nil && x.GetNumber() != number {
		t.Errorf("sweep %d is number %d", number, x.GetNumber())
	}
}

// TestSheetsAreBounded: sheets keep their distance whatever the interval of sweeps, and end when they are switched off.
func TestSheetsAreBounded(t *testing.T) {
	var turn sheetTurn
	reg, err := config.NewRegistry(nil)
	if err != nil {
		t.Fatal(err)
	}
	at, taken := time.Unix(0, 0), 0
	for range 100 { // sweeps 3 s apart
		if turn.due(true, reg.Duration("memory.sheet_interval"), at) {
			taken++
		}
		at = at.Add(3e9)
	}
	if taken != 10 {
		t.Errorf("%d pairs of sheets in 300 s, want one in 30 s", taken)
	}
	if turn.due(false, 0, at) {
		t.Error("a sheet although they are off")
	}
}

// TestEveryLineIsAMetric: no line of the sheet folds into the series of unknown names.
func TestEveryLineIsAMetric(t *testing.T) {
	c := testConfig(t, 0)
	c.Standalone = true
	for _, kind := range []string{heapForTests(), "go"} {
		c.Flags["heap.payload"] = kind
		r := startNode(t, Options{Config: c})
		if _, err := r.Memory(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		families, err := r.metrics.Gatherer().Gather()
		if err != nil {
			t.Fatal(err)
		}
		series := 0
		for _, f := range families {
			for _, m := range f.GetMetric() {
				for _, l := range m.GetLabel() {
					if l.GetName() != "line" {
						continue
					}
					series++
					if l.GetValue() == "other" {
						t.Errorf("%s has a line that its metric does not know", f.GetName())
					}
				}
			}
		}
		if series < 20 {
			t.Errorf("%d series of lines", series)
		}
		r.end(t)
	}
}

// TestTrialM04 reads a whole state by paging and sweeps three times. Where reads link (tree.link=all), the figures name
// the validated ledger's tree as the holder of what stays; where they do not, nothing stays. Root and bytes read again
// are the same in all.
func TestTrialM04(t *testing.T) {
	accounts := 20_000
	if testing.Short() {
		accounts = 2000
	}
	for _, link := range []string{"all", "current", "none"} {
		t.Run(link, func(t *testing.T) {
			n := openState(t, accounts, map[string]string{"tree.link": link, "cache.expire_all": "on"})
			l := n.chain.Validated()
			defer l.Release()
			root, err := l.State().Hash()
			if err != nil {
				t.Fatal(err)
			}
			before := pageState(t, l)
			for range 3 {
				sweepAll(n)
			}
			lines, err := n.holders()
			if err != nil {
				t.Fatal(err)
			}
			held := map[string]int64{}
			for _, x := range lines {
				held[x.Name] = x.Bytes
			}
			validated, other := held[memory.BesideTreeValidated], held[memory.BesideTreeElsewhere]
			least := int64(accounts) * 100 // a leaf is larger
			t.Logf("%d accounts: the validated ledger holds %d bytes of tree, others %d", accounts, validated, other)
			if link == "all" && (validated < least || other > validated/20) {
				t.Errorf("the validated ledger is not named: it holds %d, others %d", validated, other)
			}
			if link != "all" && validated+other > least/10 {
				t.Errorf("%d and %d bytes stay although nothing was linked", validated, other)
			}
			if again, err := l.State().Hash(); err != nil || again != root {
				t.Errorf("the root was %X, is %X: %v", root, again, err)
			}
			if after := pageState(t, l); after != before {
				t.Error("a later read gives other bytes")
			}
		})
	}
}

// pageState reads a whole state in pages of 256 and gives a hash over keys and bytes.
func pageState(t *testing.T, l *ledger.Ledger) (sum [32]byte) {
	t.Helper()
	h := sha256.New()
	var from [32]byte
	for more := true; more; {
		more = false
		n := 0
		err := l.State().Walk(from, func(key [32]byte, data []byte) bool {
			if n++; n > 256 {
				from, more = key, true
				return false
			}
			h.Write(key[:])
			h.Write(data)
			return true
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return [32]byte(h.Sum(nil))
}
