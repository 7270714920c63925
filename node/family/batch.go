package family

import (
	"ledgerlab/shamap"
	"ledgerlab/store"
)

// Batch collects what one or several flushes write and commits it at once. It is a shamap.Sink, for one goroutine.
type Batch struct {
	f *Family
	b *store.Batch
}

var (
	_ shamap.Sink        = (*Batch)(nil)
	_ shamap.BatchSource = (*Family)(nil)
)

const batchKeepBytes = 4 << 20 // a batch that grew above this gives its memory back

// NewBatch makes an empty batch.
func (f *Family) NewBatch() *Batch { return &Batch{f: f, b: store.NewBatch(f.o.BatchBytes)} }

// Put adds a tree node in prefix form; the slice is copied.
func (b *Batch) Put(k shamap.Kind, h Hash, prefixed []byte) error {
	t := store.TxNode
	if k == shamap.KindState {
		t = store.AccountNode
	}
	b.b.PutObject(t, h, prefixed)
	return nil
}

// PutLedger adds a ledger header in prefix form under its hash.
func (b *Batch) PutLedger(h Hash, prefixed []byte) { b.b.PutObject(store.Ledger, h, prefixed) }

// Len is the number of objects collected.
func (b *Batch) Len() int { return b.b.Len() }

// Size is the number of bytes collected.
func (b *Batch) Size() int { return b.b.Size() }

// Commit writes everything collected, all or nothing, and empties the batch. With sync set it is on disk when Commit
// returns; without, Family.Sync does that later.
func (b *Batch) Commit(sync bool) error {
	if b.b.Len() == 0 {
		if sync {
			return b.f.Sync()
		}
		return nil
	}
	b.b.Sync = sync
	n, size := b.b.Len(), b.b.Size()
	if err := b.f.db.Commit(b.b); err != nil {
		return err
	}
	b.f.written.Add(uint64(n))
	b.f.writtenBytes.Add(uint64(size))
	b.f.commits.Add(1)
	b.b.Reset(batchKeepBytes)
	return nil
}

// Sync puts every commit so far on disk.
func (f *Family) Sync() error { return f.db.Sync() }
