package metrics

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"
)

// other is the label value that anything outside a closed set folds into.
const other = "other"

var (
	roundEnds    = []string{"agreed", "moved_on", "stalled", "expired", "abandoned", other}
	trimTriggers = []string{"sweep", "each_cache", "rotate_clear", "rotate_delete", "book_rebuild", "sync_full", "manual", other}
	skipReasons  = []string{"policy", "interval", "unsupported", other}

	rotationResults = []string{"rotated", "expired", "stopping", "failed", other}

	modes      = []string{"disconnected", "connected", "syncing", "tracking", "full"}
	cacheNames = []string{"tree", "full_below", "object", other}
	placeNames = []string{"verify", "batch", "fee_queue", "accept", other}
	sheetLines = []string{
		"go_live", "go_unused", "go_idle", "go_stacks", "go_untouched", "go_metadata", "go_lazy_free", "c_live_inner",
		"c_live_leaf", "c_live_item", "c_live_blob", "c_live_queue", "c_live_other", "c_live_pebble_cache", "c_live_memtable",
		"c_live_other_c", "c_untouched", "c_retained", "c_lazy_free", "files", "shared", "thread_stacks", "unexplained",
		"anonymous_rest", other,
	}
	besideLines = []string{
		"page_tables", "cgroup", "cgroup_file", "lazy_free", "swap", "go_payload_inner", "go_payload_leaf",
		"go_payload_item", "go_payload_blob", "go_payload_queue", "go_payload_other", other,
	}
	generations = []string{"writable", "archive"}
)

// fold returns value if it is in the closed set, otherwise "other".
func fold(value string, set []string) string {
	if slices.Contains(set, value) {
		return value
	}
	return other
}

// emit sends one figure; a label value is given for metrics that have a label.
type emit func(value float64, label ...string)

// pulled is one metric that is read from a snapshot.
type pulled struct {
	desc *prometheus.Desc
	kind prometheus.ValueType
	read func(s *Snapshot, out emit)
}

// pull is a collector over one Snapshot a scrape.
type pull struct {
	source func() Snapshot
	list   []pulled
}

func newPull(source func() Snapshot) *pull {
	p := &pull{source: source}
	p.ledger()
	p.traffic()
	p.stores()
	p.places()
	p.process()
	return p
}

func (p *pull) gauge(name, help string, read func(*Snapshot, emit), label ...string) {
	p.list = append(p.list, pulled{prometheus.NewDesc(name, help, label, nil), prometheus.GaugeValue, read})
}

func (p *pull) counter(name, help string, read func(*Snapshot, emit), label ...string) {
	p.list = append(p.list, pulled{prometheus.NewDesc(name, help, label, nil), prometheus.CounterValue, read})
}

// Describe implements prometheus.Collector.
func (p *pull) Describe(ch chan<- *prometheus.Desc) {
	for _, m := range p.list {
		ch <- m.desc
	}
}

// Collect implements prometheus.Collector.
func (p *pull) Collect(ch chan<- prometheus.Metric) {
	s := p.source()
	for _, m := range p.list {
		m.read(&s, func(v float64, label ...string) {
			ch <- prometheus.MustNewConstMetric(m.desc, m.kind, v, label...)
		})
	}
}

// known emits v unless it is zero, which stands for unknown.
func known[T uint32 | float64](get func(*Snapshot) T) func(*Snapshot, emit) {
	return func(s *Snapshot, out emit) {
		if v := get(s); v != 0 {
			out(float64(v))
		}
	}
}

// plain emits a figure that is always known.
func plain[T int | int64 | uint64](get func(*Snapshot) T) func(*Snapshot, emit) {
	return func(s *Snapshot, out emit) { out(float64(get(s))) }
}

// perKey emits one figure a key of a map, summing what lies outside the closed set.
func perKey[V any](entries func(*Snapshot) map[string]V, set []string, get func(V) float64) func(*Snapshot, emit) {
	return func(s *Snapshot, out emit) {
		sums := map[string]float64{}
		for k, v := range entries(s) {
			sums[fold(k, set)] += get(v)
		}
		for k, v := range sums {
			out(v, k)
		}
	}
}

