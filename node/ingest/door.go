package ingest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"time"

	"ledgerlab/node/jobs"
	"ledgerlab/node/ledger"
	"ledgerlab/node/peer"
	"ledgerlab/node/protocol"
	"ledgerlab/node/tx"
)

// Door is where transactions enter.
type Door struct {
	o           Options
	deps        Deps
	log         *slog.Logger
	now         func() time.Time
	router      *Router
	verify      *verifier
	batcher     *batcher
	open        *OpenLedger
	held        *heldTxs
	locals      *localTxs
	tracker     *tracker
	recent      *recentTxs
	acceptPlace jobs.Place
	stats       Stats
	verifyBatch atomic.Int64
	validated   atomic.Uint32 // sequence
}

// Stats counts at the door.
type Stats struct {
	Submitted     atomic.Uint64 // by clients
	FromPeers     atomic.Uint64 // transactions in frames
	Duplicates    atomic.Uint64 // of them seen before
	KnownBad      atomic.Uint64 // of them known to be bad
	Dropped       atomic.Uint64 // of them over the limit of waiting ones
	Invalid       atomic.Uint64 // malformed, or failing local checks
	BadSignatures atomic.Uint64
	Verified      atomic.Uint64 // signatures verified
	VerifyBatches atomic.Uint64
	Late          atomic.Uint64 // peers' whose LastLedgerSequence had passed
}

// New makes a door whose open ledger follows closed.
func New(o Options, deps Deps, closed *ledger.Ledger) (*Door, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if deps.Queue == nil || deps.Verifier == nil || deps.Verify == nil {
		return nil, errors.New("ingest: queue, verifier and verify must be given")
	}
	router, err := NewRouter(o.Router)
	if err != nil {
		return nil, err
	}
	d := &Door{o: o, deps: withDefaults(deps), log: o.Log, now: o.Now, router: router}
	if d.log == nil {
		d.log = slog.New(slog.DiscardHandler)
	}
	if d.now == nil {
		d.now = time.Now
	}
	engineOptions := o.Engine
	engineOptions.SignatureGood = d.SignatureGood
	eng, err := tx.New(engineOptions)
	if err != nil {
		return nil, fmt.Errorf("ingest: %w", err)
	}
	d.open = NewOpenLedger(closed, d.now)
	d.held, d.locals, d.tracker, d.recent = newHeldTxs(o.HeldMax), newLocalTxs(o.LocalTxsMax), newTracker(o.TrackMax), newRecentTxs(o.RecentMax)
	d.verify, d.batcher = newVerifier(d), newBatcher(d, eng)
	d.verifyBatch.Store(int64(o.VerifyBatch))
	return d, nil
}

func withDefaults(deps Deps) Deps {
	yes := func() bool { return true }
	if deps.Full == nil {
		deps.Full = yes
	}
	if deps.Accept == nil {
		deps.Accept = yes
	}
	if deps.Limit == nil {
		deps.Limit = func() int { return jobs.QueueLimitDefault }
	}
	if deps.Main == nil {
		deps.Main = new(sync.Mutex)
	}
	if deps.Ledger == nil {
		deps.Ledger = new(sync.Mutex)
	}
	if deps.Blame == nil {
		deps.Blame = func(peer.ID, string) {}
	}
	return deps
}

// Run verifies and applies until ctx ends.
func (d *Door) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	wg.Go(func() { pprof.Do(ctx, pprof.Labels("part", "verify"), d.verify.run) })
	wg.Go(func() { pprof.Do(ctx, pprof.Labels("part", "batch"), d.batcher.run) })
	wg.Wait()
	return nil
}

// Close lets the open ledger go. Nobody may ask for it any more, so it is for the
// end of the node, whether Run has run or not.
func (d *Door) Close() { d.open.close() }

// Start takes a client's transaction and returns at once; reply is called exactly once unless Start fails: with Async
// before Start returns, otherwise from the batch that applied it. It must not block.
func (d *Door) Start(blob []byte, o SubmitOptions, reply func(Reply, error)) error {
	d.stats.Submitted.Add(1)
	t, err := protocol.ParseTransaction(blob)
	if err != nil {
		d.stats.Invalid.Add(1)
		return &InvalidError{err.Error()}
	}
	it := &item{id: t.ID(), blob: blob, tx: t, local: true, opts: o, received: d.now(), reply: reply}
	if o.Mode == Async {
		it.reply = nil
	}
	if err := d.verify.pushLocal(it); err != nil {
		return err
	}
	if o.Mode == Async {
		reply(Reply{ID: it.id, Tx: t}, nil)
	}
	return nil
}

// Submit is Start for callers that wait for the reply. blob must not change afterwards.
func (d *Door) Submit(ctx context.Context, blob []byte, o SubmitOptions) (Reply, error) {
	type answer struct {
		r   Reply
		err error
	}
	got := make(chan answer, 1)
	if err := d.Start(blob, o, func(r Reply, err error) { got <- answer{r, err} }); err != nil {
		return Reply{}, err
	}
	select {
	case a := <-got:
		return a.r, a.err
	case <-ctx.Done():
		return Reply{}, ctx.Err()
	}
}

