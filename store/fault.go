package store

import (
	"errors"
	"io/fs"
	"syscall"
)

// Fault names what is wrong with the disk under a store, for operators.
type Fault string

// The faults.
const (
	NoFault    Fault = ""
	DiskFull   Fault = "disk full"
	WriteError Fault = "write error"
	SyncError  Fault = "sync error"
	ReadError  Fault = "read error"
	Corrupted  Fault = "corrupt object"
)

// FaultOf says which fault of the disk an error comes from, NoFault when it is another kind of error. Operations on
// files carry their names in fs.PathError and os.LinkError.
func FaultOf(err error) Fault {
	var errno syscall.Errno
	switch {
	case errors.Is(err, ErrFull) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT):
		return DiskFull
	case errors.Is(err, ErrCorrupt):
		return Corrupted
	case !errors.As(err, &errno):
		return NoFault
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		switch path.Op {
		case "sync", "fsync", "fdatasync", "sync_file_range":
			return SyncError
		case "read", "pread", "readat", "open", "readdirent", "stat", "list":
			return ReadError
		}
	}
	return WriteError
}
