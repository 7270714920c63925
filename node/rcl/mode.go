package rcl

import (
	"time"

	"ledgerlab/consensus"
)

// validatedFresh: with a validated ledger younger than this a node out of step is
// syncing, otherwise only connected.
const validatedFresh = time.Minute

// modeState is the operating mode and its accounting.
type modeState struct {
	now   OperatingMode
	since time.Time
	acct  [modes]StateTime
}

// setMode moves the operating mode, by xrpld's rules: connected and syncing turn
// into each other with the age of the validated ledger.
func (d *Driver) setMode(to OperatingMode, reason string) {
	fresh := d.valid != nil && d.netNow().Sub(d.valid.CloseTime()) < validatedFresh
	switch {
	case to == ModeConnected && fresh:
		to = ModeSyncing
	case to == ModeSyncing && !fresh:
		to = ModeConnected
	}
	from := d.mode.now
	if from == to {
		return
	}
	now := time.Now()
	lasted := now.Sub(d.mode.since)
	d.mode.acct[from].Duration += lasted
	d.mode.acct[to].Entered++
	d.mode.now, d.mode.since = to, now
	if from == ModeFull {
		d.counters.departures.Add(1)
	}
	d.log.Info("operating mode", "from", from, "to", to, "reason", reason)
	if d.d.Hooks.Mode != nil {
		d.d.Hooks.Mode(ModeInfo{From: from, To: to, Reason: reason, Lasted: lasted, At: d.wall()})
	}
}

// climb raises the mode after a round that agreed with the network.
func (d *Driver) climb() {
	if d.mode.now == ModeConnected || d.mode.now == ModeSyncing {
		d.setMode(ModeTracking, "in step with the network")
	}
	if d.mode.now == ModeTracking && d.netNow() < d.closed.CloseTime().Add(2*d.closed.CloseResolution()) {
		d.setMode(ModeFull, "the closed ledger is recent")
	}
}

// accounting includes the time in the present mode.
func (m *modeState) accounting(now time.Time) [modes]StateTime {
	acct := m.acct
	acct[m.now].Duration += now.Sub(m.since)
	return acct
}

// roundMode reports a validator that left proposing.
func (d *Driver) roundMode(e consensus.ModeChange) {
	d.log.Debug("round mode", "from", e.From, "to", e.To, "reason", e.Reason)
	if e.From != consensus.ModeProposing {
		return
	}
	d.counters.stepOuts.Add(1)
	if d.d.Hooks.StepOut != nil {
		seq := uint32(0)
		if d.closed != nil {
			seq = d.closed.Sequence + 1
		}
		d.d.Hooks.StepOut(StepOutInfo{Seq: seq, To: e.To.String(), Reason: e.Reason, At: d.wall()})
	}
}

func (d *Driver) phase(e consensus.PhaseChange) {
	if d.d.Hooks.Phase != nil {
		d.d.Hooks.Phase(e.To.String())
	}
}
