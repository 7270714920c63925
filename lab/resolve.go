package lab

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"ledgerlab/node/config"
)

// Overrides are what the command line says over the file.
type Overrides struct {
	Profile string            // quick, full, long; empty = the experiment as it stands
	Blocks  int               // 0 = the experiment's
	Seed    uint64            // 0 = the experiment's
	Set     map[string]string // flags (cache.sweep_interval) or keys of the experiment (load.rate)
}

// UnknownExperimentError says what there is instead.
type UnknownExperimentError struct {
	Name, Nearest string
	Known         []string
}

// Error is one line.
func (e *UnknownExperimentError) Error() string {
	hint := ""
	if e.Nearest != "" {
		hint = fmt.Sprintf(" (did you mean %q?)", e.Nearest)
	}
	return fmt.Sprintf("unknown experiment %q%s; known: %s; or give the path of a .yaml file", e.Name, hint, strings.Join(e.Known, ", "))
}

// Names lists the experiments in src.
func Names(src fs.FS) []string {
	files, _ := fs.Glob(src, "*.yaml")
	for i, f := range files {
		files[i] = strings.TrimSuffix(f, ".yaml")
	}
	return files
}

// Load finds an experiment by name in src, or by path when name ends in .yaml,
// and resolves it.
func Load(src fs.FS, name string, over Overrides) (*Experiment, error) {
	if strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml") {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("experiment: %w", err)
		}
		return Parse(name, data, over)
	}
	names := Names(src)
	if !slices.Contains(names, name) {
		return nil, &UnknownExperimentError{name, config.Suggest(name, names), names}
	}
	data, err := fs.ReadFile(src, name+".yaml")
	if err != nil {
		return nil, fmt.Errorf("experiment %s: %w", name, err)
	}
	return Parse(path.Join("experiments", name+".yaml"), data, over)
}

// Parse reads one experiment strictly, applies profile and overrides, and
// validates the result. file is only a name for messages.
func Parse(file string, data []byte, over Overrides) (*Experiment, error) {
	exp := defaults()
	tree, err := config.Decode(file, data, &exp)
	if err != nil {
		return nil, err
	}
	if err := exp.overlay(over); err != nil {
		return nil, err
	}
	if err := exp.Validate(); err != nil {
		return nil, place(tree, err)
	}
	exp.Profiles = nil
	return &exp, nil
}

func place(tree *config.Tree, err error) error {
	var out []error
	for _, e := range unjoin(err) {
		var fe *config.FieldError
		if errors.As(e, &fe) {
			e = tree.At(fe.Path, fe.Msg)
		}
		out = append(out, e)
	}
	return errors.Join(out...)
}

func unjoin(err error) []error {
	if j, ok := err.(interface{ Unwrap() []error }); ok {
		return j.Unwrap()
	}
	return []error{err}
}

func (e *Experiment) overlay(over Overrides) error {
	if over.Profile != "" {
		p, ok := e.Profiles[over.Profile]
		if !ok {
			names := make([]string, 0, len(e.Profiles))
			for n := range e.Profiles {
				names = append(names, n)
			}
			slices.Sort(names)
			return fmt.Errorf("experiment %s has no profile %q%s; it has: %s", e.Metadata.Name, over.Profile,
				didYouMean(over.Profile, names), strings.Join(names, ", "))
		}
		e.Profile = over.Profile
		merge(reflect.ValueOf(e).Elem(), reflect.ValueOf(p))
	}
	if over.Blocks != 0 {
		e.Design.Blocks = over.Blocks
	}
	if over.Seed != 0 {
		e.Design.Seed = over.Seed
	}
	for _, k := range sortedKeys(over.Set) {
		if err := e.set(k, over.Set[k]); err != nil {
			return err
		}
	}
	if len(over.Set) > 0 {
		e.Overrides = over.Set
	}
	return nil
}

