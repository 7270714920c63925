package memory

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

const lazyEnv = "LEDGERLAB_MEMORY_LAZY"

// TestTrialM09 grows the Go heap by 500 MiB (100 with -short), drops it and gives it back, lazily and at once: lazily,
// the resident size stays, but the sheet says that it is pages the kernel may take, and nothing is left unexplained.
func TestTrialM09(t *testing.T) {
	notInRaceBuilds(t)
	for mode, godebug := range map[string]string{"lazy": "madvdontneed=0", "at once": "madvdontneed=1"} {
		t.Run(mode, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run=^TestLazyChild$", "-test.v", fmt.Sprintf("-test.short=%v", testing.Short()))
			cmd.Env = append(os.Environ(), "GODEBUG="+godebug, lazyEnv+"="+mode)
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), "checked "+mode) {
				t.Errorf("%v\n%s", err, out)
			}
			t.Logf("%s", out)
		})
	}
}

func TestLazyChild(t *testing.T) {
	mode := os.Getenv(lazyEnv)
	if mode == "" {
		t.Skip("runs as a child of TestTrialM09")
	}
	size := 500
	if testing.Short() {
		size = 100
	}
	keep := make([][]byte, size)
	for i := range keep {
		keep[i] = make([]byte, mib)
		for j := 0; j < mib; j += 4096 {
			keep[i][j] = 1
		}
	}
	full := sheet(t)
	runtime.KeepAlive(keep)
	clear(keep)
	debug.FreeOSMemory()
	after := sheet(t)
	lazy, rss := grown(full, after, LineGoLazy), float64(after.RSS-full.RSS)/mib
	fmt.Printf("checked %s: rss %+.1f MiB, lazily free %+.1f MiB, go live %+.1f MiB, rest %+.1f MiB\n", mode, rss, lazy,
		grown(full, after, LineGoLive), grown(full, after, LineRest))
	near(t, "go live", grown(full, after, LineGoLive), -float64(size), 3)
	near(t, "the rest", grown(full, after, LineRest), 0, 3)
	if mode == "lazy" {
		near(t, "lazily freed", lazy, float64(size), 10)
		return
	}
	near(t, "rss", rss, -float64(size), 10)
}
