package stats

import (
	"fmt"
	"math"
)

// Word is one of the seven verdict words of the protocol.
type Word string

// The words, from best to worst news.
const (
	Improved     Word = "improved"
	Regressed    Word = "regressed"
	Equivalent   Word = "equivalent"
	Trivial      Word = "trivial"
	Inconclusive Word = "inconclusive"
	Drifting     Word = "drifting"
	Void         Word = "void"
)

// Exit codes of the verbs.
const (
	ExitDecided      = 0
	ExitRegressed    = 1
	ExitInconclusive = 2
	ExitVoid         = 3
)

// Exit is the exit code that a word alone would give.
func (w Word) Exit() int {
	switch w {
	case Improved, Equivalent, Trivial:
		return ExitDecided
	case Regressed:
		return ExitRegressed
	case Void:
		return ExitVoid
	}
	return ExitInconclusive
}

// Better says which direction is good.
type Better string

// Directions. Neither never gives improved or regressed by itself.
const (
	Lower  Better = "lower"
	Higher Better = "higher"
)

// Claim is one metric of one arm against the control, before correction. The
// unit is a block (sign-flip test of D) unless Units is set: then it is one
// process in one block, and D is only for pictures and "in n of m blocks".
type Claim struct {
	D        []float64 // log ratio of each block
	Margin   float64   // fraction, > 0
	Better   Better
	Estimate float64    // Hodges-Lehmann, or the least-squares contrast of Units
	I, J     Interval   // 95 % and 90 %
	P        float64    // sign-flip, or permutation of labels
	PRank    float64    // Wilcoxon, cross-check of the sign-flip test
	Units    *Processes // holds the t interval, cross-check of the permutation test
}

// NewClaim computes test, estimate and both intervals of d.
func NewClaim(d []float64, margin float64, better Better) Claim {
	return Claim{
		D: d, Margin: margin, Better: better,
		Estimate: HodgesLehmann(d),
		I:        ShiftInterval(d, 0.95),
		J:        ShiftInterval(d, 0.90),
		P:        SignFlip(d),
		PRank:    Wilcoxon(d),
	}
}

// NewProcessClaim is the claim of an arm where the unit is one process in one
// block; false where it cannot be estimated.
func NewProcessClaim(obs []Obs, arm, control int, seed uint64, margin float64, better Better) (Claim, []int, bool) {
	c := Claim{Margin: margin, Better: better, PRank: math.NaN()}
	u, ok := NewProcesses(obs, arm, control, seed)
	if !ok {
		return c, nil, false
	}
	d, blocks := BlockDiffs(obs, arm, control, true)
	c.D, c.Units, c.Estimate, c.P = d, u, u.Estimate, u.P
	c.I, c.J = u.Interval(0.95), u.Interval(0.90)
	return c, blocks, true
}

// Size is what blocks are worth to the claim's test.
func (c Claim) Size() Size {
	if c.Units != nil {
		return c.Units.Size()
	}
	return SignFlips()
}

// SD is the standard deviation of one block's difference: for planning, the
// standard error times the root of the number of blocks.
func (c Claim) SD() float64 {
	if c.Units != nil {
		return c.Units.SE * math.Sqrt(float64(len(c.D)))
	}
	return StdDev(c.D)
}

// SmallestP is the smallest p that the claim's test could have given.
func (c Claim) SmallestP() float64 {
	if c.Units != nil {
		return c.Units.Smallest
	}
	return SmallestP(len(c.D))
}

// Fewest is the smallest number of blocks that can reach level.
func (c Claim) Fewest(level float64) int { return c.Size().MinBlocks(level) }

// Decide gives the word for an adjusted p at a level (protocol 5.7).
func (c Claim) Decide(adjusted, level float64) Word {
	if len(c.D) == 0 || math.IsNaN(c.P) {
		return Inconclusive
	}
	delta := math.Log1p(c.Margin)
	sign := 1.0 // towards good is negative
	if c.Better == Higher {
		sign = -1
	}
	est, low, high := sign*c.Estimate, sign*c.I.Low, sign*c.I.High
	if sign < 0 {
		low, high = high, low
	}
	if adjusted <= level {
		switch {
		case high < -delta, high < 0 && est < -delta:
			return Improved
		case low > delta, low > 0 && est > delta:
			return Regressed
		case c.I.Inside(delta):
			return Trivial
		}
	}
	if c.J.Inside(delta) {
		return Equivalent
	}
	return Inconclusive
}

