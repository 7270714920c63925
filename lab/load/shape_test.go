package load

import (
	"testing"
	"time"
)

func TestShapes(t *testing.T) {
	steps, err := Steps(Step{2, time.Second}, Step{1, time.Second})
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name string
		s    Shape
		at   time.Duration
		want float64
	}{
		{"constant", Constant(), 3 * time.Second, 3},
		{"ramp in", Ramp(0, 2, 4*time.Second), 2 * time.Second, 1},
		{"ramp after", Ramp(0, 2, 4*time.Second), 6 * time.Second, 8},
		{"step up", Ramp(0, 2, 0), 3 * time.Second, 6},
		{"burst high", Burst(8, time.Second, time.Second), 500 * time.Millisecond, 4},
		{"burst low", Burst(8, time.Second, time.Second), 1500 * time.Millisecond, 8.5},
		{"burst second", Burst(8, time.Second, time.Second), 2500 * time.Millisecond, 13},
		{"steps in", steps, 1500 * time.Millisecond, 2.5},
		{"steps after", steps, 5 * time.Second, 6},
	} {
		if got := tc.s(tc.at); got != tc.want {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
}

// TestSchedule: intended times do not depend on when they are asked for.
func TestSchedule(t *testing.T) {
	times := func(step time.Duration) (out []time.Duration) {
		s := &schedule{rate: 100, shape: Ramp(1, 3, time.Second)}
		for at := step; at <= 2*time.Second; at += step {
			s.due(at, func(d time.Duration) { out = append(out, d) })
		}
		return out
	}
	fine, coarse := times(10*time.Millisecond), times(time.Second)
	if len(fine) != 500 || len(coarse) != 500 {
		t.Fatal(len(fine), len(coarse))
	}
	for i := range fine {
		if d := fine[i] - coarse[i]; d > 3*time.Microsecond || d < -3*time.Microsecond || i > 0 && fine[i] < fine[i-1] {
			t.Fatal(i, fine[i], coarse[i])
		}
	}
}
