package peer

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/protobuf/encoding/protowire"

	"ledgerlab/node/protocol"
	peerv1 "ledgerlab/proto/peer/v1"
)

// badFrames has one frame a reason.
func badFrames() map[Reason][]byte {
	hash := make([]byte, 32)
	var many []byte
	for range 257 {
		many = appendMessage(many, kindHaveSet, hash)
	}
	nested := protowire.AppendTag(nil, 5, protowire.BytesType)
	nested = protowire.AppendVarint(nested, 1<<40) // a length lie inside a reply
	return map[Reason][]byte{
		BadEmpty:     {},
		BadTruncated: appendMessage(nil, kindTransaction, []byte("whole"))[:4],
		BadKind:      appendMessage(nil, 99, []byte("x")),
		BadLength:    appendMessage(nil, kindHaveTransaction, hash[:31]),
		BadCount:     many,
		BadContent:   appendMessage(nil, kindReply, nested),
		BadOrder:     appendMessage(nil, kindHello, marshal(&peerv1.Hello{Version: version, NetworkId: 7})),
		BadOversize:  make([]byte, Default().FrameBytesMax+1),
	}
}

func TestParseFrame(t *testing.T) {
	var good []byte
	good = appendMessage(good, kindTransaction, []byte("tx one"))
	good = appendMessage(good, kindTransaction, []byte("tx two"))
	good = appendMessage(good, kindHaveTransaction, bytes.Repeat([]byte{1}, 32))
	good = appendMessage(good, kindProposal, bytes.Repeat([]byte{2}, 100))
	good = appendMessage(good, kindStatus, marshal(statusToProto(Status{Mode: ModeFull, ClosedSeq: 3, ClosedHash: protocol.Hash{9}})))
	good = appendMessage(good, kindRequest, marshal(requestToProto(Request{Item: ItemByHash, NodeIDs: [][]byte{make([]byte, 32)}}, 4)))
	var f frame
	if err := f.parse(good); err != nil || len(f.txs) != 2 || string(f.txs[1]) != "tx two" || f.messages != 6 {
		t.Fatalf("%+v, %v", f, err)
	}
	if s := statusFromProto(f.status); s.Mode != ModeFull || s.ClosedSeq != 3 || s.ClosedHash != (protocol.Hash{9}) {
		t.Errorf("status %+v", s)
	}
	// Cut anywhere, it is refused, or it is a shorter frame of whole messages.
	for n := range good {
		var f frame
		var bad *FrameError
		if err := f.parse(good[:n]); err != nil && !errors.As(err, &bad) {
			t.Fatalf("cut at %d: %v", n, err)
		} else if err == nil && f.messages >= 6 {
			t.Fatalf("cut at %d: nothing is missing", n)
		}
	}
	for want, b := range badFrames() {
		if want == BadOrder || want == BadOversize {
			continue
		}
		var f frame
		var bad *FrameError
		if err := f.parse(b); !errors.As(err, &bad) || bad.Reason != want {
			t.Errorf("want %s, got %v", want, err)
		}
	}
}

// A bad frame closes the peer that sent it and nobody else, and the reason is counted. Trial X03.
func TestBadFrameClosesThatPeerOnly(t *testing.T) {
	for want, b := range badFrames() {
		t.Run(string(want), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				nodes := memoryNodes(t, 3, RelayAll)
				ctx, cancel := context.WithCancel(t.Context())
				wait := run(ctx, t, nodes)
				time.Sleep(time.Second)
				bad := nodes[2].peers[0].session.Load()
				if err := bad.conn.Send(b); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if got := nodes[0].Stats().BadFrames()[want]; got != 1 {
					t.Errorf("counted %d; all: %v", got, nodes[0].Stats().BadFrames())
				}
				if c := nodes[0].Connected(); c.Has(1) || !c.Has(0) {
					t.Errorf("connected %b", c)
				}
				time.Sleep(3 * time.Second)
				if !connected(nodes) {
					t.Error("the peer did not come back")
				}
				cancel()
				wait()
			})
		})
	}
}

func TestWrongNetwork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nodes := memoryNodes(t, 2, RelayAll)
		nodes[1].opts.NetworkID = 8
		ctx, cancel := context.WithCancel(t.Context())
		wait := run(ctx, t, nodes)
		time.Sleep(5 * time.Second)
		// Whoever reads the other's hello first ends it.
		if n := nodes[0].Stats().BadFrames()[BadNetwork] + nodes[1].Stats().BadFrames()[BadNetwork]; nodes[0].Connected() != 0 || n == 0 {
			t.Errorf("connected %b, counted %d", nodes[0].Connected(), n)
		}
		cancel()
		wait()
	})
}

func FuzzFrame(f *testing.F) {
	for _, b := range badFrames() {
		if len(b) < 1<<12 {
			f.Add(b)
		}
	}
	f.Add(appendMessage(appendMessage(nil, kindTransaction, []byte("tx")), kindPing, marshal(&peerv1.Ping{Seq: 1})))
	f.Fuzz(func(t *testing.T, b []byte) {
		var fr frame
		if err := fr.parse(b); err != nil {
			var bad *FrameError
			if !errors.As(err, &bad) || bad.Offset > len(b) {
				t.Fatalf("%v", err)
			}
			return
		}
		if fr.messages == 0 {
			t.Fatal("a frame without a message was accepted")
		}
	})
}

func BenchmarkRelayFrame(b *testing.B) {
	// What one transaction costs on the way from the frame to the handler, 68 a frame (3,400/s, 20 ms).
	var raw []byte
	for i := range 68 {
		tx := bytes.Repeat([]byte{byte(i)}, 190)
		raw = appendMessage(raw, kindTransaction, tx)
	}
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		var f frame
		if err := f.parse(raw); err != nil {
			b.Fatal(err)
		}
		for _, tx := range f.txs {
			id := transactionID(tx)
			n += int(id[0])
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/68, "ns/tx")
}
