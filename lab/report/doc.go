// Package report turns a judged results folder into things people and machines
// read: report.html (self-contained, inline SVG), report.md, bench.txt (Go
// benchmark format), junit.xml and figures/*.svg.
//
// It computes nothing that is not already in verdict.json or the stored
// series, and it never contacts a node. Owner of state: none; every function
// reads the folder and writes files beside it.
//
//	err := report.Write(dir)
package report
