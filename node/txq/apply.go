package txq

import (
	"fmt"

	"ledgerlab/node/ledger"
	"ledgerlab/node/protocol"
	"ledgerlab/node/tx"
)

// Apply puts a transaction into the open view when it pays enough, or queues it, or refuses it. rippled: TxQ::apply.
func (q *Queue) Apply(eng *tx.Engine, v *ledger.OpenView, t *protocol.Transaction, flags tx.Flags) (tx.Result, error) {
	c := candidate{q: q, eng: eng, view: v, tx: t, flags: flags, seq: t.SeqProxy()}
	res, err := c.apply()
	if err != nil {
		return res, fmt.Errorf("txq: %s: %w", t.ID(), err)
	}
	switch res.TER {
	case protocol.TerQUEUED:
		q.place.Arrivals.Add(1)
	case protocol.TelCAN_NOT_QUEUE_FULL:
		q.place.Refused.Add(1)
		q.stats.Full.Add(1)
	}
	return res, nil
}

// candidate is one transaction on its way through Apply.
type candidate struct {
	q     *Queue
	eng   *tx.Engine
	view  *ledger.OpenView
	tx    *protocol.Transaction
	flags tx.Flags
	seq   protocol.SeqProxy

	root     *protocol.AccountRoot
	acctSeq  protocol.SeqProxy
	paid     Level
	required Level
	metric   Metric
	cons     tx.Consequences

	// under the queue's mutex
	acct     *account // nil when the account has no place in the queue
	ahead    []*entry // its entries that can still apply, in order
	replaced *entry
	multi    bool // the queue's other entries of the account were accounted for
}

func refuse(ter protocol.TER) tx.Result { return tx.Result{TER: ter} }

func (c *candidate) apply() (tx.Result, error) {
	if ter := c.eng.Preflight(c.view.Rules(), c.tx, c.flags); !ter.IsTes() {
		return refuse(ter), nil
	}
	var err error
	if c.root, err = ledger.ReadAccount(c.view, c.tx.Account()); err != nil {
		return tx.Result{}, err
	}
	if c.root == nil {
		return refuse(protocol.TerNO_ACCOUNT), nil
	}
	c.acctSeq = protocol.SeqProxy{Value: c.root.Sequence}
	if c.paid, err = levelPaid(c.view, c.tx); err != nil {
		return tx.Result{}, err
	}
	c.metric = c.q.Metric()
	c.required = c.metric.Required(c.view.TxCount())
	if (c.seq.Ticket || c.seq == c.acctSeq) && c.paid >= c.required {
		return c.direct()
	}
	if c.seq.Ticket {
		ter, err := c.checkTicket()
		if err != nil || !ter.IsTes() {
			return refuse(ter), err
		}
	}
	c.cons = tx.ConsequencesOf(c.tx)
	c.q.mu.Lock()
	defer c.q.unlock()
	return c.queue()
}

// direct applies to the open ledger at once. rippled: TxQ::tryDirectApply.
func (c *candidate) direct() (tx.Result, error) {
	res, err := c.eng.Apply(c.view, c.tx, c.flags)
	if err == nil && res.Applied {
		c.q.stats.Direct.Add(1)
		c.q.drop(c.tx.Account(), c.seq)
	}
	return res, err
}

func (c *candidate) checkTicket() (protocol.TER, error) {
	e, err := c.view.Read(protocol.TicketKey(c.tx.Account(), c.seq.Value))
	switch {
	case err != nil:
		return 0, err
	case e != nil:
		return protocol.TesSUCCESS, nil
	case c.seq.Value < c.acctSeq.Value:
		return protocol.TefNO_TICKET, nil
	}
	return protocol.TerPRE_TICKET, nil
}

// queue decides with the queue locked: checks in rippled's order, then clearing, room, and the queue itself.
func (c *candidate) queue() (tx.Result, error) {
	c.acct = c.q.mu.byAccount[c.tx.Account()]
	if c.acct != nil {
		c.ahead = c.acct.txs[c.acct.lower(c.acctSeq):]
		c.replaced = c.acct.at(c.seq)
	}
	if ter := c.checkBlockers(); !ter.IsTes() {
		return refuse(ter), nil
	}
	ter, view := c.checkPlace()
	if !ter.IsTes() {
		return refuse(ter), nil
	}
	ter, err := c.eng.Preclaim(view, c.tx, c.flags)
	if err != nil || !tx.LikelyToClaimFee(ter, c.flags) {
		return refuse(ter), err
	}
	if !c.seq.Ticket && c.multi && c.ahead[0].retries == retriesAllowed && c.paid > c.required && c.required > BaseLevel {
		if res, err := c.clearAccount(); err != nil || res.Applied {
			return res, err
		}
	}
	if !c.multi {
		if ter := c.canBeHeld(); !ter.IsTes() {
			return refuse(ter), nil
		}
	}
	if !c.makeRoom() {
		return refuse(protocol.TelCAN_NOT_QUEUE_FULL), nil
	}
	c.insert()
	return refuse(protocol.TerQUEUED), nil
}

