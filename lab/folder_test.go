package lab

import (
	"errors"
	"os"
	"strings"
	"testing"

	"ledgerlab/node/config"
)

// TestTornRunsAreGoneOnWith: wherever a write was cut, what is appended after it
// is read, and nothing that was read before is lost.
func TestTornRunsAreGoneOnWith(t *testing.T) {
	f := &Folder{Dir: t.TempDir()}
	for b := range 2 {
		if err := f.AppendRun(&RunRecord{Block: b}); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(f.Path(FileRuns))
	if err != nil {
		t.Fatal(err)
	}
	for cut := range len(text) + 1 {
		if err := os.WriteFile(f.Path(FileRuns), text[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		before, err := f.Runs()
		if err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		if err := f.AppendRun(&RunRecord{Block: 7}); err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
		after, err := f.Runs()
		if err != nil || len(after) != len(before)+1 || after[len(after)-1].Block != 7 {
			t.Fatalf("cut at %d: %d runs before, %d after: %v", cut, len(before), len(after), err)
		}
	}
}

// TestDamagedFilesOfAFolderAreFaults: a fault names the file, so that a verb ends
// as with any bad file.
func TestDamagedFilesOfAFolderAreFaults(t *testing.T) {
	f := &Folder{Dir: t.TempDir()}
	write := func(name, text string) {
		if err := os.WriteFile(f.Path(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(FileVerdict, `{"x`)
	write(FileRuns, "{\"bl\n{}\n")
	write(FileEvents, `{"record":[]}`)
	_, runs := f.Runs()
	for name, err := range map[string]error{
		FileDesign:  f.readJSON(FileDesign, &Design{}),
		FileVerdict: f.readJSON(FileVerdict, &struct{}{}),
		FileRuns:    runs,
		FileEvents:  f.Events(func(Event) error { return nil }),
	} {
		var fault *config.Fault
		if !errors.As(err, &fault) || !strings.HasPrefix(err.Error(), f.Path(name)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
