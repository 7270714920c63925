package consensus

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func contains(s, sub string) bool { return strings.Contains(s, sub) }

const sec = time.Second

func TestNextResolution(t *testing.T) {
	for _, tc := range []struct {
		res   time.Duration
		agree bool
		seq   uint32
		want  time.Duration
	}{
		{30 * sec, true, 7, 30 * sec},
		{30 * sec, true, 8, 20 * sec},
		{20 * sec, true, 16, 10 * sec},
		{10 * sec, true, 24, 10 * sec},
		{10 * sec, false, 3, 20 * sec},
		{30 * sec, false, 8, 60 * sec}, // disagreement goes first
		{90 * sec, false, 9, 120 * sec},
		{120 * sec, false, 10, 120 * sec},
		{7 * sec, false, 10, 7 * sec}, // none of the bins
	} {
		if got := NextResolution(tc.res, tc.agree, tc.seq); got != tc.want {
			t.Errorf("%s, agree %v, seq %d: %s, want %s", tc.res, tc.agree, tc.seq, got, tc.want)
		}
	}
}

func TestRoundCloseTime(t *testing.T) {
	for _, tc := range []struct {
		t, want NetTime
		r       time.Duration
	}{
		{0, 0, 30 * sec},
		{1, 0, 30 * sec},
		{14, 0, 30 * sec},
		{15, 30, 30 * sec},
		{29, 30, 30 * sec},
		{30, 30, 30 * sec},
		{44, 30, 30 * sec},
		{45, 60, 30 * sec},
		{100, 100, 10 * sec},
		{104, 100, 10 * sec},
		{105, 110, 10 * sec},
	} {
		if got := RoundCloseTime(tc.t, tc.r); got != tc.want {
			t.Errorf("%d at %s: %d, want %d", tc.t, tc.r, got, tc.want)
		}
	}
}

func TestEffCloseTime(t *testing.T) {
	for _, tc := range []struct {
		t, prior, want NetTime
		r              time.Duration
	}{
		{0, 100, 0, 30 * sec}, {16, 0, 30, 30 * sec}, {16, 30, 31, 30 * sec}, {16, 60, 61, 30 * sec}, {61, 31, 60, 30 * sec},
	} {
		if got := EffCloseTime(tc.t, tc.r, tc.prior); got != tc.want {
			t.Errorf("%d at %s after %d: %d, want %d", tc.t, tc.r, tc.prior, got, tc.want)
		}
	}
}

// TestCloseTimeProperties: rounding is idempotent, off by at most half a bin, and
// the nearest multiple a search finds.
func TestCloseTimeProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := resolutions[rapid.IntRange(0, len(resolutions)-1).Draw(t, "resolution")]
		v := NetTime(rapid.Uint32Range(1, 1<<31).Draw(t, "time"))
		got := RoundCloseTime(v, r)
		best, dist := NetTime(0), time.Duration(1<<62)
		for m := v - min(v, 240); m <= v+240; m++ {
			d := v.Sub(m).Abs()
			if m.Sub(0)%r == 0 && d <= dist { // a half goes up: the later one
				best, dist = m, d
			}
		}
		if got != best {
			t.Fatalf("%d at %s: %d, the nearest is %d", v, r, got, best)
		}
		if got != 0 && RoundCloseTime(got, r) != got {
			t.Fatalf("%d at %s: rounding again gives %d", v, r, RoundCloseTime(got, r))
		}
		prior := NetTime(rapid.Uint32Range(0, 1<<31).Draw(t, "prior"))
		if e := EffCloseTime(v, r, prior); e <= prior || e < got {
			t.Fatalf("effective %d after %d", e, prior)
		}
	})
}

func TestNetTime(t *testing.T) {
	at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	n := NetTimeOf(at)
	if !n.Time().Equal(at) || n.Add(-time.Minute).Sub(n) != -time.Minute || NetTimeOf(time.Unix(0, 0)) != 0 || NetTime(5).Add(-time.Hour) != 0 {
		t.Errorf("%d is %s", n, n.Time())
	}
}
