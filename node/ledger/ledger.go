package ledger

import (
	"errors"
	"fmt"
	"sync/atomic"

	"ledgerlab/node/protocol"
	"ledgerlab/shamap"
)

// ErrReleased is returned for a ledger whose last user has gone.
var ErrReleased = errors.New("ledger: released")

// Ledger is a closed ledger: header, state tree and transaction tree, none of
// which changes any more. See the package comment for its counted lifetime.
type Ledger struct {
	refs   atomic.Int64
	header protocol.Header
	hash   protocol.Hash
	env    *shamap.Env
	state  *shamap.Map
	txs    *shamap.Map
	rules  *Rules
	fees   Fees
	unset  Fees          // in force while the state has no FeeSettings
	free   func(*Ledger) // told of the last release; nil: release at once
}

// newLedger takes over both maps. Rules and fees are read from the state; near,
// when not nil, lends its rules if they are the same.
func newLedger(env *shamap.Env, h protocol.Header, state, txs *shamap.Map, near *Ledger) (*Ledger, error) {
	l := &Ledger{env: env, header: h, hash: h.Hash(), state: state, txs: txs, unset: DefaultFees()}
	l.refs.Store(1)
	var rules *Rules
	if near != nil {
		rules, l.unset = near.rules, near.unset
	}
	var err error
	if l.rules, err = readRules(l, rules); err != nil {
		return nil, err
	}
	if l.fees, err = readFees(l, l.unset); err != nil {
		return nil, fmt.Errorf("ledger: fees: %w", err)
	}
	return l, nil
}

// Open opens a ledger whose nodes are behind the environment's source: one from
// disk, or one that was acquired. Both roots are opened, deeper nodes are fetched
// when they are read.
func Open(env *shamap.Env, h protocol.Header) (*Ledger, error) {
	state, err := shamap.Open(env, shamap.KindState, h.AccountHash)
	if err != nil {
		return nil, fmt.Errorf("ledger %d: state tree: %w", h.Sequence, err)
	}
	txs, err := shamap.Open(env, shamap.KindTxMeta, h.TxHash)
	if err != nil {
		state.Release()
		return nil, fmt.Errorf("ledger %d: transaction tree: %w", h.Sequence, err)
	}
	l, err := newLedger(env, h, state, txs, nil)
	if err != nil {
		state.Release()
		txs.Release()
		return nil, fmt.Errorf("ledger %d: %w", h.Sequence, err)
	}
	return l, nil
}

// Assemble makes a ledger from trees that are already at hand, as after a sync; it
// takes both over. The roots must be those of the header.
func Assemble(env *shamap.Env, h protocol.Header, state, txs *shamap.Map) (*Ledger, error) {
	s, err := state.Hash()
	if err != nil {
		return nil, err
	}
	t, err := txs.Hash()
	if err != nil {
		return nil, err
	}
	if s != h.AccountHash || t != h.TxHash {
		return nil, fmt.Errorf("ledger %d: roots %s %s are not the header's", h.Sequence,
			protocol.Hash(s), protocol.Hash(t))
	}
	return newLedger(env, h, state, txs, nil)
}

// Acquire adds a user; false when the last one has gone.
func (l *Ledger) Acquire() bool { return acquire(&l.refs) }

