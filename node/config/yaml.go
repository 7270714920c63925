package config

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

// maxFileBytes bounds a configuration file; a node's is a few kilobytes.
const maxFileBytes = 4 << 20

// Fault is a mistake in a file, at its place.
type Fault struct {
	File      string
	Line, Col int // from 1; 0 = the file as a whole
	Msg       string
}

// Error is one line: file:line:col: what was found and what is allowed.
func (f *Fault) Error() string {
	if f.Line == 0 {
		return f.File + ": " + f.Msg
	}
	return fmt.Sprintf("%s:%d:%d: %s", f.File, f.Line, f.Col, f.Msg)
}

// Load reads and validates the file at path over the defaults.
func Load(path string) (Config, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Config{}, fmt.Errorf("configuration: %w", err)
	}
	return Parse(path, data)
}

// Parse reads and validates data over the defaults; file is only a name for
// messages. On error it returns all faults joined.
func Parse(file string, data []byte) (Config, error) {
	cfg := Default()
	tree, err := Decode(file, data, &cfg)
	if err != nil {
		return Config{}, err
	}
	if err := cfg.Validate(); err != nil {
		return Config{}, tree.place(err)
	}
	return cfg, nil
}

// Tree remembers where each key of a decoded file stands.
type Tree struct {
	file string
	pos  map[string]*token.Position
}

// At returns a Fault at the place of path, or of its nearest parent that stands
// in the file.
func (t *Tree) At(path, msg string) *Fault {
	f := &Fault{File: t.file, Msg: path + ": " + msg}
	for p := path; p != ""; p = parentPath(p) {
		if at, ok := t.pos[p]; ok {
			f.Line, f.Col = at.Line, at.Column
			break
		}
	}
	return f
}

func parentPath(p string) string {
	i := strings.LastIndexAny(p, ".[")
	if i < 0 {
		return ""
	}
	return p[:i]
}

// place turns the FieldErrors joined in err into Faults.
func (t *Tree) place(err error) error {
	var out []error
	for _, e := range splitErrors(err) {
		var fe *FieldError
		if errors.As(e, &fe) {
			e = t.At(fe.Path, fe.Msg)
		}
		out = append(out, e)
	}
	return errors.Join(out...)
}

func splitErrors(err error) []error {
	if j, ok := err.(interface{ Unwrap() []error }); ok {
		return j.Unwrap()
	}
	return []error{err}
}

// Decode reads one strict YAML document into dst, a pointer to a struct with
// yaml tags: every unknown or repeated key is a fault with its place and the
// nearest known key. Other readers of configuration files share it.
func Decode(file string, data []byte, dst any) (tree *Tree, err error) {
	// The YAML library panics on some malformed documents, in its parser and in
	// its decoder; they are faults of the file like any other.
	defer func() {
		if p := recover(); p != nil {
			tree, err = nil, &Fault{File: file, Msg: fmt.Sprintf("is not readable as YAML (%s)", shown(firstLine(fmt.Sprint(p))))}
		}
	}()
	if len(data) > maxFileBytes {
		return nil, &Fault{File: file, Msg: fmt.Sprintf("has %d bytes; at most %d", len(data), maxFileBytes)}
	}
	doc, err := parser.ParseBytes(data, 0)
	if err != nil {
		return nil, yamlFault(file, err)
	}
	bodies := doc.Docs
	for len(bodies) > 1 && bodies[len(bodies)-1].Body == nil {
		bodies = bodies[:len(bodies)-1]
	}
	t := &Tree{file: file, pos: map[string]*token.Position{}}
	if len(bodies) == 0 || empty(bodies[0].Body) {
		return nil, &Fault{File: file, Msg: "is empty"}
	}
	if len(bodies) > 1 {
		return nil, &Fault{File: file, Msg: "holds more than one document; one is allowed"}
	}
	var faults []error
	t.walk("", bodies[0].Body, reflect.TypeOf(dst).Elem(), &faults)
	if len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	if err := yaml.NodeToValue(bodies[0].Body, dst, yaml.Strict()); err != nil {
		return nil, yamlFault(file, err)
	}
	return t, nil
}

