package gather

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"ledgerlab/api/client"
	"ledgerlab/lab/doctor"
	recordv1 "ledgerlab/proto/record/v1"
)

// Node watches a node through its control plane and its web side. It ends early,
// with what it has, when ctx ends.
func Node(ctx context.Context, c *client.Client, o Options) (doctor.Watch, error) {
	if err := o.Validate(); err != nil {
		return doctor.Watch{}, err
	}
	o = o.filled()
	info, err := c.Info(ctx)
	if err != nil {
		return doctor.Watch{}, err
	}
	flags, err := c.Flags(ctx)
	if err != nil {
		return doctor.Watch{}, err
	}
	set := map[string]string{}
	for _, f := range flags {
		set[f.GetName()] = f.GetValue()
	}
	b := newBook(c.Name(), o.Now().Add(-o.Past), set)
	b.watch.Allocator = info.GetAllocator()
	n := &nodeWatch{c: c, o: o, book: b, web: info.GetWebAddress()}
	if o.Stacks {
		b.watch.Before = n.profile(ctx)
	}
	n.run(ctx)
	after := context.WithoutCancel(ctx) // a watch that was cut short is still judged
	if o.Stacks && ctx.Err() == nil {
		b.watch.After = n.profile(ctx)
	}
	if o.Trim {
		b.watch.Trim = n.trim(after)
	}
	if end, err := c.Info(after); err != nil || end.GetPid() != info.GetPid() {
		b.watch.Restarted = true
	}
	return b.close(), nil
}

type nodeWatch struct {
	c    *client.Client
	o    Options
	web  string
	told bool       // that a sheet failed
	mu   sync.Mutex // book
	book *book
}

// run follows records and asks for sheets until the watch is over.
func (n *nodeWatch) run(whole context.Context) {
	ctx, cancel := context.WithTimeout(whole, n.o.For)
	defer cancel()
	var wg sync.WaitGroup
	wg.Go(func() {
		ro := client.RecordOptions{
			Kinds: []string{"sample", "sheet", "sweep", "rotation", "start"}, FromStart: n.o.Past > 0, Follow: true,
			OnLost: func(lost uint64) { n.o.Say("%d records were lost", lost) },
		}
		_, err := n.c.Records(ctx, ro, func(r *recordv1.Record) error {
			n.mu.Lock()
			defer n.mu.Unlock()
			n.book.record(r)
			return nil
		})
		if err != nil && ctx.Err() == nil {
			n.o.Say("records: %v", err)
		}
	})
	tick := time.NewTicker(n.o.SheetEvery)
	defer tick.Stop()
	for {
		n.sheet(whole) // the last one is not cut off by the end of the watch
		select {
		case <-ctx.Done():
			wg.Wait()
			return
		case <-tick.C:
		}
	}
}

// sheet asks the node for a full sheet, which it records beside those of its
// sweeps; they all come with the records.
func (n *nodeWatch) sheet(ctx context.Context) {
	if _, err := n.c.Memory(ctx, true); err != nil && ctx.Err() == nil && !n.told {
		n.told = true // once: the next ones fail alike
		n.o.Say("sheet: %v", err)
	}
}

// trim makes the probing trim.
func (n *nodeWatch) trim(ctx context.Context) *doctor.Trim {
	r, err := n.c.Trim(ctx, "both", 0)
	if err != nil {
		return &doctor.Trim{Why: err.Error()}
	}
	return &doctor.Trim{
		Before: float64(r.GetRssBeforeBytes()), After: float64(r.GetRssAfterBytes()),
		Supported: r.GetSupported() && r.GetSkipped() == "", Why: r.GetSkipped(),
	}
}

// profileMax bounds a profile's text.
const profileMax = 64 << 20

// profile reads the Go heap after a collection; an empty one when it cannot.
func (n *nodeWatch) profile(ctx context.Context) doctor.Profile {
	p, err := readProfile(ctx, n.web)
	if err != nil {
		n.o.Say("heap profile: %v", err)
	}
	return p
}

func readProfile(ctx context.Context, web string) (doctor.Profile, error) {
	if web == "" {
		return doctor.Profile{}, errors.New("the node serves no web side")
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+web+"/debug/pprof/heap?debug=1&gc=1", nil)
	if err != nil {
		return doctor.Profile{}, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return doctor.Profile{}, err
	}
	defer func() { _ = resp.Body.Close() }() // it was read to its end or is of no use
	if resp.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(resp.Body, 200))
		return doctor.Profile{}, fmt.Errorf("%s: %s", resp.Status, strings.TrimSpace(string(text)))
	}
	return doctor.ParseProfile(io.LimitReader(resp.Body, profileMax))
}
