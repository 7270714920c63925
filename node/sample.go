package node

import (
	"context"
	"os"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"ledgerlab/node/build"
	"ledgerlab/node/jobs"
	"ledgerlab/node/memory"
	"ledgerlab/node/record"
	"ledgerlab/shamap/payload"
)

// samplePeriod is the interval of SampleRecords: cheap figures only.
const samplePeriod = time.Second

// sample records the process once a second until ctx ends.
func (n *Node) sample(ctx context.Context) error {
	return every(ctx, samplePeriod, func() error {
		s, _, err := n.sampleNow()
		if err != nil {
			return err
		}
		n.records.Sample(s)
		return nil
	})
}

// every calls fn once a period until ctx ends, which is no error, or fn fails.
func every(ctx context.Context, period time.Duration, fn func() error) error {
	tick := time.NewTicker(period)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
			if err := fn(); err != nil {
				return err
			}
		}
	}
}

// sampleNow reads what is cheap: a file of /proc and counters. It gives the lines of the cheap sheet in order, too.
func (n *Node) sampleNow() (*record.Sample, []memory.Line, error) {
	s, err := memory.ReadSample(n.now())
	if err != nil {
		return nil, nil, err
	}
	g, gc := memory.ReadGoHeap(), memory.ReadGoCycles()
	cheap := memory.Cheap(s, g, n.cTags())
	st := n.store.heap.Stats()
	r := &record.Sample{
		RssBytes: s.RSS, RssAnonBytes: s.Anon, RssFileBytes: s.File, RssSharedBytes: s.Shmem, VirtualBytes: s.Virtual,
		RssPeakBytes: s.Peak, MinorFaults: s.MinorFlt, MajorFaults: s.MajorFlt,
		UserNs: s.User.Nanoseconds(), SystemNs: s.Sys.Nanoseconds(), SwitchesVoluntary: s.Voluntary, SwitchesForced: s.Forced,
		Threads: int32(s.Threads), Goroutines: int32(runtime.NumGoroutine()),
		GcCycles: uint32(gc.Cycles), GcCpuNs: int64(gc.CPU * float64(time.Second)), Places: n.places(),
		Sheet:  lineMap(cheap),
		Beside: map[string]int64{memory.BesidePageTables: s.PageTables, memory.BesideSwap: s.Swap},
		Gauges: map[string]float64{
			"go_live_bytes": float64(g.Live), "go_idle_bytes": float64(g.Idle), "go_released_bytes": float64(g.Released),
			"payload_limbo_bytes": float64(st.Total.LimboBytes), "payload_usable_bytes": float64(st.Total.UsableBytes),
		},
		Counters: n.counters(),
	}
	for t := range payload.Tags {
		r.Gauges["payload_"+payload.Tag(t).String()+"_bytes"] = float64(st.ByTag[t].LiveBytes)
	}
	tree := n.store.family.Stats().Tree
	r.Gauges["tree_cache_entries"], r.Gauges["tree_cache_strong"] = float64(tree.Size), float64(tree.Strong)
	r.Gauges["record_ring_entries"], r.Gauges["record_ring_target"] = float64(n.records.Stats().Ring), float64(record.Options{Ring: n.cfg.Record.Ring}.Default().Ring)
	n.lastSample.Store(r)
	return r, cheap, nil
}

// counters are the running totals that reports difference over a window.
func (n *Node) counters() map[string]int64 {
	d, q, f := n.door.Stats(), n.queue.Stats(), n.store.family.Stats()
	c := n.driver.Counters()
	m := map[string]int64{
		"submitted": int64(d.Submitted.Load()), "from_peers": int64(d.FromPeers.Load()), "duplicates": int64(d.Duplicates.Load()),
		"relay_dropped": int64(d.Dropped.Load()), "invalid": int64(d.Invalid.Load()), "signatures_verified": int64(d.Verified.Load()),
		"signature_batches": int64(d.VerifyBatches.Load()), "bad_signatures": int64(d.BadSignatures.Load()),
		"queued": int64(q.Queued.Load()), "queue_full": int64(q.Full.Load()),
		"store_fetches": int64(f.Fetches), "store_written": int64(f.Written), "store_written_bytes": int64(f.WrittenBytes),
		"tree_hits": int64(f.Tree.Hits), "tree_misses": int64(f.Tree.Misses),
		"departures_full": int64(c.DeparturesFull), "step_outs": int64(c.StepOuts), "validations_full": int64(c.ValidationsFull),
		"rounds": int64(c.Rounds), "divergences": int64(c.Divergences),
	}
	t := n.trimmer.Counts()
	m["trims"], m["trims_skipped"], m["trim_returned_bytes"] = int64(t.Trims), int64(t.Skipped), t.Returned
	return m
}

// places are the six waiting places of the node, in the order a transaction
// meets them.
func (n *Node) places() []*record.Place {
	sizes := n.door.Sizes()
	out := []*record.Place{
		place("verify", n.door.VerifyPlace().Snapshot(), sizes.VerifyRemote+sizes.VerifyLocal),
		place("batch", n.door.BatchPlace().Snapshot(), sizes.Pending),
		place("fee_queue", n.queue.Place().Snapshot(), n.queue.Len()),
		place("accept", n.door.AcceptPlace().Snapshot(), 0),
	}
	for _, t := range n.jobs.Stats() {
		if t.Place.Arrivals > 0 {
			out = append(out, place("job_"+t.Type.String(), t.Place, t.Waiting))
		}
	}
	return out
}

func place(name string, s jobs.PlaceStats, length int) *record.Place {
	return &record.Place{
		Name: name, Arrivals: s.Arrivals, Refused: s.Refused, QueueWaitNs: s.Queue.Sum.Nanoseconds(),
		LockWaitNs: s.LockWait.Sum.Nanoseconds(), LockHoldNs: s.LockHold.Sum.Nanoseconds(),
		WorkNs: s.Work.Sum.Nanoseconds(), QueueLength: int64(length),
	}
}

// startRecord says what runs where.
func (n *Node) startRecord() *record.Start {
	seq, hash := n.lastValidated()
	b := build.Read()
	r := &record.Start{
		Name: n.cfg.Name, NetworkId: n.cfg.NetworkID, Role: string(n.cfg.Role), PublicKey: n.publicKey(), Pid: int32(os.Getpid()),
		Commit: b.Commit, Dirty: b.Dirty, GoVersion: runtime.Version(), Os: runtime.GOOS, Arch: runtime.GOARCH,
		Kernel: kernel(), Allocator: string(memory.Detect().Allocator), Libc: libc(),
		Cgo: memory.Detect().Allocator != memory.NoCgo, Race: raceEnabled, Cpus: int32(runtime.NumCPU()),
		Gomaxprocs: int32(runtime.GOMAXPROCS(0)), PageBytes: int64(os.Getpagesize()),
		Flags: n.flags.Snapshot(), Environment: map[string]string{}, ValidatedSeq: seq, ValidatedHash: hash.String(), Seed: n.opt.Seed,
	}
	for _, key := range []string{"LD_PRELOAD", "GOGC", "GOMEMLIMIT", "GODEBUG", "GOMAXPROCS", "MALLOC_ARENA_MAX", "MALLOC_CONF", "GLIBC_TUNABLES"} {
		if v, ok := os.LookupEnv(key); ok {
			r.Environment[key] = v
		}
	}
	if limit, err := memory.Limit(); err == nil {
		r.MemoryBytes = limit
	}
	return r
}

func kernel() string {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}

// libc names the object that gives malloc, or the allocator's own version.
func libc() string {
	o := memory.Detect()
	return strings.TrimSpace(o.Path + " " + o.Version)
}