// empty is true for a document that says nothing.
func empty(body ast.Node) bool {
	if body == nil || body.Type() == ast.NullType {
		return true
	}
	m, ok := body.(*ast.MappingNode)
	return ok && len(m.Values) == 0
}

// walk notes the place of each key and checks it against the fields of typ.
func (t *Tree) walk(path string, n ast.Node, typ reflect.Type, faults *[]error) {
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if typ == reflect.TypeFor[time.Duration]() {
		tok := n.GetToken()
		if _, err := ParseDuration(tok.Value); err != nil { // the reader's own message has no place
			*faults = append(*faults, &Fault{t.file, tok.Position.Line, tok.Position.Column, path + ": " + err.Error()})
		}
		return
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		for _, v := range n.Values {
			t.walkKey(path, v, typ, faults)
		}
	case *ast.MappingValueNode:
		t.walkKey(path, n, typ, faults)
	case *ast.SequenceNode:
		if typ.Kind() == reflect.Slice {
			for i, v := range n.Values {
				p := fmt.Sprintf("%s[%d]", path, i)
				t.pos[p] = v.GetToken().Position
				t.walk(p, v, typ.Elem(), faults)
			}
		}
	}
}

func (t *Tree) walkKey(path string, v *ast.MappingValueNode, typ reflect.Type, faults *[]error) {
	tok := v.Key.GetToken()
	key := tok.Value
	full := key
	if path != "" {
		full = path + "." + key
	}
	if _, twice := t.pos[full]; twice {
		*faults = append(*faults, &Fault{t.file, tok.Position.Line, tok.Position.Column, fmt.Sprintf("key %q is given twice", full)})
		return
	}
	t.pos[full] = v.Value.GetToken().Position
	switch typ.Kind() {
	case reflect.Struct:
		fields := yamlFields(typ)
		names := make([]string, 0, len(fields))
		for _, f := range fields {
			if f.name == key {
				t.walk(full, v.Value, f.typ, faults)
				return
			}
			names = append(names, f.name)
		}
		if len(names) == 0 { // a type that decodes itself
			return
		}
		msg := fmt.Sprintf("unknown key %q%s; allowed here: %s", full, hint(key, names), strings.Join(names, ", "))
		*faults = append(*faults, &Fault{t.file, tok.Position.Line, tok.Position.Column, msg})
	case reflect.Map:
		t.walk(full, v.Value, typ.Elem(), faults)
	}
}

type yamlField struct {
	name string
	typ  reflect.Type
}

func yamlFields(typ reflect.Type) []yamlField {
	var out []yamlField
	for i := range typ.NumField() {
		f := typ.Field(i)
		name, opts, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if strings.Contains(opts, "inline") {
			out = append(out, yamlFields(f.Type)...)
		} else if name != "" && name != "-" {
			out = append(out, yamlField{name, f.Type})
		}
	}
	return out
}

// yamlFault turns an error of the YAML reader into a Fault.
func yamlFault(file string, err error) error {
	var ye yaml.Error
	if !errors.As(err, &ye) || ye.GetToken() == nil || ye.GetToken().Position == nil {
		return &Fault{File: file, Msg: firstLine(err.Error())}
	}
	p := ye.GetToken().Position
	return &Fault{File: file, Line: p.Line, Col: p.Column, Msg: fmt.Sprintf("%s, found %q", firstLine(ye.GetMessage()), shown(ye.GetToken().Value))}
}

// maxShown bounds what a message repeats of a file, in bytes.
const maxShown = 80

// shown cuts s to what fits into a message.
func shown(s string) string {
	if len(s) <= maxShown {
		return s
	}
	return strings.ToValidUTF8(s[:maxShown], "") + "..."
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

// Marshal writes c as YAML that Parse reads back.
func (c *Config) Marshal() ([]byte, error) { return yaml.Marshal(c) }

func sortFaults(faults []error) {
	slices.SortStableFunc(faults, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
}
