package node

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"ledgerlab/node/config"
	"ledgerlab/node/jobs"
	"ledgerlab/node/memory"
	"ledgerlab/node/metrics"
	"ledgerlab/node/record"
	"ledgerlab/node/rotate"
	"ledgerlab/node/sweep"
)

// tuneHeap applies the flags that belong to the very start of the process.
func tuneHeap(reg *config.Registry) error {
	want, err := memory.ParseAllocator(reg.Enum("heap.allocator"))
	if err != nil {
		return err
	}
	if memory.Detect().Allocator != memory.NoCgo {
		if err := memory.Expect(want); err != nil {
			return fmt.Errorf("heap.allocator=%s: %w", want, err)
		}
	}
	positive := func(key string) int64 { return max(0, reg.Bytes(key)) }
	t := memory.Tuning{
		ArenaMax: reg.Int("heap.arena_max"), MmapThreshold: positive("heap.mmap_threshold"),
		TrimThreshold: positive("heap.trim_threshold"), TopPad: positive("heap.top_pad"),
	}
	if !t.Zero() {
		if err := memory.Tune(t); err != nil {
			return fmt.Errorf("heap flags: %w", err)
		}
	}
	setGOGC(reg.Int("go.gogc"))
	setMemLimit(reg.Bytes("go.memlimit"))
	return nil
}

// setGOGC takes 0 as off, as the flag says.
func setGOGC(percent int) {
	if percent == 0 {
		percent = -1
	}
	debug.SetGCPercent(percent)
}

func setMemLimit(n int64) {
	if n <= 0 {
		n = 1<<63 - 1 // math.MaxInt64 is the runtime's own word for none
	}
	debug.SetMemoryLimit(n)
}

// trimOptions reads the trim flags.
func trimOptions(reg *config.Registry) (memory.Options, error) {
	o := memory.Default()
	var errs [3]error
	o.Triggers, errs[0] = memory.ParseTriggers(reg.Get("trim.trigger").String())
	o.Method, errs[1] = memory.ParseMethod(reg.Enum("trim.method"))
	o.Policy, errs[2] = memory.ParsePolicy(reg.Get("trim.policy").String())
	// Asking the allocator walks every free chunk, which costs as much as the trim
	// and only in arms that trim: a sheet says the same on request.
	o.HeapStats = false
	o.Pad, o.MinInterval = reg.Bytes("trim.pad"), reg.Duration("trim.min_interval")
	return o, errors.Join(append(errs[:], o.Validate())...)
}

func (n *Node) newTrimmer() error {
	o, err := trimOptions(n.flags)
	if err != nil {
		return fmt.Errorf("trim flags: %w", err)
	}
	n.trimmer, err = memory.New(o, memory.Sources{
		Now:   n.now,
		Freed: n.store.heap.FreedBytes,
		Done:  n.trimmed,
	})
	return err
}

// trigger is the one way from every trigger to the one trimmer.
func (n *Node) trigger(reason memory.Trigger) {
	n.store.heap.Mark(string(reason))
	if !slices.Contains(n.trimmer.Options().Triggers, reason) {
		return // off: nothing to tell
	}
	if info, tried := n.trimmer.Trigger(reason); !tried && info.Skipped != "" {
		n.trimmed(info)
	}
}

func (n *Node) trimmed(i memory.TrimInfo) {
	number := n.trims.Add(1)
	n.records.Trim(trimRecord(number, n.sweeps.Load(), n.flags.Get("trim.policy").String(), i))
	n.metrics.ObserveTrim(metrics.TrimInfo{
		Trigger: string(i.Reason), Skipped: skippedBy(i), Duration: i.Duration, ReturnedBytes: max(0, i.RSSBefore-i.RSSAfter),
	})
}

// skippedBy names what kept a trim from being made, "" when nothing did.
func skippedBy(i memory.TrimInfo) string {
	if i.Skipped == "" && !i.Supported {
		return "unsupported"
	}
	return i.SkippedBy
}

func trimRecord(number, sweepNumber uint64, policy string, i memory.TrimInfo) *record.Trim {
	r := &record.Trim{
		Number: number, Trigger: string(i.Reason), Method: string(i.Method), Allocator: string(i.Allocator), Policy: policy,
		Supported: i.Supported, Skipped: i.Skipped, PadBytes: i.Pad, Result: int32(i.Result),
		RssBeforeBytes: i.RSSBefore, RssAfterBytes: i.RSSAfter, DurationNs: i.Duration.Nanoseconds(),
		CpuNs: i.ThreadCPU.Nanoseconds(), MinorFaults: i.MinorFlt, MajorFaults: i.MajorFlt, Sweep: sweepNumber,
	}
	if !i.Supported && i.Skipped == "" {
		r.Skipped = "unsupported: " + i.Unsupported
	}
	if i.FreeBefore > 0 {
		r.RetainedBeforeBytes = &i.FreeBefore
	}
	if i.FreeAfter > 0 {
		r.RetainedAfterBytes = &i.FreeAfter
	}
	return r
}

// threadCPU is the CPU time of the calling thread, which must be locked.
func threadCPU() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts); err != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}

// sweepGauge holds what was read at the borders of one sweep; only the sweep's
// goroutine touches it.
type sweepGauge struct {
	rssBefore, rssAfter int64
	freed               uint64        // by the payload heap so far
	begun, swept, trims time.Duration // thread CPU at the begin, after the last reclaim, and in trims between caches
	turn                sheetTurn
}

