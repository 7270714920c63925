package ingest

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"ledgerlab/node/crypto"
	"ledgerlab/node/ledger"
	"ledgerlab/node/protocol"
	"ledgerlab/node/tx"
	"ledgerlab/node/txq"
	"ledgerlab/shamap"
	"ledgerlab/shamap/payload"
)

// recorded is one line of a chain in cases/replay.
type recorded struct {
	Kind   string `json:"kind"`
	TxBlob string `json:"tx_blob"`
	Result string `json:"result"`
	Header struct {
		LedgerIndex         uint32 `json:"ledger_index"`
		LedgerHash          string `json:"ledger_hash"`
		ParentHash          string `json:"parent_hash"`
		AccountHash         string `json:"account_hash"`
		TransactionHash     string `json:"transaction_hash"`
		TotalCoins          uint64 `json:"total_coins,string"`
		CloseTime           uint32 `json:"close_time"`
		ParentCloseTime     uint32 `json:"parent_close_time"`
		CloseTimeResolution uint8  `json:"close_time_resolution"`
		CloseFlags          uint8  `json:"close_flags"`
	} `json:"header"`
	Transactions []struct {
		TxBlob string `json:"tx_blob"`
		Meta   string `json:"meta"`
	} `json:"transactions"`
	State [][2]string `json:"state"`

	At       string            `json:"at"`
	InLedger string            `json:"current_ledger_size"`
	InQueue  string            `json:"current_queue_size"`
	Expected string            `json:"expected_ledger_size"`
	QueueMax string            `json:"max_queue_size"`
	Current  uint32            `json:"ledger_current_index"`
	Drops    map[string]string `json:"drops"`
	Levels   map[string]string `json:"levels"`
}

func (r *recorded) header() protocol.Header {
	h := &r.Header
	return protocol.Header{
		Sequence: h.LedgerIndex, Drops: h.TotalCoins, ParentHash: protocol.MustHash(h.ParentHash), TxHash: protocol.MustHash(h.TransactionHash),
		AccountHash: protocol.MustHash(h.AccountHash), ParentCloseTime: h.ParentCloseTime, CloseTime: h.CloseTime,
		CloseTimeResolution: h.CloseTimeResolution, CloseFlags: h.CloseFlags,
	}
}

// cases returns the folder of the recorded cases, or skips.
func cases(t *testing.T) string {
	dir := os.Getenv("LEDGERLAB_CASES")
	if dir == "" {
		t.Skip("LEDGERLAB_CASES is not set: no recorded chain to replay")
	}
	return dir
}

// chainRun replays one recorded chain through a door.
type chainRun struct {
	t      *testing.T
	door   *Door
	queue  *txq.Queue
	eng    *tx.Engine
	env    *shamap.Env
	closed *ledger.Ledger
	b      ledger.Builder

	submits, fees, ledgers, txs int
}

// The recorded queue scenario, submission by submission: same results, same fee figures, same sets, same ledger hashes.
func TestRecordedQueue(t *testing.T) {
	dir := cases(t)
	for name, initial := range map[string]int{"queue-1": 5, "xrp-1": 1000, "xrp-2": 1000, "account-1": 1000} {
		t.Run(name, func(t *testing.T) {
			f, err := os.Open(filepath.Join(dir, "replay", name+".jsonl.gz"))
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			z, err := gzip.NewReader(f)
			if err != nil {
				t.Fatal(err)
			}
			r := &chainRun{t: t}
			q := txq.Default()
			q.Initial = initial
			if r.queue, err = txq.New(q); err != nil {
				t.Fatal(err)
			}
			s := bufio.NewScanner(z)
			s.Buffer(nil, 64<<20)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := make(chan error, 1)
			for line := 1; s.Scan() && !t.Failed(); line++ {
				var rec recorded
				if err := json.Unmarshal(s.Bytes(), &rec); err != nil {
					t.Fatalf("line %d: %v", line, err)
				}
				switch {
				case rec.Kind == "ledger" && r.door == nil:
					r.start(&rec)
					go func() { done <- r.door.Run(ctx) }()
				case rec.Kind == "ledger":
					r.ledger(line, &rec)
				case rec.Kind == "submit":
					r.submit(ctx, line, &rec)
				case rec.Kind == "fee":
					r.fee(line, &rec)
				}
			}
			cancel()
			if err := errors.Join(s.Err(), <-done); err != nil {
				t.Fatal(err)
			}
			r.closed.Release()
			if r.submits == 0 || r.ledgers == 0 {
				t.Fatalf("nothing was replayed")
			}
			t.Logf("%d submissions, %d fee replies, %d ledgers with %d transactions: all equal", r.submits, r.fees, r.ledgers, r.txs)
		})
	}
}

func (r *chainRun) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *chainRun) start(rec *recorded) {
	heap, err := payload.NewHeap("go")
	r.must(err)
	r.env = &shamap.Env{Heap: heap}
	state := shamap.New(r.env, shamap.KindState)
	var changes []shamap.Change
	for _, e := range rec.State {
		b, err := hex.DecodeString(e[1])
		r.must(err)
		changes = append(changes, shamap.Change{Key: protocol.MustHash(e[0]), Data: b})
	}
	r.must(state.Apply(changes))
	r.closed, err = ledger.Assemble(r.env, rec.header(), state, shamap.New(r.env, shamap.KindTxMeta))
	r.must(err)
	// rippled 1.10 has other defaults for a state without FeeSettings.
	r.must(r.closed.SetUnsetFees(ledger.Fees{Base: 10, Reserve: 200_000_000, Increment: 50_000_000}))
	verifier, err := crypto.NewBatchVerifier(crypto.DefaultBatchOptions())
	r.must(err)
	o := Default()
	o.VerifyLinger, o.HoldOnce = 0, true
	r.door, err = New(o, Deps{Queue: r.queue, Verifier: verifier, Verify: verifyCanonical}, r.closed)
	r.must(err)
	r.eng, err = tx.New(tx.Options{})
	r.must(err)
}

