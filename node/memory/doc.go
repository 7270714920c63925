// Package memory knows the memory of the process as a whole: who owns malloc, how much is resident and of what
// (the balance sheet), and how to give free memory back (the Trimmer).
//
// Samples are cheap and may be read every second. A Sheet costs a walk over the mappings and, on glibc, one over all
// free chunks with the arena locks held; it is meant for once a sweep, before and after the trim, never for a scrape.
//
// The allocator is the owner of the symbol malloc in this process, not whatever library is loaded: glibc's malloc_trim
// resolves under every preloaded allocator and then speaks of an idle heap. A method that does not fit the owner
// answers unsupported and does nothing.
//
// What it does not do: it knows no caches, trees or stores; live bytes by tag are asked through funcs. It starts no
// goroutine. Calls into C are made here (and in shamap/payload) and nowhere else; without cgo everything that needs C
// answers unsupported.
//
// Ownership: a Trimmer serialises its trims, so that they never overlap. Units: bytes, durations, counts of faults.
// Errors: ErrUnsupported, and failures of /proc, wrapped once.
//
//	t, err := memory.New(memory.Default(), memory.Sources{Now: time.Now})
//	info, ran := t.Trigger(memory.AfterSweep)
package memory
