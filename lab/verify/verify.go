package verify

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"ledgerlab/node/ledger"
	"ledgerlab/node/protocol"
	"ledgerlab/shamap"
)

// Options of a replay.
type Options struct {
	// Heap is the payload heap, "c" or "go". Default "go".
	Heap string
	// Lanes hash in parallel; 0: none beside the caller.
	Lanes int
	// QueueExpected is the expected ledger size the server was configured with; 0
	// is the stand-alone default of 1,000, or what the chain's first line says.
	QueueExpected int
	// Progress, when not nil, is called after each ledger.
	Progress func(seq uint32)
}

// Report is what a replay found.
type Report struct {
	File         string        `json:"file"`
	Server       string        `json:"server"`
	Scenario     string        `json:"scenario"`
	Seed         int64         `json:"seed"`
	Lines        int           `json:"lines"`
	Submits      int           `json:"submits"`
	Ledgers      int           `json:"ledgers"`
	Transactions int           `json:"transactions"`
	StateEntries int           `json:"state_entries"`
	FeeReplies   int           `json:"fee_replies"`
	Elapsed      time.Duration `json:"elapsed_ns"`
	Difference   *Difference   `json:"difference,omitempty"`
}

// File replays a chain.
func File(name string, o Options) (*Report, error) {
	if o.Heap == "" {
		o.Heap = "go"
	}
	in, err := openChain(name)
	if err != nil {
		return nil, err
	}
	defer in.close()
	r := &replay{o: o, in: in, rep: &Report{File: name}}
	defer r.end()
	start := time.Now()
	if err := r.run(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	r.rep.Lines, r.rep.Elapsed = in.line, time.Since(start)
	return r.rep, nil
}

// replay is one run over a chain.
type replay struct {
	o   Options
	in  *reader
	s   *server
	rep *Report
}

func (r *replay) end() {
	if r.s != nil {
		r.s.release()
	}
}

func (r *replay) run() error {
	for r.rep.Difference == nil {
		rec, err := r.in.next()
		if errors.Is(err, io.EOF) {
			if r.s == nil {
				return errors.New("no ledger with its full state: nothing to start from")
			}
			return nil
		}
		if err != nil {
			return err
		}
		if err := r.one(rec); err != nil {
			return fmt.Errorf("line %d: %w", r.in.line, err)
		}
	}
	return nil
}

func (r *replay) one(rec *record) error {
	switch rec.Kind {
	case "about":
		r.rep.Server, r.rep.Scenario, r.rep.Seed = rec.Server, rec.Scenario, rec.Seed
		return r.about(rec)
	case "submit":
		if r.s == nil {
			return nil // before the first full state
		}
		return r.submit(rec)
	case "ledger":
		if rec.Header == nil {
			return errors.New("ledger without header")
		}
		if r.s == nil || r.s.closed == nil {
			return r.first(rec)
		}
		return r.ledger(rec)
	}
	if rec.Kind == "fee" && r.s != nil {
		r.fee(rec)
	}
	return nil // end, and kinds of later recorders
}

func (r *replay) submit(rec *record) error {
	blob, err := unhex("tx_blob", rec.TxBlob)
	if err != nil {
		return err
	}
	t, err := protocol.ParseTransaction(blob)
	if err != nil {
		return err
	}
	r.rep.Submits++
	res, err := r.s.submit(t)
	if err != nil {
		return err
	}
	d := &Difference{Line: r.in.line, Ledger: r.s.open.Header().Sequence, Tx: t.ID(), What: "submit result"}
	switch {
	case rec.Hash != "" && rec.Hash != t.ID().String():
		d.Field, d.Want, d.Got = "hash", rec.Hash, t.ID().String()
	case res.TER.String() != rec.Result:
		d.Field, d.Want, d.Got = "result", rec.Result, res.TER.String()
	case int(res.TER) != rec.ResultCode:
		d.Field, d.Want, d.Got = "result_code", fmt.Sprint(rec.ResultCode), fmt.Sprint(int(res.TER))
	case rec.Applied != nil && *rec.Applied != res.Applied:
		d.Field, d.Want, d.Got = "applied", fmt.Sprint(*rec.Applied), fmt.Sprint(res.Applied)
	default:
		return nil
	}
	r.rep.Difference = d
	return nil
}

// first starts from a recorded ledger with its full state.
func (r *replay) first(rec *record) error {
	if rec.State == nil {
		return nil
	}
	h, err := rec.Header.header()
	if err != nil {
		return err
	}
	if r.s, err = newServer(r.o); err != nil {
		return err
	}
	state, err := r.stateMap(rec.State)
	if err != nil {
		return err
	}
	txs := shamap.New(r.s.env, shamap.KindTxMeta)
	pairs, err := parsePairs(rec.Transactions)
	if err == nil {
		changes := make([]shamap.Change, len(pairs))
		for i, p := range pairs {
			changes[i] = shamap.Change{Key: p.id, Data: protocol.AppendTxNode(nil, p.blob, p.meta)}
		}
		err = txs.Apply(changes)
	}
	var l *ledger.Ledger
	if err == nil {
		l, err = ledger.Assemble(r.s.env, h, state, txs)
	}
	if err == nil {
		err = l.SetUnsetFees(unsetFees())
	}
	if err != nil {
		state.Release()
		txs.Release()
		return err
	}
	r.s.start(l)
	r.rep.Ledgers++
	return nil
}

func (r *replay) stateMap(entries [][2]string) (*shamap.Map, error) {
	m := shamap.New(r.s.env, shamap.KindState)
	changes := make([]shamap.Change, len(entries))
	for i, e := range entries {
		key, err := protocol.ParseHash(e[0])
		if err == nil {
			changes[i].Key = key
			changes[i].Data, err = unhex("state entry "+e[0], e[1])
		}
		if err != nil {
			m.Release()
			return nil, err
		}
	}
	r.rep.StateEntries += len(entries)
	if err := m.Apply(changes); err != nil {
		m.Release()
		return nil, err
	}
	return m, nil
}

// ledger closes and compares.
func (r *replay) ledger(rec *record) error {
	want, err := rec.Header.header()
	if err != nil {
		return err
	}
	pairs, err := parsePairs(rec.Transactions)
	if err != nil {
		return err
	}
	got, err := r.s.close(ledger.Close{
		Time: want.CloseTime, Resolution: want.CloseTimeResolution,
		Agreed: want.CloseFlags&protocol.CloseFlagNoConsensus == 0,
	})
	if err != nil {
		return err
	}
	r.rep.Ledgers++
	d := &Difference{Line: r.in.line, Ledger: want.Sequence}
	differs, err := r.compareTxs(d, pairs, got)
	if err == nil && !differs && rec.State != nil {
		differs, err = r.compareState(d, rec.State, got)
	}
	if err != nil {
		return err
	}
	if !differs {
		if d.Field, d.Want, d.Got, differs = headerFields(&want, got.Header()); differs {
			d.What = "header"
		}
	}
	if differs {
		r.rep.Difference = d
	}
	if r.o.Progress != nil {
		r.o.Progress(want.Sequence)
	}
	return nil
}

// compareTxs compares the transactions and their metadata in order of application.
func (r *replay) compareTxs(d *Difference, want []pair, got *ledger.Ledger) (bool, error) {
	r.rep.Transactions += len(want)
	for _, p := range want {
		_, meta, ok, err := got.Tx(p.id)
		switch {
		case err != nil:
			return false, err
		case !ok:
			d.What, d.Tx, d.Want, d.Got = "transaction", p.id, "in the ledger", "not in it"
			return true, nil
		case !bytes.Equal(meta, p.meta):
			d.What, d.Tx = "metadata", p.id
			d.Field, d.Want, d.Got = diffObjects(p.meta, meta)
			return true, nil
		}
	}
	extra := protocol.Hash{}
	err := got.Txs().Walk([32]byte{}, func(key [32]byte, _ []byte) bool {
		if !slices.ContainsFunc(want, func(p pair) bool { return p.id == key }) {
			extra = key
			return false
		}
		return true
	})
	if err != nil || extra.IsZero() {
		return false, err
	}
	d.What, d.Tx, d.Want, d.Got = "transaction", extra, "not in the ledger", "in it"
	return true, nil
}

// compareState compares every entry.
func (r *replay) compareState(d *Difference, want [][2]string, got *ledger.Ledger) (bool, error) {
	m, err := r.stateMap(want)
	if err != nil {
		return false, err
	}
	defer m.Release()
	differs := false
	_, err = shamap.Diff(m, got.State(), 1, func(key [32]byte, inA, inB []byte) bool {
		differs = true
		d.What = "state entry " + protocol.Hash(key).String()
		switch {
		case inA == nil:
			d.Want, d.Got = "absent", fmt.Sprintf("%X", inB)
		case inB == nil:
			d.Want, d.Got = fmt.Sprintf("%X", inA), "absent"
		default:
			d.Field, d.Want, d.Got = diffObjects(inA, inB)
		}
		return false
	})
	return differs, err
}
