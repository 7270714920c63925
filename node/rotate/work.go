package rotate

import (
	"context"
	"crypto/sha512"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"ledgerlab/store"
)

// work is one rotation: the steps of SHAMapStoreImp::run from 4 on.
type work struct {
	r    *Rotator
	ctx  context.Context
	l    *Ledger
	info Info
}

// errHash is an object whose bytes do not belong to its hash.
var errHash = errors.New("its bytes hash to another value")

func half(b []byte) Hash {
	s := sha512.Sum512(b)
	return Hash(s[:32])
}

// errEnd ends a walk whose result is already set.
var errEnd = errors.New("rotate: end")

func (w *work) run() {
	r := w.r
	r.d.TakeHoldMax()
	r.d.Store.SetInFlight(true)
	w.info.DiskBefore = disk(r.d.Store.Stats())
	w.info.Result = Rotated
	w.steps()
	r.d.Store.SetInFlight(false)
	w.info.DiskAfter = disk(r.d.Store.Stats())
	w.info.Duration = r.d.Now().Sub(w.info.Start)
	w.info.LockHoldMax = r.d.TakeHoldMax()
	info := w.info
	r.publish(func(s *Status) {
		s.Step, s.StepSince, s.Last = "", time.Time{}, &info
		switch info.Result {
		case Rotated:
			s.Rotations++
			s.LastRotated = info.Seq
		case Expired:
			s.Expired++
		case Failed:
			s.Failed++
		}
	})
	if r.d.Done != nil {
		r.d.Done(info)
	}
}

func disk(s store.Stats) uint64 { return s.Writable.DiskBytes + s.Archive.DiskBytes }

// steps runs until one of them does not answer to go on.
func (w *work) steps() {
	w.info.Oldest = w.info.LastRotated + 1
	steps := []struct {
		name string
		bulk bool
		took *time.Duration
		fn   func()
	}{
		{"clear_prior", false, &w.info.ClearPrior, w.clearPrior},
		{"copy", true, &w.info.Copy, w.copyState},
		{"history", true, &w.info.HistoryCopy, w.copyHistory},
		{"freshen", true, &w.info.FreshenTime, w.freshen},
		{"swap", false, &w.info.Swap, w.swap},
	}
	for _, s := range steps {
		if !w.well() {
			return
		}
		w.begin(s.name)
		start := w.r.d.Now()
		for again := true; again; again = w.heal() {
			if s.bulk {
				w.r.d.Bulk("rotate."+s.name, s.fn)
			} else {
				s.fn()
			}
		}
		*s.took = w.r.d.Now().Sub(start) - w.info.Prune // which has its own line
		if w.info.Result != Rotated {
			return
		}
	}
}

// healMax bounds the objects that one rotation puts right.
const healMax = 1000

// heal puts right the object that a step failed for and reports whether to do the step again: all steps may be.
func (w *work) heal() bool {
	var corrupt *store.CorruptError
	if w.info.Result != Failed || w.r.d.Heal == nil || w.info.Healed >= healMax || !errors.As(w.info.Err, &corrupt) {
		return false
	}
	if err := w.r.d.Heal(corrupt.Hash, corrupt.Err); err != nil {
		w.info.Err = errors.Join(w.info.Err, err)
		return false
	}
	w.info.Healed++
	w.info.Result, w.info.Err = Rotated, nil
	return true
}

func (w *work) begin(step string) {
	now := w.r.d.Now()
	w.r.publish(func(s *Status) { s.Step, s.StepSince = step, now })
	w.r.d.Step(step)
}

// well waits for health and reports whether to go on.
func (w *work) well() bool {
	res := w.r.healthy(w.ctx, &w.info)
	if res == Rotated {
		return true
	}
	w.info.Result = res
	if res == Stopping {
		w.info.Err = context.Cause(w.ctx)
	}
	return false
}

