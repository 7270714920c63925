package node

import (
	"ledgerlab/cache"
	"ledgerlab/node/jobs"
	"ledgerlab/node/metrics"
	"ledgerlab/store"
)

// snapshot is the node for one scrape; quick and safe for concurrent use.
func (n *Node) snapshot() metrics.Snapshot {
	s := n.driver.Status()
	seq, _ := n.lastValidated()
	first, _ := n.chain.Range()
	d, sizes := n.door.Stats(), n.door.Sizes()
	f := n.store.family.Stats()
	api := n.control.Stats()
	rec := n.records.Stats()
	out := metrics.Snapshot{
		Uptime: n.now().Sub(n.started), Mode: s.Mode.String(), ModeTimes: n.modeTimes(), OpenSeq: n.openSeq(),
		ClosedSeq: s.ClosedSeq, ValidatedSeq: seq, OldestSeq: first, QueueSize: n.queue.Len(), QueueBytes: n.queue.Bytes(),
		QueueRefused: n.queue.Stats().Full.Load(),
		Signatures: metrics.Signatures{
			Verified: d.Verified.Load(), Bad: d.BadSignatures.Load(), Batches: d.VerifyBatches.Load(), Remembered: d.Duplicates.Load(),
		},
		Router: metrics.Router{Entries: sizes.Router, Evicts: sizes.RouterEvictions},
		Caches: map[string]metrics.Cache{"tree": cacheFigures(f.Tree), "full_below": cacheFigures(f.FullBelow)},
		Places: map[string]metrics.Place{}, RecordsLost: rec.Dropped, RecordsTaken: rec.Records,
		API: metrics.API{
			Calls: api.Calls, Failed: api.Failed, Panics: api.Panics, RefusedCalls: api.RefusedCalls,
			RefusedStreams: api.RefusedStreams, WatchDropped: api.WatchDropped, OpenStreams: api.OpenStreams,
		},
	}
	if f.Objects.Name != "" {
		out.Caches["object"] = cacheFigures(f.Objects)
	}
	if seq > 0 {
		out.ValidatedAge = n.chain.ValidatedAge(n.networkNow())
	}
	out.LoadFactor, out.OpenSize, out.ExpectedSize = n.loadFactor()
	ds := n.store.db.Stats()
	out.Store = map[string]metrics.StoreGeneration{"writable": generation(ds.Writable), "archive": generation(ds.Archive)}
	for name, p := range map[string]jobs.PlaceStats{
		"verify": n.door.VerifyPlace().Snapshot(), "batch": n.door.BatchPlace().Snapshot(),
		"accept": n.door.AcceptPlace().Snapshot(), "fee_queue": n.queue.Place().Snapshot(),
	} {
		out.Places[name] = metrics.Place{
			Arrivals: p.Arrivals, Refused: p.Refused, QueueWait: p.Queue.Sum, LockWait: p.LockWait.Sum, LockHold: p.LockHold.Sum, Work: p.Work.Sum,
		}
	}
	n.peerFigures(&out)
	if sheet := n.sheet.Load(); sheet != nil {
		out.Memory, out.Beside = lineMap(sheet.Lines), lineMap(sheet.Beside)
	}
	if s := n.lastSample.Load(); s != nil {
		out.MemoryNow = s.GetSheet()
	}
	return out
}

func (n *Node) peerFigures(out *metrics.Snapshot) {
	if n.overlay == nil {
		return
	}
	for _, p := range n.overlay.Peers() {
		if p.Connected {
			out.Peers++
		}
		out.PeerSent += p.Counters.BytesOut
		out.PeerReceived += p.Counters.BytesIn
		out.PeerDropped += p.Counters.Dropped
	}
}

func cacheFigures(s cache.Stats) metrics.Cache {
	return metrics.Cache{Entries: uint64(s.Size), Strong: uint64(s.Strong), Hits: s.Hits, Misses: s.Misses}
}

func generation(b store.BackendStats) metrics.StoreGeneration {
	return metrics.StoreGeneration{Bytes: int64(b.DiskBytes), CacheBytes: b.CacheBytes, MemtableBytes: int64(b.MemTableBytes)}
}
