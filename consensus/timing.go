package consensus

import "time"

// Resolutions lists the allowed close-time resolutions, finest first.
// xrpld: LedgerTiming.h ledgerPossibleTimeResolutions.
var resolutions = [...]time.Duration{
	10 * time.Second, 20 * time.Second, 30 * time.Second,
	60 * time.Second, 90 * time.Second, 120 * time.Second,
}

const (
	// GenesisResolution is the close-time resolution of the genesis ledger.
	GenesisResolution = 10 * time.Second
	// DefaultResolution is used where a ledger carries none.
	DefaultResolution = 30 * time.Second
	// increaseEvery: after agreement the bins get finer at every 8th ledger.
	increaseEvery = 8
	// decreaseEvery: after disagreement the bins get coarser at every ledger.
	decreaseEvery = 1
)

// NextResolution returns the close-time resolution of ledger seq, from that of
// its parent and whether the parent's close time was agreed on. A resolution that
// is none of the bins is returned unchanged.
func NextResolution(parent time.Duration, parentAgree bool, seq uint32) time.Duration {
	i := -1
	for j, r := range resolutions {
		if r == parent {
			i = j
		}
	}
	if i < 0 {
		return parent
	}
	if !parentAgree && seq%decreaseEvery == 0 && i+1 < len(resolutions) {
		return resolutions[i+1]
	}
	if parentAgree && seq%increaseEvery == 0 && i > 0 {
		return resolutions[i-1]
	}
	return parent
}

// RoundCloseTime rounds t to the nearest multiple of the resolution, halves up.
// Zero ("no close time") stays zero, and so does any t at a resolution under 1 s.
func RoundCloseTime(t NetTime, resolution time.Duration) NetTime {
	r := uint64(resolution / time.Second)
	if t == 0 || r == 0 {
		return t
	}
	v := uint64(t) + r/2
	return NetTime(v - v%r)
}

// EffCloseTime is the close time written in a ledger: the rounded time, but later
// than the prior ledger's by at least one second. Zero stays zero.
func EffCloseTime(t NetTime, resolution time.Duration, prior NetTime) NetTime {
	if t == 0 {
		return 0
	}
	return max(RoundCloseTime(t, resolution), prior+1)
}
