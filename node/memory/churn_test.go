package memory

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
)

// TestSheetUnderChurn takes sheets while workers locked to their threads allocate and free in C and in Go: the rest
// stays small although nothing stands still.
func TestSheetUnderChurn(t *testing.T) {
	notInRaceBuilds(t)
	if Detect().Allocator != Glibc {
		t.Skipf("malloc belongs to %s", Detect().Allocator)
	}
	sheets := 60
	if testing.Short() {
		sheets = 15
	}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			runtime.LockOSThread()
			churn(rand.New(rand.NewPCG(1, uint64(w))), stop)
		})
	}
	var shares []float64
	var worst Sheet
	for range sheets {
		s, err := ReadSheet(time.Now, nil)
		if err != nil {
			t.Fatal(err)
		}
		if u := s.Unexplained(); len(shares) == 0 || u > slices.Max(shares) {
			worst = s
		}
		shares = append(shares, s.Unexplained())
	}
	close(stop)
	wg.Wait()
	slices.Sort(shares)
	t.Logf("rest: median %.2f %%, worst %.2f %%", 100*shares[len(shares)/2], 100*shares[len(shares)-1])
	dump(t, worst)
	if median := shares[len(shares)/2]; median > 0.02 || median < -0.02 {
		t.Errorf("the rest is %.2f %% in the median sheet", 100*median)
	}
}

// churn keeps up to 40,000 C chunks and 4,000 Go slices of one worker, and a big chunk now and then.
func churn(rng *rand.Rand, stop chan struct{}) {
	chunks, slicesLive := make([]uintptr, 40_000), make([][]byte, 4_000)
	defer func() {
		for _, p := range chunks {
			if p != 0 {
				cFree(p)
			}
		}
	}()
	for i := 0; ; i++ {
		if i%1000 == 0 {
			select {
			case <-stop:
				return
			default:
			}
			cFree(cAlloc(rng.IntN(4 * mib)))
		}
		k := rng.IntN(len(chunks))
		if chunks[k] != 0 {
			cFree(chunks[k])
		}
		chunks[k] = cAlloc(50 + rng.IntN(600))
		if i%10 == 0 {
			slicesLive[rng.IntN(len(slicesLive))] = make([]byte, 100+rng.IntN(8000))
		}
	}
}
