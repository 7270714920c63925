package family

import (
	"crypto/sha512"
	"encoding/binary"
	"errors"
	"fmt"

	"ledgerlab/shamap"
	"ledgerlab/store"
)

var _ shamap.Healer = (*Family)(nil)

// Repair says how corrupt objects are healed: Get asks others for the bytes under a hash, and Told hears of each corrupt
// object, with what became of it. Either may be nil. It must be set before the first read.
type Repair struct {
	Get  func(h Hash) ([]byte, error)
	Told func(h Hash, cause, unrepaired error)
}

// SetRepair sets how corrupt objects are healed.
func (f *Family) SetRepair(r Repair) { f.repair = r }

// errNoRepair is healing where there is nobody to ask.
var errNoRepair = errors.New("family: nobody to ask for a copy")

// Heal replaces an object whose stored bytes do not belong to its hash by what others have, and returns that. The
// replacement goes to the writable generation, which is asked before the archive.
func (f *Family) Heal(h Hash, cause error) ([]byte, error) {
	f.corrupt.Add(1)
	b, err := f.replace(h)
	if err == nil {
		f.repaired.Add(1)
	}
	if f.repair.Told != nil {
		f.repair.Told(h, cause, err)
	}
	return b, err
}

func (f *Family) replace(h Hash) ([]byte, error) {
	if f.repair.Get == nil {
		return nil, errNoRepair
	}
	b, err := f.repair.Get(h)
	if err != nil {
		return nil, fmt.Errorf("family: repair %X: %w", h, err)
	}
	if sum := sha512.Sum512(b); Hash(sum[:32]) != h {
		return nil, fmt.Errorf("family: repair %X: the copy hashes to %X", h, sum[:32])
	}
	if f.objects != nil {
		f.objects.cache.Delete(h)
	}
	batch := store.NewBatch(len(b))
	batch.PutObject(objectType(b), h, b)
	if err := f.db.Replace(batch); err != nil {
		return nil, err
	}
	return b, nil
}

// objectType reads the type of an object off its prefix; an inner node is stored without one.
func objectType(b []byte) store.ObjectType {
	if len(b) < 4 {
		return store.Unknown
	}
	switch binary.BigEndian.Uint32(b) {
	case 0x4C575200: // LWR
		return store.Ledger
	case 0x4D4C4E00: // MLN
		return store.AccountNode
	case 0x534E4400, 0x54584E00: // SND, TXN
		return store.TxNode
	}
	return store.Unknown
}