func (w *work) fail(err error) bool {
	if err == nil || errors.Is(err, errEnd) {
		return false
	}
	w.info.Result, w.info.Err = Failed, err
	return true
}

// clearPrior shrinks the claimed range before anything of it goes (step 5).
func (w *work) clearPrior() {
	if w.fail(w.r.d.Store.SetOldest(w.info.Oldest)) {
		return
	}
	w.r.d.ClearPrior(w.info.LastRotated)
}

// copyState visits the whole state so that every node of it ends up in the writable generation (step 6). The walk
// goes through the family, so nodes that were not in memory are now.
func (w *work) copyState() {
	var failed error
	w.info.Nodes, w.info.Rescued = 0, 0
	before := w.r.d.Store.Stats().Forwarded
	err := w.l.State.WalkNodes(func(h Hash, prefixed []byte) bool {
		w.info.Nodes++
		failed = w.keep(h, prefixed)
		return failed == nil && w.checked(w.info.Nodes)
	})
	// The walk's own reads copy too, so that what keep finds in place may have come a moment before.
	w.info.Copied = min(w.r.d.Store.Stats().Forwarded-before, w.info.Nodes-w.info.Rescued)
	w.info.AlreadyThere = w.info.Nodes - w.info.Rescued - w.info.Copied
	w.fail(errors.Join(failed, err))
}

// keep makes sure that a node is in the writable generation. The walk has its bytes, so the archive is not read again.
func (w *work) keep(h Hash, prefixed []byte) error {
	where, err := w.r.d.Store.Keep(store.AccountNode, h, prefixed)
	if err == nil && where == store.Nowhere {
		w.info.Rescued++ // it was only in memory
	}
	return err
}

// checked looks after the health every CheckEvery nodes and reports whether to go on.
func (w *work) checked(n uint64) bool {
	if n%uint64(w.r.o.CheckEvery) != 0 {
		return true
	}
	return w.well()
}

// copyHistory keeps what the older ledgers that stay claimed have and the newest has not: of the oldest one its state,
// and of those that were written before the last swap, into what is the archive now, headers, transactions and state
// as well. Nodes of later ledgers were written since.
func (w *work) copyHistory() {
	w.info.History = 0
	if old := w.r.d.Oldest(w.info.Oldest); old != nil {
		w.info.Oldest = max(w.info.Oldest, old.Seq)
		old.release()
	}
	chain, err := w.headers()
	if w.fail(err) || len(chain) == 0 {
		return
	}
	newest, base := chain[0], chain[0].state
	mark := w.r.d.Store.State().Mark
	for i := len(chain) - 1; i > 0; i-- { // oldest first
		h := chain[i]
		if h.seq > max(mark, w.info.Oldest) {
			break
		}
		err := w.keepLedger(h, base)
		if errors.Is(err, store.ErrNotFound) { // never was complete: it and what is before it cannot be claimed
			w.info.Oldest, err = h.seq+1, w.r.d.Store.SetOldest(h.seq+1)
		} else {
			base = h.state // the next one differs little from this
		}
		if w.fail(err) || w.info.Result != Rotated {
			return
		}
	}
	_, err = w.r.d.Store.Duplicate(newest.hash)
	w.fail(err)
}

// keepLedger keeps header, transactions and what the state has beyond base.
func (w *work) keepLedger(h header, base Hash) error {
	if _, err := w.r.d.Store.Duplicate(h.hash); err != nil {
		return err
	}
	if err := w.difference(h.tx, Hash{}); err != nil {
		return err
	}
	return w.difference(h.state, base)
}

// header is what a stored ledger header says.
type header struct {
	seq                     uint32
	hash, parent, tx, state Hash
}

// Offsets in a stored header, which is a prefix of four bytes and then LedgerHeader.cpp's order.
const (
	headerLen    = 4 + 118
	headerParent = 4 + 4 + 8
	headerTx     = headerParent + 32
	headerState  = headerTx + 32
)

