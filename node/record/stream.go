package record

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// Token names a place in a node's stream of records: after which record of which
// run a reader stands.
type Token struct {
	Run uint64
	ID  uint64
}

// String returns the form that travels.
func (t Token) String() string {
	return strconv.FormatUint(t.Run, 16) + "-" + strconv.FormatUint(t.ID, 10)
}

// ParseToken reads the form that travels.
func ParseToken(s string) (Token, error) {
	run, id, ok := strings.Cut(s, "-")
	r, err1 := strconv.ParseUint(run, 16, 64)
	n, err2 := strconv.ParseUint(id, 10, 64)
	if !ok || err1 != nil || err2 != nil {
		return Token{}, fmt.Errorf("%q is not a resume token", s)
	}
	return Token{r, n}, nil
}

// StreamOptions choose what a stream sends.
type StreamOptions struct {
	After     *Token              // resume behind it; a token of another run resumes from the oldest record held
	FromStart bool                // without After: from the oldest record held, not from now
	Kinds     map[string]struct{} // nil = all
	Follow    bool                // wait for further records
}

// Stream calls fn with records in order until ctx ends, fn fails, or there is no
// more and Follow is off. lost counts records between the last one and this that
// the ring no longer holds. fn may be slow: it delays only itself.
func (r *Recorder) Stream(ctx context.Context, o StreamOptions, fn func(rec *Record, at Token, lost uint64) error) error {
	next := r.startAt(o)
	var lost uint64
	for {
		batch, skipped, wake := r.since(next)
		lost += skipped
		next += skipped
		for _, rec := range batch {
			next++
			if _, want := o.Kinds[KindOf(rec)]; o.Kinds != nil && !want {
				continue
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := fn(rec, Token{r.opts.Run, rec.Id}, lost); err != nil {
				return err
			}
			lost = 0
		}
		if len(batch) > 0 {
			continue
		}
		if !o.Follow {
			return nil
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (r *Recorder) startAt(o StreamOptions) uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case o.After != nil && o.After.Run == r.opts.Run && o.After.ID < r.mu.next:
		return o.After.ID + 1
	case o.After != nil || o.FromStart:
		return r.oldest()
	default:
		return r.mu.next
	}
}

// oldest returns the id of the oldest record held. r.mu must be held.
func (r *Recorder) oldest() uint64 {
	if n := uint64(len(r.mu.ring)); r.mu.next > n {
		return r.mu.next - n
	}
	return 1
}

// since returns up to 512 records from id next on, how many before them are gone,
// and a channel that is closed when there is a further one.
func (r *Recorder) since(next uint64) (batch []*Record, skipped uint64, wake <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if old := r.oldest(); next < old {
		skipped = old - next
		next = old
	}
	for ; next < r.mu.next && len(batch) < 512; next++ {
		batch = append(batch, r.mu.ring[next%uint64(len(r.mu.ring))])
	}
	return batch, skipped, r.mu.wake
}

// RunID returns the run's number.
func (r *Recorder) RunID() uint64 { return r.opts.Run }
