package rotate

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// rig is a Rotator over a chain.
type rig struct {
	*chain
	r      *Rotator
	steps  []string
	trims  []string
	infos  []Info
	onStep func(step string)
}

func newRig(t *testing.T, seed uint64, change func(o *Options, d *Deps)) *rig {
	t.Helper()
	g := &rig{chain: newChain(t, seed)}
	o := Default()
	o.OnlineDelete, o.CheckEvery = 8, 50
	d := Deps{
		Store: g.db, CacheKeys: g.fam.Tree().Keys, Health: func(uint32) Health { return g.getHealth() },
		ClearCaches: func(uint32) { g.fam.FullBelowCache().Clear() },
		Trim:        func(reason string) { g.trims = append(g.trims, reason) },
		Step: func(step string) {
			g.steps = append(g.steps, step)
			if g.onStep != nil {
				g.onStep(step)
			}
		},
		Done: func(i Info) { g.infos = append(g.infos, i) },
		Now:  time.Now,
	}
	if change != nil {
		change(&o, &d)
	}
	var err error
	g.r, err = New(o, d)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// offer lets the Rotator look at the newest ledger, on this goroutine.
func (g *rig) offer(ctx context.Context, l *Ledger, manual bool) (Info, bool) {
	defer l.Release()
	return g.r.consider(ctx, l, manual)
}

// TestClaimedLedgersStayComplete runs many rotations while ledgers go on being closed in every step, and reads every
// claimed ledger from the store alone, also after a restart.
func TestClaimedLedgersStayComplete(t *testing.T) {
	for seed := range uint64(3) {
		g := newRig(t, seed, nil)
		g.onStep = func(step string) {
			if step == "copy" || step == "swap" || step == "freshen" {
				for range 1 + int(seed%2) {
					g.chain.close().Release()
				}
			}
		}
		for range 40 {
			info, rotated := g.offer(t.Context(), g.chain.close(), false)
			if rotated && (info.Result != Rotated || info.Err != nil || info.Nodes == 0) {
				t.Fatalf("seed %d: %+v", seed, info)
			}
			g.fam.Tree().Sweep(time.Now().Add(time.Minute))
		}
		if len(g.infos) < 5 {
			t.Fatalf("seed %d: %d rotations in %d ledgers", seed, len(g.infos), g.seq)
		}
		g.state.Release()
		g.check(g.db.Close())
		g.reopen()
		s := g.db.State()
		if s.Oldest == 0 || s.Oldest > g.seq-7 || s.Oldest+40 < g.seq {
			t.Errorf("seed %d: ledgers %d to %d are claimed", seed, s.Oldest, g.seq)
		}
		for seq := s.Oldest; seq <= g.seq; seq++ {
			if err := g.verify(seq); err != nil {
				t.Errorf("seed %d, claimed %d to %d: %v", seed, s.Oldest, g.seq, err)
			}
		}
		for seq := max(s.Oldest, 11) - 10; seq < s.Oldest; seq++ {
			if g.verify(seq) == nil && s.Oldest-seq > 12 {
				t.Errorf("seed %d: ledger %d is complete, though %d is the oldest claimed", seed, seq, s.Oldest)
			}
		}
		last := g.infos[len(g.infos)-1]
		t.Logf("seed %d: %d rotations, last %+v", seed, len(g.infos), last)
		g.check(g.db.Close())
	}
}

func TestStepsAndTrims(t *testing.T) {
	g := newRig(t, 1, nil)
	for range 9 {
		g.offer(t.Context(), g.chain.close(), false)
	}
	if got, want := strings.Join(g.steps, " "), "clear_prior copy history freshen swap clear rotate prune"; got != want {
		t.Errorf("steps %q, want %q", got, want)
	}
	if got := strings.Join(g.trims, " "); got != "rotate_clear rotate_delete" {
		t.Errorf("trims %q", got)
	}
	s := g.r.Status()
	if s.LastRotated != 9 || s.Next != 17 || s.Rotations != 1 || g.r.NextAt() != "at ledger 17" {
		t.Errorf("%+v, next %s", s, g.r.NextAt())
	}
}

func TestFreshenRescuesCachedNodes(t *testing.T) {
	for _, f := range []Freshen{FreshenKeys, FreshenNone} {
		g := newRig(t, 1, func(o *Options, _ *Deps) { o.Freshen = f })
		for range 30 {
			g.offer(t.Context(), g.chain.close(), false)
		}
		freshened := uint64(0)
		for _, i := range g.infos {
			freshened += i.Freshened
		}
		if (freshened > 0) != (f == FreshenKeys) {
			t.Errorf("%s: %d nodes freshened", f, freshened)
		}
	}
}

func TestOffsetAndManual(t *testing.T) {
	g := newRig(t, 1, func(o *Options, _ *Deps) { o.Offset = 3 })
	if g.r.NextAt() != "unknown: no validated ledger yet" {
		t.Error(g.r.NextAt())
	}
	g.offer(t.Context(), g.chain.close(), false)
	if s := g.r.Status(); s.Next != 1+3 {
		t.Errorf("%+v", s)
	}
	if info, rotated := g.offer(t.Context(), g.chain.close(), true); !rotated || info.Result != Rotated || !info.Manual {
		t.Errorf("manual: %v, %+v", rotated, info)
	}
	if s := g.r.Status(); s.Next != 2+8 {
		t.Errorf("after the first rotation: %+v", s)
	}
}

func TestOffsetComesFirst(t *testing.T) {
	g := newRig(t, 1, func(o *Options, _ *Deps) { o.Offset = 3 })
	var at []uint32
	for range 22 {
		l := g.chain.close()
		if _, rotated := g.offer(t.Context(), l, false); rotated {
			at = append(at, l.Seq)
		}
	}
	if want := []uint32{4, 12, 20}; !slices.Equal(at, want) {
		t.Errorf("rotated at %v, want %v", at, want)
	}
}

func TestOptionsRefuse(t *testing.T) {
	for _, c := range []struct {
		change func(o *Options)
		text   string
	}{
		{func(o *Options) { o.OnlineDelete = 7 }, "online_delete 7"},
		{func(o *Options) { o.OnlineDelete, o.History = 200, 300 }, "ledger_history 300 is above online_delete 200"},
		{func(o *Options) { o.CheckEvery = 0 }, "must be positive"},
		{func(o *Options) { o.MaxWaitingLedgers = 1 }, "max_waiting_ledgers 1"},
	} {
		o := Default()
		c.change(&o)
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%v, want %q", err, c.text)
		}
	}
	o := Default()
	o.OnlineDelete, o.History = 200, 200
	if err := o.Validate(); err != nil {
		t.Error(err)
	}
}

