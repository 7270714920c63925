// Package sim runs many consensus cores in virtual time.
//
// It is a discrete-event simulator: one goroutine, one ordered queue of events,
// one seeded random source. The same options give the same run, event by event;
// Result.Digest proves it. Links delay and lose messages, partitions cut them,
// nodes may be slow, have clocks that differ, stop and come back, or lie.
//
// Ledgers are hashes over their parent, set and close time; transactions are
// numbers. Nothing is signed, built or stored: what is simulated is agreement.
//
// State is owned by the Sim; nothing is safe for concurrent use. Times are
// time.Duration since the start of the run.
//
// Errors: New returns faults of the options. What goes wrong in a run is in
// Result (Forks, Stuck), not an error.
//
// Example:
//
//	s, err := sim.New(sim.Default())
//	res := s.Run()
//	fmt.Println(res.Validated, res.Forks)
package sim
