package jobs

import "time"

type job struct {
	fn Func
	at time.Time
}

// fifo is a queue on a slice whose front is given back when half of it is used up.
type fifo struct {
	items []job
	head  int
}

func (f *fifo) len() int { return len(f.items) - f.head }

func (f *fifo) push(j job) { f.items = append(f.items, j) }

func (f *fifo) pop() job {
	j := f.items[f.head]
	f.items[f.head] = job{}
	f.head++
	switch {
	case f.head == len(f.items):
		f.items, f.head = f.items[:0], 0
	case f.head >= 64 && f.head*2 >= len(f.items):
		n := copy(f.items, f.items[f.head:])
		clear(f.items[n:])
		f.items, f.head = f.items[:n], 0
	}
	return j
}
