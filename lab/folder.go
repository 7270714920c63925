package lab

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/goccy/go-yaml"
	"github.com/parquet-go/parquet-go"
	"google.golang.org/protobuf/encoding/protojson"

	"ledgerlab/node/config"
	recordv1 "ledgerlab/proto/record/v1"
)

// Names of the files of a results folder; docs/FORMATS.md describes them.
const (
	FileSpec    = "spec.yaml"
	FileEnv     = "env.json"
	FileDesign  = "design.json"
	FileRuns    = "runs.ndjson"
	FileEvents  = "events.ndjson"
	FileVerdict = "verdict.json"
	DirSeries   = "series"
)

// ErrNoCampaign is wrapped when a folder holds no campaign.
var ErrNoCampaign = errors.New("is not a results folder of ledgerlab (no " + FileSpec + " in it)")

// ErrHoldsCampaign is wrapped when a new campaign would go over another.
var ErrHoldsCampaign = errors.New("holds a campaign already")

// Folder is one results folder. Appends are safe for concurrent use.
type Folder struct {
	Dir string
	mu  sync.Mutex
}

// CreateFolder makes a new results folder with the resolved experiment in it.
func CreateFolder(dir string, exp *Experiment) (*Folder, error) {
	if err := os.MkdirAll(filepath.Join(dir, DirSeries), 0o755); err != nil {
		return nil, fmt.Errorf("results folder: %w", err)
	}
	f := &Folder{Dir: dir}
	text, err := yaml.Marshal(exp)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", FileSpec, err)
	}
	return f, f.write(FileSpec, text)
}

// OpenFolder reads the experiment of an existing folder.
func OpenFolder(dir string) (*Folder, *Experiment, error) {
	path := filepath.Join(dir, FileSpec)
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil, fmt.Errorf("%s %w", dir, ErrNoCampaign)
	}
	if err != nil {
		return nil, nil, unreadable(path, err)
	}
	var exp Experiment
	tree, err := config.Decode(path, text, &exp)
	if err == nil {
		err = place(tree, exp.Validate())
	}
	if err != nil {
		return nil, nil, damagedSpec(path, err)
	}
	return &Folder{Dir: dir}, &exp, nil
}

// unreadable is a file of a campaign that is there and cannot be read.
func unreadable(path string, err error) error {
	if errors.Is(err, syscall.EISDIR) {
		return &config.Fault{File: path, Msg: "is a folder; a file is wanted"}
	}
	return fmt.Errorf("results folder: %w", err) // it names the path
}

// damagedSpec makes one fault of what is wrong with a stored experiment: a campaign
// wrote it, so whatever it is, the file was cut or changed.
func damagedSpec(path string, err error) error {
	var f *config.Fault
	if !errors.As(err, &f) {
		f = &config.Fault{File: path, Msg: err.Error()}
	}
	one := *f
	one.Msg = "is damaged: " + f.Msg
	if n := strings.Count(err.Error(), "\n"); n > 0 {
		one.Msg += fmt.Sprintf(" (and %d more faults)", n)
	}
	return &one
}

// Path joins parts below the folder.
func (f *Folder) Path(parts ...string) string {
	return filepath.Join(append([]string{f.Dir}, parts...)...)
}

