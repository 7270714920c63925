package stats

// BlockDiffs gives one d per block that holds both arms: the mean over the
// arm's nodes minus the mean over the control's, of logs from which the node
// effects were taken when adjust is set. Unequal numbers of nodes in a block
// (2+2+1) are averaged within the block first, so each block counts once.
// Blocks come in ascending order, named in the second result.
//
// Node effects are estimated from the same data, which makes the adjusted d of
// one campaign alike: they are for pictures and counts. What is claimed of
// processes side by side comes from NewProcesses.
func BlockDiffs(obs []Obs, arm, control int, adjust bool) (d []float64, blocks []int) {
	nodes := 0
	for _, o := range obs {
		nodes = max(nodes, o.Node+1)
	}
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