// RulesOut is the ratio change beyond which both directions are excluded by
// the 95 % interval, as a fraction; +Inf when nothing is.
func (c Claim) RulesOut() float64 {
	return math.Expm1(math.Max(math.Abs(c.I.Low), math.Abs(c.I.High)))
}

// BlocksToDecide estimates how many blocks of this spread would decide the
// claim one way or the other; 0 when 1,000 would not.
func (c Claim) BlocksToDecide() int {
	sd, size := c.SD(), c.Size()
	if math.IsNaN(sd) || sd == 0 {
		return max(size.MinBlocks(0.05), len(c.D)+1)
	}
	delta := math.Log1p(c.Margin)
	differ := size.BlocksFor(math.Abs(c.Estimate), sd, 0.05, 0.8, 1000)
	same := 0
	if gap := delta - math.Abs(c.Estimate); gap > 0 {
		same = size.BlocksForMargin(gap, sd, 0.8, 1000)
	}
	switch {
	case differ == 0 || math.Abs(c.Estimate) < delta/2:
		if same > 0 {
			return max(same, len(c.D)+1)
		}
	case same > 0:
		return max(min(same, differ), len(c.D)+1)
	}
	if differ == 0 {
		return 0
	}
	return max(differ, len(c.D)+1)
}

// Sees is the smallest change this campaign could have seen with 80 % power,
// as a fraction of the metric.
func (c Claim) Sees() float64 {
	return math.Expm1(c.Size().MDE(len(c.D), c.SD(), 0.05, 0.8))
}

// Gate is the A/A evidence of one metric: control duplicate against control.
type Gate struct {
	Claim  Claim
	Holm   float64 // adjusted over the metrics of the campaign
	OK     bool
	Reason string // why not
}

// NewGates judges the duplicate control of each metric (protocol 5.8): a
// metric is void if its Holm-adjusted p is below 0.05, or if the equivalence
// interval (90 %) of the pair is not inside the margin, which means that the
// metric is too noisy for that margin at this size.
func NewGates(claims []Claim) []Gate {
	p := make([]float64, len(claims))
	for i, c := range claims {
		p[i] = c.P
	}
	adj := Holm(p)
	out := make([]Gate, len(claims))
	for i, c := range claims {
		g := Gate{Claim: c, Holm: adj[i], OK: true}
		switch {
		case len(c.D) == 0:
			g.OK, g.Reason = false, "no pair of controls was measured"
		case adj[i] < 0.05:
			g.OK, g.Reason = false, fmt.Sprintf("two identical arms differ (Holm p %.3g)", adj[i])
		case math.IsInf(c.J.Low, 0) || math.IsInf(c.J.High, 0):
			g.OK, g.Reason = false, fmt.Sprintf("%d blocks bound nothing; at least %d are needed", len(c.D), c.Fewest(0.10))
		case !c.J.Inside(math.Log1p(c.Margin)):
			g.OK = false
			g.Reason = fmt.Sprintf("two identical arms are apart by %s, margin %.3g%%: too noisy for its margin at this size",
				PercentRange(c.J), 100*c.Margin)
		}
		out[i] = g
	}
	return out
}

// PercentRange writes an interval of log ratios as per cent changes.
func PercentRange(i Interval) string {
	return fmt.Sprintf("%s to %s", SignedPercent(i.Low), SignedPercent(i.High))
}

// SignedPercent writes a log ratio as a signed per cent change.
func SignedPercent(logRatio float64) string {
	if math.IsInf(logRatio, 0) || math.IsNaN(logRatio) {
		return "unbounded"
	}
	return fmt.Sprintf("%+.1f%%", 100*math.Expm1(logRatio))
}
