package api

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"google.golang.org/grpc"

	"ledgerlab/node/config"
	"ledgerlab/node/record"
	controlv1 "ledgerlab/proto/control/v1"
)

// mailbox holds what waits for one watcher, up to a bound; beyond it the oldest
// is dropped and counted. put never blocks.
type mailbox[T any] struct {
	mu struct {
		sync.Mutex
		items   []T
		dropped uint64
	}
	limit int
	wake  chan struct{} // holds one token when there is something to take
}

func newMailbox[T any](limit int) *mailbox[T] {
	return &mailbox[T]{limit: limit, wake: make(chan struct{}, 1)}
}

func (m *mailbox[T]) put(x T) (dropped bool) {
	m.mu.Lock()
	if len(m.mu.items) >= m.limit {
		m.mu.items = m.mu.items[1:]
		m.mu.dropped++
		dropped = true
	}
	m.mu.items = append(m.mu.items, x)
	m.mu.Unlock()
	select {
	case m.wake <- struct{}{}:
	default:
	}
	return dropped
}

// take waits for an item; dropped counts those lost since the last take.
func (m *mailbox[T]) take(ctx context.Context) (x T, dropped uint64, err error) {
	for {
		m.mu.Lock()
		if len(m.mu.items) > 0 {
			x, m.mu.items = m.mu.items[0], m.mu.items[1:]
			dropped, m.mu.dropped = m.mu.dropped, 0
			m.mu.Unlock()
			return x, dropped, nil
		}
		m.mu.Unlock()
		select {
		case <-m.wake:
		case <-ctx.Done():
			return x, 0, ctx.Err()
		}
	}
}

// WatchFlags sends every change of a flag.
func (s *Server) WatchFlags(_ *controlv1.WatchFlagsRequest, st grpc.ServerStreamingServer[controlv1.WatchFlagsResponse]) error {
	box := newMailbox[config.Change](s.opts.Watch)
	defer s.opts.Flags.Watch(func(c config.Change) { s.dropped(box.put(c)) })()
	if err := st.SendHeader(nil); err != nil { // tells the client that changes from now on will come
		return err
	}
	for {
		c, lost, err := box.take(st.Context())
		if err != nil {
			return err
		}
		if err := st.Send(&controlv1.WatchFlagsResponse{Change: changeProto(c), Dropped: lost}); err != nil {
			return err
		}
	}
}

func (s *Server) dropped(yes bool) {
	if yes {
		s.counts.watchDropped.Add(1)
	}
}

// WatchLedgers sends ledgers as they are seen validated, after those still held
// from from_seq on.
func (s *Server) WatchLedgers(req *controlv1.WatchLedgersRequest, st grpc.ServerStreamingServer[controlv1.WatchLedgersResponse]) error {
	box := newMailbox[ValidatedLedger](s.opts.Watch)
	defer s.opts.Backend.WatchLedgers(func(l ValidatedLedger) { s.dropped(box.put(l)) })()
	if err := st.SendHeader(nil); err != nil {
		return err
	}
	var sent uint32
	if req.FromSeq > 0 {
		var err error
		if sent, err = s.sendHeld(req, st); err != nil {
			return err
		}
	}
	for {
		l, lost, err := box.take(st.Context())
		if err != nil {
			return err
		}
		if l.Header.Seq <= sent {
			continue
		}
		out := &controlv1.WatchLedgersResponse{
			Header: headerProto(l.Header), SeenNs: l.Seen.UnixNano(),
			TransactionCount: uint32(l.Count), Dropped: lost,
		}
		if req.Transactions && l.Transactions != nil {
			out.Transactions = txProtos(l.Transactions())
		}
		if err := st.Send(out); err != nil {
			return err
		}
		sent = l.Header.Seq
	}
}

// sendHeld sends the ledgers from req.FromSeq to the newest validated one, as far
// as they are held; seen_ns is then unknown and 0.
func (s *Server) sendHeld(req *controlv1.WatchLedgersRequest, st grpc.ServerStreamingServer[controlv1.WatchLedgersResponse]) (sent uint32, err error) {
	newest, err := s.opts.Backend.Ledger(st.Context(), LedgerRef{Name: "validated"}, false)
	if errors.Is(err, ErrNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	var lost uint64
	for seq := req.FromSeq; seq <= newest.Header.Seq; seq++ {
		l, err := s.opts.Backend.Ledger(st.Context(), LedgerRef{Seq: seq}, req.Transactions)
		if errors.Is(err, ErrNotFound) {
			lost++
			continue
		}
		if err != nil {
			return sent, err
		}
		if err := st.Send(&controlv1.WatchLedgersResponse{
			Header: headerProto(l.Header), TransactionCount: uint32(l.Count),
			Transactions: txProtos(l.Transactions), Dropped: lost,
		}); err != nil {
			return sent, err
		}
		sent, lost = seq, 0
	}
	return sent, nil
}

// Records sends records, from a token on where one is given.
func (s *Server) Records(req *controlv1.RecordsRequest, st grpc.ServerStreamingServer[controlv1.RecordsResponse]) error {
	o := record.StreamOptions{FromStart: req.FromStart, Follow: req.Follow}
	if req.Token != "" {
		tok, err := record.ParseToken(req.Token)
		if err != nil {
			return fieldErr("token", "%v", err)
		}
		o.After = &tok
	}
	if len(req.Kinds) > 0 {
		o.Kinds = map[string]struct{}{}
		for _, k := range req.Kinds {
			if !slices.Contains(record.Kinds(), k) {
				near := config.Suggest(k, record.Kinds())
				return fieldErr("kinds", "%q is not a kind of record%s; allowed: %s", k, didYouMean(near), strings.Join(record.Kinds(), ", "))
			}
			o.Kinds[k] = struct{}{}
		}
	}
	if err := st.SendHeader(nil); err != nil {
		return err
	}
	return s.opts.Records.Stream(st.Context(), o, func(rec *record.Record, at record.Token, lost uint64) error {
		return st.Send(&controlv1.RecordsResponse{Record: rec, Token: at.String(), Lost: lost})
	})
}

func didYouMean(near string) string {
	if near == "" {
		return ""
	}
	return " (did you mean \"" + near + "\"?)"
}
