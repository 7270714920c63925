package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// ErrRestart is wrapped by Set for a flag that only holds from a start.
var ErrRestart = errors.New("takes effect only at start; restart the node with it in its configuration")

// Change is an accepted change of a flag.
type Change struct {
	Key, Old, New string
	Seq           uint32    // open ledger sequence from which it holds; 0 = unknown
	At            time.Time // when it was accepted
}

// Registry holds the current value of every flag. Safe for concurrent use.
type Registry struct {
	flags map[string]Flag
	order []string
	now   func() time.Time

	set sync.Mutex // held over a whole Set with its callbacks, so changes come one at a time

	mu struct {
		sync.RWMutex
		values map[string]Value
		subs   map[string][]*subscription // "" = every key
		seq    func() uint32
	}
}

type subscription struct {
	value  func(Value)
	change func(Change)
}

// NewRegistry returns a registry with the defaults overlaid by initial, or all
// faults of initial joined.
func NewRegistry(initial map[string]string) (*Registry, error) {
	r := &Registry{flags: map[string]Flag{}, now: time.Now}
	r.mu.values = map[string]Value{}
	r.mu.subs = map[string][]*subscription{}
	for _, f := range flagTable() {
		v, err := f.Parse(f.Default)
		if err != nil {
			return nil, fmt.Errorf("flag table: %w", err)
		}
		r.flags[f.Name], r.mu.values[f.Name] = f, v
		r.order = append(r.order, f.Name)
	}
	if err := CheckFlags(initial); err != nil {
		return nil, err
	}
	for key, text := range withPreset(initial) {
		f := r.flags[key]
		v, err := f.Parse(text)
		if err != nil {
			return nil, err
		}
		r.mu.values[key] = v
	}
	return r, nil
}

// CheckFlags returns every fault of a set of flag values, joined: unknown names,
// values that are not allowed, and relations between flags.
func CheckFlags(set map[string]string) error {
	var faults []error
	for _, key := range slices.Sorted(maps.Keys(set)) {
		if err := CheckFlag(key, set[key]); err != nil {
			faults = append(faults, err)
		}
	}
	return errors.Join(faults...)
}

// CheckFlag returns the fault of one flag value, if any.
func CheckFlag(key, text string) error {
	f, err := Lookup(key)
	if err != nil {
		return err
	}
	v, err := f.Parse(text)
	if err != nil {
		return err
	}
	return relations(key, v)
}

// relations holds the rules that bounds cannot say.
func relations(key string, v Value) error {
	if key == "store.online_delete" && v.Int() > 0 && v.Int() < 8 {
		return &ValueError{Flag: key, Got: v.String(), Allowed: "0, or at least 8"}
	}
	return nil
}

// SetClock replaces the clock that stamps changes. To be called before use.
func (r *Registry) SetClock(now func() time.Time) { r.now = now }

// SetSequence tells the registry how to find the sequence of the open ledger.
func (r *Registry) SetSequence(seq func() uint32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mu.seq = seq
}

// Names returns all flag names in listing order.
func (r *Registry) Names() []string { return slices.Clone(r.order) }

// Flag returns the description of key.
func (r *Registry) Flag(key string) (Flag, error) {
	if f, ok := r.flags[key]; ok {
		return f, nil
	}
	return Flag{}, &UnknownFlagError{Name: key, Nearest: Suggest(key, r.order)}
}

// Get returns the value of key. A key that is not in the table is a mistake in
// the program and panics.
func (r *Registry) Get(key string) Value {
	r.mu.RLock()
	defer r.mu.RUnlock()
	v, ok := r.mu.values[key]
	if !ok {
		panic("config: flag " + key + " is not in the table")
	}
	return v
}

// Bool returns the value of a KindBool flag.
func (r *Registry) Bool(key string) bool { return r.Get(key).Bool() }

// Int returns the value of a KindInt flag.
func (r *Registry) Int(key string) int { return r.Get(key).Int() }

// Bytes returns the value of a KindBytes flag; -1 for "default".
func (r *Registry) Bytes(key string) int64 { return r.Get(key).Bytes() }