func (p *pull) ledger() {
	p.gauge("ledgerd_ledger_open_sequence", "Sequence of the open ledger.", known(func(s *Snapshot) uint32 { return s.OpenSeq }))
	p.gauge("ledgerd_ledger_closed_sequence", "Sequence of the last closed ledger.", known(func(s *Snapshot) uint32 { return s.ClosedSeq }))
	p.gauge("ledgerd_ledger_validated_sequence", "Sequence of the newest validated ledger.", known(func(s *Snapshot) uint32 { return s.ValidatedSeq }))
	p.gauge("ledgerd_ledger_oldest_sequence", "Sequence of the oldest ledger held.", known(func(s *Snapshot) uint32 { return s.OldestSeq }))
	p.gauge("ledgerd_ledger_validated_age_seconds", "Time since the newest validated ledger was seen; absent before the first.", func(s *Snapshot, out emit) {
		if s.ValidatedSeq != 0 {
			out(s.ValidatedAge.Seconds())
		}
	})
	p.gauge("ledgerd_mode_info", "Operating mode: 1 for the one the node is in.", func(s *Snapshot, out emit) {
		for _, m := range modes {
			v := 0.0
			if m == s.Mode {
				v = 1
			}
			out(v, m)
		}
	}, "mode")
	p.counter("ledgerd_mode_seconds_total", "Time spent in each operating mode; they add up to the uptime.", func(s *Snapshot, out emit) {
		for _, m := range modes {
			out(s.ModeTimes[m].Seconds(), m)
		}
	}, "mode")
	p.counter("ledgerd_uptime_seconds_total", "Time since the node started.", func(s *Snapshot, out emit) { out(s.Uptime.Seconds()) })
}

func (p *pull) traffic() {
	p.gauge("ledgerd_open_ledger_transactions", "Transactions in the open ledger.", plain(func(s *Snapshot) int { return s.OpenSize }))
	p.gauge("ledgerd_expected_ledger_transactions", "Transactions above which fees escalate.", plain(func(s *Snapshot) int { return s.ExpectedSize }))
	p.gauge("ledgerd_fee_queue_transactions", "Transactions in the fee queue.", plain(func(s *Snapshot) int { return s.QueueSize }))
	p.gauge("ledgerd_fee_queue_bytes", "Bytes of the transactions in the fee queue.", plain(func(s *Snapshot) int64 { return s.QueueBytes }))
	p.counter("ledgerd_fee_queue_refused_total", "Transactions that the fee queue refused for its bounds.", plain(func(s *Snapshot) uint64 { return s.QueueRefused }))
	p.gauge("ledgerd_load_factor_ratio", "Fee level needed now over the base level.", known(func(s *Snapshot) float64 { return s.LoadFactor }))
	p.gauge("ledgerd_peers", "Connections to other nodes.", plain(func(s *Snapshot) int { return s.Peers }))
	p.counter("ledgerd_peer_sent_bytes_total", "Bytes sent to other nodes.", plain(func(s *Snapshot) uint64 { return s.PeerSent }))
	p.counter("ledgerd_peer_received_bytes_total", "Bytes received from other nodes.", plain(func(s *Snapshot) uint64 { return s.PeerReceived }))
	p.counter("ledgerd_peer_dropped_messages_total", "Messages that a full send queue refused.", plain(func(s *Snapshot) uint64 { return s.PeerDropped }))
	p.counter("ledgerd_signatures_verified_total", "Signatures that were verified.", plain(func(s *Snapshot) uint64 { return s.Signatures.Verified }))
	p.counter("ledgerd_signatures_bad_total", "Signatures that were found bad.", plain(func(s *Snapshot) uint64 { return s.Signatures.Bad }))
	p.counter("ledgerd_signatures_remembered_total", "Signatures whose verdict was known already.", plain(func(s *Snapshot) uint64 { return s.Signatures.Remembered }))
	p.counter("ledgerd_signature_batches_total", "Batches in which signatures were verified.", plain(func(s *Snapshot) uint64 { return s.Signatures.Batches }))
	p.gauge("ledgerd_router_entries", "Transactions and messages remembered as seen.", plain(func(s *Snapshot) int { return s.Router.Entries }))
	p.counter("ledgerd_router_hits_total", "Arrivals that had been seen before.", plain(func(s *Snapshot) uint64 { return s.Router.Hits }))
	p.counter("ledgerd_router_misses_total", "Arrivals that were new.", plain(func(s *Snapshot) uint64 { return s.Router.Misses }))
	p.counter("ledgerd_router_evictions_total", "Entries forgotten to make room.", plain(func(s *Snapshot) uint64 { return s.Router.Evicts }))
}

