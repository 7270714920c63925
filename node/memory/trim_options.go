package memory

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Trigger is an occasion to trim.
type Trigger string

// The triggers of trim.trigger; Manual is a request and always allowed.
const (
	AfterSweep   Trigger = "sweep"
	EachCache    Trigger = "each_cache"
	RotateClear  Trigger = "rotate_clear"
	RotateDelete Trigger = "rotate_delete"
	BookRebuild  Trigger = "book_rebuild"
	SyncFull     Trigger = "sync_full"
	Manual       Trigger = "manual"
)

// Triggers lists the values of trim.trigger besides none.
func Triggers() []Trigger {
	return []Trigger{AfterSweep, EachCache, RotateClear, RotateDelete, BookRebuild, SyncFull}
}

// ParseTriggers reads "none" or a set like "sweep,rotate_delete".
func ParseTriggers(s string) ([]Trigger, error) {
	if s == "" || s == "none" {
		return nil, nil
	}
	var out []Trigger
	for _, part := range strings.FieldsFunc(s, func(r rune) bool { return r == ',' || r == '+' || r == ' ' }) {
		t := Trigger(part)
		if !slices.Contains(Triggers(), t) {
			return nil, fmt.Errorf("memory: trim trigger %q: want none or some of %v", part, Triggers())
		}
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out, nil
}

// Method is what a trim does.
type Method string

// The values of trim.method.
const (
	MethodMalloc Method = "malloc" // the owner of malloc gives free pages back
	MethodGo     Method = "go"     // debug.FreeOSMemory
	MethodBoth   Method = "both"   // go, then malloc
)

// ParseMethod reads a value of trim.method.
func ParseMethod(s string) (Method, error) {
	switch m := Method(s); m {
	case MethodMalloc, MethodGo, MethodBoth:
		return m, nil
	}
	return "", fmt.Errorf("memory: trim method %q: want malloc, go or both", s)
}

// Options are the settings of a Trimmer; all may be changed while it runs.
type Options struct {
	Triggers []Trigger
	Method   Method
	// Pad is left free at the top of glibc's heaps, bytes.
	Pad int64
	// Policy says which triggers lead to a trim.
	Policy Policy
	// MinInterval is the least time between the end of one trim and the next; 0 means none.
	MinInterval time.Duration
	// HeapStats asks the allocator for its free bytes before and after. On glibc that walks all free chunks, so it
	// costs as much as the trim; its time is not part of the trim's.
	HeapStats bool
}

// Default is a trimmer without triggers: malloc, pad 0, as often as asked.
func Default() Options {
	return Options{Method: MethodMalloc, Policy: Policy{Kind: PolicyAlways}, HeapStats: true}
}

// Validate reports everything that is wrong with o.
func (o Options) Validate() error {
	var errs []error
	if _, err := ParseMethod(string(o.Method)); err != nil {
		errs = append(errs, err)
	}
	if o.Pad < 0 {
		errs = append(errs, fmt.Errorf("memory: trim pad %d is negative", o.Pad))
	}
	if o.MinInterval < 0 {
		errs = append(errs, fmt.Errorf("memory: trim min_interval %v is negative", o.MinInterval))
	}
	if _, err := ParsePolicy(o.Policy.String()); err != nil {
		errs = append(errs, err)
	}
	for _, t := range o.Triggers {
		if !slices.Contains(Triggers(), t) {
			errs = append(errs, fmt.Errorf("memory: trim trigger %q: want some of %v", t, Triggers()))
		}
	}
	return errors.Join(errs...)
}
