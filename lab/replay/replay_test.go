package replay

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ledgerlab/node/memory"
	"ledgerlab/node/record"
	recordv1 "ledgerlab/proto/record/v1"
	"ledgerlab/shamap/payload"
	"ledgerlab/shamap/payload/heaptrace"
)

// made is a trace with what a replay of it must say.
type made struct {
	raw           []byte
	allocs, frees uint64
	live          int64 // at the end
	older         uint64
}

// trace makes one: bursts on one thread after another, most of each given back
// before the sweep that follows, and older chunks of which some are given back.
func trace(t testing.TB, seed uint64, change func(h *heaptrace.Header, f *heaptrace.Footer)) made {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 9))
	m := made{older: 500}
	h := heaptrace.Header{
		Node: "n0", Kind: "c", Allocator: "glibc", StartedNS: 1e9, BegunNS: 3e9, Tags: []string{"inner", "leaf"},
		Live: []heaptrace.Live{{}, {Chunks: 500, Bytes: 100_000}},
	}
	f := heaptrace.Footer{DurationNS: 12e9}
	if change != nil {
		change(&h, &f)
	}
	var out bytes.Buffer
	w, err := heaptrace.NewWriter(&out, h)
	if err != nil {
		t.Fatal(err)
	}
	var b heaptrace.Block
	b.Reset(nil)
	m.live = 100_000
	next := uint64(1 << 30)
	for sec := range int64(12) {
		at := sec * 1e9
		weigh := heaptrace.Memory{TimeNS: at, RSS: 90 << 20, CHeap: -1}
		if sec%5 == 0 {
			weigh.CHeap, weigh.COther = 40<<20, 5<<20
		}
		if err := w.Memory(weigh); err != nil {
			t.Fatal(err)
		}
		var burst []heaptrace.Chunk
		for range 40 {
			b.Event(at, uint32(sec%4)+100, 1, false, 50)
			for range 50 {
				c := heaptrace.Chunk{Addr: next, Size: 100 + rng.Uint32N(400), Tag: 1}
				next += 512
				b.Chunk(c.Addr, c.Size, c.Tag)
				burst = append(burst, c)
				m.live += int64(c.Size)
				m.allocs++
			}
		}
		gone := burst[:len(burst)*9/10]
		b.Event(at+5e8, 99, 0, true, len(gone))
		for _, c := range gone {
			b.Chunk(c.Addr, c.Size, c.Tag)
			m.live -= int64(c.Size)
			m.frees++
		}
		b.Event(at+6e8, 99, 0, true, 1) // an older one
		b.Chunk(uint64(8+8*sec), 200, 1)
		m.live -= 200
		m.frees++
		b.Mark(at+7e8, "sweep")
		if err := w.Events(b.Bytes()); err != nil {
			t.Fatal(err)
		}
		b.Reset(nil)
	}
	if err := w.Footer(f); err != nil {
		t.Fatal(err)
	}
	m.raw = out.Bytes()
	return m
}

func needsC(t *testing.T) {
	t.Helper()
	if payload.Default().Kind != "c" {
		t.Skip("needs C memory")
	}
}

func TestReplayDoesWhatTheTraceSays(t *testing.T) {
	needsC(t)
	m := trace(t, 1, nil)
	o := Default()
	o.Triggers = []memory.Trigger{memory.AfterSweep}
	o.Policy = memory.Policy{Kind: memory.PolicyEvery, N: 3}
	seen := 0
	r, err := Run(t.Context(), bytes.NewReader(m.raw), o, func(Point) { seen++ })
	if err != nil {
		t.Fatal(err)
	}
	if r.Allocs != m.allocs || r.Frees != m.frees || r.Older != m.older || r.Trims != 4 || r.Skipped != 8 || r.Threads != 5 {
		t.Errorf("%+v, want %+v", r, m)
	}
	last := r.Points[len(r.Points)-1]
	if seen != len(r.Points) || len(r.Points) != 13 || last.Seconds != 12 || last.Live != m.live || last.CHeap < last.Live {
		t.Errorf("%d points, %d told, last %+v, want %d live", len(r.Points), seen, last, m.live)
	}
	for _, p := range r.Points { // 90 - 40 + 5 MiB of the node lie outside what is replayed
		if p.RSS != 55<<20+p.CHeap || p.Then != 90<<20 {
			t.Errorf("%+v", p)
		}
	}
	if r.MeanRSS < 55<<20 || r.MeanCHeap <= 0 || r.MeanThen != 90<<20 || r.Seconds != 12 {
		t.Errorf("%+v", r)
	}
}

