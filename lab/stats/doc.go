// Package stats is the pure statistics of the lab: designs (Williams squares,
// incomplete blocks), exact tests, intervals by inversion, corrections for many
// comparisons, equivalence, slopes, warm-up cuts, and the verdict words.
//
// It knows no metric, no file and no clock. Randomness comes in as a
// *math/rand/v2.Rand, so every figure can be reproduced from its seed.
//
// Units: d values are natural logarithms of ratios (arm over control); margins
// are given as fractions (0.02 = 2 %) and used as log(1+margin) on both sides.
// Errors: functions on too little data return NaN, and the verdict says how
// much data would be needed.
//
// Two kinds of claim. Where a block yields one difference (placement network)
// the test flips signs; where all arms run side by side on the nodes of one
// network (placement node) the unit is one process in one block, and the test
// deals the labels anew inside blocks (Processes).
//
//	d := []float64{-0.17, -0.15, -0.18, -0.16, -0.17, -0.19}
//	p := stats.SignFlip(d)                    // 0.03125: the smallest six blocks can give
//	ci := stats.ShiftInterval(d, 0.95)        // every shift the test does not reject
//	u, ok := stats.NewProcesses(obs, arm, control, seed)
//	ci = u.Interval(0.95)                     // the same by permutation of labels
package stats