// RelayIn takes the transactions of one frame; blobs are copied when they are new.
func (d *Door) RelayIn(from peer.ID, txs []peer.Tx) {
	d.stats.FromPeers.Add(uint64(len(txs)))
	if !d.deps.Accept() {
		return
	}
	now := d.now()
	process := make([]bool, len(txs))
	if bad := d.router.Arrived(from, txs, now, process); bad > 0 {
		d.stats.KnownBad.Add(uint64(bad))
		d.deps.Blame(from, "invalid signature")
	}
	items := make([]*item, 0, len(txs))
	for i := range txs {
		if process[i] {
			items = append(items, &item{id: txs[i].ID, blob: append([]byte(nil), txs[i].Blob...), from: from, received: now})
		}
	}
	d.stats.Duplicates.Add(uint64(len(txs) - len(items)))
	if len(items) == 0 {
		return
	}
	d.stats.Dropped.Add(uint64(d.verify.pushRemote(items, d.deps.Limit())))
}

// Missing tells which announced transactions were not seen in full; it is the overlay's Missing.
func (d *Door) Missing(from peer.ID, ids []protocol.Hash) []protocol.Hash {
	return d.router.Missing(from, ids)
}

// Known is the overlay's Known.
func (d *Door) Known(p peer.ID, ids []protocol.Hash, out []bool) { d.router.Known(p, ids, out) }

// Find returns a transaction that was relayed lately, or nil.
func (d *Door) Find(id protocol.Hash) *protocol.Transaction { return d.recent.get(id) }

// Blob returns a transaction that was relayed lately, or nil; it is the overlay's Blob.
func (d *Door) Blob(id protocol.Hash) []byte {
	if t := d.recent.get(id); t != nil {
		return t.Blob()
	}
	return nil
}

// FromSet takes transactions found in a set that other nodes agreed on, and that this node may not have seen.
func (d *Door) FromSet(txs []*protocol.Transaction) {
	now := d.now()
	items := make([]*item, 0, len(txs))
	for _, t := range txs {
		if d.router.Flags(t.ID())&(FlagFull|FlagBad) != 0 {
			continue
		}
		d.router.SetFlags(t.ID(), FlagFull)
		items = append(items, &item{id: t.ID(), tx: t, from: noPeer, received: now})
	}
	d.stats.Dropped.Add(uint64(d.verify.pushRemote(items, d.deps.Limit()+len(items))))
}

// reasonBad is why a transaction is refused that was found malformed before.
const reasonBad = "known to be bad"

// noPeer marks what no peer can be blamed for.
const noPeer = peer.ID(255)

// precheck parses and checks by rule; known says that the signature was verified before.
func (d *Door) precheck(it *item) (known bool, reason string) {
	if it.tx == nil {
		t, err := protocol.ParseTransaction(it.blob)
		if err != nil {
			return false, err.Error()
		}
		it.tx = t
	}
	if last, has := it.tx.LastLedgerSequence(); has && !it.local && last < d.validated.Load() {
		d.stats.Late.Add(1)
		return false, "LastLedgerSequence has passed"
	}
	switch flags := d.router.Flags(it.id); {
	case flags&(FlagBad|FlagSigBad|FlagLocalBad) == FlagBad && it.local:
		// It was malformed when a ledger was asked. rippled answers so when it comes again.
		return false, reasonBad
	case flags&FlagSigBad != 0:
		return false, "Invalid signature."
	case flags&FlagLocalBad != 0:
		return false, "fails local checks"
	case flags&FlagSigGood != 0:
		it.tx.SetLocal(verdict(true))
		return true, ""
	}
	if reason := localChecks(it.tx); reason != "" {
		d.router.SetFlags(it.id, FlagLocalBad)
		return false, reason
	}
	return false, ""
}

// localChecks are those of no ledger. rippled: passesLocalChecks.
func localChecks(t *protocol.Transaction) string {
	if t.Type().IsPseudo() {
		return "Cannot submit pseudo transactions."
	}
	if err := t.CheckFormat(); err != nil {
		return err.Error()
	}
	return ""
}

// verdict is remembered beside a transaction.
type verdict bool

// verdict remembers whether the signatures of a transaction verify.
func (d *Door) verdict(t *protocol.Transaction, good bool) {
	t.SetLocal(verdict(good))
	f := FlagSigGood | FlagLocalGood
	if !good {
		f = FlagSigBad | FlagBad
		d.stats.BadSignatures.Add(1)
	}
	d.router.SetFlags(t.ID(), f|FlagFull)
}

// SignatureGood says whether a transaction's signatures verify: by the verdict remembered, else by verifying now. It is
// safe for concurrent use; the engines of the open ledger and of the builder ask it.
func (d *Door) SignatureGood(t *protocol.Transaction) bool {
	if v, ok := t.Local().(verdict); ok {
		return bool(v)
	}
	if flags := d.router.Flags(t.ID()); flags&(FlagSigGood|FlagSigBad) != 0 {
		good := flags&FlagSigGood != 0
		t.SetLocal(verdict(good))
		return good
	}
	good := true
	for _, s := range signatures(t) {
		good = good && d.deps.Verify(s.Pub, s.Msg, s.Sig)
		d.stats.Verified.Add(1)
	}
	d.verdict(t, good)
	return good
}

// reject ends an item that failed before any ledger was asked.
func (d *Door) reject(it *item, reason string) {
	d.stats.Invalid.Add(1)
	if it.local {
		if reason == reasonBad {
			it.answer(Reply{ID: it.id, Tx: it.tx, HasResult: true, TER: protocol.TemBAD_SIGNATURE, Status: StatusInvalid}, nil)
		} else {
			it.answer(Reply{}, &InvalidError{reason})
		}
		it.reply = nil
		return
	}
	d.router.SetFlags(it.id, FlagBad)
	if it.from != noPeer {
		d.deps.Blame(it.from, reason)
	}
}
