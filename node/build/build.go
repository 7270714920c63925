package build

import (
	"os"
	"runtime/debug"
	"strings"
)

// Var is the environment variable that names the commit, with "-dirty" behind it
// when files differed; it goes before what is stamped.
const Var = "LEDGERLAB_COMMIT"

// Info is one build.
type Info struct {
	Commit string // "" when nobody knows
	Dirty  bool   // files differed from the commit
	Cgo    bool
	Race   bool
}

// Read returns the build of this program.
func Read() Info {
	var b Info
	if info, ok := debug.ReadBuildInfo(); ok {
		b = of(info.Settings)
	}
	if c := os.Getenv(Var); c != "" {
		b.Commit, b.Dirty = strings.CutSuffix(c, "-dirty")
	}
	return b
}

func of(settings []debug.BuildSetting) Info {
	var b Info
	for _, s := range settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.modified":
			b.Dirty = s.Value == "true"
		case "CGO_ENABLED":
			b.Cgo = s.Value == "1"
		case "-race":
			b.Race = s.Value == "true"
		}
	}
	return b
}
