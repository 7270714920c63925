package gather

import (
	"context"
	"fmt"
	"os"
	"path"
	"strconv"
	"strings"
	"time"

	"ledgerlab/lab/doctor"
	"ledgerlab/lab/probe"
)

// Process watches any process through /proc: the resident size and its parts,
// and the page cache of its control group.
func Process(ctx context.Context, pid int, o Options) (doctor.Watch, error) {
	if err := o.Validate(); err != nil {
		return doctor.Watch{}, err
	}
	o = o.filled()
	started, err := startTime(pid)
	if err != nil {
		return doctor.Watch{}, fmt.Errorf("process %d: %w", pid, err)
	}
	w := doctor.Watch{Who: "process " + strconv.Itoa(pid)}
	begin := o.Now()
	ctx, cancel := context.WithTimeout(ctx, o.For)
	defer cancel()
	tick := time.NewTicker(min(time.Second, max(o.For/120, 10*time.Millisecond)))
	defer tick.Stop()
	r := processReader{pid: pid, group: findCgroup(pid), every: o.SheetEvery.Seconds(), next: 0}
	for {
		if !r.read(&w, o.Now().Sub(begin).Seconds()) {
			w.Restarted = true
			return w, nil
		}
		select {
		case <-ctx.Done():
			now, err := startTime(pid)
			w.Restarted = err != nil || now != started
			return w, nil
		case <-tick.C:
		}
	}
}

// processReader reads one process. Its walk over all mappings, which alone tells
// lazily freed pages, is made every so many seconds only.
type processReader struct {
	pid         int
	group       string
	every, next float64
	noRollup    bool // not allowed: the cheap split stands in
}

// read adds a reading; false says that the process is gone.
func (r *processReader) read(w *doctor.Watch, t float64) bool {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(r.pid) + "/status")
	if err != nil {
		return false
	}
	s := statusBytes(string(raw))
	if s["VmRSS"] == 0 { // a zombie has none
		return false
	}
	w.RSS.Add(t, s["VmRSS"])
	w.File.Add(t, s["RssFile"])
	w.Shmem.Add(t, s["RssShmem"])
	if v, ok := pageCache(r.group); ok {
		w.PageCache.Add(t, v)
	}
	if r.noRollup {
		w.Anon.Add(t, s["RssAnon"])
		return true
	}
	if t < r.next {
		return true
	}
	r.next = t + r.every
	m, err := probe.Rollup(r.pid)
	if err != nil {
		r.noRollup = true
		w.Anon.Add(t, s["RssAnon"])
		return true
	}
	w.Anon.Add(t, float64(m["Anonymous"]-m["LazyFree"]))
	w.LazyFree.Add(t, float64(m["LazyFree"]))
	return true
}

// statusBytes reads the lines of /proc/PID/status that are sizes.
func statusBytes(text string) map[string]float64 {
	out := map[string]float64{}
	for line := range strings.Lines(text) {
		name, rest, ok := strings.Cut(line, ":")
		f := strings.Fields(rest)
		if !ok || len(f) != 2 || f[1] != "kB" {
			continue
		}
		if kb, err := strconv.ParseInt(f[0], 10, 64); err == nil && kb >= 0 && kb < 1<<50 {
			out[name] = float64(kb << 10)
		}
	}
	return out
}

// startTime is field 22 of /proc/PID/stat: it tells two processes of one number apart.
func startTime(pid int) (string, error) {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return "", err
	}
	text := string(raw)
	f := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	if len(f) < 20 {
		return "", fmt.Errorf("stat has %d fields after the name", len(f))
	}
	return f[19], nil
}

// findCgroup is the folder of the memory controller of a process, "" when none.
func findCgroup(pid int) string {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cgroup")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(raw)) {
		part := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(part) != 3 {
			continue
		}
		base := "/sys/fs/cgroup"
		if strings.Contains(","+part[1]+",", ",memory,") {
			base = "/sys/fs/cgroup/memory"
		} else if part[1] != "" {
			continue
		}
		for _, dir := range []string{path.Join(base, part[2]), base} { // inside a container its root is the group
			if _, ok := pageCache(dir); ok {
				return dir
			}
		}
	}
	return ""
}

// pageCache reads what a group is charged for files.
func pageCache(dir string) (float64, bool) {
	if dir == "" {
		return 0, false
	}
	raw, err := os.ReadFile(path.Join(dir, "memory.stat"))
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(raw)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if key == "file" || key == "cache" { // version 2, version 1
			n, err := strconv.ParseInt(value, 10, 64)
			return float64(n), err == nil && n >= 0
		}
	}
	return 0, false
}
