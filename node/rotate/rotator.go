package rotate

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Rotator is the policy at work. Validated and Rotate are safe for concurrent use; Run runs once.
type Rotator struct {
	o Options
	d Deps

	mu struct {
		sync.Mutex
		newest *Ledger // the slot: intermediate ledgers may be skipped
	}
	wake     chan struct{}
	manual   chan chan Info
	online   atomic.Uint32
	first    atomic.Uint32 // ledger of a new store's first rotation where Offset names it; 0 once that was made
	advisory atomic.Bool
	freshen  atomic.Uint32
	status   atomic.Pointer[Status]
	lastGood uint32 // Run's: validated sequence of the last healthy moment
	retryAt  uint32 // Run's: first ledger to try again with after a rotation that failed or expired
}

// New makes a Rotator that does nothing until Run.
func New(o Options, d Deps) (*Rotator, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if d.Store == nil || d.Health == nil || d.CacheKeys == nil || d.Now == nil {
		return nil, errors.New("rotate: store, health, cache keys and clock must be given")
	}
	if d.Bulk == nil {
		d.Bulk = func(_ string, fn func()) { fn() }
	}
	if d.Trim == nil {
		d.Trim = func(string) {}
	}
	if d.TakeHoldMax == nil {
		d.TakeHoldMax = d.Store.TakeHoldMax
	}
	if d.Step == nil {
		d.Step = func(string) {}
	}
	if d.ClearPrior == nil {
		d.ClearPrior = func(uint32) {}
	}
	if d.ClearCaches == nil {
		d.ClearCaches = func(uint32) {}
	}
	if d.Oldest == nil {
		d.Oldest = func(uint32) *Ledger { return nil }
	}
	r := &Rotator{o: o, d: d, wake: make(chan struct{}, 1), manual: make(chan chan Info)}
	r.online.Store(o.OnlineDelete)
	r.freshen.Store(uint32(o.Freshen))
	r.advisory.Store(o.Advisory)
	r.publish(func(s *Status) { s.LastRotated = d.Store.State().LastRotated })
	return r, nil
}

// publish replaces the status snapshot; only Run, New and setters call it, under no lock.
func (r *Rotator) publish(change func(s *Status)) {
	for {
		old := r.status.Load()
		var next Status
		if old != nil {
			next = *old
		}
		change(&next)
		next.Enabled = r.online.Load() != 0
		next.Next = r.next(next.LastRotated)
		next.Advisory, next.CanDelete = r.advisory.Load(), r.d.Store.State().CanDelete
		if r.status.CompareAndSwap(old, &next) {
			return
		}
	}
}

// next is the sequence at which the next rotation begins.
func (r *Rotator) next(lastRotated uint32) uint32 {
	online := r.online.Load()
	if online == 0 || lastRotated == 0 {
		return 0
	}
	if first := r.first.Load(); first != 0 {
		return first
	}
	return lastRotated + online
}

// Status is a snapshot.
func (r *Rotator) Status() Status { return *r.status.Load() }

// NextAt says when the next rotation begins, in words.
func (r *Rotator) NextAt() string {
	s := r.Status()
	switch {
	case !s.Enabled:
		return "never: online_delete is 0"
	case s.LastRotated == 0:
		return "unknown: no validated ledger yet"
	}
	if why := r.Withheld(); why != "" {
		return fmt.Sprintf("at ledger %d, once %s", s.Next, why)
	}
	return fmt.Sprintf("at ledger %d", s.Next)
}

// SetOnlineDelete changes the interval from the next ledger on.
func (r *Rotator) SetOnlineDelete(n uint32) error {
	o := r.o
	o.OnlineDelete = n
	if err := o.Validate(); err != nil {
		return err
	}
	r.online.Store(n)
	r.publish(func(*Status) {})
	return nil
}

// SetAdvisory switches advisory delete from the next ledger on.
func (r *Rotator) SetAdvisory(on bool) {
	r.advisory.Store(on)
	r.publish(func(*Status) {})
}

// SetCanDelete allows deletion up to a sequence (can_delete), for good.
func (r *Rotator) SetCanDelete(seq uint32) error {
	if err := r.d.Store.SetCanDelete(seq); err != nil {
		return fmt.Errorf("rotate: can_delete %d: %w", seq, err)
	}
	r.publish(func(*Status) {})
	return nil
}

// SetFreshen changes what is freshened from the next rotation on.
func (r *Rotator) SetFreshen(f Freshen) { r.freshen.Store(uint32(f)) }

// Validated offers a newly validated ledger (onLedgerClosed). The Rotator takes over its references and releases them
// when a newer one comes or its work is done. It never blocks.
func (r *Rotator) Validated(l *Ledger) {
	r.mu.Lock()
	old := r.mu.newest
	r.mu.newest = l
	r.mu.Unlock()
	old.release()
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

func (r *Rotator) take() *Ledger {
	r.mu.Lock()
	defer r.mu.Unlock()
	l := r.mu.newest
	r.mu.newest = nil
	return l
}

// Rotate asks for a rotation with the next validated ledger, whatever the interval, and waits for its end.
func (r *Rotator) Rotate(ctx context.Context) (Info, error) {
	done := make(chan Info, 1)
	select {
	case r.manual <- done:
	case <-ctx.Done():
		return Info{}, fmt.Errorf("rotate: request: %w", ctx.Err())
	}
	select {
	case info := <-done:
		return info, info.Err
	case <-ctx.Done():
		return Info{}, fmt.Errorf("rotate: request: %w", ctx.Err())
	}
}

// Run rotates until ctx ends.
func (r *Rotator) Run(ctx context.Context) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer func() { r.take().release() }()
	pprof.Do(ctx, pprof.Labels("part", "rotate"), r.loop)
	return nil
}

