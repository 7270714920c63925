package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"strings"
	"sync"
	"testing"

	"ledgerlab/store"
	"ledgerlab/store/memdb"
	"ledgerlab/store/storetest"
)

func open(t *testing.T, f *memdb.Folder, change func(o *store.Options)) *store.Rotating {
	t.Helper()
	o := store.Options{Dir: "db", FS: f, Backend: f.Open, NetworkID: 7}
	if change != nil {
		change(&o)
	}
	r, err := store.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func put(t *testing.T, r *store.Rotating, ns ...int) {
	t.Helper()
	b := store.NewBatch(0)
	for _, n := range ns {
		b.PutObject(store.AccountNode, storetest.Key(n), storetest.Value(n))
	}
	if err := r.Commit(b); err != nil {
		t.Fatal(err)
	}
}

func readable(t *testing.T, r *store.Rotating, n int) bool {
	t.Helper()
	got, _, err := r.Get(storetest.Key(n), nil)
	if errors.Is(err, store.ErrNotFound) {
		return false
	}
	if err != nil || !bytes.Equal(got, storetest.Value(n)) {
		t.Fatalf("get %d: %X, %v", n, got, err)
	}
	return true
}

func rotate(t *testing.T, r *store.Rotating, seq uint32) {
	t.Helper()
	n, err := r.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Rotate(n, store.Rotation{LastRotated: seq}); err != nil {
		t.Fatal(err)
	}
}

func TestRotationKeepsWhatWasCopied(t *testing.T) {
	f := memdb.NewFolder()
	r := open(t, f, nil)
	put(t, r, 1, 2, 3)
	rotate(t, r, 10) // all in the archive now
	put(t, r, 4)
	if !readable(t, r, 1) {
		t.Error("1 is not readable from the archive")
	}
	r.SetInFlight(true)
	if !readable(t, r, 2) { // a hit in the archive is copied forward
		t.Error("2 is not readable from the archive")
	}
	r.SetInFlight(false)
	where, err := r.Duplicate(storetest.Key(3))
	if err != nil || where != store.InArchive {
		t.Errorf("duplicate 3: %v, %v", where, err)
	}
	for n, want := range map[int]store.Place{4: store.InWritable, 99: store.Nowhere} {
		if where, err := r.Duplicate(storetest.Key(n)); err != nil || where != want {
			t.Errorf("duplicate %d: %v, %v", n, where, err)
		}
	}
	rotate(t, r, 20)
	for n, want := range map[int]bool{1: false, 2: true, 3: true, 4: true} {
		if got := readable(t, r, n); got != want {
			t.Errorf("after the rotation %d readable: %v, want %v", n, got, want)
		}
	}
	if s := r.State(); s.LastRotated != 20 || s.Rotations != 2 || s.Writable != "ledgerdb.000004" || s.Archive != "ledgerdb.000003" {
		t.Errorf("state %+v", s)
	}
	if s := r.Stats(); s.Forwarded != 2 {
		t.Errorf("stats %+v", s)
	}
	names, _ := f.List("db")
	if got := strings.Join(names, " "); got != "ledgerdb.000003 ledgerdb.000004 state" {
		t.Errorf("directory holds %s", got)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

func TestStateSurvives(t *testing.T) {
	f := memdb.NewFolder()
	r := open(t, f, nil)
	put(t, r, 1)
	v := store.Validated{Seq: 5, Hash: store.HexHash(storetest.Key(1)), Header: []byte("header")}
	if err := errors.Join(r.SetValidated(v), r.SetLastRotated(3), r.SetOldest(2)); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); !errors.Is(err, store.ErrClosed) {
		t.Errorf("second close: %v", err)
	}
	if _, _, err := r.Get(storetest.Key(1), nil); !errors.Is(err, store.ErrClosed) {
		t.Errorf("get after close: %v", err)
	}
	r = open(t, f, nil)
	defer r.Close()
	s := r.State()
	if s.Validated.Seq != 5 || s.Validated.Hash != v.Hash || string(s.Validated.Header) != "header" || s.LastRotated != 3 || s.Oldest != 2 {
		t.Errorf("%+v", s)
	}
	if !readable(t, r, 1) {
		t.Error("1 is gone")
	}
}

func TestOpenRefuses(t *testing.T) {
	prepare := func(t *testing.T) *memdb.Folder {
		f := memdb.NewFolder()
		if err := open(t, f, nil).Close(); err != nil {
			t.Fatal(err)
		}
		return f
	}
	state := path.Join("db", "state")
	edit := func(t *testing.T, f *memdb.Folder, from, to string) {
		data, err := f.ReadFile(state)
		if err != nil {
			t.Fatal(err)
		}
		_ = f.WriteSync(state, bytes.Replace(data, []byte(from), []byte(to), 1))
	}
	cases := []struct {
		name   string
		change func(t *testing.T, f *memdb.Folder)
		want   error
		text   string
	}{
		{"foreign network", func(*testing.T, *memdb.Folder) {}, store.ErrForeign, "holds network 7, this node is of network 8"},
		{"newer format", func(t *testing.T, f *memdb.Folder) { edit(t, f, "store 1", "store 2") }, store.ErrForeign, `format "2"`},
		{"not a state file", func(_ *testing.T, f *memdb.Folder) { _ = f.WriteSync(state, []byte("hello")) }, store.ErrForeign, "not a state file"},
		{"flipped byte", func(t *testing.T, f *memdb.Folder) { edit(t, f, `"oldest":0`, `"oldest":1`) }, store.ErrCorrupt, "checksum"},
		{"state file gone", func(_ *testing.T, f *memdb.Folder) { _ = f.RemoveAll(state) }, store.ErrForeign, "no state file"},
		{"archive gone", func(_ *testing.T, f *memdb.Folder) { _ = f.RemoveAll("db/ledgerdb.000001") }, store.ErrCorrupt, "ledgerdb.000001 is not there"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := prepare(t)
			c.change(t, f)
			id := uint32(7)
			if c.name == "foreign network" {
				id = 8
			}
			_, err := store.Open(store.Options{Dir: "db", FS: f, Backend: f.Open, NetworkID: id})
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v; want %v with %q in one line", err, c.want, c.text)
			}
		})
	}
}

