package record

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	recordv1 "ledgerlab/proto/record/v1"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files anew")

// filled returns a record of each kind with a value in every field.
func filled() []*Record {
	var out []*Record
	body := (&recordv1.Record{}).ProtoReflect().Descriptor().Oneofs().ByName("body").Fields()
	for i := range body.Len() {
		r := &Record{Version: Version, Node: "n0", Run: 0xabc, Id: uint64(i + 1), TimeNs: 1796070000000000000, MonoNs: 5}
		n := 0
		m := r.ProtoReflect()
		fill(m.Mutable(body.Get(i)).Message(), &n)
		out = append(out, r)
	}
	return out
}

func fill(m protoreflect.Message, n *int) {
	fields := m.Descriptor().Fields()
	for i := range fields.Len() {
		f := fields.Get(i)
		*n++
		switch {
		case f.IsMap():
			m.Mutable(f).Map().Set(protoreflect.ValueOfString("key").MapKey(), scalar(f.MapValue(), *n))
		case f.IsList() && f.Kind() == protoreflect.MessageKind:
			fill(m.Mutable(f).List().AppendMutable().Message(), n)
		case f.IsList():
			m.Mutable(f).List().Append(scalar(f, *n))
		default:
			m.Set(f, scalar(f, *n))
		}
	}
}

func scalar(f protoreflect.FieldDescriptor, n int) protoreflect.Value {
	switch f.Kind() {
	case protoreflect.StringKind:
		return protoreflect.ValueOfString(string(f.Name()))
	case protoreflect.BoolKind:
		return protoreflect.ValueOfBool(true)
	case protoreflect.Int32Kind:
		return protoreflect.ValueOfInt32(int32(n))
	case protoreflect.Uint32Kind:
		return protoreflect.ValueOfUint32(uint32(n))
	case protoreflect.Int64Kind:
		return protoreflect.ValueOfInt64(int64(n))
	case protoreflect.Uint64Kind:
		return protoreflect.ValueOfUint64(uint64(n))
	case protoreflect.DoubleKind:
		return protoreflect.ValueOfFloat64(float64(n) / 2)
	default:
		panic(f.Kind())
	}
}

// TestGolden holds the JSON form of version 1. A difference means that old files
// would read otherwise: add a version instead.
func TestGolden(t *testing.T) {
	var got []byte
	var kinds []string
	for _, r := range filled() {
		kinds = append(kinds, KindOf(r))
		var err error
		if got, err = AppendJSON(got, r); err != nil {
			t.Fatal(err)
		}
	}
	slices.Sort(kinds)
	all := Kinds()
	slices.Sort(all)
	if !slices.Equal(kinds, all) {
		t.Fatalf("kinds %v, want %v", all, kinds)
	}
	const path = "testdata/v1.jsonl"
	if *rewrite {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("differs from %s; got\n%s", path, got)
	}
	i := 0
	if _, err := Read(bytes.NewReader(want), func(r *Record) error {
		if !proto.Equal(r, filled()[i]) {
			t.Errorf("line %d reads as %v", i+1, r)
		}
		i++
		return nil
	}); err != nil || i != len(kinds) {
		t.Fatal(i, err)
	}
}

func newRecorder(t *testing.T, o Options) *Recorder {
	t.Helper()
	o.Node, o.Run = "n0", 7
	r, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestFileAndStop(t *testing.T) {
	path := filepath.Join(t.TempDir(), "d", "r.jsonl")
	for run := range 2 {
		r := newRecorder(t, Options{File: path})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- r.Run(ctx) }()
		for i := range 100 {
			r.Mode(&Mode{OldMode: "full", SpentNs: int64(i)})
		}
		r.Close("test", 5, "AB")
		r.Mode(&Mode{OldMode: "late"})
		cancel()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if s := r.Stats(); s.Written != 101 || s.Dropped != 0 || s.Records != 102 {
			t.Fatalf("%+v", s)
		}
		if run == 0 { // a torn line, as a killed process leaves
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.WriteString(`{"version":1,"node":"n0","mo`); err != nil {
				t.Fatal(err)
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			torn, err := ReadFile(path, func(*Record) error { return nil })
			if !torn || err != nil {
				t.Fatal(torn, err)
			}
		}
	}
	n := 0
	var last *Record
	torn, err := ReadFile(path, func(r *Record) error { n++; last = r; return nil })
	if err != nil || torn || n != 202 || last.GetStop().GetRecords() != 101 {
		t.Fatal(n, torn, err, last)
	}
}

func TestReadFaults(t *testing.T) {
	for in, want := range map[string]string{
		"{}\n":                               "record format 0",
		`{"version":2}` + "\n":               "record format 2; this program reads 1 to 1",
		"x\n{}\n":                            "line 1",
		strings.Repeat("a", maxLineBytes+10): "longer than",
	} {
		if _, err := Read(strings.NewReader(in), func(*Record) error { return nil }); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v, want %s", in, err, want)
		}
	}
}

