package network

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

const (
	stateName    = "network.json"
	stateVersion = 1
)

// stateFile is what network.json holds.
type stateFile struct {
	Version   int         `json:"version"`
	NetworkID uint32      `json:"network_id"`
	Seed      uint64      `json:"seed"`
	Running   bool        `json:"running"`
	Owner     procID      `json:"owner"`  // the process that owns the nodes
	Socket    string      `json:"socket"` // where it takes requests
	Nodes     []NodeState `json:"nodes"`
}

// NodeState is one node as the folder knows it.
type NodeState struct {
	Name      string            `json:"name"`
	Role      string            `json:"role"`
	Process   procID            `json:"process"` // zero = not running
	Paused    bool              `json:"paused,omitempty"`
	PublicKey string            `json:"public_key"`
	Peer      string            `json:"peer"`
	Control   string            `json:"control"`
	Web       string            `json:"web"`
	DataDir   string            `json:"data_dir"`
	Config    string            `json:"config"`
	Log       string            `json:"log"`
	Flags     map[string]string `json:"flags,omitempty"`
}

// procID names a process beyond the reuse of its number.
type procID struct {
	PID   int    `json:"pid"`
	Start uint64 `json:"start"` // clock ticks after boot at which it began
}

// identify returns the procID of pid.
func identify(pid int) (procID, error) {
	start, _, err := procStat(pid)
	return procID{pid, start}, err
}

// alive reports whether the process is still there and no zombie.
func (p procID) alive() bool {
	if p.PID <= 0 {
		return false
	}
	start, state, err := procStat(p.PID)
	return err == nil && start == p.Start && state != "Z" && state != "X"
}

// signal sends sig to the process if it is still the one meant.
func (p procID) signal(sig unix.Signal) error {
	if !p.alive() {
		return os.ErrProcessDone
	}
	return unix.Kill(p.PID, sig)
}

// procStat reads start time and state from /proc.
func procStat(pid int) (start uint64, state string, err error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, "", err
	}
	// the name in parentheses may hold anything, a closing parenthesis included
	rest := string(data[strings.LastIndexByte(string(data), ')')+1:])
	fields := strings.Fields(rest)
	if len(fields) < 20 {
		return 0, "", fmt.Errorf("/proc/%d/stat is too short", pid)
	}
	start, err = strconv.ParseUint(fields[19], 10, 64)
	return start, fields[0], err
}

// readState reads network.json of dir; ok is false when there is none.
func readState(dir string) (s stateFile, ok bool, err error) {
	path := filepath.Join(dir, stateName)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return s, false, nil
	}
	if err != nil {
		return s, false, err
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return s, false, &DamagedError{fmt.Errorf("%s is damaged: %w; move it away to start anew", path, err)}
	}
	if s.Version != stateVersion {
		return s, false, &DamagedError{fmt.Errorf("%s has format %d; this program reads %d", path, s.Version, stateVersion)}
	}
	return s, true, nil
}

// write replaces network.json in one step.
func (s *stateFile) write(dir string) error {
	data, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	path := filepath.Join(dir, stateName)
	if err := os.WriteFile(path+".new", append(data, '\n'), 0o644); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// DamagedError is a file of a network that cannot be read.
type DamagedError struct{ err error }

func (e *DamagedError) Error() string { return e.err.Error() }

// Unwrap returns the fault.
func (e *DamagedError) Unwrap() error { return e.err }
