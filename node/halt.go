package node

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"ledgerlab/node/record"
	"ledgerlab/store"
)

// ErrDiskBack is what Run returns when the disk failed, the node stopped taking part, and the disk works again: the node
// is to be made anew, and goes on from its newest validated ledger.
var ErrDiskBack = errors.New("the disk works again")

// halted is how a node stands whose store failed: it takes part in nothing, answers its operator, and waits for the
// disk.
type halted struct {
	fault store.Fault
	err   error
	since time.Time
}

func (h *halted) String() string { return fmt.Sprintf("halted: %s", h.fault) }

// probeEvery is the default of Options.ProbeEvery.
const probeEvery = 2 * time.Second

// probeGood is how many looks in a row must be well.
const probeGood = 3

// halt waits until the node is ended or its disk works again, and returns why Run ends.
func (n *Node) halt(err error) error {
	h := &halted{fault: store.FaultOf(err), err: err, since: n.now()}
	n.halted.Store(h)
	n.stop(err)
	n.log.Error("the node takes no part until its disk works again", "fault", h.fault, "err", err)
	n.records.Fault(&record.Fault{Kind: "store", Target: string(h.fault), Active: true, Detail: err.Error()})
	tick := time.NewTicker(n.opt.ProbeEvery)
	defer tick.Stop()
	for good := 0; good < probeGood; {
		select {
		case <-n.life.Done():
			return err
		case <-tick.C:
		}
		good++
		if perr := n.probeDisk(); perr != nil {
			good = 0
		}
	}
	n.records.Fault(&record.Fault{Kind: "store", Target: string(h.fault), Active: false, Detail: "the disk works again"})
	return fmt.Errorf("%w after %v, failed with: %w", ErrDiskBack, n.now().Sub(h.since).Round(time.Second), err)
}

// probeDisk writes, syncs, reads and removes a file on the disk of the store, and reads its state.
func (n *Node) probeDisk() error {
	if n.store.disk == nil {
		return errors.New("memory does not come back")
	}
	fs := n.store.disk.Files()
	name := filepath.Join(storeFolder(n.cfg.DataDir), "probe")
	_, _, err := store.ReadState(fs, storeFolder(n.cfg.DataDir))
	if err = errors.Join(err, fs.WriteSync(name, make([]byte, probeBytes))); err != nil {
		return err
	}
	_, err = fs.ReadFile(name)
	return errors.Join(err, fs.RemoveAll(name))
}

// probeBytes is what must find room on a disk that was full: enough for the memtables to be flushed.
const probeBytes = 16 << 20

// part runs what takes part until it ends; where the store is the cause the node halts first.
func (n *Node) part(wait func() error) error {
	err := wait()
	cause := context.Cause(n.ctx)
	if err == nil || errors.Is(err, context.Canceled) {
		err = cause
	}
	if n.life.Err() == nil && store.FaultOf(errors.Join(err, cause)) != store.NoFault {
		return n.halt(errors.Join(err, differs(cause, err)))
	}
	return err
}

// takingPart is ctx for a request that needs the parts that take part: it ends with them too.
func (n *Node) takingPart(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(n.ctx, func() { cancel(context.Cause(n.ctx)) })
	return ctx, func() { stop(); cancel(nil) }
}

// differs is err unless the other says it already.
func differs(err, other error) error {
	if errors.Is(other, err) || err == nil || errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// Restart replaces the process with a new one of the same command, for the daemon after ErrDiskBack. It returns only
// when that failed.
func Restart() error {
	exe, err := os.Executable()
	if err != nil {
		return fmt.Errorf("restart: %w", err)
	}
	return fmt.Errorf("restart: %w", syscall.Exec(exe, os.Args, os.Environ()))
}
