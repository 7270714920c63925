//go:build race

package node

// raceEnabled says that memory figures of this process mean nothing.
const raceEnabled = true
