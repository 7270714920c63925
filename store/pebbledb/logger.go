package pebbledb

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"ledgerlab/store"
)

// logger takes Pebble's messages. Pebble expects Fatalf not to return: on the goroutine of a commit it panics with a
// fatalError, which Commit recovers; on Pebble's own goroutines it reports and parks, for the database is lost to this
// process either way.
type logger struct {
	log    *slog.Logger
	dir    string
	fatal  func(error)
	failed atomic.Pointer[error]
}

type fatalError struct{ err error }

const commitFatal = "pebble: fatal commit error" // the format Pebble uses on the committing goroutine (db.go)

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
	if strings.HasPrefix(format, commitFatal) {
		panic(fatalError{err})
	}
	select {}
}

// fail remembers the first fatal error.
func (l *logger) fail(cause error) error {
	err := classify(cause)
	if l.failed.CompareAndSwap(nil, &err) {
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
		BackgroundError: func(err error) {
			if errors.Is(err, syscall.ENOSPC) {
				_ = l.fail(err) // flushes would be retried for ever
				return
			}
			l.Errorf("background: %v", err)
		},
		WriteStallBegin: func(pebble.WriteStallBeginInfo) {
			s.n.Add(1)
			s.since.Store(time.Now().UnixNano())
		},
		WriteStallEnd: func() { s.nanos.Add(time.Now().UnixNano() - s.since.Load()) },
	}
}
