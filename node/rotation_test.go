package node

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ledgerlab/node/config"
	"ledgerlab/node/rotate"
	"ledgerlab/store"
	"ledgerlab/store/pebbledb"
)

// benchAccounts is 200,000, or what LEDGERLAB_BENCH_ACCOUNTS says.
func benchAccounts(b *testing.B) int { return countFromEnv(b, "LEDGERLAB_BENCH_ACCOUNTS", 200_000) }

// BenchmarkRotation copies a state forward, as a node does every
// store.online_delete ledgers; one op is one rotation on Pebble. "raw" writes the
// same objects, already encoded and sorted, in batches of the same size into an empty
// database: the limit.
func BenchmarkRotation(b *testing.B) {
	dir := b.TempDir()
	if _, err := MakeState(StateSpec{Dir: dir, NetworkID: 20100, Accounts: stateAccounts(benchAccounts(b))}, time.Now); err != nil {
		b.Fatal(err)
	}
	n, r, last := benchRotator(b, dir)
	b.Run("rotate", func(b *testing.B) {
		cpu, nodes, written := processCPU(b), uint64(0), n.store.db.Stats()
		bytes := uint64(0)
		for b.Loop() {
			if _, err := r.Rotate(b.Context()); err != nil {
				b.Fatal(err)
			}
			if last.Result != rotate.Rotated {
				b.Fatalf("%+v", last)
			}
			n.store.family.Tree().Clear()
			nodes += last.Nodes
			bytes += n.store.db.Stats().Archive.WrittenBytes // of the generation that was filled
		}
		now := n.store.db.Stats()
		b.ReportMetric(float64((processCPU(b)-cpu).Nanoseconds())/float64(nodes), "cpu-ns/node")
		b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
		b.ReportMetric(float64(bytes)/float64(now.WriteBytes-written.WriteBytes), "write-amp")
		b.ReportMetric(float64(last.LockHoldMax.Microseconds()), "max-hold-us")
		b.ReportMetric(float64(last.Copied)/float64(last.Nodes), "copied/node")
	})
	b.Run("raw", func(b *testing.B) { rawBatches(b, filepath.Join(storeFolder(dir), n.store.db.State().Archive)) })
}

// benchRotator opens a prepared state and a rotator that is offered its ledger until the benchmark ends.
func benchRotator(b *testing.B, dir string) (*Node, *rotate.Rotator, *rotate.Info) {
	b.Helper()
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
	last := new(rotate.Info)
	o := rotate.Default()
	o.OnlineDelete = 8
	r, err := rotate.New(o, rotate.Deps{
		Store: st.db, CacheKeys: st.family.Tree().Keys, Now: time.Now, TakeHoldMax: n.takeHoldMax,
		Health: func(uint32) rotate.Health { return rotate.Health{Standalone: true} },
		Done:   func(i rotate.Info) { *last = i },
	})
	if err != nil {
		b.Fatal(err)
	}
	go func() { _ = r.Run(b.Context()) }()
	go func() { // a request waits for the next validated ledger
		for b.Context().Err() == nil {
			l.Acquire()
			r.Validated(rotationLedger(l))
			time.Sleep(10 * time.Millisecond)
		}
	}()
	return n, r, last
}

// rawBatches reads a generation of a copy of a store and writes it into empty databases.
func rawBatches(b *testing.B, generation string) {
	copied := b.TempDir()
	if err := os.CopyFS(copied, os.DirFS(generation)); err != nil {
		b.Fatal(err)
	}
	from, err := pebbledb.Open(pebbledb.Options{Dir: copied})
	if err != nil {
		b.Fatal(err)
	}
	var batches []*store.Batch
	objects := 0
	err = from.Each(func(h store.Hash, value []byte) error {
		if len(batches) == 0 || batches[len(batches)-1].Size() >= 256<<10 {
			batches = append(batches, store.NewBatch(260<<10))
		}
		batches[len(batches)-1].Put(h, value)
		objects++
		return nil
	})
	if err = errors.Join(err, from.Close()); err != nil {
		b.Fatal(err)
	}
	cpu, rounds := processCPU(b), 0
	for b.Loop() {
		to, err := pebbledb.Open(pebbledb.Options{Dir: b.TempDir()})
		if err != nil {
			b.Fatal(err)
		}
		for _, w := range batches {
			if err := to.Commit(w); err != nil {
				b.Fatal(err)
			}
		}
		if err := errors.Join(to.Sync(), to.Close()); err != nil {
			b.Fatal(err)
		}
		rounds++
	}
	b.ReportMetric(float64((processCPU(b)-cpu).Nanoseconds())/float64(objects*rounds), "cpu-ns/node")
	b.ReportMetric(float64(objects*rounds)/b.Elapsed().Seconds(), "nodes/s")
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
