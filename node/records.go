package node

import (
	"time"

	"ledgerlab/cache"
	"ledgerlab/node/rcl"
	"ledgerlab/node/record"
	"ledgerlab/node/rotate"
	"ledgerlab/node/sweep"
)

// sweepRecord is the record of one application sweep; rss figures are those of
// the moments before the first cache and after the reclaim.
func sweepRecord(i sweep.Info, rssBefore, rssAfter int64, cpu time.Duration) *record.Sweep {
	r := &record.Sweep{
		Number: i.Seq, Reason: i.Reason, DurationNs: i.Own().Nanoseconds(), CpuNs: cpu.Nanoseconds(),
		FreeNs: i.Reclaim.Nanoseconds(), FreedBytes: i.Freed, LimboBytes: i.Limbo,
		RssBeforeBytes: rssBefore, RssAfterBytes: rssAfter,
	}
	for _, c := range i.Caches {
		r.Caches = append(r.Caches, cacheSweep(c))
		r.Freed += uint64(c.Dropped)
	}
	return r
}

func cacheSweep(c cache.SweepStats) *record.CacheSweep {
	return &record.CacheSweep{
		Name: c.Name, EntriesBefore: uint64(c.SizeBefore), EntriesAfter: uint64(c.SizeAfter),
		StrongAfter: uint64(c.StrongAfter), Expired: uint64(c.CacheRemovals), Demoted: uint64(c.Demoted),
		Erased: uint64(c.MapRemovals), LockLongestNs: c.LockHoldMax.Nanoseconds(),
		DurationNs: c.Duration.Nanoseconds(), AgeNs: c.EffectiveAge.Nanoseconds(),
	}
}

// rotationRecord is the record of one rotation that ended, whatever its result.
func rotationRecord(number uint64, i rotate.Info, s rotate.Status, writable, archive string) *record.Rotation {
	r := &record.Rotation{
		Number: number, Result: string(i.Result), Seq: i.Seq, LastRotated: i.LastRotated,
		DurationNs: i.Duration.Nanoseconds(), WaitNs: i.Paused.Nanoseconds(),
		NodesVisited: i.Nodes + i.History, NodesCopied: i.Copied, KeysFreshened: i.Keys, KeysRescued: i.Freshened,
		Writable: writable, Archive: archive, OldestSeq: i.Oldest, NextSeq: s.Next,
		LockHoldMaxNs: i.LockHoldMax.Nanoseconds(),
	}
	if i.Err != nil {
		r.Error = i.Err.Error()
	}
	for _, reason := range s.Reasons {
		if r.WaitReason != "" {
			r.WaitReason += "; "
		}
		r.WaitReason += reason
	}
	var at time.Duration
	for _, p := range []struct {
		name string
		took time.Duration
	}{
		{"wait", i.Paused},
		{"clear", i.ClearPrior},
		{"copy", i.Copy},
		{"history", i.HistoryCopy},
		{"freshen", i.FreshenTime},
		{"rotate", i.Swap},
		{"prune", i.Prune},
	} {
		r.Stages = append(r.Stages, &record.Stage{Name: p.name, StartNs: at.Nanoseconds(), DurationNs: p.took.Nanoseconds()})
		at += p.took
	}
	return r
}

// roundRecord is the record of one closed ledger with its waterfall.
func roundRecord(i rcl.RoundInfo) *record.Round {
	r := &record.Round{
		Seq: i.Seq, ParentHash: i.Parent.String(), Hash: i.Hash.String(), Mode: i.Mode, EndRule: endRule(i),
		OpenNs: i.Open.Nanoseconds(), EstablishNs: i.Establish.Nanoseconds(),
		AcceptNs:     (i.Build + i.Accept).Nanoseconds(),
		RoundNs:      (i.Open + i.Establish + i.Build + i.Accept).Nanoseconds(),
		SetsAcquired: uint32(i.SetsAcquired), SetsMissing: uint32(i.SetsFailed),
		Proposers: uint32(i.Proposers), Positions: uint32(i.Positions), Disputes: uint32(i.Disputes),
		Transactions: uint32(i.Txs + i.Retry), Applied: uint32(i.Txs), Retried: uint32(i.Retry),
		CloseTime: i.CloseTime, CloseResolutionS: uint32(i.Resolution / time.Second), CloseTimeAgreed: i.CloseAgreed,
		ConvergePercent: uint32(max(0, i.ConvergePct)), ValidatedFull: i.Validated == "full",
	}
	if i.SetsAcquired+i.SetsFailed > 0 {
		ns := i.SetAcquire.Nanoseconds()
		r.SetAcquireNs = &ns
	}
	var at time.Duration
	stage := func(name string, took time.Duration) {
		r.Stages = append(r.Stages, &record.Stage{Name: name, StartNs: at.Nanoseconds(), DurationNs: took.Nanoseconds()})
		at += took
	}
	stage("open", i.Open)
	stage("establish", i.Establish)
	stage("build_wait", i.BuildWait)
	stage("apply", i.Apply)
	stage("flush", i.Flush)
	stage("accept", i.Accept)
	return r
}

func endRule(i rcl.RoundInfo) string {
	switch {
	case i.Simulated:
		return "simulated"
	case i.Stalled:
		return "stalled"
	case i.Result == "yes":
		return "agreed"
	}
	return i.Result
}
