package node

import (
	"context"
	"time"

	"ledgerlab/node/config"
	"ledgerlab/node/memory"
	"ledgerlab/node/record"
)

// plantPeriod is the interval in which a planted leak grows.
const plantPeriod = time.Second

func (n *Node) newPlant() error {
	n.plant = memory.NewPlant(n.cfg.DataDir, n.now)
	return n.setPlant()
}

func (n *Node) setPlant() error {
	return n.plant.Set(memory.LeakKind(n.flags.Enum("plant.leak")), n.flags.Bytes("plant.rate"))
}

// joinPlant lets the flags act, and records each change as the fault it is.
func (n *Node) joinPlant() {
	for _, key := range []string{"plant.leak", "plant.rate"} {
		n.flags.Subscribe(key, func(config.Value) {
			n.refused(key, n.setPlant())
			kind := n.flags.Enum("plant.leak")
			n.records.Fault(&record.Fault{
				Kind: "plant", Target: "leak", Active: kind != string(memory.LeakNone),
				Detail: kind + " " + n.flags.Get("plant.rate").String() + " a minute",
			})
		})
	}
}

// growPlant lets a planted leak grow until ctx ends.
func (n *Node) growPlant(ctx context.Context) error {
	return every(ctx, plantPeriod, func() error {
		if err := n.plant.Grow(); err != nil {
			n.log.Warn("planted leak", "err", err)
		}
		return nil
	})
}
