package gather

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ledgerlab/api"
	"ledgerlab/api/apitest"
	"ledgerlab/api/client"
	"ledgerlab/lab/doctor"
	"ledgerlab/node/record"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestNodeIsWatched: records and sheets become series, flags become targets, the
// trim is made once and at the end.
func TestNodeIsWatched(t *testing.T) {
	f := &apitest.Fake{}
	n, err := apitest.Serve(f, "", api.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f.OnInfo = func() (api.Info, error) { return api.Info{Name: "n0", Allocator: "glibc"}, nil }
	trims, asked := 0, 0
	f.OnTrim = func(method string, pad int64) (*record.Trim, error) {
		trims++
		if method != "both" || pad != 0 {
			t.Errorf("method %q, pad %d", method, pad)
		}
		return &record.Trim{Supported: true, RssBeforeBytes: 100, RssAfterBytes: 60}, nil
	}
	f.OnMemory = func(full bool) (api.Memory, error) {
		if !full || trims > 0 {
			t.Errorf("sheet asked for with full=%v after %d trims", full, trims)
		}
		asked++
		publishAll(n.Records, asked)
		return api.Memory{Sample: &record.Sample{}}, nil
	}
	c, err := client.Dial(n.Addr, client.Options{Name: "n0"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := errors.Join(c.Close(), n.Stop()); err != nil {
			t.Error(err)
		}
	}()
	var said []string
	o := Default()
	o.For, o.SheetEvery = 400*time.Millisecond, 20*time.Millisecond
	o.Say = func(format string, _ ...any) { said = append(said, format) }
	w, err := Node(t.Context(), c, o)
	if err != nil {
		t.Fatal(err)
	}
	if w.Who != "n0" || w.Allocator != "glibc" || w.Restarted || trims != 1 || w.Trim.Returned() != 40 {
		t.Errorf("%+v", w)
	}
	if w.RSS.Len() < 3 || w.RSS.Len() != w.Lines["go_live"].Len() || w.CHeap.Last() != 37 || w.GoHeap.Last() != 60 || w.PageCache.Last() != 70 {
		t.Errorf("rss %d, go_live %d, C %v, Go %v", w.RSS.Len(), w.Lines["go_live"].Len(), w.CHeap.Last(), w.GoHeap.Last())
	}
	if _, ok := w.Lines["anonymous_rest"]; ok || w.Lines["go_idle"].Last() != 10 || len(w.Collections) == 0 {
		t.Errorf("lines %v, collections %v", w.Lines, w.Collections)
	}
	i := slices.IndexFunc(w.Caches, func(c doctor.Cache) bool { return c.Name == "tree" })
	if i < 0 || w.Caches[i].Target != 524288 || w.Caches[i].AgeSeconds != 60 || w.Caches[i].EntryBytes != headerBytes+100 || w.Caches[i].Strong.Last() != 8 {
		t.Errorf("caches %+v", w.Caches)
	}
	for name, want := range map[string]float64{"record_ring": 9, "full_below": 0} {
		if j := slices.IndexFunc(w.Caches, func(c doctor.Cache) bool { return c.Name == name }); j < 0 || w.Caches[j].Target != want {
			t.Errorf("cache %s is missing or has another target: %+v", name, w.Caches)
		}
	}
	if len(said) != 2 { // both profiles: this node has no web side
		t.Errorf("said %v", said)
	}
	if d := doctor.Diagnose(w, doctor.Default()); d.Verdict == doctor.Void {
		t.Error(d.Sentence)
	}
}

// publishAll makes one record of each kind that a watch reads; asked tells them apart.
func publishAll(r *record.Recorder, asked int) {
	r.Sample(&record.Sample{
		RssBytes: int64(1000 + asked), GcCycles: uint32(asked), Sheet: map[string]int64{"go_live": int64(asked), "c_live_leaf": 7, "anonymous_rest": 5},
		Gauges: map[string]float64{
			"tree_cache_entries": 10, "tree_cache_strong": 8, "payload_leaf_bytes": 1000, "record_ring_entries": 4, "record_ring_target": 9,
		},
	})
	r.Sweep(&record.Sweep{Caches: []*record.CacheSweep{{Name: "FullBelowCache", EntriesAfter: 3, AgeNs: 6e11}}})
	r.Rotation(&record.Rotation{})
	r.Sheet(&record.Sheet{
		Lines:  map[string]int64{"go_live": 50, "go_idle": 10, "c_live_leaf": 7, "c_retained": 30},
		Beside: map[string]int64{"cgroup_file": 70},
	})
}

// TestCutShort: a watch that is interrupted gives what it has.
func TestCutShort(t *testing.T) {
	f := &apitest.Fake{}
	n, err := apitest.Serve(f, "", api.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = n.Stop() }()
	ctx, cancel := context.WithCancel(t.Context())
	f.OnMemory = func(bool) (api.Memory, error) {
		cancel()
		return api.Memory{}, api.ErrUnsupported
	}
	c, err := client.Dial(n.Addr, client.Options{Name: "n0"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	o := Default()
	o.For, o.Stacks = time.Hour, false
	w, err := Node(ctx, c, o)
	if err != nil || w.Trim == nil || w.Trim.Supported || w.Trim.Why == "" {
		t.Fatalf("%+v, %v", w.Trim, err)
	}
	if d := doctor.Diagnose(w, doctor.Default()); d.Verdict != doctor.Void {
		t.Error(d.Sentence)
	}
}

func TestNodeRestartIsSeen(t *testing.T) {
	b := newBook("n0", time.Unix(0, 0), nil)
	for run := range uint64(2) {
		b.record(&record.Record{TimeNs: 1e9, Run: run + 1})
	}
	if !b.watch.Restarted {
		t.Error("two runs were taken for one")
	}
}

// TestGoPayloads: with payloads in Go memory their tags are containers of the Go
// heap, not lines of C.
func TestGoPayloads(t *testing.T) {
	b := newBook("n0", time.Unix(0, 0), map[string]string{"heap.payload": "go"})
	for i := range 3 {
		b.sample(float64(i), &record.Sample{Gauges: map[string]float64{"payload_leaf_bytes": float64(i), "payload_limbo_bytes": 1, "go_live_bytes": 5}})
	}
	w := b.close()
	if len(w.Caches) != 1 || w.Caches[0].Name != "payload leaf" || !w.Caches[0].InBytes || w.Caches[0].Target != 0 || w.Lines["go_live"].Len() != 3 {
		t.Errorf("%+v", w)
	}
}

func TestCollectionsByDrops(t *testing.T) {
	var s doctor.Series
	for i := range 20 {
		s.Add(float64(i), 100+10*float64(i%5))
	}
	if at := collected(s); !slices.Equal(at, []float64{5, 10, 15}) {
		t.Error(at)
	}
}

func TestProcessIsWatched(t *testing.T) {
	o := Default()
	o.For = 200 * time.Millisecond
	w, err := Process(t.Context(), os.Getpid(), o)
	if err != nil || w.Restarted || w.RSS.Len() < 2 || w.RSS.Last() < 1<<20 || w.Anon.Len() == 0 {
		t.Fatalf("%+v, %v", w, err)
	}
	if sum := w.Anon.Y[0] + w.File.Y[0] + w.Shmem.Y[0] + w.LazyFree.Last(); math.Abs(sum/w.RSS.Y[0]-1) > 0.2 {
		t.Errorf("parts are %v of %v", sum, w.RSS.Y[0])
	}
	if _, err := Process(t.Context(), 1<<30, o); err == nil {
		t.Error("a process that is not there was watched")
	}
}

func TestPageCacheOfAGroup(t *testing.T) {
	dir := t.TempDir()
	for text, want := range map[string]float64{"anon 5\nfile 4096\n": 4096, "cache 8192\nrss 1\n": 8192} {
		if err := os.WriteFile(filepath.Join(dir, "memory.stat"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if v, ok := pageCache(dir); !ok || v != want {
			t.Errorf("%q: %v %v", text, v, ok)
		}
	}
	if _, ok := pageCache(""); ok {
		t.Error("no group has page cache")
	}
}

func TestOptions(t *testing.T) {
	bad := Options{For: -1, Past: -1, SheetEvery: -1}
	if err := bad.Validate(); err == nil || strings.Count(err.Error(), "\n") != 2 {
		t.Error(err)
	}
}

func FuzzStatusBytes(f *testing.F) {
	f.Add("VmRSS:\t  12 kB\nRssAnon: -1 kB\nThreads: 3\n")
	f.Fuzz(func(t *testing.T, text string) {
		for k, v := range statusBytes(text) {
			if v < 0 {
				t.Fatalf("%s is negative", k)
			}
		}
	})
}
