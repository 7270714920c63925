package folder

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// LockName is the lock file of a data folder. Clones leave it behind.
const LockName = "LOCK"

// ErrInUse is a folder that another process, or another node of this one, has.
var ErrInUse = errors.New("folder is in use")

// Lock is a folder taken.
type Lock struct{ f *os.File }

// Take takes an existing folder for a process that writes in it.
func Take(dir string) (*Lock, error) {
	f, err := os.OpenFile(filepath.Join(dir, LockName), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("lock of %s: %w", dir, err)
	}
	if err := flock(f, unix.LOCK_EX); err != nil {
		return nil, refused(dir, f, err)
	}
	if err := f.Truncate(0); err == nil { // who holds it is only for messages
		_, _ = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	}
	return &Lock{f}, nil
}

// Share takes a folder for a process that only reads: several may, beside no
// writer. A folder without a lock file, or that must not be written, is taken too.
func Share(dir string) (*Lock, error) {
	f, err := os.Open(filepath.Join(dir, LockName))
	if errors.Is(err, fs.ErrNotExist) {
		return &Lock{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("lock of %s: %w", dir, err)
	}
	if err := flock(f, unix.LOCK_SH); err != nil {
		return nil, refused(dir, f, err)
	}
	return &Lock{f}, nil
}

func flock(f *os.File, how int) error {
	for {
		err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// refused says who holds the folder, and closes f.
func refused(dir string, f *os.File, err error) error {
	defer func() { _ = f.Close() }()
	if !errors.Is(err, unix.EWOULDBLOCK) {
		return fmt.Errorf("lock of %s: %w", dir, err)
	}
	who, _ := io.ReadAll(io.LimitReader(f, 20))
	pid := strings.TrimSpace(string(who))
	switch pid {
	case "":
		return fmt.Errorf("%w: %s belongs to another process; end it first, or use another folder", ErrInUse, dir)
	case strconv.Itoa(os.Getpid()):
		return fmt.Errorf("%w: %s belongs to another node of this process", ErrInUse, dir)
	}
	return fmt.Errorf("%w: %s belongs to process %s; end it first, or use another folder", ErrInUse, dir, pid)
}

// Release gives the folder back; it may be called on nil and twice.
func (l *Lock) Release() error {
	if l == nil || l.f == nil {
		return nil
	}
	f := l.f
	l.f = nil
	return f.Close()
}
