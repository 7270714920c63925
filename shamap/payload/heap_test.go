package payload

import (
	"crypto/sha512"
	"math/rand/v2"
	"testing"
	"unsafe"
)

func TestLanesEqualGo(t *testing.T) {
	h, err := New(Default())
	if err != nil {
		t.Fatal(err)
	}
	if !h.Lanes() {
		t.Skip("no eight-lane kernel on this processor or in this build")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for round := range 400 {
		n := 1 + rng.IntN(20)
		msgs := make([][]byte, n)
		addr, size := make([]uintptr, n), make([]uint32, n)
		for i := range msgs {
			l := rng.IntN(700)
			if round%3 == 0 {
				l = 100 + round%200
			}
			msgs[i] = make([]byte, l+1)[:l]
			for j := range msgs[i] {
				msgs[i][j] = byte(rng.Uint32())
			}
			addr[i], size[i] = uintptr(unsafe.Pointer(unsafe.SliceData(msgs[i]))), uint32(l)
		}
		out := make([][32]byte, n)
		cHash(addr, size, out)
		for i, m := range msgs {
			if want := sha512.Sum512(m); out[i] != [32]byte(want[:32]) {
				t.Fatalf("round %d: message %d of %d bytes: hash differs", round, i, len(m))
			}
		}
	}
}

func BenchmarkHalf(b *testing.B) {
	for _, kernel := range []string{"auto", "go"} {
		o := Default()
		o.Kernel = kernel
		h, _ := New(o)
		for _, n := range []int{166, 516} {
			var addr [64]uintptr
			var size [64]uint32
			var out [64][32]byte
			buf := make([]byte, 64*1024)
			for i := range addr {
				addr[i], size[i] = uintptr(unsafe.Pointer(&buf[i*1000])), uint32(n)
			}
			b.Run(kernel+"/"+map[int]string{166: "leaf", 516: "inner"}[n], func(b *testing.B) {
				for i := 0; i < b.N; i += 64 {
					h.HalfMany(addr[:], size[:], out[:])
				}
			})
		}
	}
}
