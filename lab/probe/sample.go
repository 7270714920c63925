package probe

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/procfs"
)

// Sample is the kernel's view of one process at one moment. Counters run since
// the start of the process.
type Sample struct {
	Target     int   // index into the targets given to New
	TimeNS     int64 // wall clock
	AgeNS      int64 // since the process started
	RSSBytes   int64
	MinFaults  int64
	MajFaults  int64
	UserNS     int64
	SystemNS   int64
	Threads    int64
	AnonBytes  int64 // resident minus file-backed and shared
	FileShared int64 // resident pages that are file-backed or shared
}

// CPUNS is user plus system time.
func (s Sample) CPUNS() int64 { return s.UserNS + s.SystemNS }

// Host is the machine at one moment. Counters run since boot.
type Host struct {
	TimeNS       int64
	CPUs         int
	BusyNS       int64 // all CPUs, without idle, iowait and steal
	StealNS      int64
	TargetsNS    int64 // CPU of the processes under test
	GeneratorNS  int64 // CPU of this process: generator, samplers and clients
	Switches     int64
	PSICPUMicros int64 // some, total
	PSIMemMicros int64
	PSIIOMicros  int64
	PSICPUAvg10  float64 // per cent
	LateNS       int64   // how late the sampler itself woke
}

// ForeignNS is the CPU of everything that is neither under test nor ours.
func (h Host) ForeignNS() int64 { return max(0, h.BusyNS-h.TargetsNS-h.GeneratorNS) }

const clockTick = int64(10 * time.Millisecond) // USER_HZ is 100 on every Linux port Go has

type reader struct {
	fs   procfs.FS
	page int64
	boot time.Time
}

func newReader() (*reader, error) {
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return nil, fmt.Errorf("probe: %w", err)
	}
	st, err := fs.Stat()
	if err != nil {
		return nil, fmt.Errorf("probe: /proc/stat: %w", err)
	}
	return &reader{fs: fs, page: int64(os.Getpagesize()), boot: time.Unix(int64(st.BootTime), 0)}, nil
}

// process reads one process; ok is false once it is gone.
func (r *reader) process(pid int, now time.Time) (s Sample, ok bool) {
	p, err := r.fs.Proc(pid)
	if err != nil {
		return s, false
	}
	st, err := p.Stat()
	if err != nil || st.State == "Z" || st.State == "X" {
		return s, false
	}
	resident, shared := r.statm(pid)
	started := r.boot.Add(time.Duration(int64(st.Starttime) * clockTick))
	return Sample{
		TimeNS: now.UnixNano(), AgeNS: int64(now.Sub(started)),
		RSSBytes: resident, FileShared: shared, AnonBytes: resident - shared,
		MinFaults: int64(st.MinFlt), MajFaults: int64(st.MajFlt),
		UserNS: int64(st.UTime) * clockTick, SystemNS: int64(st.STime) * clockTick,
		Threads: int64(st.NumThreads),
	}, true
}

func (r *reader) statm(pid int) (resident, shared int64) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		return 0, 0
	}
	f := strings.Fields(string(b))
	if len(f) < 3 {
		return 0, 0
	}
	res, _ := strconv.ParseInt(f[1], 10, 64)
	shr, _ := strconv.ParseInt(f[2], 10, 64)
	return res * r.page, shr * r.page
}

// host reads the machine; self is the CPU of this process.
func (r *reader) host(now time.Time, targetsNS, selfNS int64) Host {
	h := Host{TimeNS: now.UnixNano(), TargetsNS: targetsNS, GeneratorNS: selfNS}
	if st, err := r.fs.Stat(); err == nil {
		c := st.CPUTotal
		busy := c.User + c.Nice + c.System + c.IRQ + c.SoftIRQ
		h.BusyNS, h.StealNS = int64(busy*1e9), int64(c.Steal*1e9)
		h.CPUs, h.Switches = len(st.CPU), int64(st.ContextSwitches)
	}
	if p, err := r.fs.PSIStatsForResource("cpu"); err == nil && p.Some != nil {
		h.PSICPUMicros, h.PSICPUAvg10 = int64(p.Some.Total), p.Some.Avg10
	}
	if p, err := r.fs.PSIStatsForResource("memory"); err == nil && p.Some != nil {
		h.PSIMemMicros = int64(p.Some.Total)
	}
	if p, err := r.fs.PSIStatsForResource("io"); err == nil && p.Some != nil {
		h.PSIIOMicros = int64(p.Some.Total)
	}
	return h
}

// Rollup is /proc/PID/smaps_rollup in bytes by line name. It walks the page
// tables, which costs milliseconds a gigabyte, so it is read on demand only.
func Rollup(pid int) (map[string]int64, error) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/smaps_rollup")
	if err != nil {
		return nil, fmt.Errorf("probe: %w", err)
	}
	return parseRollup(string(b))
}

func parseRollup(text string) (map[string]int64, error) {
	out := map[string]int64{}
	for line := range strings.Lines(text) {
		name, rest, ok := strings.Cut(line, ":")
		f := strings.Fields(rest)
		if !ok || len(f) != 2 || f[1] != "kB" {
			continue
		}
		kb, err := strconv.ParseInt(f[0], 10, 64)
		if err != nil || kb < 0 || kb > 1<<50 {
			return nil, fmt.Errorf("probe: smaps_rollup line %q", strings.TrimSpace(line))
		}
		out[name] = kb << 10
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("probe: smaps_rollup has no line of the form %q", "Rss: 4 kB")
	}
	return out, nil
}
