package check

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"ledgerlab/node/history"
	"ledgerlab/node/protocol"
	"ledgerlab/store/memdb"
	"ledgerlab/store/pebbledb"
)

// KindIndex is an entry of the history index.
const KindIndex Kind = "index entry"

// indexName is the index's folder inside a generation.
const indexName = "index"

// Span is a range of ledgers, both ends included.
type Span = history.Span

// openIndex opens the history index of both generations, if the node kept one. It
// tells ledgers that were lost from those that the node never had.
func (s *opened) openIndex(o Options, dir string, r *Report) (err error) {
	s.index, err = history.New(history.Options{
		Generations: func() (writable, archive string) { return s.state.Writable, s.state.Archive },
		Open: func(generation string) (history.Backend, error) {
			at := path.Join(dir, generation, indexName)
			b, err := o.OpenIndex(at)
			if errors.Is(err, fs.ErrNotExist) {
				return memdb.New(), nil
			}
			if err != nil && !inUse(err) {
				r.Notes = append(r.Notes, fmt.Sprintf("%s cannot be read, the next start makes it anew: %s", at, oneLine(err)))
				return memdb.New(), nil
			}
			return b, err
		},
	})
	if err != nil {
		return err
	}
	if err := s.index.Follow(); err != nil {
		return err
	}
	held, err := s.index.Held(0, s.state.Validated.Seq)
	if err != nil {
		r.Notes = append(r.Notes, "the index cannot be read: "+oneLine(err))
		return nil
	}
	if n := len(held); n > 0 {
		s.indexed = held[n-1].Last
	}
	return nil
}

func openIndexFile(dir string, cacheBytes int64) (history.Backend, error) {
	if _, err := os.Stat(dir); err != nil {
		return nil, err
	}
	o := pebbledb.Default()
	o.Dir, o.BlockCacheBytes, o.ReadOnly = dir, cacheBytes, true
	return pebbledb.Open(o)
}

// entered is what the index says of a ledger; known is false without an index and
// above its newest entry, and then a ledger that is not in it may be one that was lost.
func (s *opened) entered(seq uint32) (id hash, held, known bool) {
	if seq > s.indexed {
		return id, false, false
	}
	f, ok, err := s.index.Ledger(seq)
	return hash(f.Hash), ok, err == nil
}

// checkEntry compares the index with the chain.
func (w *walk) checkEntry(seq uint32, id hash) {
	said, held, _ := w.s.entered(seq)
	if !held || said == id {
		return
	}
	w.rep.damage(w.o.NamedMax, Finding{
		Fault: Wrong, Kind: KindIndex, Key: fmt.Sprintf("of ledger %d", seq), First: seq, Last: seq,
		Detail: fmt.Sprintf("it says %s, the chain %s", protocol.Hash(said), protocol.Hash(id)),
	})
}

// notHeld notes a ledger that the node never had.
func (r *Report) notHeld(seq uint32) {
	if n := len(r.NotHeld); n > 0 && r.NotHeld[n-1].First == seq+1 {
		r.NotHeld[n-1].First = seq
		return
	}
	r.NotHeld = append(r.NotHeld, Span{First: seq, Last: seq})
}
