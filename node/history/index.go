package history

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"ledgerlab/node/protocol"
	"ledgerlab/store"
)

// Backend is one generation's database: a store's, that can also read a range of keys
// in order. Range calls fn for the keys from first to last, both included, or the
// other way round, until it answers false.
type Backend interface {
	store.Backend
	Range(first, last store.Hash, reverse bool, fn func(h store.Hash, value []byte) bool) error
}

// Options are what an Index needs.
type Options struct {
	// Generations names the store's pair as it is now; Follow asks.
	Generations func() (writable, archive string)
	// Open opens or makes the database of a generation.
	Open func(generation string) (Backend, error)
}

// Index is the index of both generations.
type Index struct {
	o      Options
	follow sync.Mutex // one Follow at a time; held while databases are opened and closed
	mu     struct {
		sync.Mutex // guards the rest; held for a map access
		gens       map[string]*gen
		names      [2]string // writable and archive, as of the last Follow
		closed     bool
	}
	n struct{ ledgers, txs, accounts, bytes, lookups, failed atomic.Uint64 }
}

// Stats counts what was done since the start.
type Stats struct {
	Ledgers, Txs, Accounts uint64 // entered, those entered again included
	Bytes                  uint64 // of keys and values
	Lookups, Failed        uint64
	Databases              store.BackendStats // of both generations together
}

// gen is the database of one generation. refs counts users, one of them the Index.
type gen struct {
	name string
	Backend
	refs    atomic.Int64
	drained chan struct{}
}

func (g *gen) release() {
	if g != nil && g.refs.Add(-1) == 0 {
		close(g.drained)
	}
}

// New makes an index that has nothing open; Follow opens it.
func New(o Options) (*Index, error) {
	if o.Generations == nil || o.Open == nil {
		return nil, errors.New("history: Generations and Open are required")
	}
	x := &Index{o: o}
	x.mu.gens = make(map[string]*gen)
	return x, nil
}

// Follow opens the databases of the generations that the store has now, and closes
// those of others. It is called at the start, and between a swap and the deletion of
// the old archive.
func (x *Index) Follow() error {
	x.follow.Lock()
	defer x.follow.Unlock()
	writable, archive := x.o.Generations()
	var errs []error
	for _, name := range []string{writable, archive} {
		if err := x.open(name); err != nil {
			errs = append(errs, err)
		}
	}
	x.mu.Lock()
	x.mu.names = [2]string{writable, archive}
	x.mu.Unlock()
	return errors.Join(append(errs, x.closeOthers(writable, archive))...)
}

func (x *Index) open(name string) error {
	if g, err := x.acquire(name); g != nil || err != nil {
		g.release()
		return err
	}
	db, err := x.o.Open(name)
	if err != nil {
		return fmt.Errorf("history: open index of %s: %w", name, err)
	}
	g := &gen{name: name, Backend: db, drained: make(chan struct{})}
	g.refs.Store(1)
	x.mu.Lock()
	closed := x.mu.closed
	if !closed {
		x.mu.gens[name] = g
	}
	x.mu.Unlock()
	if closed {
		return errors.Join(store.ErrClosed, db.Close())
	}
	return nil
}

func (x *Index) closeOthers(keep ...string) error {
	var errs []error
	x.mu.Lock()
	var gone []*gen
	for name, g := range x.mu.gens {
		if len(keep) == 2 && (name == keep[0] || name == keep[1]) {
			continue
		}
		delete(x.mu.gens, name)
		gone = append(gone, g)
	}
	x.mu.Unlock()
	for _, g := range gone {
		g.release()
		<-g.drained
		if err := g.Close(); err != nil {
			errs = append(errs, fmt.Errorf("history: close index of %s: %w", g.name, err))
		}
	}
	return errors.Join(errs...)
}

