package config

import (
	"sort"
	"time"
)

// flagTable returns every flag that has an effect in this build, in the order of
// listings. A mechanism that is not built has no row.
func flagTable() []Flag {
	var all []Flag
	for _, part := range [][]Flag{
		heapFlags(), memoryFlags(), trimFlags(), treeFlags(), cacheFlags(), storeFlags(),
		openFlags(), relayFlags(), consensusFlags(), feeFlags(), plantFlags(),
	} {
		all = append(all, part...)
	}
	return all
}

// Flags returns the description of every flag, in listing order.
func Flags() []Flag { return flagTable() }

// Lookup returns the flag called name.
func Lookup(name string) (Flag, error) {
	table := flagTable()
	for _, f := range table {
		if f.Name == name {
			return f, nil
		}
	}
	names := make([]string, len(table))
	for i, f := range table {
		names[i] = f.Name
	}
	sort.Strings(names)
	return Flag{}, &UnknownFlagError{Name: name, Nearest: Suggest(name, names)}
}

const (
	kib = 1 << 10
	mib = 1 << 20
	gib = 1 << 30
)

func heapFlags() []Flag {
	const src, comp = "memory.md 3 (seed 000)", "shamap/payload"
	alloc := func(name, doc string) Flag {
		return Flag{
			Name: name, Kind: KindBytes, Max: 4 * gib, OrDefault: true, Default: WordDefault,
			Component: "node/memory", Source: src, Doc: doc,
		}
	}
	return []Flag{
		{
			Name: "heap.payload", Kind: KindEnum, Allowed: []string{"c", "go"}, Default: payloadDefault, Component: comp, Source: src,
			Doc: "Memory that holds the payloads of tree nodes: the C heap as in xrpld, or the collected Go heap (the default of a build without cgo).",
		},
		{
			Name: "heap.allocator", Kind: KindEnum, Allowed: []string{"glibc", "jemalloc", "mimalloc", "tcmalloc"}, Default: "glibc",
			Component: "lab/network", Source: src, Doc: "Allocator that owns malloc in the process; any but glibc is preloaded at start.",
		},
		{
			Name: "heap.arena_max", Kind: KindInt, Max: 1024, Default: "0", Component: "node/memory", Source: src,
			Doc: "Largest number of glibc arenas; 0 leaves glibc's own rule of eight a core.",
		},
		alloc("heap.mmap_threshold", "Size from which glibc maps a request by itself; default leaves the threshold dynamic."),
		alloc("heap.trim_threshold", "Free bytes at the top of the main heap above which glibc returns them on free."),
		alloc("heap.top_pad", "Bytes glibc asks for beyond each extension of a heap."),
		{
			Name: "go.gogc", Kind: KindInt, Max: 10000, Default: "100", Component: "node/memory", Hot: true, Source: src,
			Doc: "Growth in percent at which the Go collector runs; 0 turns the collector off.",
		},
		{
			Name: "go.memlimit", Kind: KindBytes, Default: "0", Component: "node/memory", Hot: true, Source: src,
			Doc: "Soft limit of the Go runtime's memory; 0 means none.",
		},
	}
}

func trimFlags() []Flag {
	const src, comp = "seed 000, trigger candidates and padding", "node/memory"
	return []Flag{
		{
			Name: "trim.trigger", Kind: KindSet, Default: "sweep", Component: comp, Hot: true, Source: src,
			Allowed: []string{"none", "sweep", "each_cache", "rotate_clear", "rotate_delete", "sync_full"},
			Doc:     "Moments at which free heap memory is given back to the kernel.",
		},
		{
			Name: "trim.method", Kind: KindEnum, Allowed: []string{"malloc", "go", "both"}, Default: "malloc", Component: comp, Hot: true, Source: src,
			Doc: "Heap that a trim works on: the owner of malloc, the Go runtime, or both.",
		},
		{
			Name: "trim.pad", Kind: KindBytes, Max: 4 * gib, Default: "0", Component: comp, Hot: true, Source: src,
			Doc: "Bytes a trim leaves untouched at the top of the main heap.",
		},
		{
			Name: "trim.policy", Kind: KindPolicy, Default: "every(1)", Component: comp, Hot: true, Source: src,
			Allowed: []string{"every(n)", "freed(bytes)", "retained(ratio)", "growth(bytes)", "pressure(share)", "backoff(base,factor)"},
			Doc:     "Which of the triggered moments are used: each n-th, or only when enough was freed, is retained, has grown, or memory is short; backoff waits longer after a trim that returned little.",
		},
		{
			Name: "trim.min_interval", Kind: KindDuration, Max: float64(time.Hour), Default: "0s", Component: comp, Hot: true, Source: src,
			Doc: "Shortest time between two trims; the seed needed 5s for the trigger inside each cache.",
		},
	}
}