// acquire counts up unless the count is zero.
func acquire(refs *atomic.Int64) bool {
	for {
		n := refs.Load()
		if n <= 0 {
			return false
		}
		if refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// mustAcquire is for a caller that holds a count already.
func (l *Ledger) mustAcquire() {
	if !l.Acquire() {
		panic("ledger: used after its last release")
	}
}

// Release drops a user. With the last one the trees are released, by the caller or
// by whoever OnLastRelease names.
func (l *Ledger) Release() {
	switch n := l.refs.Add(-1); {
	case n > 0:
	case n < 0:
		panic("ledger: released too often")
	case l.free != nil:
		l.free(l)
	default:
		l.Free()
	}
}

// OnLastRelease names who frees the trees after the last Release, so that the
// cascade runs off the caller's goroutine. It must be set before the ledger is
// shared; the function ends by calling Free.
func (l *Ledger) OnLastRelease(free func(*Ledger)) { l.free = free }

// Free releases the trees. Only the function given to OnLastRelease calls it.
func (l *Ledger) Free() {
	l.state.Release()
	l.txs.Release()
}

// SetUnsetFees changes the fees that hold while the state has no FeeSettings, for
// this ledger and its children; before the ledger is shared. Servers before 2.0
// defaulted to higher reserves than DefaultFees.
func (l *Ledger) SetUnsetFees(f Fees) error {
	fees, err := readFees(l, f)
	if err == nil {
		l.unset, l.fees = f, fees
	}
	return err
}

// FreeSome frees up to about budget nodes; true when all is freed.
func (l *Ledger) FreeSome(budget int) bool {
	return l.state.ReleaseSome(budget) && l.txs.ReleaseSome(budget)
}

// Users is the number of counts held; for tests and diagnosis.
func (l *Ledger) Users() int64 { return l.refs.Load() }

// Header returns the header; it must not be changed.
func (l *Ledger) Header() *protocol.Header { return &l.header }

// Env returns what the trees share.
func (l *Ledger) Env() *shamap.Env { return l.env }

// Hash returns the ledger hash.
func (l *Ledger) Hash() protocol.Hash { return l.hash }

// Sequence returns the ledger's number.
func (l *Ledger) Sequence() uint32 { return l.header.Sequence }

// Fees returns the settings in force.
func (l *Ledger) Fees() Fees { return l.fees }

// Rules returns the amendments in force.
func (l *Ledger) Rules() *Rules { return l.rules }

// Open says that this ledger is closed.
func (l *Ledger) Open() bool { return false }

// State returns the state tree; the ledger keeps it.
func (l *Ledger) State() *shamap.Map { return l.state }

// Txs returns the transaction tree, leaves with metadata; the ledger keeps it.
func (l *Ledger) Txs() *shamap.Map { return l.txs }

// entrySizeHint covers an account root without rare fields, so that a read costs
// one allocation for its bytes.
const entrySizeHint = 192

// Read returns the entry at key, freshly parsed.
func (l *Ledger) Read(key protocol.Hash) (protocol.Entry, error) {
	var buf [entrySizeHint]byte
	data, ok, err := l.state.Get(key, buf[:0])
	if err != nil {
		return nil, fmt.Errorf("ledger %d: read %s: %w", l.header.Sequence, key, err)
	}
	if !ok {
		return nil, nil
	}
	e, err := protocol.ParseEntry(data)
	if err != nil {
		return nil, fmt.Errorf("ledger %d: entry %s: %w", l.header.Sequence, key, err)
	}
	return e, nil
}

// HasTx says whether the transaction is in this ledger.
func (l *Ledger) HasTx(id protocol.Hash) (bool, error) {
	if l.header.TxHash.IsZero() {
		return false, nil
	}
	ok, err := l.txs.Has(id)
	if err != nil {
		return false, fmt.Errorf("ledger %d: transaction %s: %w", l.header.Sequence, id, err)
	}
	return ok, nil
}

// Tx returns a transaction of this ledger with its metadata; ok is false when it
// is not here.
func (l *Ledger) Tx(id protocol.Hash) (blob, meta []byte, ok bool, err error) {
	data, ok, err := l.txs.Get(id, nil)
	if err != nil || !ok {
		return nil, nil, false, err
	}
	blob, meta, err = protocol.SplitTxNode(data)
	return blob, meta, err == nil, err
}

// ParseTx reads the leaf item of a transaction: its blob, its metadata as bytes, which share item's memory, and parsed.
func ParseTx(id protocol.Hash, item []byte) (blob, raw []byte, meta *protocol.Metadata, err error) {
	if blob, raw, err = protocol.SplitTxNode(item); err != nil {
		return nil, nil, nil, fmt.Errorf("transaction %s: %w", id, err)
	}
	if meta, err = protocol.ParseMetadata(raw); err != nil {
		return nil, nil, nil, fmt.Errorf("metadata of %s: %w", id, err)
	}
	return blob, raw, meta, nil
}
