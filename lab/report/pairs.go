package report

import (
	"maps"
	"slices"
)

// pairs writes a set of flags as sorted KEY=VALUE words.
func pairs(set map[string]string) []string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(set)) {
		out = append(out, k+"="+set[k])
	}
	return out
}
