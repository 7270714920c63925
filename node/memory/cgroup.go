package memory

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Cgroup is what the kernel charges to the control group of this process. Page cache is part of it: a group that read
// files looks large although no process in it is.
type Cgroup struct {
	Usage int64 // all that is charged, page cache included
	File  int64 // page cache in it, which the kernel takes back when it wants memory
	Limit int64 // 0: none
}

// ErrNoCgroup is answered where no control group counts the memory of this process.
var ErrNoCgroup = errors.New("memory: no control group counts memory")

// ReadCgroup reads the group of this process, version 2 or 1.
func ReadCgroup() (Cgroup, error) {
	raw, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return Cgroup{}, fmt.Errorf("%w: %w", ErrNoCgroup, err)
	}
	for _, d := range cgroupFolders(string(raw)) {
		if c, ok := d.read(); ok {
			return c, nil
		}
	}
	return Cgroup{}, ErrNoCgroup
}

// cgroupFolder is a folder that may hold the group's files, with their names.
type cgroupFolder struct {
	path, usage, limit, file string // file: the key of the page cache in memory.stat
}

// cgroupFolders lists where the group of a process may be, given its /proc/self/cgroup. Inside a container the path
// shown may be the host's; the group is the root of the mount then.
func cgroupFolders(self string) []cgroupFolder {
	var out []cgroupFolder
	for line := range strings.Lines(self) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) != 3 {
			continue
		}
		v1 := strings.Contains(","+parts[1]+",", ",memory,")
		if !v1 && parts[1] != "" {
			continue
		}
		for _, group := range []string{parts[2], "/"} {
			if v1 {
				out = append(out, cgroupFolder{path.Join("/sys/fs/cgroup/memory", group), "memory.usage_in_bytes", "memory.limit_in_bytes", "cache"})
			} else {
				out = append(out, cgroupFolder{path.Join("/sys/fs/cgroup", group), "memory.current", "memory.max", "file"})
			}
		}
	}
	return out
}

func (d cgroupFolder) read() (c Cgroup, ok bool) {
	if c.Usage, ok = d.number(d.usage); !ok {
		return c, false
	}
	if n, ok := d.number(d.limit); ok && n < 1<<60 { // version 1 writes none as a huge number
		c.Limit = n
	}
	raw, err := os.ReadFile(path.Join(d.path, "memory.stat"))
	if err != nil {
		return c, false
	}
	for line := range bytes.Lines(raw) {
		if key, value, found := bytes.Cut(bytes.TrimSpace(line), []byte(" ")); found && string(key) == d.file {
			c.File, err = strconv.ParseInt(string(value), 10, 64)
			return c, err == nil
		}
	}
	return c, false
}

func (d cgroupFolder) number(name string) (int64, bool) {
	raw, err := os.ReadFile(path.Join(d.path, name))
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(string(bytes.TrimSpace(raw)), 10, 64)
	return n, err == nil
}

// ErrNoLimit is answered where nothing bounds the process's memory.
var ErrNoLimit = errors.New("memory: no limit")

// Limit is what the process may use at most: the control group's limit or the machine's memory.
func Limit() (int64, error) {
	var si unix.Sysinfo_t
	if err := unix.Sysinfo(&si); err != nil {
		return 0, fmt.Errorf("%w: sysinfo: %w", ErrNoLimit, err)
	}
	total := int64(si.Totalram) * int64(si.Unit)
	if c, err := ReadCgroup(); err == nil && c.Limit > 0 {
		return min(total, c.Limit), nil
	}
	return total, nil
}
