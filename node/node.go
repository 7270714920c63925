package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"ledgerlab/api"
	"ledgerlab/node/chain"
	"ledgerlab/node/config"
	"ledgerlab/node/crypto"
	"ledgerlab/node/folder"
	"ledgerlab/node/ingest"
	"ledgerlab/node/jobs"
	"ledgerlab/node/ledger"
	"ledgerlab/node/memory"
	"ledgerlab/node/metrics"
	"ledgerlab/node/peer"
	"ledgerlab/node/protocol"
	"ledgerlab/node/query"
	"ledgerlab/node/rcl"
	"ledgerlab/node/record"
	"ledgerlab/node/rotate"
	"ledgerlab/node/sweep"
	"ledgerlab/node/txq"
)

// Node is one node. Its fields are set by New and never change; each part guards
// its own state.
type Node struct {
	opt     Options
	cfg     config.Config
	flags   *config.Registry
	log     *slog.Logger
	now     func() time.Time
	started time.Time
	genesis ledger.GenesisOptions
	key     *crypto.KeyPair

	lock    *folder.Lock // of the data folder, nil without one
	store   *storage
	jobs    *jobs.Queue
	chain   *chain.Master
	ledgers *rclChain
	queue   *txq.Queue
	door    *ingest.Door
	overlay *peer.Overlay
	sets    *rcl.Sets
	driver  *rcl.Driver
	query   *query.Querier
	history *historian // nil without an index
	trimmer *memory.Trimmer
	plant   *memory.Plant
	sweeper *sweep.Sweeper
	rotator *rotate.Rotator
	records *record.Recorder
	metrics *metrics.Metrics
	control *api.Server
	watch   watchers

	controlListener, webListener net.Listener
	peerListener                 net.Listener

	// The two main locks, kept as xrpld has them: the master mutex and the ledger
	// master's. Both are held by a batch and by the rebuild of the open ledger.
	mainLock, ledgerLock sync.Mutex

	trims, sweeps, rotations atomic.Uint64
	sheet                    atomic.Pointer[memory.Sheet]
	sheetLock                sync.Mutex // held while a sheet is measured
	lastSample               atomic.Pointer[record.Sample]
	lastSweep                atomic.Pointer[record.Sweep]

	ctx    context.Context // of taking part; work that outlives a call ends with it
	stop   context.CancelCauseFunc
	life   context.Context // of the node; ctx ends with it, or before when the store fails
	end    context.CancelCauseFunc
	halted atomic.Pointer[halted]
}

// New makes a node. It opens the data folder and its listeners and starts nothing.
func New(o Options) (n *Node, err error) {
	o = o.withDefaults()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	n = &Node{opt: o, cfg: o.Config, log: o.Log.With("node", o.Config.Name), now: o.Now, started: o.Now(), genesis: o.Genesis}
	n.life, n.end = context.WithCancelCause(context.Background())
	n.ctx, n.stop = context.WithCancelCause(n.life)
	defer func() {
		if err != nil {
			err = errors.Join(err, n.Close())
			n = nil
		}
	}()
	steps := []func() error{
		n.readFlags, n.readKey, n.openFolder, n.newRecorder, n.newStorage, n.newJobs, n.newTrimmer, n.newPlant, n.newChain,
		n.newHistory, n.newQueue, n.newOverlay, n.newDoor, n.newDriver, n.newSweeper, n.newRotator, n.newControl, n.joinFlags, n.joinChain,
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return n, err
		}
	}
	return n, nil
}

func (n *Node) readFlags() (err error) {
	if n.flags, err = config.NewRegistry(n.cfg.Flags); err != nil {
		return err
	}
	n.flags.SetClock(n.now)
	return tuneHeap(n.flags)
}

func (n *Node) readKey() error {
	seed, _, err := crypto.ParseSeed(n.cfg.NodeKey)
	if err != nil {
		return fmt.Errorf("node_key: %w", err)
	}
	if n.key, err = crypto.GenerateNodeKey(seed); err != nil {
		return fmt.Errorf("node_key: %w", err)
	}
	return nil
}

func (n *Node) openFolder() error {
	if n.cfg.DataDir == "" {
		return nil
	}
	if err := os.MkdirAll(n.cfg.DataDir, 0o755); err != nil {
		return fmt.Errorf("data_dir: %w", err)
	}
	var err error
	if n.lock, err = folder.Take(n.cfg.DataDir); err != nil {
		return fmt.Errorf("data_dir: %w", err)
	}
	return nil
}

func (n *Node) newRecorder() (err error) {
	file := n.cfg.Record.File
	switch {
	case file == "-" || (file == "" && n.cfg.DataDir == ""):
		file = ""
	case file == "":
		file = filepath.Join(n.cfg.DataDir, "records.jsonl")
	}
	n.records, err = record.New(record.Options{
		Node: n.cfg.Name, Run: n.opt.Run, File: file, Ring: n.cfg.Record.Ring, Buffer: n.cfg.Record.Buffer, Now: n.now, Log: n.log,
		Fault: n.recordFault,
	})
	n.metrics = metrics.New(metrics.Build{
		Version: n.opt.Version, Allocator: string(memory.Detect().Allocator), Role: string(n.cfg.Role), Name: n.cfg.Name,
	}, n.snapshot)
	return err
}

