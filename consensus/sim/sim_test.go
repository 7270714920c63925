package sim

import (
	"flag"
	"fmt"
	"testing"
	"time"
)

// seeds is how many seeds each scenario runs; -sim.seeds=1000 for a long search.
var seeds = flag.Int("sim.seeds", 3, "seeds for each scenario")

type scenario struct {
	name string
	set  func(o *Options)
	// live: the run must reach its ledgers.
	live bool
}

func scenarios() []scenario {
	return []scenario{
		{"healthy five", func(o *Options) { o.Ledgers = 60 }, true},
		{"one", func(o *Options) { o.Nodes, o.Ledgers = 1, 5 }, true},
		{"twenty", func(o *Options) { o.Nodes = 20 }, true},
		{"fifty", func(o *Options) { o.Nodes, o.Ledgers = 50, 8 }, true},
		{"differing open ledgers", func(o *Options) { o.TxMiss, o.TxEvery, o.Ledgers = 0.4, 50*time.Millisecond, 40 }, true},
		{"slow links", func(o *Options) { o.DelayMin, o.DelayMax = 300*time.Millisecond, 1200*time.Millisecond }, true},
		{"loss of a tenth", func(o *Options) { o.Loss, o.TxMiss = 0.1, 0.1 }, true},
		{"loss of a third", func(o *Options) { o.Loss, o.TxMiss, o.Ledgers = 0.33, 0.3, 10 }, true},
		{"loss of half, healed", func(o *Options) {
			o.Loss, o.LossUntil, o.TxMiss, o.Ledgers = 0.5, 10*time.Minute, 0.3, 60
		}, true},
		{"clocks five seconds apart", func(o *Options) { o.Skew = 5 * time.Second }, true},
		{"a slow validator", func(o *Options) { o.Slow, o.SlowBy = 1, 1500*time.Millisecond }, true},
		{"partition four and one", func(o *Options) {
			o.Cuts = []Cut{{From: 20 * time.Second, To: 80 * time.Second, Below: 1}}
			o.Ledgers = 40
		}, true},
		{"partition three and two", func(o *Options) {
			o.Cuts = []Cut{{From: 20 * time.Second, To: 90 * time.Second, Below: 2}}
			o.Ledgers = 40
		}, true},
		{"one restarted", func(o *Options) {
			o.Stops = []Stop{{Node: 2, From: 30 * time.Second, To: 70 * time.Second}}
			o.Ledgers = 40
		}, true},
		{"all restarted", func(o *Options) {
			for i := range 5 {
				o.Stops = append(o.Stops, Stop{Node: i, From: 30 * time.Second, To: time.Duration(40+2*i) * time.Second})
			}
			o.Ledgers = 30
		}, true},
		{"a liar among five", func(o *Options) { o.Liars, o.TxMiss = 1, 0.1 }, false},
		{"four liars among twenty", func(o *Options) { o.Nodes, o.Liars, o.Ledgers, o.TxMiss = 20, 4, 10, 0.1 }, false},
	}
}

func TestScenarios(t *testing.T) {
	rounds := 0
	for _, sc := range scenarios() {
		t.Run(sc.name, func(t *testing.T) {
			for seed := 1; seed <= *seeds; seed++ {
				rounds += play(t, sc, uint64(seed))
			}
		})
	}
	t.Logf("%d rounds", rounds)
}

func play(t *testing.T, sc scenario, seed uint64) (rounds int) {
	t.Helper()
	o := Default()
	o.Seed = seed
	sc.set(&o)
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	res := s.Run()
	for _, f := range res.Forks {
		t.Errorf("seed %d: fork: %s", seed, f)
	}
	if sc.live && res.Stuck {
		t.Errorf("seed %d: stuck at ledger %d after %s (%v)", seed, res.Validated, res.Time, res.Rounds)
	}
	if limit := o.Parms.AbandonConsensus + 2*o.Parms.Granularity; res.LongestRound > limit {
		t.Errorf("seed %d: a round of %s, longer than %s", seed, res.LongestRound, limit)
	}
	if seed == 1 {
		t.Log(summary(res))
	}
	for _, n := range res.Rounds {
		rounds += n
	}
	return rounds
}

func summary(r Result) string {
	return fmt.Sprintf("validated %d in %s, rounds %v, longest %s, disputes %d, step-outs %d, switches %d, messages %d, lost %d",
		r.Validated, r.Time.Round(time.Millisecond), r.Rounds, r.LongestRound, r.Disputes, r.StepOuts, r.Switches, r.Messages, r.Lost)
}

func TestSameSeedSameRun(t *testing.T) {
	for _, sc := range scenarios()[4:8] {
		var first [32]byte
		for i := range 2 {
			o := Default()
			sc.set(&o)
			o.Ledgers = 10
			s, err := New(o)
			if err != nil {
				t.Fatal(err)
			}
			d := s.Run().Digest
			if i == 0 {
				first = d
			} else if d != first {
				t.Errorf("%s: two runs of one seed differ", sc.name)
			}
		}
	}
}

func TestOptionsValidate(t *testing.T) {
	o := Default()
	o.Nodes, o.Loss, o.DelayMax = 0, 1, -1
	if _, err := New(o); err == nil {
		t.Fatal("bad options accepted")
	}
}
