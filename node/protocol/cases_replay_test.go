package protocol

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ledgerlab/node/casetest"
)

type replayLine struct {
	Kind         string
	TxBlob       string `json:"tx_blob"`
	Hash         string
	Header       map[string]any
	Transactions []map[string]any
	State        [][2]string
}

func TestCasesReplayCodec(t *testing.T) {
	dir := filepath.Join(casesDir(t), "replay")
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.HasPrefix(f.Name(), "replies") {
			continue
		}
		r := &replayCheck{t: t, name: f.Name(), state: map[Hash]Entry{}}
		r.file(filepath.Join(dir, f.Name()))
		casetest.Checked("replay/"+f.Name(), r.blobs+r.entries+r.metas+r.headers, fmt.Sprintf(
			"%d blobs, %d entries, %d metadata rebuilt, %d headers", r.blobs, r.entries, r.metas, r.headers))
	}
}

// replayCheck keeps the state of a chain as metadata tells it, which is enough to build every metadata blob again.
type replayCheck struct {
	t                              *testing.T
	name                           string
	state                          map[Hash]Entry
	blobs, entries, metas, headers int
}

func (r *replayCheck) file(path string) {
	f, err := os.Open(path)
	if err != nil {
		r.t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		r.t.Fatal(err)
	}
	in := bufio.NewReader(z)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 1 {
			var l replayLine
			dec := json.NewDecoder(bytes.NewReader(line))
			dec.UseNumber()
			if err := dec.Decode(&l); err != nil {
				r.t.Fatal(err)
			}
			r.line(&l)
		}
		if err == io.EOF {
			return
		}
		if err != nil {
			r.t.Fatal(err)
		}
	}
}

func (r *replayCheck) line(l *replayLine) {
	switch l.Kind {
	case "submit":
		r.blobs++
		r.tx(l.TxBlob, l.Hash)
	case "ledger":
		r.header(l.Header)
		r.ledger(l)
	}
}

func (r *replayCheck) tx(blob, id string) *Transaction {
	b := unhex(r.t, blob)
	tx, err := ParseTransaction(b)
	if err != nil {
		r.t.Fatalf("%s: %s: %v", r.name, id, err)
	}
	if id != "" && tx.ID().String() != id || !bytes.Equal(tx.Object().Bytes(), b) {
		r.t.Errorf("%s: %s: id or bytes differ", r.name, id)
	}
	if err := tx.CheckFormat(); err != nil {
		r.t.Errorf("%s: %s: %v", r.name, id, err)
	}
	return tx
}

func (r *replayCheck) header(m map[string]any) {
	h := Header{
		Sequence: uint32(number(r.t, m["ledger_index"])), Drops: number(r.t, m["total_coins"]),
		ParentHash: MustHash(m["parent_hash"].(string)), TxHash: MustHash(m["transaction_hash"].(string)),
		AccountHash: MustHash(m["account_hash"].(string)), ParentCloseTime: uint32(number(r.t, m["parent_close_time"])),
		CloseTime: uint32(number(r.t, m["close_time"])), CloseFlags: uint8(number(r.t, m["close_flags"])),
		CloseTimeResolution: uint8(number(r.t, m["close_time_resolution"])),
	}
	if h.Hash().String() != m["ledger_hash"] {
		r.t.Errorf("%s: ledger %d hashes to %s", r.name, h.Sequence, h.Hash())
	}
	r.headers++
}

func (r *replayCheck) ledger(l *replayLine) {
	seq := uint32(number(r.t, l.Header["ledger_index"]))
	type done struct {
		tx   *Transaction
		meta *Metadata
		raw  []byte
	}
	var list []done
	for _, m := range l.Transactions {
		blob, meta := m["tx_blob"], m["meta"]
		if meta == nil {
			meta = m["meta_blob"]
		}
		raw := unhex(r.t, meta.(string))
		parsed, err := ParseMetadata(raw)
		if err != nil || !bytes.Equal(parsed.Object.Bytes(), raw) {
			r.t.Fatalf("%s: metadata: %v", r.name, err)
		}
		hash, _ := m["hash"].(string)
		list = append(list, done{r.tx(blob.(string), hash), parsed, raw})
	}
	slices.SortFunc(list, func(a, b done) int { return int(a.meta.Index) - int(b.meta.Index) })
	for _, d := range list {
		r.apply(d.tx, d.meta, seq, d.raw)
	}
	for _, e := range l.State {
		raw := unhex(r.t, e[1])
		entry, err := ParseEntry(raw)
		if err != nil || !bytes.Equal(entry.AppendTo(nil), raw) || !bytes.Equal(ToObject(entry).Bytes(), raw) {
			r.t.Errorf("%s: entry %s: %v", r.name, e[0], err)
		}
		if err := CheckEntryFormat(ToObject(entry)); err != nil {
			r.t.Errorf("%s: entry %s: %v", r.name, e[0], err)
		}
		r.state[MustHash(e[0])] = entry
		r.entries++
	}
}

