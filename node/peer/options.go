package peer

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"time"
)

// RelayMode is the relay policy (flag relay.mode).
type RelayMode uint8

const (
	// RelayAll sends every accepted transaction in full to all peers not known to have it (rippled).
	RelayAll RelayMode = iota
	// RelayHybrid: the entry node sends in full, receivers announce hashes.
	RelayHybrid
)

func (m RelayMode) String() string {
	switch m {
	case RelayAll:
		return "all"
	case RelayHybrid:
		return "hybrid"
	}
	return fmt.Sprintf("relayMode(%d)", uint8(m))
}

// ParseRelayMode reads all or hybrid.
func ParseRelayMode(s string) (RelayMode, error) {
	for _, m := range []RelayMode{RelayAll, RelayHybrid} {
		if m.String() == s {
			return m, nil
		}
	}
	return 0, fmt.Errorf("relay.mode: %q is not one of all, hybrid", s)
}

// PeerConfig is one line of the peer list.
type PeerConfig struct {
	Name    string
	Address string // host:port it listens on; may be empty when it is the one that dials
	Key     Key
}

// Options of an Overlay.
type Options struct {
	Name      string
	NetworkID uint32
	Validator []byte // public key of the validator behind this node, or nil
	Peers     []PeerConfig

	Mode          RelayMode     // hot
	Flush         time.Duration // from the first pending message to the frame; 0 sends at once; hot (flag relay.flush)
	FlushBytes    int           // a frame that long goes at once
	FrameBytesMax int           // a longer frame closes the peer, before anything is allocated for it
	QueueMax      int           // messages waiting for one peer; more are dropped and counted
	QueueBytesMax int           // bytes waiting for one peer
	RequestWait   time.Duration // for the answer to a Request
	FetchWait     time.Duration // for an announced transaction, before another peer is asked
	FetchMax      int           // announced transactions waited for
	ServeMax      int           // requests of one peer waiting to be served
	PingEvery     time.Duration // an unanswered ping at the next one ends the session
	DialMin       time.Duration // first wait before dialing again
	DialMax       time.Duration // longest wait

	// Dispatch runs fn elsewhere (the job queue); false refuses. Nil: one goroutine a session.
	Dispatch func(fn func()) bool
	Log      *slog.Logger     // nil: discarded
	Now      func() time.Time // nil: time.Now
	Rand     *rand.Rand       // nil: seeded from the name; used for jitter and faults only
}

// Default gives the values measured as best (20 ms, 16 KiB) or used by rippled (60 s ping).
func Default() Options {
	return Options{
		Mode: RelayHybrid, Flush: 20 * time.Millisecond, FlushBytes: 16 << 10, FrameBytesMax: 4 << 20,
		QueueMax: 20_000, QueueBytesMax: 16 << 20, RequestWait: 2 * time.Second, FetchWait: 200 * time.Millisecond,
		FetchMax: 20_000, ServeMax: 32, PingEvery: 10 * time.Second, DialMin: 100 * time.Millisecond, DialMax: 2 * time.Second,
	}
}

// Validate returns all faults.
func (o Options) Validate() error {
	var errs []error
	fault := func(bad bool, format string, args ...any) {
		if bad {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	fault(len(o.Peers) > PeersMax, "peers: %d are more than %d", len(o.Peers), PeersMax)
	keys := make(map[Key]string)
	for _, p := range o.Peers {
		other, twice := keys[p.Key]
		fault(twice, "peers: %s has the key of %s", p.Name, other)
		fault(p.Key == Key{}, "peers: %s has no key", p.Name)
		keys[p.Key] = p.Name
	}
	fault(o.Mode > RelayHybrid, "relay.mode: unknown mode %d", o.Mode)
	fault(o.Flush < 0 || o.Flush > time.Second, "relay.flush: %v is outside 0..1s", o.Flush)
	fault(o.FrameBytesMax < 1<<16 || o.FrameBytesMax > 64<<20, "peer frame limit: %d is outside 64 KiB..64 MiB", o.FrameBytesMax)
	fault(o.FlushBytes < 1 || o.FlushBytes > o.FrameBytesMax/2, "peer flush size: %d is outside 1..%d", o.FlushBytes, o.FrameBytesMax/2)
	fault(o.QueueMax < 1 || o.QueueBytesMax < o.FrameBytesMax, "peer send queue: %d messages, %d bytes do not hold one frame", o.QueueMax, o.QueueBytesMax)
	fault(o.RequestWait <= 0 || o.FetchWait <= 0 || o.PingEvery <= 0, "peer waits must be positive")
	fault(o.FetchMax < 1 || o.ServeMax < 1, "peer fetch and serve limits must be positive")
	fault(o.DialMin <= 0 || o.DialMax < o.DialMin, "peer dial waits: %v..%v is no range", o.DialMin, o.DialMax)
	return errors.Join(errs...)
}
