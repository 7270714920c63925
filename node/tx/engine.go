package tx

import (
	"errors"
	"fmt"

	"ledgerlab/node/ledger"
	"ledgerlab/node/protocol"
)

// Flags change how a transaction is applied.
type Flags uint8

const (
	// Retry says that the transaction will be tried again: a tec does not claim
	// the fee. rippled: tapRETRY.
	Retry Flags = 1 << iota
	// FailHard says that a tec must have no effect at all. rippled: tapFAIL_HARD.
	FailHard
	// Unlimited is a submission of the operator. rippled: tapUNLIMITED.
	Unlimited
)

// Options of an engine.
type Options struct {
	// NetworkID of this network. Up to 1024 transactions must not carry one, above
	// they must. Default 0.
	NetworkID uint32
	// SignatureGood tells whether the signature verifies. It is asked at the end
	// of preflight; nil means that the signature was checked before.
	SignatureGood func(*protocol.Transaction) bool
	// FeeFactor scales the base fee that an open ledger asks for, in 1/256; 0 is
	// 256, unscaled. rippled: LoadFeeTrack.
	FeeFactor func() uint32
	// MetaNodesMax is how many entries a transaction may touch; 0 is the default
	// of 5,200. rippled: Protocol.h oversizeMetaDataCap.
	MetaNodesMax int
}

const defaultMetaNodesMax = 5200

// Validate reports a fault of the options.
func (o *Options) Validate() error {
	if o.MetaNodesMax < 0 {
		return errors.New("tx: MetaNodesMax is negative")
	}
	return nil
}

// Result is what became of a transaction.
type Result struct {
	TER     protocol.TER
	Applied bool
	Fee     protocol.Drops // what was charged
	Meta    []byte         // nil in an open view
}

// Engine applies transactions. It belongs to one goroutine.
type Engine struct {
	opt  Options
	sb   ledger.Sandbox
	keys keyCache
	ctx  context
}

// New returns an engine.
func New(o Options) (*Engine, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if o.MetaNodesMax == 0 {
		o.MetaNodesMax = defaultMetaNodesMax
	}
	return &Engine{opt: o}, nil
}

// context is what the stages of one transaction share. It is part of the engine so
// that no stage allocates it.
type context struct {
	e     *Engine
	tx    *protocol.Transaction
	rules *ledger.Rules
	flags Flags
	kind  *kind

	pay    protocol.Payment // when the type is Payment
	set    protocol.AccountSet
	parsed bool
	key    protocol.Hash // of the source account
	dstKey protocol.Hash // of the destination, when hasDst
	hasDst bool

	// apply
	sb        *ledger.Sandbox
	account   *protocol.AccountRoot
	prior     protocol.Drops   // balance before the fee
	delivered *protocol.Amount // DeliveredAmount, nil for none
	err       error            // a failed read
}

func (e *Engine) begin(tx *protocol.Transaction, rules *ledger.Rules, flags Flags) *context {
	c := &e.ctx
	*c = context{e: e, tx: tx, rules: rules, flags: flags, kind: kindOf(tx.Type()), sb: &e.sb}
	return c
}

// fail notes a failed read; the TER it returns is never seen.
func (c *context) fail(err error) protocol.TER {
	c.err = err
	return protocol.TefEXCEPTION
}

// Preflight checks the transaction by itself.
func (e *Engine) Preflight(rules *ledger.Rules, tx *protocol.Transaction, flags Flags) protocol.TER {
	return e.begin(tx, rules, flags).preflight()
}

// Preclaim checks a transaction that passed Preflight against a view, without
// changing it.
func (e *Engine) Preclaim(v ledger.ReadView, tx *protocol.Transaction, flags Flags) (protocol.TER, error) {
	c := e.begin(tx, v.Rules(), flags)
	ter := c.preclaim(v)
	return ter, c.err
}

// LikelyToClaimFee says whether a transaction with this preclaim result would take
// at least its fee. rippled: applySteps.h.
func LikelyToClaimFee(ter protocol.TER, flags Flags) bool {
	return ter.IsTes() || ter.IsTec() && flags&Retry == 0
}

