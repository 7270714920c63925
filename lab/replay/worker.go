package replay

import (
	"runtime"
	"sync"
	"unsafe"

	"ledgerlab/shamap/payload"
)

// threadsMax is the number of locked threads; further recorded ones share.
const threadsMax = 256

// op is one chunk to be made or given back.
type op struct {
	slot int
	size uint32
	tag  uint8
	free bool
}

// crew carries out ops on locked threads, one at a time. Only its owner calls it.
type crew struct {
	heap    *payload.Heap
	slots   []unsafe.Pointer
	workers map[uint32]*worker
	list    []*worker
	shared  int
	wg      sync.WaitGroup
}

// worker is one locked thread.
type worker struct {
	todo chan []op
	done chan struct{}
}

func newCrew(h *payload.Heap) *crew { return &crew{heap: h, workers: map[uint32]*worker{}} }

// of is the worker of a recorded thread.
func (c *crew) of(thread uint32) *worker {
	if w := c.workers[thread]; w != nil {
		return w
	}
	if len(c.list) >= threadsMax {
		c.shared++
		w := c.list[int(thread)%len(c.list)]
		c.workers[thread] = w
		return w
	}
	w := &worker{todo: make(chan []op), done: make(chan struct{})}
	c.workers[thread], c.list = w, append(c.list, w)
	c.wg.Go(func() {
		runtime.LockOSThread() // never unlocked: the thread and its place in an arena end with it
		for ops := range w.todo {
			c.carryOut(ops)
			w.done <- struct{}{}
		}
	})
	return w
}

// end ends every worker.
func (c *crew) end() {
	for _, w := range c.list {
		close(w.todo)
	}
	c.wg.Wait()
}

// run gives ops to a worker and waits until they are done: order between threads
// is the recorded one.
func (c *crew) run(w *worker, ops []op) {
	w.todo <- ops
	<-w.done
}

// carryOut does ops in order: runs of allocations under one tag, and runs of ends
// of one size, in one call each.
func (c *crew) carryOut(ops []op) {
	var sizes [payload.BatchMax]uint32
	var out [payload.BatchMax]unsafe.Pointer
	for i := 0; i < len(ops); {
		j := i
		first := ops[i]
		for j < len(ops) && j-i < payload.BatchMax && ops[j].free == first.free && ops[j].tag == first.tag &&
			(!first.free || ops[j].size == first.size) {
			j++
		}
		n := j - i
		if first.free {
			for k := range n {
				out[k] = c.slots[ops[i+k].slot]
				c.slots[ops[i+k].slot] = nil
			}
			c.heap.FreeBatch(payload.Tag(first.tag), out[:n], int(first.size))
		} else {
			for k := range n {
				sizes[k] = ops[i+k].size
			}
			c.heap.AllocBatch(payload.Tag(first.tag), sizes[:n], out[:])
			for k := range n {
				c.slots[ops[i+k].slot] = out[k]
				touch(out[k], sizes[k])
			}
		}
		i = j
	}
}

// touch writes a chunk, as whoever asked for it did.
func touch(p unsafe.Pointer, n uint32) {
	b := unsafe.Slice((*byte)(p), n)
	for i := range b {
		b[i] = byte(i)
	}
}
