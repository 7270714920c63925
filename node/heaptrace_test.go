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
	var sum, events, marks, full int64
	for _, l := range in.Header().Live {
		sum += l.Chunks
	}
	var footer *heaptrace.Footer
	named := map[uint32]bool{0: true}
	used := map[uint32]bool{}
	for {
		it, err := in.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case it.Event != nil && it.Event.Mark == "sweep":
			marks++
		case it.Event != nil && it.Event.Free:
			sum -= int64(len(it.Event.Chunks))
		case it.Event != nil:
			events++
			sum += int64(len(it.Event.Chunks))
			used[it.Event.Site] = true
		case it.Memory != nil && it.Memory.CHeap >= 0:
			full++
		case it.Site != nil:
			named[it.Site.ID] = strings.Contains(it.Site.Text, "ledgerlab/")
		case it.Footer != nil:
			footer = it.Footer
		}
	}
	if footer == nil || footer.Lost != 0 || events == 0 || marks == 0 || full < 2 || in.Header().Node != c.Name || in.Header().Kind != r.store.heap.Kind() {
		t.Fatalf("footer %+v, %d events, %d marks, %d full weighings, header %+v", footer, events, marks, full, in.Header())
	}
	live := int64(0)
	for _, l := range footer.Live {
		live += l.Chunks
	}
	// A batch that is under way at either end may be on one side only.
	if diff := sum - live; diff < -300 || diff > 300 {
		t.Errorf("by the trace %d chunks are live, the heap says %d", sum, live)
	}
	for id := range used {
		if !named[id] {
			t.Errorf("site %d is not named", id)
		}
	}
	if bad, err := http.Get(srv.URL + "/?seconds=-1"); err != nil || bad.StatusCode != http.StatusBadRequest {
		t.Errorf("seconds=-1: %v, %v", bad, err)
	} else {
		bad.Body.Close()
	}
}
