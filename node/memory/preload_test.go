package memory

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const childEnv = "LEDGERLAB_MEMORY_CHILD"

// TestPreloaded runs this test again under each preloadable allocator that the machine has: the owner of malloc is
// recognised, a purge of it works, and the sheet still sums.
func TestPreloaded(t *testing.T) {
	notInRaceBuilds(t)
	if !cgoEnabled {
		t.Skip("no C memory in this build")
	}
	for _, a := range []Allocator{Jemalloc, Mimalloc, Tcmalloc} {
		t.Run(string(a), func(t *testing.T) {
			file, pkg, _ := Library(a)
			found, _ := filepath.Glob("/usr/lib/*/" + file)
			if len(found) == 0 {
				t.Skipf("%s (package %s) is not installed", file, pkg)
			}
			cmd := exec.Command(os.Args[0], "-test.run=^TestPreloadedChild$", "-test.v")
			cmd.Env = append(os.Environ(), "LD_PRELOAD="+found[0], childEnv+"="+string(a))
			out, err := cmd.CombinedOutput()
			if err != nil || !strings.Contains(string(out), "checked "+string(a)) {
				t.Errorf("%v\n%s", err, out)
			}
			t.Logf("%s", out)
		})
	}
}

func TestPreloadedChild(t *testing.T) {
	want := Allocator(os.Getenv(childEnv))
	if want == "" {
		t.Skip("runs as a child of TestPreloaded")
	}
	o := Detect()
	if o.Allocator != want {
		t.Fatalf("owner is %+v, want %s", o, want)
	}
	if err := Expect(want); err != nil {
		t.Error(err)
	}
	if err := Expect(Glibc); err == nil {
		t.Error("glibc was expected and found")
	}
	if err := Tune(Tuning{ArenaMax: 2}); err == nil {
		t.Error("glibc's tuning was taken")
	}
	tr, err := New(Options{Method: MethodMalloc, HeapStats: true}, Sources{Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	const n, size = 100_000, 700
	chunks := make([]uintptr, n)
	for i := range chunks {
		chunks[i] = cAlloc(size)
	}
	full := sheet(t)
	for _, p := range chunks {
		cFree(p)
	}
	info := tr.Trim(Manual)
	after := sheet(t)
	// mimalloc has no call that gives back what other threads hold, so it must say that it cannot; the others must do it.
	if info.Supported != (want != Mimalloc) || info.Supported == (info.Unsupported != "") {
		t.Errorf("%+v", info)
	}
	if back := float64(full.RSS-after.RSS) / mib; want != Mimalloc && back < 40 {
		t.Errorf("68 MiB were freed and purged, RSS fell by %.1f MiB", back)
	}
	if byGo, err := New(Options{Method: MethodGo}, Sources{Now: time.Now}); err != nil || !byGo.Trim(Manual).Supported {
		t.Errorf("the method go does not depend on the owner of malloc: %v", err)
	}
	stats, err := ReadHeapStats()
	fmt.Printf("checked %s %q: full %d, after %d MiB; retained %d MiB, rest %.2f %%; stats %+v %v\n", o.Allocator, o.Version,
		full.RSS/mib, after.RSS/mib, after.Bytes(LineCRetained)/mib, 100*after.Unexplained(), stats, err)
	fmt.Printf("%+v\n", info)
}

func TestDetect(t *testing.T) {
	o := Detect()
	t.Logf("%+v", o)
	if cgoEnabled == (o.Allocator == NoCgo) {
		t.Errorf("cgo %v, owner %+v", cgoEnabled, o)
	}
	if os.Getenv("LD_PRELOAD") == "" && cgoEnabled && o.Allocator != Glibc && o.Allocator != Unknown {
		t.Errorf("nothing is preloaded but malloc belongs to %+v", o)
	}
	if o.Allocator == Glibc {
		if s, err := MallocInfo(); err != nil || !strings.Contains(s, "<malloc version") {
			t.Errorf("malloc_info: %.80q, %v", s, err)
		}
		if s, err := ReadHeapStats(); err != nil || s.InUse <= 0 {
			t.Errorf("%+v, %v", s, err)
		}
	}
}
