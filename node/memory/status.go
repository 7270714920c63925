package memory

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// statusKeys are the lines of /proc/self/status that are read, in the order of a procStatus.
var statusKeys = [...]string{"VmHWM", "VmSize", "VmPTE", "VmSwap", "RssAnon", "RssFile", "RssShmem", "Threads"}

// procStatus are their values, bytes and counts.
type procStatus [len(statusKeys)]int64

func readStatus() (procStatus, error) {
	raw, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return procStatus{}, fmt.Errorf("memory: status: %w", err)
	}
	return parseStatus(raw)
}

// parseStatus reads "Key:   n [kB]" lines; what is not there stays 0.
func parseStatus(raw []byte) (out procStatus, err error) {
	for line := range bytes.Lines(raw) {
		key, rest, ok := bytes.Cut(line, []byte(":"))
		if !ok {
			continue
		}
		for i, k := range statusKeys {
			if string(key) != k {
				continue
			}
			f := bytes.Fields(rest)
			if len(f) == 0 {
				break
			}
			if out[i], err = strconv.ParseInt(string(f[0]), 10, 64); err != nil {
				return out, fmt.Errorf("memory: status %s: %w", k, err)
			}
			if len(f) > 1 {
				out[i] *= 1024
			}
		}
	}
	return out, nil
}

func (p procStatus) into(s *Sample) {
	s.Peak, s.Virtual, s.PageTables, s.Swap = p[0], p[1], p[2], p[3]
	s.Anon, s.File, s.Shmem, s.Threads = p[4], p[5], p[6], int(p[7])
	s.RSS = s.Anon + s.File + s.Shmem
}
