package stats

import "math"

// BlockDiffs gives one d per block that holds both arms: the mean over the
// arm's nodes minus the mean over the control's, of logs from which the node
// effects were taken when adjust is set. Unequal numbers of nodes in a block
// (2+2+1) are averaged within the block first, so each block counts once.
// Blocks come in ascending order, named in the second result.
//
// Estimating node effects from the same data makes the d_b of one campaign
// alike: their spread understates the error of their mean by the factor
// spreadFactor, which depends on the design alone (about 1.1 for six blocks).
// Deviations from the mean are stretched by it, so that the sign-flip test
// keeps its level; TestCalibrationOnNoise shows the rates.
func BlockDiffs(obs []Obs, arm, control, nodes int, adjust bool) (d []float64, blocks []int) {
	d, blocks = rawDiffs(obs, arm, control, nodes, adjust)
	if !adjust || len(d) < 3 {
		return d, blocks
	}
	f, mean := spreadFactor(obs, arm, control, nodes), Mean(d)
	for i := range d {
		d[i] = mean + f*(d[i]-mean)
	}
	return d, blocks
}

func rawDiffs(obs []Obs, arm, control, nodes int, adjust bool) (d []float64, blocks []int) {
	effect := make([]float64, nodes)
	if adjust {
		effect = NodeEffects(obs, nodes)
	}
	type acc struct{ sumA, nA, sumC, nC float64 }
	byBlock := map[int]*acc{}
	last := -1
	for _, o := range obs {
		a := byBlock[o.Block]
		if a == nil {
			a = &acc{}
			byBlock[o.Block] = a
		}
		last = max(last, o.Block)
		switch o.Arm {
		case arm:
			a.sumA += o.Y - effect[o.Node]
			a.nA++
		case control:
			a.sumC += o.Y - effect[o.Node]
			a.nC++
		}
	}
	for b := 0; b <= last; b++ {
		if a := byBlock[b]; a != nil && a.nA > 0 && a.nC > 0 {
			d = append(d, a.sumA/a.nA-a.sumC/a.nC)
			blocks = append(blocks, b)
		}
	}
	return d, blocks
}

// spreadFactor is sqrt(n Var(mean d) / E[sample variance of d]) for
// independent errors of equal size. The map from observations to d is linear,
// so its matrix is found by sending unit vectors through it.
func spreadFactor(obs []Obs, arm, control, nodes int) float64 {
	unit := make([]Obs, len(obs))
	copy(unit, obs)
	for i := range unit {
		unit[i].Y = 0
	}
	trace, ofSum, n := 0.0, 0.0, 0.0
	for i := range unit {
		unit[i].Y = 1
		d, _ := rawDiffs(unit, arm, control, nodes, true)
		unit[i].Y = 0
		sum := 0.0
		for _, v := range d {
			trace += v * v
			sum += v
		}
		ofSum += sum * sum
		n = float64(len(d))
	}
	within := (trace - ofSum/n) / (n - 1)
	if within <= 0 {
		return 1
	}
	return math.Max(1, math.Sqrt(ofSum/n/within))
}