func (p *pull) stores() {
	caches := func(s *Snapshot) map[string]Cache { return s.Caches }
	p.gauge("ledgerd_cache_entries", "Entries of a cache.", perKey(caches, cacheNames, func(c Cache) float64 { return float64(c.Entries) }), "cache")
	p.gauge("ledgerd_cache_strong_entries", "Entries of a cache that hold their value.", perKey(caches, cacheNames, func(c Cache) float64 { return float64(c.Strong) }), "cache")
	p.counter("ledgerd_cache_hits_total", "Look-ups that found their entry.", perKey(caches, cacheNames, func(c Cache) float64 { return float64(c.Hits) }), "cache")
	p.counter("ledgerd_cache_misses_total", "Look-ups that did not.", perKey(caches, cacheNames, func(c Cache) float64 { return float64(c.Misses) }), "cache")
	gens := func(s *Snapshot) map[string]StoreGeneration { return s.Store }
	p.gauge("ledgerd_store_disk_bytes", "Bytes on disk of a generation of the store.", perKey(gens, generations, func(g StoreGeneration) float64 { return float64(g.Bytes) }), "generation")
	p.gauge("ledgerd_store_block_cache_bytes", "Bytes in the block cache of a generation.", perKey(gens, generations, func(g StoreGeneration) float64 { return float64(g.CacheBytes) }), "generation")
	p.gauge("ledgerd_store_memtable_bytes", "Bytes in the memtables of a generation.", perKey(gens, generations, func(g StoreGeneration) float64 { return float64(g.MemtableBytes) }), "generation")
	p.counter("ledgerd_store_reads_total", "Node objects read from a generation.", perKey(gens, generations, func(g StoreGeneration) float64 { return float64(g.Reads) }), "generation")
	p.counter("ledgerd_store_writes_total", "Node objects written to a generation.", perKey(gens, generations, func(g StoreGeneration) float64 { return float64(g.Writes) }), "generation")
}

func (p *pull) places() {
	places := func(s *Snapshot) map[string]Place { return s.Places }
	p.counter("ledgerd_place_arrivals_total", "Pieces of work that came to a waiting place.", perKey(places, placeNames, func(w Place) float64 { return float64(w.Arrivals) }), "place")
	p.counter("ledgerd_place_refused_total", "Pieces of work that the bound of a place refused.", perKey(places, placeNames, func(w Place) float64 { return float64(w.Refused) }), "place")
	p.gauge("ledgerd_place_length", "Pieces of work that wait at a place.", perKey(places, placeNames, func(w Place) float64 { return float64(w.Length) }), "place")
	p.counter("ledgerd_place_queue_wait_seconds_total", "Time that work waited in the queue of a place.", perKey(places, placeNames, func(w Place) float64 { return w.QueueWait.Seconds() }), "place")
	p.counter("ledgerd_lock_wait_seconds_total", "Time that work waited for the lock of a place.", perKey(places, placeNames, func(w Place) float64 { return w.LockWait.Seconds() }), "place")
	p.counter("ledgerd_lock_hold_seconds_total", "Time that the lock of a place was held.", perKey(places, placeNames, func(w Place) float64 { return w.LockHold.Seconds() }), "place")
	p.counter("ledgerd_place_work_seconds_total", "Time that work took at a place.", perKey(places, placeNames, func(w Place) float64 { return w.Work.Seconds() }), "place")
}

func (p *pull) process() {
	p.gauge("ledgerd_memory_bytes", "Lines of the last full balance sheet; they sum to the resident size.",
		perKey(func(s *Snapshot) map[string]int64 { return s.Memory }, sheetLines, func(n int64) float64 { return float64(n) }), "line")
	p.gauge("ledgerd_memory_now_bytes", "Lines of the balance sheet that cost nothing, of the last second; they sum to the resident size.",
		perKey(func(s *Snapshot) map[string]int64 { return s.MemoryNow }, sheetLines, func(n int64) float64 { return float64(n) }), "line")
	p.gauge("ledgerd_memory_beside_bytes", "Figures beside the balance sheet, not part of the sum.",
		perKey(func(s *Snapshot) map[string]int64 { return s.Beside }, besideLines, func(n int64) float64 { return float64(n) }), "line")
	p.counter("ledgerd_records_total", "Records taken.", plain(func(s *Snapshot) uint64 { return s.RecordsTaken }))
	p.counter("ledgerd_records_dropped_total", "Records that were not written to the file.", plain(func(s *Snapshot) uint64 { return s.RecordsLost }))
	p.counter("ledgerd_api_calls_total", "Calls of the control plane.", plain(func(s *Snapshot) uint64 { return s.API.Calls }))
	p.counter("ledgerd_api_failed_total", "Calls of the control plane that failed.", plain(func(s *Snapshot) uint64 { return s.API.Failed }))
	p.counter("ledgerd_api_panics_total", "Calls of the control plane that panicked.", plain(func(s *Snapshot) uint64 { return s.API.Panics }))
	p.counter("ledgerd_api_refused_total", "Calls and streams that a bound of the control plane refused.", func(s *Snapshot, out emit) {
		out(float64(s.API.RefusedCalls), "calls")
		out(float64(s.API.RefusedStreams), "streams")
	}, "limit")
	p.counter("ledgerd_api_watch_dropped_total", "Messages lost to slow watchers.", plain(func(s *Snapshot) uint64 { return s.API.WatchDropped }))
	p.gauge("ledgerd_api_open_streams", "Open streams of the control plane.", plain(func(s *Snapshot) int { return s.API.OpenStreams }))
}
