package record

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"google.golang.org/protobuf/encoding/protojson"
)

// maxLineBytes bounds a line on reading; the longest record is a start record of
// some kilobytes.
const maxLineBytes = 1 << 20

var (
	jsonOut = protojson.MarshalOptions{UseProtoNames: true}
	jsonIn  = protojson.UnmarshalOptions{DiscardUnknown: true} // a later version may have more fields
)

// AppendJSON appends r as one line of compact JSON with its line feed. Fields
// have the names of the .proto file; 64-bit numbers are strings, as in all
// protobuf JSON.
func AppendJSON(dst []byte, r *Record) ([]byte, error) {
	raw, err := jsonOut.Marshal(r)
	if err != nil {
		return dst, fmt.Errorf("record %d: %w", r.GetId(), err)
	}
	buf := bytes.NewBuffer(dst)
	if err := json.Compact(buf, raw); err != nil { // protojson varies its spaces on purpose
		return dst, fmt.Errorf("record %d: %w", r.GetId(), err)
	}
	buf.WriteByte('\n')
	return buf.Bytes(), nil
}

// ParseJSON reads one line.
func ParseJSON(line []byte) (*Record, error) {
	r := new(Record)
	if err := jsonIn.Unmarshal(line, r); err != nil {
		return nil, err
	}
	if r.Version == 0 || r.Version > Version {
		return nil, fmt.Errorf("record format %d; this program reads 1 to %d", r.Version, Version)
	}
	return r, nil
}

// Read calls fn with each record of a JSONL stream. A last line that was cut
// short, as a killed process leaves it, ends the stream without an error and is
// told by torn.
func Read(in io.Reader, fn func(*Record) error) (torn bool, err error) {
	br := bufio.NewReaderSize(in, 64<<10)
	for n := 1; ; n++ {
		line, err := readLine(br)
		if errors.Is(err, io.EOF) {
			if len(bytes.TrimSpace(line)) == 0 {
				return false, nil
			}
			r, perr := ParseJSON(line)
			if perr != nil {
				return true, nil
			}
			return false, fn(r)
		}
		if err != nil {
			return false, fmt.Errorf("line %d: %w", n, err)
		}
		r, err := ParseJSON(line)
		if err != nil {
			return false, fmt.Errorf("line %d: %w", n, err)
		}
		if err := fn(r); err != nil {
			return false, err
		}
	}
}

func readLine(br *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := br.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxLineBytes {
			return nil, fmt.Errorf("is longer than %d bytes", maxLineBytes)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// ReadFile calls fn with each record of a JSONL file.
func ReadFile(path string, fn func(*Record) error) (torn bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer func() { _ = f.Close() }() // it was only read
	torn, err = Read(f, fn)
	if err != nil {
		return torn, fmt.Errorf("%s: %w", path, err)
	}
	return torn, nil
}
