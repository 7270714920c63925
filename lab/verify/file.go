package verify

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"ledgerlab/node/protocol"
)

// lineBytesMax bounds a line; a full state is the largest.
const lineBytesMax = 256 << 20

// record is one line of a chain.
type record struct {
	Kind string `json:"kind"`

	// about
	What     string          `json:"what"`
	Server   string          `json:"server"`
	Scenario string          `json:"scenario"`
	Seed     int64           `json:"seed"`
	Settings json.RawMessage `json:"settings"`

	feeReply

	// submit
	TxBlob     string `json:"tx_blob"`
	Result     string `json:"result"`
	ResultCode int    `json:"result_code"`
	Applied    *bool  `json:"applied"`
	Hash       string `json:"hash"`

	// ledger
	Header       *recordedHeader `json:"header"`
	Transactions []recordedTx    `json:"transactions"`
	State        [][2]string     `json:"state"`
}

type recordedTx struct {
	TxBlob string `json:"tx_blob"`
	Meta   string `json:"meta"`
}

type recordedHeader struct {
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
}

// header converts and checks that the stated hash is that of the header.
func (r *recordedHeader) header() (protocol.Header, error) {
	h := protocol.Header{
		Sequence: r.LedgerIndex, Drops: r.TotalCoins, CloseTime: r.CloseTime, ParentCloseTime: r.ParentCloseTime,
		CloseTimeResolution: r.CloseTimeResolution, CloseFlags: r.CloseFlags,
	}
	var stated protocol.Hash
	for _, p := range []struct {
		name string
		text string
		to   *protocol.Hash
	}{
		{"ledger_hash", r.LedgerHash, &stated},
		{"parent_hash", r.ParentHash, &h.ParentHash},
		{"account_hash", r.AccountHash, &h.AccountHash},
		{"transaction_hash", r.TransactionHash, &h.TxHash},
	} {
		v, err := protocol.ParseHash(p.text)
		if err != nil {
			return h, fmt.Errorf("%s: %w", p.name, err)
		}
		*p.to = v
	}
	if got := h.Hash(); got != stated {
		return h, fmt.Errorf("the header does not hash to ledger_hash %s but to %s", stated, got)
	}
	return h, nil
}

// reader reads records line by line.
type reader struct {
	s    *bufio.Scanner
	line int
	most int // bytes of a line
	done []io.Closer
}

func openChain(name string) (*reader, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	br := bufio.NewReaderSize(f, 1<<20)
	var src io.Reader = br
	r := &reader{done: []io.Closer{f}}
	if head, _ := br.Peek(2); bytes.Equal(head, []byte{0x1F, 0x8B}) {
		z, err := gzip.NewReader(br)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", name, err), f.Close())
		}
		src = z
		r.done = append(r.done, z)
	}
	r.scan(src, lineBytesMax)
	return r, nil
}

// scan reads lines of at most so many bytes from src.
func (r *reader) scan(src io.Reader, most int) {
	r.s, r.most = bufio.NewScanner(src), most
	r.s.Buffer(make([]byte, 0, min(most, 1<<20)), most)
}

func (r *reader) close() {
	for i := len(r.done) - 1; i >= 0; i-- {
		_ = r.done[i].Close() // only read from
	}
}

// next returns the next record, io.EOF at the end.
func (r *reader) next() (*record, error) {
	for r.s.Scan() {
		r.line++
		line := bytes.TrimSpace(r.s.Bytes())
		if len(line) == 0 {
			continue
		}
		var rec record
		if err := json.Unmarshal(line, &rec); err != nil {
			return nil, fmt.Errorf("line %d is no record of a chain (%w); a chain has one JSON object a line", r.line, err)
		}
		if rec.Kind == "" {
			return nil, fmt.Errorf("line %d: no \"kind\": this is no line of a recorded chain", r.line)
		}
		return &rec, nil
	}
	switch err := r.s.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, fmt.Errorf("line %d is longer than %d MiB; a chain has one JSON object a line", r.line+1, r.most>>20)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("line %d: the compressed file ends in the middle; it was cut or is still being written", r.line+1)
	case err != nil:
		return nil, fmt.Errorf("line %d: %w", r.line+1, err)
	}
	return nil, io.EOF
}

func unhex(name, s string) ([]byte, error) {
	b, err := hex.DecodeString(s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return b, nil
}
