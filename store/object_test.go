package store

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"
)

func inner(mask uint16) []byte {
	b := append(make([]byte, 0, innerLen), 'M', 'I', 'N', 0)
	r := rand.New(rand.NewPCG(1, uint64(mask)))
	for i := range innerBranches {
		var h Hash
		if mask&(0x8000>>i) != 0 {
			for j := range h {
				h[j] = byte(r.Uint32())
			}
		}
		b = append(b, h[:]...)
	}
	return b
}

func TestObjectRoundTrip(t *testing.T) {
	cases := []struct {
		name    string
		typ     ObjectType
		payload []byte
		want    ObjectType
		size    int
	}{
		{"leaf", AccountNode, []byte("MLN\x00leaf"), AccountNode, 1 + headLen + 8},
		{"empty", Ledger, nil, Ledger, 1 + headLen},
		{"one branch", AccountNode, inner(0x0100), Unknown, 1 + 2 + hashLen},
		{"first branch", AccountNode, inner(0x8000), Unknown, 1 + 2 + hashLen},
		{"fifteen", TxNode, inner(0xFFFE), Unknown, 1 + 2 + 15*hashLen},
		{"full", TxNode, inner(0xFFFF), Unknown, 1 + 16*hashLen},
		{"inner-sized leaf", TxNode, bytes.Repeat([]byte{7}, innerLen), TxNode, 1 + headLen + innerLen},
	}
	for _, c := range cases {
		v := AppendObject([]byte("x"), c.typ, c.payload)[1:]
		got, typ, err := DecodeObject([]byte("y"), v)
		if err != nil || typ != c.want || len(v) != c.size || !bytes.Equal(got[1:], c.payload) || got[0] != 'y' {
			t.Errorf("%s: %d bytes stored (want %d), type %d, %v", c.name, len(v), c.size, typ, err)
		}
	}
}

func TestObjectHead(t *testing.T) {
	got := AppendObject(nil, AccountNode, []byte("p"))
	want := []byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 'p'}
	if !bytes.Equal(got, want) {
		t.Errorf("stored %X, want %X", got, want)
	}
}

func TestObjectRefuses(t *testing.T) {
	for name, v := range map[string][]byte{
		"empty":          {},
		"short head":     {0, 1, 2},
		"lz4":            {1, 2, 3},
		"unknown codec":  {9},
		"no mask":        {2, 1},
		"empty mask":     {2, 0, 0},
		"short sparse":   append([]byte{2, 0x80, 0}, make([]byte, 31)...),
		"long sparse":    append([]byte{2, 0x80, 0}, make([]byte, 33)...),
		"short full":     append([]byte{3}, make([]byte, 511)...),
		"two-byte codec": {0x80, 1},
	} {
		if got, _, err := DecodeObject(nil, v); !errors.Is(err, ErrFormat) || len(got) != 0 {
			t.Errorf("%s: %X, %v", name, got, err)
		}
	}
}

func FuzzDecodeObject(f *testing.F) {
	for _, p := range [][]byte{inner(0x8001), inner(0xFFFF), []byte("leaf"), nil} {
		f.Add(AppendObject(nil, AccountNode, p))
	}
	f.Fuzz(func(t *testing.T, v []byte) {
		p, typ, err := DecodeObject(nil, v)
		if err != nil {
			return
		}
		again, typ2, err := DecodeObject(nil, AppendObject(nil, typ, p))
		if err != nil || !bytes.Equal(again, p) || typ2 != typ && typ2 != Unknown {
			t.Errorf("%X: %X then %X, %v", v, p, again, err)
		}
	})
}

func FuzzDecodeState(f *testing.F) {
	s := State{Format: FormatVersion, NetworkID: 3, Writable: "w", Archive: "a", Validated: Validated{Seq: 9, Header: Hex("h")}}
	enc, err := s.encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(enc)
	f.Add([]byte("ledgerlab store 1\n{}\ncrc32c 00000000\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := decodeState("state", data)
		if err != nil {
			return
		}
		if _, err := got.encode(); err != nil {
			t.Error(err)
		}
	})
}
