package replay

import (
	"strings"

	"ledgerlab/node/memory"
)

// cHeap is all that is resident of the C allocator.
func cHeap(s *memory.Sheet) int64 {
	sum := int64(0)
	for _, l := range s.Lines {
		if strings.HasPrefix(l.Name, "c_") {
			sum += l.Bytes
		}
	}
	return sum
}