// headers reads the stored headers from the rotation's ledger down to the oldest that is to stay, newest first. Where
// one is missing, the ones before it cannot be claimed either.
func (w *work) headers() ([]header, error) {
	var out []header
	var raw []byte
	for hash, seq := w.l.Hash, w.l.Seq; seq >= w.info.Oldest && seq > 0; seq-- {
		var err error
		raw, _, err = w.r.d.Store.Get(hash, raw[:0])
		if errors.Is(err, store.ErrNotFound) {
			break
		}
		if err != nil {
			return nil, err
		}
		if half(raw) != hash {
			return nil, &store.CorruptError{Hash: hash, Err: errHash}
		}
		if len(raw) != headerLen || binary.BigEndian.Uint32(raw[4:]) != seq {
			return nil, fmt.Errorf("rotate: header %X of ledger %d is %d bytes of ledger %d", hash, seq, len(raw),
				binary.BigEndian.Uint32(append(raw, make([]byte, 8)...)[4:]))
		}
		out = append(out, header{seq, hash, Hash(raw[headerParent:]), Hash(raw[headerTx:]), Hash(raw[headerState:])})
		if len(out)%w.r.o.CheckEvery == 0 && !w.well() {
			return nil, nil
		}
		hash = Hash(raw[headerParent:])
	}
	if n := len(out); n > 0 {
		w.info.Oldest = out[n-1].seq
		if w.info.Oldest > w.info.LastRotated+1 {
			return out, w.r.d.Store.SetOldest(w.info.Oldest)
		}
	}
	return out, nil
}

// freshen copies what the tree-node cache names (step 7). The keys are asked for in the order of the store's tables.
func (w *work) freshen() {
	if Freshen(w.r.freshen.Load()) == FreshenNone {
		return
	}
	w.info.Keys, w.info.Freshened, w.info.KeysGone = 0, 0, 0
	keys := w.r.d.CacheKeys(nil)
	slices.SortFunc(keys, compareHashes)
	for part := range slices.Chunk(keys, w.r.o.CheckEvery) {
		err := w.r.d.Store.DuplicateSorted(part, func(_ int, where store.Place) {
			w.info.Keys++
			switch where {
			case store.InArchive:
				w.info.Freshened++
			case store.Nowhere: // not flushed yet, or of a ledger that was never stored
				w.info.KeysGone++
			case store.InWritable:
			}
		})
		if w.fail(err) || !w.well() {
			return
		}
	}
}

// builtAhead is how many ledgers above the validated one may have been built and written already.
const builtAhead = 2

// swap makes the new generation, clears, swaps and deletes (steps 8 to 10).
func (w *work) swap() {
	next, err := w.r.d.Store.Prepare()
	if w.fail(err) {
		return
	}
	if !w.well() {
		if err := w.r.d.Store.Discard(next); err != nil {
			w.info.Err = errors.Join(w.info.Err, err)
		}
		return
	}
	w.begin("clear")
	w.r.d.ClearCaches(w.info.Seq)
	w.r.d.Trim("rotate_clear")
	w.begin("rotate")
	var pruned time.Time
	err = w.r.d.Store.Rotate(next, store.Rotation{
		LastRotated: w.info.Seq,
		Mark:        func() uint32 { return w.r.d.Health(w.r.lastGood).ValidatedSeq + builtAhead },
		AfterSwap: func() {
			w.r.d.ClearCaches(w.info.Seq)
			w.begin("prune")
			pruned = w.r.d.Now()
		},
		DeleteBatch: w.r.o.DeleteBatch,
		Pause: func() bool {
			sleep(w.ctx, w.r.o.BackOff)
			return w.ctx.Err() == nil
		},
	})
	if !pruned.IsZero() {
		w.info.Prune = w.r.d.Now().Sub(pruned)
	}
	if w.fail(err) {
		return
	}
	w.r.d.Trim("rotate_delete")
}
