package load

import (
	"context"
	"fmt"
	"time"

	"ledgerlab/api/client"
	controlv1 "ledgerlab/proto/control/v1"
)

// startWatch follows the validated ledgers of one target, and of the next when it
// breaks; it returns once a watch stands.
func (g *Generator) startWatch(ctx context.Context) error {
	for _, t := range g.opts.Targets {
		if info, err := t.Client.Info(ctx); err == nil {
			g.track.setValidated(info.ValidatedSeq)
			break
		}
	}
	ready := make(chan struct{}, 1)
	g.all.Go(func() { g.watch(ready) })
	select {
	case <-ready:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("load: no node tells its validated ledgers: %w", ctx.Err())
	}
}

func (g *Generator) watch(ready chan<- struct{}) {
	var next uint32
	for i := 0; g.ctx.Err() == nil; i++ {
		t := g.opts.Targets[i%len(g.opts.Targets)]
		err := t.Client.WatchLedgers(g.ctx, client.LedgerOptions{
			Transactions: true, From: next,
			OnReady: func() {
				select {
				case ready <- struct{}{}:
				default:
				}
			},
		}, func(l *controlv1.WatchLedgersResponse) error {
			seq := l.Header.GetSeq()
			if next != 0 && seq > next {
				g.fill(t, next, seq)
			}
			seen := l.SeenNs
			if seen == 0 { // it was validated before this watch began
				seen = time.Now().UnixNano()
			}
			g.ledger(l.Header, seen, l.Transactions)
			next = seq + 1
			return nil
		})
		if g.ctx.Err() != nil {
			return
		}
		g.opts.Log.Warn("watch of ledgers broke", "node", t.Name, "err", err)
		if pause(g.ctx, retryPause) != nil {
			return
		}
	}
}

// fill fetches the ledgers from next up to seq, which the watch did not bring.
func (g *Generator) fill(t Target, next, seq uint32) {
	for ; next < seq; next++ {
		ctx, cancel := context.WithTimeout(g.ctx, 5*time.Second)
		l, err := t.Client.LedgerInfo(ctx, client.Seq(next), true)
		cancel()
		if err != nil {
			g.gaps.Add(1)
			g.opts.Log.Warn("a ledger is not held any longer", "node", t.Name, "seq", next, "err", err)
			continue
		}
		g.ledger(l.Header, time.Now().UnixNano(), l.Transactions)
	}
}
