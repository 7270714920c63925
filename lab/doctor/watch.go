package doctor

// Series is one figure over time. T are seconds since the watch began, ascending.
type Series struct {
	T, Y []float64
}

// Add appends a reading.
func (s *Series) Add(t, y float64) { s.T, s.Y = append(s.T, t), append(s.Y, y) }

// Len is the number of readings.
func (s Series) Len() int { return len(s.T) }

// Last is the newest value, 0 when there is none.
func (s Series) Last() float64 {
	if len(s.Y) == 0 {
		return 0
	}
	return s.Y[len(s.Y)-1]
}

// Span is the time between the first and the last reading.
func (s Series) Span() float64 {
	if len(s.T) < 2 {
		return 0
	}
	return s.T[len(s.T)-1] - s.T[0]
}

// Watch is everything that was seen of one process. What was not measured is
// empty; Diagnose says what it could not know.
type Watch struct {
	// Who is the name of the node or process, for the sentence.
	Who string
	// RSS is the resident size, the process's own figure.
	RSS Series
	// Lines are the lines of the balance sheet by name; each has its own times.
	Lines map[string]Series
	// CHeap and GoHeap are all that is resident of each allocator, free memory it
	// keeps included. Free memory moves against live memory all the time; their sum
	// is what shows whether an allocator keeps more and more.
	CHeap, GoHeap Series
	// Anon, File, Shmem are the kernel's three parts of the resident size. They are
	// all there is of a process that is no node.
	// Anon is without LazyFree where that is known.
	Anon, File, Shmem, LazyFree Series
	// PageCache is what the control group is charged for files, beside the process.
	PageCache Series
	// Caches are the containers of the node that count their entries.
	Caches []Cache
	// Sweeps, Rotations and Collections are the times of each.
	Sweeps, Rotations, Collections []float64
	// Trim is the probing trim at the end; nil when none was made.
	Trim *Trim
	// Before and After are profiles of the Go heap at both ends; nil when not read.
	Before, After Profile
	// Restarted says that the process was another one at the end.
	Restarted bool
	// Allocator owns malloc in the process; "" when not known.
	Allocator string
}

// Cache is one container.
type Cache struct {
	Name string
	// Entries counts all that it tracks, Strong those that it holds itself.
	Entries, Strong Series
	// Target is the number of entries, or of bytes when InBytes, that it is meant to
	// hold at most; 0 means that it has none.
	Target  float64
	InBytes bool
	// AgeSeconds is how long it keeps an entry; 0 means for good.
	AgeSeconds float64
	// Feeds are lines of the sheet that its entries lie in.
	Feeds []string
	// EntryBytes estimates the memory of one entry, all lines together.
	EntryBytes float64
}

// entrySize is what one unit of Entries is in bytes.
func (c *Cache) entrySize() float64 {
	if c.InBytes {
		return 1
	}
	return c.EntryBytes
}

// bounded says that something makes the container stop growing by itself.
func (c *Cache) bounded() bool { return c.Target > 0 || c.AgeSeconds > 0 }

// Trim is the probing trim.
type Trim struct {
	Before, After float64 // RSS
	Supported     bool
	Why           string // why it was not made
}

// Returned is what came back, never negative.
func (t *Trim) Returned() float64 {
	if t == nil || !t.Supported {
		return 0
	}
	return max(0, t.Before-t.After)
}