// TestS01UnhealthyNodePauses cuts the node off in the middle of a rotation for longer than the age limit, and in a second
// run makes a gap in its recent ledgers: it says why and since when, goes on by itself when the node is well again, and
// nothing is missing afterwards.
func TestS01UnhealthyNodePauses(t *testing.T) {
	for _, ill := range []struct {
		name    string
		change  func(h *Health)
		reasons []string
	}{
		{"cut off", func(h *Health) { h.Full, h.Mode, h.ValidatedAge = false, "connected", 90*time.Second }, []string{"connected", "1m30s old"}},
		{"gap", func(h *Health) { h.Missing = 2 }, []string{"2 ledgers below"}},
	} {
		t.Run(ill.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { pausesAndResumes(t, ill.change, ill.reasons) })
		})
	}
}

func pausesAndResumes(t *testing.T, illness func(h *Health), reasons []string) {
	g := newRig(t, 1, nil)
	var seen atomic.Pointer[Status]
	g.onStep = func(step string) {
		if step != "history" { // well() comes before each step, checked() within: here right before freshen
			return
		}
		g.setHealth(illness)
		go func() {
			time.Sleep(61 * time.Second)
			s := g.r.Status()
			seen.Store(&s)
			g.setHealth(func(h *Health) { *h = Health{Full: true, Mode: "full", ValidatedSeq: h.ValidatedSeq} })
		}()
	}
	for range 9 {
		g.offer(t.Context(), g.chain.close(), false)
	}
	s := seen.Load()
	if len(s.Reasons) != len(reasons) || s.PausedSince.IsZero() || s.StepSince.IsZero() || s.Step != "history" {
		t.Fatalf("while paused: %+v", s)
	}
	for i, want := range reasons {
		if !strings.Contains(s.Reasons[i], want) {
			t.Errorf("reason %q, want %q in it", s.Reasons[i], want)
		}
	}
	if s := g.r.Status(); len(s.Reasons) != 0 || !s.PausedSince.IsZero() || s.Rotations != 1 {
		t.Errorf("after: %+v", s)
	}
	if len(g.infos) != 1 || g.infos[0].Paused < time.Minute || g.infos[0].Pauses != 1 {
		t.Errorf("%+v", g.infos)
	}
	if err := g.verify(g.seq); err != nil {
		t.Error(err)
	}
}

func TestS01StopsWhilePaused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t, 1, nil)
		g.setHealth(func(h *Health) { h.Missing = 3 })
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- g.r.Run(ctx) }()
		asked := make(chan error, 1)
		go func() {
			_, err := g.r.Rotate(ctx)
			asked <- err
		}()
		synctest.Wait()
		g.r.Validated(g.chain.close())
		time.Sleep(time.Minute)
		if s := g.r.Status(); len(s.Reasons) != 1 || !strings.Contains(s.Reasons[0], "3 ledgers") {
			t.Errorf("%+v", s)
		}
		start := time.Now()
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if err := <-asked; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if d := time.Since(start); d > 0 {
			t.Errorf("stopping took %v", d)
		}
	})
}

func TestGivesUpWhenTheChainMovesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t, 1, nil)
		for range 8 {
			g.offer(t.Context(), g.chain.close(), false)
		}
		g.setHealth(func(h *Health) { h.Full, h.Mode = false, "syncing" })
		go func() {
			for range 20 {
				time.Sleep(3 * time.Second)
				g.setHealth(func(h *Health) { h.ValidatedSeq++ })
			}
		}()
		info, rotated := g.offer(t.Context(), g.chain.close(), false)
		if !rotated || info.Result != Expired || info.Err == nil {
			t.Errorf("%v, %+v", rotated, info)
		}
		if s := g.db.State(); s.Rotations != 0 {
			t.Errorf("%+v", s)
		}
		time.Sleep(time.Minute)
		g.setHealth(func(h *Health) { *h = Health{Full: true, ValidatedSeq: g.seq} })
		for range 4 {
			info, _ = g.offer(t.Context(), g.chain.close(), false)
		}
		if s := g.r.Status(); s.Rotations != 1 || s.Expired != 1 {
			t.Errorf("%+v; last %+v", s, info)
		}
	})
}
