package cache

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

func TestSweepErasesSoleAndDemotesShared(t *testing.T) {
	each(t, Options{TargetAge: 10 * time.Second}, func(t *testing.T, c *Tagged[int, *value], clk *clock) {
		put(c, 1)
		held, _ := c.Canonicalize(2, newValue(2), ReplaceClient)
		clk.add(5 * time.Second)
		put(c, 3)
		clk.add(5 * time.Second) // 1 and 2 are exactly as old as the target: last_access <= cutoff
		s := c.Sweep(clk.now())
		if s.CacheRemovals != 2 || s.Dropped != 1 || s.Demoted != 1 || s.MapRemovals != 1 || s.SizeAfter != 2 || s.StrongAfter != 1 {
			t.Errorf("%+v", s)
		}
		if has(t, c, 1) || !has(t, c, 3) {
			t.Error("1 stayed or 3 went")
		}
		hits := c.Stats().Hits
		if !has(t, c, 2) { // weak and alive: strong again, but no hit
			t.Error("2 is held but was not found")
		}
		if s := c.Stats(); s.Hits != hits || s.Strong != 2 {
			t.Errorf("after a weak fetch: %+v", s)
		}
		held.Release()
		if !held.Alive() {
			t.Error("the cache has a strong entry but the value died")
		}
	})
}

func TestDeadWeakEntry(t *testing.T) {
	each(t, Options{TargetAge: time.Second}, func(t *testing.T, c *Tagged[int, *value], clk *clock) {
		a, _ := c.Canonicalize(1, newValue(1), ReplaceClient)
		b, _ := c.Canonicalize(2, newValue(2), ReplaceClient)
		d, _ := c.Canonicalize(3, newValue(3), ReplaceClient)
		clk.add(time.Minute)
		c.Sweep(clk.now())
		for _, v := range []*value{a, b, d} {
			v.Release()
		}
		if has(t, c, 1) { // fetch erases it
			t.Error("a dead value was fetched")
		}
		fresh := newValue(2)
		if v, existed := c.Canonicalize(2, fresh, ReplaceClient); existed || v != fresh {
			t.Error("a dead value won")
		}
		fresh.Release()
		s := c.Sweep(clk.now()) // and the sweep erases 3
		if s.WeakDead != 1 || s.SizeAfter != 1 {
			t.Errorf("%+v", s)
		}
	})
}

func TestCanonicalizeModes(t *testing.T) {
	for _, weak := range []bool{false, true} {
		for _, m := range []Mode{ReplaceClient, ReplaceCache} {
			c, clk := newTagged(Options{TargetAge: time.Second, Partitions: 1})
			old, _ := c.Canonicalize(1, newValue(1), ReplaceClient)
			if weak {
				clk.add(time.Minute)
				c.Sweep(clk.now())
			}
			mine := newValue(1)
			got, existed := c.Canonicalize(1, mine, m)
			if !existed {
				t.Errorf("weak %v mode %d: nothing was there", weak, m)
			}
			want, lost := old, mine
			if m == ReplaceCache {
				want, lost = mine, old
			}
			if got != want {
				t.Errorf("weak %v mode %d: the wrong value won", weak, m)
			}
			if m == ReplaceClient && lost.Alive() {
				t.Errorf("weak %v: the caller's reference on the loser was not given up", weak)
			}
			if n := want.refs.Load(); m == ReplaceCache && n != 2 { // cache, caller
				t.Errorf("weak %v mode %d: winner has %d references", weak, m, n)
			}
			if s := c.Stats(); s.Strong != 1 || s.Size != 1 {
				t.Errorf("weak %v mode %d: %+v", weak, m, s)
			}
			got.Release()
			old.Release() // the first caller's
			c.Clear()
			if old.Alive() || mine.Alive() {
				t.Errorf("weak %v mode %d: references left: %d, %d", weak, m, old.refs.Load(), mine.refs.Load())
			}
		}
	}
}

func TestEffectiveAge(t *testing.T) {
	cases := []struct {
		size, target int
		age, want    time.Duration
	}{
		{0, 0, time.Minute, time.Minute},
		{1000, 0, time.Minute, time.Minute},
		{100, 100, time.Minute, time.Minute},
		{200, 100, time.Minute, 30 * time.Second},
		{300, 100, time.Minute, 20 * time.Second},
		{1_000_000, 10, time.Minute, time.Second}, // never under a second
		{8_388_609, 8_388_608, 900 * time.Second, 900 * time.Second * 8_388_608 / 8_388_609},
		{200, 100, time.Second, time.Second},
	}
	for _, c := range cases {
		if got := effectiveAge(c.size, c.target, c.age); got != c.want {
			t.Errorf("effectiveAge(%d, %d, %v) = %v, want %v", c.size, c.target, c.age, got, c.want)
		}
	}
}

