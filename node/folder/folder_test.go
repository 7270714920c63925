package folder

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestOneWriterOrManyReaders(t *testing.T) {
	dir := t.TempDir()
	free, err := Share(dir) // no lock file yet
	if err != nil {
		t.Fatal(err)
	}
	w, err := Take(dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, take := range map[string]func(string) (*Lock, error){"writer": Take, "reader": Share} {
		if l, err := take(dir); !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), dir) {
			t.Errorf("second %s: %v, %v", name, l, err)
		}
	}
	if err := errors.Join(w.Release(), w.Release(), free.Release()); err != nil {
		t.Error(err)
	}
	r1, err1 := Share(dir)
	r2, err2 := Share(dir)
	if err1 != nil || err2 != nil {
		t.Fatal(err1, err2)
	}
	if _, err := Take(dir); !errors.Is(err, ErrInUse) {
		t.Errorf("writer beside readers: %v", err)
	}
	if err := errors.Join(r1.Release(), r2.Release()); err != nil {
		t.Error(err)
	}
	w, err = Take(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Release(); err != nil {
		t.Error(err)
	}
}

func TestFolderThatCannotBeTaken(t *testing.T) {
	if _, err := Take(t.TempDir() + "/nowhere"); err == nil || errors.Is(err, ErrInUse) {
		t.Errorf("%v", err)
	}
}

// TestKilledHolder: the lock of a process that was killed is free, and while it
// lives the refusal names it.
func TestKilledHolder(t *testing.T) {
	if dir := os.Getenv("FOLDER_TEST_HOLD"); dir != "" {
		if _, err := Take(dir); err != nil {
			t.Fatal(err)
		}
		os.Stdout.WriteString("held\n")
		_, _ = io.Copy(io.Discard, os.Stdin) // until it is killed
	}
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=TestKilledHolder")
	cmd.Env = append(os.Environ(), "FOLDER_TEST_HOLD="+dir)
	if _, err := cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var said [5]byte
	if _, err := out.Read(said[:]); err != nil || string(said[:4]) != "held" {
		t.Fatalf("%q %v", said, err)
	}
	if _, err := Take(dir); !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), "process ") {
		t.Errorf("beside a living holder: %v", err)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	l, err := Take(dir)
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Release()
}