// merge copies every non-zero field of src over the field of the same name in
// dst; maps are merged by key.
func merge(dst, src reflect.Value) {
	for i := range src.NumField() {
		s := src.Field(i)
		d := dst.FieldByName(src.Type().Field(i).Name)
		switch {
		case s.Kind() == reflect.Struct:
			merge(d, s)
		case s.IsZero():
		case s.Kind() == reflect.Map:
			if d.IsNil() {
				d.Set(reflect.MakeMap(d.Type()))
			}
			for it := s.MapRange(); it.Next(); {
				d.SetMapIndex(it.Key(), it.Value())
			}
		default:
			d.Set(s)
		}
	}
}

// sections are the parts of an experiment that --set may reach into.
var sections = []string{"network", "load", "design", "judge", "guards", "placement"}

// set applies one --set: a key of the experiment, or a flag of every node.
func (e *Experiment) set(key, value string) error {
	head, _, _ := strings.Cut(key, ".")
	if slices.Contains(sections, head) && key != "network.set" {
		return setPath(reflect.ValueOf(e).Elem(), key, key, value)
	}
	if err := config.CheckFlag(key, value); err != nil {
		return fmt.Errorf("--set %s=%s: %w", key, value, err)
	}
	for _, a := range e.Arms {
		if v, ok := a.Set[key]; ok {
			return fmt.Errorf("--set %s=%s: arm %s sets this flag itself (%s); change the arm in a file of your own", key, value, a.Name, v)
		}
	}
	if e.Network.Set == nil {
		e.Network.Set = map[string]string{}
	}
	e.Network.Set[key] = value
	return nil
}

func setPath(v reflect.Value, full, rest, value string) error {
	head, tail, more := strings.Cut(rest, ".")
	names := make([]string, 0, v.NumField())
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		names = append(names, name)
		if name != head {
			continue
		}
		f := v.Field(i)
		if more && f.Kind() == reflect.Struct {
			return setPath(f, full, tail, value)
		}
		if more {
			return fmt.Errorf("--set %s: %s has no keys below it", full, strings.TrimSuffix(full, "."+tail))
		}
		return setLeaf(f, full, value)
	}
	return fmt.Errorf("--set %s: unknown key %q%s; allowed here: %s", full, head, didYouMean(head, names), strings.Join(names, ", "))
}

func setLeaf(f reflect.Value, key, value string) error {
	fail := func(want string) error { return fmt.Errorf("--set %s=%s: %q is not %s", key, value, value, want) }
	switch f.Interface().(type) {
	case time.Duration:
		d, err := config.ParseDuration(value)
		if err != nil {
			return fail("a duration such as 3s")
		}
		f.SetInt(int64(d))
		return nil
	}
	switch f.Kind() {
	case reflect.Int:
		n, err := strconv.Atoi(value)
		if err != nil {
			return fail("a whole number")
		}
		f.SetInt(int64(n))
	case reflect.Uint64:
		n, err := strconv.ParseUint(value, 10, 64)
		if err != nil {
			return fail("a whole number")
		}
		f.SetUint(n)
	case reflect.Float64:
		x, err := strconv.ParseFloat(strings.TrimSuffix(value, "/s"), 64)
		if err != nil {
			return fail("a number")
		}
		f.SetFloat(x)
	case reflect.Bool:
		b, err := strconv.ParseBool(value)
		if err != nil {
			return fail("true or false")
		}
		f.SetBool(b)
	case reflect.String:
		f.SetString(value)
	default:
		return fmt.Errorf("--set %s: this key holds a list; change it in a file of your own", key)
	}
	return nil
}

func didYouMean(got string, known []string) string {
	if got != "" && config.Suggest(got, known) == "" {
		for _, k := range known { // cut short, not misspelt
			if strings.HasPrefix(k, got) {
				return fmt.Sprintf(" (did you mean %q?)", k)
			}
		}
	}
	if near := config.Suggest(got, known); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	return ""
}

func sortedKeys[V any](m map[string]V) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}
