package pebbledb

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"ledgerlab/store"
)

// logger takes Pebble's messages. Pebble expects Fatalf not to return: under guarded it panics with a fatalError, which
// guarded turns into an error; on Pebble's own goroutines it reports and parks, for the database is lost to this process
// either way and its locks may be held.
type logger struct {
	log    *slog.Logger
	dir    string
	fatal  func(error)
	failed atomic.Pointer[error]
	lost   chan struct{} // closed with the first failure
}

type fatalError struct{ err error }

func newLogger(o Options) *logger {
	return &logger{log: o.Logger, dir: o.Dir, fatal: o.Fatal, lost: make(chan struct{})}
}

// Infof drops Pebble's chatter unless debug is on.
func (l *logger) Infof(format string, args ...any) {
	l.log.Debug("pebble", "dir", l.dir, "text", fmt.Sprintf(format, args...))
}

// Errorf passes an error on to the log.
func (l *logger) Errorf(format string, args ...any) {
	l.log.Error("pebble", "dir", l.dir, "text", fmt.Sprintf(format, args...))
}

// Fatalf never returns; see logger.
func (l *logger) Fatalf(format string, args ...any) {
	cause := fmt.Errorf(format, args...)
	for _, a := range args {
		if err, ok := a.(error); ok {
			cause = err
		}
	}
	err := l.fail(cause)
	if underGuard() {
		panic(fatalError{err})
	}
	select {}
}

// guarded runs fn on a goroutine of its own and returns its error, or the failure of the database if that comes first:
// after one, fn may never return.
func (l *logger) guarded(fn func() error) error {
	if err := l.err(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go l.catch(fn, done)
	select {
	case err := <-done:
		return err
	case <-l.lost:
		return l.err()
	}
}

// catch is what underGuard looks for on the stack.
func (l *logger) catch(fn func() error, done chan<- error) {
	var err error
	defer func() {
		switch p := recover().(type) {
		case nil:
		case fatalError:
			err = p.err
		case error: // commitWrite panics with the plain error when the log refuses a record
			err = l.fail(p)
		default:
			panic(p)
		}
		done <- err
	}()
	err = fn()
}

// underGuard says whether the calling goroutine was started by guarded.
func underGuard() bool {
	pcs := make([]uintptr, 128)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	for {
		f, more := frames.Next()
		if strings.HasSuffix(f.Function, ".(*logger).catch") {
			return true
		}
		if !more {
			return false
		}
	}
}

// fail remembers the first fatal error.
func (l *logger) fail(cause error) error {
	err := classify(cause)
	if l.failed.CompareAndSwap(nil, &err) {
		close(l.lost)
		l.log.Error("store failed", "dir", l.dir, "err", err)
		if l.fatal != nil {
			l.fatal(err)
		}
	}
	return *l.failed.Load()
}

func (l *logger) err() error {
	if p := l.failed.Load(); p != nil {
		return *p
	}
	return nil
}

// classify wraps a full disk as store.ErrFull.
func classify(err error) error {
	if errors.Is(err, syscall.ENOSPC) && !errors.Is(err, store.ErrFull) {
		return fmt.Errorf("%w: %w", store.ErrFull, err)
	}
	return err
}

// stallCounter counts Pebble's write stalls.
type stallCounter struct {
	n, nanos atomic.Int64
	since    atomic.Int64
}

func (s *stallCounter) listener(l *logger) *pebble.EventListener {
	return &pebble.EventListener{
		// Pebble's own answer to a table that cannot be read is Fatalf, which parks a reader for ever. The read that
		// met it returns the error.
		DataCorruption: func(info pebble.DataCorruptionInfo) { l.Errorf("corrupt table: %s", info) },
		BackgroundError: func(err error) {
			switch store.FaultOf(err) {
			case store.DiskFull, store.WriteError, store.SyncError:
				_ = l.fail(err) // flushes would be retried for ever, and commits wait for them
			default:
				l.Errorf("background: %v", err)
			}
		},
		WriteStallBegin: func(pebble.WriteStallBeginInfo) {
			s.n.Add(1)
			s.since.Store(time.Now().UnixNano())
		},
		WriteStallEnd: func() { s.nanos.Add(time.Now().UnixNano() - s.since.Load()) },
	}
}
