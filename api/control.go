package api

import (
	"context"
	"os"
	"slices"
	"strings"
	"time"

	"ledgerlab/node/config"
	controlv1 "ledgerlab/proto/control/v1"
)

// Info answers who and where the node is.
func (s *Server) Info(ctx context.Context, _ *controlv1.InfoRequest) (*controlv1.InfoResponse, error) {
	i, err := s.opts.Backend.Info(ctx)
	if err != nil {
		return nil, err
	}
	out := &controlv1.InfoResponse{
		Name: i.Name, NetworkId: i.NetworkID, Role: i.Role, Mode: i.Mode, Validating: i.Validating, PublicKey: i.PublicKey,
		Version: i.Version, Pid: int32(os.Getpid()), UptimeNs: i.Uptime.Nanoseconds(),
		OpenSeq: i.OpenSeq, ClosedSeq: i.ClosedSeq, ValidatedSeq: i.ValidatedSeq, CompleteLedgers: i.CompleteLedgers,
		Quorum: uint32(i.Quorum), Proposers: uint32(i.Proposers), ConvergeNs: i.Converge.Nanoseconds(),
		LoadFactor: i.LoadFactor, QueueSize: uint32(i.QueueSize), OpenSize: uint32(i.OpenSize), ExpectedSize: uint32(i.ExpectedSize),
		RssBytes: i.RSSBytes, ModeNs: map[string]int64{}, NextRotationSeq: i.NextRotationSeq, Rotation: i.Rotation,
		Allocator: i.Allocator, WebAddress: i.WebAddress, RotationState: rotationProto(&i.RotationState),
	}
	if i.ValidatedSeq != 0 {
		age := i.ValidatedAge.Nanoseconds()
		out.ValidatedHash, out.ValidatedAgeNs = hexHash(i.ValidatedHash), &age
	}
	for mode, d := range i.ModeTimes {
		out.ModeNs[mode] = d.Nanoseconds()
	}
	for _, p := range i.Peers {
		out.Peers = append(out.Peers, &controlv1.PeerInfo{
			Name: p.Name, PublicKey: p.PublicKey, Address: p.Address, Inbound: p.Inbound,
			LatencyNs: p.Latency.Nanoseconds(), ConnectedNs: p.Connected.Nanoseconds(), ValidatedSeq: p.ValidatedSeq,
			SentBytes: p.SentBytes, ReceivedBytes: p.ReceivedBytes, Dropped: p.Dropped,
		})
	}
	return out, nil
}

func rotationProto(r *RotationState) *controlv1.RotationState {
	return &controlv1.RotationState{
		NextSeq: r.Next, LastSeq: r.Last, Step: r.Step, StepNs: r.InStep.Nanoseconds(), WaitsFor: r.WaitsFor,
		PausedNs: r.Paused.Nanoseconds(), Rotated: r.Rotated, Expired: r.Expired, Failed: r.Failed, LastError: r.LastError,
	}
}

// ListFlags answers every flag with its value.
func (s *Server) ListFlags(context.Context, *controlv1.ListFlagsRequest) (*controlv1.ListFlagsResponse, error) {
	values := s.opts.Flags.Snapshot()
	out := new(controlv1.ListFlagsResponse)
	for _, f := range config.Flags() {
		out.Flags = append(out.Flags, &controlv1.Flag{
			Name: f.Name, Value: values[f.Name], DefaultValue: f.Default, Kind: f.Kind.String(), Allowed: f.AllowedText(),
			Component: f.Component, Hot: f.Hot, MayChangeHashes: f.MayHash, Source: f.Source, Doc: f.Doc,
		})
	}
	return out, nil
}

// SetFlags sets all the values or none.
func (s *Server) SetFlags(_ context.Context, req *controlv1.SetFlagsRequest) (*controlv1.SetFlagsResponse, error) {
	if len(req.Values) == 0 {
		return nil, fieldErr("values", "is empty; give KEY=VALUE")
	}
	changes, err := s.opts.Flags.SetAll(req.Values)
	if err != nil {
		return nil, err
	}
	out := new(controlv1.SetFlagsResponse)
	for _, c := range changes {
		out.Changes = append(out.Changes, changeProto(c))
	}
	return out, nil
}

func changeProto(c config.Change) *controlv1.FlagChange {
	return &controlv1.FlagChange{Key: c.Key, OldValue: c.Old, NewValue: c.New, FromSeq: c.Seq}
}

