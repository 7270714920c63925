package memdb

import (
	"testing"

	"ledgerlab/store"
	"ledgerlab/store/storetest"
)

func TestBackend(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Backend { return New() })
}

func TestFolderKeepsGenerations(t *testing.T) {
	f := NewFolder()
	open := func() *store.Rotating {
		r, err := store.Open(store.Options{Dir: "d", FS: f, Backend: f.Open, NetworkID: 7})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r := open()
	b := store.NewBatch(0)
	b.PutObject(store.AccountNode, storetest.Key(1), []byte("one"))
	if err := r.Commit(b); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	r = open()
	defer r.Close()
	got, typ, err := r.Get(storetest.Key(1), nil)
	if err != nil || string(got) != "one" || typ != store.AccountNode {
		t.Errorf("got %q, %v, %v", got, typ, err)
	}
}
