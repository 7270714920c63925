package node

import (
	"fmt"
	"strings"
	"time"

	"ledgerlab/api"
	"ledgerlab/node/rotate"
)

// rotationStep is the step a rotation is at, and since when.
type rotationStep struct {
	name  string
	since time.Time
}

// stepped is told of each step of a rotation as it begins.
func (n *Node) stepped(name string) { n.rotationAt.Store(&rotationStep{name, n.now()}) }

// rotationState says where the store's rotation stands, since when, and why it waits.
func (n *Node) rotationState() api.RotationState {
	s := n.rotator.Status()
	now := n.now()
	out := api.RotationState{
		Next: s.Next, Last: s.LastRotated, Step: s.Step, WaitsFor: s.Reasons, Rotated: s.Rotations, Expired: s.Expired, Failed: s.Failed,
	}
	if at := n.rotationAt.Load(); at != nil && at.name == s.Step {
		out.InStep = now.Sub(at.since)
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