func TestWeakEntriesShortenAges(t *testing.T) {
	c, clk := newTagged(Options{TargetSize: 10, TargetAge: 20 * time.Second, Partitions: 2})
	var held []*value
	for k := range 20 {
		v, _ := c.Canonicalize(k, newValue(k), ReplaceClient)
		held = append(held, v)
	}
	clk.add(time.Minute)
	c.Sweep(clk.now()) // all weak now
	put(c, 100)
	clk.add(11 * time.Second)
	s := c.Sweep(clk.now())
	if s.EffectiveAge >= 10*time.Second || has(t, c, 100) {
		t.Errorf("21 entries, target 10: %+v", s)
	}
	for _, v := range held {
		v.Release()
	}
}

func TestExpireAll(t *testing.T) {
	c, clk := newTagged(Options{TargetAge: time.Hour, Partitions: 2})
	for k := range 10 {
		put(c, k)
	}
	c.SetExpireAll(true)
	if s := c.Sweep(clk.now()); s.SizeAfter != 0 || s.Dropped != 10 {
		t.Errorf("%+v", s)
	}
}

func TestDeleteAndWeaken(t *testing.T) {
	c, _ := newTagged(Options{TargetAge: time.Hour})
	v := put(c, 1)
	if !c.Delete(1) || v.Alive() || c.Delete(1) {
		t.Error("delete of a sole value")
	}
	held, _ := c.Canonicalize(2, newValue(2), ReplaceClient)
	if !c.Weaken(2) || c.Stats().Strong != 0 {
		t.Error("weaken of a held value")
	}
	held.Release()
	if c.Weaken(2) || c.Stats().Size != 0 {
		t.Error("weaken of a dead value keeps it")
	}
	put(c, 3)
	if c.Weaken(3) {
		t.Error("weaken of a sole value keeps it")
	}
}

// modelEntry is what rippled's TaggedCache would hold.
type modelEntry struct {
	v      *value
	strong bool
	last   time.Duration
}

