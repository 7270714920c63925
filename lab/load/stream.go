package load

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"time"

	"ledgerlab/node/protocol"
)

const (
	streamMagic   = "ledgerlab load stream 1\n"
	maxStream     = 4_000_000 // payments of a stream
	maxStreamBlob = 4096
	maxStreamHead = 4096
)

// StreamSpec says what payments a stored stream holds. The same spec gives the
// same bytes.
type StreamSpec struct {
	NetworkID uint32        `json:"network_id"`
	Seed      uint64        `json:"seed"`   // of the accounts' keys
	Choice    uint64        `json:"choice"` // of payees and amounts
	Accounts  int           `json:"accounts"`
	Rate      float64       `json:"rate"` // payments a second
	For       time.Duration `json:"for_ns"`
	Fee       uint64        `json:"fee"`
	Amount    uint64        `json:"amount"`           // largest payment in drops
	FirstSeq  uint32        `json:"first_seq"`        // next sequence of every account in the state it starts from
	Expire    uint32        `json:"expire,omitempty"` // last ledger of every payment; 0 = they never expire

	Shape Shape `json:"-"` // nil = the rate stays
}

func (s StreamSpec) validate() error {
	switch {
	case s.Accounts < 2 || s.Accounts > 10_000_000:
		return fmt.Errorf("stream of %d accounts; from 2 to 10,000,000", s.Accounts)
	case !(s.Rate > 0) || s.For <= 0 || s.Rate*s.For.Seconds() > maxStream:
		return fmt.Errorf("stream of %v/s for %v; above 0, and at most %d payments", s.Rate, s.For, maxStream)
	case s.FirstSeq == 0 || s.Fee == 0 || s.Amount == 0:
		return errors.New("stream: first sequence, fee and amount must be above 0")
	}
	return nil
}

// WriteStream signs the payments of a stream: the accounts pay in turn, each in
// the order of its sequences.
func WriteStream(w io.Writer, s StreamSpec) error {
	if err := s.validate(); err != nil {
		return err
	}
	if s.Shape == nil {
		s.Shape = Constant()
	}
	head, err := json.Marshal(s)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 1<<20)
	fmt.Fprintf(out, "%s%s\n", streamMagic, head)
	accounts := make([]*account, s.Accounts)
	get := func(i int) *account {
		if accounts[i] == nil {
			key := AccountKey(s.Seed, i)
			accounts[i] = &account{index: i, key: key, id: key.AccountID(), next: s.FirstSeq}
		}
		return accounts[i]
	}
	tmpl := template{networkID: s.NetworkID, fee: protocol.Drops(s.Fee)}
	rng := rand.New(rand.NewPCG(s.Choice, 0))
	var fault error
	turn, last, line := 0, time.Duration(0), []byte(nil)
	(&schedule{rate: s.Rate, shape: s.Shape}).due(s.For, func(at time.Duration) {
		if fault != nil {
			return
		}
		a := get(turn)
		to := rng.IntN(s.Accounts - 1)
		if to >= turn {
			to++
		}
		p, err := tmpl.sign(a, get(to).id, 1+rng.Uint64N(s.Amount), a.next, s.Expire)
		if err != nil {
			fault = err
			return
		}
		a.next++
		line = binary.AppendUvarint(line[:0], uint64((at - last).Microseconds()))
		last += (at - last).Truncate(time.Microsecond)
		line = binary.AppendUvarint(line, uint64(turn))
		line = binary.AppendUvarint(line, uint64(len(p.blob)))
		_, fault = out.Write(append(line, p.blob...))
		turn = (turn + 1) % s.Accounts
	})
	return errors.Join(fault, out.Flush())
}

// Stream is a stored stream, read whole.
type Stream struct {
	Spec  StreamSpec
	items []streamItem
}

type streamItem struct {
	at      time.Duration
	account int
	p       *payment // without account
}

// Len is the number of payments.
func (s *Stream) Len() int { return len(s.items) }

// ReadStream reads a stored stream.
func ReadStream(r io.Reader) (*Stream, error) {
	in := bufio.NewReaderSize(r, 1<<20)
	magic := make([]byte, len(streamMagic))
	if _, err := io.ReadFull(in, magic); err != nil || string(magic) != streamMagic {
		return nil, errors.New("this is no stored load stream of format 1")
	}
	head, err := readHead(in)
	if err != nil {
		return nil, err
	}
	s := new(Stream)
	if err := json.Unmarshal(head, &s.Spec); err != nil {
		return nil, fmt.Errorf("stream header: %w", err)
	}
	if err := s.Spec.validate(); err != nil {
		return nil, err
	}
	var at time.Duration
	for {
		item, err := readItem(in, &at, s.Spec.Accounts)
		if errors.Is(err, io.EOF) {
			return s, nil
		}
		if err != nil {
			return nil, fmt.Errorf("stream payment %d: %w", len(s.items), err)
		}
		if len(s.items) == maxStream {
			return nil, fmt.Errorf("stream has more than %d payments", maxStream)
		}
		s.items = append(s.items, item)
	}
}

func readHead(in *bufio.Reader) ([]byte, error) {
	var head []byte
	for len(head) < maxStreamHead {
		b, err := in.ReadByte()
		if err != nil {
			return nil, fmt.Errorf("stream header: %w", err)
		}
		if b == '\n' {
			return head, nil
		}
		head = append(head, b)
	}
	return nil, fmt.Errorf("stream header is longer than %d bytes", maxStreamHead)
}

// readItem reads one payment; io.EOF before its first byte is the end.
func readItem(in *bufio.Reader, at *time.Duration, accounts int) (streamItem, error) {
	delta, err := binary.ReadUvarint(in)
	if err != nil {
		return streamItem{}, err // io.EOF, or io.ErrUnexpectedEOF within the number
	}
	index, err1 := binary.ReadUvarint(in)
	size, err2 := binary.ReadUvarint(in)
	if err := errors.Join(err1, err2); err != nil {
		return streamItem{}, errCut
	}
	if delta > uint64(math.MaxInt64/int64(time.Microsecond))-uint64(at.Microseconds()) || index >= uint64(accounts) || size == 0 || size > maxStreamBlob {
		return streamItem{}, errors.New("time, account or size is out of range")
	}
	*at += time.Duration(delta) * time.Microsecond
	blob := make([]byte, size)
	if _, err := io.ReadFull(in, blob); err != nil {
		return streamItem{}, errCut
	}
	tx, err := protocol.ParseTransaction(blob)
	if err != nil {
		return streamItem{}, err
	}
	p := &payment{seq: tx.Sequence(), id: tx.ID(), blob: blob, expire: math.MaxUint32}
	if last, ok := tx.LastLedgerSequence(); ok {
		p.expire = last
	}
	return streamItem{at: *at, account: int(index), p: p}, nil
}

var errCut = errors.New("is cut short")

// adopt gives every payment its account; a stream can be sent once.
func (s *Stream) adopt() error {
	byIndex := make([]*account, s.Spec.Accounts)
	for i := range s.items {
		it := &s.items[i]
		if byIndex[it.account] == nil {
			byIndex[it.account] = &account{index: it.account, live: map[uint32]bool{}}
		}
		if it.p.acc != nil {
			return errors.New("load: this stream was sent already; read it again")
		}
		it.p.acc = byIndex[it.account]
	}
	return nil
}
