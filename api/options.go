package api

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"ledgerlab/node/config"
	"ledgerlab/node/record"
)

// Options configure a Server.
type Options struct {
	Backend Backend          // required
	Flags   *config.Registry // required
	Records *record.Recorder // required

	MessageBytes int           // largest request or reply; default 8 MiB
	Streams      int           // open streams in all, and a connection; default 256
	Requests     int           // unary calls at work; default 1024
	Deadline     time.Duration // for unary calls that bring none; default 30s
	Watch        int           // ledgers or changes that may wait for a slow watcher; default 256
	PageLimit    int           // entries of a state page at most; default 2048
	BatchLimit   int           // blobs of a submission at most; default 1024
	Log          *slog.Logger  // default discards
}

// Default fills what is zero.
func (o Options) Default() Options {
	set := func(p *int, v int) {
		if *p == 0 {
			*p = v
		}
	}
	set(&o.MessageBytes, 8<<20)
	set(&o.Streams, 256)
	set(&o.Requests, 1024)
	set(&o.Watch, 256)
	set(&o.PageLimit, 2048)
	set(&o.BatchLimit, 1024)
	if o.Deadline == 0 {
		o.Deadline = 30 * time.Second
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// Validate returns every fault, joined.
func (o Options) Validate() error {
	var faults []error
	if o.Backend == nil || o.Flags == nil || o.Records == nil {
		faults = append(faults, errors.New("api: backend, flags and records are required"))
	}
	for name, n := range map[string]int{
		"message bytes": o.MessageBytes, "streams": o.Streams, "requests": o.Requests,
		"watch": o.Watch, "page limit": o.PageLimit, "batch limit": o.BatchLimit,
	} {
		if n < 1 {
			faults = append(faults, fmt.Errorf("api: %s %d must be at least 1", name, n))
		}
	}
	if o.Deadline < 0 {
		faults = append(faults, fmt.Errorf("api: deadline %v is negative", o.Deadline))
	}
	return errors.Join(faults...)
}
