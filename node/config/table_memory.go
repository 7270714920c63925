package config

import "time"

// memoryFlags are the instruments of node/memory.
func memoryFlags() []Flag {
	const comp = "node/memory"
	return []Flag{
		{
			Name: "memory.sheet", Kind: KindEnum, Allowed: []string{"off", "sweep"}, Default: "sweep", Component: comp, Hot: true, Source: "DESIGN 3",
			Doc: "Whether sweeps measure the full balance sheet, after the last cache and again where the trim has been or would have been.",
		},
		{
			Name: "memory.sheet_interval", Kind: KindDuration, Max: float64(time.Hour), Default: "30s", Component: comp, Hot: true, Source: "DESIGN 3",
			Doc: "Least time between two sweeps that measure it, which bounds its cost whatever the interval of sweeps; 0 measures at each.",
		},
	}
}

// plantFlags are known causes, for testing what finds causes.
func plantFlags() []Flag {
	const src = "trials M07, M15"
	return []Flag{
		{
			Name: "plant.leak", Kind: KindEnum, Allowed: []string{"none", "go", "c", "mmap", "index"}, Default: "none", Component: "node/memory", Hot: true, Source: src,
			Doc: "A leak on purpose: Go objects, C memory, a mapped file, or a Go map that only grows, past all accounts of the node.",
		},
		{
			Name: "plant.rate", Kind: KindBytes, Max: gib, Default: "1MiB", Component: "node/memory", Hot: true, Source: src,
			Doc: "Bytes that plant.leak grows in a minute.",
		},
	}
}
