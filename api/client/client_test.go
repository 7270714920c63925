package client_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	rpb "google.golang.org/grpc/reflection/grpc_reflection_v1"

	"ledgerlab/api"
	"ledgerlab/api/apitest"
	"ledgerlab/api/client"
	"ledgerlab/node/record"
	controlv1 "ledgerlab/proto/control/v1"
	recordv1 "ledgerlab/proto/record/v1"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func serve(t *testing.T, f *apitest.Fake, o api.Options) (*apitest.Node, *client.Client) {
	t.Helper()
	n, err := apitest.Serve(f, "", o)
	if err != nil {
		t.Fatal(err)
	}
	c, err := client.Dial(n.Addr, client.Options{Name: "n0", Retry: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(c.Close(), n.Stop()); err != nil {
			t.Error(err)
		}
	})
	return n, c
}

func wantErr(t *testing.T, err error, code codes.Code, text string) *client.Error {
	t.Helper()
	var e *client.Error
	if !errors.As(err, &e) || e.Code != code || !strings.Contains(err.Error(), text) || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v; want %v with %q on one line", err, code, text)
		return &client.Error{}
	}
	return e
}

func TestInfoAndFlags(t *testing.T) {
	f := &apitest.Fake{OnInfo: func() (api.Info, error) {
		return api.Info{
			Name: "n0", Mode: "full", ValidatedSeq: 7, ValidatedHash: [32]byte{0xab}, ValidatedAge: time.Second,
			ModeTimes: map[string]time.Duration{"full": time.Minute}, Peers: []api.Peer{{Name: "n1"}},
		}, nil
	}}
	n, c := serve(t, f, api.Options{})
	ctx := t.Context()
	info, err := c.Info(ctx)
	if err != nil || info.Mode != "full" || !strings.HasPrefix(info.ValidatedHash, "AB00") || info.GetValidatedAgeNs() != 1e9 || info.Pid == 0 {
		t.Fatal(info, err)
	}
	f.OnInfo = func() (api.Info, error) { return api.Info{}, nil }
	if info, err = c.Info(ctx); err != nil || info.ValidatedAgeNs != nil || info.ValidatedHash != "" {
		t.Fatal("an age before the first ledger", info, err)
	}
	n.Flags.SetSequence(func() uint32 { return 12 })
	changes, err := c.SetFlags(ctx, map[string]string{"cache.sweep_interval": "3s", "trim.pad": "1MiB"})
	if err != nil || len(changes) != 2 || changes[0].FromSeq != 12 || changes[0].OldValue != "30s" {
		t.Fatal(changes, err)
	}
	e := wantErr(t, second(c.SetFlags(ctx, map[string]string{"cache.sweep_interval": "3", "trim.pad": "2MiB"})), codes.InvalidArgument, "not allowed")
	if e.Fields["values.cache.sweep_interval"] == "" {
		t.Error(e.Fields)
	}
	wantErr(t, second(c.SetFlags(ctx, map[string]string{"trim.pda": "3"})), codes.InvalidArgument, `did you mean "trim.pad"`)
	if e := wantErr(t, second(c.SetFlags(ctx, map[string]string{"jobs.workers": "3"})), codes.FailedPrecondition, "restart"); e.Reason != "NEEDS_RESTART" {
		t.Error(e.Reason)
	}
	flags, err := c.Flags(ctx)
	i := slices.IndexFunc(flags, func(f *controlv1.Flag) bool { return f.Name == "trim.pad" })
	if err != nil || flags[i].Value != "1MiB" || flags[i].DefaultValue != "0" {
		t.Fatal("a refused set must change nothing", flags[i], err)
	}
	if !c.Serving(ctx) {
		t.Error("not serving")
	}
}

func second[A any](_ A, err error) error { return err }