// write replaces a file whole, or leaves the old one.
func (f *Folder) write(name string, data []byte) error {
	tmp := f.Path(name + ".tmp")
	if err := os.WriteFile(tmp, data, 0o644); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := os.Rename(tmp, f.Path(name)); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func (f *Folder) writeJSON(name string, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return f.write(name, append(text, '\n'))
}

func (f *Folder) readJSON(name string, v any) error {
	text, err := os.ReadFile(f.Path(name))
	if errors.Is(err, os.ErrNotExist) {
		return &config.Fault{File: f.Path(name), Msg: "is missing"}
	}
	if err != nil {
		return unreadable(f.Path(name), err)
	}
	if err := json.Unmarshal(text, v); err != nil {
		return &config.Fault{File: f.Path(name), Msg: "is damaged: " + err.Error()}
	}
	return nil
}

// AppendRun adds one run record, synced, so that a resume can trust it.
func (f *Folder) AppendRun(r *RunRecord) error {
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("%s: %w", FileRuns, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := endLines(f.Path(FileRuns)); err != nil {
		return fmt.Errorf("%s: %w", FileRuns, err)
	}
	out, err := os.OpenFile(f.Path(FileRuns), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("%s: %w", FileRuns, err)
	}
	_, err = out.Write(append(line, '\n'))
	return errors.Join(err, out.Sync(), out.Close())
}

// endLines makes the file at path end with a whole line, so that what is appended
// begins one of its own: a torn last line, which no reader counts, is cut off, and
// one that only lacks its end gets it.
func endLines(path string) error {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	whole := bytes.LastIndexByte(text, '\n') + 1
	last := text[whole:]
	switch {
	case len(last) == 0:
		return nil
	case !json.Valid(last):
		return os.Truncate(path, int64(whole))
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}

// Runs reads every run record; a torn last line is ignored.
func (f *Folder) Runs() ([]*RunRecord, error) {
	text, err := os.ReadFile(f.Path(FileRuns))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(f.Path(FileRuns), err)
	}
	var out []*RunRecord
	lines := bytes.Split(text, []byte("\n"))
	for i, line := range lines {
		if len(line) == 0 {
			continue
		}
		r := &RunRecord{}
		if err := json.Unmarshal(line, r); err != nil {
			if i == len(lines)-1 {
				break
			}
			return nil, &config.Fault{File: f.Path(FileRuns), Line: i + 1, Col: 1, Msg: "is damaged: " + err.Error()}
		}
		out = append(out, r)
	}
	return out, nil
}

// Event is one line of events.ndjson: a record of a node and where it belongs.
type Event struct {
	Block    int              `json:"block"`
	Attempt  int              `json:"attempt"`
	Position int              `json:"position"`
	Node     int              `json:"node"`
	Arm      string           `json:"arm"`
	Record   json.RawMessage  `json:"record"`
	Parsed   *recordv1.Record `json:"-"`
}

// eventLog appends to events.ndjson.
type eventLog struct {
	mu   sync.Mutex
	file *os.File
	buf  *bufio.Writer
	err  error
}

func (f *Folder) openEvents() (*eventLog, error) {
	if err := endLines(f.Path(FileEvents)); err != nil {
		return nil, fmt.Errorf("%s: %w", FileEvents, err)
	}
	file, err := os.OpenFile(f.Path(FileEvents), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", FileEvents, err)
	}
	return &eventLog{file: file, buf: bufio.NewWriterSize(file, 1<<16)}, nil
}

var recordJSON = protojson.MarshalOptions{UseProtoNames: true}

func (l *eventLog) add(e Event, r *recordv1.Record) {
	raw, err := recordJSON.Marshal(r)
	if err == nil {
		var compact bytes.Buffer
		if err = json.Compact(&compact, raw); err == nil {
			e.Record = compact.Bytes()
			raw, err = json.Marshal(e)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		_, err = l.buf.Write(append(raw, '\n'))
	}
	if err != nil && l.err == nil {
		l.err = fmt.Errorf("%s: %w", FileEvents, err)
	}
}

func (l *eventLog) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return errors.Join(l.err, l.buf.Flush(), l.file.Close())
}

// maxEventBytes bounds a line of events.ndjson; a start record with all flags
// is the longest at a few kilobytes.
const maxEventBytes = 4 << 20

// Events calls fn for each stored event with its record parsed.
func (f *Folder) Events(fn func(Event) error) error {
	file, err := os.Open(f.Path(FileEvents))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", FileEvents, err)
	}
	defer func() { _ = file.Close() }()
	sc := bufio.NewScanner(file)
	sc.Buffer(make([]byte, 1<<16), maxEventBytes)
	parse := protojson.UnmarshalOptions{DiscardUnknown: true}
	for n := 1; sc.Scan(); n++ {
		var e Event
		if err := json.Unmarshal(sc.Bytes(), &e); err != nil {
			continue // a torn line of an interrupted run; its run record marks it
		}
		e.Parsed = &recordv1.Record{}
		if err := parse.Unmarshal(e.Record, e.Parsed); err != nil {
			return &config.Fault{File: f.Path(FileEvents), Line: n, Col: 1, Msg: "is damaged: " + err.Error()}
		}
		if err := fn(e); err != nil {
			return err
		}
	}
	if err := sc.Err(); err != nil {
		return unreadable(f.Path(FileEvents), err)
	}
	return nil
}

// seriesName is the file of one run's series of a kind.
func seriesName(block, attempt, position int, kind string) string {
	return fmt.Sprintf("b%03d-a%d-p%d-%s.parquet", block, attempt, position, kind)
}

func writeSeries[T any](f *Folder, name string, rows []T) error {
	tmp := f.Path(DirSeries, name+".tmp")
	if err := parquet.WriteFile(tmp, rows, parquet.Compression(&parquet.Snappy)); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if err := os.Rename(tmp, f.Path(DirSeries, name)); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

func readSeries[T any](f *Folder, name string) ([]T, error) {
	path := f.Path(DirSeries, name)
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	rows, err := parquet.ReadFile[T](path)
	if err != nil && !errors.Is(err, os.ErrPermission) {
		return nil, &config.Fault{File: path, Msg: "is damaged: " + err.Error()}
	}
	if err != nil {
		return nil, unreadable(path, err)
	}
	return rows, nil
}
