package lab

import (
	"context"
	"fmt"
	"sort"
	"sync"

	recordv1 "ledgerlab/proto/record/v1"
)

// watcher gathers the records of one run: it writes them to events.ndjson and
// keeps what the run itself must know.
type watcher struct {
	log  *eventLog
	base Event
	arms []string

	mu struct {
		sync.Mutex
		sweeps    []int
		rotations []int
		hashes    []map[uint32]string
		lost      uint64
	}
}

func newWatcher(log *eventLog, rec *RunRecord) *watcher {
	w := &watcher{log: log, base: Event{Block: rec.Block, Attempt: rec.Attempt, Position: rec.Position}, arms: rec.Arms}
	n := len(rec.Arms)
	w.mu.sweeps, w.mu.rotations = make([]int, n), make([]int, n)
	w.mu.hashes = make([]map[uint32]string, n)
	for i := range w.mu.hashes {
		w.mu.hashes[i] = map[uint32]string{}
	}
	return w
}

// follow streams the records of node until ctx ends. A node that dies ends its
// stream; the death itself is reported by the cluster.
func (w *watcher) follow(ctx context.Context, c Cluster, node int) error {
	return c.Watch(ctx, node, watchedKinds, func(r *recordv1.Record, lost uint64) {
		e := w.base
		e.Node, e.Arm = node, w.arms[node]
		w.log.add(e, r)
		w.mu.Lock()
		defer w.mu.Unlock()
		w.mu.lost += lost
		switch b := r.GetBody().(type) {
		case *recordv1.Record_Sweep:
			w.mu.sweeps[node]++
		case *recordv1.Record_Rotation:
			if rotated(b.Rotation) {
				w.mu.rotations[node]++
			}
		case *recordv1.Record_Ledger:
			w.mu.hashes[node][b.Ledger.GetSeq()] = b.Ledger.GetHash()
		}
	})
}

// progress is a copy of the counts so far.
func (w *watcher) progress() (sweeps, rotations []int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]int(nil), w.mu.sweeps...), append([]int(nil), w.mu.rotations...)
}

func (w *watcher) lost() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.mu.lost
}

// maxDiverged bounds the list of diverging ledgers in a run record.
const maxDiverged = 20

// agreement compares, ledger by ledger, the validated hashes of all nodes.
// Ledgers at the edges that a node had not yet, or no longer, reported count
// as missing only between the first and last ledger that all nodes share.
func (w *watcher) agreement() Agreement {
	w.mu.Lock()
	defer w.mu.Unlock()
	a := Agreement{}
	seqs := map[uint32]bool{}
	low, high := uint32(0), ^uint32(0)
	for _, node := range w.mu.hashes {
		first, last := ^uint32(0), uint32(0)
		for seq := range node {
			seqs[seq] = true
			first, last = min(first, seq), max(last, seq)
		}
		low, high = max(low, first), min(high, last)
	}
	order := make([]uint32, 0, len(seqs))
	for seq := range seqs {
		order = append(order, seq)
	}
	sort.Slice(order, func(i, j int) bool { return order[i] < order[j] })
	for _, seq := range order {
		ref, from := "", 0
		for node, hashes := range w.mu.hashes {
			h, ok := hashes[seq]
			switch {
			case !ok && seq >= low && seq <= high:
				a.Missing++
			case !ok:
			case ref == "":
				ref, from = h, node
			default:
				a.Compared++
				if h != ref && len(a.Diverged) < maxDiverged {
					a.Diverged = append(a.Diverged, fmt.Sprintf("ledger %d: node %d has %s, node %d has %s", seq, from, ref, node, h))
				}
			}
		}
	}
	a.Ledgers = len(order)
	if len(order) > 0 {
		a.First, a.Last = order[0], order[len(order)-1]
	}
	a.OK = len(a.Diverged) == 0 && a.Compared > 0
	return a
}
