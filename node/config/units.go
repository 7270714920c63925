package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

var byteUnits = []struct {
	suffix string
	factor int64
}{
	{"KiB", 1 << 10},
	{"MiB", 1 << 20},
	{"GiB", 1 << 30},
	{"TiB", 1 << 40},
	{"KB", 1e3},
	{"kB", 1e3},
	{"MB", 1e6},
	{"GB", 1e9},
	{"B", 1},
}

// ParseBytes reads a size such as "0", "4096", "256KiB" or "1.5GB".
func ParseBytes(s string) (int64, error) {
	num, factor := strings.TrimSpace(s), int64(1)
	for _, u := range byteUnits {
		if rest, ok := strings.CutSuffix(num, u.suffix); ok {
			num, factor = strings.TrimSpace(rest), u.factor
			break
		}
	}
	if n, err := strconv.ParseInt(num, 10, 64); err == nil {
		if n < 0 || n > math.MaxInt64/factor {
			return 0, fmt.Errorf("%q is not a size between 0 and 8 EiB", s)
		}
		return n * factor, nil
	}
	f, err := strconv.ParseFloat(num, 64)
	if err != nil || f < 0 || math.IsNaN(f) || f*float64(factor) >= math.MaxInt64 {
		return 0, fmt.Errorf("%q is not a size; write bytes as in 4096, 256KiB or 1.5GB", s)
	}
	return int64(f * float64(factor)), nil
}

// FormatBytes writes n with the largest binary unit that divides it, so that
// ParseBytes gives n back.
func FormatBytes(n int64) string {
	for i := 3; i >= 0; i-- {
		if u := byteUnits[i]; n != 0 && n%u.factor == 0 {
			return strconv.FormatInt(n/u.factor, 10) + u.suffix
		}
	}
	return strconv.FormatInt(n, 10)
}

// ParseRatio reads a share such as "20%" or "0.2"; both give 0.2.
func ParseRatio(s string) (float64, error) {
	num, factor := strings.TrimSpace(s), 1.0
	if rest, ok := strings.CutSuffix(num, "%"); ok {
		num, factor = strings.TrimSpace(rest), 100
	}
	f, err := strconv.ParseFloat(num, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, fmt.Errorf("%q is not a share; write 20%% or 0.2", s)
	}
	return f / factor, nil
}

// FormatRatio writes f as a percentage.
func FormatRatio(f float64) string {
	return strconv.FormatFloat(math.Round(f*100*1e9)/1e9, 'f', -1, 64) + "%"
}

// ParseDuration reads a duration with a unit; "0" needs none.
func ParseDuration(s string) (time.Duration, error) {
	d, err := time.ParseDuration(strings.TrimSpace(s))
	if err != nil {
		return 0, fmt.Errorf("%q is not a duration; write a unit as in 100ms, 3s or 5m", s)
	}
	return d, nil
}

// FormatDuration writes d so that ParseDuration gives d back, without the zero
// parts that time.Duration prints.
func FormatDuration(d time.Duration) string {
	if d == 0 {
		return "0s"
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
