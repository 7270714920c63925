package check

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ledgerlab/node/folder"
	"ledgerlab/node/history"
	"ledgerlab/store"
	"ledgerlab/store/memdb"
	"ledgerlab/store/pebbledb"
)

func TestSoundStore(t *testing.T) {
	f := testStore(t)
	rep := run(t, f)
	if !rep.Sound() || len(rep.Findings) != 0 || rep.Ledgers != testLast-testFirst+1 || rep.Whole != rep.Ledgers {
		t.Fatalf("%+v", rep)
	}
	all := map[hash]Kind{}
	for _, l := range needs(t, f) {
		maps.Copy(all, l)
	}
	// What ledgers share is walked once; only a leaf that moves up or down a level is met again.
	if total, leaves := rep.Objects.Total(), rep.Objects.StateLeaves; total < uint64(len(all)) || total > uint64(len(all))+leaves/4 {
		t.Errorf("%d objects walked, the ledgers need %d", total, len(all))
	}
	if rep.NetworkID != 7 || rep.Oldest != testFirst || rep.Newest != testLast || rep.Objects.TxLeaves == 0 {
		t.Errorf("%+v", rep)
	}
}

// TestEveryObjectIsMissed takes every object of the store away, flips a byte in it,
// and stores it as what it is not, one at a time: each time that object is named,
// with its kind and exactly the ledgers that need it, and nothing else.
func TestEveryObjectIsMissed(t *testing.T) {
	f := testStore(t)
	need, all := needs(t, f), objects(t, f)
	damages := map[Fault]func(v []byte) []byte{
		Missing: func([]byte) []byte { return nil },
		Corrupt: func(v []byte) []byte { v = slices.Clone(v); v[len(v)-1] ^= 1; return v },
		Wrong: func(v []byte) []byte {
			if v[0] != 0 {
				return v // an inner node has no type
			}
			v = slices.Clone(v)
			v[9] ^= 7 // the type
			return v
		},
	}
	for fault, damage := range damages {
		for _, victim := range all {
			if fault == Wrong && victim.value[0] != 0 {
				continue
			}
			rep := run(t, with(t, f, all, func(o stored) []byte {
				if o.key == victim.key {
					return damage(o.value)
				}
				return o.value
			}))
			checkNamed(t, rep, need, fault, victim.key)
		}
	}
}

// checkNamed compares the findings with the oracle.
func checkNamed(t *testing.T, rep *Report, need map[uint32]map[hash]Kind, fault Fault, victim hash) {
	t.Helper()
	told := map[uint32]bool{}
	for _, g := range rep.Findings {
		if g.Fault != fault || g.Key != hexOf(victim) || g.Kind != need[g.Last][victim] {
			t.Fatalf("%s of %s: found %s", fault, hexOf(victim), g)
		}
		for seq := g.First; seq <= g.Last; seq++ {
			told[seq] = true
		}
	}
	broken := 0
	for seq, objects := range need {
		_, needed := objects[victim]
		if told[seq] != needed {
			t.Fatalf("%s of %s: ledger %d needs it: %t, told: %t\n%v", fault, hexOf(victim), seq, needed, told[seq], rep.Findings)
		}
		if needed {
			broken++
		}
	}
	if rep.Sound() || rep.Damaged[fault] != len(rep.Findings) || rep.Whole != len(need)-broken {
		t.Fatalf("%s of %s: %d of %d ledgers whole, %d need it; %v", fault, hexOf(victim), rep.Whole, len(need), broken, rep.Damaged)
	}
}

func TestWrongLedgerInTheChain(t *testing.T) {
	f := testStore(t)
	db, err := store.Open(store.Options{Dir: "store", FS: f, Backend: f.Open, NetworkID: 7})
	if err != nil {
		t.Fatal(err)
	}
	v := db.State().Validated
	v.Seq++ // the marker names a ledger whose header says another number
	if err := errors.Join(db.SetValidated(v), db.Close()); err != nil {
		t.Fatal(err)
	}
	rep := run(t, f)
	if len(rep.Findings) != 3 || rep.Findings[0].Kind != KindStateFile || rep.Findings[1].Kind != KindHeader ||
		rep.Findings[1].Fault != Wrong || !strings.Contains(rep.Findings[1].Detail, "of ledger 12") || rep.Findings[2].Last != testLast {
		t.Errorf("%v", rep.Findings)
	}
}