func TestBufferDropsAndCounts(t *testing.T) {
	r := newRecorder(t, Options{File: filepath.Join(t.TempDir(), "r"), Buffer: 3, Ring: 4})
	for range 10 { // nobody writes
		r.Flag(&Flag{Key: "a"})
	}
	if s := r.Stats(); s.Dropped != 7 || s.Records != 10 || s.Ring != 4 {
		t.Fatalf("%+v", s)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Run(ctx); err != nil {
		t.Fatal(err)
	}
	if s := r.Stats(); s.Written != 3 {
		t.Fatalf("%+v", s)
	}
}

func TestStream(t *testing.T) {
	r := newRecorder(t, Options{Ring: 8})
	for i := range 20 {
		if i%2 == 0 {
			r.Flag(&Flag{FromSeq: uint32(i)})
		} else {
			r.Mode(&Mode{})
		}
	}
	collect := func(o StreamOptions) (ids []uint64, lost uint64) {
		t.Helper()
		if err := r.Stream(t.Context(), o, func(rec *Record, at Token, l uint64) error {
			ids, lost = append(ids, at.ID), lost+l
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		return ids, lost
	}
	check := func(name string, o StreamOptions, want []uint64, wantLost uint64) {
		t.Helper()
		if ids, lost := collect(o); !slices.Equal(ids, want) || lost != wantLost {
			t.Errorf("%s: %v lost %d; want %v lost %d", name, ids, lost, want, wantLost)
		}
	}
	check("from start", StreamOptions{FromStart: true}, []uint64{13, 14, 15, 16, 17, 18, 19, 20}, 0)
	check("from now", StreamOptions{}, nil, 0)
	check("resume", StreamOptions{After: &Token{7, 18}}, []uint64{19, 20}, 0)
	check("resume behind the ring", StreamOptions{After: &Token{7, 4}}, []uint64{13, 14, 15, 16, 17, 18, 19, 20}, 8)
	check("token of another run", StreamOptions{After: &Token{6, 18}}, []uint64{13, 14, 15, 16, 17, 18, 19, 20}, 0)
	check("token of the future", StreamOptions{After: &Token{7, 99}}, []uint64{13, 14, 15, 16, 17, 18, 19, 20}, 0)
	check("kinds", StreamOptions{FromStart: true, Kinds: map[string]struct{}{"flag": {}}}, []uint64{13, 15, 17, 19}, 0)
}

func TestStreamFollows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRecorder(t, Options{Ring: 8})
		stop := errors.New("stop")
		var ids []uint64
		done := make(chan error, 1)
		go func() {
			done <- r.Stream(t.Context(), StreamOptions{Follow: true}, func(rec *Record, at Token, lost uint64) error {
				ids = append(ids, at.ID)
				if len(ids) == 5 {
					return stop
				}
				return nil
			})
		}()
		synctest.Wait()
		for range 5 {
			r.Mode(&Mode{})
			time.Sleep(time.Millisecond)
		}
		if err := <-done; !errors.Is(err, stop) || !slices.Equal(ids, []uint64{1, 2, 3, 4, 5}) {
			t.Fatal(err, ids)
		}
	})
}

func TestToken(t *testing.T) {
	want := Token{0xdeadbeef, 42}
	got, err := ParseToken(want.String())
	if err != nil || got != want {
		t.Fatal(got, err)
	}
	for _, s := range []string{"", "-", "a", "a-", "-1", "x-1", "1-x"} {
		if _, err := ParseToken(s); err == nil {
			t.Errorf("%q accepted", s)
		}
	}
}

func FuzzParseJSON(f *testing.F) {
	for _, r := range filled() {
		line, err := AppendJSON(nil, r)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		r, err := ParseJSON(line)
		if err != nil {
			return
		}
		out, err := AppendJSON(nil, r)
		if err != nil {
			t.Skip() // not valid UTF-8 and the like
		}
		again, err := ParseJSON(out)
		if err != nil || !proto.Equal(r, again) {
			t.Fatal(err)
		}
	})
}

func BenchmarkAdd(b *testing.B) {
	r, err := New(Options{Node: "n0", Run: 1})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		r.Batch(&Batch{OpenSeq: 5, Transactions: 40})
	}
}

func BenchmarkAppendJSON(b *testing.B) {
	rec := &Record{Version: 1, Node: "n0", Body: &recordv1.Record_Batch{Batch: &Batch{OpenSeq: 5, Transactions: 40, SetupNs: 1234567, ApplyNs: 7654321}}}
	var line []byte
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if line, err = AppendJSON(line[:0], rec); err != nil {
			b.Fatal(err)
		}
	}
}
