package memory

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// VMA is one mapping of the process as /proc/self/smaps shows it. Sizes are bytes.
type VMA struct {
	Start, End uint64
	Perms      string // rwxp or rwxs
	Name       string // "" for anonymous memory
	Rss        int64
	Anonymous  int64
	LazyFree   int64 // given back lazily: counted in Rss until the kernel wants it
	Swap       int64
	Shared     int64
	Huge       int64 // in transparent huge pages
}

// Size is the length of the mapping.
func (v *VMA) Size() int64 { return int64(v.End - v.Start) }

// Writable says that the mapping may be written.
func (v *VMA) Writable() bool { return len(v.Perms) > 1 && v.Perms[1] == 'w' }

const (
	vmasMax    = 1 << 20 // the kernel's own limit is 65,530 unless raised
	lineMax    = 1 << 16
	pageSizeKB = 1024
)

// ErrSmaps is a text that is not smaps.
var ErrSmaps = errors.New("memory: malformed smaps")

// ParseSmaps reads the text of /proc/<pid>/smaps. Keys it does not know are passed over.
func ParseSmaps(r io.Reader) ([]VMA, error) {
	var out []VMA
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 0, 4096), lineMax)
	for n := 1; sc.Scan(); n++ {
		line := sc.Text()
		key, rest, _ := strings.Cut(line, " ")
		if !strings.HasSuffix(key, ":") {
			v, err := parseHeader(line)
			if err != nil {
				return nil, fmt.Errorf("%w: line %d: %w", ErrSmaps, n, err)
			}
			if len(out) == vmasMax {
				return nil, fmt.Errorf("%w: line %d: more than %d mappings", ErrSmaps, n, vmasMax)
			}
			out = append(out, v)
			continue
		}
		if len(out) == 0 {
			return nil, fmt.Errorf("%w: line %d: %q before the first mapping", ErrSmaps, n, key)
		}
		if err := out[len(out)-1].set(key, rest); err != nil {
			return nil, fmt.Errorf("%w: line %d: %w", ErrSmaps, n, err)
		}
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSmaps, err)
	}
	return out, nil
}

// parseHeader reads "start-end perms offset dev inode [name]".
func parseHeader(line string) (VMA, error) {
	var v VMA
	span, rest, ok := strings.Cut(line, " ")
	from, to, dash := strings.Cut(span, "-")
	if !ok || !dash {
		return v, fmt.Errorf("want a mapping, have %q", clip(line))
	}
	var err error
	if v.Start, err = strconv.ParseUint(from, 16, 64); err != nil {
		return v, fmt.Errorf("start of %q", clip(line))
	}
	if v.End, err = strconv.ParseUint(to, 16, 64); err != nil || v.End <= v.Start || v.End-v.Start > 1<<62 {
		return v, fmt.Errorf("end of %q", clip(line))
	}
	v.Perms, rest, _ = strings.Cut(rest, " ")
	if len(v.Perms) != 4 {
		return v, fmt.Errorf("permissions of %q", clip(line))
	}
	for range 3 { // offset, device, inode
		_, rest, _ = strings.Cut(rest, " ")
	}
	v.Name = strings.TrimSpace(rest)
	return v, nil
}

func clip(s string) string { return s[:min(len(s), 80)] }

// set stores one "Key: n kB" line.
func (v *VMA) set(key, rest string) error {
	var to *int64
	add := false
	switch key {
	case "Rss:":
		to = &v.Rss
	case "Anonymous:":
		to = &v.Anonymous
	case "LazyFree:":
		to = &v.LazyFree
	case "Swap:":
		to = &v.Swap
	case "AnonHugePages:":
		to = &v.Huge
	case "Shared_Clean:", "Shared_Dirty:":
		to, add = &v.Shared, true
	default:
		return nil
	}
	text := strings.TrimSuffix(strings.TrimSpace(rest), " kB")
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 || n > 1<<50 {
		return fmt.Errorf("%s %q is not a size", key, clip(rest))
	}
	if add {
		*to += n * pageSizeKB
		return nil
	}
	*to = n * pageSizeKB
	return nil
}

// ReadSmaps reads the mappings of this process.
func ReadSmaps() ([]VMA, error) {
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		return nil, fmt.Errorf("memory: smaps: %w", err)
	}
	vmas, err := ParseSmaps(f)
	return vmas, errors.Join(err, f.Close())
}