// Sweep runs a sweep now.
func (s *Server) Sweep(ctx context.Context, _ *controlv1.SweepRequest) (*controlv1.SweepResponse, error) {
	rec, err := s.opts.Backend.Sweep(ctx)
	return &controlv1.SweepResponse{Sweep: rec}, err
}

// Trim trims now.
func (s *Server) Trim(ctx context.Context, req *controlv1.TrimRequest) (*controlv1.TrimResponse, error) {
	methods := []string{"", "malloc", "go", "both"}
	if !slices.Contains(methods, req.Method) {
		return nil, fieldErr("method", "%q is not allowed; allowed: %s", req.Method, strings.Join(methods[1:], ", "))
	}
	pad := int64(-1)
	if req.PadBytes != nil {
		if pad = *req.PadBytes; pad < 0 {
			return nil, fieldErr("pad_bytes", "%d is negative", pad)
		}
	}
	rec, err := s.opts.Backend.Trim(ctx, req.Method, pad)
	return &controlv1.TrimResponse{Trim: rec}, err
}

// Rotate asks for a rotation.
func (s *Server) Rotate(ctx context.Context, _ *controlv1.RotateRequest) (*controlv1.RotateResponse, error) {
	seq, err := s.opts.Backend.Rotate(ctx)
	return &controlv1.RotateResponse{Seq: seq}, err
}

// Memory answers the balance sheet.
func (s *Server) Memory(ctx context.Context, req *controlv1.MemoryRequest) (*controlv1.MemoryResponse, error) {
	m, err := s.opts.Backend.Memory(ctx, req.Full)
	if err != nil {
		return nil, err
	}
	out := &controlv1.MemoryResponse{Sample: m.Sample, Allocator: m.Allocator}
	for _, l := range m.Lines {
		out.Lines = append(out.Lines, &controlv1.MemoryLine{Name: l.Name, Bytes: l.Bytes, Beside: l.Beside, Doc: l.Doc})
	}
	return out, nil
}

// Waits answers the waiting places.
func (s *Server) Waits(ctx context.Context, _ *controlv1.WaitsRequest) (*controlv1.WaitsResponse, error) {
	places, err := s.opts.Backend.Waits(ctx)
	return &controlv1.WaitsResponse{Places: places}, err
}

// Fault puts a fault on links or clears it.
func (s *Server) Fault(ctx context.Context, req *controlv1.FaultRequest) (*controlv1.FaultResponse, error) {
	if req.Kind != "" && req.Kind != "link" {
		return nil, fieldErr("kind", "%q is not allowed; allowed: link", req.Kind)
	}
	dirs := map[string][2]bool{"": {true, true}, "both": {true, true}, "in": {true, false}, "out": {false, true}}
	dir, ok := dirs[req.Direction]
	if !ok {
		return nil, fieldErr("direction", "%q is not allowed; allowed: in, out, both", req.Direction)
	}
	if req.DelayNs < 0 || req.JitterNs < 0 || req.BandwidthBytes < 0 {
		return nil, fieldErr("delay_ns", "delay, jitter and bandwidth must not be negative")
	}
	if !(req.Loss >= 0 && req.Loss <= 1) {
		return nil, fieldErr("loss", "%v is not a share from 0 to 1", req.Loss)
	}
	n, err := s.opts.Backend.Fault(ctx, LinkFault{
		Peer: req.Peer, Delay: time.Duration(req.DelayNs), Jitter: time.Duration(req.JitterNs), Loss: req.Loss,
		BandwidthBytes: req.BandwidthBytes, Partition: req.Partition, In: dir[0], Out: dir[1], Clear: req.Clear,
	})
	return &controlv1.FaultResponse{Links: uint32(n)}, err
}

// LedgerAccept closes the open ledger of a stand-alone node.
func (s *Server) LedgerAccept(ctx context.Context, _ *controlv1.LedgerAcceptRequest) (*controlv1.LedgerAcceptResponse, error) {
	seq, hash, err := s.opts.Backend.Accept(ctx)
	return &controlv1.LedgerAcceptResponse{Seq: seq, Hash: hexHash(hash)}, err
}

// Shutdown asks the node to end.
func (s *Server) Shutdown(_ context.Context, req *controlv1.ShutdownRequest) (*controlv1.ShutdownResponse, error) {
	reason := req.Reason
	if reason == "" {
		reason = "control plane"
	}
	s.opts.Backend.Shutdown(reason)
	return &controlv1.ShutdownResponse{}, nil
}
