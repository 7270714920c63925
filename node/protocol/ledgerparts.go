package protocol

// SkipListLen is the number of hashes the rolling skip list holds.
const SkipListLen = 256

// NewSkipList returns an empty LedgerHashes entry.
func NewSkipList() *Object {
	o := NewEntry(EntryLedgerHashes)
	o.SetHashes(FieldHashes, nil)
	return o
}

// PushSkipList appends the hash of ledger seq to a LedgerHashes entry and drops the oldest beyond keep; keep 0 keeps
// all, as the page of every 256th ledger does (rippled Ledger::updateSkipList).
func PushSkipList(o *Object, h Hash, seq uint32, keep int) {
	old := o.Blob(FieldHashes)
	if n := len(old)/32 + 1; keep > 0 && n > keep {
		old = old[32*(n-keep):]
	}
	b := make([]byte, 0, len(old)+32)
	o.setRaw(FieldHashes, append(append(b, old...), h[:]...))
	o.SetUint32(FieldLastLedgerSequence, seq)
}

// SkipListHash finds the hash of ledger seq in a rolling LedgerHashes entry.
func SkipListHash(o *Object, seq uint32) (Hash, bool) {
	last, ok := o.GetUint32(FieldLastLedgerSequence)
	b := o.Blob(FieldHashes)
	if !ok || seq > last || int64(last-seq) >= int64(len(b)/32) {
		return Hash{}, false
	}
	at := len(b) - 32*int(last-seq+1)
	return Hash(b[at : at+32]), true
}

// AppendTxNode appends the leaf item of a transaction with its metadata: both with their lengths.
func AppendTxNode(dst, blob, meta []byte) []byte {
	dst = append(AppendLength(dst, len(blob)), blob...)
	return append(AppendLength(dst, len(meta)), meta...)
}

// SplitTxNode splits the leaf item of a transaction with its metadata.
func SplitTxNode(item []byte) (blob, meta []byte, err error) {
	blob, rest, err := ReadVL(item)
	if err != nil {
		return nil, nil, err
	}
	meta, rest, err = ReadVL(rest)
	if err != nil {
		return nil, nil, err
	}
	if len(rest) != 0 {
		return nil, nil, fault(len(item)-len(rest), 0, "%d bytes too many", len(rest))
	}
	return blob, meta, nil
}
