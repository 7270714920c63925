package lab

import (
	"bufio"
	"os"
	"runtime"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"ledgerlab/node/build"
)

// Env is the machine and the build a campaign ran on, stored as env.json.
type Env struct {
	Time       time.Time         `json:"time"`
	Commit     string            `json:"commit"`
	Dirty      bool              `json:"dirty"`
	Go         string            `json:"go"`
	OS         string            `json:"os"`
	Arch       string            `json:"arch"`
	Kernel     string            `json:"kernel"`
	Libc       string            `json:"libc"`
	CPU        string            `json:"cpu"`
	CPUs       int               `json:"cpus"`
	Memory     int64             `json:"memory_bytes"`
	Governor   string            `json:"governor"`
	THP        string            `json:"transparent_huge_pages"`
	Cgo        bool              `json:"cgo"`
	Race       bool              `json:"race"`
	Vars       map[string]string `json:"environment"` // that move results
	PageBytes  int               `json:"page_bytes"`
	Host       string            `json:"fingerprint"` // of machine kind, for the A/A history
	Allocators []string          `json:"allocators,omitempty"`
}

// NewEnv looks at this process and machine.
func NewEnv() Env {
	b := build.Read()
	e := Env{
		Time: time.Now().UTC(), Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		CPUs: runtime.NumCPU(), PageBytes: os.Getpagesize(), Kernel: kernel(), CPU: cpuModel(), Memory: memTotal(),
		Governor: readLine("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
		THP:      selected(readLine("/sys/kernel/mm/transparent_hugepage/enabled")),
		Vars:     map[string]string{},
		Commit:   b.Commit, Dirty: b.Dirty, Cgo: b.Cgo, Race: b.Race,
		Libc: libc(),
	}
	for _, k := range []string{"GOGC", "GOMEMLIMIT", "GOMAXPROCS", "GODEBUG", "LD_PRELOAD", "MALLOC_ARENA_MAX", "GLIBC_TUNABLES", "MALLOC_TRIM_THRESHOLD_", "MALLOC_TOP_PAD_"} {
		if v, ok := os.LookupEnv(k); ok {
			e.Vars[k] = v
		}
	}
	e.Host = strings.Join([]string{e.Arch, e.CPU, e.Kernel}, " | ")
	return e
}

func kernel() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}

func cpuModel() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }()
	for sc := bufio.NewScanner(f); sc.Scan(); {
		if k, v, ok := strings.Cut(sc.Text(), ":"); ok && strings.TrimSpace(k) == "model name" {
			return strings.TrimSpace(v)
		}
	}
	return ""
}

func memTotal() int64 {
	var s unix.Sysinfo_t
	if unix.Sysinfo(&s) != nil {
		return 0
	}
	return int64(s.Totalram) * int64(s.Unit)
}

func readLine(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(b), "\n")
	return line
}

// selected is the word in brackets of a kernel choice such as "always [madvise] never".
func selected(line string) string {
	_, rest, ok := strings.Cut(line, "[")
	if !ok {
		return line
	}
	word, _, _ := strings.Cut(rest, "]")
	return word
}

// libc names the C library mapped into this process, if any.
func libc() string {
	b, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(b)) {
		f := strings.Fields(line)
		if len(f) < 6 {
			continue
		}
		base := f[5][strings.LastIndexByte(f[5], '/')+1:]
		if strings.HasPrefix(base, "libc.so") || strings.HasPrefix(base, "libc-") || strings.HasPrefix(base, "ld-musl") {
			return base
		}
	}
	return "none (static)"
}
