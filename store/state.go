package store

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"path"
	"strings"
)

// FormatVersion is the version of the directory: state file, generations, value codec.
const FormatVersion = 1

const (
	stateFile  = "state"
	stateTemp  = "state.new"
	stateMagic = "ledgerlab store"
)

// State is the durable memory of a store, one small file.
type State struct {
	Format    int    `json:"format"`
	NetworkID uint32 `json:"network_id"`
	Writable  string `json:"writable"` // directory names within the store's directory
	Archive   string `json:"archive"`
	// Made is false from the first start until both generations exist.
	Made        bool   `json:"made"`
	LastRotated uint32 `json:"last_rotated"` // ledger sequence of the last rotation, 0 before the first ledger
	Rotations   uint32 `json:"rotations"`
	// Mark is the newest ledger that may have been written before the last swap, 0 when unknown: ledgers up to it
	// have nodes in the archive that no later ledger has.
	Mark uint32 `json:"mark"`
	// Oldest is the first ledger sequence that is claimed to be complete, 0 when unknown.
	Oldest uint32 `json:"oldest"`
	// CanDelete is the sequence up to which an operator allows deletion where that is asked for (advisory delete).
	CanDelete uint32    `json:"can_delete,omitempty"`
	Validated Validated `json:"validated"`
}

// Validated is the last validated ledger whose nodes are on disk.
type Validated struct {
	Seq    uint32  `json:"seq"`
	Hash   HexHash `json:"hash"`
	Header Hex     `json:"header"` // serialized header, as the writer gave it
}

// HexHash is a hash in upper-case hex.
type HexHash Hash

// MarshalText writes upper-case hex.
func (h HexHash) MarshalText() ([]byte, error) { return Hex(h[:]).MarshalText() }

// UnmarshalText reads hex.
func (h *HexHash) UnmarshalText(b []byte) error {
	n, err := hex.Decode(h[:], b[:min(len(b), 2*len(h))])
	if err == nil && (n != len(h) || len(b) != 2*len(h)) {
		return fmt.Errorf("hash of %d digits, want %d", len(b), 2*len(h))
	}
	return err
}

// Hex is bytes in upper-case hex.
type Hex []byte

// MarshalText writes upper-case hex.
func (h Hex) MarshalText() ([]byte, error) {
	return []byte(strings.ToUpper(hex.EncodeToString(h))), nil
}

// UnmarshalText reads hex.
func (h *Hex) UnmarshalText(b []byte) error {
	raw, err := hex.DecodeString(string(b))
	*h = raw
	return err
}

var crcTable = crc32.MakeTable(crc32.Castagnoli)

// encode is a line of magic and version, the fields as JSON, and a checksum line.
func (s *State) encode() ([]byte, error) {
	body, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	out := fmt.Appendf(nil, "%s %d\n%s\n", stateMagic, s.Format, body)
	return fmt.Appendf(out, "crc32c %08x\n", crc32.Checksum(out, crcTable)), nil
}

func decodeState(name string, data []byte) (State, error) {
	var s State
	lines := strings.SplitN(string(data), "\n", 4)
	version, ok := strings.CutPrefix(lines[0], stateMagic+" ")
	if !ok || len(lines) != 4 || lines[3] != "" {
		return s, fmt.Errorf("%w: %s is not a state file of this store", ErrForeign, name)
	}
	if version != fmt.Sprint(FormatVersion) {
		return s, fmt.Errorf("%w: %s has format %q, this build reads format %d", ErrForeign, name, version, FormatVersion)
	}
	sum := crc32.Checksum(data[:len(lines[0])+len(lines[1])+2], crcTable)
	if want := fmt.Sprintf("crc32c %08x", sum); lines[2] != want {
		return s, fmt.Errorf("%w: %s: checksum line %q, want %q", ErrCorrupt, name, lines[2], want)
	}
	if err := json.Unmarshal([]byte(lines[1]), &s); err != nil {
		return s, fmt.Errorf("%w: %s: %w", ErrCorrupt, name, err)
	}
	if s.Format != FormatVersion {
		return s, fmt.Errorf("%w: %s has format %d, this build reads format %d", ErrForeign, name, s.Format, FormatVersion)
	}
	return s, nil
}

// ReadState reads the state file of a store directory; ok is false when there is none.
func ReadState(fsys FS, dir string) (s State, ok bool, err error) {
	name := path.Join(dir, stateFile)
	data, err := fsys.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return s, false, nil
	}
	if err != nil {
		return s, false, fmt.Errorf("store: read %s: %w", name, err)
	}
	s, err = decodeState(name, data)
	return s, err == nil, err
}

// writeState replaces the state file; when it returns nil the new state is on disk. step is told each step by name.
func writeState(fsys FS, dir string, s *State, step func(string)) error {
	data, err := s.encode()
	if err != nil {
		return fmt.Errorf("store: encode state: %w", err)
	}
	temp := path.Join(dir, stateTemp)
	if err := fsys.WriteSync(temp, data); err != nil {
		return fmt.Errorf("store: write %s: %w", temp, err)
	}
	step("state.written")
	if err := fsys.Rename(temp, path.Join(dir, stateFile)); err != nil {
		return fmt.Errorf("store: rename %s: %w", temp, err)
	}
	step("state.renamed")
	if err := fsys.SyncDir(dir); err != nil {
		return fmt.Errorf("store: sync %s: %w", dir, err)
	}
	step("state.synced")
	return nil
}
