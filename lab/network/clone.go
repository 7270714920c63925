package network

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// Clone copies a prepared data folder to dst, which must not exist or be empty.
// Table files never change once written and are linked, so a clone takes no time
// and no space; everything else is copied. Locks and records stay behind.
func Clone(src, dst string) error {
	if entries, err := os.ReadDir(dst); err == nil && len(entries) > 0 {
		return fmt.Errorf("clone into %s: it is not empty", dst)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("clone into %s: %w", dst, err)
	}
	err := filepath.WalkDir(src, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(src, path)
		if err != nil {
			return err
		}
		to := filepath.Join(dst, rel)
		switch {
		case d.IsDir():
			return os.MkdirAll(to, 0o755)
		case !d.Type().IsRegular():
			return fmt.Errorf("%s is neither a file nor a folder", path)
		case d.Name() == "LOCK" || d.Name() == "records.jsonl":
			return nil
		case filepath.Ext(path) == ".sst":
			if os.Link(path, to) == nil {
				return nil
			}
		}
		return copyFile(path, to)
	})
	if err != nil {
		return fmt.Errorf("clone %s: %w", src, err)
	}
	return nil
}

func copyFile(src, dst string) (err error) {
	in, err := os.Open(src)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out, err := os.OpenFile(dst, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
