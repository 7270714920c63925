package heaptrace

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"reflect"
	"testing"
)

// sample writes a trace of random events and returns what is in it.
func sample(t testing.TB, seed uint64, events int) (raw []byte, want []Event) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 1))
	var out bytes.Buffer
	w, err := NewWriter(&out, Header{Node: "n0", Kind: "c", Allocator: "glibc", Tags: []string{"inner", "leaf"}, Live: []Live{{1, 2, 3}}})
	if err != nil {
		t.Fatal(err)
	}
	var b Block
	b.Reset(nil)
	now := int64(0)
	for i := range events {
		now += rng.Int64N(1e6)
		e := Event{TimeNS: now, Thread: rng.Uint32N(50000), Free: rng.IntN(2) == 0}
		switch {
		case rng.IntN(10) == 0:
			e = Event{TimeNS: now, Mark: "sweep"}
			b.Mark(now, e.Mark)
		default:
			if !e.Free {
				e.Site = rng.Uint32N(9)
			}
			n := 1 + rng.IntN(64)
			b.Event(now, e.Thread, e.Site, e.Free, n)
			for range n {
				c := Chunk{0x7f0000000000 + 8*rng.Uint64N(1<<30), rng.Uint32N(1 << 20), uint8(rng.IntN(2))}
				b.Chunk(c.Addr, c.Size, c.Tag)
				e.Chunks = append(e.Chunks, c)
			}
		}
		want = append(want, e)
		if b.Len() > 4096 || i == events-1 {
			if err := w.Events(b.Bytes()); err != nil {
				t.Fatal(err)
			}
			b.Reset(b.Bytes())
		}
	}
	for _, err := range []error{w.Site(Site{3, "a.b (c.go:1)"}), w.Memory(Memory{TimeNS: 5, RSS: 7, CHeap: -1}), w.Footer(Footer{Allocs: 2, Lost: 1})} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes(), want
}

func TestRoundTrip(t *testing.T) {
	raw, want := sample(t, 1, 500)
	r, err := NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	if h := r.Header(); h.Node != "n0" || h.Version != Version || h.Live[0].Usable != 3 {
		t.Error(h)
	}
	var got []Event
	var sites, memories, footers int
	for {
		it, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case it.Event != nil:
			e := *it.Event
			e.Chunks = append([]Chunk(nil), e.Chunks...)
			got = append(got, e)
		case it.Site != nil && *it.Site == Site{3, "a.b (c.go:1)"}:
			sites++
		case it.Memory != nil && it.Memory.CHeap == -1:
			memories++
		case it.Footer != nil && it.Footer.Lost == 1:
			footers++
		}
	}
	if !reflect.DeepEqual(got, want) || sites != 1 || memories != 1 || footers != 1 {
		t.Errorf("%d events of %d, %d sites, %d memories, %d footers", len(got), len(want), sites, memories, footers)
	}
}

// TestEveryCutIsSeen: a trace cut anywhere gives what is whole and then ErrCut,
// and a flipped bit never passes.
func TestEveryCutIsSeen(t *testing.T) {
	raw, _ := sample(t, 2, 20)
	for n := range raw {
		if err := drain(raw[:n]); !errors.Is(err, ErrCut) && !errors.Is(err, ErrFormat) {
			t.Fatalf("cut at %d: %v", n, err)
		}
	}
	for n := range raw {
		bad := bytes.Clone(raw)
		bad[n] ^= 0x10
		if err := drain(bad); err == nil || errors.Is(err, io.EOF) {
			t.Fatalf("bit of byte %d flipped: %v", n, err)
		}
	}
}

// drain reads a trace to its end; io.EOF says that it was whole.
func drain(raw []byte) error {
	r, err := NewReader(bytes.NewReader(raw))
	for err == nil {
		_, err = r.Next()
	}
	return err
}

func TestBounds(t *testing.T) {
	w := &Writer{w: io.Discard}
	if err := w.Events(make([]byte, blockMax+1)); err == nil {
		t.Error("a block beyond the bound was written")
	}
	var b Block
	b.Reset(nil)
	b.Event(1, 1, 0, false, chunkMax+1)
	d := decoder{b: b.Bytes()}
	if _, ok := d.next(); ok {
		t.Error("an event beyond the bound was read")
	}
	b.Reset(nil)
	b.Event(5, 1, 0, true, 0)
	b.Event(3, 1, 0, true, 0) // a clock that went back
	d = decoder{b: b.Bytes()}
	d.next()
	if e, ok := d.next(); !ok || e.TimeNS != 5 {
		t.Error("time runs backwards", e, ok)
	}
}

// TestGolden keeps version 1 readable.
func TestGolden(t *testing.T) {
	const file = "testdata/v1.heaptrace"
	raw, _ := sample(t, 3, 12)
	if os.Getenv("REWRITE_GOLDEN") != "" {
		if err := os.WriteFile(file, raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(raw, want) {
		t.Error("the same events give other bytes than version 1 did")
	}
	if err := drain(want); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
}

func FuzzReader(f *testing.F) {
	raw, _ := sample(f, 4, 5)
	f.Add(raw)
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := NewReader(bytes.NewReader(raw))
		for n := 0; err == nil; n++ {
			var it Item
			if it, err = r.Next(); it.Event != nil && len(it.Event.Chunks) > chunkMax {
				t.Fatal("an event beyond the bound")
			}
		}
	})
}

// FuzzEvents skips the checksum, which random bytes never pass.
func FuzzEvents(f *testing.F) {
	var b Block
	b.Reset(nil)
	b.Event(5, 7, 1, false, 1)
	b.Chunk(64, 8, 1)
	b.Mark(6, "sweep")
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, raw []byte) {
		d := decoder{b: raw}
		last := int64(0)
		for len(d.b) > 0 {
			e, ok := d.next()
			if !ok {
				return
			}
			if e.TimeNS < last || len(e.Chunks) > chunkMax || len(e.Mark) > textMax {
				t.Fatalf("%+v", e)
			}
			last = e.TimeNS
		}
	})
}
