package ledger

import (
	"fmt"
	"time"

	"ledgerlab/consensus"
	"ledgerlab/node/protocol"
	"ledgerlab/shamap"
)

// Close is what consensus decided about a ledger beside its transactions.
type Close struct {
	// Time is the effective close time.
	Time uint32
	// Resolution is the rounding unit in seconds; 0 takes the one that follows
	// from the parent.
	Resolution uint8
	// Agreed is false when the time was not agreed on.
	Agreed bool
}

// NextResolution is the close-time resolution, in seconds, of the ledger that
// follows l.
func (l *Ledger) NextResolution() uint8 {
	r := consensus.NextResolution(time.Duration(l.header.CloseTimeResolution)*time.Second,
		l.header.CloseFlags&protocol.CloseFlagNoConsensus == 0, l.header.Sequence+1)
	return uint8(r / time.Second)
}

// CloseAgreed says whether the close time of this ledger was agreed on.
func (l *Ledger) CloseAgreed() bool { return l.header.CloseFlags&protocol.CloseFlagNoConsensus == 0 }

// Builder makes the child of a ledger from an accumulator.
type Builder struct {
	changes []shamap.Change
	arena   []byte
}

// Build applies the accumulator's changes and the skip lists to a snapshot of the
// parent's state as one batch, builds the transaction tree, and returns the child.
// The child is hashed but not flushed.
func (b *Builder) Build(v *OpenView, c Close) (*Ledger, error) {
	parent := v.base
	h := v.header
	h.CloseTime = c.Time
	if h.CloseTimeResolution = c.Resolution; c.Resolution == 0 {
		h.CloseTimeResolution = parent.NextResolution()
	}
	if h.CloseFlags = 0; !c.Agreed {
		h.CloseFlags = protocol.CloseFlagNoConsensus
	}
	state, err := b.state(v)
	if err != nil {
		return nil, err
	}
	txs, err := b.txs(v, parent)
	if err != nil {
		state.Release()
		return nil, err
	}
	l, err := seal(parent.env, h, state, txs, parent)
	if err != nil {
		state.Release()
		txs.Release()
		return nil, err
	}
	return l, nil
}

// seal hashes both trees into the header.
func seal(env *shamap.Env, h protocol.Header, state, txs *shamap.Map, near *Ledger) (*Ledger, error) {
	sh, err := state.Hash()
	if err != nil {
		return nil, fmt.Errorf("ledger %d: state root: %w", h.Sequence, err)
	}
	th, err := txs.Hash()
	if err != nil {
		return nil, fmt.Errorf("ledger %d: transaction root: %w", h.Sequence, err)
	}
	h.AccountHash, h.TxHash = sh, th
	return newLedger(env, h, state, txs, near)
}

// grow keeps appended data stable: changes point into arenas that are never moved.
const arenaChunk = 64 << 10

// room returns an arena with space for n more bytes.
func (b *Builder) room(n int) {
	if cap(b.arena)-len(b.arena) < n {
		b.arena = make([]byte, 0, max(arenaChunk, n))
	}
}

// state returns the child's state tree.
func (b *Builder) state(v *OpenView) (*shamap.Map, error) {
	state := v.base.state.Snapshot(true)
	b.changes = b.changes[:0]
	v.items.each(func(key protocol.Hash, c change) bool {
		if c.act == actErase {
			b.changes = append(b.changes, shamap.Change{Key: key})
			return true
		}
		b.room(2 * entrySizeHint)
		at := len(b.arena)
		b.arena = c.entry.AppendTo(b.arena)
		b.changes = append(b.changes, shamap.Change{Key: key, Data: b.arena[at:len(b.arena):len(b.arena)]})
		return true
	})
	var err error
	b.changes, err = skipChanges(state, v.header.Sequence, v.header.ParentHash, b.changes)
	if err == nil {
		err = state.Apply(b.changes)
	}
	b.reset()
	if err != nil {
		state.Release()
		return nil, fmt.Errorf("ledger %d: apply changes: %w", v.header.Sequence, err)
	}
	return state, nil
}

// txs returns the child's transaction tree.
func (b *Builder) txs(v *OpenView, parent *Ledger) (*shamap.Map, error) {
	m := shamap.New(parent.env, shamap.KindTxMeta)
	b.changes = b.changes[:0]
	for i := range v.txs {
		r := &v.txs[i]
		blob := r.Tx.Blob()
		b.room(len(blob) + len(r.Meta) + 6)
		at := len(b.arena)
		b.arena = protocol.AppendTxNode(b.arena, blob, r.Meta)
		b.changes = append(b.changes, shamap.Change{Key: r.Tx.ID(), Data: b.arena[at:len(b.arena):len(b.arena)]})
	}
	err := m.Apply(b.changes)
	b.reset()
	if err != nil {
		m.Release()
		return nil, fmt.Errorf("ledger %d: transaction tree: %w", v.header.Sequence, err)
	}
	return m, nil
}

// reset drops references to what was built, and keeps one arena.
func (b *Builder) reset() {
	clear(b.changes)
	b.changes = b.changes[:0]
	b.arena = b.arena[:0]
}
