package node

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"

	"ledgerlab/node/history"
	"ledgerlab/store"
	"ledgerlab/store/pebbledb"
)

// The index is small beside the store: a payment is three short records. Sorting its
// tables again and again cost three times what writing them does, for an index that
// is read little and deleted whole.
const (
	indexCacheBytes    = 1 << 20
	indexMemTableBytes = 4 << 20
)

// indexName is the index's folder inside a generation, which is deleted with it.
const indexName = "index"

// historian enters validated ledgers into the index, behind consensus.
type historian struct {
	ix   *history.Index
	wake chan struct{}
	mu   struct {
		sync.Mutex
		from uint32 // ledgers from here on are looked at again, 0: none
	}
}

// newHistory opens the index of both generations.
func (n *Node) newHistory() (err error) {
	if !n.flags.Bool("store.index") {
		return nil
	}
	db := n.store.db
	n.history = &historian{wake: make(chan struct{}, 1)}
	n.history.ix, err = history.New(history.Options{
		Generations: func() (writable, archive string) {
			s := db.State()
			return s.Writable, s.Archive
		},
		Open: n.openIndex,
	})
	if err != nil {
		return err
	}
	return n.history.ix.Follow()
}

// openIndex opens the index of a generation. One that cannot be read is made anew:
// it says only what the ledgers say.
func (n *Node) openIndex(generation string) (history.Backend, error) {
	if n.store.folder != nil {
		b, err := n.store.folder.Open(filepath.Join("store", generation, indexName))
		if err != nil {
			return nil, err
		}
		return b.(history.Backend), nil
	}
	o := pebbledb.Default()
	o.Dir, o.BlockCacheBytes, o.MemTableBytes = filepath.Join(storeFolder(n.cfg.DataDir), generation, indexName), indexCacheBytes, indexMemTableBytes
	o.NoCompaction, o.FS = true, n.store.disk
	b, err := pebbledb.Open(o)
	if err == nil {
		return b, nil
	}
	n.log.Warn("index cannot be read and is made anew", "dir", o.Dir, "cause", err)
	if err := n.store.files.RemoveAll(o.Dir); err != nil {
		return nil, err
	}
	return pebbledb.Open(o)
}

// again makes the historian look at the ledgers from seq on.
func (h *historian) again(seq uint32) {
	if h == nil {
		return
	}
	h.mu.Lock()
	if h.mu.from == 0 || seq < h.mu.from {
		h.mu.from = seq
	}
	h.mu.Unlock()
	h.signal()
}

func (h *historian) signal() {
	if h == nil {
		return
	}
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

func (h *historian) take() uint32 {
	h.mu.Lock()
	defer h.mu.Unlock()
	from := h.mu.from
	h.mu.from = 0
	return from
}

// swapped runs between the swap of a rotation and the deletion of the old archive,
// and once before the swap.
func (n *Node) swapped() {
	if n.history == nil {
		return
	}
	if err := n.history.ix.Follow(); err != nil {
		n.log.Error("index", "err", err)
	}
	n.history.again(n.store.db.State().LastRotated + 1)
}

// enterHistory is the historian's goroutine: what was published since it looked last,
// and from the start or the last rotation on what is not entered where it must be.
func (n *Node) enterHistory(ctx context.Context) error {
	n.history.again(max(n.store.db.State().Oldest, 1))
	next := n.chain.Published() + 1
	for {
		if from := n.history.take(); from != 0 {
			next = min(next, from)
		}
		last := n.chain.Published()
		for ; next <= last && ctx.Err() == nil; next++ {
			if err := n.enterLedger(next); err != nil {
				n.log.Warn("ledger is not in the index", "seq", next, "cause", err)
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-n.history.wake:
		}
	}
}

// enterLedger enters a ledger that is here and not entered yet. One that was rotated
// past may be in the archive's index only: both go together.
func (n *Node) enterLedger(seq uint32) error {
	ix := n.history.ix
	have, err := ix.Current(seq)
	if err == nil && !have && seq <= n.store.db.State().LastRotated {
		_, have, err = ix.Ledger(seq)
	}
	if have || err != nil {
		return err
	}
	l, err := n.chain.LedgerBySeq(seq)
	if err != nil {
		return nil // not held: nothing to enter
	}
	defer l.Release()
	e, err := history.FromLedger(l)
	if err != nil {
		n.chain.Incomplete(seq, err)
		return fmt.Errorf("ledger %d: %w", seq, err)
	}
	return ix.Add(e)
}

// indexStats is what the databases of the index say of themselves, both together.
func (n *Node) indexStats() store.BackendStats {
	if n.history == nil {
		return store.BackendStats{}
	}
	return n.history.ix.Stats().Databases
}

func (n *Node) closeHistory() error {
	if n.history == nil || n.history.ix == nil {
		return nil
	}
	return n.history.ix.Close()
}
