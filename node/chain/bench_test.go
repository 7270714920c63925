package chain

import (
	"math/rand/v2"
	"runtime"
	"syscall"
	"testing"
	"time"

	"ledgerlab/node/ledger"
	"ledgerlab/node/protocol"
	"ledgerlab/node/tx"
	"ledgerlab/store"
	"ledgerlab/store/pebbledb"
)

// cpu is the processor time of this process so far.
func cpu(b *testing.B) time.Duration {
	b.Helper()
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// BenchmarkApplyPayment applies one XRP payment with metadata, in a build of 7,600
// among 3,000 accounts.
func BenchmarkApplyPayment(b *testing.B) {
	const accounts, size = 3000, 7600
	x := newBench(b, nil)
	x.genesis(accounts)
	parent := x.m.Closed()
	defer parent.Release()
	next := sequences(accounts)
	txs := traffic(b, rand.New(rand.NewPCG(1, 1)), next, size)
	eng, err := tx.New(tx.Options{})
	x.check(err)
	b.ReportAllocs()
	b.ResetTimer()
	start := cpu(b)
	for done := 0; done < b.N; {
		v := ledger.NewBuildView(parent, size)
		for i := 0; i < size && done < b.N; i++ {
			r, err := eng.Apply(v, txs[i], tx.Retry)
			if err != nil || !r.Applied {
				b.Fatal(r, err)
			}
			done++
		}
		v.Release()
	}
	b.ReportMetric(float64(cpu(b)-start)/float64(b.N), "cpu-ns/op")
}

// BenchmarkClose7600 is the close of a ledger of 7,600 payments: canonical order,
// passes, trees, hashes, flush into one batch; the sync apart.
func BenchmarkClose7600(b *testing.B) {
	b.Run("memory", func(b *testing.B) { benchClose(b, newBench(b, nil)) })
	b.Run("pebble", func(b *testing.B) {
		dir := b.TempDir()
		db, err := store.Open(store.Options{Dir: dir, Backend: func(dir string) (store.Backend, error) {
			return pebbledb.Open(pebbledb.Options{Dir: dir})
		}})
		if err != nil {
			b.Fatal(err)
		}
		x := &bench{t: b}
		x.on(db, nil)
		benchClose(b, x)
		x.m.Close()
		x.check(db.Close())
	})
}

func benchClose(b *testing.B, x *bench) {
	const accounts, size = 3000, 7600
	x.genesis(200_000)
	next := sequences(accounts)
	rng := rand.New(rand.NewPCG(1, 1))
	var total time.Duration
	var stats BuildStats
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		txs := traffic(b, rng, next, size)
		parent := x.m.Closed()
		runtime.GC()
		b.StartTimer()
		start := cpu(b)
		r, err := x.m.BuildNow(Request{
			Parent: parent, Salt: protocol.Hash{3}, Txs: txs,
			Close: ledger.Close{Time: parent.Header().CloseTime + 3, Agreed: true},
		})
		total += cpu(b) - start
		b.StopTimer()
		if err != nil || r.Stats.Txs != size {
			b.Fatal(r.Stats, err)
		}
		stats.Apply += r.Stats.Apply
		stats.Tree += r.Stats.Tree
		stats.Flush += r.Stats.Flush
		parent.Release()
		x.check(x.m.SetClosed(r.Ledger.Hash()))
		x.m.CheckAccept(r.Ledger.Hash(), r.Ledger.Sequence(), 5)
		x.check(x.m.Advance())
		r.Ledger.Release()
		b.StartTimer()
	}
	n := float64(b.N) * 1e6
	b.ReportMetric(float64(total)/n, "cpu-ms/op")
	b.ReportMetric(float64(stats.Apply)/n, "apply-ms")
	b.ReportMetric(float64(stats.Tree)/n, "tree-ms")
	b.ReportMetric(float64(stats.Flush)/n, "flush-ms")
}