func verifyCanonical(pub, msg, sig []byte) bool {
	return crypto.Verify(pub, msg, sig, crypto.Canonical)
}

func (r *chainRun) submit(ctx context.Context, line int, rec *recorded) {
	blob, err := hex.DecodeString(rec.TxBlob)
	r.must(err)
	reply, err := r.door.Submit(ctx, blob, SubmitOptions{Unlimited: true})
	r.submits++
	var invalid *InvalidError
	if errors.As(err, &invalid) {
		if rec.Result != "temBAD_SIGNATURE" && rec.Result != "" {
			r.t.Errorf("line %d: %v, recorded %s", line, err, rec.Result)
		}
		return
	}
	r.must(err)
	if got := reply.TER.String(); got != rec.Result {
		r.t.Errorf("line %d: %s from %s sequence %d: got %s, recorded %s", line, reply.Tx.Type(), reply.Tx.Account(), reply.Tx.Sequence(), got, rec.Result)
	}
	if reply.Applied && reply.TER == protocol.TerQUEUED {
		r.t.Errorf("line %d: applied and queued", line)
	}
	r.door.Flush() // the held transactions that this one made ready
}

func (r *chainRun) fee(line int, rec *recorded) {
	r.fees++
	v := r.door.Open().Current()
	defer v.Release()
	m := r.queue.Metrics(v)
	got := fmt.Sprintln(m.Seq, m.InLedger, m.InQueue, m.Expected, m.QueueMax, int64(m.BaseFee), int64(m.MedianFee), int64(m.MinimumFee), int64(m.OpenLedgerFee),
		m.MedianLevel, m.MinimumLevel, m.OpenLedgerLevel, m.ReferenceLevel)
	want := fmt.Sprintln(rec.Current, rec.InLedger, rec.InQueue, rec.Expected, rec.QueueMax, rec.Drops["base_fee"], rec.Drops["median_fee"],
		rec.Drops["minimum_fee"], rec.Drops["open_ledger_fee"], rec.Levels["median_level"], rec.Levels["minimum_level"], rec.Levels["open_ledger_level"],
		rec.Levels["reference_level"])
	if got != want {
		r.t.Errorf("line %d, %s: fee figures\n got %s\nwant %s", line, rec.At, got, want)
	}
}

// ledger closes: our position must be the recorded set; its transactions, in the recorded order, make the next ledger.
func (r *chainRun) ledger(line int, rec *recorded) {
	set := r.door.CloseSet()
	type placed struct {
		index uint32
		tx    *protocol.Transaction
	}
	order := make([]placed, len(rec.Transactions))
	for i, p := range rec.Transactions {
		blob, err := hex.DecodeString(p.TxBlob)
		r.must(err)
		meta, err := hex.DecodeString(p.Meta)
		r.must(err)
		o, err := protocol.ParseObject(meta)
		r.must(err)
		index, _ := o.GetUint32(protocol.FieldTransactionIndex)
		t, err := protocol.ParseTransaction(blob)
		r.must(err)
		order[i] = placed{index, t}
	}
	slices.SortFunc(order, func(a, b placed) int { return int(a.index) - int(b.index) })
	in := make(map[protocol.Hash]bool)
	view := ledger.NewBuildView(r.closed, len(order))
	txs := make([]*protocol.Transaction, len(order))
	for i, p := range order {
		in[p.tx.ID()] = true
		txs[i] = p.tx
		res, err := r.eng.Apply(view, p.tx, 0)
		r.must(err)
		if !res.Applied {
			r.t.Fatalf("line %d: transaction %d of ledger %d: %s", line, i, rec.Header.LedgerIndex, res.TER)
		}
	}
	ours := make(map[protocol.Hash]bool)
	var left []*protocol.Transaction
	for _, t := range set {
		ours[t.ID()] = true
		if !in[t.ID()] {
			left = append(left, t)
		}
	}
	for _, p := range order {
		if !ours[p.tx.ID()] {
			r.t.Errorf("line %d: ledger %d holds %s, our set does not", line, rec.Header.LedgerIndex, p.tx.ID())
		}
	}
	h := rec.header()
	next, err := r.b.Build(view, ledger.Close{Time: h.CloseTime, Resolution: h.CloseTimeResolution, Agreed: h.CloseFlags&protocol.CloseFlagNoConsensus == 0})
	view.Release()
	r.must(err)
	if got := next.Hash().String(); got != rec.Header.LedgerHash {
		r.t.Errorf("line %d: ledger %d hashes to %s, recorded %s", line, rec.Header.LedgerIndex, got, rec.Header.LedgerHash)
	}
	_, err = r.door.Accept(AcceptRequest{Closed: Closed{Ledger: next, Txs: txs}, Retries: left})
	r.must(err)
	var results []TxResult
	for _, t := range txs {
		results = append(results, TxResult{ID: t.ID()})
	}
	r.must(r.door.OnValidated(next, results))
	r.door.Flush() // what Accept gave back of the held ones
	r.closed.Release()
	r.closed = next
	r.ledgers++
	r.txs += len(txs)
}
