package memory

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const mib = 1 << 20

func sheet(t *testing.T) Sheet {
	t.Helper()
	runtime.GC() // so that the dead of other tests are not counted in one sheet and gone in the next
	s, err := ReadSheet(time.Now, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// grown says by how much a line changed, in MiB.
func grown(before, after Sheet, line string) float64 {
	return float64(after.Bytes(line)-before.Bytes(line)) / mib
}

func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if got < want-within || got > want+within {
		t.Errorf("%s grew by %.1f MiB, want %.1f within %.1f", what, got, want, within)
	}
}

func dump(t *testing.T, s Sheet) {
	t.Helper()
	for _, l := range s.Lines {
		t.Logf("%-18s %10.2f MiB", l.Name, float64(l.Bytes)/mib)
	}
	for _, l := range s.Beside {
		t.Logf("%-18s %10.2f MiB beside", l.Name, float64(l.Bytes)/mib)
	}
	t.Logf("rss %.1f MiB, statm %.1f MiB, unexplained %.2f %%, cost %v (cpu %v), %d mappings, at one arena %v, at all %v",
		float64(s.RSS)/mib, float64(s.Statm)/mib, 100*s.Unexplained(), s.Cost, s.CPU, s.Mappings, s.Heap.StayMax, s.Heap.StaySum)
}

func TestSheetNamesGoMemory(t *testing.T) {
	notInRaceBuilds(t)
	before := sheet(t)
	keep := make([][]byte, 100)
	for i := range keep {
		keep[i] = make([]byte, mib)
		for j := 0; j < mib; j += 4096 {
			keep[i][j] = 1
		}
	}
	after := sheet(t)
	near(t, LineGoLive, grown(before, after, LineGoLive), 100, 5)
	near(t, LineRest, grown(before, after, LineRest), 0, 3)
	runtime.KeepAlive(keep)
	dump(t, after)
}

func TestSheetNamesCMemory(t *testing.T) {
	notInRaceBuilds(t)
	if Detect().Allocator != Glibc {
		t.Skipf("malloc belongs to %s", Detect().Allocator)
	}
	before := sheet(t)
	const n, size = 200_000, 500
	chunks := make([]uintptr, n)
	for i := range chunks {
		chunks[i] = cAlloc(size)
	}
	big := cAlloc(64 * mib) // has a mapping of its own
	full := sheet(t)
	cFree(big)
	for i, p := range chunks {
		if i%50 != 0 { // survivors here and there hold the pages
			cFree(p)
		}
	}
	freed := sheet(t)
	near(t, LineCOther, grown(before, full, LineCOther), 64+float64(n*size)/mib, 4)
	near(t, LineRest, grown(before, full, LineRest), 0, 2)
	if t.Failed() {
		dump(t, before)
		dump(t, full)
	}
	near(t, LineCRetained, grown(full, freed, LineCRetained), float64(n*size)/mib*0.98, 8)
	near(t, LineRest, grown(before, freed, LineRest), 0, 2)
	dump(t, freed)
	for i, p := range chunks {
		if i%50 == 0 {
			cFree(p)
		}
	}
}

func TestSheetNamesTheLayer(t *testing.T) {
	notInRaceBuilds(t)
	cases := []struct {
		name, line string
		grow       func(t *testing.T) []byte
	}{
		{"mapped file", LineFiles, func(t *testing.T) []byte { return mapFile(t, unix.MAP_PRIVATE) }},
		{"shared file", LineFiles, func(t *testing.T) []byte { return mapFile(t, unix.MAP_SHARED) }},
		{"shared memory", LineShared, func(t *testing.T) []byte { return mapAnon(t, unix.MAP_SHARED) }},
		{"anonymous", LineRest, func(t *testing.T) []byte { return mapAnon(t, unix.MAP_PRIVATE) }},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			before := sheet(t)
			b := c.grow(t)
			defer unix.Munmap(b) //nolint:errcheck // the mapping ends with the test
			for i := 0; i < len(b); i += 4096 {
				b[i] = 1
			}
			after := sheet(t)
			near(t, c.line, grown(before, after, c.line), 40, 6)
		})
	}
}

func mapFile(t *testing.T, flags int) []byte {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "map"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(40 * mib); err != nil {
		t.Fatal(err)
	}
	b, err := unix.Mmap(int(f.Fd()), 0, 40*mib, unix.PROT_READ|unix.PROT_WRITE, flags)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func mapAnon(t *testing.T, flags int) []byte {
	t.Helper()
	b, err := unix.Mmap(-1, 0, 40*mib, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|flags)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