func (n *Node) newSweeper() error {
	var g sweepGauge
	var err error
	n.sweeper, err = sweep.New(sweep.Options{
		Interval: n.flags.Duration("cache.sweep_interval"), Sweepables: n.store.family.Sweepables(),
		EachCache: func(string) {
			start := threadCPU()
			n.trigger(memory.EachCache)
			g.trims += threadCPU() - start
		},
		Reclaim: func() (int64, int64) {
			_, limbo := n.store.heap.Reclaim()
			g.rssAfter = memory.RSS()
			// Most payloads are freed while the caches are swept, not by the last reclaim.
			now := n.store.heap.FreedBytes()
			freed := int64(now - g.freed)
			g.freed, g.swept = now, threadCPU()
			return freed, limbo
		},
		AfterSweep: func(string) {
			n.afterSweep(&g.turn)
		},
		Done: func(i sweep.Info) {
			r := sweepRecord(i, g.rssBefore, g.rssAfter, g.swept-g.begun-g.trims)
			n.lastSweep.Store(r)
			n.records.Sweep(r)
			n.metrics.ObserveSweep(metrics.SweepInfo{Duration: i.Own(), FreedBytes: i.Freed})
		},
		Now: n.now,
		Run: func(_ context.Context, _ string, fn func()) error {
			g = sweepGauge{rssBefore: memory.RSS(), freed: n.store.heap.FreedBytes(), begun: threadCPU(), turn: g.turn}
			fn()
			return nil
		},
	})
	return err
}

func (n *Node) newRotator() error {
	freshen, err := rotate.ParseFreshen(n.flags.Enum("store.freshen"))
	if err != nil {
		return err
	}
	o := rotate.Default()
	o.History = uint32(n.flags.Int("ledger.history"))
	o.OnlineDelete, o.Offset, o.Freshen = uint32(n.flags.Int("store.online_delete")), uint32(n.flags.Int("store.rotate_offset")), freshen
	o.DeleteBatch, o.BackOff = n.flags.Int("store.delete_batch"), n.flags.Duration("store.back_off")
	o.AgeThreshold, o.RecoveryWait = n.flags.Duration("store.age_threshold"), n.flags.Duration("store.recovery_wait")
	o.MaxWaitingLedgers, o.Advisory = uint32(n.flags.Int("store.max_waiting")), n.flags.Bool("store.advisory_delete")
	n.rotator, err = rotate.New(o, rotate.Deps{
		Store: n.store.db, CacheKeys: n.store.family.Tree().Keys, Health: n.rotationHealth,
		Oldest: n.rotationOldest, ClearPrior: n.chain.ClearPrior,
		ClearCaches: func(uint32) {
			n.store.family.FullBelowCache().Clear()
			n.swapped()
		},
		Bulk: n.bulkRotate, Trim: func(reason string) { n.trigger(memory.Trigger(reason)) },
		Heal: func(h [32]byte, cause error) error {
			_, err := n.store.family.Heal(h, cause)
			return err
		},
		TakeHoldMax: n.takeHoldMax, Done: n.rotated, Now: n.now,
	})
	if seq := n.flags.Int("store.can_delete"); err == nil && seq > 0 {
		err = n.rotator.SetCanDelete(uint32(seq))
	}
	return err
}

// takeHoldMax is the longest hold of a lock of store and caches since it was last asked.
func (n *Node) takeHoldMax() time.Duration {
	f := n.store.family
	return max(n.store.db.TakeHoldMax(), f.Tree().TakeHoldMax(), f.FullBelowCache().TakeHoldMax())
}

// bulkRotate runs a step of a rotation whole on the thread that jobs.bulk names.
// When the job queue has ended the step runs here: rotation itself notices the
// end of its context within a step.
func (n *Node) bulkRotate(_ string, fn func()) {
	ran := false
	err := n.jobs.Bulk(n.ctx, jobs.Bulk{Kind: jobs.BulkRotate, Run: func(context.Context) error {
		ran = true
		fn()
		return nil
	}})
	if err != nil && !ran {
		fn()
	}
}

func (n *Node) rotationHealth(since uint32) rotate.Health {
	s := n.driver.Status()
	missing := n.chain.Missing(since)
	return rotate.Health{
		Standalone: n.cfg.Standalone, Full: s.Mode.String() == "full", Mode: s.Mode.String(),
		ValidatedSeq: n.chain.ValidatedSeq(), ValidatedAge: n.chain.ValidatedAge(n.networkNow()), Missing: missing,
	}
}

func (n *Node) rotationOldest(seq uint32) *rotate.Ledger {
	l := n.chain.OldestFrom(seq)
	if l == nil {
		return nil
	}
	return rotationLedger(l)
}

func (n *Node) rotated(i rotate.Info) {
	number := n.rotations.Add(1)
	st := n.store.db.State()
	n.records.Rotation(rotationRecord(number, i, n.rotator.Status(), st.Writable, st.Archive))
	n.metrics.ObserveRotation(string(i.Result), i.Duration)
	if i.Err != nil {
		n.log.Error("rotation", "ledger", i.Seq, "err", i.Err)
	}
}

// networkNow is this node's network time in seconds since 2000-01-01.
func (n *Node) networkNow() uint32 { return n.driver.Now() }
