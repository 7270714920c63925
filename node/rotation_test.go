package node

import (
	"log/slog"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ledgerlab/node/config"
	"ledgerlab/node/rotate"
)

// BenchmarkRotation copies the state of 200,000 accounts forward, as a node does
// every store.online_delete ledgers; one op is one rotation on Pebble.
func BenchmarkRotation(b *testing.B) {
	dir := b.TempDir()
	if _, err := MakeState(StateSpec{Dir: dir, NetworkID: 20100, Accounts: stateAccounts(200_000)}, time.Now); err != nil {
		b.Fatal(err)
	}
	reg, err := config.NewRegistry(nil)
	if err != nil {
		b.Fatal(err)
	}
	cfg := config.Default()
	cfg.DataDir = dir
	log := slog.New(slog.DiscardHandler)
	st, err := openStorage(cfg, reg, log, time.Now, func(err error) { b.Error(err) })
	if err != nil {
		b.Fatal(err)
	}
	n := &Node{cfg: cfg, flags: reg, log: log, now: time.Now, store: st}
	for _, step := range []func() error{n.newJobs, n.newChain} {
		if err := step(); err != nil {
			b.Fatal(err)
		}
	}
	l := n.chain.Validated()
	var last rotate.Info
	o := rotate.Default()
	o.OnlineDelete = 8
	r, err := rotate.New(o, rotate.Deps{
		Store: st.db, CacheKeys: st.family.Tree().Keys, Now: time.Now, Health: func(uint32) rotate.Health { return rotate.Health{Standalone: true} },
		Done: func(i rotate.Info) { last = i },
	})
	if err != nil {
		b.Fatal(err)
	}
	go func() { _ = r.Run(b.Context()) }()
	go func() { // a request waits for the next validated ledger
		for b.Context().Err() == nil {
			l.Acquire()
			r.Validated(rotationLedger(l))
			time.Sleep(100 * time.Millisecond)
		}
	}()
	cpu, nodes := processCPU(b), uint64(0)
	for b.Loop() {
		if _, err := r.Rotate(b.Context()); err != nil {
			b.Fatal(err)
		}
		if last.Result != rotate.Rotated {
			b.Fatalf("%+v", last)
		}
		st.family.Tree().Clear()
		nodes += last.Nodes
	}
	b.ReportMetric(float64((processCPU(b)-cpu).Nanoseconds())/float64(nodes), "cpu-ns/node")
	b.ReportMetric(float64(last.Nodes), "nodes/op")
	b.ReportMetric(float64(last.Copied), "copied/op")
}

// processCPU is what the process has used, its background work included.
func processCPU(b *testing.B) time.Duration {
	b.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
