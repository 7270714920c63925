package lab

import (
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"path/filepath"

	"ledgerlab/lab/stats"
)

// Calibration is what the lab finds on noise.
type Calibration struct {
	OK     bool             `json:"ok"`
	Faults []string         `json:"faults,omitempty"`
	Rows   []CalibrationRow `json:"rows"`
	Alarms int              `json:"history_alarms"`
	Pairs  int              `json:"history_pairs"`
	Low    int              `json:"history_low"`
	High   int              `json:"history_high"`
}

// CalibrationRow is one metric of one campaign.
type CalibrationRow struct {
	Dir      string  `json:"dir"`
	Metric   string  `json:"metric"`
	Blocks   int     `json:"blocks"`
	Rate     float64 `json:"rate"`
	Expected float64 `json:"expected"` // attainable level of that number of blocks
	OK       bool    `json:"ok"`
}

// calibrationTolerance is how far a rate may lie from the attainable level:
// one percentage point beside three standard errors of the draws.
const calibrationTolerance = 0.01

// Calibrate relabels the stored control and its duplicate at random, block by
// block, and judges each relabelling: the whole way from units for the primaries,
// the test alone for the rest (signs of block differences, or labels of
// processes). Then it looks at the history of A/A pairs below root.
func Calibrate(dirs []string, root string, draws int, seed uint64) (*Calibration, error) {
	c := &Calibration{OK: true}
	for i, dir := range dirs {
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		rows, err := calibrateDir(dir, draws, rng)
		if err != nil {
			return nil, err
		}
		c.Rows = append(c.Rows, rows...)
	}
	for _, r := range c.Rows {
		if !r.OK {
			c.Faults = append(c.Faults, fmt.Sprintf("%s in %s rejects %.2f%% of relabellings, expected %.2f%%", r.Metric, r.Dir, 100*r.Rate, 100*r.Expected))
		}
	}
	h := ReadHistory(root, NewEnv().Host)
	c.Alarms, c.Pairs, c.Low, c.High = h.FalseAlarms()
	if c.Pairs >= 20 && c.Alarms > c.High {
		c.Faults = append(c.Faults, fmt.Sprintf("%d of %d duplicate controls were significant; at most %d may be", c.Alarms, c.Pairs, c.High))
	}
	c.OK = len(c.Faults) == 0
	return c, nil
}

func calibrateDir(dir string, draws int, rng *rand.Rand) ([]CalibrationRow, error) {
	folder, exp, err := OpenFolder(dir)
	if err != nil {
		return nil, err
	}
	ev, err := readEvidence(folder, exp)
	if err != nil {
		return nil, err
	}
	dup := exp.Duplicate()
	if dup < 0 {
		return nil, nil
	}
	j := &judge{exp: exp, ev: ev, units: ev.units(ev.choose(false)), v: &Verdict{}}
	var rows []CalibrationRow
	specs, primaries := exp.Metrics()
	for i, s := range specs {
		claim, _, why := j.claim(j.units, s, dup)
		n := len(claim.D)
		if why != "" || n < 2 || !differs(claim.D) {
			continue
		}
		r := CalibrationRow{Dir: dir, Metric: s.Metric, Blocks: n}
		if claim.Units != nil {
			def, _ := MetricByName(s.Metric)
			obs, _ := observations(exp, j.units, def, dup)
			r.Rate, r.Expected = stats.LabellingNull(obs, dup, Control, j.seed(), 0.05, draws, rng)
		} else {
			r.Rate, r.Expected = flip(claim.D, draws, rng), attainable(claim.D)
		}
		if i < primaries {
			r.Rate = j.relabel(s, dup, draws, rng)
		}
		band := calibrationTolerance + 3*math.Sqrt(r.Expected*(1-r.Expected)/float64(draws))
		r.OK = math.Abs(r.Rate-r.Expected) <= band
		rows = append(rows, r)
	}
	return rows, nil
}

// relabel deals the places of the control and its duplicate anew in every
// block, among those places only, and judges the whole way from there: fit or
// block differences, then the test. It returns the share that rejects.
func (j *judge) relabel(s MetricSpec, dup, draws int, rng *rand.Rand) float64 {
	control, other := j.exp.Arms[Control].Name, j.exp.Arms[dup].Name
	var units []Unit
	places := map[int][]int{}
	for _, u := range j.units {
		if u.Arm == control || u.Arm == other {
			places[u.Block] = append(places[u.Block], len(units))
		}
		units = append(units, u)
	}
	blocks := sortedInts(places)
	hits := 0
	for range draws {
		for _, b := range blocks {
			at := places[b]
			rng.Shuffle(len(at), func(x, y int) { units[at[x]].Arm, units[at[y]].Arm = units[at[y]].Arm, units[at[x]].Arm })
		}
		if c, _, why := j.claim(units, s, dup); why == "" && c.P <= 0.05 {
			hits++
		}
	}
	return float64(hits) / float64(draws)
}

// flip draws signs for the block differences alone; enough to check the test.
func flip(d []float64, draws int, rng *rand.Rand) float64 {
	hits := 0
	e := make([]float64, len(d))
	for range draws {
		for i, v := range d {
			e[i] = v
			if rng.Uint64()&1 == 0 {
				e[i] = -v
			}
		}
		if stats.SignFlip(e) <= 0.05 {
			hits++
		}
	}
	return float64(hits) / float64(draws)
}

// attainable is the share of all sign vectors of d that the test would reject:
// what a random relabelling must show.
func attainable(d []float64) float64 {
	n := len(d)
	if n > 12 {
		return 0.05 // so many vectors that the level is reached but for rounding
	}
	e := make([]float64, n)
	hits := 0
	for s := range 1 << n {
		for i, v := range d {
			e[i] = v
			if s>>i&1 == 1 {
				e[i] = -v
			}
		}
		if stats.SignFlip(e) <= 0.05 {
			hits++
		}
	}
	return float64(hits) / float64(int(1)<<n)
}

func differs(d []float64) bool {
	for _, v := range d {
		if v != 0 {
			return true
		}
	}
	return false
}

// FindCampaigns lists the results folders below root.
func FindCampaigns(root string) []string {
	var out []string
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // an unreadable folder holds no campaign for us
		}
		if !d.IsDir() && d.Name() == FileSpec {
			out = append(out, filepath.Dir(path))
			return nil
		}
		return nil
	})
	return out
}
