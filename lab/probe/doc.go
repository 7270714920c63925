// Package probe looks at processes from outside, through the kernel, on a
// clock of its own: resident size, CPU, faults, context switches, pressure,
// steal, and the CPU of processes that are not part of the experiment.
//
// It never asks the process itself (which could flatter itself), and its
// period must not divide the sweep interval, or samples and sweeps would
// alias. Owner of state: a Sampler owns its series until Stop returns it.
// Units: bytes, seconds, counts since process start.
//
//	s := probe.New(probe.Options{Period: 370 * time.Millisecond}, pids)
//	go s.Run(ctx)
package probe
