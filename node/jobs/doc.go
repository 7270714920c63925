// Package jobs is the node's job queue: a fixed number of workers, each locked to one OS thread for life, that run
// jobs by priority of type, oldest first, with a limit of running jobs per type and a limit of waiting transactions.
//
// The thread lock is the point: an allocator such as glibc gives arenas to threads, so which thread runs a bulk job
// (acquire, rotate, build) decides what memory is retained afterwards. Where bulk jobs run is the flag jobs.bulk.
//
// The queue owns its state under one mutex; jobs run outside it. A job gets the context of Run and must end with it.
// Times are time.Duration. Place is the one instrument of the node's waiting places: arrivals, queue wait, lock wait,
// lock hold, work, and what the bound refused.
//
//	q, err := jobs.New(jobs.Default())
//	go q.Run(ctx)
//	ok := q.Add(jobs.Transaction, func(ctx context.Context) { ... }) // false: refused and counted
package jobs
