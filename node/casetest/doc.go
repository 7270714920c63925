// Package casetest helps tests that read real cases from the folder of
// LEDGERLAB_CASES: it tells how many cases of a file were checked, so that a run
// that checked nothing is seen. It is imported by tests only and owns no state.
//
// Example:
//
//	casetest.Checked("keypairs/api.json", 24, "seeds and signatures")
package casetest
