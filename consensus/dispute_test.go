package consensus

import (
	"testing"

	"pgregory.net/rapid"
)

func withVotes(ours bool, yays, nays int) *dispute {
	d := newDispute(Hash{1}, nil, ours)
	for i := range yays + nays {
		d.setVote(NodeID{byte(i + 1)}, i < yays)
	}
	return d
}

func TestDisputeVotes(t *testing.T) {
	d := withVotes(true, 2, 3)
	if d.yays != 2 || d.nays != 3 {
		t.Fatalf("%d %d", d.yays, d.nays)
	}
	if d.setVote(NodeID{1}, true) {
		t.Error("the same vote counts as changed")
	}
	if !d.setVote(NodeID{1}, false) || d.yays != 1 || d.nays != 4 {
		t.Errorf("after a change %d %d", d.yays, d.nays)
	}
	d.unVote(NodeID{1})
	d.unVote(NodeID{99})
	if d.yays != 1 || d.nays != 3 {
		t.Errorf("after a leave %d %d", d.yays, d.nays)
	}
}

func TestUpdateVote(t *testing.T) {
	p := DefaultParms()
	for _, tc := range []struct {
		name       string
		ours       bool
		yays, nays int
		time       int
		state      AvalancheState
		proposing  bool
		want       bool // our vote afterwards
	}{
		{"nobody against", true, 4, 0, 300, AvStuck, true, true},
		{"nobody for", false, 0, 4, 0, AvInit, true, false},
		{"3 of 5 with us: 60 > 50", true, 2, 2, 0, AvInit, true, true},
		{"2 of 5 without us: 40", false, 2, 2, 0, AvInit, true, false},
		{"3 of 5 without us: 60 > 50", false, 3, 1, 0, AvInit, true, true},
		{"60 < 65", true, 2, 2, 50, AvMid, true, false},
		{"80 > 65", true, 3, 1, 50, AvMid, true, true},
		{"80 > 70", true, 3, 1, 90, AvLate, true, true},
		{"80 < 95", true, 3, 1, 250, AvStuck, true, false},
		{"an observer follows the majority", true, 1, 2, 0, AvInit, false, false},
		{"an observer takes a tie as no", true, 2, 2, 0, AvInit, false, false},
		{"an observer follows yes", false, 3, 2, 250, AvStuck, false, true},
	} {
		d := withVotes(tc.ours, tc.yays, tc.nays)
		d.state = tc.state
		changed := d.updateVote(tc.time, tc.proposing, &p)
		if d.ourVote != tc.want || changed != (tc.ours != tc.want) {
			t.Errorf("%s: vote %v, changed %v", tc.name, d.ourVote, changed)
		}
	}
}

// TestAvalancheSteps: at most one step a heartbeat and two heartbeats a state.
func TestAvalancheSteps(t *testing.T) {
	p := DefaultParms()
	d := withVotes(true, 2, 2)
	var got []AvalancheState
	for range 9 {
		d.updateVote(1000, true, &p)
		got = append(got, d.state)
	}
	want := []AvalancheState{AvInit, AvMid, AvMid, AvLate, AvLate, AvStuck, AvStuck, AvStuck, AvStuck}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("states %v, want %v", got, want)
		}
	}
}

func TestStalled(t *testing.T) {
	p := DefaultParms()
	for _, tc := range []struct {
		name       string
		ours       bool
		yays, nays int
		state      AvalancheState
		rounds     int
		unchanged  int
		peers      int // heartbeats since a peer changed
		proposing  bool
		want       bool
	}{
		{"settled yes", true, 9, 1, AvStuck, 5, 5, 9, true, true},
		{"settled no", false, 1, 9, AvStuck, 5, 5, 9, true, true},
		{"9 of 11 is 81 %", true, 8, 2, AvStuck, 5, 5, 9, true, true},
		{"8 of 11 is 72 %", true, 7, 3, AvStuck, 5, 5, 9, true, false},
		{"exactly 80 % is not more", false, 8, 2, AvStuck, 5, 5, 9, false, false},
		{"not in the last state", true, 9, 1, AvLate, 5, 5, 9, true, false},
		{"not long enough in it", true, 9, 1, AvStuck, 1, 5, 9, true, false},
		{"own vote changed just now", true, 9, 1, AvStuck, 5, 1, 9, true, false},
		{"peers and we changed lately", true, 9, 1, AvStuck, 5, 3, 3, true, false},
		{"a peer flips for ever, we do not", true, 9, 1, AvStuck, 5, 4, 0, true, true},
		{"an observer needs no own rounds", true, 9, 1, AvStuck, 5, 0, 0, false, true},
		{"no votes, observing", true, 0, 0, AvStuck, 5, 5, 9, false, false},
	} {
		d := withVotes(tc.ours, tc.yays, tc.nays)
		d.state, d.rounds, d.unchanged = tc.state, tc.rounds, tc.unchanged
		if got := d.stalled(&p, tc.proposing, tc.peers); got != tc.want {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
}

// TestDisputeCounts checks the counters against the votes they count.
func TestDisputeCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := newDispute(Hash{}, nil, rapid.Bool().Draw(t, "ours"))
		p := DefaultParms()
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			n := NodeID{byte(rapid.IntRange(0, 9).Draw(t, "node"))}
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0:
				d.unVote(n)
			case 1:
				d.updateVote(rapid.IntRange(0, 300).Draw(t, "time"), rapid.Bool().Draw(t, "proposing"), &p)
			default:
				d.setVote(n, rapid.Bool().Draw(t, "vote"))
			}
			yes := 0
			for _, v := range d.votes {
				if v {
					yes++
				}
			}
			if d.yays != yes || d.nays != len(d.votes)-yes {
				t.Fatalf("%d/%d, votes %v", d.yays, d.nays, d.votes)
			}
		}
	})
}
