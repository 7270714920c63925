package metrics

import "time"

// Snapshot is the state of the node at one scrape. A nil map or a zero sequence
// means unknown, and the figure is left out.
type Snapshot struct {
	Uptime       time.Duration
	Mode         string                   // operating mode now
	ModeTimes    map[string]time.Duration // add up to Uptime
	OpenSeq      uint32
	ClosedSeq    uint32
	ValidatedSeq uint32
	ValidatedAge time.Duration // meaningful with ValidatedSeq
	OldestSeq    uint32        // oldest ledger that is held
	OpenSize     int           // transactions in the open ledger
	ExpectedSize int
	QueueSize    int
	QueueBytes   int64
	QueueRefused uint64
	LoadFactor   float64 // 0 = unknown
	Peers        int
	PeerSent     uint64 // bytes
	PeerReceived uint64
	PeerDropped  uint64 // messages refused by send queues
	Signatures   Signatures
	Router       Router
	Caches       map[string]Cache
	Store        map[string]StoreGeneration // writable, archive
	Places       map[string]Place
	Memory       map[string]int64 // lines of the balance sheet; nil = not measured yet
	MemoryNow    map[string]int64 // its cheap lines, of the last second
	Beside       map[string]int64
	API          API
	RecordsLost  uint64 // not written to the record file
	RecordsTaken uint64
}

// Signatures counts verifications.
type Signatures struct {
	Verified, Bad, Batches, Remembered uint64
}

// Router counts the memory of seen transactions.
type Router struct {
	Entries              int
	Hits, Misses, Evicts uint64
}

// Cache is one cache now and its counters.
type Cache struct {
	Entries, Strong uint64
	Hits, Misses    uint64
}

// StoreGeneration is one part of the store.
type StoreGeneration struct {
	Bytes, CacheBytes, MemtableBytes int64
	Reads, Writes                    uint64
}

// Place is one place where work waits.
type Place struct {
	Arrivals, Refused                   uint64
	QueueWait, LockWait, LockHold, Work time.Duration
	Length                              int
}

// API counts the control plane's calls.
type API struct {
	Calls, Failed, Panics, RefusedCalls, RefusedStreams, WatchDropped uint64
	OpenStreams                                                       int
}