// Apply applies a transaction to a view. Changes and record go into the view when
// Result.Applied is set; otherwise the view is as before.
func (e *Engine) Apply(v *ledger.OpenView, tx *protocol.Transaction, flags Flags) (Result, error) {
	c := e.begin(tx, v.Rules(), flags)
	if ter := c.preflight(); !ter.IsTes() {
		return Result{TER: ter}, nil
	}
	ter := c.preclaim(v)
	if c.err == nil && !LikelyToClaimFee(ter, flags) {
		return Result{TER: ter}, nil
	}
	if c.err != nil {
		return Result{TER: protocol.TefEXCEPTION}, fmt.Errorf("tx %s: %w", tx.ID(), c.err)
	}
	e.sb.Reset(v)
	r, err := c.run(ter)
	if err != nil {
		e.sb.Discard()
		return Result{TER: protocol.TefEXCEPTION}, fmt.Errorf("tx %s: %w", tx.ID(), err)
	}
	return r, nil
}

// run is the transactor: apply, claim, check, commit.
// rippled: Transactor::operator().
func (c *context) run(ter protocol.TER) (Result, error) {
	fee := c.tx.Fee()
	if ter.IsTes() {
		ter = c.apply()
		if c.err != nil {
			return Result{}, c.err
		}
	}
	applied := ter.IsTes()
	if c.sb.Touched() > c.e.opt.MetaNodesMax {
		ter = protocol.TecOVERSIZE
	}
	switch {
	case ter.IsTec() && c.flags&FailHard != 0:
		c.sb.Discard()
		applied = false
	case ter == protocol.TecOVERSIZE || ter == protocol.TecKILLED || ter == protocol.TecEXPIRED ||
		ter.IsTec() && c.flags&Retry == 0:
		ter, fee = c.claim(ter, fee)
		applied = ter.IsTec()
	}
	if applied {
		if ter, fee = c.checkInvariants(ter, fee); !ter.IsTes() && !ter.IsTec() {
			applied = false
		}
	}
	if c.err != nil {
		return Result{}, c.err
	}
	if !applied {
		c.sb.Discard()
		return Result{TER: ter}, nil
	}
	if !c.sb.Open() {
		c.sb.DestroyFee(fee)
	}
	meta, err := c.sb.Commit(c.tx, ter, c.delivered)
	return Result{TER: ter, Applied: true, Fee: fee, Meta: meta}, err
}

// apply takes fee and sequence, then does the type's work.
// rippled: Transactor::apply.
func (c *context) apply() protocol.TER {
	root, err := c.sb.PeekAccount(c.key)
	if err != nil {
		return c.fail(err)
	}
	if root == nil {
		return protocol.TefINTERNAL
	}
	c.account, c.prior = root, root.Balance
	if ter := c.consume(root); !ter.IsTes() {
		return ter
	}
	root.Balance -= c.tx.Fee()
	if root.Opt.Has(protocol.FieldAccountTxnID) {
		root.Opt.SetHash(protocol.FieldAccountTxnID, c.tx.ID())
	}
	c.sb.Update(c.key)
	return c.kind.apply(c)
}

// consume uses the sequence or the ticket.
// rippled: Transactor::consumeSeqProxy.
func (c *context) consume(root *protocol.AccountRoot) protocol.TER {
	sp := c.tx.SeqProxy()
	if sp.Ticket {
		return c.deleteTicket(root, sp.Value)
	}
	root.Sequence = sp.Value + 1
	return protocol.TesSUCCESS
}

// claim takes back what the transaction did and charges fee and sequence alone.
// rippled: Transactor::reset.
func (c *context) claim(ter protocol.TER, fee protocol.Drops) (protocol.TER, protocol.Drops) {
	c.sb.Discard()
	c.delivered = nil
	root, err := c.sb.PeekAccount(c.key)
	if err != nil {
		return c.fail(err), 0
	}
	if root == nil {
		return protocol.TefINTERNAL, 0
	}
	fee = min(fee, root.Balance)
	root.Balance -= fee
	if t := c.consume(root); !t.IsTes() {
		return t, 0
	}
	c.sb.Update(c.key)
	return ter, fee
}
