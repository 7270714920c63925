package ingest

import (
	"context"
	"runtime"
	"sync"
	"time"

	"ledgerlab/node/jobs"
	"ledgerlab/node/protocol"
)

// verifier is the waiting list and the one worker that checks signatures, of clients and peers together.
type verifier struct {
	d     *Door
	place jobs.Place
	ready chan struct{} // holds a token when something waits

	mu struct {
		sync.Mutex
		waiting []*item
		remote  int // of them from peers
		local   int
		ended   bool
	}
}

func newVerifier(d *Door) *verifier { return &verifier{d: d, ready: make(chan struct{}, 1)} }

// pushRemote adds transactions of peers up to the limit and returns how many were dropped.
func (v *verifier) pushRemote(items []*item, limit int) (dropped int) {
	v.place.Arrivals.Add(uint64(len(items)))
	v.mu.Lock()
	room := max(limit-v.mu.remote, 0)
	if v.mu.ended {
		room = 0
	}
	if room < len(items) {
		dropped = len(items) - room
		items = items[:room]
	}
	v.mu.remote += len(items)
	v.mu.waiting = append(v.mu.waiting, items...)
	v.mu.Unlock()
	v.place.Refused.Add(uint64(dropped))
	if len(items) > 0 {
		v.wake()
	}
	return dropped
}

func (v *verifier) pushLocal(it *item) error {
	v.place.Arrivals.Add(1)
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case v.mu.ended:
		return ErrEnded
	case v.mu.local >= v.d.o.LocalMax:
		v.place.Refused.Add(1)
		return ErrBusy
	}
	v.mu.local++
	v.mu.waiting = append(v.mu.waiting, it)
	v.wake()
	return nil
}

func (v *verifier) wake() {
	select {
	case v.ready <- struct{}{}:
	default:
	}
}

func (v *verifier) waiting() (remote, local int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.mu.remote, v.mu.local
}

// take removes up to n items, oldest first.
func (v *verifier) take(n int, into []*item) []*item {
	v.mu.Lock()
	defer v.mu.Unlock()
	n = min(n, len(v.mu.waiting))
	for _, it := range v.mu.waiting[:n] {
		if it.local {
			v.mu.local--
		} else {
			v.mu.remote--
		}
	}
	into = append(into, v.mu.waiting[:n]...)
	rest := copy(v.mu.waiting, v.mu.waiting[n:])
	clear(v.mu.waiting[rest:])
	v.mu.waiting = v.mu.waiting[:rest]
	return into
}

// run is the worker. It is locked to its thread like every worker of the node.
func (v *verifier) run(ctx context.Context) {
	runtime.LockOSThread()
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	defer timer.Stop()
	var batch []*item
	for {
		if !v.gather(ctx, timer) {
			break
		}
		batch = v.take(int(v.d.verifyBatch.Load()), batch[:0])
		v.work(batch)
		clear(batch)
	}
	v.mu.Lock()
	v.mu.ended = true
	left := v.mu.waiting
	v.mu.waiting = nil
	v.mu.Unlock()
	for _, it := range left {
		it.answer(Reply{}, ErrEnded)
	}
}

// gather waits for a full batch, or VerifyLinger after the first arrival; false is the end.
func (v *verifier) gather(ctx context.Context, timer *time.Timer) bool {
	lingering := false
	for {
		remote, local := v.waiting()
		n, want := remote+local, int(v.d.verifyBatch.Load())
		switch {
		case ctx.Err() != nil:
			return false
		case n >= want || (n > 0 && v.d.o.VerifyLinger == 0):
			timer.Stop()
			return true
		case n > 0 && !lingering:
			lingering = true
			timer.Reset(v.d.o.VerifyLinger)
		}
		select {
		case <-v.ready:
		case <-timer.C:
			return true
		case <-ctx.Done():
			return false
		}
	}
}

// work checks one batch and hands on what is good.
func (v *verifier) work(batch []*item) {
	if len(batch) == 0 {
		return
	}
	start := v.d.now()
	for _, it := range batch {
		v.place.Queue.Add(start.Sub(it.received))
	}
	good := v.check(batch)
	end := v.d.now()
	v.place.Work.Add(end.Sub(start))
	for _, it := range good {
		it.verified = end
	}
	v.d.batcher.push(good)
}

// check parses, checks by rule, and verifies the signatures of those whose verdict is not yet known.
func (v *verifier) check(batch []*item) (good []*item) {
	var (
		asked []*item // one for each signature added
		add   = func(it *item) {
			for _, s := range signatures(it.tx) {
				if !v.d.deps.Verifier.Add(s.Pub, s.Msg, s.Sig) {
					v.finish(asked)
					asked = asked[:0]
					v.d.deps.Verifier.Add(s.Pub, s.Msg, s.Sig)
				}
				asked = append(asked, it)
			}
		}
	)
	unknown := batch[:0:0]
	for _, it := range batch {
		known, reason := v.d.precheck(it)
		switch {
		case reason != "":
			v.d.reject(it, reason)
		case known:
			good = append(good, it)
		default:
			unknown = append(unknown, it)
		}
	}
	for _, it := range unknown {
		it.good = true // until a signature fails
		add(it)
	}
	v.finish(asked)
	for _, it := range unknown {
		v.d.verdict(it.tx, it.good)
		if it.good {
			good = append(good, it)
		} else {
			v.d.reject(it, "Invalid signature.")
		}
	}
	return good
}

// finish verifies what was added; a transaction is good when all its signatures are.
func (v *verifier) finish(asked []*item) {
	if len(asked) == 0 {
		return
	}
	for i, ok := range v.d.deps.Verifier.Verify() {
		if !ok {
			asked[i].good = false
		}
	}
	v.d.stats.Verified.Add(uint64(len(asked)))
	v.d.stats.VerifyBatches.Add(1)
}

// signatures lists what must verify: one signature, or one of each signer. None means that the transaction is unsigned,
// which is reported as one that cannot verify.
func signatures(t *protocol.Transaction) []Signature {
	if pub := t.SigningPubKey(); len(pub) != 0 {
		return []Signature{{pub, t.SigningData(), t.TxnSignature()}}
	}
	var out []Signature
	signers, _ := t.Object().GetArray(protocol.FieldSigners)
	for _, s := range signers {
		id := s.Object.AccountID(protocol.FieldAccount)
		out = append(out, Signature{s.Object.Blob(protocol.FieldSigningPubKey), t.AppendMultiSigningData(nil, id), s.Object.Blob(protocol.FieldTxnSignature)})
	}
	if len(out) == 0 {
		return []Signature{{}}
	}
	return out
}
