package memory

import (
	"strings"
	"testing"
	"time"
)

const statusText = `Name:	ledgerd
VmPeak:	 2000 kB
VmSize:	 1000 kB
VmHWM:	  300 kB
VmRSS:	  200 kB
RssAnon:	  120 kB
RssFile:	   70 kB
RssShmem:	   10 kB
VmPTE:	    8 kB
VmSwap:	    4 kB
Threads:	7
`

func TestParseStatus(t *testing.T) {
	p, err := parseStatus([]byte(statusText))
	if err != nil {
		t.Fatal(err)
	}
	var got Sample
	p.into(&got)
	want := Sample{
		RSS: 200 << 10, Anon: 120 << 10, File: 70 << 10, Shmem: 10 << 10, Peak: 300 << 10, Virtual: 1000 << 10,
		PageTables: 8 << 10, Swap: 4 << 10, Threads: 7,
	}
	if got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if _, err := parseStatus([]byte(strings.Replace(statusText, "120 kB", "x kB", 1))); err == nil {
		t.Error("a figure that is none was read")
	}
}

// TestSampleAgreesWithTheKernel compares the two readings of RSS; between them little can have changed.
func TestSampleAgreesWithTheKernel(t *testing.T) {
	s, err := ReadSample(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	rss := RSS()
	if diff := rss - s.RSS; diff < -2*mib || diff > 2*mib || s.Peak < s.Anon || s.Threads < 1 {
		t.Errorf("%+v, statm %d", s, rss)
	}
}

// TestCheapSums: the cheap lines sum to RSS whatever the accounts say.
func TestCheapSums(t *testing.T) {
	s := Sample{RSS: 1000, Anon: 800, File: 150, Shmem: 50}
	tags := []TagBytes{{"inner", 100}, {"memtable", 400}}
	lines := Cheap(s, GoHeap{Live: 200, Unused: 50, Idle: 30, Stacks: 10, Metadata: 40}, tags)
	sum, got := int64(0), map[string]int64{}
	for _, l := range lines {
		sum += l.Bytes
		got[l.Name] = l.Bytes
		if !strings.HasPrefix(l.Name, LineCPrefix) && Doc(l.Name) == "" {
			t.Errorf("nobody says what %s is", l.Name)
		}
	}
	if sum != s.RSS || got["c_live_memtable"] != 400 || got[LineFiles] != 150 || got[LineAnonymous] != -30 {
		t.Errorf("sum %d: %v", sum, got)
	}
}

func TestCgroupFolders(t *testing.T) {
	for name, c := range map[string]struct {
		self  string
		first string
		n     int
	}{
		"version 2":           {"0::/system.slice/ledgerd.service\n", "/sys/fs/cgroup/system.slice/ledgerd.service", 2},
		"version 1":           {"4:memory:/docker/abc\n1:cpu:/docker/abc\n", "/sys/fs/cgroup/memory/docker/abc", 2},
		"with another":        {"3:cpuset,memory:/x\n0::/\n", "/sys/fs/cgroup/memory/x", 4},
		"nothing that counts": {"1:cpu:/\n", "", 0},
		"garbage":             {"hello\n\n", "", 0},
	} {
		got := cgroupFolders(c.self)
		if len(got) != c.n || (c.n > 0 && got[0].path != c.first) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestHeapStatsAgree compares the accounts taken arena by arena with glibc's own sum, with many free chunks in between.
func TestHeapStatsAgree(t *testing.T) {
	notInRaceBuilds(t)
	if Detect().Allocator != Glibc {
		t.Skipf("malloc belongs to %s", Detect().Allocator)
	}
	chunks := make([]uintptr, 50_000)
	for i := range chunks {
		chunks[i] = cAlloc(40 + i%900)
	}
	big := cAlloc(8 * mib)
	for i, p := range chunks {
		if i%3 != 0 {
			cFree(p)
		}
	}
	h, err := ReadHeapStats()
	inUse, free, mapped := mallinfo()
	cFree(big)
	for i := 0; i < len(chunks); i += 3 {
		cFree(chunks[i])
	}
	if err != nil {
		t.Fatal(err)
	}
	within := func(what string, got, want int64) {
		if d := got - want; d < -mib/4 || d > mib/4 {
			t.Errorf("%s %d, mallinfo says %d", what, got, want)
		}
	}
	within("in use", h.InUse, inUse)
	within("free", h.Free, free)
	within("mapped", h.Mapped, mapped)
	if h.Arenas < 1 || h.StayMax <= 0 || h.StaySum < h.StayMax {
		t.Errorf("%+v", h)
	}
	t.Logf("%+v", h)
}
