package pebbledb

import (
	"errors"
	"testing"

	"github.com/cockroachdb/pebble/v2"

	"ledgerlab/store"
	"ledgerlab/store/storetest"
)

// ledgerNodes is what a ledger of several thousand payments among 3,000 accounts writes.
const ledgerNodes = 10_000

func ledgerBatch(first int) *store.Batch {
	b := store.NewBatch(0)
	for i := range ledgerNodes {
		b.PutObject(store.AccountNode, storetest.Key(first+i), storetest.Value(i))
	}
	return b
}

func benchDB(b *testing.B) *DB {
	b.Helper()
	db, err := Open(Options{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		if err := db.Close(); err != nil {
			b.Error(err)
		}
	})
	return db
}

func BenchmarkCommitLedger(b *testing.B) {
	for _, sync := range []bool{false, true} {
		name := "written"
		if sync {
			name = "synced"
		}
		b.Run(name, func(b *testing.B) {
			db := benchDB(b)
			n := 0
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				w := ledgerBatch(n)
				w.Sync = sync
				n += ledgerNodes
				b.StartTimer()
				if err := db.Commit(w); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "nodes/s")
			b.ReportMetric(float64(db.Stats().WrittenBytes)/float64(n), "B-written/node")
		})
	}
}

// BenchmarkRawBatch is what Pebble itself takes for the same objects: the limit of a commit.
func BenchmarkRawBatch(b *testing.B) {
	db := benchDB(b)
	n := 0
	for b.Loop() {
		b.StopTimer()
		w := ledgerBatch(n)
		n += ledgerNodes
		raw := db.db.NewBatchWithSize(w.Size() + 16*w.Len())
		b.StartTimer()
		err := w.Each(func(h store.Hash, v []byte) error { return raw.Set(h[:], v, nil) })
		if err = errors.Join(err, raw.Commit(pebble.NoSync), raw.Close()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "nodes/s")
}

// BenchmarkGetCold reads from a database that was just opened, its block cache empty; the pages are the kernel's.
func BenchmarkGetCold(b *testing.B) {
	dir := b.TempDir()
	fill, err := Open(Options{Dir: dir})
	if err != nil {
		b.Fatal(err)
	}
	for i := range 20 {
		if err := fill.Commit(ledgerBatch(i * ledgerNodes)); err != nil {
			b.Fatal(err)
		}
	}
	if err := fill.Close(); err != nil {
		b.Fatal(err)
	}
	var buf []byte
	i, each := 0, 2000
	for b.Loop() {
		b.StopTimer()
		db, err := Open(Options{Dir: dir})
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		for range each {
			if buf, err = db.Get(storetest.Key(i*7919%(20*ledgerNodes)), buf[:0]); err != nil {
				b.Fatal(err)
			}
			i++
		}
		b.StopTimer()
		if err := db.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(i), "ns/get")
}

func BenchmarkGet(b *testing.B) {
	db := benchDB(b)
	for i := range 20 {
		if err := db.Commit(ledgerBatch(i * ledgerNodes)); err != nil {
			b.Fatal(err)
		}
	}
	keys := make([]store.Hash, 20*ledgerNodes)
	for i := range keys {
		keys[i] = storetest.Key(i)
	}
	var buf []byte
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if buf, err = db.Get(keys[i*7919%len(keys)], buf[:0]); err != nil {
			b.Fatal(err)
		}
		i++
	}
}

func BenchmarkHasAbsent(b *testing.B) {
	db := benchDB(b)
	for i := range 20 {
		if err := db.Commit(ledgerBatch(i * ledgerNodes)); err != nil {
			b.Fatal(err)
		}
	}
	i := 1 << 40
	for b.Loop() {
		if ok, err := db.Has(storetest.Key(i)); ok || err != nil {
			b.Fatal(ok, err)
		}
		i++
	}
}