// TestModel runs random operations against a plain map written after TaggedCache.ipp.
func TestModel(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for round := range uint64(200) {
		model(t, rand.New(rand.NewPCG(seed, round)))
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
}

type modelRun struct {
	t    *testing.T
	c    *Tagged[int, *value]
	clk  *clock
	m    map[int]*modelEntry
	held []*value
	o    Options
}

func model(t *testing.T, r *rand.Rand) {
	o := Options{
		Partitions: 1 + r.IntN(4), Lock: LockMode(r.IntN(2)), TargetSize: r.IntN(40),
		TargetAge: time.Duration(r.IntN(30)) * time.Second, SweepChunk: 1 + r.IntN(8),
	}
	x := &modelRun{t: t, m: make(map[int]*modelEntry), o: o}
	x.c, x.clk = newTagged(o)
	for range 300 {
		x.step(r, r.IntN(60))
		if t.Failed() {
			return
		}
	}
	for _, v := range x.held {
		v.Release()
	}
	x.c.Clear()
	if s := x.c.Stats(); s.Size != 0 || s.Strong != 0 {
		t.Errorf("after clear: %+v", s)
	}
}

func (x *modelRun) step(r *rand.Rand, k int) {
	now := x.clk.now().Sub(time.Unix(0, 0))
	e := x.m[k]
	switch r.IntN(8) {
	case 0, 1:
		x.fetch(r, k, e, now)
	case 2, 3:
		x.canonicalize(r, k, e, now)
	case 4:
		x.clk.add(time.Duration(r.IntN(4000)) * time.Millisecond)
	case 5:
		if len(x.held) > 0 {
			i := r.IntN(len(x.held))
			x.held[i].Release()
			x.held = slices.Delete(x.held, i, i+1)
		}
	case 6:
		if r.IntN(4) == 0 {
			x.sweep(now)
		}
	case 7:
		if r.IntN(4) == 0 && e != nil {
			if !x.c.Delete(k) {
				x.t.Errorf("delete %d: not there", k)
			}
			delete(x.m, k)
		}
	}
	x.compare()
}

func (x *modelRun) fetch(r *rand.Rand, k int, e *modelEntry, now time.Duration) {
	want := e != nil && e.v.Alive()
	v, ok := x.c.Fetch(k)
	if ok != want {
		x.t.Fatalf("fetch %d: %v, want %v", k, ok, want)
	}
	if !ok {
		delete(x.m, k)
		return
	}
	if v != e.v {
		x.t.Fatalf("fetch %d: another value", k)
	}
	e.strong, e.last = true, now
	x.keep(r, v)
}

func (x *modelRun) keep(r *rand.Rand, v *value) {
	if r.IntN(3) == 0 {
		x.held = append(x.held, v)
		return
	}
	v.Release()
}

func (x *modelRun) canonicalize(r *rand.Rand, k int, e *modelEntry, now time.Duration) {
	mode := Mode(r.IntN(2))
	mine := newValue(k)
	want := e != nil && e.v.Alive()
	v, existed := x.c.Canonicalize(k, mine, mode)
	if existed != want {
		x.t.Fatalf("canonicalize %d: existed %v, want %v", k, existed, want)
	}
	winner := mine
	if want && mode == ReplaceClient {
		winner = e.v
	}
	if v != winner {
		x.t.Fatalf("canonicalize %d: the wrong value won", k)
	}
	x.m[k] = &modelEntry{v: winner, strong: true, last: now}
	x.keep(r, v)
}

// sweep is xrpl-facts 3.3 written down plainly.
func (x *modelRun) sweep(now time.Duration) {
	cutoff := now - x.o.TargetAge
	if x.o.TargetSize != 0 && len(x.m) > x.o.TargetSize {
		cutoff = min(now-x.o.TargetAge*time.Duration(x.o.TargetSize)/time.Duration(len(x.m)), now-time.Second)
	}
	var want SweepStats
	for k, e := range x.m {
		switch {
		case !e.strong:
			if !e.v.Alive() {
				delete(x.m, k)
				want.MapRemovals++
				want.WeakDead++
			}
		case e.last <= cutoff:
			want.CacheRemovals++
			if e.v.refs.Load() == 1 {
				delete(x.m, k)
				want.MapRemovals++
				want.Dropped++
				break
			}
			e.strong = false
			want.Demoted++
		}
	}
	got := x.c.Sweep(x.clk.now())
	if got.CacheRemovals != want.CacheRemovals || got.MapRemovals != want.MapRemovals || got.Dropped != want.Dropped ||
		got.Demoted != want.Demoted || got.WeakDead != want.WeakDead {
		x.t.Errorf("sweep: %+v, want %+v", got, want)
	}
}

func (x *modelRun) compare() {
	s := x.c.Stats()
	strong := 0
	for _, e := range x.m {
		if e.strong {
			strong++
		}
	}
	if s.Size != len(x.m) || s.Strong != strong {
		x.t.Errorf("size %d, strong %d; want %d, %d", s.Size, s.Strong, len(x.m), strong)
	}
	keys := x.c.Keys(nil)
	slices.Sort(keys)
	if len(keys) != len(x.m) || len(slices.Compact(keys)) != len(x.m) {
		x.t.Errorf("%d keys, want %d", len(keys), len(x.m))
	}
}

// TestRace has writers, readers, a sweeper, a lister and a clearer at work; every value must end with no references.
func TestRace(t *testing.T) {
	for _, lock := range []LockMode{LockPartition, LockSingle} {
		c := NewTagged[int, *value](Options{
			Name: "race", Partitions: 3, Lock: lock, TargetSize: 100,
			TargetAge: time.Millisecond, SweepChunk: 16,
		}, intHash, time.Now)
		values := make([][]*value, 4)
		parallel(7, func(i int) {
			r := rand.New(rand.NewPCG(1, uint64(i)))
			for range 3000 {
				switch {
				case i < 4:
					v := newValue(i)
					values[i] = append(values[i], v)
					got, _ := c.Canonicalize(r.IntN(500), v, Mode(r.IntN(2)))
					got.Release()
					if v, ok := c.Fetch(r.IntN(500)); ok {
						v.Release()
					}
				case i == 4:
					c.Sweep(time.Now())
				case i == 5:
					c.Keys(nil)
				default:
					c.Weaken(r.IntN(500))
					if r.IntN(300) == 0 {
						c.Clear()
					}
				}
			}
		})
		c.Clear()
		if s := c.Stats(); s.Size != 0 || s.Strong != 0 {
			t.Errorf("%v: %+v", lock, s)
		}
		for _, vs := range values {
			for _, v := range vs {
				if v.Alive() {
					t.Fatalf("%v: a value still has %d references", lock, v.refs.Load())
				}
			}
		}
	}
}
