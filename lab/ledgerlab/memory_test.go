package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	recordv1 "ledgerlab/proto/record/v1"

	"ledgerlab/node/record"
)

// TestMemoryCheck writes sheets of which a given number leave 3 % unexplained, on either side of nothing.
func TestMemoryCheck(t *testing.T) {
	for bad, want := range map[int]int{0: exitOK, 1: exitOK, 2: exitFailed, 100: exitFailed} {
		var file []byte
		for i := range 100 {
			rest := int64(-500)
			if i < bad {
				rest = 3000 * int64(1-2*(i%2))
			}
			r := &record.Record{Version: 1, Node: "n0", Id: uint64(i + 1), TimeNs: int64(i) * 1e9, Body: &recordv1.Record_Sheet{Sheet: &record.Sheet{
				RssBytes: 100_000, Lines: map[string]int64{"unexplained": rest}, CpuNs: 2e6, ArenaLongestNs: 1e6,
			}}}
			var err error
			if file, err = record.AppendJSON(file, r); err != nil {
				t.Fatal(err)
			}
		}
		name := filepath.Join(t.TempDir(), "records.jsonl")
		if err := os.WriteFile(name, file, 0o644); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		if code := execute(t.Context(), []string{"memory", "check", name}, &out, &errs); code != want {
			t.Errorf("%d of 100 sheets are bad: exit code %d, want %d\n%s%s", bad, code, want, &out, &errs)
		}
		if share := fmt.Sprintf("%.1f %% of the sheets within", float64(100-bad)); !strings.Contains(out.String(), share) {
			t.Errorf("%d bad: %s", bad, &out)
		}
	}
}

// TestMemoryCheckNeedsSheets: a file without sheets proves nothing.
func TestMemoryCheckNeedsSheets(t *testing.T) {
	name := filepath.Join(t.TempDir(), "records.jsonl")
	if err := os.WriteFile(name, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if code := execute(t.Context(), []string{"memory", "check", name}, &out, &errs); code != exitFailed {
		t.Errorf("exit code %d\n%s%s", code, &out, &errs)
	}
}