// Duration returns the value of a KindDuration flag.
func (r *Registry) Duration(key string) time.Duration { return r.Get(key).Duration() }

// Ratio returns the value of a KindRatio flag.
func (r *Registry) Ratio(key string) float64 { return r.Get(key).Ratio() }

// Enum returns the word of a KindEnum flag.
func (r *Registry) Enum(key string) string { v := r.Get(key); v.must(KindEnum); return v.text }

// Set changes a hot flag and calls its subscribers before it returns. Setting a
// restart flag to the value it has is allowed and changes nothing.
func (r *Registry) Set(key, text string) (Change, error) {
	changes, err := r.SetAll(map[string]string{key: text})
	if err != nil {
		return Change{}, err
	}
	return changes[0], nil
}

// SetAll changes several hot flags in the order of their names, or none when one
// is refused; the error then joins every fault.
func (r *Registry) SetAll(set map[string]string) ([]Change, error) {
	r.set.Lock()
	defer r.set.Unlock()
	var faults []error
	keys := slices.Sorted(maps.Keys(set))
	parsed := make([]Value, len(keys))
	for i, key := range keys {
		v, err := r.check(key, set[key])
		if err != nil {
			faults = append(faults, err)
		}
		parsed[i] = v
	}
	switch len(faults) {
	case 0:
	case 1:
		return nil, faults[0]
	default:
		return nil, errors.Join(faults...)
	}
	changes := make([]Change, len(keys))
	for i, key := range keys {
		changes[i] = r.apply(key, parsed[i])
	}
	return changes, nil
}

// check says whether key may be set to text while the node runs. r.set must be held.
func (r *Registry) check(key, text string) (Value, error) {
	f, err := r.Flag(key)
	if err != nil {
		return Value{}, err
	}
	v, err := f.Parse(text)
	if err != nil {
		return Value{}, err
	}
	if err := relations(key, v); err != nil {
		return Value{}, err
	}
	if !f.Hot && r.Get(key).text != v.text {
		return Value{}, fmt.Errorf("flag %s: %w", key, ErrRestart)
	}
	return v, nil
}

// apply stores v and tells the subscribers. r.set must be held.
func (r *Registry) apply(key string, v Value) Change {
	r.mu.Lock()
	c := Change{Key: key, Old: r.mu.values[key].text, New: v.text, At: r.now()}
	r.mu.values[key] = v
	subs := slices.Concat(r.mu.subs[key], r.mu.subs[""])
	seq := r.mu.seq
	r.mu.Unlock()
	for _, s := range subs {
		if s.value != nil {
			s.value(v)
		}
	}
	if seq != nil { // asked after the subscribers took the value: from this ledger on it holds
		c.Seq = seq()
	}
	for _, s := range subs {
		if s.change != nil {
			s.change(c)
		}
	}
	return c
}

// Subscribe calls fn with each new value of key, in the goroutine of Set. fn must
// not call Set. The returned func ends it.
func (r *Registry) Subscribe(key string, fn func(Value)) (cancel func()) {
	if _, ok := r.flags[key]; !ok {
		panic("config: flag " + key + " is not in the table")
	}
	return r.subscribe(key, &subscription{value: fn})
}

// Watch calls fn with every change of any flag, after the subscribers of that
// flag. fn must not call Set.
func (r *Registry) Watch(fn func(Change)) (cancel func()) {
	return r.subscribe("", &subscription{change: fn})
}

func (r *Registry) subscribe(key string, s *subscription) func() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mu.subs[key] = append(r.mu.subs[key], s)
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.mu.subs[key] = slices.DeleteFunc(slices.Clone(r.mu.subs[key]), func(o *subscription) bool { return o == s })
	}
}

// Snapshot returns the text of every flag, for records and reports.
func (r *Registry) Snapshot() map[string]string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	m := make(map[string]string, len(r.mu.values))
	for k, v := range r.mu.values {
		m[k] = v.text
	}
	return m
}
