package ingest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"ledgerlab/node/ledger"
	"ledgerlab/node/protocol"
)

// OpenLedger publishes the open view. rippled: OpenLedger.
type OpenLedger struct {
	now     func() time.Time
	modify  sync.Mutex // one writer at a time
	current atomic.Pointer[ledger.OpenView]
}

// NewOpenLedger starts with an empty open ledger on a closed one.
func NewOpenLedger(closed *ledger.Ledger, now func() time.Time) *OpenLedger {
	o := &OpenLedger{now: now}
	o.current.Store(ledger.NewOpenView(closed))
	return o
}

// Current returns the open view, acquired; it never changes. The caller releases it.
func (o *OpenLedger) Current() *ledger.OpenView {
	for {
		if v := o.current.Load(); v.Acquire() {
			return v
		}
	}
}

// Count is the number of transactions in the open ledger.
func (o *OpenLedger) Count() int {
	v := o.Current()
	defer v.Release()
	return v.TxCount()
}

// Modify copies the view, lets f change the copy and publishes it when f says that it changed and did not fail. It
// returns the time of the copy and of f.
func (o *OpenLedger) Modify(f func(v *ledger.OpenView) (changed bool, err error)) (copied, worked time.Duration, err error) {
	o.modify.Lock()
	defer o.modify.Unlock()
	start := o.now()
	next := o.current.Load().Clone()
	mid := o.now()
	changed, err := f(next)
	worked = o.now().Sub(mid)
	if err != nil || !changed {
		next.Release()
		return mid.Sub(start), worked, err
	}
	o.publish(next)
	return mid.Sub(start), worked, nil
}

// publish swaps the view; the old one lives until its last reader lets go.
func (o *OpenLedger) publish(next *ledger.OpenView) { o.current.Swap(next).Release() }

// replace builds a new view on a closed ledger and publishes it, while no one can modify the old one.
func (o *OpenLedger) replace(closed *ledger.Ledger, f func(old, next *ledger.OpenView) error) error {
	o.modify.Lock()
	defer o.modify.Unlock()
	next := ledger.NewOpenView(closed)
	if err := f(o.current.Load(), next); err != nil {
		next.Release()
		return fmt.Errorf("open ledger on %d: %w", closed.Sequence(), err)
	}
	o.publish(next)
	return nil
}

func (o *OpenLedger) close() { o.current.Load().Release() }

// parentOf is the hash of the closed ledger below the open one: the salt of held transactions.
func (o *OpenLedger) parentOf() protocol.Hash {
	v := o.Current()
	defer v.Release()
	return v.Header().ParentHash
}
