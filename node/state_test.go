package node

import (
	"encoding/binary"
	"io/fs"
	"path/filepath"
	"testing"
	"time"

	"ledgerlab/node/ledger"
	"ledgerlab/node/protocol"
)

func stateAccounts(n int) []ledger.GenesisAccount {
	out := make([]ledger.GenesisAccount, n)
	for i := range out {
		h := protocol.SHA512Half(binary.BigEndian.AppendUint64(nil, uint64(i)))
		copy(out[i].ID[:], h[:])
		out[i].Balance = 1_000_000_000
	}
	return out
}

func TestPreparedStateIsReproducible(t *testing.T) {
	var hashes []protocol.Hash
	for range 2 {
		i, err := MakeState(StateSpec{Dir: t.TempDir(), NetworkID: 20100, Accounts: stateAccounts(2000)}, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		hashes = append(hashes, i.Hash)
	}
	if hashes[0] != hashes[1] {
		t.Errorf("the same spec gave %s and %s", hashes[0], hashes[1])
	}
	dir := t.TempDir()
	if _, err := MakeState(StateSpec{Dir: dir, NetworkID: 20100, Accounts: stateAccounts(10)}, time.Now); err != nil {
		t.Fatal(err)
	}
	if _, err := MakeState(StateSpec{Dir: dir, NetworkID: 20100, Accounts: stateAccounts(10)}, time.Now); err == nil {
		t.Error("a folder in use was taken")
	}
}

// TestPreparedStateIsInTables: what a clone must copy, because only tables can be
// linked, does not grow with the state.
func TestPreparedStateIsInTables(t *testing.T) {
	dir := t.TempDir()
	if _, err := MakeState(StateSpec{Dir: dir, NetworkID: 20100, Accounts: stateAccounts(60_000)}, time.Now); err != nil {
		t.Fatal(err)
	}
	tables, rest := int64(0), int64(0)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil && filepath.Ext(path) == ".sst" {
			tables += info.Size()
		} else if err == nil {
			rest += info.Size()
		}
		return err
	})
	if err != nil || tables < 10<<20 || rest > 1<<20 {
		t.Errorf("%v: %d bytes in tables, %d in other files", err, tables, rest)
	}
}

func BenchmarkMakeState(b *testing.B) {
	for range b.N {
		i, err := MakeState(StateSpec{Dir: b.TempDir(), NetworkID: 20100, Accounts: stateAccounts(200_000)}, time.Now)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(i.Took.Seconds(), "s/state")
	}
}
