package rotate

import (
	"errors"
	"os"
	"strings"
	"testing"

	"ledgerlab/store"
)

// TestS09DeletedAndCreatedAgain deletes keys right before a rotation and creates them again, with the same value, in a
// random step of it, a thousand times: they are always there afterwards, and the root from the store agrees.
func TestS09DeletedAndCreatedAgain(t *testing.T) {
	g := newRig(t, 9, nil)
	value := []byte("the same value each time it comes back")
	var keys, deleted []Hash
	for i := range 100 {
		k := half([]byte{9, byte(i)})
		keys = append(keys, k)
		g.check(g.state.Put(k, value))
		g.model[k] = value
	}
	times := 0
	g.onStep = func(string) {
		n := g.rng.IntN(len(deleted) + 1)
		for _, k := range deleted[:n] {
			g.check(g.state.Put(k, value))
			g.model[k] = value
			times++
		}
		deleted = deleted[n:]
		g.chain.close().Release()
	}
	for len(g.infos) == 0 || times < 1000 {
		for _, k := range keys {
			if _, ok := g.model[k]; ok {
				g.check(g.state.Delete(k))
				delete(g.model, k)
				deleted = append(deleted, k)
			}
		}
		info, _ := g.offer(t.Context(), g.chain.close(), true)
		if info.Result != Rotated {
			t.Fatalf("%+v", info)
		}
		g.fam.Clear()
		for seq := g.seq - 1; seq <= g.seq; seq++ {
			if err := g.verify(seq); err != nil {
				t.Fatalf("after %d times: %v", times, err)
			}
		}
	}
	g.state.Release()
	g.check(g.db.Close())
}

// TestS03OldestAdvances runs five intervals, 1,000 ledgers at an interval of 200 with LEDGERLAB_LONG: the oldest claimed ledger advances, about two
// intervals are kept, and the next rotation can be asked for at any time.
func TestS03OldestAdvances(t *testing.T) {
	interval := uint32(40)
	if os.Getenv("LEDGERLAB_LONG") != "" {
		interval = 200
	}
	g := newRig(t, 3, func(o *Options, _ *Deps) { o.OnlineDelete, o.History = interval, interval })
	for range 5 * interval {
		g.offer(t.Context(), g.chain.close(), false)
		s := g.r.Status()
		if s.Next <= g.seq || s.Next > g.seq+interval {
			t.Fatalf("at ledger %d the next rotation is %s", g.seq, g.r.NextAt())
		}
		if oldest := g.db.State().Oldest; g.seq > 2*interval+1 && (oldest == 0 || g.seq-oldest > 2*interval) {
			t.Fatalf("at ledger %d the oldest kept is %d", g.seq, oldest)
		}
	}
	if s := g.r.Status(); s.Rotations != 4 {
		t.Errorf("%+v", s)
	}
	g.state.Release()
	g.check(g.db.Close())
}

// TestAdvisoryDelete waits for can_delete, remembers it, and says so.
func TestAdvisoryDelete(t *testing.T) {
	g := newRig(t, 1, func(o *Options, _ *Deps) { o.Advisory = true })
	for range 12 {
		g.offer(t.Context(), g.chain.close(), false)
	}
	if s := g.r.Status(); s.Rotations != 1 || s.LastRotated != 9 {
		t.Fatalf("the first rotation needs no leave (last rotated 1, can_delete 0): %+v", s)
	}
	for range 12 {
		g.offer(t.Context(), g.chain.close(), false)
	}
	if s := g.r.Status(); s.Rotations != 1 || !strings.Contains(g.r.NextAt(), "can_delete, now 0, is at least 8") {
		t.Fatalf("without leave: %+v, %s", s, g.r.NextAt())
	}
	g.check(g.r.SetCanDelete(8))
	g.offer(t.Context(), g.chain.close(), false)
	if s := g.r.Status(); s.Rotations != 2 || g.db.State().CanDelete != 8 {
		t.Errorf("with leave: %+v, %+v", s, g.db.State())
	}
	g.state.Release()
	g.check(g.db.Close())
}

// TestRotationHealsWhatIsCorrupt damages a header, nodes of the history and cached keys right before a rotation: each is
// put right by what Heal gives, and without it the rotation fails and names one.
func TestRotationHealsWhatIsCorrupt(t *testing.T) {
	for _, healing := range []bool{true, false} {
		good := map[Hash][]byte{}
		var g *rig
		g = newRig(t, 4, func(_ *Options, d *Deps) {
			if healing {
				d.Heal = func(h Hash, _ error) error {
					b := store.NewBatch(0)
					b.PutObject(store.AccountNode, h, good[h])
					return g.db.Replace(b)
				}
			}
		})
		for range 20 {
			g.offer(t.Context(), g.chain.close(), false)
		}
		g.fam.Clear()
		spoil := func(h Hash) {
			b, _, err := g.db.Get(h, nil)
			g.check(err)
			good[h] = b
			wrong := append([]byte{}, b...)
			wrong[len(wrong)-1] ^= 1
			batch := store.NewBatch(0)
			batch.PutObject(store.AccountNode, h, wrong)
			g.check(g.db.Commit(batch))
		}
		oldest := g.db.State().LastRotated + 1
		spoil(g.past[oldest].hash)
		spoil(g.past[oldest].root)
		spoil(g.past[oldest].txRoot)
		info, _ := g.offer(t.Context(), g.chain.close(), true)
		switch {
		case healing && (info.Result != Rotated || info.Healed < 2):
			t.Errorf("%+v", info)
		case !healing && (info.Result != Failed || !errors.Is(info.Err, store.ErrCorrupt)):
			t.Errorf("without copies: %+v", info)
		}
		if healing {
			for seq := g.db.State().Oldest; seq <= g.seq; seq++ {
				if err := g.verify(seq); err != nil {
					t.Error(err)
				}
			}
		}
		g.state.Release()
		g.check(g.db.Close())
	}
}
