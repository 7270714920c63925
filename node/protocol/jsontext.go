package protocol

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Bounds of JSON input.
const (
	maxJSONBytes = 4 << 20
	maxJSONDepth = 32 // deeper than any object of ours
)

func decodeJSON(data []byte) (any, error) {
	if len(data) > maxJSONBytes {
		return nil, fmt.Errorf("%d bytes of JSON are above %d", len(data), maxJSONBytes)
	}
	return DecodeJSON(data)
}

// DecodeJSON reads one JSON value: objects as map[string]any, arrays as []any, numbers as json.Number. It refuses
// what encoding/json lets pass: a name twice in one object, deep nesting, text after the value.
func DecodeJSON(data []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	v, err := decodeJSONValue(dec, 0)
	switch {
	case errors.Is(err, io.EOF) && len(bytes.TrimSpace(data)) == 0:
		return nil, errors.New("is empty")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("offset %d: the text ends in the middle of a value", len(data))
	case err != nil:
		return nil, fmt.Errorf("offset %d: %w", dec.InputOffset(), err)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("offset %d: text after the value", dec.InputOffset())
	}
	return v, nil
}

func decodeJSONValue(dec *json.Decoder, depth int) (any, error) {
	if depth > maxJSONDepth {
		return nil, fmt.Errorf("nested deeper than %d", maxJSONDepth)
	}
	tok, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch tok {
	case json.Delim('{'):
		m := map[string]any{}
		for dec.More() {
			k, err := dec.Token()
			if err != nil {
				return nil, err
			}
			name, ok := k.(string)
			if !ok {
				return nil, fmt.Errorf("a name is wanted")
			}
			if _, twice := m[name]; twice {
				return nil, fmt.Errorf("%q is there twice", clip(name))
			}
			if m[name], err = decodeJSONValue(dec, depth+1); err != nil {
				return nil, err
			}
		}
		_, err := dec.Token()
		return m, err
	case json.Delim('['):
		a := []any{}
		for dec.More() {
			v, err := decodeJSONValue(dec, depth+1)
			if err != nil {
				return nil, err
			}
			a = append(a, v)
		}
		_, err := dec.Token()
		return a, err
	}
	return tok, nil
}
