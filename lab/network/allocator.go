package network

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ledgerlab/node/memory"
)

// libraryDirs are the folders in which Debian and its kin keep shared libraries.
var libraryDirs = []string{
	"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/lib/x86_64-linux-gnu",
	"/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/local/lib", "/usr/lib",
}

// librariesVar names other folders to look in, separated by colons.
const librariesVar = "LEDGERLAB_LIBRARIES"

// AllocatorLibrary returns the file to preload for a value of heap.allocator; ""
// for glibc. The error is a *MissingLibraryError, which names the package to
// install, when there is none.
func AllocatorLibrary(name string) (string, error) {
	dirs := libraryDirs
	if list := filepath.SplitList(os.Getenv(librariesVar)); len(list) > 0 {
		dirs = list
	}
	return findLibrary(name, dirs)
}

func findLibrary(name string, dirs []string) (string, error) {
	a, err := memory.ParseAllocator(name)
	if err != nil {
		return "", err
	}
	if a == memory.Glibc {
		return "", nil
	}
	file, pkg, ok := memory.Library(a)
	if !ok {
		return "", fmt.Errorf("allocator %s has no library to preload", name)
	}
	for _, d := range dirs {
		path := filepath.Join(d, file)
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", &MissingLibraryError{Allocator: name, File: file, Package: pkg, Dirs: dirs}
}

// MissingLibraryError is an allocator whose library is not installed.
type MissingLibraryError struct {
	Allocator, File, Package string
	Dirs                     []string
}

// Error is one line.
func (e *MissingLibraryError) Error() string {
	return fmt.Sprintf("allocator %s: %s is not installed (not in %s); install it with: apt-get install -y %s", e.Allocator, e.File, strings.Join(e.Dirs, ", "), e.Package)
}

// strippedEnv are variables that move memory or speed and are therefore never
// inherited: arms must differ in nothing but their flags.
var strippedEnv = []string{"LD_PRELOAD", "GOGC", "GOMEMLIMIT", "GOMAXPROCS", "GODEBUG", "GOTRACEBACK", "GLIBC_TUNABLES", "MALLOC_", "MIMALLOC_", "TCMALLOC_"}

// environment builds a node's environment from base.
func environment(base []string, spec NodeSpec, extra []string) ([]string, error) {
	var env []string
	for _, kv := range base {
		if !stripped(kv) {
			env = append(env, kv)
		}
	}
	if name := spec.Flags["heap.allocator"]; name != "" {
		lib, err := AllocatorLibrary(name)
		if err != nil {
			return nil, fmt.Errorf("node %s: %w", spec.Name, err)
		}
		if lib != "" {
			env = append(env, "LD_PRELOAD="+lib)
		}
	}
	env = append(env, extra...)
	return append(env, spec.Env...), nil
}

func stripped(kv string) bool {
	key, _, _ := strings.Cut(kv, "=")
	for _, s := range strippedEnv {
		if key == s || strings.HasSuffix(s, "_") && strings.HasPrefix(key, s) {
			return true
		}
	}
	return false
}

// AllocatorEnv is the environment of a process that runs under a value of
// heap.allocator: base without variables that move memory, the library to
// preload, and extra.
func AllocatorEnv(base []string, allocator string, extra ...string) ([]string, error) {
	return environment(base, NodeSpec{Name: "replay", Flags: map[string]string{"heap.allocator": allocator}}, extra)
}
