package lab

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"ledgerlab/node/config"
)

var nameRule = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// Validate returns every fault, joined, each a *config.FieldError.
func (e *Experiment) Validate() error {
	var faults []error
	bad := func(path, format string, args ...any) {
		faults = append(faults, &config.FieldError{Path: path, Msg: fmt.Sprintf(format, args...)})
	}
	if e.APIVersion != APIVersion {
		bad("apiVersion", "%q is not known; this lab reads %s", e.APIVersion, APIVersion)
	}
	if e.Kind != "Experiment" {
		bad("kind", "%q is not Experiment", e.Kind)
	}
	if !nameRule.MatchString(e.Metadata.Name) {
		bad("metadata.name", "%q is not a name; use lower case letters, digits and single dashes", e.Metadata.Name)
	}
	oneOf(bad, "placement", e.Placement, PlacementNode, PlacementNetwork)
	e.validateNetwork(bad)
	e.validateArms(bad)
	e.validateDesign(bad)
	e.validateJudge(bad)
	for path, p := range map[string]Percent{
		"guards.foreign_cpu": e.Guards.ForeignCPU, "guards.foreign_share": e.Guards.ForeignShare,
		"guards.steal": e.Guards.Steal, "guards.generator_miss": e.Guards.GeneratorMiss, "guards.residual": e.Guards.Residual,
	} {
		checkPercent(bad, path, p)
	}
	slices.SortStableFunc(faults, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(faults...)
}

func oneOf(bad func(string, string, ...any), path, got string, allowed ...string) {
	if !slices.Contains(allowed, got) {
		bad(path, "%q is not allowed; allowed: %s%s", got, strings.Join(allowed, ", "), didYouMean(got, allowed))
	}
}

func checkPercent(bad func(string, string, ...any), path string, p Percent) {
	r, err := config.ParseRatio(string(p))
	if err != nil || r <= 0 || r > 10 {
		bad(path, "%q is not a share above 0; write it as in 2%%", string(p))
	}
}

func (e *Experiment) validateNetwork(bad func(string, string, ...any)) {
	n := e.Network
	if n.Nodes < 2 || n.Nodes > 16 {
		bad("network.nodes", "%d nodes; from 2 to 16", n.Nodes)
	}
	if n.Accounts < e.Load.Accounts || n.Accounts > 20_000_000 {
		bad("network.accounts", "%d accounts; from load.accounts (%d) to 20,000,000", n.Accounts, e.Load.Accounts)
	}
	for _, k := range sortedKeys(n.Set) {
		if err := config.CheckFlag(k, n.Set[k]); err != nil {
			bad("network.set."+k, "%v", err)
		}
	}
	l := e.Load
	if !(l.Rate >= 0 && l.Rate <= 100_000) {
		bad("load.rate", "%v a second; from 0 to 100,000", l.Rate)
	}
	if l.Accounts < 2 {
		bad("load.accounts", "%d accounts; at least 2", l.Accounts)
	}
	if !(l.Reads >= 0 && l.Reads <= 100_000) {
		bad("load.reads", "%v a second; from 0 to 100,000", l.Reads)
	}
	if !(l.Pages >= 0 && l.Pages <= 10_000) {
		bad("load.pages", "%v a second; from 0 to 10,000", l.Pages)
	}
	if l.Held < 0 || l.Held > 256 {
		bad("load.held", "%d ledgers; from 0 to 256", l.Held)
	}
}

func (e *Experiment) validateArms(bad func(string, string, ...any)) {
	if len(e.Arms) < 2 {
		bad("arms", "%d arms; a comparison needs at least 2, and the first is the control", len(e.Arms))
	}
	seen := map[string]bool{}
	for i, a := range e.Arms {
		path := fmt.Sprintf("arms[%d]", i)
		if !nameRule.MatchString(a.Name) {
			bad(path+".name", "%q is not a name; use lower case letters, digits and single dashes", a.Name)
		}
		if seen[a.Name] {
			bad(path+".name", "%q is given to two arms", a.Name)
		}
		seen[a.Name] = true
		if a.CopyOf != "" && (i == Control || !slices.Contains(e.armNames()[:i], a.CopyOf)) {
			bad(path+".copyOf", "%q is not an arm above this one%s", a.CopyOf, didYouMean(a.CopyOf, e.armNames()[:i]))
		}
		for _, k := range sortedKeys(a.Set) {
			if err := config.CheckFlag(k, a.Set[k]); err != nil {
				bad(path+".set."+k, "%v", err)
			}
		}
	}
}

func (e *Experiment) armNames() []string {
	out := make([]string, len(e.Arms))
	for i, a := range e.Arms {
		out[i] = a.Name
	}
	return out
}

func (e *Experiment) validateDesign(bad func(string, string, ...any)) {
	d := e.Design
	if d.Blocks < 1 || d.Blocks > 1000 {
		bad("design.blocks", "%d blocks; from 1 to 1,000", d.Blocks)
	}
	oneOf(bad, "design.order", d.Order, "williams", "fixed")
	oneOf(bad, "design.warmup.test", d.Warmup.Test, "mser5", "none")
	for path, s := range map[string]Span{"design.warmup": d.Warmup, "design.window": d.Window} {
		if s.Max <= 0 || s.Max > 24*time.Hour {
			bad(path+".max", "%v; above 0s and at most 24h", s.Max)
		}
		if s.Min < 0 || s.Min > s.Max {
			bad(path+".min", "%v; from 0s to %s.max (%v)", s.Min, path, s.Max)
		}
		if s.Sweeps < 0 || s.Rotations < 0 {
			bad(path, "sweeps and rotations cannot be negative")
		}
	}
	if d.Repeats < -1 || d.Repeats > 100 {
		bad("design.repeats", "%d; from -1 (none) to 100", d.Repeats)
	}
}

func (e *Experiment) validateJudge(bad func(string, string, ...any)) {
	j := e.Judge
	if len(j.Primary) < 1 || len(j.Primary) > 3 {
		bad("judge.primary", "%d metrics; from 1 to 3", len(j.Primary))
	}
	if len(j.Secondary) > 20 {
		bad("judge.secondary", "%d metrics; at most 20", len(j.Secondary))
	}
	if !(j.Level > 0 && j.Level < 0.5) {
		bad("judge.level", "%v; above 0 and below 0.5", j.Level)
	}
	seen := map[string]bool{}
	check := func(path string, list []MetricSpec) {
		for i, m := range list {
			p := fmt.Sprintf("%s[%d]", path, i)
			def, ok := MetricByName(m.Metric)
			if !ok {
				bad(p+".metric", "unknown metric %q%s; `ledgerlab list metrics` shows them", m.Metric, didYouMean(m.Metric, metricNames()))
				continue
			}
			if seen[m.Metric] {
				bad(p+".metric", "%q is listed twice", m.Metric)
			}
			seen[m.Metric] = true
			if m.Better != "" {
				oneOf(bad, p+".better", m.Better, "lower", "higher")
			}
			if m.Margin != "" {
				checkPercent(bad, p+".margin", m.Margin)
			}
			if path == "judge.primary" && !def.Fits(e.Placement) {
				bad(p+".metric", "%q cannot be judged with placement %s; it needs %s", m.Metric, e.Placement, def.Placement)
			}
		}
	}
	check("judge.primary", j.Primary)
	check("judge.secondary", j.Secondary)
}

// stagger sets store.rotate_offset so that node n rotates n/nodes of an
// interval later than node 0, and all of them within their first interval.
func stagger(set map[string]string, n, nodes int) {
	every, err := strconv.Atoi(set["store.online_delete"])
	if err != nil || every <= 0 || nodes < 1 {
		return
	}
	set["store.rotate_offset"] = strconv.Itoa(int(math.Round(float64(n+1) * float64(every) / float64(nodes))))
}

// SweepInterval is the control's pause between sweeps.
func (e *Experiment) SweepInterval() time.Duration {
	if v, ok := e.FlagsOf(Control, 0)["cache.sweep_interval"]; ok {
		if d, err := config.ParseDuration(v); err == nil {
			return d
		}
	}
	f, err := config.Lookup("cache.sweep_interval")
	if err != nil {
		return 30 * time.Second
	}
	d, _ := config.ParseDuration(f.Default)
	return d
}
