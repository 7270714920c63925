package txq

import (
	"math"
	"math/bits"
	"slices"

	"ledgerlab/node/ledger"
	"ledgerlab/node/protocol"
	"ledgerlab/node/tx"
)

// Level is a fee relative to the transaction's base fee, times 256.
type Level uint64

const levelMax = Level(math.MaxUint64)

// mulDiv is a*b/c in 128 bits; an overflow saturates and is reported.
func mulDiv(a, b, c uint64) (v uint64, ok bool) {
	hi, lo := bits.Mul64(a, b)
	if c == 0 || hi >= c {
		return math.MaxUint64, false
	}
	v, _ = bits.Div64(hi, lo, c)
	return v, true
}

// LevelOf is the level of a fee against a base fee. A base fee of zero counts as the reference fee on both sides, so
// that a free transaction has a level of at least 256.
func LevelOf(fee, base, reference protocol.Drops) Level {
	if base <= 0 {
		mod := max(reference, 1)
		fee, base = fee+mod, mod
	}
	if fee <= 0 {
		return 0
	}
	v, _ := mulDiv(uint64(fee), uint64(BaseLevel), uint64(base))
	return Level(v)
}

// Drops is the fee of this level at a base fee, rounded down.
func (l Level) Drops(base protocol.Drops) protocol.Drops {
	v, ok := mulDiv(uint64(l), uint64(base), uint64(BaseLevel))
	if !ok || v > math.MaxInt64 {
		return protocol.Drops(math.MaxInt64)
	}
	return protocol.Drops(v)
}

// increase adds a percentage.
func (l Level) increase(percent int) Level {
	v, _ := mulDiv(uint64(l), uint64(100+percent), 100)
	return Level(v)
}

// levelPaid is the level a transaction pays in a view.
func levelPaid(v ledger.ReadView, t *protocol.Transaction) (Level, error) {
	base, err := tx.BaseFee(v, t)
	if err != nil {
		return 0, err
	}
	return LevelOf(t.Fee(), base, v.Fees().Base), nil
}

// Required is the level that lets a transaction into an open ledger that already holds current transactions.
// rippled: FeeMetrics::scaleFeeLevel.
func (m Metric) Required(current int) Level {
	if current <= m.Expected {
		return BaseLevel
	}
	n, t := uint64(current), uint64(m.Expected)
	v, _ := mulDiv(uint64(m.Multiplier), n*n, t*t)
	return Level(v)
}

// Series is the level that size transactions must pay together to enter an open ledger that already holds current.
// False when the sum overflows: then nothing is let in. rippled: FeeMetrics::escalatedSeriesFeeLevel; the first of the
// series finds current transactions, the last current + size - 1.
func (m Metric) Series(current, size int) (Level, bool) {
	last, ok := sumOfSquares(uint64(current + size - 1))
	if !ok {
		return levelMax, false
	}
	before, _ := sumOfSquares(uint64(max(current-1, 0)))
	v, ok := mulDiv(uint64(m.Multiplier), last-before, uint64(m.Expected)*uint64(m.Expected))
	return Level(v), ok
}

// sumOfSquares is the sum of n*n for 1..x; from 2^21 on it is taken as an overflow.
func sumOfSquares(x uint64) (uint64, bool) {
	if x >= 1<<21 {
		return math.MaxUint64, false
	}
	return x * (x + 1) * (2*x + 1) / 6, true
}

// Metric is what escalation has learned from closed ledgers.
type Metric struct {
	Expected   int   // transactions in a ledger before fees escalate
	Multiplier Level // median level of the last ledger, at least the minimum
}

// learner updates a Metric. rippled: TxQ::FeeMetrics.
type learner struct {
	o      Options
	metric Metric
	recent []int // grown sizes of the last full ledgers, newest last, at most QueueLedgers
}

func newLearner(o Options) *learner {
	return &learner{o: o, metric: Metric{Expected: o.Initial, Multiplier: o.MinMultiplier}}
}

// learn takes the levels of all transactions of a closed ledger; slow says that its round took over five seconds.
func (l *learner) learn(levels []Level, slow bool) {
	slices.Sort(levels)
	size := len(levels)
	switch {
	case slow:
		keep := 100 - l.o.SlowCutPct
		upper := max(l.metric.Expected*keep/100, l.o.Initial)
		l.metric.Expected = min(max(size*keep/100, l.o.Initial), upper)
		l.recent = l.recent[:0]
	case size > l.metric.Expected || (l.o.Target > 0 && size > max(l.o.Target, l.o.Initial)):
		l.grow(size)
	}
	l.metric.Multiplier = l.o.MinMultiplier
	if size > 0 {
		median := (levels[size/2] + levels[(size-1)/2] + 1) / 2
		l.metric.Multiplier = max(median, l.o.MinMultiplier)
	}
}

// grow follows the largest of the recent full ledgers, at once when it is larger, a tenth of the way when smaller.
func (l *learner) grow(size int) {
	if len(l.recent) == l.o.QueueLedgers {
		l.recent = slices.Delete(l.recent, 0, 1)
	}
	grown, _ := mulDiv(uint64(size), 100+l.o.growthPct(), 100)
	l.recent = append(l.recent, int(grown))
	best := slices.Max(l.recent)
	next := best
	if best < l.metric.Expected {
		next = (l.metric.Expected*9 + best) / 10
	}
	if l.o.Max > 0 {
		next = min(next, l.o.Max)
	}
	l.metric.Expected = next
}
