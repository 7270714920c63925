package lab

import (
	"math/rand/v2"
	"time"

	"ledgerlab/lab/stats"
)

// Design is the drawn plan of a campaign, stored as design.json.
type Design struct {
	Seed uint64      `json:"seed"`
	Rows []DesignRow `json:"rows"` // one a block
}

// DesignRow is one block.
type DesignRow struct {
	Seed uint64  `json:"seed"` // of traffic and state, the same for every arm of the block
	Runs [][]int `json:"runs"` // in order; the arm of each node
}

// NewDesign draws order and placement from the experiment's seed.
func NewDesign(e *Experiment) (*Design, error) {
	seed := e.Design.Seed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	rng := rand.New(rand.NewPCG(seed, 0x1ed6e71ab))
	d := &Design{Seed: seed}
	if e.Placement == PlacementNode {
		rows, err := stats.Placement(len(e.Arms), e.Network.Nodes, e.Design.Blocks, rng)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			d.Rows = append(d.Rows, DesignRow{Seed: rng.Uint64(), Runs: [][]int{row}})
		}
		return d, nil
	}
	orders := stats.Orders(len(e.Arms), e.Design.Blocks, rng)
	for _, order := range orders {
		row := DesignRow{Seed: rng.Uint64()}
		for pos := range order {
			arm := order[pos]
			if e.Design.Order == "fixed" {
				arm = pos
			}
			arms := make([]int, e.Network.Nodes)
			for i := range arms {
				arms[i] = arm
			}
			row.Runs = append(row.Runs, arms)
		}
		d.Rows = append(d.Rows, row)
	}
	return d, nil
}
