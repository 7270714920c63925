// Package config holds what a node is told before and while it runs: the Config
// tree read from one YAML file, and the flag registry with every mechanism that
// can be switched.
//
// It does not open the files it names, derive keys, or touch the network: node
// keys and addresses are checked for shape only. It does not import the packages
// whose behaviour it switches; they subscribe, or are told by the assembly.
//
// State: a Config is a plain value owned by its holder. A Registry owns the
// current value of each flag and is safe for concurrent use; subscribers are
// called in the goroutine that calls Set, one change at a time, outside the lock
// that readers take.
//
// Units: bytes as in "64MiB", durations as in "100ms", shares as in "20%"; plain
// numbers are counts. The word "default" stands for "leave it to the allocator"
// where a flag allows it.
//
// Errors: Load and Parse return one Fault for each mistake, joined, each naming
// file, line and column, what was found, what is allowed, and the nearest known
// word for a misspelt one.
//
//	cfg, err := config.Load("node.yaml")
//	reg, err := config.NewRegistry(cfg.Flags)
//	cancel := reg.Subscribe("open.batch_interval", func(v config.Value) { batcher.SetInterval(v.Duration()) })
package config
