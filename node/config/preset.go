package config

import "maps"

// nodeSizes are the values that each node.size gives to flags that nobody set.
// Config.cpp, sized items: treeCacheSize, treeCacheAge, sweepInterval; ledgerSize
// and ledgerAge together, at a ledger every four seconds: the age decides.
var nodeSizes = map[string]map[string]string{
	"tiny":   {"cache.tree.size": "262144", "cache.tree.age": "30s", "cache.sweep_interval": "10s", "ledger.held": "8"},
	"small":  {"cache.tree.size": "524288", "cache.tree.age": "1m", "cache.sweep_interval": "30s", "ledger.held": "16"},
	"medium": {"cache.tree.size": "2097152", "cache.tree.age": "1m30s", "cache.sweep_interval": "1m", "ledger.held": "45"},
	"large":  {"cache.tree.size": "4194304", "cache.tree.age": "2m", "cache.sweep_interval": "1m30s", "ledger.held": "75"},
	"huge":   {"cache.tree.size": "8388608", "cache.tree.age": "15m", "cache.sweep_interval": "2m", "ledger.held": "150"},
}

// withPreset adds to initial what its node.size says of the flags that it does
// not set itself.
func withPreset(initial map[string]string) map[string]string {
	preset, ok := nodeSizes[initial["node.size"]]
	if !ok {
		return initial
	}
	out := maps.Clone(preset)
	maps.Copy(out, initial)
	return out
}
