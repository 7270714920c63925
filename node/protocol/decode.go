package protocol

import (
	"encoding/binary"
	"fmt"
)

// Bounds of the decoders.
const (
	maxDepth      = 10      // nesting of objects and arrays (rippled STVar: 10)
	maxVLBytes    = 918744  // longest value that has a length prefix (rippled Serializer.cpp)
	maxInputBytes = 1 << 20 // longest object that is looked at
	maxFieldCount = 512     // fields of one object; the table has fewer

	objectEnd = 0xE1
	arrayEnd  = 0xF1
)

// DecodeError is the fault of a malformed input.
type DecodeError struct {
	Offset int    // byte offset of the fault
	Field  string // field being read, empty outside of one
	Reason string
}

// Error names offset, field and reason.
func (e *DecodeError) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("offset %d: %s", e.Offset, e.Reason)
	}
	return fmt.Sprintf("offset %d, field %s: %s", e.Offset, e.Field, e.Reason)
}

func fault(off int, f Field, format string, args ...any) error {
	name := ""
	if f != 0 {
		name = f.String()
	}
	return &DecodeError{Offset: off, Field: name, Reason: fmt.Sprintf(format, args...)}
}

// readID reads the one to three bytes that announce a field at pos.
func readID(b []byte, pos int) (f Field, next int, err error) {
	if pos >= len(b) {
		return 0, pos, fault(pos, 0, "a field is wanted, the input ends")
	}
	t, n := b[pos]>>4, b[pos]&15
	next = pos + 1
	if t == 0 {
		if next >= len(b) {
			return 0, pos, fault(pos, 0, "the field id is cut off")
		}
		if t = b[next]; t < 16 {
			return 0, pos, fault(pos, 0, "the field id is not in its shortest form")
		}
		next++
	}
	if n == 0 {
		if next >= len(b) {
			return 0, pos, fault(pos, 0, "the field id is cut off")
		}
		if n = b[next]; n < 16 {
			return 0, pos, fault(pos, 0, "the field id is not in its shortest form")
		}
		next++
	}
	f = Field(t)<<16 | Field(n)
	if t > maxFieldType || n >= maxFieldNumber || fieldIndex[t][n] == nil {
		return 0, pos, fault(pos, f, "unknown field")
	}
	return f, next, nil
}

// readLength reads a length prefix at pos.
func readLength(b []byte, pos int, f Field) (n, next int, err error) {
	if pos >= len(b) {
		return 0, pos, fault(pos, f, "a length is wanted, the input ends")
	}
	c := int(b[pos])
	switch {
	case c <= 192:
		return c, pos + 1, nil
	case c <= 240:
		if pos+1 >= len(b) {
			return 0, pos, fault(pos, f, "the length is cut off")
		}
		return 193 + (c-193)<<8 + int(b[pos+1]), pos + 2, nil
	case c <= 254:
		if pos+2 >= len(b) {
			return 0, pos, fault(pos, f, "the length is cut off")
		}
		n = 12481 + (c-241)<<16 + int(b[pos+1])<<8 + int(b[pos+2])
		if n > maxVLBytes {
			return 0, pos, fault(pos, f, "length %d is above %d", n, maxVLBytes)
		}
		return n, pos + 3, nil
	}
	return 0, pos, fault(pos, f, "255 starts no length")
}

// AppendLength appends the length prefix of n bytes; n is at most 918,744.
func AppendLength(dst []byte, n int) []byte {
	switch {
	case n <= 192:
		return append(dst, byte(n))
	case n <= 12480:
		n -= 193
		return append(dst, byte(193+n>>8), byte(n))
	}
	n -= 12481
	return append(dst, byte(241+n>>16), byte(n>>8), byte(n))
}

// ReadVL splits a length-prefixed value off the front of b.
func ReadVL(b []byte) (value, rest []byte, err error) {
	n, next, err := readLength(b, 0, 0)
	if err != nil {
		return nil, nil, err
	}
	if len(b)-next < n {
		return nil, nil, fault(next, 0, "%d bytes wanted, %d left", n, len(b)-next)
	}
	return b[next : next+n], b[next+n:], nil
}

