package txq

import (
	"fmt"
	"runtime"
	"testing"

	"ledgerlab/node/protocol"
	"ledgerlab/shamap/payload"
)

// TestTrialM13 fills the queue with transactions that carry large memos: it refuses beyond its bytes with the
// queue-full result, and what it counts is what the process holds for it, Go memory and payload heap together.
func TestTrialM13(t *testing.T) {
	for _, kind := range []string{"go", "c"} {
		for _, memo := range []int{0, 900} {
			t.Run(fmt.Sprintf("heap=%s/memo=%d", kind, memo), func(t *testing.T) { bytesMatch(t, kind, memo) })
		}
	}
	t.Run("refuses beyond the limit", byteLimit)
}

func bytesMatch(t *testing.T, kind string, memo int) {
	heap, err := payload.NewHeap(kind)
	if err != nil {
		t.Skip(err) // no C memory in this build
	}
	b := newBench(t, 2000, func(o *Options) { o.Initial = 1; o.QueueMin = 1 << 20; o.Heap = heap })
	for i := range 2 {
		b.submit(b.make(txSpec{account: i, seq: 1, fee: 10}))
	}
	blobs := make([][]byte, 0, 10_000)
	for a := 2; a < 1000; a++ {
		for s := range 10 {
			blobs = append(blobs, b.make(txSpec{account: a, seq: uint32(s + 1), fee: 10, memoBytes: memo}).Blob())
		}
	}
	before := heapBytes()
	for _, blob := range blobs {
		x, err := protocol.ParseTransaction(append([]byte(nil), blob...))
		b.must(err)
		if ter := b.submit(x); ter != protocol.TerQUEUED {
			t.Fatal(ter)
		}
	}
	used := int64(heapBytes() - before)
	if kind == "c" {
		used += heap.Stats().ByTag[payload.TagQueue].UsableBytes
	}
	ratio := float64(b.q.Bytes()) / float64(used)
	n := b.q.Len()
	t.Logf("%d transactions, counted %d bytes each, held %d each: %.2f", n, b.q.Bytes()/int64(n), used/int64(n), ratio)
	if ratio < 0.9 || ratio > 1.1 {
		t.Errorf("counted bytes are off by more than 10 %%")
	}
	runtime.KeepAlive(blobs)
	if s := heap.Stats().ByTag[payload.TagQueue]; s.Live != int64(n) {
		t.Errorf("%d transactions, %d blobs under the tag queue", n, s.Live)
	}
	b.q.Close()
	if err := heap.Close(); err != nil {
		t.Error(err)
	}
}

func heapBytes() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func byteLimit(t *testing.T) {
	b := newBench(t, 300, func(o *Options) { o.Initial = 1; o.MaxBytes = 200_000 })
	for i := range 2 {
		b.submit(b.make(txSpec{account: i, seq: 1, fee: 10}))
	}
	counts := map[protocol.TER]int{}
	for a := 2; a < 250; a++ {
		counts[b.submit(b.make(txSpec{account: a, seq: 1, fee: 11, memoBytes: 900}))]++
	}
	if counts[protocol.TelCAN_NOT_QUEUE_FULL] == 0 || b.q.Bytes() > 200_000 {
		t.Errorf("%v, %d bytes", counts, b.q.Bytes())
	}
	n := b.q.Len()
	// One that pays more makes room for itself; one as cheap and huge does not, and costs nobody his place.
	if ter := b.submit(b.make(txSpec{account: 260, seq: 1, fee: 20, memoBytes: 900})); ter != protocol.TerQUEUED {
		t.Errorf("better paying: %s", ter)
	}
	if ter := b.submit(b.make(txSpec{account: 261, seq: 1, fee: 11, memoBytes: 1000})); ter != protocol.TelCAN_NOT_QUEUE_FULL {
		t.Errorf("no better: %s", ter)
	}
	if b.q.Len() != n || b.q.Bytes() > 200_000 {
		t.Errorf("%d queued, %d bytes", b.q.Len(), b.q.Bytes())
	}
	b.q.check(t)
}
