//go:build !race

package memory

import "testing"

// notInRaceBuilds skips nothing in this build.
func notInRaceBuilds(*testing.T) {}