// Close ends the index.
func (x *Index) Close() error {
	x.follow.Lock()
	defer x.follow.Unlock()
	x.mu.Lock()
	x.mu.closed = true
	x.mu.Unlock()
	return x.closeOthers()
}

// acquire gives a generation's database, nil when it is not open.
func (x *Index) acquire(name string) (*gen, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.mu.closed {
		return nil, store.ErrClosed
	}
	g := x.mu.gens[name]
	if g != nil {
		g.refs.Add(1)
	}
	return g, nil
}

// pair gives both databases, either nil when it is not open.
func (x *Index) pair() (gs [2]*gen, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.mu.closed {
		return gs, store.ErrClosed
	}
	for i, name := range x.mu.names {
		if gs[i] = x.mu.gens[name]; gs[i] != nil {
			gs[i].refs.Add(1)
		}
	}
	return gs, nil
}

// writable gives the database that is written to.
func (x *Index) writable() (*gen, error) {
	gs, err := x.pair()
	if err != nil {
		return nil, err
	}
	gs[1].release()
	if gs[0] == nil {
		return nil, fmt.Errorf("%w: no index is open", store.ErrClosed)
	}
	return gs[0], nil
}

func release(gs [2]*gen) {
	gs[0].release()
	gs[1].release()
}

// Tx is one transaction of a ledger as it is entered.
type Tx struct {
	ID       protocol.Hash
	Place    uint32 // in the order of application
	Accounts []protocol.AccountID
}

// Ledger is a validated ledger as it is entered.
type Ledger struct {
	Seq       uint32
	Hash      protocol.Hash
	CloseTime uint32
	Txs       []Tx
}

// Add enters a ledger into the generation that is writable as of the last Follow.
func (x *Index) Add(l Ledger) error {
	b := store.NewBatch(128 + 224*len(l.Txs))
	accounts := l.appendTo(b)
	g, err := x.writable()
	if err != nil {
		return fmt.Errorf("history: enter ledger %d: %w", l.Seq, err)
	}
	defer g.release()
	if err := g.Commit(b); err != nil {
		return fmt.Errorf("history: enter ledger %d into %s: %w", l.Seq, g.name, err)
	}
	x.n.ledgers.Add(1)
	x.n.txs.Add(uint64(len(l.Txs)))
	x.n.accounts.Add(uint64(accounts))
	x.n.bytes.Add(uint64(b.Size()))
	return nil
}

func (l *Ledger) appendTo(b *store.Batch) (accounts int) {
	var v [ledgerValueLen]byte
	for _, t := range l.Txs {
		w := append(v[:0], t.ID[31])
		w = binary.BigEndian.AppendUint32(w, l.Seq)
		b.Put(txKey(t.ID), binary.BigEndian.AppendUint32(w, t.Place))
		for _, a := range t.Accounts {
			b.Put(accountKey(a, l.Seq, t.Place), t.ID[:])
		}
		accounts += len(t.Accounts)
	}
	w := append(v[:0], l.Hash[:]...)
	w = binary.BigEndian.AppendUint32(w, l.CloseTime)
	b.Put(ledgerKey(l.Seq), binary.BigEndian.AppendUint32(w, uint32(len(l.Txs))))
	return accounts
}

// Stats is a snapshot.
func (x *Index) Stats() Stats {
	s := Stats{
		Ledgers: x.n.ledgers.Load(), Txs: x.n.txs.Load(), Accounts: x.n.accounts.Load(), Bytes: x.n.bytes.Load(),
		Lookups: x.n.lookups.Load(), Failed: x.n.failed.Load(),
	}
	gs, err := x.pair()
	if err != nil {
		return s
	}
	defer release(gs)
	for _, g := range gs {
		if g == nil {
			continue
		}
		d := g.Backend.Stats()
		s.Databases.DiskBytes += d.DiskBytes
		s.Databases.CacheBytes += d.CacheBytes
		s.Databases.MemTableBytes += d.MemTableBytes
	}
	return s
}