func TestErrorsAndPanics(t *testing.T) {
	f := &apitest.Fake{
		OnSweep:     func() (*record.Sweep, error) { panic("oh") },
		OnRotate:    func() (uint32, error) { return 0, fmt.Errorf("rotation: %w", api.ErrNotNow) },
		OnAccount:   func(string, api.LedgerRef) (api.Account, error) { return api.Account{}, api.ErrNotFound },
		OnStatePage: func(api.LedgerRef, [32]byte, int) (api.StatePage, error) { return api.StatePage{}, errors.New("disk") },
	}
	n, c := serve(t, f, api.Options{})
	ctx := t.Context()
	wantErr(t, second(c.Sweep(ctx)), codes.Internal, "internal error")
	wantErr(t, second(c.Trim(ctx, "", -1)), codes.Unimplemented, "not supported")
	wantErr(t, second(c.Trim(ctx, "all", -1)), codes.InvalidArgument, "method")
	wantErr(t, second(c.Rotate(ctx)), codes.FailedPrecondition, "rotation")
	wantErr(t, second(c.AccountInfo(ctx, "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh", nil)), codes.NotFound, "not found")
	wantErr(t, second(c.AccountInfo(ctx, "sss", nil)), codes.InvalidArgument, "account")
	wantErr(t, second(c.StatePage(ctx, nil, nil, 10)), codes.Internal, "disk")
	wantErr(t, second(c.StatePage(ctx, nil, []byte{1}, 10)), codes.InvalidArgument, "marker")
	wantErr(t, second(c.StatePage(ctx, nil, nil, 1e6)), codes.InvalidArgument, "limit")
	wantErr(t, second(c.StatePage(ctx, client.Seq(0), nil, 1)), codes.InvalidArgument, "ledger.seq")
	wantErr(t, second(c.Submit(ctx, nil)), codes.InvalidArgument, "blob")
	wantErr(t, second(c.Fault(ctx, &controlv1.FaultRequest{Loss: 2})), codes.InvalidArgument, "loss")
	wantErr(t, second(c.Fault(ctx, &controlv1.FaultRequest{Direction: "up"})), codes.InvalidArgument, "direction")
	_, err := c.Records(ctx, client.RecordOptions{Kinds: []string{"swep"}, Follow: true}, func(*recordv1.Record) error { return nil })
	wantErr(t, err, codes.InvalidArgument, `did you mean "sweep"`)
	_, err = c.Records(ctx, client.RecordOptions{Token: "zz"}, func(*recordv1.Record) error { return nil })
	wantErr(t, err, codes.InvalidArgument, "token")
	if s := n.Server.Stats(); s.Panics != 1 || s.Failed < 14 {
		t.Errorf("%+v", s)
	}
	down, err := client.Dial("127.0.0.1:1", client.Options{Name: "gone"})
	if err != nil {
		t.Fatal(err)
	}
	defer down.Close()
	wantErr(t, second(down.Info(ctx)), codes.Unavailable, "node gone does not answer")
}

func TestSubmitStreamIsPipelined(t *testing.T) {
	release := make(chan struct{})
	var mu sync.Mutex
	var order []string
	f := &apitest.Fake{OnSubmit: func(blobs [][]byte, mode api.SubmitMode, _ bool) (func() ([]api.SubmitResult, error), error) {
		mu.Lock()
		defer mu.Unlock()
		for _, b := range blobs {
			order = append(order, string(b))
		}
		if len(order) == 20 {
			close(release) // only once all were taken in is the first answered
		}
		return func() ([]api.SubmitResult, error) {
			<-release
			out := make([]api.SubmitResult, len(blobs))
			for i := range out {
				out[i] = api.SubmitResult{Token: string(blobs[i]), Applied: mode == api.SubmitAsync}
			}
			return out, nil
		}, nil
	}}
	_, c := serve(t, f, api.Options{})
	s, err := c.NewSubmitter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i := range 10 {
		if err := s.Send(uint64(i), [][]byte{fmt.Appendf(nil, "%d", 2*i), fmt.Appendf(nil, "%d", 2*i+1)}, true); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 10 {
		id, results, err := s.Recv()
		if err != nil || id != uint64(i) || len(results) != 2 || results[1].Token != fmt.Sprint(2*i+1) || !results[0].Accepted {
			t.Fatal(id, results, err)
		}
	}
	for i, o := range order {
		if o != fmt.Sprint(i) {
			t.Fatal("not in order:", order)
		}
	}
}

func TestSubmitStreamEndsWithBackendError(t *testing.T) {
	f := &apitest.Fake{OnSubmit: func([][]byte, api.SubmitMode, bool) (func() ([]api.SubmitResult, error), error) {
		return func() ([]api.SubmitResult, error) { return nil, api.ErrBusy }, nil
	}}
	n, c := serve(t, f, api.Options{})
	s, err := c.NewSubmitter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Send(1, [][]byte{{1}}, false); err != nil {
		t.Fatal(err)
	}
	_, _, err = s.Recv()
	wantErr(t, err, codes.ResourceExhausted, "busy")
	waitFor(t, func() bool { return n.Server.Stats().OpenStreams == 0 })
}

// waitFor polls a condition that another goroutine brings about.
func waitFor(t *testing.T, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("did not come about")
		}
	}
}