// scanValue finds the extent of field f's value at pos: b[start:end] is the value without length prefix and without
// end marker, next is where the following field begins. The value is checked as far as it can be without context.
func scanValue(b []byte, pos int, f Field, depth int) (start, end, next int, err error) {
	t := f.Type()
	if n := int(fixedSize[t]); n != 0 {
		if len(b)-pos < n {
			return 0, 0, 0, fault(pos, f, "%d bytes wanted, %d left", n, len(b)-pos)
		}
		return pos, pos + n, pos + n, nil
	}
	switch t {
	case TypeBlob, TypeAccountID, TypeVector256:
		return scanVL(b, pos, f)
	case TypeAmount:
		n, err := scanAmount(b, pos, f)
		return pos, pos + n, pos + n, err
	case TypeObject:
		if end, err = scanObject(b, pos, f, depth+1); err != nil {
			return 0, 0, 0, err
		}
		return pos, end, end + 1, nil
	case TypeArray:
		if end, err = scanArray(b, pos, f, depth+1); err != nil {
			return 0, 0, 0, err
		}
		return pos, end, end + 1, nil
	case TypePathSet:
		n, err := scanPathSet(b, pos, f)
		return pos, pos + n, pos + n, err
	case TypeIssue:
		n, err := scanIssue(b, pos, f)
		return pos, pos + n, pos + n, err
	case TypeXChainBridge:
		n, err := scanBridge(b, pos, f)
		return pos, pos + n, pos + n, err
	}
	return 0, 0, 0, fault(pos, f, "type %d has no decoder", t)
}

func scanVL(b []byte, pos int, f Field) (start, end, next int, err error) {
	n, start, err := readLength(b, pos, f)
	if err != nil {
		return 0, 0, 0, err
	}
	if len(b)-start < n {
		return 0, 0, 0, fault(start, f, "%d bytes wanted, %d left", n, len(b)-start)
	}
	switch f.Type() {
	case TypeAccountID:
		if n != 20 && n != 0 {
			return 0, 0, 0, fault(pos, f, "an account has 20 bytes, not %d", n)
		}
	case TypeVector256:
		if n%32 != 0 {
			return 0, 0, 0, fault(pos, f, "%d bytes are not a list of hashes", n)
		}
	}
	return start, start + n, start + n, nil
}

// scanObject checks a nested object at pos and returns the offset of its end marker.
func scanObject(b []byte, pos int, outer Field, depth int) (int, error) {
	if depth > maxDepth {
		return 0, fault(pos, outer, "nested deeper than %d", maxDepth)
	}
	last := Field(0)
	for {
		if pos < len(b) && b[pos] == objectEnd {
			return pos, nil
		}
		f, next, err := readID(b, pos)
		if err != nil {
			return 0, err
		}
		if err := checkOrder(pos, f, last); err != nil {
			return 0, err
		}
		last = f
		if _, _, next, err = scanValue(b, next, f, depth); err != nil {
			return 0, err
		}
		pos = next
	}
}

// scanArray checks an array at pos and returns the offset of its end marker.
func scanArray(b []byte, pos int, outer Field, depth int) (int, error) {
	if depth > maxDepth {
		return 0, fault(pos, outer, "nested deeper than %d", maxDepth)
	}
	for {
		if pos < len(b) && b[pos] == arrayEnd {
			return pos, nil
		}
		f, next, err := readID(b, pos)
		if err != nil {
			return 0, err
		}
		if f.Type() != TypeObject || f == FieldObjectEndMarker {
			return 0, fault(pos, f, "an array holds only objects")
		}
		if _, _, next, err = scanValue(b, next, f, depth); err != nil {
			return 0, err
		}
		pos = next
	}
}

// checkOrder refuses fields out of order, twice, and stray end markers.
func checkOrder(pos int, f, last Field) error {
	switch {
	case f == FieldObjectEndMarker || f == FieldArrayEndMarker:
		return fault(pos, f, "an end marker without beginning")
	case f == last:
		return fault(pos, f, "the field is there twice")
	case f < last:
		return fault(pos, f, "out of order, after %s", last)
	}
	return nil
}

