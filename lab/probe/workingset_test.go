package probe

import (
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const mib = 1 << 20

// TestWorkingSetRises clears the referenced bits once and touches a mapping a
// quarter at a time: referenced memory rises by the quarter, and falls back to
// nearly nothing when the bits are cleared again.
func TestWorkingSetRises(t *testing.T) {
	const size = 64 * mib
	mem, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(mem) //nolint:errcheck // the mapping ends with the test
	if err := unix.Madvise(mem, unix.MADV_NOHUGEPAGE); err != nil {
		t.Fatal(err)
	}
	touch := func(from, to int) {
		for i := from; i < to; i += os.Getpagesize() {
			mem[i]++
		}
	}
	read := func() WorkingSet {
		w, err := ReadWorkingSet(os.Getpid(), time.Now)
		if err != nil {
			t.Skip(err) // no such file in this kernel
		}
		return w
	}
	touch(0, size)
	if err := ClearReferenced(os.Getpid()); err != nil {
		t.Skip(err)
	}
	base := read()
	for i := 1; i <= 4; i++ {
		touch((i-1)*size/4, i*size/4)
		w := read()
		grew := w.Referenced - base.Referenced
		if want := int64(i) * size / 4; grew < want-4*mib || grew > want+24*mib || w.Gap() != max(0, w.RSS-w.Referenced) {
			t.Errorf("after quarter %d referenced grew by %d MiB, want %d: %+v", i, grew/mib, want/mib, w)
		}
	}
	if err := ClearReferenced(os.Getpid()); err != nil {
		t.Fatal(err)
	}
	if w := read(); w.RSS-w.Referenced < size/2 {
		t.Errorf("cleared again: %+v", w)
	}
}

func TestWorkingSetRefuses(t *testing.T) {
	for _, text := range []string{"", "Rss: 1 kB\n", "Rss: x kB\nReferenced: 1 kB\n", "Rss:\nReferenced: 1 kB\n", "Rss: -1 kB\nReferenced: 1 kB\n"} {
		if err := new(WorkingSet).parse([]byte(text)); err == nil {
			t.Errorf("%q was read", text)
		}
	}
	var w WorkingSet
	if err := w.parse([]byte("head\nRss: 12 kB\nReferenced:  8 kB\nLazyFree: 4 kB\n")); err != nil || w.RSS != 12<<10 || w.Gap() != 4<<10 || w.LazyFree != 4<<10 {
		t.Errorf("%+v, %v", w, err)
	}
	if _, err := ReadWorkingSet(-1, time.Now); err == nil {
		t.Error("a process that is none was read")
	}
}
