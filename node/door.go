package node

import (
	"fmt"

	"ledgerlab/node/chain"
	"ledgerlab/node/crypto"
	"ledgerlab/node/family"
	"ledgerlab/node/ingest"
	"ledgerlab/node/ledger"
	"ledgerlab/node/metrics"
	"ledgerlab/node/peer"
	"ledgerlab/node/protocol"
	"ledgerlab/node/rcl"
	"ledgerlab/node/record"
	"ledgerlab/node/tx"
	"ledgerlab/node/txq"
)

func (n *Node) newQueue() (err error) {
	o := txq.Default()
	o.Initial, o.Growth, o.PerAccount = n.flags.Int("fee.initial"), n.flags.Ratio("fee.growth"), n.flags.Int("fee.per_account")
	o.Heap = n.store.heap
	o.QueueLedgers, o.MaxBytes, o.Now = n.flags.Int("fee.queue_ledgers"), n.flags.Bytes("fee.max_bytes"), n.now
	n.queue, err = txq.New(o)
	return err
}

// newDoor makes the one door for transactions, on the last closed ledger.
func (n *Node) newDoor() error {
	verifier, err := crypto.NewBatchVerifier(crypto.DefaultBatchOptions())
	if err != nil {
		return fmt.Errorf("verifier: %w", err)
	}
	o := ingest.Default()
	o.BatchInterval, o.VerifyBatch = n.flags.Duration("open.batch_interval"), n.flags.Int("verify.batch")
	o.Engine, o.Log, o.Now = tx.Options{NetworkID: n.cfg.NetworkID}, n.log, n.now
	d := ingest.Deps{
		Queue: n.queue, Verifier: verifier,
		Verify: func(pub, msg, sig []byte) bool { return crypto.Verify(pub, msg, sig, crypto.Canonical) },
		Limit:  n.jobs.QueueLimit, Main: &n.mainLock, Ledger: &n.ledgerLock,
		Full: func() bool { return n.cfg.Standalone || n.driver.Mode() >= rcl.ModeFull },
		Accept: func() bool {
			return n.chain.ValidatedAge(n.networkNow()) < staleAfter
		},
		Blame: func(from peer.ID, reason string) {
			n.log.Warn("peer sent something bad", "peer", from, "what", reason)
			n.overlay.Charge(from, peer.ChargeInvalidSignature)
		},
		Hooks: ingest.Hooks{Batch: n.batched},
	}
	if n.overlay != nil {
		d.Relay = n.overlay.Relay
	}
	closed := n.chain.Closed()
	defer closed.Release()
	n.door, err = ingest.New(o, d, closed)
	return err
}

// staleAfter: a node whose validated ledger is older takes no transactions from
// peers. rippled: PeerImp, 4 minutes.
const staleAfter = 4 * 60e9

func (n *Node) batched(i ingest.BatchInfo) {
	if i.Err != nil {
		n.log.Error("batch undone", "err", i.Err)
	}
	n.records.Batch(&record.Batch{
		OpenSeq: i.Seq, Transactions: uint32(i.Size), Applied: uint32(i.Applied), Queued: uint32(i.Queued),
		Failed: uint32(i.Failed), Held: uint32(i.Held), WaitNs: i.QueueMax.Nanoseconds(),
		LockWaitNs: (i.MainWait + i.LedgerWait).Nanoseconds(), LockHoldNs: i.MainHold.Nanoseconds(),
		SetupNs: i.Copy.Nanoseconds(), ApplyNs: i.Apply.Nanoseconds(), OpenSize: uint32(i.OpenTxs),
	})
	n.metrics.ObserveBatch(i.Copy, i.Apply)
}

// shareTx relays a disputed transaction of ours that peers may lack.
func (n *Node) shareTx(t *protocol.Transaction) {
	if n.overlay == nil {
		return
	}
	if seen, ok := n.door.Router().ShouldRelay(t.ID(), n.now()); ok {
		n.overlay.Relay(peer.Outgoing{ID: t.ID(), Blob: t.Blob(), Seen: seen, Entry: true})
	}
}

// rclOpen is the open ledger in the words of the consensus driver.
type rclOpen struct{ n *Node }

var _ rcl.OpenLedger = (*rclOpen)(nil)

func (o *rclOpen) Pending() int { return o.n.door.Open().Count() }

func (o *rclOpen) Close() []rcl.Tx { return o.n.door.CloseSet() }