// scanAmount checks an amount at pos and returns its size: 8 (XRP), 33 (MPT) or 48 (issued).
func scanAmount(b []byte, pos int, f Field) (int, error) {
	if len(b)-pos < 8 {
		return 0, fault(pos, f, "8 bytes wanted, %d left", len(b)-pos)
	}
	v := binary.BigEndian.Uint64(b[pos:])
	switch {
	case v&amountIssued != 0:
		if len(b)-pos < 48 {
			return 0, fault(pos, f, "48 bytes wanted, %d left", len(b)-pos)
		}
		if reason := checkIssuedBits(v); reason != "" {
			return 0, fault(pos, f, "%s", reason)
		}
		c := Currency(b[pos+8 : pos+28])
		if c.IsXRP() {
			return 0, fault(pos+8, f, "an issued amount of XRP")
		}
		return 48, nil
	case v&amountMPT != 0:
		if len(b)-pos < 33 {
			return 0, fault(pos, f, "33 bytes wanted, %d left", len(b)-pos)
		}
		if b[pos]&^0x60 != 0 {
			return 0, fault(pos, f, "the first byte %02X is no MPT amount", b[pos])
		}
		return 33, nil
	case v == 0:
		return 0, fault(pos, f, "negative zero")
	}
	return 8, nil
}

func scanIssue(b []byte, pos int, f Field) (int, error) {
	left := len(b) - pos
	if left < 20 {
		return 0, fault(pos, f, "20 bytes wanted, %d left", left)
	}
	if Currency(b[pos : pos+20]).IsXRP() {
		return 20, nil
	}
	if left < 40 {
		return 0, fault(pos, f, "40 bytes wanted, %d left", left)
	}
	issuer := AccountID(b[pos+20 : pos+40])
	if issuer.IsZero() {
		return 0, fault(pos+20, f, "an issued asset without issuer")
	}
	if issuer != AccountOne {
		return 40, nil
	}
	if left < 44 {
		return 0, fault(pos, f, "44 bytes wanted, %d left", left)
	}
	return 44, nil
}

func scanBridge(b []byte, pos int, f Field) (int, error) {
	start := pos
	for range 2 {
		if len(b)-pos < 21 {
			return 0, fault(pos, f, "21 bytes wanted, %d left", len(b)-pos)
		}
		if b[pos] != 20 {
			return 0, fault(pos, f, "an account has 20 bytes, not %d", b[pos])
		}
		pos += 21
		n, err := scanIssue(b, pos, f)
		if err != nil {
			return 0, err
		}
		pos += n
	}
	return pos - start, nil
}

// Types of the parts of a path's step.
const (
	stepAccount  = 0x01
	stepCurrency = 0x10
	stepIssuer   = 0x20
	stepMPT      = 0x40
	pathBoundary = 0xFF
	pathEnd      = 0x00
)

func scanPathSet(b []byte, pos int, f Field) (int, error) {
	start, empty := pos, true
	for {
		if pos >= len(b) {
			return 0, fault(pos, f, "the paths do not end")
		}
		t := b[pos]
		pos++
		switch {
		case t == pathEnd || t == pathBoundary:
			if empty {
				return 0, fault(pos-1, f, "an empty path")
			}
			if t == pathEnd {
				return pos - start, nil
			}
			empty = true
			continue
		case t&^(stepAccount|stepCurrency|stepIssuer|stepMPT) != 0:
			return 0, fault(pos-1, f, "a step of type %02X", t)
		case t&stepCurrency != 0 && t&stepMPT != 0:
			return 0, fault(pos-1, f, "a step of type %02X names two assets", t)
		}
		n := stepSize(t)
		if len(b)-pos < n {
			return 0, fault(pos, f, "%d bytes wanted, %d left", n, len(b)-pos)
		}
		pos += n
		empty = false
	}
}

func stepSize(t byte) int {
	n := 0
	if t&stepAccount != 0 {
		n += 20
	}
	if t&stepCurrency != 0 {
		n += 20
	}
	if t&stepMPT != 0 {
		n += 24
	}
	if t&stepIssuer != 0 {
		n += 20
	}
	return n
}
