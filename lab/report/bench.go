package report

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"math"
	"strings"

	"ledgerlab/lab"
	"ledgerlab/lab/stats"
)

// renderBench writes every unit as one line of the Go benchmark format, so
// that benchstat reads it: benchstat -col /arm bench.txt.
func renderBench(s *lab.Story) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "goos: %s\ngoarch: %s\npkg: ledgerlab/lab/%s\ncpu: %s\ncommit: %s\n", s.Env.OS, s.Env.Arch, s.Exp.Metadata.Name, s.Env.CPU, s.Env.Commit)
	specs, _ := s.Exp.Metrics()
	for _, u := range s.Units {
		var parts []string
		for _, m := range specs {
			v, ok := u.Values[m.Metric]
			if !ok || math.IsNaN(v) || math.IsInf(v, 0) {
				continue
			}
			parts = append(parts, fmt.Sprintf("%g %s", v, benchUnit(m.Metric)))
		}
		if len(parts) > 0 {
			fmt.Fprintf(&b, "Benchmark%s/arm=%s 1 %s\n", camel(s.Exp.Metadata.Name), u.Arm, strings.Join(parts, " "))
		}
	}
	return b.Bytes()
}

// benchUnit is the metric's name as a unit: benchstat groups by it.
func benchUnit(metric string) string { return strings.ReplaceAll(metric, "_", "-") }

func camel(name string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(name, "-") {
		b.WriteString(strings.ToUpper(part[:1]) + part[1:])
	}
	return b.String()
}

type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	Name    string    `xml:"name,attr"`
	Class   string    `xml:"classname,attr"`
	Failure *junitMsg `xml:"failure,omitempty"`
	Skipped *junitMsg `xml:"skipped,omitempty"`
	Out     string    `xml:"system-out"`
}

type junitMsg struct {
	Message string `xml:"message,attr"`
}

// renderJUnit writes one test case a claim; what is inconclusive or void is
// skipped with its reason, never a bare failure.
func renderJUnit(s *lab.Story) ([]byte, error) {
	suite := junitSuite{Name: "ledgerlab." + s.Exp.Metadata.Name}
	for _, r := range s.Verdict.Rows {
		c := junitCase{Name: r.Metric + " of " + r.Arm, Class: suite.Name, Out: lab.Phrase(r)}
		switch {
		case s.Verdict.Word == stats.Void:
			c.Skipped = &junitMsg{"void: " + strings.Join(s.Verdict.Reasons, "; ")}
		case r.Word == stats.Regressed:
			c.Failure = &junitMsg{"regressed: " + lab.Phrase(r)}
			suite.Failures++
		case r.Word == lab.Unjudged, r.Word == stats.Inconclusive, r.Word == stats.Void, r.Word == stats.Drifting:
			c.Skipped = &junitMsg{string(r.Word) + ": " + lab.Phrase(r)}
		}
		if c.Skipped != nil {
			suite.Skipped++
		}
		suite.Tests++
		suite.Cases = append(suite.Cases, c)
	}
	out, err := xml.MarshalIndent(junitSuites{Suites: []junitSuite{suite}}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", FileJUnit, err)
	}
	return append([]byte(xml.Header), append(out, '\n')...), nil
}
