package node

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// fullDevice refuses every write as a full disk does.
const fullDevice = "/dev/full"

func needFullDevice(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(fullDevice); err != nil {
		t.Skipf("no %s here", fullDevice)
	}
}

// TestFullDiskEndsTheNode: it ends by itself, in order, and says why in one line.
func TestFullDiskEndsTheNode(t *testing.T) {
	needFullDevice(t)
	c := testConfig(t, 0)
	c.Standalone, c.Record.File = true, fullDevice
	r := startNode(t, Options{Config: c})
	err := <-r.done
	r.done <- nil
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "disk full") || strings.Contains(err.Error(), "\n") {
		t.Errorf("%v", err)
	}
}

// TestUnwritableSigningEndsTheNode: what was not remembered is not signed, and the
// node does not go on as if it took part.
func TestUnwritableSigningEndsTheNode(t *testing.T) {
	needFullDevice(t)
	path := filepath.Join(t.TempDir(), "last-validation")
	if err := os.Symlink(fullDevice, path+".tmp"); err != nil {
		t.Fatal(err)
	}
	var told error
	f := signedFile{path, func(err error) { told = err }}
	if err := f.Store([]byte("signed")); !errors.Is(err, syscall.ENOSPC) || !errors.Is(told, syscall.ENOSPC) {
		t.Errorf("%v, told %v", err, told)
	}
	if raw, err := f.Load(); err != nil || raw != nil {
		t.Errorf("%q, %v", raw, err)
	}
}