func treeFlags() []Flag {
	return []Flag{
		{
			Name: "tree.link", Kind: KindEnum, Allowed: []string{"all", "current", "none"}, Default: "current", Component: "shamap", Source: "memory.md, links.md",
			Doc: "Whether a read links the child it fetched into its parent: always as in xrpld, only in the open and newest ledger, or never.",
		},
		{
			Name: "tree.inner", Kind: KindEnum, Allowed: []string{"dense", "sparse"}, Default: "dense", Component: "shamap", Source: "xrpl-facts 2.2, memory.md 2",
			Doc: "Whether an inner node keeps all sixteen child hashes, 516 bytes of one size class, or those present alone.",
		},
		{
			Name: "tree.hash_lanes", Kind: KindInt, Max: 256, Default: "1", Component: "shamap", Source: "links.md",
			Doc: "Goroutines that hash a large batch of changed nodes together; 0 takes one a hardware thread.",
		},
		{
			Name: "jobs.workers", Kind: KindInt, Max: 1024, Default: "0", Component: "node/jobs", Source: "xrpl-facts 5.4 (seed 002)",
			Doc: "Worker threads of the job queue; 0 takes xrpld's rule of 2 + min(cores, 4).",
		},
		{
			Name: "jobs.bulk", Kind: KindEnum, Allowed: []string{"own", "pool", "spread"}, Default: "own", Component: "node/jobs", Source: "memory.md 3",
			Doc: "Where bulk jobs (acquire, freshen, copy) run: whole on a thread of their own, whole on one pool worker, or spread over all workers.",
		},
	}
}

func cacheFlags() []Flag {
	const src = "xrpl-facts 3 (seed 000)"
	return []Flag{
		{
			Name: "node.size", Kind: KindEnum, Allowed: []string{"tiny", "small", "medium", "large", "huge"}, Default: "small", Component: "node/config", Source: "xrpl-facts 3.4",
			Doc: "Sets cache.tree.size, cache.tree.age, cache.sweep_interval and ledger.held as xrpld's sizes do, where they are not set.",
		},
		{
			Name: "cache.partitions", Kind: KindInt, Max: 4096, Default: "0", Component: "cache", Source: src,
			Doc: "Partitions of each tagged cache; 0 takes the number of hardware threads as xrpld does.",
		},
		{
			Name: "cache.lock", Kind: KindEnum, Allowed: []string{"partition", "single"}, Default: "partition", Component: "cache", Source: src,
			Doc: "One lock a partition, or one for the whole cache as in the xrpld versions with a single mutex.",
		},
		{
			Name: "cache.tree.size", Kind: KindInt, Max: 1 << 30, Default: "524288", Component: "node/family", Hot: true, Source: "xrpl-facts 3.4, column small",
			Doc: "Target number of entries of the tree-node cache; above it entries age faster; 0 means no target.",
		},
		{
			Name: "cache.tree.age", Kind: KindDuration, Min: float64(time.Second), Max: float64(24 * time.Hour), Default: "1m", Component: "node/family", Hot: true, Source: "xrpl-facts 3.4, column small",
			Doc: "Age at which an unused entry of the tree-node cache expires.",
		},
		{
			Name: "cache.sweep_interval", Kind: KindDuration, Min: float64(100 * time.Millisecond), Max: float64(time.Hour), Default: "30s", Component: "node/sweep", Hot: true, Source: "xrpl-facts 3.4, column small",
			Doc: "Pause between the end of one cache sweep and the start of the next; xrpld allows 10s to 600s.",
		},
		{
			Name: "cache.expire_all", Kind: KindBool, Default: "off", Component: "cache", Hot: true, Source: "seed 000 (#5910)",
			Doc: "Every entry expires at each sweep, whatever its age.",
		},
		{
			Name: "cache.object", Kind: KindBool, Default: "off", Component: "node/family", Source: "seed 000 (#5439, #7359)",
			Doc: "Whether what the store gave is kept as a blob beside the tree-node cache; xrpld does so on stores that do not rotate.",
		},
		{
			Name: "cache.policy", Kind: KindEnum, Allowed: []string{"aged", "lru"}, Default: "aged", Component: "node/family", Source: "seed 000; golang-lru as the rival",
			Doc: "How the tree-node cache forgets: by age at a sweep as in xrpld, or least recently used at a fixed size.",
		},
		{
			Name: "ledger.history", Kind: KindInt, Max: 1 << 30, Default: "0", Component: "node/chain", Source: "xrpl-facts 4.8 (ledger_history)",
			Doc: "Ledgers behind the validated one that are fetched from peers when they are missing; at most store.online_delete. xrpld: 256.",
		},
		{
			Name: "ledger.held", Kind: KindInt, Min: 1, Max: 1 << 16, Default: "16", Component: "node/chain", Source: "xrpl-facts 3.4, column small",
			Doc: "Newest validated ledgers kept open, each with the nodes of its tree that no newer one has; xrpld's 32 for at most 60 s are about as many.",
		},
		{
			Name: "ledger.index_bound", Kind: KindInt, Max: 1 << 30, Default: "4096", Component: "node/chain", Source: "seed 000 (#5461, #5874)",
			Doc: "Entries kept in the map of ledger sequence to hash; 0 lets it grow for ever, the leak the seed found.",
		},
	}
}

