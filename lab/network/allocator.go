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

// AllocatorLibrary returns the file to preload for a value of heap.allocator; ""
// for glibc. The error names the package to install.
func AllocatorLibrary(name string) (string, error) {
	return findLibrary(name, libraryDirs)
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
	return "", fmt.Errorf("allocator %s: %s is not in %s; install it with: apt-get install -y %s", name, file, strings.Join(dirs[:2], " or "), pkg)
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
