package rotate

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"ledgerlab/node/family"
	"ledgerlab/shamap"
	"ledgerlab/shamap/payload"
	"ledgerlab/store"
	"ledgerlab/store/memdb"
)

// chain is a small chain of ledgers with real trees on a store in memory.
type chain struct {
	t      *testing.T
	rng    *rand.Rand
	folder *memdb.Folder
	db     *store.Rotating
	fam    *family.Family
	env    *shamap.Env
	state  *shamap.Map // mutable, of the newest ledger
	model  map[Hash][]byte
	gone   []Hash // keys deleted, to be created again
	seq    uint32
	hash   Hash
	past   map[uint32]past

	mu     sync.Mutex // guards health, which tests change from the side
	health Health
}

func (c *chain) setHealth(change func(h *Health)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	change(&c.health)
}

func (c *chain) getHealth() Health {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.health
}

// past is what a ledger must still say later.
type past struct {
	hash, root, txRoot Hash
	leaves             map[Hash][]byte
}

func newChain(t *testing.T, seed uint64) *chain {
	t.Helper()
	c := &chain{
		t: t, rng: rand.New(rand.NewPCG(seed, 1)), folder: memdb.NewFolder(), model: map[Hash][]byte{},
		past: map[uint32]past{}, health: Health{Full: true, Mode: "full"},
	}
	c.reopen()
	c.state = shamap.New(c.env, shamap.KindState)
	return c
}

// reopen opens the store again with empty caches.
func (c *chain) reopen() {
	c.t.Helper()
	var err error
	c.db, err = store.Open(store.Options{Dir: "db", FS: c.folder, Backend: c.folder.Open, ForwardBytes: 2000, CheckCopied: func(h Hash, _ store.ObjectType, b []byte) error {
		if half(b) != h {
			return errHash
		}
		return nil
	}})
	if err != nil {
		c.t.Fatal(err)
	}
	o := family.Default()
	o.Tree.TargetAge = time.Millisecond
	c.fam, err = family.New(o, c.db, time.Now)
	if err != nil {
		c.t.Fatal(err)
	}
	heap, err := payload.New(payload.Default())
	if err != nil {
		c.t.Fatal(err)
	}
	c.env = &shamap.Env{Heap: heap, Source: c.fam}
}

func (c *chain) check(err error) {
	if err != nil {
		c.t.Helper()
		c.t.Fatal(err)
	}
}

func (c *chain) value() []byte {
	return bytes.Repeat([]byte{byte(c.rng.Uint32())}, 12+c.rng.IntN(60))
}

// change edits the state: updates, inserts, deletes, and deleted keys that come back with their old value or a new one.
func (c *chain) change() {
	keys := slices.SortedFunc(maps.Keys(c.model), func(a, b Hash) int { return bytes.Compare(a[:], b[:]) })
	put := func(k Hash, v []byte) {
		c.check(c.state.Put(k, v))
		c.model[k] = v
	}
	for range 10 {
		put(half(binary.BigEndian.AppendUint64(nil, c.rng.Uint64())), c.value())
	}
	for i := 0; i < 6 && len(keys) > 0; i++ {
		k := keys[c.rng.IntN(len(keys))]
		switch c.rng.IntN(3) {
		case 0:
			if _, ok := c.model[k]; ok {
				c.check(c.state.Delete(k))
				delete(c.model, k)
				c.gone = append(c.gone, k)
			}
		default:
			put(k, c.value())
		}
	}
	if n := len(c.gone); n > 0 && c.rng.IntN(2) == 0 {
		k := c.gone[n-1]
		c.gone = c.gone[:n-1]
		put(k, []byte("the same value each time it comes back"))
	}
}

// close builds, stores and validates the next ledger.
func (c *chain) close() *Ledger {
	c.t.Helper()
	c.change()
	tx := shamap.New(c.env, shamap.KindTxMeta)
	for i := range 3 {
		c.check(tx.Put(half(fmt.Append(nil, c.seq, i)), fmt.Appendf(nil, "transaction %d of %d", i, c.seq)))
	}
	b := c.fam.NewBatch()
	_, err := c.state.Flush(b)
	c.check(err)
	_, err = tx.Flush(b)
	c.check(err)
	root, err := c.state.Hash()
	c.check(err)
	txRoot, err := tx.Hash()
	c.check(err)
	tx.Release()
	c.seq++
	raw := append([]byte("LWR\x00"), binary.BigEndian.AppendUint32(nil, c.seq)...)
	raw = append(raw, make([]byte, 8)...)
	raw = append(append(append(raw, c.hash[:]...), txRoot[:]...), root[:]...)
	raw = append(raw, make([]byte, headerLen-len(raw))...)
	c.hash = half(raw)
	b.PutLedger(c.hash, raw)
	c.check(b.Commit(true))
	c.past[c.seq] = past{c.hash, root, txRoot, maps.Clone(c.model)}
	c.setHealth(func(h *Health) { h.ValidatedSeq = c.seq })
	snap := c.state.Snapshot(false)
	return &Ledger{Seq: c.seq, Hash: c.hash, State: snap, Release: snap.Release}
}

// verify reads a ledger from the store alone.
func (c *chain) verify(seq uint32) error {
	p := c.past[seq]
	if ok, err := c.db.Has(p.hash); !ok || err != nil {
		return fmt.Errorf("ledger %d: header: %v, %w", seq, ok, err)
	}
	m, err := shamap.Open(c.env, shamap.KindState, p.root)
	if err != nil {
		return fmt.Errorf("ledger %d: %w", seq, err)
	}
	defer m.Release()
	n := 0
	err = m.Walk(Hash{}, func(k Hash, v []byte) bool {
		n++
		return bytes.Equal(p.leaves[k], v)
	})
	if err != nil || n != len(p.leaves) {
		return fmt.Errorf("ledger %d: %d of %d leaves: %w", seq, n, len(p.leaves), err)
	}
	txs, err := shamap.Open(c.env, shamap.KindTxMeta, p.txRoot)
	if err != nil {
		return fmt.Errorf("ledger %d: transactions: %w", seq, err)
	}
	defer txs.Release()
	if n, err := txs.Count(); err != nil || n != 3 {
		return fmt.Errorf("ledger %d: %d transactions: %w", seq, n, err)
	}
	return nil
}
