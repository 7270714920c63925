// Package lab turns a question about a mechanism into an answer with an
// interval: it reads an Experiment, plans it, runs its blocks on real networks
// of nodes, and judges what was stored.
//
//   - Experiment is the specification: arms, load, design, margins.
//   - Plan says what a campaign costs and what it could see, before it starts.
//   - Run executes blocks and stores raw evidence in a results folder. It is
//     the only part that starts processes, through the Driver it is given.
//   - Judge reads a results folder and nothing else, so that a verdict can be
//     given again, with other margins, from what was measured.
//
// What it does not do: it draws no pictures (lab/report), knows no statistics
// of its own (lab/stats), and never looks inside a node but through records,
// status replies and the kernel's view of the process (lab/probe).
//
// Owner of state: one Run owns one results folder; Judge and report only read
// the raw files there. Units: bytes, seconds, and ratios on the log scale
// inside, per cent only in sentences. Errors: *SpecError carries file, line,
// column and a suggestion; everything else is wrapped once with the block.
//
//	exp, err := lab.Load(src, "trim-after-sweep", lab.Overrides{Profile: "quick"})
//	res, err := lab.Run(ctx, exp, lab.RunOptions{Dir: dir, Driver: driver})
//	v, err := lab.Judge(dir, lab.JudgeOptions{})
package lab