func storeFlags() []Flag {
	const src = "xrpl-facts 4 (seed 000)"
	return []Flag{
		{
			Name: "store.backend", Kind: KindEnum, Allowed: []string{"pebble", "memory"}, Default: "pebble", Component: "store", Source: src,
			Doc: "Where node objects are kept; memory does not survive the process.",
		},
		{
			Name: "store.online_delete", Kind: KindInt, Max: 1 << 30, Default: "512", Component: "node/rotate", Source: src,
			Doc: "Ledgers between two rotations of the store, at least 8; 0 never rotates. xrpld's floor is 256, in its stand-alone mode 8.",
		},
		{
			Name: "store.rotate_offset", Kind: KindInt, Max: 1 << 20, Default: "0", Component: "node/rotate", Source: "DESIGN 5",
			Doc: "Ledgers from the first one of a new store to its first rotation, so that nodes do not rotate in step; 0 waits store.online_delete.",
		},
		{
			Name: "store.freshen", Kind: KindEnum, Allowed: []string{"keys", "none"}, Default: "keys", Component: "node/rotate", Hot: true, Source: src,
			Doc: "Whether a rotation reads every cached key again so that it is copied forward, as xrpld does.",
		},
		{
			Name: "store.index", Kind: KindBool, Default: "on", Component: "node/history", Source: "xrpl-facts 4.7 (use_tx_tables)",
			Doc: "Keep an index of ledgers by sequence, transactions by id and by account, that rotates with the store.",
		},
		{
			Name: "store.delete_batch", Kind: KindInt, Min: 1, Max: 1 << 20, Default: "100", Component: "node/rotate", Source: src,
			Doc: "Files of the old generation that a rotation removes at once; xrpld's delete_batch counts rows of its SQL tables.",
		},
		{
			Name: "store.back_off", Kind: KindDuration, Max: float64(time.Minute), Default: "100ms", Component: "node/rotate", Source: src,
			Doc: "Pause between two batches of a deletion.",
		},
		{
			Name: "store.age_threshold", Kind: KindDuration, Min: float64(time.Second), Max: float64(time.Hour), Default: "1m", Component: "node/rotate", Source: src,
			Doc: "Age of the validated ledger above which a rotation waits.",
		},
		{
			Name: "store.recovery_wait", Kind: KindDuration, Min: float64(10 * time.Millisecond), Max: float64(time.Minute), Default: "2s", Component: "node/rotate", Source: src,
			Doc: "Pause before a rotation that waits looks again at the health of the node.",
		},
		{
			Name: "store.max_waiting", Kind: KindInt, Max: 1 << 30, Default: "0", Component: "node/rotate", Source: src,
			Doc: "Ledgers by which the chain may move on while a rotation waits, before it is given up; 0 takes store.online_delete.",
		},
		{
			Name: "store.advisory_delete", Kind: KindBool, Default: "off", Component: "node/rotate", Hot: true, Source: src,
			Doc: "Whether a rotation also waits until store.can_delete reaches the ledger of the last one.",
		},
		{
			Name: "store.can_delete", Kind: KindInt, Max: 1<<32 - 1, Default: "0", Component: "node/rotate", Hot: true, Source: src,
			Doc: "Newest ledger that advisory delete may delete; kept in the store, where 0 leaves what is there.",
		},
		{
			Name: "store.fault", Kind: KindEnum, Allowed: []string{"none", "full", "write", "sync", "read", "slow"}, Default: "none", Component: "store/pebbledb", Hot: true, Source: "trials S05",
			Doc: "Fault of the disk under the store: no room, errors of writes, syncs or reads, or each operation late by store.fault_delay.",
		},
		{
			Name: "store.fault_delay", Kind: KindDuration, Max: float64(time.Minute), Default: "100ms", Component: "store/pebbledb", Hot: true, Source: "trials S05",
			Doc: "Time that store.fault=slow adds to each operation on the disk.",
		},
		{
			Name: "store.block_cache", Kind: KindBytes, Max: 16 * gib, Default: "64MiB", Component: "store/pebbledb", Source: "memory.md 4",
			Doc: "Size of the store's block cache, which lies in C memory.",
		},
	}
}

