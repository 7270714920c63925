package memory

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// Sample is what the process uses now; it costs two small reads of /proc and one system call.
type Sample struct {
	At        time.Time
	RSS       int64 // statm: resident, lazily freed pages included
	Shared    int64 // statm: resident pages of files and shared memory
	Virtual   int64
	MinorFlt  int64 // since the start
	MajorFlt  int64
	User, Sys time.Duration // since the start
	Threads   int
}

// CPU is user and system time together.
func (s Sample) CPU() time.Duration { return s.User + s.Sys }

// ReadSample samples this process.
func ReadSample(now time.Time) (Sample, error) {
	s := Sample{At: now}
	if err := s.readStatm(); err != nil {
		return s, err
	}
	var ru unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &ru); err != nil {
		return s, fmt.Errorf("memory: getrusage: %w", err)
	}
	s.MinorFlt, s.MajorFlt = ru.Minflt, ru.Majflt
	s.User, s.Sys = timeval(ru.Utime), timeval(ru.Stime)
	s.Threads = threads()
	return s, nil
}

func timeval(t unix.Timeval) time.Duration {
	return time.Duration(t.Sec)*time.Second + time.Duration(t.Usec)*time.Microsecond
}

func (s *Sample) readStatm() error {
	raw, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return fmt.Errorf("memory: statm: %w", err)
	}
	pages, err := parseStatm(raw)
	if err != nil {
		return err
	}
	page := int64(os.Getpagesize())
	s.Virtual, s.RSS, s.Shared = pages[0]*page, pages[1]*page, pages[2]*page
	return nil
}

// parseStatm reads the first three fields: size, resident, shared, in pages.
func parseStatm(raw []byte) (out [3]int64, err error) {
	fields := bytes.Fields(raw)
	if len(fields) < len(out) {
		return out, fmt.Errorf("memory: statm %q: want at least 3 fields", raw)
	}
	for i := range out {
		if out[i], err = strconv.ParseInt(string(fields[i]), 10, 64); err != nil {
			return out, fmt.Errorf("memory: statm: %w", err)
		}
	}
	return out, nil
}

// RSS is the resident size from statm, 0 when it cannot be read.
func RSS() int64 {
	var s Sample
	if s.readStatm() != nil {
		return 0
	}
	return s.RSS
}

// status reads "Key:   n [kB]" lines of /proc/self/status.
func status(keys ...string) (map[string]int64, error) {
	raw, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return nil, fmt.Errorf("memory: status: %w", err)
	}
	out := make(map[string]int64, len(keys))
	for line := range bytes.Lines(raw) {
		key, rest, ok := bytes.Cut(line, []byte(":"))
		if !ok {
			continue
		}
		for _, k := range keys {
			if string(key) != k {
				continue
			}
			f := bytes.Fields(rest)
			if len(f) == 0 {
				continue
			}
			n, err := strconv.ParseInt(string(f[0]), 10, 64)
			if err != nil {
				return nil, fmt.Errorf("memory: status %s: %w", k, err)
			}
			if len(f) > 1 {
				n *= 1024
			}
			out[k] = n
		}
	}
	return out, nil
}

func threads() int {
	m, err := status("Threads")
	if err != nil {
		return 0
	}
	return int(m["Threads"])
}

// ErrNoLimit is answered where nothing bounds the process's memory.
var ErrNoLimit = errors.New("memory: no limit")

// Limit is what the process may use at most: the cgroup's limit or the machine's memory.
func Limit() (int64, error) {
	for _, name := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		raw, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		n, err := strconv.ParseInt(string(bytes.TrimSpace(raw)), 10, 64)
		if err == nil && n < 1<<60 {
			return n, nil
		}
	}
	var si unix.Sysinfo_t
	if err := unix.Sysinfo(&si); err != nil {
		return 0, fmt.Errorf("%w: sysinfo: %w", ErrNoLimit, err)
	}
	return int64(si.Totalram) * int64(si.Unit), nil
}

// usage is what one thread has used: trims are measured by it on a locked thread.
type usage struct {
	cpu        time.Duration
	minor, maj int64
}

func threadUsage() usage {
	var u usage
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts) == nil {
		u.cpu = time.Duration(ts.Nano())
	}
	var ru unix.Rusage
	if unix.Getrusage(unix.RUSAGE_THREAD, &ru) == nil {
		u.minor, u.maj = ru.Minflt, ru.Majflt
	}
	return u
}

func processCPU() time.Duration {
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &ts) != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}