// checkBlockers: a blocker is alone in its account's queue; and a replacement pays more than what it replaces.
func (c *candidate) checkBlockers() protocol.TER {
	n := len(c.ahead)
	if c.cons.Blocker && (n > 1 || n == 1 && c.ahead[0].seq != c.seq) {
		return protocol.TelCAN_NOT_QUEUE_BLOCKS
	}
	if n == 0 {
		return protocol.TesSUCCESS
	}
	if n == 1 && c.ahead[0].cons.Blocker && c.ahead[0].seq != c.seq {
		return protocol.TelCAN_NOT_QUEUE_BLOCKED
	}
	if c.replaced != nil && c.paid <= c.replaced.level.increase(c.q.o.RetryPct) {
		return protocol.TelCAN_NOT_QUEUE_FEE
	}
	return protocol.TesSUCCESS
}

// checkPlace checks sequence and balance against the account's other entries and returns the view for the trial claim.
func (c *candidate) checkPlace() (protocol.TER, ledger.ReadView) {
	if c.acctSeq.Compare(c.seq) > 0 {
		return protocol.TefPAST_SEQ, nil
	}
	if len(c.ahead) == 0 {
		if !c.seq.Ticket && c.acctSeq != c.seq {
			return protocol.TerPRE_SEQ, nil
		}
		return protocol.TesSUCCESS, c.view
	}
	if len(c.ahead) == 1 && c.replaced != nil {
		return protocol.TesSUCCESS, c.view
	}
	if ter := c.canBeHeld(); !ter.IsTes() {
		return ter, nil
	}
	c.multi = true
	next := c.acct.nextQueuable(c.root)
	if c.replaced == nil && !c.seq.Ticket {
		switch front := c.acct.lower(c.seq) == 0; {
		case front && c.seq != c.acctSeq:
			return protocol.TerPRE_SEQ, nil
		case !front && c.seq != next:
			return protocol.TelCAN_NOT_QUEUE, nil
		}
	}
	return c.checkBalance(next)
}

// checkBalance sums fees and spending of the account's other entries. What they may spend is taken off the balance the
// trial claim sees, and its sequence is that which holds once they have applied. rippled: calcSpendAndFee and MultiTxn.
func (c *candidate) checkBalance(next protocol.SeqProxy) (protocol.TER, ledger.ReadView) {
	var spend, fee protocol.Drops
	for i, e := range c.ahead {
		switch {
		case e.seq != c.seq:
			fee += e.cons.Fee
			spend += e.cons.PotentialSpend
		case i+1 < len(c.ahead): // replaces one in the middle
			fee += c.cons.Fee
			spend += c.cons.PotentialSpend
		}
	}
	balance, fees := c.root.Balance, c.view.Fees()
	if fee >= balance || (fees.Reserve > 10*fees.Base && fee >= fees.Reserve) {
		return protocol.TelCAN_NOT_QUEUE_BALANCE, nil
	}
	root, _ := c.root.Clone().(*protocol.AccountRoot)
	root.Balance -= fee + min(balance-min(balance, fees.Reserve), spend)
	root.Sequence = c.seq.Value
	if c.seq.Ticket {
		root.Sequence = next.Value
	}
	return protocol.TesSUCCESS, &trialView{OpenView: c.view, key: protocol.AccountKey(c.tx.Account()), root: root}
}

// trialView shows another account root than the view below.
type trialView struct {
	*ledger.OpenView
	key  protocol.Hash
	root *protocol.AccountRoot
}

func (v *trialView) Read(key protocol.Hash) (protocol.Entry, error) {
	if key == v.key {
		return v.root, nil
	}
	return v.OpenView.Read(key)
}

// canBeHeld says whether a transaction may wait at all, and the account has a place for it. rippled: TxQ::canBeHeld.
func (c *candidate) canBeHeld() protocol.TER {
	if c.tx.Has(protocol.FieldPreviousTxnID) || c.tx.Has(protocol.FieldAccountTxnID) || c.flags&tx.FailHard != 0 {
		return protocol.TelCAN_NOT_QUEUE
	}
	if last, has := c.tx.LastLedgerSequence(); has && last < c.view.Header().Sequence+c.q.o.LastBuffer {
		return protocol.TelCAN_NOT_QUEUE
	}
	if c.acct == nil || c.replaced != nil || len(c.acct.txs) < c.q.o.PerAccount {
		return protocol.TesSUCCESS
	}
	// Over the limit only the first gap may be filled, and only when it is a real one.
	next := c.acct.nextQueuable(c.root)
	if c.seq.Ticket || c.seq != next {
		return protocol.TelCAN_NOT_QUEUE_FULL
	}
	if i := c.acct.lower(next); i < len(c.acct.txs) && !c.acct.txs[i].seq.Ticket {
		return protocol.TesSUCCESS
	}
	return protocol.TelCAN_NOT_QUEUE_FULL
}

// insert queues the candidate, in place of the one it replaces.
func (c *candidate) insert() {
	if c.replaced != nil {
		c.q.removeLocked(c.replaced)
		c.q.stats.Replaced.Add(1)
	}
	last, _ := c.tx.LastLedgerSequence()
	c.q.insertLocked(&entry{
		held: c.q.hold(c.tx), last: last, id: c.tx.ID(), level: c.paid, account: c.tx.Account(), seq: c.seq, cons: c.cons,
		flags:   c.flags &^ tx.Retry, // out of the queue there are no soft failures
		retries: retriesAllowed, bytes: c.bytes(), since: c.q.now(),
	})
	c.q.stats.Queued.Add(1)
}

func (c *candidate) bytes() int64 { return int64(len(c.tx.Blob())) + entryOverhead }
