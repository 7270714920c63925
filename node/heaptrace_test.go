package node

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"ledgerlab/shamap/payload/heaptrace"
)

// TestHeapTrace records a node that closes ledgers and sweeps: the trace is
// whole, marks and weighings are in it, and what was live at its begin, with what
// it gave and without what it took back, is what is live at its end.
func TestHeapTrace(t *testing.T) {
	c := testConfig(t, 0)
	c.Standalone = true
	r := startNode(t, Options{Config: c})
	srv := httptest.NewServer(r.heapTraceHandler())
	defer srv.Close()
	resp, err := http.Get(srv.URL + "/?seconds=1.2")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	in, err := heaptrace.NewReader(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if two, err := http.Get(srv.URL + "/?seconds=1"); err != nil || two.StatusCode != http.StatusConflict {
		t.Errorf("a second recording: %v, %v", two, err)
	} else {
		two.Body.Close()
	}
	for range 3 { // the recording runs: its header has been read
		if _, _, err := r.Accept(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	x := tallyTrace(t, in)
	if x.footer == nil || x.footer.Lost != 0 || x.events == 0 || x.marks == 0 || x.full < 2 || in.Header().Node != c.Name || in.Header().Kind != r.store.heap.Kind() {
		t.Fatalf("footer %+v, %d events, %d marks, %d full weighings, header %+v", x.footer, x.events, x.marks, x.full, in.Header())
	}
	live := int64(0)
	for _, l := range x.footer.Live {
		live += l.Chunks
	}
	// A batch that is under way at either end may be on one side only.
	if diff := x.sum - live; diff < -300 || diff > 300 {
		t.Errorf("by the trace %d chunks are live, the heap says %d", x.sum, live)
	}
	for id := range x.used {
		if !x.named[id] {
			t.Errorf("site %d is not named", id)
		}
	}
	if bad, err := http.Get(srv.URL + "/?seconds=-1"); err != nil || bad.StatusCode != http.StatusBadRequest {
		t.Errorf("seconds=-1: %v, %v", bad, err)
	} else {
		bad.Body.Close()
	}
}

// traceTally is what a trace says: chunks live by its own account, allocations, sweeps, full weighings.
type traceTally struct {
	sum, events, marks, full int64
	footer                   *heaptrace.Footer
	named, used              map[uint32]bool // sites
}

func tallyTrace(t *testing.T, in *heaptrace.Reader) *traceTally {
	t.Helper()
	x := &traceTally{named: map[uint32]bool{0: true}, used: map[uint32]bool{}}
	for _, l := range in.Header().Live {
		x.sum += l.Chunks
	}
	for {
		it, err := in.Next()
		if errors.Is(err, io.EOF) {
			return x
		}
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case it.Event != nil && it.Event.Mark == "sweep":
			x.marks++
		case it.Event != nil && it.Event.Free:
			x.sum -= int64(len(it.Event.Chunks))
		case it.Event != nil:
			x.events++
			x.sum += int64(len(it.Event.Chunks))
			x.used[it.Event.Site] = true
		case it.Memory != nil && it.Memory.CHeap >= 0:
			x.full++
		case it.Site != nil:
			x.named[it.Site.ID] = strings.Contains(it.Site.Text, "ledgerlab/")
		case it.Footer != nil:
			x.footer = it.Footer
		}
	}
}
