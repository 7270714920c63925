package ingest

import (
	"fmt"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ledgerlab/node/ledger"
	"ledgerlab/node/peer"
	"ledgerlab/node/protocol"
	"ledgerlab/node/tx"
)

// BenchmarkBatchSetup is the copy that precedes each batch, by the size of the open ledger (seed: OpenView.cpp:78).
func BenchmarkBatchSetup(b *testing.B) {
	for _, size := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			r := newRig(b, nil)
			defer r.stop()
			fill(b, r, size)
			b.ReportAllocs()
			for b.Loop() {
				_, _, err := r.door.open.Modify(func(*ledger.OpenView) (bool, error) { return false, nil })
				r.must(err)
			}
		})
	}
}

// fill puts signed payments into the open ledger past the queue.
func fill(b testing.TB, r *rig, n int) {
	eng, err := tx.New(tx.Options{})
	r.must(err)
	_, _, err = r.door.open.Modify(func(v *ledger.OpenView) (bool, error) {
		for i := range n {
			x := r.unsigned(i%len(r.keys), uint32(i/len(r.keys)+1))
			res, err := eng.Apply(v, x, 0)
			if err != nil || !res.Applied {
				b.Fatal(res.TER, err)
			}
		}
		return true, nil
	})
	r.must(err)
}

// unsigned is a payment with a signature nobody checks.
func (r *rig) unsigned(from int, seq uint32) *protocol.Transaction {
	o := new(protocol.Object)
	o.SetUint16(protocol.FieldTransactionType, uint16(protocol.TxPayment))
	o.SetUint32(protocol.FieldFlags, 0)
	o.SetUint32(protocol.FieldSequence, seq)
	o.SetDrops(protocol.FieldAmount, 1)
	o.SetDrops(protocol.FieldFee, 10)
	o.SetBlob(protocol.FieldSigningPubKey, r.keys[from].Public)
	o.SetBlob(protocol.FieldTxnSignature, make([]byte, 64))
	o.SetAccountID(protocol.FieldAccount, r.keys[from].AccountID())
	o.SetAccountID(protocol.FieldDestination, r.keys[(from+1)%len(r.keys)].AccountID())
	t, err := protocol.ParseTransaction(o.Bytes())
	r.must(err)
	return t
}

// BenchmarkDoor is one transaction from the frame to the open ledger: router, parse, batch verification, fee queue,
// engine. Frames of 64, batches as they come.
func BenchmarkDoor(b *testing.B) {
	const n = 64 * 60
	r := newRig(b, nil)
	frames := make([][]peer.Tx, 0, n/64)
	for seq := uint32(1); int(seq) <= n/64; seq++ {
		var txs []*protocol.Transaction
		for a := range 64 {
			txs = append(txs, r.payment(a, seq, nil))
		}
		frames = append(frames, asPeer(txs...))
	}
	r.stop()
	var cpu time.Duration
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		r := newRig(b, func(o *Options, d *Deps) { d.Limit = func() int { return 1 << 20 } })
		b.StartTimer()
		start := cpuTime(b)
		for _, f := range frames {
			r.door.RelayIn(1, f)
		}
		waitFor(b, func() bool { return r.door.Open().Count() == n })
		cpu += cpuTime(b) - start
		b.StopTimer()
		if s := r.door.Stats(); s.Verified.Load() != n {
			b.Fatalf("verified %d of %d", s.Verified.Load(), n)
		}
		r.stop()
		b.StartTimer()
	}
	b.ReportMetric(float64(cpu.Nanoseconds())/float64(b.N)/n, "cpu-ns/tx")
}

// cpuTime is what the process has used: on a machine with other work the clock on the wall says nothing.
func cpuTime(b testing.TB) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkRouter is one frame of 68 new transactions in a full router.
func BenchmarkRouter(b *testing.B) {
	o := DefaultRouter()
	router, err := NewRouter(o)
	if err != nil {
		b.Fatal(err)
	}
	d := txFrames(68)
	now := time.Unix(1_000_000, 0)
	process := make([]bool, 68)
	for i := range o.Capacity / 68 {
		router.Arrived(1, d(i), now, process)
	}
	b.ReportAllocs()
	i := o.Capacity
	for b.Loop() {
		router.Arrived(1, d(i), now, process)
		i++
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/68, "ns/tx")
}

// txFrames makes frames of n ids that never repeat.
func txFrames(n int) func(i int) []peer.Tx {
	frame := make([]peer.Tx, n)
	return func(i int) []peer.Tx {
		for j := range frame {
			k := uint64(i*n+j) * 0x9E3779B97F4A7C15
			for b := range 8 {
				frame[j].ID[b] = byte(k >> (8 * b))
			}
		}
		return frame
	}
}
