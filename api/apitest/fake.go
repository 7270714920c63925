package apitest

import (
	"context"
	"fmt"
	"maps"
	"net"
	"slices"
	"sync"

	"ledgerlab/api"
	"ledgerlab/node/config"
	"ledgerlab/node/record"
)

// Fake is an api.Backend. A nil func answers api.ErrUnsupported, and Info an
// empty Info.
type Fake struct {
	OnInfo        func() (api.Info, error)
	OnSweep       func() (*record.Sweep, error)
	OnTrim        func(method string, pad int64) (*record.Trim, error)
	OnRotate      func() (uint32, error)
	OnMemory      func(full bool) (api.Memory, error)
	OnWaits       func() ([]*record.Place, error)
	OnFault       func(api.LinkFault) (int, error)
	OnSubmit      func(blobs [][]byte, mode api.SubmitMode, failHard bool) (func() ([]api.SubmitResult, error), error)
	OnTransaction func(id [32]byte) (api.TxStatus, error)
	OnAccountTxs  func(q api.AccountTxQuery) (api.AccountTxs, error)
	OnAccount     func(address string, ref api.LedgerRef) (api.Account, error)
	OnStatePage   func(ref api.LedgerRef, marker [32]byte, limit int) (api.StatePage, error)
	OnLedger      func(ref api.LedgerRef, withTx bool) (api.LedgerInfo, error)
	OnAccept      func() (uint32, [32]byte, error)
	OnShutdown    func(reason string)

	mu struct {
		sync.Mutex
		next     int
		watchers map[int]func(api.ValidatedLedger)
	}
}

func orUnsupported[T any](fn func() (T, error)) (T, error) {
	if fn == nil {
		var zero T
		return zero, api.ErrUnsupported
	}
	return fn()
}

// Info implements api.Backend.
func (f *Fake) Info(context.Context) (api.Info, error) {
	if f.OnInfo == nil {
		return api.Info{}, nil
	}
	return f.OnInfo()
}

// Sweep implements api.Backend.
func (f *Fake) Sweep(context.Context) (*record.Sweep, error) { return orUnsupported(f.OnSweep) }

// Trim implements api.Backend.
func (f *Fake) Trim(_ context.Context, method string, pad int64) (*record.Trim, error) {
	if f.OnTrim == nil {
		return nil, api.ErrUnsupported
	}
	return f.OnTrim(method, pad)
}

// Rotate implements api.Backend.
func (f *Fake) Rotate(context.Context) (uint32, error) { return orUnsupported(f.OnRotate) }

// Memory implements api.Backend.
func (f *Fake) Memory(_ context.Context, full bool) (api.Memory, error) {
	if f.OnMemory == nil {
		return api.Memory{}, api.ErrUnsupported
	}
	return f.OnMemory(full)
}

// Waits implements api.Backend.
func (f *Fake) Waits(context.Context) ([]*record.Place, error) { return orUnsupported(f.OnWaits) }

// Fault implements api.Backend.
func (f *Fake) Fault(_ context.Context, lf api.LinkFault) (int, error) {
	if f.OnFault == nil {
		return 0, api.ErrUnsupported
	}
	return f.OnFault(lf)
}

// Submit implements api.Backend.
func (f *Fake) Submit(_ context.Context, blobs [][]byte, mode api.SubmitMode, failHard bool) (func() ([]api.SubmitResult, error), error) {
	if f.OnSubmit == nil {
		return nil, api.ErrUnsupported
	}
	return f.OnSubmit(blobs, mode, failHard)
}

// Transaction implements api.Backend.
func (f *Fake) Transaction(_ context.Context, id [32]byte) (api.TxStatus, error) {
	if f.OnTransaction == nil {
		return api.TxStatus{}, api.ErrUnsupported
	}
	return f.OnTransaction(id)
}

// AccountTransactions implements api.Backend.
func (f *Fake) AccountTransactions(_ context.Context, q api.AccountTxQuery) (api.AccountTxs, error) {
	if f.OnAccountTxs == nil {
		return api.AccountTxs{}, api.ErrUnsupported
	}
	return f.OnAccountTxs(q)
}

// Account implements api.Backend.
func (f *Fake) Account(_ context.Context, address string, ref api.LedgerRef) (api.Account, error) {
	if f.OnAccount == nil {
		return api.Account{}, api.ErrUnsupported
	}
	return f.OnAccount(address, ref)
}

// StatePage implements api.Backend.
func (f *Fake) StatePage(_ context.Context, ref api.LedgerRef, marker [32]byte, limit int) (api.StatePage, error) {
	if f.OnStatePage == nil {
		return api.StatePage{}, api.ErrUnsupported
	}
	return f.OnStatePage(ref, marker, limit)
}

// Ledger implements api.Backend.
func (f *Fake) Ledger(_ context.Context, ref api.LedgerRef, withTx bool) (api.LedgerInfo, error) {
	if f.OnLedger == nil {
		return api.LedgerInfo{}, api.ErrNotFound
	}
	return f.OnLedger(ref, withTx)
}

// WatchLedgers implements api.Backend.
func (f *Fake) WatchLedgers(fn func(api.ValidatedLedger)) (cancel func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.mu.watchers == nil {
		f.mu.watchers = map[int]func(api.ValidatedLedger){}
	}
	id := f.mu.next
	f.mu.next++
	f.mu.watchers[id] = fn
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.mu.watchers, id)
	}
}

// Publish gives a validated ledger to every watcher.
func (f *Fake) Publish(l api.ValidatedLedger) {
	f.mu.Lock()
	fns := slices.Collect(maps.Values(f.mu.watchers))
	f.mu.Unlock()
	for _, fn := range fns {
		fn(l)
	}
}

// Watchers is how many there are now.
func (f *Fake) Watchers() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.mu.watchers)
}

// Accept implements api.Backend.
func (f *Fake) Accept(context.Context) (uint32, [32]byte, error) {
	if f.OnAccept == nil {
		return 0, [32]byte{}, api.ErrUnsupported
	}
	return f.OnAccept()
}

// Shutdown implements api.Backend.
func (f *Fake) Shutdown(reason string) {
	if f.OnShutdown != nil {
		f.OnShutdown(reason)
	}
}

// Node is a Fake that is being served.
type Node struct {
	Addr    string
	Server  *api.Server
	Flags   *config.Registry
	Records *record.Recorder

	cancel context.CancelFunc
	done   chan error
	stop   sync.Once
	err    error
}

// Serve serves f on addr; "" takes a free loopback port. o gives further options;
// its backend, flags and records are filled in.
func Serve(f *Fake, addr string, o api.Options) (*Node, error) {
	if addr == "" {
		addr = "127.0.0.1:0"
	}
	n := &Node{done: make(chan error, 1)}
	var err error
	if n.Flags, err = config.NewRegistry(nil); err != nil {
		return nil, err
	}
	if n.Records, err = record.New(record.Options{Node: "fake", Run: 1, Ring: 256}); err != nil {
		return nil, err
	}
	o.Backend, o.Flags, o.Records = f, n.Flags, n.Records
	if n.Server, err = api.New(o); err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("fake node: %w", err)
	}
	n.Addr = l.Addr().String()
	n.Server.SetServing(true)
	var ctx context.Context
	ctx, n.cancel = context.WithCancel(context.Background())
	go func() { n.done <- n.Server.Serve(ctx, l) }()
	return n, nil
}

// Stop ends the server and waits for it. It may be called again.
func (n *Node) Stop() error {
	n.stop.Do(func() {
		n.cancel()
		n.err = <-n.done
	})
	return n.err
}
