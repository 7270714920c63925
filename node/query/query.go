package query

import (
	"errors"
	"fmt"

	"ledgerlab/node/history"
	"ledgerlab/node/ledger"
	"ledgerlab/node/protocol"
)

// ErrNotFound says that what was asked for is not here.
var ErrNotFound = errors.New("not found")

// BadSelector is a selector that names no ledger at all.
type BadSelector struct{ Name string }

// Error names the selector and what is allowed.
func (e *BadSelector) Error() string {
	return fmt.Sprintf("ledger %q: want validated, closed, current, a sequence or a hash", e.Name)
}

// Chain gives ledgers, acquired for the caller; *chain.Master satisfies it.
type Chain interface {
	Validated() *ledger.Ledger
	Closed() *ledger.Ledger
	LedgerBySeq(seq uint32) (*ledger.Ledger, error)
	LedgerByHash(id protocol.Hash) (*ledger.Ledger, error)
	HashBySeq(seq uint32) (protocol.Hash, bool, error)
	Range() (first, last uint32)
	// Held calls fn with each range of complete ledgers from first to last.
	Held(first, last uint32, fn func(first, last uint32))
	// Incomplete is told of reads that failed.
	Incomplete(seq uint32, err error)
}

// Options bound the answers.
type Options struct {
	// PageMax is how many entries a page holds at most. Default 2,048, rippled's
	// binary limit of ledger_data.
	PageMax int
	// PageBytesMax ends a page early. Default 1 MiB.
	PageBytesMax int
	// SearchMax is how many ledgers that no index has are searched for a transaction.
	// Default 256.
	SearchMax uint32
}

// Default returns the defaults.
func Default() Options { return Options{PageMax: 2048, PageBytesMax: 1 << 20, SearchMax: 256} }

// Validate reports every fault.
func (o Options) Validate() error {
	var errs []error
	if o.PageMax < 1 || o.PageBytesMax < 1 {
		errs = append(errs, fmt.Errorf("query: page of %d entries and %d bytes: both must be positive", o.PageMax, o.PageBytesMax))
	}
	if o.SearchMax < 1 {
		errs = append(errs, errors.New("query: SearchMax must be positive"))
	}
	return errors.Join(errs...)
}

// Querier answers queries.
type Querier struct {
	c    Chain
	open func() *ledger.OpenView
	ix   *history.Index // nil: transactions are searched in the ledgers
	o    Options
}

// UseIndex lets transactions be found through an index; before the first query.
func (q *Querier) UseIndex(ix *history.Index) { q.ix = ix }

// New returns a Querier. open gives the current open ledger, acquired, or nil.
func New(c Chain, open func() *ledger.OpenView, o Options) (*Querier, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if open == nil {
		open = func() *ledger.OpenView { return nil }
	}
	return &Querier{c: c, open: open, o: o}, nil
}

// Ref selects a ledger: by hash, by sequence, or by name. The zero value is the
// newest validated one.
type Ref struct {
	Seq  uint32
	Hash protocol.Hash
	Name string
}

// Where says which ledger an answer is from.
type Where struct {
	Seq       uint32
	Hash      protocol.Hash // zero for the open ledger
	Validated bool
}

// ledger returns the closed ledger a selector means, acquired.
func (q *Querier) ledger(r Ref) (*ledger.Ledger, error) {
	var l *ledger.Ledger
	var err error
	switch {
	case !r.Hash.IsZero():
		l, err = q.c.LedgerByHash(r.Hash)
	case r.Seq != 0:
		l, err = q.c.LedgerBySeq(r.Seq)
	case r.Name == "" || r.Name == "validated":
		l = q.c.Validated()
	case r.Name == "closed" || r.Name == "current":
		l = q.c.Closed()
	default:
		return nil, &BadSelector{r.Name}
	}
	if err != nil {
		return nil, fmt.Errorf("ledger %s: %w: %w", r.text(), ErrNotFound, err)
	}
	if l == nil {
		return nil, fmt.Errorf("ledger %s: %w", r.text(), ErrNotFound)
	}
	return l, nil
}

func (r Ref) text() string {
	switch {
	case !r.Hash.IsZero():
		return r.Hash.String()
	case r.Seq != 0:
		return fmt.Sprint(r.Seq)
	case r.Name != "":
		return r.Name
	}
	return "validated"
}

// where describes an acquired ledger.
func (q *Querier) where(l *ledger.Ledger) Where {
	w := Where{Seq: l.Sequence(), Hash: l.Hash()}
	if _, last := q.c.Range(); l.Sequence() <= last {
		id, ok, err := q.c.HashBySeq(l.Sequence())
		w.Validated = err == nil && ok && id == l.Hash()
	}
	return w
}

// view calls fn with the view a selector means: the open ledger for "current".
func (q *Querier) view(r Ref, fn func(v ledger.ReadView, w Where) error) error {
	if r.Name == "current" && r.Hash.IsZero() && r.Seq == 0 {
		if v := q.open(); v != nil {
			defer v.Release()
			return fn(v, Where{Seq: v.Header().Sequence})
		}
	}
	l, err := q.ledger(r)
	if err != nil {
		return err
	}
	defer l.Release()
	if err := fn(l, q.where(l)); err != nil {
		q.c.Incomplete(l.Sequence(), err)
		return err
	}
	return nil
}

// Account is an account root and where it stood.
type Account struct {
	Where
	Root *protocol.AccountRoot
}

// Account reads an account; the root is a copy.
func (q *Querier) Account(id protocol.AccountID, r Ref) (Account, error) {
	var out Account
	err := q.view(r, func(v ledger.ReadView, w Where) error {
		root, err := ledger.ReadAccount(v, id)
		if err != nil {
			return err
		}
		if root == nil {
			return fmt.Errorf("account %s: %w", id, ErrNotFound)
		}
		out = Account{w, root.Copy()}
		return nil
	})
	return out, err
}

// Entry reads any entry by its index; it is shared and must not be changed.
func (q *Querier) Entry(key protocol.Hash, r Ref) (protocol.Entry, Where, error) {
	var out protocol.Entry
	var at Where
	err := q.view(r, func(v ledger.ReadView, w Where) error {
		e, err := v.Read(key)
		if err == nil && e == nil {
			err = fmt.Errorf("entry %s: %w", key, ErrNotFound)
		}
		out, at = e, w
		return err
	})
	return out, at, err
}
