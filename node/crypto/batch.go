package crypto

import (
	"errors"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/oasisprotocol/curve25519-voi/primitives/ed25519"
)

// BatchOptions bounds a BatchVerifier.
type BatchOptions struct {
	ExpandedKeys int // ed25519 keys kept expanded, about 1.5 KiB each; default 4,096; 0 keeps none
	MaxBatch     int // signatures of one batch beyond which Add refuses; default 256
}

// DefaultBatchOptions returns the defaults.
func DefaultBatchOptions() BatchOptions { return BatchOptions{ExpandedKeys: 4096, MaxBatch: 256} }

// Validate reports every fault.
func (o BatchOptions) Validate() error {
	var errs []error
	if o.ExpandedKeys < 0 || o.ExpandedKeys > 1<<20 {
		errs = append(errs, errors.New("ExpandedKeys is 0 to 1048576"))
	}
	if o.MaxBatch < 1 || o.MaxBatch > 1<<16 {
		errs = append(errs, errors.New("MaxBatch is 1 to 65536"))
	}
	return errors.Join(errs...)
}

// BatchStats counts what a BatchVerifier did.
type BatchStats struct {
	Signatures, Batches, FailedBatches uint64 // FailedBatches were verified one by one afterwards
	KeyHits, KeyMisses                 uint64 // of the cache of expanded keys
}

// BatchVerifier verifies many signatures at once, with the same answers as Verify under the Canonical rule. It
// belongs to one goroutine. Keys and messages must stay unchanged between Add and Verify.
type BatchVerifier struct {
	opts  BatchOptions
	items []batchItem
	ed    *ed25519.BatchVerifier
	keys  *lru.Cache[[32]byte, *ed25519.ExpandedPublicKey]
	stats BatchStats
}

type batchItem struct {
	pub, msg, sig []byte
	ed            bool // in the ed25519 batch
}

// NewBatchVerifier returns an empty verifier.
func NewBatchVerifier(opts BatchOptions) (*BatchVerifier, error) {
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	v := &BatchVerifier{opts: opts, ed: ed25519.NewBatchVerifier()}
	if opts.ExpandedKeys > 0 {
		keys, err := lru.New[[32]byte, *ed25519.ExpandedPublicKey](opts.ExpandedKeys)
		if err != nil {
			return nil, err
		}
		v.keys = keys
	}
	return v, nil
}

// Add puts a signature into the batch; false if the batch is full.
func (v *BatchVerifier) Add(pub, msg, sig []byte) bool {
	if len(v.items) >= v.opts.MaxBatch {
		return false
	}
	t, ok := KeyTypeOf(pub)
	v.items = append(v.items, batchItem{pub, msg, sig, ok && t == Ed25519 && len(sig) == ed25519.SignatureSize})
	return true
}

// Len is the number of signatures in the batch.
func (v *BatchVerifier) Len() int { return len(v.items) }

// Stats returns the counters.
func (v *BatchVerifier) Stats() BatchStats { return v.stats }

// Verify returns one verdict for each Add, in order, and empties the batch.
func (v *BatchVerifier) Verify() []bool {
	out := make([]bool, len(v.items))
	v.VerifyInto(out)
	return out
}

// VerifyInto is Verify into a slice of the caller, which has at least Len entries.
func (v *BatchVerifier) VerifyInto(out []bool) {
	v.stats.Batches++
	v.stats.Signatures += uint64(len(v.items))
	n := 0
	for i := range v.items {
		it := &v.items[i]
		if !it.ed {
			out[i] = Verify(it.pub, it.msg, it.sig, Canonical)
			continue
		}
		if v.add(it) {
			n++
		} else {
			it.ed, out[i] = false, false
		}
	}
	v.judge(out, n)
	clear(v.items) // keys and messages must not live on in the batch
	v.items = v.items[:0]
	v.ed.Reset()
}

// add puts an ed25519 signature into the batch; false if its key is no point.
func (v *BatchVerifier) add(it *batchItem) bool {
	if v.keys == nil {
		v.ed.AddWithOptions(it.pub[1:], it.msg, it.sig, edOptions)
		return true
	}
	k, ok := v.keys.Get([32]byte(it.pub[1:]))
	if ok {
		v.stats.KeyHits++
	} else {
		v.stats.KeyMisses++
		var err error
		if k, err = ed25519.NewExpandedPublicKey(it.pub[1:]); err != nil {
			return false
		}
		v.keys.Add([32]byte(it.pub[1:]), k)
	}
	v.ed.AddExpandedWithOptions(k, it.msg, it.sig, edOptions)
	return true
}

// judge fills in the verdicts of the n signatures in the ed25519 batch. A batch that fails as a whole is verified one
// by one inside the library, under the same options.
func (v *BatchVerifier) judge(out []bool, n int) {
	if n == 0 {
		return
	}
	all, each := v.ed.Verify(nil)
	if !all {
		v.stats.FailedBatches++
	}
	next := 0
	for i := range v.items {
		if v.items[i].ed {
			out[i] = each[next]
			next++
		}
	}
}
