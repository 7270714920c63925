package main

import (
	"errors"
	"io"
	"slices"
	"strings"

	"ledgerlab/lab/network"
	"ledgerlab/shamap/payload/heaptrace"
)

// oneNode is the node that the flags choose; a network of one needs no choice.
func oneNode(h *network.Handle, t targetFlags) (int, error) {
	nodes := h.Nodes()
	i := 0
	if t.node != "" {
		at, err := h.Index(t.node)
		if err != nil {
			return 0, usage(err)
		}
		i = at
	} else if len(nodes) != 1 {
		return 0, usagef("the network has %d nodes; choose one with --node", len(nodes))
	}
	if err := h.Runs(i); err != nil {
		return 0, usage(err)
	}
	return i, nil
}

// readTrace reads a trace whole and sums it up by call site.
func readTrace(in io.Reader) (*traceShown, error) {
	r, err := heaptrace.NewReader(in)
	if err != nil {
		return nil, err
	}
	s := &traceShown{Header: r.Header(), Marks: map[string]int{}}
	t := traceSums{sites: map[uint32]*siteShown{}, live: map[uint64]heldChunk{}, threads: map[uint32]bool{}}
	for {
		it, err := r.Next()
		if errors.Is(err, io.EOF) || errors.Is(err, heaptrace.ErrCut) {
			s.Whole = errors.Is(err, io.EOF)
			break
		}
		if err != nil {
			return nil, err
		}
		switch {
		case it.Event != nil && it.Event.Mark != "":
			s.Marks[it.Event.Mark]++
		case it.Event != nil:
			t.event(s, it.Event)
		case it.Site != nil:
			t.site(it.Site.ID).Site = it.Site.Text
		case it.Footer != nil:
			s.Lost, s.Seconds = it.Footer.Lost, float64(it.Footer.DurationNS)/1e9
		}
	}
	s.Threads = len(t.threads)
	for _, x := range t.sites {
		if x.Allocs > 0 {
			s.Sites = append(s.Sites, *x)
		}
	}
	slices.SortFunc(s.Sites, func(a, b siteShown) int {
		switch {
		case a.Outstanding > b.Outstanding:
			return -1
		case a.Outstanding < b.Outstanding:
			return 1
		}
		return strings.Compare(a.Site, b.Site)
	})
	return s, nil
}

type heldChunk struct{ site, size uint32 }

// traceSums are the sums of a trace under way.
type traceSums struct {
	sites   map[uint32]*siteShown
	live    map[uint64]heldChunk
	threads map[uint32]bool
}

func (t *traceSums) site(id uint32) *siteShown {
	x := t.sites[id]
	if x == nil {
		x = &siteShown{Site: "not known"}
		t.sites[id] = x
	}
	return x
}

func (t *traceSums) event(s *traceShown, e *heaptrace.Event) {
	s.Seconds = float64(e.TimeNS) / 1e9
	t.threads[e.Thread] = true
	for _, c := range e.Chunks {
		if e.Free {
			s.Frees++
			if held, ok := t.live[c.Addr]; ok {
				t.site(held.site).Outstanding -= int64(held.size)
				delete(t.live, c.Addr)
			}
			continue
		}
		x := t.site(e.Site)
		x.Allocs++
		x.Bytes += uint64(c.Size)
		x.Outstanding += int64(c.Size)
		s.Allocs++
		s.Bytes += uint64(c.Size)
		t.live[c.Addr] = heldChunk{e.Site, c.Size}
	}
}
