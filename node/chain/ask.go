package chain

import (
	"context"
	"fmt"
	"math/bits"
	"sync/atomic"
	"time"

	"ledgerlab/node/peer"
)

type answer struct {
	r   peer.Response
	err error
}

// ask sends requests to different peers in turn and returns the answers that come
// before the timeout; none is a round without progress, and an error when there
// were too many.
func (j *inbound) ask(ctx context.Context, reqs []peer.Request) ([]peer.Response, error) {
	ch := make(chan answer, len(reqs))
	sent, why := 0, "no peer is connected"
	for _, r := range reqs {
		if j.send(r, ch) {
			sent++
		}
	}
	t := time.NewTimer(j.m.opt.Acquire.Timeout)
	defer t.Stop()
	var out []peer.Response
	for range sent {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-t.C:
			why = "timeout"
		case a := <-ch:
			switch {
			case a.err != nil:
				why = a.err.Error()
			case a.r.Err != "":
				why = fmt.Sprintf("peer %d: %s", a.r.From, a.r.Err)
			default:
				out = append(out, a.r)
			}
			continue
		}
		break
	}
	if len(out) > 0 {
		return out, nil
	}
	if err := j.failed(why); err != nil {
		return nil, err
	}
	// Nobody answered at once: wait out the rest of the interval, so that a peer
	// without the ledger is not asked in a tight loop.
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(min(j.m.opt.Acquire.Timeout/6, 500*time.Millisecond)):
	}
	return nil, nil
}

// send asks the next connected peer that takes the request.
func (j *inbound) send(r peer.Request, ch chan answer) bool {
	peers := j.m.d.Peers.Connected()
	n := bits.OnesCount64(uint64(peers))
	for range n {
		k := int(atomic.AddUint32(&j.m.acq.next, 1)) % n
		if j.m.d.Peers.Ask(nth(peers, k), r, func(r peer.Response, err error) { ch <- answer{r, err} }) {
			return true
		}
	}
	return false
}

// nth returns the k-th member of a set.
func nth(m peer.Mask, k int) peer.ID {
	for ; k > 0; k-- {
		m &= m - 1
	}
	return peer.ID(bits.TrailingZeros64(uint64(m)))
}