// TestBeyondASkipList: without the skip list a missing header hides what is below,
// and that is said.
func TestBeyondASkipList(t *testing.T) {
	f := testStore(t)
	need, all := needs(t, f), objects(t, f)
	rep := run(t, with(t, f, all, func(o stored) []byte {
		if need[10][o.key] == KindHeader || need[11][o.key] == KindState && need[10][o.key] == "" {
			return nil // what ledger 11 changed, its skip list among it
		}
		return o.value
	}))
	last := rep.Findings[len(rep.Findings)-1]
	if last.Kind != KindHeader || last.First != testFirst || last.Last != 9 || last.Detail == "" {
		t.Errorf("%v", rep.Findings)
	}
}

func TestFindingsAreBounded(t *testing.T) {
	f := testStore(t)
	all := objects(t, f)
	bad := with(t, f, all, func(o stored) []byte {
		if o.value[0] == 0 && o.value[9] != byte(store.Ledger) { // every leaf
			return nil
		}
		return o.value
	})
	o := inMemory(bad)
	o.NamedMax = 5
	rep, err := Run(t.Context(), o)
	if err != nil || len(rep.Findings) != 5 || rep.Unnamed == 0 || rep.Damaged[Missing] != 5+rep.Unnamed || rep.Whole != 0 {
		t.Errorf("%v %+v", err, rep)
	}
}

func TestFoldersThatCannotBeWalked(t *testing.T) {
	sound := testStore(t)
	edit := func(change func(f *memdb.Folder)) *memdb.Folder {
		f := with(t, sound, objects(t, sound), func(o stored) []byte { return o.value })
		change(f)
		return f
	}
	fresh := memdb.NewFolder()
	db, err := store.Open(store.Options{Dir: "store", FS: fresh, Backend: fresh.Open, NetworkID: 7})
	if err != nil {
		t.Fatal(err)
	}
	_ = db.Close()
	for _, c := range []struct {
		name string
		f    *memdb.Folder
		id   uint32
		want error
		text string
	}{
		{"no store", memdb.NewFolder(), 0, ErrNoStore, "no data folder"},
		{"nothing validated", fresh, 0, ErrEmpty, "no validated ledger"},
		{"another network", sound, 8, store.ErrForeign, "of network 7, not 8"},
		{"another format", edit(func(f *memdb.Folder) {
			_ = f.WriteSync("store/state", []byte("ledgerlab store 99\n{}\ncrc32c 0\n"))
		}), 0, store.ErrForeign, `format "99"`},
		{"not our file", edit(func(f *memdb.Folder) { _ = f.WriteSync("store/state", []byte("hello")) }), 0, store.ErrForeign, "not a state file"},
	} {
		o := inMemory(c.f)
		o.NetworkID = c.id
		_, err := Run(t.Context(), o)
		if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.text) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	for name, f := range map[string]*memdb.Folder{
		"state file": edit(func(f *memdb.Folder) { _ = f.RemoveAll("store/state") }),
		"generation": edit(func(f *memdb.Folder) { _ = f.RemoveAll("store/ledgerdb.000001") }),
	} {
		if rep := run(t, f); rep.Sound() || string(rep.Findings[0].Kind) != name || rep.Findings[0].Fault != Missing {
			t.Errorf("%s gone: %v", name, rep.Findings)
		}
	}
}

