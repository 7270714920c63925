package consensus

import (
	"testing"
	"time"
)

func TestShouldCloseLedger(t *testing.T) {
	p := DefaultParms()
	base := closeView{
		anyTransactions: true, prevProposers: 10, prevRoundTime: 4 * time.Second, sinceClose: 6 * time.Second,
		openTime: 5 * time.Second, idleInterval: 20 * time.Second,
	}
	with := func(f func(v *closeView)) closeView { v := base; f(&v); return v }
	for _, tc := range []struct {
		name string
		v    closeView
		want bool
	}{
		{"ordinary", base, true},
		{"round time below zero by more than 1 s", with(func(v *closeView) { v.prevRoundTime = -1001 * time.Millisecond; v.openTime = 0 }), true},
		{"round time of -1 s is no oddity", with(func(v *closeView) { v.prevRoundTime = -time.Second; v.openTime = 0 }), false},
		{"round time over 10 min", with(func(v *closeView) { v.prevRoundTime = 10*time.Minute + 1; v.openTime = 0 }), true},
		{"10 min since close", with(func(v *closeView) { v.sinceClose = 10 * time.Minute; v.openTime = 0 }), false},
		{"over 10 min since close", with(func(v *closeView) { v.sinceClose = 10*time.Minute + 1; v.openTime = 0 }), true},
		{"half of the proposers closed", with(func(v *closeView) { v.proposersClosed = 5; v.openTime = 0 }), false},
		{"more than half closed or validated", with(func(v *closeView) { v.proposersClosed, v.proposersValidated = 3, 3; v.openTime = 0 }), true},
		{"idle, before the interval", with(func(v *closeView) { v.anyTransactions = false; v.sinceClose = 20*time.Second - 1 }), false},
		{"idle, at the interval", with(func(v *closeView) { v.anyTransactions = false; v.sinceClose = 20 * time.Second; v.openTime = 0 }), true},
		{"open too shortly", with(func(v *closeView) { v.openTime = p.MinClose - 1 }), false},
		{"open at the minimum", with(func(v *closeView) { v.openTime = p.MinClose }), true},
		{"less than half the previous round", with(func(v *closeView) { v.prevRoundTime = 10*time.Second + 2 }), false},
		{"half the previous round", with(func(v *closeView) { v.prevRoundTime = 10 * time.Second }), true},
	} {
		if got := shouldCloseLedger(tc.v, &p); got != tc.want {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
}

func TestCheckConsensus(t *testing.T) {
	p := DefaultParms()
	base := agreeView{prevProposers: 10, proposers: 10, agree: 0, prevRoundTime: 4 * time.Second, roundTime: 5 * time.Second, proposing: true}
	with := func(f func(v *agreeView)) agreeView { v := base; f(&v); return v }
	for _, tc := range []struct {
		name string
		v    agreeView
		want State
	}{
		{"nobody agrees", base, StateNo},
		{"not before 1950 ms", with(func(v *agreeView) { v.agree, v.roundTime = 10, p.MinConsensus }), StateNo},
		{"just after 1950 ms", with(func(v *agreeView) { v.agree, v.roundTime = 10, p.MinConsensus+1 }), StateYes},
		{"8 of 10 and we are 9 of 11: 81 %", with(func(v *agreeView) { v.agree = 8 }), StateYes},
		{"7 of 10 and we are 8 of 11: 72 %", with(func(v *agreeView) { v.agree = 7 }), StateNo},
		{"8 of 10 without us: 80 %", with(func(v *agreeView) { v.agree, v.proposing = 8, false }), StateYes},
		{"7 of 10 without us", with(func(v *agreeView) { v.agree, v.proposing = 7, false }), StateNo},
		{"too few proposers, early", with(func(v *agreeView) { v.proposers, v.agree = 6, 6 }), StateNo},
		{"too few proposers, after the previous round and 1950 ms", with(func(v *agreeView) {
			v.proposers, v.agree, v.roundTime = 6, 6, v.prevRoundTime+p.MinConsensus
		}), StateYes},
		{"alone, before 15 s", with(func(v *agreeView) { v.proposers, v.prevProposers, v.roundTime = 0, 0, 15*time.Second }), StateNo},
		{"alone, after 15 s", with(func(v *agreeView) { v.proposers, v.prevProposers, v.roundTime = 0, 0, 15*time.Second+1 }), StateYes},
		{"stalled", with(func(v *agreeView) { v.stalled = true }), StateYes},
		{"moved on", with(func(v *agreeView) { v.finished = 8 }), StateMovedOn},
		{"7 of 10 moved on", with(func(v *agreeView) { v.finished = 7 }), StateNo},
		{"10 rounds long is not yet expired", with(func(v *agreeView) { v.roundTime = 40 * time.Second }), StateNo},
		{"over 10 rounds", with(func(v *agreeView) { v.roundTime = 40*time.Second + 1 }), StateExpired},
		{"short rounds expire after 15 s", with(func(v *agreeView) { v.prevRoundTime, v.roundTime = time.Second, 15*time.Second+1 }), StateExpired},
		{"long rounds expire after 120 s", with(func(v *agreeView) { v.prevRoundTime, v.roundTime = time.Minute, 120*time.Second+1 }), StateExpired},
		{"long rounds, at 120 s", with(func(v *agreeView) { v.prevRoundTime, v.roundTime = time.Minute, 120*time.Second }), StateNo},
		{"agreement goes before expiry", with(func(v *agreeView) { v.agree, v.roundTime = 10, 200*time.Second }), StateYes},
	} {
		if got := checkConsensus(tc.v, &p); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
}

func TestShouldPause(t *testing.T) {
	p := DefaultParms()
	base := pauseView{workingSeq: 101, validatedSeq: 100, laggards: 1, trusted: 10, quorum: 8, validator: true, roundTime: 5 * time.Second}
	with := func(f func(v *pauseView)) pauseView { v := base; f(&v); return v }
	for _, tc := range []struct {
		name string
		v    pauseView
		want bool
	}{
		{"phase 0, one laggard", base, false},
		{"phase 0, two behind or offline", with(func(v *pauseView) { v.offline = 1 }), false},
		{"phase 0, three", with(func(v *pauseView) { v.offline = 2 }), true},
		{"phase 1, 9 of 10 >= 80 % + 5 %", with(func(v *pauseView) { v.workingSeq = 102 }), false},
		{"phase 1, 8 of 10 < 85 %", with(func(v *pauseView) { v.workingSeq = 102; v.offline = 1 }), true},
		{"phase 2, 9 of 10 >= 90 %", with(func(v *pauseView) { v.workingSeq = 103 }), false},
		{"phase 3, 9 of 10 < 95 %", with(func(v *pauseView) { v.workingSeq = 104 }), true},
		{"phase 4, no tolerance", with(func(v *pauseView) { v.workingSeq = 105 }), true},
		{"phase 5 is phase 0 again", with(func(v *pauseView) { v.workingSeq = 106 }), false},
		{"not ahead", with(func(v *pauseView) { v.workingSeq = 100; v.offline = 9 }), false},
		{"behind", with(func(v *pauseView) { v.workingSeq = 90; v.offline = 9 }), false},
		{"no laggards", with(func(v *pauseView) { v.workingSeq = 105; v.laggards = 0 }), false},
		{"no trusted", with(func(v *pauseView) { v.workingSeq = 105; v.trusted = 0 }), false},
		{"no validator", with(func(v *pauseView) { v.workingSeq = 105; v.validator = false }), false},
		{"never validated", with(func(v *pauseView) { v.workingSeq, v.validatedSeq = 5, 0 }), false},
		{"round too long", with(func(v *pauseView) { v.workingSeq = 105; v.roundTime = 15*time.Second + 1 }), false},
	} {
		if got := shouldPause(tc.v, &p); got != tc.want {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
}

// TestShouldPauseRatio compares the integer rule with the ratios it stands for.
func TestShouldPauseRatio(t *testing.T) {
	p := DefaultParms()
	for total := 1; total <= 40; total++ {
		q := QuorumOf(total)
		for bad := 1; bad <= total; bad++ {
			for phase := 1; phase < maxPausePhase; phase++ {
				v := pauseView{workingSeq: uint32(101 + phase), validatedSeq: 100, laggards: bad, trusted: total, quorum: q, validator: true}
				ratio := float64(q) / float64(total)
				want := float64(total-bad)/float64(total) < ratio+(1-ratio)*float64(phase)/maxPausePhase-1e-9
				if got := shouldPause(v, &p); got != want {
					t.Fatalf("%d of %d behind, phase %d: %v, want %v", bad, total, phase, got, want)
				}
			}
		}
	}
}

func TestNeededWeight(t *testing.T) {
	p := DefaultParms()
	for _, tc := range []struct {
		state     AvalancheState
		time      int
		rounds    int
		minRounds int
		weight    int
		next      AvalancheState
	}{
		{AvInit, 0, 9, 2, 50, AvInit},
		{AvInit, 49, 9, 2, 50, AvInit},
		{AvInit, 50, 9, 2, 65, AvMid},
		{AvInit, 50, 1, 2, 50, AvInit},   // not long enough in the state
		{AvInit, 50, 0, 0, 65, AvMid},    // close times need no rounds
		{AvInit, 1000, 9, 2, 65, AvMid},  // one step a call
		{AvMid, 84, 9, 2, 65, AvMid},     //
		{AvMid, 85, 9, 2, 70, AvLate},    //
		{AvLate, 199, 9, 2, 70, AvLate},  //
		{AvLate, 200, 9, 2, 95, AvStuck}, //
		{AvStuck, 9999, 99, 2, 95, AvStuck},
	} {
		w, n := neededWeight(&p, tc.state, tc.time, tc.rounds, tc.minRounds)
		if w != tc.weight || n != tc.next {
			t.Errorf("%+v: %d, %d", tc, w, n)
		}
	}
}

func TestParticipantsNeeded(t *testing.T) {
	for _, tc := range []struct{ n, pct, want int }{
		{0, 50, 1},
		{1, 50, 1},
		{2, 50, 1},
		{3, 50, 1},
		{4, 50, 2},
		{5, 50, 2},
		{5, 65, 3},
		{5, 70, 3},
		{5, 75, 4},
		{5, 95, 5},
		{10, 75, 7},
		{100, 75, 75},
		{35, 80, 28},
	} {
		if got := participantsNeeded(tc.n, tc.pct); got != tc.want {
			t.Errorf("%d %% of %d: %d, want %d", tc.pct, tc.n, got, tc.want)
		}
	}
}

func TestQuorumOf(t *testing.T) {
	for n, want := range []int{0, 1, 2, 3, 4, 4, 5, 6, 7, 8, 8} {
		if got := QuorumOf(n); got != want {
			t.Errorf("quorum of %d: %d, want %d", n, got, want)
		}
	}
	if QuorumOf(35) != 28 {
		t.Error("quorum of 35")
	}
}

func TestParmsValidate(t *testing.T) {
	p := DefaultParms()
	if err := p.Validate(); err != nil {
		t.Fatal(err)
	}
	p.ProposeInterval = p.ProposeFreshness
	p.MinConsensusPct = 50
	p.Avalanche[AvMid].WeightPct = 90
	p.Avalanche[AvLate].Next = 9
	err := p.Validate()
	for _, want := range []string{"ProposeInterval (20s)", "MinConsensusPct (50)", "Avalanche[1]", "Avalanche[2].Next"} {
		if err == nil || !contains(err.Error(), want) {
			t.Errorf("%q is not in %v", want, err)
		}
	}
}
