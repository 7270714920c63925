package probe

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

// WorkingSet is how much of a process's resident memory has been used since
// its referenced bits were cleared. Pages first touched after that count as
// used, and so do pages that the kernel maps on its own around a fault.
type WorkingSet struct {
	At         time.Time
	RSS        int64
	Referenced int64
	LazyFree   int64         // within RSS: given back and not taken yet
	Cost       time.Duration // of reading and, where asked, clearing
}

// Gap is what is resident and was not used: the most that a trim, a smaller
// cache or a move to swap could take without being missed so far.
func (w WorkingSet) Gap() int64 { return max(0, w.RSS-w.Referenced) }

// ClearReferenced clears the referenced bits of every page of a process. It
// costs the process faults of no kind, and the kernel a walk over its pages.
func ClearReferenced(pid int) error {
	name := fmt.Sprintf("/proc/%d/clear_refs", pid)
	if err := os.WriteFile(name, []byte("1"), 0); err != nil {
		return fmt.Errorf("probe: %w", err)
	}
	return nil
}

// ReadWorkingSet reads the sums over all mappings of a process.
func ReadWorkingSet(pid int, now func() time.Time) (WorkingSet, error) {
	w := WorkingSet{At: now()}
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return w, fmt.Errorf("probe: %w", err)
	}
	if err := w.parse(raw); err != nil {
		return w, fmt.Errorf("probe: smaps_rollup of %d: %w", pid, err)
	}
	w.Cost = now().Sub(w.At)
	return w, nil
}

// parse reads the lines "Key:   n kB" that matter.
func (w *WorkingSet) parse(raw []byte) error {
	keys := map[string]*int64{"Rss": &w.RSS, "Referenced": &w.Referenced, "LazyFree": &w.LazyFree}
	found := 0
	for line := range bytes.Lines(raw) {
		key, rest, ok := bytes.Cut(line, []byte(":"))
		to := keys[string(key)]
		if !ok || to == nil {
			continue
		}
		f := bytes.Fields(rest)
		if len(f) == 0 {
			return fmt.Errorf("%s has no figure", key)
		}
		n, err := strconv.ParseInt(string(f[0]), 10, 64)
		if err != nil || n < 0 {
			return fmt.Errorf("%s %q is not a size", key, f[0])
		}
		*to = n << 10
		found++
	}
	if found < 2 {
		return fmt.Errorf("neither Rss nor Referenced in %d bytes", len(raw))
	}
	return nil
}
