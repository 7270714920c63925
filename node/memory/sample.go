package memory

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// Sample is what the process uses now; it costs one read of /proc and one system call.
type Sample struct {
	At time.Time
	// RSS is resident memory, lazily freed pages included; it is Anon + File + Shmem.
	RSS, Anon, File, Shmem int64
	Peak, Virtual          int64
	PageTables, Swap       int64 // beside RSS
	MinorFlt, MajorFlt     int64 // since the start
	Voluntary, Forced      int64 // switches of all threads since the start
	User, Sys              time.Duration
	Threads                int
}

// CPU is user and system time together.
func (s Sample) CPU() time.Duration { return s.User + s.Sys }

// ReadSample samples this process.
func ReadSample(now time.Time) (Sample, error) {
	s := Sample{At: now}
	st, err := readStatus()
	if err != nil {
		return s, err
	}
	st.into(&s)
	var ru unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &ru); err != nil {
		return s, fmt.Errorf("memory: getrusage: %w", err)
	}
	s.MinorFlt, s.MajorFlt = ru.Minflt, ru.Majflt
	s.Voluntary, s.Forced = ru.Nvcsw, ru.Nivcsw
	s.User, s.Sys = timeval(ru.Utime), timeval(ru.Stime)
	return s, nil
}

func timeval(t unix.Timeval) time.Duration {
	return time.Duration(t.Sec)*time.Second + time.Duration(t.Usec)*time.Microsecond
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

// RSS is the resident size from statm, 0 when it cannot be read; the cheapest figure there is.
func RSS() int64 {
	raw, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	pages, err := parseStatm(raw)
	if err != nil {
		return 0
	}
	return pages[1] * int64(os.Getpagesize())
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