// recordFault ends the node when the disk is full: what it would go on to do, it
// could neither store nor sign. Other faults of the record file cost records only.
func (n *Node) recordFault(err error) {
	if full(err) {
		n.end(fmt.Errorf("disk full: %w", err))
	}
}

// full is true when a disk had no room, or the quota no more.
func full(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }

func (n *Node) newStorage() (err error) {
	n.store, err = openStorage(n.cfg, n.flags, n.log, n.now, func(err error) {
		n.stop(fmt.Errorf("store in %s: %w", n.cfg.DataDir, err))
	})
	return err
}

func (n *Node) newJobs() (err error) {
	o := jobs.Default()
	if w := n.flags.Int("jobs.workers"); w > 0 {
		o.Workers = w
	}
	o.QueueLimit, o.Log, o.Now = n.flags.Int("relay.queue_limit"), n.log, n.now
	if o.Bulk, err = jobs.ParseBulkMode(n.flags.Enum("jobs.bulk")); err != nil {
		return err
	}
	n.jobs, err = jobs.New(o)
	return err
}

// Run starts every part and returns when ctx ends, Shutdown is called or a part
// fails. When that is for its disk, the parts that take part end and the node goes on
// answering its operator until the disk works again (ErrDiskBack) or it is ended. Run
// may be called once.
func (n *Node) Run(ctx context.Context) error {
	stopAfter := context.AfterFunc(ctx, func() { n.end(context.Cause(ctx)) })
	defer stopAfter()
	recording, stopRecording := context.WithCancel(context.Background())
	defer stopRecording()
	recorded := make(chan error, 1)
	go func() { recorded <- n.records.Run(recording) }()
	n.records.Start(n.startRecord())

	serving := n.answer()
	err := n.part(n.takePart())
	n.end(err)
	if serr := serving(); err == nil || errors.Is(err, context.Canceled) || errors.Is(err, errShutdown) {
		err = serr
	}
	seq, hash := n.lastValidated()
	n.records.Close(n.endReason(err), seq, hash.String())
	stopRecording()
	// A full disk is told once.
	if rerr := <-recorded; rerr != nil && !errors.Is(rerr, context.Canceled) && !(full(err) && full(rerr)) {
		err = errors.Join(err, fmt.Errorf("records: %w", rerr))
	}
	return err
}

// takePart starts what takes part in the network and returns a function that waits for its end.
func (n *Node) takePart() (wait func() error) {
	g, start := starter(n.ctx)
	start("jobs", n.jobs.Run)
	start("chain", n.chain.Run)
	start("ingest", n.door.Run)
	if n.overlay != nil {
		start("peer", n.overlay.Run)
	}
	start("consensus", n.driver.Run)
	start("sweep", n.sweeper.Run)
	start("rotate", n.rotator.Run)
	if n.history != nil {
		start("history", n.enterHistory)
	}
	return g.Wait
}

// answer starts what answers operators and measures. When it fails the node ends.
func (n *Node) answer() (wait func() error) {
	g, start := starter(n.life)
	start("sampler", n.sample)
	start("plant", n.growPlant)
	start("control", func(ctx context.Context) error { return n.control.Serve(ctx, n.controlListener) })
	if n.webListener != nil {
		start("web", n.serveWeb)
	}
	ended := make(chan error, 1)
	go func() {
		err := g.Wait()
		if err != nil {
			n.end(err)
		}
		ended <- err
	}()
	return func() error { return <-ended }
}

// starter gives a function that starts named parts of one group.
func starter(ctx context.Context) (*errgroup.Group, func(name string, run func(context.Context) error)) {
	g, ctx := errgroup.WithContext(ctx)
	return g, func(name string, run func(context.Context) error) {
		g.Go(func() error {
			if err := labelled(ctx, name, run); err != nil && !errors.Is(err, context.Canceled) {
				return fmt.Errorf("%s: %w", name, err)
			}
			return nil
		})
	}
}

var errShutdown = errors.New("shutdown requested")

func (n *Node) endReason(err error) string {
	if err != nil {
		return err.Error()
	}
	if cause := context.Cause(n.life); cause != nil {
		return cause.Error()
	}
	return "ended"
}

func (n *Node) lastValidated() (uint32, protocol.Hash) {
	l := n.chain.Validated()
	if l == nil {
		return 0, protocol.Hash{}
	}
	defer l.Release()
	return l.Sequence(), l.Hash()
}

// Close gives back what New opened. Run must have ended.
func (n *Node) Close() error {
	n.end(nil)
	var errs []error
	for _, l := range []net.Listener{n.controlListener, n.webListener, n.peerListener} {
		if l != nil {
			if err := l.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
				errs = append(errs, err)
			}
		}
	}
	if n.sets != nil {
		n.sets.Close()
	}
	if n.door != nil {
		n.door.Close()
	}
	if n.plant != nil {
		errs = append(errs, n.plant.Close())
	}
	if n.queue != nil {
		n.queue.Close()
	}
	if n.chain != nil {
		n.chain.Close()
	}
	errs = append(errs, n.closeHistory())
	if n.store != nil {
		errs = append(errs, n.store.close())
	}
	return errors.Join(append(errs, n.lock.Release())...)
}
