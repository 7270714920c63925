package memory

import (
	"errors"
	"os"
	"strings"
	"testing"
)

const smapsText = `00400000-004ad000 r-xp 00000000 fe:00 9978102                            /usr/bin/ledgerd
Size:                692 kB
Rss:                 500 kB
Shared_Clean:        100 kB
Shared_Dirty:         20 kB
Anonymous:             0 kB
VmFlags: rd ex mr mw me
c000000000-c000400000 rw-p 00000000 00:00 0
Rss:                4096 kB
Anonymous:          4096 kB
LazyFree:           1024 kB
AnonHugePages:      2048 kB
Swap:                 12 kB
THPeligible:           0
ProtectionKey:         0
c000400000-c004000000 ---p 00000000 00:00 0
Size:              61440 kB
7f0000000000-7f0000021000 rw-p 00000000 00:00 0                          [anon: Go: immortal metadata]
Rss:                  64 kB
`

func TestParseSmaps(t *testing.T) {
	vmas, err := ParseSmaps(strings.NewReader(smapsText))
	if err != nil {
		t.Fatal(err)
	}
	want := []VMA{
		{Start: 0x400000, End: 0x4ad000, Perms: "r-xp", Name: "/usr/bin/ledgerd", Rss: 500 << 10, Shared: 120 << 10},
		{Start: 0xc000000000, End: 0xc000400000, Perms: "rw-p", Rss: 4 << 20, Anonymous: 4 << 20, LazyFree: 1 << 20, Swap: 12 << 10, Huge: 2 << 20},
		{Start: 0xc000400000, End: 0xc004000000, Perms: "---p"},
		{Start: 0x7f0000000000, End: 0x7f0000021000, Perms: "rw-p", Name: "[anon: Go: immortal metadata]", Rss: 64 << 10},
	}
	if len(vmas) != len(want) {
		t.Fatalf("%d mappings, want %d", len(vmas), len(want))
	}
	for i := range want {
		if vmas[i] != want[i] {
			t.Errorf("mapping %d: %+v, want %+v", i, vmas[i], want[i])
		}
	}
}

func TestParseSmapsRefuses(t *testing.T) {
	const head = "00400000-004ad000 r-xp 00000000 fe:00 1 /x\n"
	for name, text := range map[string]string{
		"key first":       "Rss: 1 kB\n",
		"no span":         "hello world\n",
		"end at start":    "00400000-00400000 r-xp 0 0 0\n",
		"short perms":     "00400000-00401000 rx 0 0 0\n",
		"not a number":    head + "Rss: x kB\n",
		"negative":        head + "Rss: -1 kB\n",
		"absurd":          head + "Rss: 99999999999999999 kB\n",
		"bad hex":         "0040000g-00401000 r-xp 0 0 0\n",
		"a line too long": head + "Rss: " + strings.Repeat("1", lineMax+1) + "\n",
	} {
		if v, err := ParseSmaps(strings.NewReader(text)); !errors.Is(err, ErrSmaps) {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
	}
}

func FuzzParseSmaps(f *testing.F) {
	f.Add(smapsText)
	f.Add("00400000-004ad000 r-xp 00000000 fe:00 1\nRss: 4 kB\n")
	if b, err := os.ReadFile("/proc/self/smaps"); err == nil {
		f.Add(string(b[:min(len(b), 4096)]))
	}
	f.Fuzz(func(t *testing.T, text string) {
		vmas, err := ParseSmaps(strings.NewReader(text))
		if err != nil {
			return
		}
		l := layout{
			goHeap: 0xc000000000, allocator: Glibc, stackSize: stackDefault, page: 4096,
			words:   func(addr uint64) ([4]uint64, bool) { return [4]uint64{addr, addr &^ 4095, 4096, 8192}, addr%3 == 0 },
			present: func(start, end uint64) []bool { return make([]bool, min((end-start)/4096+1, 16)) },
		}
		for i := range vmas {
			if vmas[i].Size() <= 0 {
				t.Fatalf("%+v", vmas[i])
			}
			if vmas[i].Size() > 1<<26 {
				return // the pages of a mapping that large are not looked at one by one here
			}
		}
		pieces := classify(vmas, l)
		rss, lazy := resident(vmas, pieces, l.present)
		sum, want := int64(0), int64(0)
		for c := range rss {
			sum += rss[c] + lazy[c]
		}
		for i := range vmas {
			want += vmas[i].Rss
			at := vmas[i].Start
			for _, p := range pieces[i] {
				if p.start != at || p.end <= p.start {
					t.Fatalf("mapping %+v: pieces %v", vmas[i], pieces[i])
				}
				at = p.end
			}
			if at != vmas[i].End {
				t.Fatalf("mapping %+v: pieces %v", vmas[i], pieces[i])
			}
		}
		if sum != want {
			t.Fatalf("classes sum to %d, rss is %d", sum, want)
		}
	})
}

// TestHugeMappingsAreNotScanned: the pages of a mapping of terabytes are not asked for.
func TestHugeMappingsAreNotScanned(t *testing.T) {
	l := layout{allocator: Glibc, page: 4096, present: func(start, end uint64) []bool {
		t.Errorf("pages of %x to %x were asked for", start, end)
		return nil
	}}
	v := VMA{Start: 1 << 40, End: 1<<40 + 1<<44, Perms: "rw-p", Rss: 1 << 20}
	if p := classify([]VMA{v}, l); len(p[0]) != 1 || p[0][0] != (piece{classOther, v.Start, v.End}) {
		t.Errorf("%v", p)
	}
}

func TestParseStatm(t *testing.T) {
	if got, err := parseStatm([]byte("100 20 3 4 0 5 0\n")); err != nil || got != [3]int64{100, 20, 3} {
		t.Errorf("%v, %v", got, err)
	}
	for _, s := range []string{"", "1 2", "a b c"} {
		if _, err := parseStatm([]byte(s)); err == nil {
			t.Errorf("%q was read", s)
		}
	}
}

func TestBalanceSums(t *testing.T) {
	f := figures{
		golang: goFigures{objects: 100, unused: 10, free: 20, stacks: 5, meta: 50},
		heap:   HeapStats{Allocator: Glibc, InUse: 300, Mapped: 40, Free: 100},
		tags:   []TagBytes{{"inner", 120}, {"leaf", 60}},
	}
	f.rss = [classes]int64{classGoHeap: 140, classArena: 400, classMapped: 30, classStack: 7, classFile: 11, classShared: 2, classOther: 60}
	f.lazy[classGoHeap] = 9
	lines := balance(f)
	got := map[string]int64{}
	sum := int64(0)
	for _, l := range lines {
		got[l.Name] = l.Bytes
		sum += l.Bytes
	}
	for name, want := range map[string]int64{
		LineGoLive: 100, LineGoLazy: 9, LineGoMeta: 50, LineGoUntouched: 0, "c_live_inner": 120, "c_live_leaf": 60,
		LineCOther: 120, LineCUntouched: -10, LineCRetained: 140, LineRest: 15,
	} {
		if got[name] != want {
			t.Errorf("%s is %d, want %d", name, got[name], want)
		}
	}
	if want := int64(140 + 400 + 30 + 7 + 11 + 2 + 60 + 9); sum != want {
		t.Errorf("lines sum to %d, want %d", sum, want)
	}
}
