//go:build !linux

package payload

// threadID is always 0: traces are made on Linux.
func threadID() uint32 { return 0 }
