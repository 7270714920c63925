package lab

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ledgerlab/lab/stats"
)

// FileHistory keeps every A/A pair below the folder of all campaigns.
const FileHistory = "aa-history.ndjson"

// Pair is the A/A evidence of one metric of one campaign.
type Pair struct {
	Time       time.Time `json:"time"`
	Host       string    `json:"host"`
	Experiment string    `json:"experiment"`
	Dir        string    `json:"dir"`
	Placement  string    `json:"placement"`
	Metric     string    `json:"metric"`
	Blocks     int       `json:"blocks"`
	P          Num       `json:"p"`
	SD         Num       `json:"sd"` // of one block's difference
	Smallest   Num       `json:"smallest_p,omitempty"`
}

// History is what a machine's duplicate controls have shown so far.
type History []Pair

// ReadHistory reads the pairs of one machine; a missing or damaged file is an
// empty history.
func ReadHistory(root, host string) History {
	f, err := os.Open(filepath.Join(root, FileHistory))
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	var h History
	for sc := bufio.NewScanner(f); sc.Scan(); {
		var p Pair
		if json.Unmarshal(sc.Bytes(), &p) == nil && p.Host == host {
			h = append(h, p)
		}
	}
	return h
}

// AddHistory appends the pairs of a judged campaign, once a campaign folder.
func AddHistory(root, dir string, v *Verdict, host string) error {
	for _, p := range ReadHistory(root, host) {
		if p.Dir == dir {
			return nil
		}
	}
	f, err := os.OpenFile(filepath.Join(root, FileHistory), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("history: %w", err)
	}
	enc := json.NewEncoder(f)
	for _, g := range v.Gates {
		p := Pair{time.Now().UTC(), host, v.Experiment, dir, v.Placement, g.Metric, v.Blocks, g.P, g.SD, g.Smallest}
		err = errors.Join(err, enc.Encode(p))
	}
	return errors.Join(err, f.Close())
}

// SD is the pooled standard deviation of block differences of a metric.
func (h History) SD(metric, placement string) (sd float64, source string) {
	sum, n := 0.0, 0.0
	for _, p := range h {
		if p.Metric == metric && p.Placement == placement && p.SD.Known() && p.Blocks > 1 {
			w := float64(p.Blocks - 1)
			sum += w * float64(p.SD) * float64(p.SD)
			n += w
		}
	}
	if n < 3 {
		return 0, ""
	}
	return math.Sqrt(sum / n), "history"
}

// FalseAlarms counts pairs that could have been significant and were, and the
// band inside which that number must lie.
func (h History) FalseAlarms() (hits, pairs, low, high int) {
	for _, p := range h {
		smallest := float64(p.Smallest)
		if smallest == 0 {
			smallest = stats.SmallestP(p.Blocks) // stored before it was
		}
		if !p.P.Known() || !(smallest <= 0.05) {
			continue
		}
		pairs++
		if p.P < 0.05 {
			hits++
		}
	}
	low, high = stats.BinomialBand(pairs, 0.05, 0.95)
	return hits, pairs, low, high
}

func meminfo(text, name string) int64 {
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) >= 2 && f[0] == name+":" {
			kb, _ := strconv.ParseInt(f[1], 10, 64)
			return kb << 10
		}
	}
	return 0
}