func TestHalfMadeGenerationIsRemoved(t *testing.T) {
	f := memdb.NewFolder()
	if err := open(t, f, nil).Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Open("db/ledgerdb.000003"); err != nil {
		t.Fatal(err)
	}
	_ = f.WriteSync("db/other.file", nil)
	var said []string
	r := open(t, f, func(o *store.Options) { o.Warn = func(s string) { said = append(said, s) } })
	defer r.Close()
	names, _ := f.List("db")
	if got := strings.Join(names, " "); got != "ledgerdb.000001 ledgerdb.000002 other.file state" {
		t.Errorf("directory holds %s", got)
	}
	if len(said) != 1 || !strings.Contains(said[0], "ledgerdb.000003") {
		t.Errorf("said %q", said)
	}
}

func TestCheckNamesTheHash(t *testing.T) {
	f := memdb.NewFolder()
	bad := errors.New("hash differs")
	r := open(t, f, func(o *store.Options) {
		o.Check = func(h store.Hash, _ store.ObjectType, p []byte) error {
			if !bytes.Equal(p, storetest.Value(1)) {
				return bad
			}
			return nil
		}
	})
	defer r.Close()
	put(t, r, 1, 2)
	if !readable(t, r, 1) {
		t.Error("1 is gone")
	}
	h := storetest.Key(2)
	got, _, err := r.Get(h, []byte("x"))
	if !errors.Is(err, store.ErrCorrupt) || !errors.Is(err, bad) || string(got) != "x" {
		t.Errorf("%q, %v", got, err)
	}
	if !strings.Contains(err.Error(), fmt.Sprintf("%X", h)) || r.Stats().Corrupt != 1 {
		t.Errorf("%v, %+v", err, r.Stats())
	}
}

type failing struct {
	store.Backend
	err error
}

func (f *failing) Commit(*store.Batch) error { return f.err }

func TestWriteErrorSticks(t *testing.T) {
	f := memdb.NewFolder()
	r := open(t, f, func(o *store.Options) {
		o.Backend = func(dir string) (store.Backend, error) {
			b, err := f.Open(dir)
			return &failing{b, store.ErrFull}, err
		}
	})
	b := store.NewBatch(0)
	b.Put(storetest.Key(1), nil)
	for range 2 {
		if err := r.Commit(b); !errors.Is(err, store.ErrFull) {
			t.Errorf("commit: %v", err)
		}
	}
	if err := r.SetValidated(store.Validated{Seq: 1}); !errors.Is(err, store.ErrFull) {
		t.Errorf("the validated ledger moved on after a failed write: %v", err)
	}
	if _, err := r.Prepare(); !errors.Is(err, store.ErrFull) {
		t.Errorf("a rotation began after a failed write: %v", err)
	}
	if err := r.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
}

// TestReadersDuringRotations reads and writes while generations are swapped: what was copied or written is always
// readable, and no reader meets a closed backend.
func TestReadersDuringRotations(t *testing.T) {
	f := memdb.NewFolder()
	r := open(t, f, func(o *store.Options) { o.ForwardBytes = 500 })
	defer r.Close()
	const keys, rounds = 50, 30
	for n := range keys {
		put(t, r, n)
	}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				n := (i*7 + w) % keys
				if _, _, err := r.Get(storetest.Key(n), nil); err != nil {
					t.Errorf("get %d: %v", n, err)
					return
				}
				if i%10 == 0 {
					put(t, r, keys+w)
				}
			}
		})
	}
	for round := range rounds {
		r.SetInFlight(true)
		for n := range keys {
			if where, err := r.Duplicate(storetest.Key(n)); err != nil || where == store.Nowhere {
				t.Errorf("round %d: duplicate %d: %v, %v", round, n, where, err)
			}
		}
		rotate(t, r, uint32(round))
		r.SetInFlight(false)
	}
	close(stop)
	wg.Wait()
}

// TestPacedDeletion removes the old generation a few files at a time, and leaves the rest to the next start or rotation
// when it is told to stop.
func TestPacedDeletion(t *testing.T) {
	f := memdb.NewFolder()
	var warned []string
	r := open(t, f, func(o *store.Options) { o.Warn = func(s string) { warned = append(warned, s) } })
	old := path.Join("db", r.State().Archive)
	for i := range 5 {
		if err := f.WriteSync(path.Join(old, fmt.Sprint(i)), []byte{1}); err != nil {
			t.Fatal(err)
		}
	}
	pauses := 0
	prepared, err := r.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	err = r.Rotate(prepared, store.Rotation{LastRotated: 1, DeleteBatch: 2, Pause: func() bool { pauses++; return pauses < 2 }})
	if err != nil || pauses != 2 {
		t.Fatalf("%d pauses, %v", pauses, err)
	}
	left, err := f.List(old)
	if err != nil || len(left) != 1 {
		t.Errorf("left %v, %v", left, err)
	}
	rotate(t, r, 2)
	if left, _ := f.List(old); len(left) != 0 || len(warned) != 1 {
		t.Errorf("after the next rotation: left %v, warned %q", left, warned)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}