// apply brings the state forward as the metadata says and builds the metadata again from before and after.
func (r *replayCheck) apply(tx *Transaction, m *Metadata, seq uint32, raw []byte) {
	var nodes []AffectedNode
	for i := range m.Nodes {
		n := &m.Nodes[i]
		a := AffectedNode{Kind: n.Kind, Index: n.Index, Before: r.state[n.Index]}
		var after *Object
		switch {
		case n.Kind == NodeCreated:
			after = created(n)
		case a.Before == nil:
			r.t.Fatalf("%s: %s is not in the state", r.name, n.Index)
		default:
			after = ToObject(a.Before).Copy()
			a.ThreadOnly = n.Kind == NodeModified && n.Final == nil
			if n.Final != nil {
				takeFinal(after, n.Final)
			}
		}
		if n.Kind != NodeDeleted && IsThreaded(n.EntryType, false) {
			after.SetHash(FieldPreviousTxnID, tx.ID())
			after.SetUint32(FieldPreviousTxnLgrSeq, seq)
		}
		e, err := ParseEntry(after.Bytes())
		if err != nil {
			r.t.Fatal(err)
		}
		a.After = e
		if n.Kind == NodeDeleted {
			delete(r.state, n.Index)
		} else {
			r.state[n.Index] = e
		}
		nodes = append(nodes, a)
	}
	if got := BuildMetadata(m.Result, m.Index, m.Delivered, nodes); !bytes.Equal(got, raw) {
		r.t.Errorf("%s: %s:\n got %X\nwant %X", r.name, tx.ID(), got, raw)
	}
	general := slices.Clone(nodes)
	for i := range general {
		if general[i].Before != nil {
			general[i].Before = ToObject(general[i].Before)
		}
		general[i].After = ToObject(general[i].After)
	}
	if got := BuildMetadata(m.Result, m.Index, m.Delivered, general); !bytes.Equal(got, raw) {
		r.t.Errorf("%s: %s: general form differs", r.name, tx.ID())
	}
	r.metas++
}

// created makes the new entry: what metadata shows, and the required fields that stand at zero.
func created(n *MetaNode) *Object {
	o := NewEntry(n.EntryType)
	if n.New != nil {
		for f, raw := range n.New.All() {
			o.setRaw(f, raw)
		}
	}
	for _, w := range entryFormats[n.EntryType] {
		if size := fixedSize[w.Field.Type()]; w.Style == Required && !o.Has(w.Field) && size > 0 {
			o.setRaw(w.Field, make([]byte, size))
		}
	}
	if o.Has(FieldExchangeRate) { // a book's directory names all four, also where XRP makes them zero
		for _, f := range []Field{FieldTakerPaysCurrency, FieldTakerPaysIssuer, FieldTakerGetsCurrency, FieldTakerGetsIssuer} {
			if !o.Has(f) {
				o.setRaw(f, make([]byte, 20))
			}
		}
	}
	return o
}

// takeFinal makes the fields that metadata shows those of the object.
func takeFinal(o, final *Object) {
	var gone []Field
	for f := range o.All() {
		if f.meta(metaChangeNew) && !final.Has(f) {
			gone = append(gone, f)
		}
	}
	for _, f := range gone {
		o.Delete(f)
	}
	for f, raw := range final.All() {
		if f != FieldPreviousTxnID && f != FieldPreviousTxnLgrSeq {
			o.setRaw(f, raw)
		}
	}
}