func (r *Rotator) loop(ctx context.Context) {
	var asked []chan Info
	for {
		select {
		case <-ctx.Done():
			for _, c := range asked {
				c <- Info{Result: Stopping, Err: ctx.Err(), Manual: true}
			}
			return
		case c := <-r.manual:
			asked = append(asked, c)
		case <-r.wake:
		}
		l := r.take()
		if l == nil {
			continue
		}
		info, rotated := r.consider(ctx, l, len(asked) > 0)
		l.release()
		if rotated {
			for _, c := range asked {
				c <- info
			}
			asked = nil
		}
	}
}

// consider is steps 2 to 4 of SHAMapStoreImp::run: is it time, and is the node well?
func (r *Rotator) consider(ctx context.Context, l *Ledger, manual bool) (Info, bool) {
	last := r.d.Store.State().LastRotated
	if last == 0 {
		last = l.Seq
		if r.o.Offset != 0 {
			r.first.Store(l.Seq + r.o.Offset)
		}
		if err := r.d.Store.SetLastRotated(last); err != nil {
			return Info{Seq: l.Seq, Result: Failed, Err: err}, manual
		}
	}
	r.publish(func(s *Status) { s.Validated, s.LastRotated = l.Seq, last })
	if due := r.next(last); !manual && (due == 0 || l.Seq < max(due, r.retryAt)) {
		return Info{}, false
	}
	if !manual && r.advisory.Load() && !allowed(r.d.Store.State().CanDelete, last) {
		return Info{}, false
	}
	w := &work{r: r, ctx: ctx, l: l, info: Info{Seq: l.Seq, Hash: l.Hash, LastRotated: last, Manual: manual, Start: r.d.Now()}}
	w.run()
	if w.info.Result == Rotated {
		r.first.Store(0)
		r.publish(func(*Status) {})
	} else {
		r.retryAt = l.Seq + 1 + r.online.Load()/8 // a walk over the whole state at every ledger would be too much
	}
	return w.info, true
}

// Withheld says what advisory delete still asks for, "" when nothing.
func (r *Rotator) Withheld() string {
	s := r.Status()
	if !s.Advisory || allowed(s.CanDelete, s.LastRotated) {
		return ""
	}
	return fmt.Sprintf("can_delete, now %d, is at least %d", s.CanDelete, s.LastRotated-1)
}

// allowed: SHAMapStoreImp asks for canDelete >= lastRotated - 1.
func allowed(canDelete, lastRotated uint32) bool { return canDelete+1 >= lastRotated }

// healthy waits until the node is well (healthWait). It returns Rotated to go on, or how to end.
func (r *Rotator) healthy(ctx context.Context, info *Info) Result {
	var since time.Time
	for {
		if ctx.Err() != nil {
			return Stopping
		}
		h := r.d.Health(r.lastGood)
		reasons := r.complaints(h)
		if len(reasons) == 0 {
			r.lastGood = h.ValidatedSeq
			r.resumed(since, info)
			return Rotated
		}
		if r.lastGood == 0 {
			r.lastGood = info.Seq
		}
		if limit := r.maxWaiting(); h.ValidatedSeq > r.lastGood+limit {
			r.lastGood = h.ValidatedSeq
			r.resumed(since, info)
			info.Err = fmt.Errorf("rotate: gave up after %d ledgers: %s", limit, strings.Join(reasons, "; "))
			return Expired
		}
		if since.IsZero() {
			since = r.d.Now()
			info.Pauses++
		}
		r.publish(func(s *Status) { s.Reasons, s.PausedSince = reasons, since })
		wait := r.o.RecoveryWait
		if h.OnlyBuilding && len(reasons) == 1 && h.Missing > 0 {
			wait /= 10
		}
		sleep(ctx, wait)
	}
}

func (r *Rotator) resumed(since time.Time, info *Info) {
	if since.IsZero() {
		return
	}
	info.Paused += r.d.Now().Sub(since)
	r.publish(func(s *Status) { s.Reasons, s.PausedSince = nil, time.Time{} })
}

func (r *Rotator) maxWaiting() uint32 {
	if r.o.MaxWaitingLedgers > 0 {
		return r.o.MaxWaitingLedgers
	}
	return max(r.online.Load(), r.o.Floor)
}

// complaints says why the node is not well. rippled's newest code also calls a disconnected node healthy; a node that
// was cut off has no business deleting, so here only a stand-alone one is.
func (r *Rotator) complaints(h Health) []string {
	if h.Standalone {
		return nil
	}
	var out []string
	if !h.Full {
		out = append(out, fmt.Sprintf("mode is %s, not full", h.Mode))
	}
	if h.ValidatedAge > r.o.AgeThreshold {
		out = append(out, fmt.Sprintf("validated ledger %d is %v old, allowed %v",
			h.ValidatedSeq, h.ValidatedAge.Round(time.Second), r.o.AgeThreshold))
	}
	if h.Missing > 0 {
		out = append(out, fmt.Sprintf("%d ledgers below %d are missing", h.Missing, h.ValidatedSeq))
	}
	return out
}

// sleep waits or returns early when ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
