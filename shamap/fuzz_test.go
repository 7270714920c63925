package shamap

import (
	"bytes"
	"testing"
)

func seedNodes(t testing.TB, env *Env) (wires, prefixed [][]byte) {
	for _, kind := range []Kind{KindTx, KindTxMeta, KindState} {
		m := New(env, kind)
		for i := range 40 {
			if err := m.Put(numKey(i), versionData(i, 1)); err != nil {
				t.Fatal(err)
			}
		}
		mustHash(t, m)
		n := 0
		_, err := m.eachNode(m.root, 0, func(x *Node) bool {
			wires = append(wires, x.appendWire(nil))
			prefixed = append(prefixed, x.appendPrefixed(nil))
			n++
			return n < 6
		})
		if err != nil {
			t.Fatal(err)
		}
		m.Release()
	}
	return wires, prefixed
}

// checkForms parses a prefix form and checks that every form of the node leads
// back to it.
func checkForms(t *testing.T, env *Env, b []byte) {
	h := half(b)
	n, err := ParsePrefixed(env, h, b)
	if err != nil {
		if !isCorrupt(err) {
			t.Fatalf("error without the hash: %v", err)
		}
		return
	}
	defer n.Release()
	if again, err := n.AppendPrefixed(nil); err != nil || !bytes.Equal(again, b) {
		t.Fatalf("prefix form changed: %x, error %v", again, err)
	}
	wire, err := n.AppendWire(nil)
	if err != nil {
		t.Fatal(err)
	}
	back, err := WireToPrefixed(nil, wire)
	if err != nil || !bytes.Equal(back, b) {
		t.Fatalf("wire form leads to %x, error %v", back, err)
	}
	if n.Hash() != h {
		t.Fatal("hash changed")
	}
}

func FuzzPrefixed(f *testing.F) {
	env := defaultEnv(f)
	_, prefixed := seedNodes(f, env)
	for _, b := range prefixed {
		f.Add(b)
	}
	f.Add([]byte("MIN\x00"))
	f.Add([]byte("TXN\x00x"))
	f.Fuzz(func(t *testing.T, b []byte) {
		checkForms(t, env, b)
		bad := half(append([]byte("x"), b...))
		if _, err := ParsePrefixed(env, bad, b); !isCorrupt(err) {
			t.Fatalf("wrong hash accepted: %v", err)
		}
	})
}

func FuzzWire(f *testing.F) {
	env := defaultEnv(f)
	wires, _ := seedNodes(f, env)
	for _, b := range wires {
		f.Add(b)
	}
	f.Add(append(make([]byte, 33), wireCompressed))
	f.Fuzz(func(t *testing.T, wire []byte) {
		b, err := WireToPrefixed(nil, wire)
		if err != nil {
			return
		}
		checkForms(t, env, b)
	})
}

func FuzzNodeID(f *testing.F) {
	f.Add(NodeID{}.AppendTo(nil))
	f.Add(NodeID{Path: [32]byte{0x12, 0x30}, Depth: 3}.AppendTo(nil))
	f.Add(bytes.Repeat([]byte{0xff}, 33))
	f.Fuzz(func(t *testing.T, b []byte) {
		id, err := ParseNodeID(b)
		if err == nil && !bytes.Equal(id.AppendTo(nil), b) {
			t.Fatal("node id changed")
		}
	})
}

// FuzzSync gives arbitrary nodes at arbitrary places to a tree being synced:
// it takes only what belongs there, and still becomes complete afterwards.
func FuzzSync(f *testing.F) {
	env := defaultEnv(f)
	m := New(env, KindState)
	for i := range 60 {
		if err := m.Put(numKey(i), versionData(i, 1)); err != nil {
			f.Fatal(err)
		}
	}
	root := mustHash(f, m)
	f.Cleanup(m.Release)
	wires, _ := seedNodes(f, env)
	for i, b := range wires {
		f.Add(NodeID{Depth: uint8(i)}.AppendTo(nil), b)
	}
	f.Fuzz(func(t *testing.T, at, wire []byte) {
		y := NewSyncer(env, KindState, root)
		defer y.Release()
		var id NodeID
		if len(at) == 33 {
			id = NodeID{Path: [32]byte(at), Depth: at[32]}
		}
		for {
			if r, err := y.AddNode(id, wire); (r == AddInvalid) != (err != nil) {
				t.Fatalf("%v with error %v", r, err)
			}
			wants, err := y.Missing(10)
			if err != nil {
				t.Fatal(err)
			}
			if len(wants) == 0 {
				break
			}
			for _, w := range wants {
				got, err := m.NodeFat(w.ID, 0, false, 1)
				if err != nil || len(got) != 1 {
					t.Fatal(err)
				}
				if r, err := y.AddNode(w.ID, got[0].Data); r == AddInvalid {
					t.Fatal(err)
				}
			}
		}
		x, err := y.Map()
		if err != nil {
			t.Fatal(err)
		}
		defer x.Release()
		if done, err := Diff(m, x, 0, func([32]byte, []byte, []byte) bool { return false }); !done || err != nil {
			t.Fatalf("synced tree differs, error %v", err)
		}
	})
}
