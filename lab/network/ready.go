package network

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ledgerlab/api/client"
	controlv1 "ledgerlab/proto/control/v1"
)

// pollEvery is the pause between two looks at a network that is not ready yet.
const pollEvery = 200 * time.Millisecond

// freshLedger is how old the newest validated ledger of a node in step may be; an
// idle network makes one at least every 15 to 20 seconds.
const freshLedger = 30 * time.Second

// Status is one node as seen from outside.
type Status struct {
	Name          string `json:"name"`
	PID           int    `json:"pid"`
	Mode          string `json:"mode"` // "down" when the process is not there, "no answer", "paused"
	ValidatedSeq  uint32 `json:"validated_seq"`
	ValidatedHash string `json:"validated_hash"`
	RSSBytes      int64  `json:"rss_bytes"`
	Peers         int    `json:"peers"`
	// Rotation says where the store's rotation stands, since when, and why it waits.
	Rotation Rotation `json:"rotation"`
	Error    string   `json:"error,omitempty"`

	Info *controlv1.InfoResponse `json:"-"` // nil unless it answered
}

// Rotation is where a node's rotation stands.
type Rotation struct {
	NextSeq   uint32   `json:"next_seq"`             // 0 = never, or not known yet
	LastSeq   uint32   `json:"last_seq"`             // of the last one
	Step      string   `json:"step"`                 // "" while it waits for its ledger
	StepS     float64  `json:"step_seconds"`         // at this step
	WaitsFor  []string `json:"waits_for,omitempty"`  // why it is paused
	PausedS   float64  `json:"paused_seconds"`       // for how long
	Rotated   uint64   `json:"rotated"`              // since the node's start
	Expired   uint64   `json:"expired"`              // given up
	Failed    uint64   `json:"failed"`               //
	LastError string   `json:"last_error,omitempty"` // why the last one did not end well
	Text      string   `json:"text"`
}

func rotationOf(i *controlv1.InfoResponse) Rotation {
	r := i.GetRotationState()
	seconds := func(ns int64) float64 { return time.Duration(ns).Seconds() }
	return Rotation{
		NextSeq: r.GetNextSeq(), LastSeq: r.GetLastSeq(), Step: r.GetStep(), StepS: seconds(r.GetStepNs()), WaitsFor: r.GetWaitsFor(),
		PausedS: seconds(r.GetPausedNs()), Rotated: r.GetRotated(), Expired: r.GetExpired(), Failed: r.GetFailed(),
		LastError: r.GetLastError(), Text: i.GetRotation(),
	}
}

// Status asks every node.
func (n *Network) Status(ctx context.Context) []Status {
	return statuses(ctx, n.Nodes(), n.Client)
}

// statuses asks the nodes side by side.
func statuses(ctx context.Context, nodes []NodeState, dial func(int) (*client.Client, error)) []Status {
	out := make([]Status, len(nodes))
	done := make(chan int, len(nodes))
	for i := range nodes {
		go func() {
			out[i] = statusOf(ctx, nodes[i], i, dial)
			done <- i
		}()
	}
	for range nodes {
		<-done
	}
	return out
}

func statusOf(ctx context.Context, st NodeState, i int, dial func(int) (*client.Client, error)) Status {
	s := Status{Name: st.Name, PID: st.Process.PID, Mode: "down"}
	if !st.Process.alive() {
		s.PID = 0
		return s
	}
	if st.Paused {
		s.Mode = "paused"
		return s
	}
	s.Mode = "no answer"
	c, err := dial(i)
	if err != nil {
		s.Error = err.Error()
		return s
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	info, err := c.Info(ctx)
	if err != nil {
		s.Error = err.Error()
		return s
	}
	s.Info, s.Mode = info, info.Mode
	s.ValidatedSeq, s.ValidatedHash = info.ValidatedSeq, info.ValidatedHash
	s.RSSBytes, s.Peers, s.Rotation = info.RssBytes, len(info.Peers), rotationOf(info)
	return s
}

// inStep is true for the operating modes of a node that follows the network.
func inStep(mode string) bool {
	return slices.Contains([]string{"full", "validating", "proposing"}, mode)
}

// WaitReady waits until every node is full, has validated a ledger since this
// start, and all stand within one ledger of each other. It fails as soon as a node
// dies.
func (n *Network) WaitReady(ctx context.Context) error {
	first := make([]uint32, n.Len())
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	var missing string
	for {
		all := n.Status(ctx)
		if ctx.Err() == nil || missing == "" { // an answer cut off by the end says nothing
			if missing = notReady(all, first, n.opts.Standalone); missing == "" {
				return nil
			}
		}
		select {
		case <-tick.C:
		case d := <-n.died:
			return d
		case <-n.mu.downReq:
			return errors.New("the network was asked to end before it was ready")
		case <-ctx.Done():
			return fmt.Errorf("the network is not ready: %s: %w", missing, ctx.Err())
		}
	}
}

// notReady says what is still missing, or "". first remembers the ledger each
// node had when it answered for the first time.
func notReady(all []Status, first []uint32, standalone bool) string {
	var missing []string
	lowest, highest := ^uint32(0), uint32(0)
	for i, s := range all {
		switch {
		case s.Info == nil:
			missing = append(missing, strings.TrimSuffix(s.Name+" is "+s.Mode+" ("+s.Error+")", " ()"))
			continue
		case standalone:
			continue
		case s.ValidatedSeq == 0:
			missing = append(missing, s.Name+" has no validated ledger")
			continue
		}
		if first[i] == 0 {
			first[i] = s.ValidatedSeq
		}
		lowest, highest = min(lowest, s.ValidatedSeq), max(highest, s.ValidatedSeq)
		switch {
		case !inStep(s.Mode):
			missing = append(missing, s.Name+" is "+s.Mode)
		case s.ValidatedSeq == first[i]:
			missing = append(missing, s.Name+" has not validated a further ledger")
		case time.Duration(s.Info.GetValidatedAgeNs()) > freshLedger:
			missing = append(missing, s.Name+" has an old ledger")
		}
	}
	if len(missing) == 0 && highest > lowest+1 {
		missing = append(missing, fmt.Sprintf("validated ledgers lie between %d and %d", lowest, highest))
	}
	return strings.Join(missing, ", ")
}

func lastLine(s string) string {
	s = strings.TrimSpace(s)
	return s[strings.LastIndexByte(s, '\n')+1:]
}

func indexOf(nodes []NodeState, name string) (int, error) {
	names := make([]string, len(nodes))
	for i, n := range nodes {
		if n.Name == name || fmt.Sprint(i) == name {
			return i, nil
		}
		names[i] = n.Name
	}
	return 0, fmt.Errorf("there is no node %q; the network has %s", name, strings.Join(names, ", "))
}