func (o *rclOpen) Accept(r rcl.AcceptRequest, done func(rcl.AcceptStats)) {
	go func() {
		l := o.n.chain.Ledger(r.Ledger)
		if l == nil {
			o.n.log.Error("open ledger: closed ledger is not here", "seq", r.Seq, "hash", r.Ledger.String())
			done(rcl.AcceptStats{})
			return
		}
		defer l.Release()
		info, err := o.n.door.Accept(ingest.AcceptRequest{
			Closed: ingest.Closed{Ledger: l}, Retries: r.Retry, RetriesFirst: r.RetriesFirst, Slow: r.TimeLeap,
		})
		if err != nil {
			o.n.stop(fmt.Errorf("open ledger on %d: %w", r.Seq, err))
		}
		done(rcl.AcceptStats{LockWait: info.LockWait, LockHold: info.LockHold, Txs: info.Txs})
	}()
}

// joinChain tells the parts what the chain validates, in order.
func (n *Node) joinChain() error {
	if n.overlay != nil {
		n.chain.SetPeers(n.overlay)
	}
	n.store.family.SetRepair(family.Repair{
		Get:  func(h [32]byte) ([]byte, error) { return n.chain.Repair(h) },
		Told: n.corruptObject,
	})
	n.chain.SetHooks(chain.Hooks{
		Validated: n.validated, Published: n.published,
		Acquired: func(id protocol.Hash, seq uint32) {
			n.history.again(seq)
			if l, ok := n.ledgers.Ledger(id); ok {
				n.driver.LedgerAcquired(l)
			}
		},
		Failed: func(id protocol.Hash, seq uint32, reason string) {
			n.log.Warn("ledger could not be had", "seq", seq, "hash", id.String(), "reason", reason)
		},
		Diverged: func(d chain.Divergence) {
			n.records.Fault(&record.Fault{
				Kind: "divergence", Target: fmt.Sprint(d.Seq), Active: true,
				Detail: fmt.Sprintf("built %s, validated %s; differs in %v", d.Ours, d.Validated, d.Parts),
			})
		},
	})
	return nil
}

// corruptObject tells of an object whose stored bytes were wrong.
func (n *Node) corruptObject(h [32]byte, cause, unrepaired error) {
	detail := "replaced by a peer's copy: " + cause.Error()
	if unrepaired != nil {
		detail = fmt.Sprintf("not repaired (%v): %v", unrepaired, cause)
	}
	id := protocol.Hash(h)
	n.log.Error("corrupt object in the store", "hash", id.String(), "what", detail)
	n.records.Fault(&record.Fault{Kind: "corrupt", Target: id.String(), Active: unrepaired != nil, Detail: detail})
}

// validated runs when the pointer has moved.
func (n *Node) validated(l *ledger.Ledger) {
	n.driver.Validated(n.ledgers.view(l))
	if l.Acquire() {
		n.rotator.Validated(rotationLedger(l))
	}
}

// published runs for each validated ledger in order.
func (n *Node) published(l *ledger.Ledger) {
	seen := n.now()
	n.history.signal()
	results, err := txResults(l)
	if err == nil {
		err = n.door.OnValidated(l, results)
	}
	if err != nil {
		n.log.Error("validated ledger could not be read", "seq", l.Sequence(), "err", err)
		n.chain.Incomplete(l.Sequence(), err)
		return
	}
	interval := n.watch.ledger(l, results, seen)
	h := l.Header()
	n.records.Ledger(&record.Ledger{
		Seq: h.Sequence, Hash: l.Hash().String(), ParentHash: h.ParentHash.String(), AccountHash: h.AccountHash.String(),
		TxHash: h.TxHash.String(), SeenNs: seen.UnixNano(), IntervalNs: interval.Nanoseconds(),
		Transactions: uint32(len(results)), CloseTime: h.CloseTime,
	})
	success := 0
	for _, r := range results {
		if r.TER == protocol.TesSUCCESS {
			success++
		}
	}
	n.metrics.ObserveLedger(metrics.LedgerInfo{Interval: interval, Success: success, Claimed: len(results) - success})
}

// txResults reads the identifiers and results of a ledger's transactions.
func txResults(l *ledger.Ledger) ([]ingest.TxResult, error) {
	var out []ingest.TxResult
	var bad error
	err := l.Txs().Walk([32]byte{}, func(key [32]byte, item []byte) bool {
		ter, err := itemResult(item)
		if err != nil {
			bad = fmt.Errorf("metadata of %s: %w", protocol.Hash(key), err)
			return false
		}
		out = append(out, ingest.TxResult{ID: key, TER: ter})
		return true
	})
	if err == nil {
		err = bad
	}
	return out, err
}

// itemResult reads the result out of a leaf of the transaction tree. The fields
// of metadata are sorted and TransactionResult (03 10) is the last of them, so
// the result is its last byte.
func itemResult(item []byte) (protocol.TER, error) {
	if n := len(item); n > 3 && item[n-3] == 0x03 && item[n-2] == 0x10 {
		return protocol.TER(item[n-1]), nil
	}
	return 0, fmt.Errorf("%d bytes do not end with a TransactionResult", len(item))
}
