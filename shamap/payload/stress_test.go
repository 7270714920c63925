package payload

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"
)

func kinds() []string {
	if cSupported {
		return []string{"go", "c"}
	}
	return []string{"go"}
}

// TestStalePointers has readers that keep pointers to blobs long after their
// last release: they read the right bytes or learn that the blob is gone.
func TestStalePointers(t *testing.T) {
	for _, kind := range kinds() {
		t.Run(kind, func(t *testing.T) {
			h, err := NewHeap(kind)
			if err != nil {
				t.Fatal(err)
			}
			var slots [64]atomic.Pointer[Blob]
			var stop atomic.Bool
			var stale, reads atomic.Int64
			var wg sync.WaitGroup
			for r := range 3 {
				wg.Go(func() { readStale(t, h, &slots, rand.New(rand.NewPCG(uint64(r), 1)), &stop, &stale, &reads) })
			}
			rng := rand.New(rand.NewPCG(7, 7))
			for i := range 30_000 {
				b := h.NewBlob(TagBlob, bytes.Repeat([]byte{byte(i)}, 1+rng.IntN(300)))
				if old := slots[rng.IntN(len(slots))].Swap(b); old != nil {
					if rng.IntN(2) == 0 && old.DropIfSole() {
						continue
					}
					old.Release()
				}
			}
			stop.Store(true)
			wg.Wait()
			for i := range slots {
				if b := slots[i].Load(); b != nil {
					b.Release()
				}
			}
			if err := h.Close(); err != nil {
				t.Fatal(err)
			}
			t.Logf("%d reads, %d stale", reads.Load(), stale.Load())
		})
	}
}

func readStale(t *testing.T, h *Heap, slots *[64]atomic.Pointer[Blob], rng *rand.Rand, stop *atomic.Bool, stale, reads *atomic.Int64) {
	var kept [16]*Blob
	var buf []byte
	for i := 0; !stop.Load(); i++ {
		b := slots[rng.IntN(len(slots))].Load()
		if b == nil {
			continue
		}
		if old := kept[i%len(kept)]; old != nil && i%3 == 0 {
			b = old
		}
		kept[i%len(kept)] = b
		reads.Add(1)
		var err error
		switch i % 3 {
		case 0:
			buf, err = b.AppendTo(buf[:0])
		case 1:
			buf, err = guarded(h, b, buf[:0])
		case 2:
			if !b.Acquire() {
				err = ErrReleased
				break
			}
			buf, err = b.AppendTo(buf[:0])
			b.Release()
		}
		if errors.Is(err, ErrReleased) {
			stale.Add(1)
			continue
		}
		if len(buf) == 0 || bytes.Count(buf, buf[:1]) != len(buf) {
			t.Errorf("read %d bytes that are not the blob's", len(buf))
			return
		}
	}
}

func guarded(h *Heap, b *Blob, dst []byte) ([]byte, error) {
	g := h.Enter()
	defer g.Exit()
	if !b.Alive() {
		return dst, ErrReleased
	}
	runtime.Gosched() // let it be released meanwhile
	return append(dst, unsafe.Slice((*byte)(b.h.Raw()), b.h.Len())...), nil
}

func TestGuardHoldsLimbo(t *testing.T) {
	h, err := NewHeap(kinds()[0])
	if err != nil {
		t.Fatal(err)
	}
	b := h.NewBlob(TagQueue, make([]byte, 1000))
	g := h.Enter()
	b.Release()
	if freed, left := h.Reclaim(); freed != 0 || left != 1000 {
		t.Fatalf("reclaim under a guard freed %d, left %d", freed, left)
	}
	if s := h.Stats().ByTag[TagQueue]; s.LiveBytes != 0 || s.LimboBytes != 1000 || h.Stats().Guards != 1 {
		t.Fatalf("%+v", s)
	}
	g2 := h.Enter()
	g.Exit()
	h.Reclaim()
	g2.Exit()
	if h.Reclaim(); h.Stats().Total.LimboBytes != 0 {
		t.Fatal("limbo is not empty without guards")
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestMisusePanics(t *testing.T) {
	h, err := NewHeap("go")
	if err != nil {
		t.Fatal(err)
	}
	b := h.NewBlob(TagOther, []byte("x"))
	if b.Acquire(); b.DropIfSole() {
		t.Fatal("dropped a blob with two references")
	}
	b.Release()
	b.Release()
	if b.Acquire() || b.Alive() || b.DropIfSole() {
		t.Fatal("a dead blob came back")
	}
	if _, err := b.AppendTo(nil); !errors.Is(err, ErrReleased) {
		t.Fatalf("read of a dead blob: %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Fatal("a second release went unnoticed")
		}
		if b.Acquire() {
			t.Fatal("a second release brought the blob back")
		}
	}()
	b.Release()
}

func TestOptionsSayAllFaults(t *testing.T) {
	err := Options{Kind: "x", Kernel: "y", LimboBytesMax: -1}.Validate()
	for _, want := range []string{"kind", "kernel", "limbo"} {
		if err == nil || !bytes.Contains([]byte(err.Error()), []byte(want)) {
			t.Fatalf("%v does not name %s", err, want)
		}
	}
	if !cSupported {
		if _, err := NewHeap("c"); !errors.Is(err, ErrUnsupported) {
			t.Fatalf("heap in C memory: %v", err)
		}
	}
}

// TestBackPressure fills limbo above its bound under a guard: the releaser
// waits, but not for ever, and all is freed once the guard is gone.
func TestBackPressure(t *testing.T) {
	o := Default()
	o.LimboBytesMax = 10_000
	h, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	g := h.Enter()
	for range 20 {
		h.NewBlob(TagBlob, make([]byte, 1000)).Release()
	}
	if s := h.Stats(); s.Stalls == 0 || s.Total.LimboBytes != 20_000 {
		t.Fatalf("%d stalls, %d bytes in limbo", s.Stalls, s.Total.LimboBytes)
	}
	g.Exit()
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
}
