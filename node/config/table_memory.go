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
