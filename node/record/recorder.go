package record

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	recordv1 "ledgerlab/proto/record/v1"
)

// flushEvery is the longest that a record waits in memory for the file.
const flushEvery = 500 * time.Millisecond

// Options configure a Recorder.
type Options struct {
	Node   string           // name in every record; required
	Run    uint64           // drawn by the caller at each start; required, not 0
	File   string           // JSONL file, appended to; empty = none
	Ring   int              // records kept for streams; default 8192
	Buffer int              // records that may wait for the file; default 16384
	Now    func() time.Time // default time.Now; must carry a monotonic reading
	Log    *slog.Logger     // default discards
	Fault  func(error)      // told once when the file can no longer be written; may be nil
}

// Default fills what is zero.
func (o Options) Default() Options {
	if o.Ring == 0 {
		o.Ring = 8192
	}
	if o.Buffer == 0 {
		o.Buffer = 16384
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// Validate returns every fault, joined.
func (o Options) Validate() error {
	var faults []error
	if o.Node == "" {
		faults = append(faults, errors.New("record: node has no name"))
	}
	if o.Run == 0 {
		faults = append(faults, errors.New("record: run is 0"))
	}
	if o.Ring < 1 || o.Buffer < 1 {
		faults = append(faults, fmt.Errorf("record: ring %d and buffer %d must be at least 1", o.Ring, o.Buffer))
	}
	return errors.Join(faults...)
}

// Recorder takes records. Its methods are safe for concurrent use and never
// block on the file or on a reader.
type Recorder struct {
	opts  Options
	began time.Time
	file  *os.File
	queue chan *Record

	mu struct {
		sync.Mutex
		ring    []*Record // ring[id % len]
		next    uint64    // id of the next record
		dropped uint64    // not written to the file
		written uint64
		closed  bool
		wake    chan struct{} // closed and replaced at each record
	}
}

// Stats are counters since the start.
type Stats struct {
	Records uint64 // taken
	Written uint64 // written to the file
	Dropped uint64 // refused by the file's buffer, or failed to be written
	Ring    int    // held for streams
}

// New opens the file and returns a Recorder. Records are written once Run runs.
func New(o Options) (*Recorder, error) {
	o = o.Default()
	if err := o.Validate(); err != nil {
		return nil, err
	}
	r := &Recorder{opts: o, began: o.Now(), queue: make(chan *Record, o.Buffer)}
	r.mu.ring = make([]*Record, o.Ring)
	r.mu.next = 1
	r.mu.wake = make(chan struct{})
	if o.File != "" {
		if err := os.MkdirAll(filepath.Dir(o.File), 0o755); err != nil {
			return nil, fmt.Errorf("record file: %w", err)
		}
		f, err := openAppend(o.File)
		if err != nil {
			return nil, fmt.Errorf("record file: %w", err)
		}
		r.file = f
	}
	return r, nil
}

// openAppend opens path for appending and ends a line that a killed process left
// unfinished, so that the next record begins a line of its own.
func openAppend(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	end, err := f.Seek(0, 2)
	if err != nil || end == 0 {
		return f, err
	}
	keep := end
	for buf := make([]byte, 4096); keep > 0; {
		n := min(int64(len(buf)), keep)
		if _, err := f.ReadAt(buf[:n], keep-n); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		i := n - 1
		for i >= 0 && buf[i] != '\n' {
			i--
		}
		keep -= n - 1 - i
		if i >= 0 {
			break
		}
	}
	return f, f.Truncate(keep)
}

// add stamps rec and hands it on.
func (r *Recorder) add(rec *Record) {
	now := r.opts.Now()
	rec.Version, rec.Node, rec.Run = Version, r.opts.Node, r.opts.Run
	rec.TimeNs, rec.MonoNs = now.UnixNano(), now.Sub(r.began).Nanoseconds()
	r.mu.Lock()
	defer r.mu.Unlock()
	rec.Id = r.mu.next
	r.mu.next++
	r.mu.ring[rec.Id%uint64(len(r.mu.ring))] = rec
	close(r.mu.wake)
	r.mu.wake = make(chan struct{})
	if r.file == nil || r.mu.closed {
		return
	}
	select {
	case r.queue <- rec:
	default:
		r.mu.dropped++
	}
}

// Stats returns the counters.
func (r *Recorder) Stats() Stats {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := r.mu.next - 1
	return Stats{Records: n, Written: r.mu.written, Dropped: r.mu.dropped, Ring: int(min(n, uint64(len(r.mu.ring))))}
}

// Run writes records to the file until ctx ends; then it writes what waits and
// closes the file. It returns the first error of the file; records are then
// counted as dropped and the streams go on.
func (r *Recorder) Run(ctx context.Context) error {
	if r.file == nil {
		<-ctx.Done()
		return nil
	}
	w := &writer{r: r, out: bufio.NewWriterSize(r.file, 256<<10)}
	tick := time.NewTicker(flushEvery)
	defer tick.Stop()
	for {
		select {
		case rec := <-r.queue:
			w.write(rec)
		case <-tick.C:
			w.flush()
		case <-ctx.Done():
			r.finish(w)
			return w.err
		}
	}
}

// Close writes the stop record and lets no further record reach the file. Call
// it before the context of Run ends.
func (r *Recorder) Close(reason string, validatedSeq uint32, validatedHash string) {
	s := r.Stats()
	r.add(&Record{Body: &recordv1.Record_Stop{Stop: &Stop{
		Reason: reason, Records: s.Records + 1, DroppedFile: s.Dropped,
		ValidatedSeq: validatedSeq, ValidatedHash: validatedHash,
	}}})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mu.closed = true
}

func (r *Recorder) finish(w *writer) {
	r.mu.Lock()
	r.mu.closed = true
	r.mu.Unlock()
	for {
		select {
		case rec := <-r.queue:
			w.write(rec)
			continue
		default:
		}
		break
	}
	w.flush()
	if w.err == nil {
		w.fail(r.file.Sync())
	}
	w.fail(r.file.Close())
}

// writer owns the buffered file; used by Run's goroutine only.
type writer struct {
	r    *Recorder
	out  *bufio.Writer
	line []byte
	err  error
}

func (w *writer) write(rec *Record) {
	var err error
	if w.err == nil {
		if w.line, err = AppendJSON(w.line[:0], rec); err == nil {
			_, err = w.out.Write(w.line)
		}
		w.fail(err)
	}
	w.r.mu.Lock()
	defer w.r.mu.Unlock()
	if w.err == nil {
		w.r.mu.written++
	} else {
		w.r.mu.dropped++
	}
}

func (w *writer) flush() {
	if w.err == nil {
		w.fail(w.out.Flush())
	}
}

func (w *writer) fail(err error) {
	if err == nil || w.err != nil {
		return
	}
	w.err = fmt.Errorf("record file %s: %w", w.r.opts.File, err)
	w.r.opts.Log.Error("records are no longer written", "err", w.err)
	if w.r.opts.Fault != nil {
		w.r.opts.Fault(w.err)
	}
}