func openFlags() []Flag {
	return []Flag{
		{
			Name: "open.batch_interval", Kind: KindDuration, Max: float64(10 * time.Second), Default: "0s", Component: "node/ingest", Hot: true, MayHash: false, Source: "seed 002 (#4504)",
			Doc: "Pause between two batches applied to the open ledger; 0 applies as soon as the last batch is done, as xrpld does.",
		},
		{
			Name: "open.view", Kind: KindEnum, Allowed: []string{"copy"}, Default: "copy", Component: "node/ledger", Source: "seed 002",
			Doc: "How a batch gets its view of the open ledger: by copying all of it.",
		},
	}
}

func relayFlags() []Flag {
	return []Flag{
		{
			Name: "relay.queue_limit", Kind: KindInt, Min: 100, Max: 1000, Default: "250", Component: "node/jobs", Hot: true, Source: "seed 002",
			Doc: "Relayed transactions that may wait for a worker; the next one is dropped unread and counted.",
		},
		{
			Name: "relay.mode", Kind: KindEnum, Allowed: []string{"all", "hybrid"}, Default: "all", Component: "node/peer", Hot: true, Source: "relay.md (seed 002)",
			Doc: "Whether a received transaction is passed on whole to every peer without it, or announced by hash after the entry node sent it whole.",
		},
		{
			Name: "relay.flush", Kind: KindDuration, Max: float64(time.Second), Default: "20ms", Component: "node/peer", Hot: true, Source: "relay.md",
			Doc: "Longest wait of the first pending message before its frame is sent; 0 sends each message by itself.",
		},
		{
			Name: "verify.batch", Kind: KindInt, Min: 1, Max: 256, Default: "64", Component: "node/ingest", Hot: true, Source: "relay.md f",
			Doc: "Signatures verified together at most; 1 verifies each by itself. The verdicts are the same.",
		},
	}
}

func feeFlags() []Flag {
	const src, comp = "xrpl-facts 5.8 (seed 002)", "node/txq"
	return []Flag{
		{
			Name: "fee.initial", Kind: KindInt, Min: 1, Max: 1 << 30, Default: "32", Component: comp, MayHash: true, Source: src,
			Doc: "Transactions expected in a ledger at the start, and never less; beyond the expected number fees escalate.",
		},
		{
			Name: "fee.growth", Kind: KindRatio, Max: 10, Default: "20%", Component: comp, MayHash: true, Source: src,
			Doc: "Growth of the expected number after a full ledger that was on time.",
		},
		{
			Name: "fee.per_account", Kind: KindInt, Min: 1, Max: 1 << 20, Default: "10", Component: comp, MayHash: true, Source: src,
			Doc: "Transactions of one account that may wait in the fee queue.",
		},
		{
			Name: "fee.queue_ledgers", Kind: KindInt, Min: 1, Max: 1 << 20, Default: "20", Component: comp, MayHash: true, Source: src,
			Doc: "Ledgers' worth of transactions that the fee queue holds.",
		},
		{
			Name: "fee.max_bytes", Kind: KindBytes, Min: mib, Max: 16 * gib, Default: "256MiB", Component: comp, MayHash: true, Source: "trials M13",
			Doc: "Bytes of transactions that the fee queue holds; beyond it a transaction is refused as queue full.",
		},
	}
}
