package gather

import (
	"errors"
	"fmt"
	"time"
)

// ForMax bounds a watch: a day at a reading a second.
const ForMax = 24 * time.Hour

// Options of a watch.
type Options struct {
	For        time.Duration // length; default 2m
	Past       time.Duration // of the node's records before the watch that count as well; default none
	SheetEvery time.Duration // between two full sheets; default a fortieth of For, 5s to 1m: asking costs the node a walk
	Trim       bool          // one probing trim at the end; default true
	Stacks     bool          // profiles of the Go heap at both ends; default true
	Now        func() time.Time
	Say        func(format string, args ...any) // told what could not be read; default nobody
}

// Default is a watch of two minutes.
func Default() Options {
	return Options{For: 2 * time.Minute, Trim: true, Stacks: true}
}

// Validate returns every fault, joined.
func (o Options) Validate() error {
	var faults []error
	if o.For <= 0 || o.For > ForMax {
		faults = append(faults, fmt.Errorf("watch of %v: above 0s, at most %v", o.For, ForMax))
	}
	if o.Past < 0 || o.Past > ForMax {
		faults = append(faults, fmt.Errorf("past of %v: from 0s to %v", o.Past, ForMax))
	}
	if o.SheetEvery < 0 {
		faults = append(faults, fmt.Errorf("a sheet every %v: cannot be negative", o.SheetEvery))
	}
	return errors.Join(faults...)
}

func (o Options) filled() Options {
	if o.SheetEvery == 0 {
		o.SheetEvery = min(max(o.For/40, 5*time.Second), time.Minute)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Say == nil {
		o.Say = func(string, ...any) {}
	}
	return o
}
