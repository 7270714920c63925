package peer

import (
	"context"
	"fmt"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ledgerlab/node/protocol"
)

// BenchmarkMesh is what a transaction costs five overlays together, TLS and all, at 3,400 a second (relay.md, verify
// off): CPU of the process, generator and this test's handlers included.
func BenchmarkMesh(b *testing.B) {
	for _, mode := range []RelayMode{RelayAll, RelayHybrid} {
		for _, flush := range []time.Duration{0, 20 * time.Millisecond} {
			b.Run(fmt.Sprint(mode, "/", flush), func(b *testing.B) {
				nodes := grpcNodes(b, 5, mode)
				ctx, cancel := context.WithCancel(context.Background())
				wait := run(ctx, b, nodes)
				eventually(b, "connected", func() bool { return connected(nodes) })
				for _, n := range nodes {
					must(b, n.SetFlush(flush))
				}
				cpu, txs := time.Duration(0), 0
				for b.Loop() {
					start := cpuTime(b)
					txs += offer(b, nodes, 3400, 2*time.Second, txs)
					cpu += cpuTime(b) - start
				}
				copies := 0
				for _, n := range nodes {
					_, full := n.count()
					copies += full
				}
				b.ReportMetric(float64(cpu.Microseconds())/float64(txs), "cpu-us/tx")
				b.ReportMetric(float64(copies)/float64(txs), "copies/tx")
				cancel()
				wait()
			})
		}
	}
}

// offer sends rate transactions a second through the nodes in turn, in steps of a millisecond, and waits for the last.
func offer(b *testing.B, nodes []*testNode, rate int, d time.Duration, from int) int {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	n := 0
	start := time.Now()
	for now := range tick.C {
		want := min(int(now.Sub(start).Seconds()*float64(rate)), int(d.Seconds()*float64(rate)))
		for ; n < want; n++ {
			raw := make([]byte, 190)
			copy(raw, fmt.Sprint("transaction ", from+n))
			id := transactionID(raw)
			entry := nodes[n%len(nodes)]
			entry.mu.Lock()
			entry.got[id] = string(raw)
			entry.mu.Unlock()
			entry.Relay(Outgoing{ID: id, Blob: raw, Entry: true})
		}
		if want == int(d.Seconds()*float64(rate)) {
			break
		}
	}
	eventually(b, "relayed", func() bool {
		for _, node := range nodes {
			if u, _ := node.count(); u < from+n {
				return false
			}
		}
		return true
	})
	return n
}

func cpuTime(b testing.TB) time.Duration {
	var u unix.Rusage
	must(b, unix.Getrusage(unix.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkRelayOut is what one relayed transaction costs the entry node, to four peers, without the transport.
func BenchmarkRelayOut(b *testing.B) {
	q := newSendQueue(1<<20, 1<<30)
	m := message{kind: kindTransaction, id: protocol.Hash{1}, data: make([]byte, 190)}
	now := time.Now()
	var batch []message
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		q.push(now, whenFlushed, 1<<14, m)
		if i++; i%68 == 0 {
			batch = q.take(frameTarget, batch[:0])
			frame := make([]byte, 0, 16<<10)
			for j := range batch {
				frame = appendMessage(frame, batch[j].kind, batch[j].payload())
			}
		}
	}
}
