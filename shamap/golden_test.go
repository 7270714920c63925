package shamap

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// The historical genesis account and the roots of genesis states, as published.
const genesisAccount = "1100612200000000240000000125000000002D0000000055" +
	"0000000000000000000000000000000000000000000000000000000000000000" +
	"62416345785D8A00008114B5F762798A53D543A014CAF8B297CFF8F2F937E8"

func TestGenesisRoot(t *testing.T) {
	for name, l := range layouts() {
		t.Run(name, func(t *testing.T) {
			m := New(newEnv(t, l), KindState)
			defer m.Release()
			// Index of the account: SHA512Half(0x0061 || account id).
			id := unhex(t, "B5F762798A53D543A014CAF8B297CFF8F2F937E8")
			if err := m.Put(refHalf([]byte{0, 'a'}, id), unhex(t, genesisAccount)); err != nil {
				t.Fatal(err)
			}
			if got, want := mustHash(t, m), key32(t, "A21ED30C04C88046FC61DB9DC19375EEDBD365FD8C17286F27127DF804E9CAA6"); got != want {
				t.Fatalf("root %X, want %X", got, want)
			}
		})
	}
}

// A transaction set of one payment: 1000 XRP from genesis to account one.
func TestTransactionSetRoot(t *testing.T) {
	blob := unhex(t, "12000022000000002400000001201B0000001461400000003B9ACA0068400000000000000A73210330E7FC9D56BB25D6893BA3F317AE5BCF33B3291BD63DB32654A313222F7FD020"+
		"74473045022100AC01568B8BF7AE4D186C6D3709953F42C2F15E4A76AED782AB5D629D2F749FA802203890DFE944DAFA4CA6FB03E19AC210607E009035C034DE3723BA1D29400BE277"+
		"8114B5F762798A53D543A014CAF8B297CFF8F2F937E883140000000000000000000000000000000000000001")
	if len(blob) != 189 {
		t.Fatalf("blob of %d bytes, want 189", len(blob))
	}
	m := New(defaultEnv(t), KindTx)
	defer m.Release()
	id := refHalf([]byte("TXN\x00"), blob)
	if want := key32(t, "945A0760FB0A6D2CE6D4A2DB9420DE5BF7C1183A020BDB4D0EAC0A8F63AECBB8"); id != want {
		t.Fatalf("transaction id %X, want %X", id, want)
	}
	if err := m.Put(id, blob); err != nil {
		t.Fatal(err)
	}
	if got, want := mustHash(t, m), key32(t, "962F389CD2F6750A2DB48770D495954D5248DD30DA5DFC41483134942AFB3A6B"); got != want {
		t.Fatalf("root %X, want %X", got, want)
	}
}

// Three of the tree roots that rippled's own test holds.
func TestBuildAndTearKnownRoots(t *testing.T) {
	steps := [][2]string{
		{"B92891FE4EF6CEE585FDC6FDA1E09EB4D386363158EC3321B8123E5A772C6CA8", "B7387CFEA0465759ADC718E8C42B52D2309D179B326E239EB5075C64B6281F7F"},
		{"B92881FE4EF6CEE585FDC6FDA1E09EB4D386363158EC3321B8123E5A772C6CA8", "FBC195A9592A54AB44010274163CB6BA95F497EC5BA0A8831845467FB2ECE266"},
		{"B92691FE4EF6CEE585FDC6FDA1E09EB4D386363158EC3321B8123E5A772C6CA8", "4E7D2684B65DFD48937FFB775E20175C43AF0C94066F7D5679F51AE756795B75"},
	}
	for name, l := range layouts() {
		t.Run(name, func(t *testing.T) { buildAndTear(t, newEnv(t, l), steps) })
	}
}

func buildAndTear(t *testing.T, env *Env, steps [][2]string) (roots int) {
	t.Helper()
	m := New(env, KindTx)
	defer m.Release()
	for i, s := range steps {
		data := make([]byte, 32)
		for j := range data {
			data[j] = byte(i)
		}
		if err := m.Put(key32(t, s[0]), data); err != nil {
			t.Fatal(err)
		}
		if got := mustHash(t, m); got != key32(t, s[1]) {
			t.Fatalf("root after adding item %d is %X, want %s", i, got, s[1])
		}
		roots++
	}
	for i := len(steps) - 1; i >= 0; i-- {
		if err := m.Delete(key32(t, steps[i][0])); err != nil {
			t.Fatal(err)
		}
		want := [32]byte{}
		if i > 0 {
			want = key32(t, steps[i-1][1])
		}
		if got := mustHash(t, m); got != want {
			t.Fatalf("root after removing item %d is %X, want %X", i, got, want)
		}
	}
	return roots
}

// TestCases checks the given tree roots; see LEDGERLAB_CASES in the README.
func TestCases(t *testing.T) {
	dir := os.Getenv("LEDGERLAB_CASES")
	if dir == "" {
		t.Skip("LEDGERLAB_CASES is not set: given cases are not checked")
	}
	b, err := os.ReadFile(filepath.Join(dir, "shamap", "shamap_build_tear.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Steps []struct {
			Key  string `json:"add_key"`
			Root string `json:"root_after_add"`
		}
	}
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	var steps [][2]string
	for _, s := range file.Steps {
		steps = append(steps, [2]string{s.Key, s.Root})
	}
	n := buildAndTear(t, defaultEnv(t), steps)
	if n == 0 {
		t.Fatal("the file holds no steps")
	}
	t.Logf("shamap_build_tear.json: %d of %d roots, each also after removal", n, len(steps))
}