// TestDamagedTraces: what is not whole is refused unless asked for, and replayed
// as far as it goes then.
func TestDamagedTraces(t *testing.T) {
	needsC(t)
	whole := trace(t, 2, nil).raw
	lost := trace(t, 2, func(_ *heaptrace.Header, f *heaptrace.Footer) { f.Lost = 7 }).raw
	for name, raw := range map[string][]byte{"cut": whole[:len(whole)-20], "lost events": lost} {
		if _, err := Run(t.Context(), bytes.NewReader(raw), Default(), nil); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
		o := Default()
		o.Lossy = true
		if r, err := Run(t.Context(), bytes.NewReader(raw), o, nil); err != nil || r.Allocs == 0 {
			t.Errorf("%s, lossy: %+v, %v", name, r, err)
		}
	}
	for name, change := range map[string]func(h *heaptrace.Header, f *heaptrace.Footer){
		"go payloads": func(h *heaptrace.Header, _ *heaptrace.Footer) { h.Kind = "go" },
		"many older": func(h *heaptrace.Header, _ *heaptrace.Footer) {
			h.Live[1] = heaptrace.Live{Chunks: 1 << 39, Bytes: 1 << 49}
		},
	} {
		if _, err := Run(t.Context(), bytes.NewReader(trace(t, 2, change).raw), Default(), nil); err == nil {
			t.Errorf("%s: replayed", name)
		}
	}
	if _, err := Run(t.Context(), strings.NewReader("no trace"), Default(), nil); !errors.Is(err, heaptrace.ErrFormat) {
		t.Error(err)
	}
}

// TestReplaySurvivesAnyTrace: events in an order that no recorder writes, such as
// an address given twice, are replayed without misuse of the heap.
func TestReplaySurvivesAnyTrace(t *testing.T) {
	needsC(t)
	rng := rand.New(rand.NewPCG(5, 5))
	var out bytes.Buffer
	w, err := heaptrace.NewWriter(&out, heaptrace.Header{Kind: "c"})
	if err != nil {
		t.Fatal(err)
	}
	var b heaptrace.Block
	b.Reset(nil)
	for i := range int64(3000) {
		b.Event(i*1e5, rng.Uint32N(400), 0, rng.IntN(2) == 0, 3)
		for range 3 {
			b.Chunk(16*rng.Uint64N(50), rng.Uint32N(300), uint8(rng.IntN(int(payload.Tags))))
		}
	}
	if err := errors.Join(w.Events(b.Bytes()), w.Footer(heaptrace.Footer{})); err != nil {
		t.Fatal(err)
	}
	r, err := Run(t.Context(), bytes.NewReader(out.Bytes()), Default(), nil)
	if err != nil || r.Threads != threadsMax || r.Shared == 0 {
		t.Fatalf("%+v, %v", r, err)
	}
}

func TestInterrupted(t *testing.T) {
	needsC(t)
	ctx, cancel := context.WithCancel(t.Context())
	o := Default()
	o.Speed = 1e-3 // would take hours
	_, err := Run(ctx, bytes.NewReader(trace(t, 3, nil).raw), o, func(Point) { cancel() })
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestAgainst compares with samples of the same age only, of the last run.
func TestAgainst(t *testing.T) {
	path := filepath.Join(t.TempDir(), "records.jsonl")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for run, rss := range []int64{1, 100} {
		for sec := range int64(30) {
			v := rss
			if sec < 2 || sec > 14 {
				v = 1 << 40
			}
			line, err := record.AppendJSON(nil, &record.Record{
				Version: 1, Run: uint64(run) + 1, Id: uint64(sec) + 1, MonoNs: sec * 1e9,
				Body: &recordv1.Record_Sample{Sample: &record.Sample{RssBytes: v}},
			})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.Write(line); err != nil {
				t.Fatal(err)
			}
		}
	}
	r := Result{StartedNS: 1e9, BegunNS: 3e9, Seconds: 12, MeanRSS: 105}
	l, err := r.Against(path)
	if err != nil || l.Samples != 13 || l.Mean != 100 || !l.Good() {
		t.Fatalf("%+v, %v", l, err)
	}
	r.MeanRSS = 111
	if l, err := r.Against(path); err != nil || l.Good() {
		t.Errorf("%+v, %v", l, err)
	}
	r.Seconds = 1000
	if _, err := r.Against(path); !errors.Is(err, ErrNoLive) {
		t.Error(err)
	}
}

func TestOptions(t *testing.T) {
	if err := Default().Validate(); err != nil {
		t.Error(err)
	}
	bad := Options{Speed: -1, Every: time.Nanosecond, Pad: -1}
	if err := bad.Validate(); err == nil || strings.Count(err.Error(), "\n") < 2 {
		t.Error(err)
	}
}
