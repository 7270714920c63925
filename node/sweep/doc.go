// Package sweep runs the node's sweep as Application::doSweep does: caches in a fixed order, references dropped
// outside their locks, then the payload epochs reclaimed and the memory freed in batches, then one hook (the trimmer
// or nothing), then the record, and only then the timer is armed again. So sweeps cannot overlap and need no limiter,
// and the real period is the interval plus the sweep.
//
// What it does not do: it owns no cache and trims nothing itself. The Sweeper's goroutine is the only one that sweeps;
// a manual request is served by it as soon as it is idle.
//
// Units: durations; bytes where the name says so. It returns no errors.
package sweep