func TestWatchLedgersResumes(t *testing.T) {
	hash := func(seq uint32) [32]byte { return [32]byte{byte(seq)} }
	validated := uint32(5)
	var mu sync.Mutex
	f := &apitest.Fake{}
	f.OnLedger = func(ref api.LedgerRef, _ bool) (api.LedgerInfo, error) {
		mu.Lock()
		defer mu.Unlock()
		seq := ref.Seq
		if ref.Name == "validated" {
			seq = validated
		}
		if seq > validated || seq == 7 { // 7 is not held
			return api.LedgerInfo{}, api.ErrNotFound
		}
		return api.LedgerInfo{Header: api.Header{Seq: seq, Hash: hash(seq)}, Count: 1, Transactions: []api.LedgerTx{{ID: hash(seq)}}}, nil
	}
	publish := func(seq uint32) {
		mu.Lock()
		validated = seq
		mu.Unlock()
		f.Publish(api.ValidatedLedger{
			Header: api.Header{Seq: seq, Hash: hash(seq)}, Seen: time.Unix(int64(seq), 0), Count: 1,
			Transactions: func() []api.LedgerTx { return []api.LedgerTx{{ID: hash(seq), Code: 0}} },
		})
	}
	n, c := serve(t, f, api.Options{})
	addr := n.Addr
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	got, ready, broke := make(chan uint32, 10), make(chan bool, 10), make(chan error, 100)
	var lost uint64
	done := make(chan error, 1)
	go func() {
		done <- c.WatchLedgers(ctx, client.LedgerOptions{
			Transactions: true, Follow: true,
			OnReady: func() { ready <- true }, OnLost: func(n uint64) { lost += n }, OnBreak: func(err error) { broke <- err },
		},
			func(l *controlv1.WatchLedgersResponse) error {
				if len(l.Transactions) != 1 || l.Transactions[0].TxId[0] != byte(l.Header.Seq) {
					t.Errorf("transactions of %d: %v", l.Header.Seq, l.Transactions)
				}
				got <- l.Header.Seq
				return nil
			})
	}()
	<-ready
	publish(6)
	if s := <-got; s != 6 {
		t.Fatal(s)
	}
	if err := n.Stop(); err != nil {
		t.Fatal(err)
	}
	<-broke
	publish(8)
	n2, err := apitest.Serve(f, addr, api.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer n2.Stop()
	if s := <-got; s != 8 {
		t.Fatal(s)
	}
	publish(9)
	if s := <-got; s != 9 || lost != 1 {
		t.Fatal(s, lost)
	}
	cancel()
	wantErr(t, <-done, codes.Canceled, "")
	waitFor(t, func() bool { return f.Watchers() == 0 })
}

func TestRecordsFollow(t *testing.T) {
	n, c := serve(t, &apitest.Fake{}, api.Options{})
	n.Records.Mode(&record.Mode{NewMode: "syncing"})
	n.Records.Flag(&record.Flag{Key: "a"})
	stop := errors.New("enough")
	var kinds []string
	token, err := c.Records(t.Context(), client.RecordOptions{FromStart: true, Follow: true}, func(r *recordv1.Record) error {
		kinds = append(kinds, record.KindOf(r))
		if len(kinds) == 3 {
			return stop
		}
		if len(kinds) == 2 {
			n.Records.Sweep(&record.Sweep{Number: 1})
		}
		return nil
	})
	if !errors.Is(err, stop) || !slices.Equal(kinds, []string{"mode", "flag", "sweep"}) {
		t.Fatal(kinds, err)
	}
	kinds = nil
	if _, err = c.Records(t.Context(), client.RecordOptions{Token: token}, func(r *recordv1.Record) error {
		kinds = append(kinds, record.KindOf(r))
		return nil
	}); err != nil || !slices.Equal(kinds, []string{"sweep"}) { // the record whose func failed comes again
		t.Fatal(kinds, err)
	}
}

// TestLimits is trial X07: replies above the size limit leave nothing behind,
// streams are bounded, a reader that never reads costs a bounded mailbox.
func TestLimits(t *testing.T) {
	f := &apitest.Fake{OnStatePage: func(api.LedgerRef, [32]byte, int) (api.StatePage, error) {
		return api.StatePage{Entries: []api.StateEntry{{Data: make([]byte, 100<<10)}}}, nil
	}}
	n, c := serve(t, f, api.Options{MessageBytes: 64 << 10, Streams: 8, Watch: 4})
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for range 1000 {
		wantErr(t, second(c.StatePage(ctx, nil, nil, 1)), codes.ResourceExhausted, "larger than max")
	}
	wantErr(t, second(c.Submit(ctx, make([]byte, 70<<10))), codes.ResourceExhausted, "larger than max")
	refused := 0
	for range 1000 {
		st, err := c.RPC().WatchLedgers(ctx, &controlv1.WatchLedgersRequest{})
		if err != nil {
			t.Fatal(err)
		}
		if md, err := st.Header(); err != nil || md == nil {
			if _, err := st.Recv(); err == nil {
				t.Fatal("refused without an error")
			}
			refused++
		}
	}
	if s := n.Server.Stats(); refused != 992 || s.RefusedStreams != 992 || s.OpenStreams != 8 {
		t.Fatalf("refused %d, %+v", refused, s)
	}
	for seq := range uint32(100_000) { // nobody reads: flow control fills, then the mailboxes
		f.Publish(api.ValidatedLedger{Header: api.Header{Seq: seq + 1}})
	}
	if s := n.Server.Stats(); s.WatchDropped == 0 {
		t.Errorf("%+v", s)
	}
	cancel()
	waitFor(t, func() bool { return n.Server.Stats().OpenStreams == 0 && f.Watchers() == 0 })
}

func TestCallsAreBounded(t *testing.T) {
	enter, leave := make(chan bool), make(chan bool)
	f := &apitest.Fake{OnRotate: func() (uint32, error) { enter <- true; <-leave; return 1, nil }}
	_, c := serve(t, f, api.Options{Requests: 1})
	done := make(chan error, 1)
	go func() { done <- second(c.Rotate(t.Context())) }()
	<-enter
	if e := wantErr(t, second(c.Rotate(t.Context())), codes.ResourceExhausted, "at work"); e.Reason != "LIMIT" {
		t.Error(e)
	}
	leave <- true
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

func TestReflection(t *testing.T) {
	n, _ := serve(t, &apitest.Fake{}, api.Options{})
	conn, err := grpc.NewClient(n.Addr, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	st, err := rpb.NewServerReflectionClient(conn).ServerReflectionInfo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := st.Send(&rpb.ServerReflectionRequest{MessageRequest: &rpb.ServerReflectionRequest_ListServices{}}); err != nil {
		t.Fatal(err)
	}
	resp, err := st.Recv()
	if err != nil || !strings.Contains(resp.String(), api.ServiceName) || !strings.Contains(resp.String(), "grpc.health.v1.Health") {
		t.Fatal(resp, err)
	}
	if err := st.CloseSend(); err != nil {
		t.Fatal(err)
	}
}

func TestPortInUse(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if _, err := apitest.Serve(&apitest.Fake{}, l.Addr().String(), api.Options{}); err == nil {
		t.Fatal("no error")
	}
}
