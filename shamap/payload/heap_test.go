package payload

import (
	"crypto/sha512"
	"math/rand/v2"
	"strconv"
	"testing"
	"unsafe"
)

// kernels are the kernels this processor and build have beside Go's function.
func kernels() (lanes []int) {
	for n := lanesSupported(); n >= 4; n /= 2 {
		lanes = append(lanes, n)
	}
	return lanes
}

func TestLanesEqualGo(t *testing.T) {
	if len(kernels()) == 0 {
		t.Skip("no vector kernel on this processor or in this build")
	}
	for _, lanes := range kernels() {
		t.Run(strconv.Itoa(lanes), func(t *testing.T) { lanesEqualGo(t, lanes) })
	}
}

func lanesEqualGo(t *testing.T, lanes int) {
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
		cHash(lanes, addr, size, out)
		for i, m := range msgs {
			if want := sha512.Sum512(m); out[i] != [32]byte(want[:32]) {
				t.Fatalf("round %d: message %d of %d bytes: hash differs", round, i, len(m))
			}
		}
	}
}

// The sparse form hashes as the full one does, for every number of nodes and
// every count of children.
func TestLanesSparseEqualGo(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, lanes := range kernels() {
		for n := 1; n <= HashMax; n++ {
			hashes := make([][16][32]byte, n)
			addr, mask, out := make([]uintptr, n), make([]uint16, n), make([][32]byte, n)
			for i := range hashes {
				mask[i] = uint16(rng.Uint32())
				for j := range hashes[i] {
					hashes[i][j][0], hashes[i][j][31] = byte(rng.Uint32()), byte(j)
				}
				addr[i] = uintptr(unsafe.Pointer(&hashes[i]))
			}
			cHashSparse(lanes, addr, mask, out)
			for i := range hashes {
				var full [516]byte
				Spread(&full, unsafe.Pointer(&hashes[i]), mask[i])
				if want := sha512.Sum512(full[:]); out[i] != [32]byte(want[:32]) {
					t.Fatalf("%d lanes, node %d of %d, mask %04x: hash differs", lanes, i, n, mask[i])
				}
			}
		}
	}
}

func BenchmarkHalf(b *testing.B) {
	for _, kernel := range Kernels() {
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
