//go:build race

package memory

import "testing"

// notInRaceBuilds skips a test that measures memory: the race detector keeps
// shadow memory of its own, which no sheet can name.
func notInRaceBuilds(t *testing.T) { t.Skip("memory is not measured in race builds") }