// TestOnDisk copies a store to Pebble and checks it there: sound, with a byte of a
// table flipped, and while another has it.
func TestOnDisk(t *testing.T) {
	dir := t.TempDir()
	f := testStore(t)
	o := store.Options{Dir: filepath.Join(dir, "store"), NetworkID: 7, Backend: func(d string) (store.Backend, error) {
		po := pebbledb.Default()
		po.Dir = d
		return pebbledb.Open(po)
	}}
	db, err := store.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	b := store.NewBatch(0)
	for _, x := range objects(t, f) {
		b.Put(x.key, x.value)
	}
	st, _, _ := store.ReadState(f, "store")
	if err := errors.Join(db.Commit(b), db.Sync(), db.SetValidated(st.Validated), db.SetOldest(testFirst)); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), Options{Dir: dir}); !errors.Is(err, folder.ErrInUse) || strings.Contains(err.Error(), "\n") {
		t.Errorf("beside an open store: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	held, err := folder.Take(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Run(t.Context(), Options{Dir: dir}); !errors.Is(err, folder.ErrInUse) {
		t.Errorf("beside a node: %v", err)
	}
	_ = held.Release()
	for range 2 { // a check leaves everything as it was
		rep, err := Run(t.Context(), Options{Dir: dir, NetworkID: 7})
		if err != nil || !rep.Sound() || rep.Whole != testLast-testFirst+1 {
			t.Fatalf("%v %+v", err, rep)
		}
	}
	if db, err = store.Open(o); err != nil { // what is in the log goes into tables
		t.Fatal(err)
	}
	_ = db.Close()
	flip(t, dir)
	rep, err := Run(t.Context(), Options{Dir: dir})
	if err != nil || rep.Damaged[Corrupt] == 0 || strings.Contains(rep.Findings[0].String(), "\n") {
		t.Errorf("with a flipped byte: %v %+v", err, rep)
	}
}

// flip changes one byte in the middle of the largest table.
func flip(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "store", "ledgerdb.000002", "*.sst"))
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	var largest string
	var data []byte
	for _, name := range files {
		if d, err := os.ReadFile(name); err == nil && len(d) > len(data) {
			largest, data = name, d
		}
	}
	data[len(data)/2] ^= 1
	if err := os.WriteFile(largest, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// index enters the ledgers of a sound store, some left out or told wrong, into its
// history index.
func index(t *testing.T, f *memdb.Folder, need map[uint32]map[hash]Kind, change func(seq uint32, id hash) (hash, bool)) {
	t.Helper()
	x, err := history.New(history.Options{
		Generations: func() (string, string) { return "ledgerdb.000002", "ledgerdb.000001" },
		Open: func(g string) (history.Backend, error) {
			b, err := f.Open("store/" + g + "/index")
			return b.(history.Backend), err
		},
	})
	if err == nil {
		err = x.Follow()
	}
	if err != nil {
		t.Fatal(err)
	}
	for seq, objects := range need {
		for h, kind := range objects {
			if kind != KindHeader {
				continue
			}
			if h, in := change(seq, h); in {
				if err := x.Add(history.Ledger{Seq: seq, Hash: h}); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if err := x.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestIndexTellsLostFromNeverHeld: of two ledgers without a header one was entered
// when it was held, and only that one is damage.
func TestIndexTellsLostFromNeverHeld(t *testing.T) {
	sound := testStore(t)
	need, all := needs(t, sound), objects(t, sound)
	f := with(t, sound, all, func(o stored) []byte {
		if need[6][o.key] == KindHeader || need[9][o.key] == KindHeader {
			return nil
		}
		return o.value
	})
	index(t, f, need, func(seq uint32, h hash) (hash, bool) { return h, seq != 6 })
	rep := run(t, f)
	if len(rep.Findings) != 1 || rep.Findings[0].Kind != KindHeader || rep.Findings[0].First != 9 ||
		!slices.Equal(rep.NotHeld, []Span{{First: 6, Last: 6}}) || rep.Whole != len(need)-2 {
		t.Errorf("%v, not held %v, %d whole", rep.Findings, rep.NotHeld, rep.Whole)
	}
}

// TestIndexAgainstTheChain: an entry that names another ledger is wrong.
func TestIndexAgainstTheChain(t *testing.T) {
	f := testStore(t)
	index(t, f, needs(t, f), func(seq uint32, h hash) (hash, bool) {
		if seq == 5 {
			h[0] ^= 1
		}
		return h, true
	})
	rep := run(t, f)
	if len(rep.Findings) != 1 || rep.Findings[0].Kind != KindIndex || rep.Findings[0].Fault != Wrong || rep.Findings[0].Last != 5 {
		t.Errorf("%v", rep.Findings)
	}
}
