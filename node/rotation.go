package node

import (
	"fmt"
	"strings"
	"time"

	"ledgerlab/api"
	"ledgerlab/node/rotate"
)

// rotationState says where the store's rotation stands, since when, and why it waits.
func (n *Node) rotationState() api.RotationState {
	s := n.rotator.Status()
	now := n.now()
	out := api.RotationState{
		Next: s.Next, Last: s.LastRotated, Step: s.Step, WaitsFor: s.Reasons, Rotated: s.Rotations, Expired: s.Expired, Failed: s.Failed,
	}
	if !s.StepSince.IsZero() {
		out.InStep = now.Sub(s.StepSince)
	}
	if len(s.Reasons) == 0 && s.Advisory && s.Step == "" {
		if why := n.rotator.Withheld(); why != "" {
			out.WaitsFor = []string{why}
		}
	}
	if h := n.halted.Load(); h != nil {
		out.WaitsFor, out.Paused = []string{h.String() + ": " + h.err.Error()}, now.Sub(h.since)
	}
	if !s.PausedSince.IsZero() {
		out.Paused = now.Sub(s.PausedSince)
	}
	if s.Last != nil && s.Last.Result != rotate.Rotated {
		out.LastError = string(s.Last.Result)
		if s.Last.Err != nil {
			out.LastError += ": " + s.Last.Err.Error()
		}
	}
	return out
}

// rotation is the same in words.
func (n *Node) rotation(s api.RotationState) string {
	var parts []string
	second := func(d time.Duration) time.Duration { return d.Round(100 * time.Millisecond) }
	if s.Step != "" {
		parts = append(parts, fmt.Sprintf("%s for %v", s.Step, second(s.InStep)))
	}
	if len(s.WaitsFor) > 0 {
		parts = append(parts, fmt.Sprintf("waits for %v: %s", second(s.Paused), strings.Join(s.WaitsFor, "; ")))
	}
	if len(parts) == 0 {
		parts = append(parts, n.rotator.NextAt())
	}
	if s.LastError != "" {
		parts = append(parts, "the last "+s.LastError)
	}
	return strings.Join(parts, ", ")
}
