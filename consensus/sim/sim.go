package sim

import (
	"container/heap"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"math/rand/v2"
	"time"

	"ledgerlab/consensus"
)

// netStart is the network time at which every run begins.
const netStart consensus.NetTime = 800_000_000

// event happens at a virtual time; ties keep the order of scheduling.
type event struct {
	at  time.Duration
	seq uint64
	run func()
}

type queue []event

func (q queue) Len() int { return len(q) }
func (q queue) Less(i, j int) bool {
	if q[i].at != q[j].at {
		return q[i].at < q[j].at
	}
	return q[i].seq < q[j].seq
}
func (q queue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)   { *q = append(*q, x.(event)) }
func (q *queue) Pop() any {
	old := *q
	e := old[len(old)-1]
	*q = old[:len(old)-1]
	return e
}

// Sim is one run.
type Sim struct {
	o      Options
	rng    *rand.Rand
	now    time.Duration
	events queue
	seq    uint64
	world  *world
	nodes  []*node
	txs    uint64
	// validated: by sequence, the first ledger any honest node validated.
	validated map[uint32]*ledger
	trace     hash.Hash
	res       Result
}

// Result is what a run came to.
type Result struct {
	// Validated is the sequence that every honest node validated.
	Validated uint32
	// Forks are sequences at which honest nodes validated different ledgers.
	Forks []string
	// Stuck is set when Limit came before Ledgers.
	Stuck bool
	// Time is the virtual time the run took.
	Time time.Duration
	// Rounds counts accepted rounds over all honest nodes, by how they ended.
	Rounds map[string]int
	// LongestRound is the longest establish phase of an honest node.
	LongestRound time.Duration
	Disputes     int
	StepOuts     int
	Switches     int
	Messages     uint64
	Lost         uint64
	// Digest is the same for the same options and code.
	Digest [32]byte
}

// New checks the options and sets the network up.
func New(o Options) (*Sim, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("sim: options: %w", err)
	}
	s := &Sim{
		o: o, rng: rand.New(rand.NewPCG(o.Seed, 0x1edce1ab)), world: newWorld(netStart),
		validated: map[uint32]*ledger{}, trace: sha256.New(),
	}
	s.res.Rounds = map[string]int{}
	var ids []consensus.NodeID
	for i := range o.Nodes {
		ids = append(ids, nodeID(i))
	}
	for i := range o.Nodes {
		s.nodes = append(s.nodes, newNode(s, i, ids))
	}
	return s, nil
}

func nodeID(i int) (n consensus.NodeID) {
	binary.BigEndian.PutUint32(n[:], uint32(i+1))
	return n
}

// after schedules f.
func (s *Sim) after(d time.Duration, f func()) {
	s.seq++
	heap.Push(&s.events, event{s.now + d, s.seq, f})
}

// Run plays the run to its end.
func (s *Sim) Run() Result {
	for _, n := range s.nodes {
		s.after(time.Duration(s.rng.Int64N(int64(s.o.Parms.Granularity))), n.start)
	}
	for _, st := range s.o.Stops {
		s.after(st.From, s.nodes[st.Node].stop)
		s.after(st.To, s.nodes[st.Node].restart)
	}
	if s.o.TxEvery > 0 {
		s.after(s.o.TxEvery, s.transaction)
	}
	for len(s.events) > 0 && !s.finished() {
		e := heap.Pop(&s.events).(event)
		if e.at > s.o.Limit {
			s.res.Stuck = true
			break
		}
		s.now = e.at
		e.run()
	}
	s.res.Time = s.now
	s.res.Validated = s.lowest()
	s.trace.Sum(s.res.Digest[:0])
	return s.res
}

// lowest is the least validated sequence over the honest nodes.
func (s *Sim) lowest() uint32 {
	low := ^uint32(0)
	for _, n := range s.nodes {
		if !n.liar {
			low = min(low, n.valid.seq)
		}
	}
	return low
}

func (s *Sim) finished() bool { return len(s.res.Forks) > 0 || s.lowest() > s.o.Ledgers }

// transaction makes one and gives it to the nodes, each at its own time.
func (s *Sim) transaction() {
	s.txs++
	var id consensus.Hash
	binary.BigEndian.PutUint64(id[:], s.rng.Uint64())
	binary.BigEndian.PutUint64(id[8:], s.txs)
	for _, n := range s.nodes {
		if s.rng.Float64() >= s.o.TxMiss {
			s.after(s.delay(), func() { n.submit(id) })
		}
	}
	s.after(s.o.TxEvery, s.transaction)
}

func (s *Sim) delay() time.Duration {
	return s.o.DelayMin + time.Duration(s.rng.Int64N(int64(s.o.DelayMax-s.o.DelayMin)+1))
}

// cut tells whether a partition separates two nodes now.
func (s *Sim) cut(a, b int) bool {
	for _, c := range s.o.Cuts {
		if s.now >= c.From && s.now < c.To && (a < c.Below) != (b < c.Below) {
			return true
		}
	}
	return false
}

// send delivers f at the other node unless the link loses it.
func (s *Sim) send(from, to *node, f func()) {
	s.res.Messages++
	lossy := s.o.LossUntil == 0 || s.now < s.o.LossUntil
	if s.cut(from.index, to.index) || lossy && s.rng.Float64() < s.o.Loss {
		s.res.Lost++
		return
	}
	epoch := to.epoch
	s.after(s.delay()+from.slowBy, func() {
		if to.up && to.epoch == epoch {
			f()
		}
	})
}

// note adds to the trace.
func (s *Sim) note(node int, what string, id consensus.Hash) {
	var b [12]byte
	binary.BigEndian.PutUint64(b[:], uint64(s.now))
	binary.BigEndian.PutUint32(b[8:], uint32(node))
	s.trace.Write(b[:])
	s.trace.Write([]byte(what))
	s.trace.Write(id[:])
}

// fullyValidated checks that honest nodes validate one ledger a sequence.
func (s *Sim) fullyValidated(n *node, l *ledger) {
	s.note(n.index, "validated", l.id)
	for a := l; a != nil; a = a.parent {
		first := s.validated[a.seq]
		if first == a {
			return // and so all before it
		}
		if first != nil {
			s.res.Forks = append(s.res.Forks, fmt.Sprintf("seq %d: node %d validated %x, before that %x was", a.seq, n.index, a.id[:4], first.id[:4]))
			return
		}
		s.validated[a.seq] = a
	}
}
