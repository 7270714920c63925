package node

import "ledgerlab/node/memory"

// heapForTests is C memory where the build has it.
func heapForTests() string {
	if memory.Detect().Allocator == memory.NoCgo {
		return "go"
	}
	return "c"
}
