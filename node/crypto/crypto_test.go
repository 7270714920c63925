package crypto

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"ledgerlab/node/protocol"

	"github.com/oasisprotocol/curve25519-voi/primitives/ed25519"
	"pgregory.net/rapid"
)

func TestGenesisKey(t *testing.T) {
	seed := SeedFromPassphrase("masterpassphrase")
	if got := upper(seed[:]); got != "DEDCE9CE67B451D852FD4E846FCDE31C" {
		t.Errorf("seed %s", got)
	}
	if got := seed.Encode(Secp256k1); got != "snoPBrXtMeMyMHUVTgbuqAfg1SUTb" {
		t.Errorf("seed %s", got)
	}
	k, err := GenerateAccountKey(seed, Secp256k1)
	if err != nil {
		t.Fatal(err)
	}
	if upper(k.Private()) != "1ACAAEDECE405B2A958212629E16F2EB46B153EEE94CDD350FDEFF52795525B7" ||
		upper(k.Public) != "0330E7FC9D56BB25D6893BA3F317AE5BCF33B3291BD63DB32654A313222F7FD020" ||
		k.AccountID().String() != "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh" {
		t.Errorf("%X %X %s", k.Private(), k.Public, k.AccountID())
	}
	node, err := GenerateNodeKey(seed)
	if err != nil || protocol.EncodeNodePublic(node.Public) != "n94a1u4jAz288pZLtw6yFWVbi89YamiC6JBXPVUj5zmExe5fTVg9" {
		t.Errorf("node key %v", err)
	}
	if w := seed.Words(); w != "I IRE BOND BOW TRIO LAID SEAT GOAL HEN IBIS IBIS DARE" {
		t.Errorf("words %s", w)
	}
}

func TestWordsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Seed(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "seed"))
		back, err := SeedFromWords(s.Words())
		if err != nil || back != s {
			t.Fatalf("%s: %v", s.Words(), err)
		}
	})
	for _, bad := range []string{
		"", "I", "I IRE BOND BOW TRIO LAID SEAT GOAL HEN IBIS IBIS DARK",
		"I IRE BOND BOW TRIO LAID SEAT GOAL HEN IBIS IBIS XXXX",
	} {
		if _, err := SeedFromWords(bad); err == nil {
			t.Errorf("%q must be refused", bad)
		}
	}
}

// TestGoldenPayment signs the payment of the facts sheet: genesis to account one, 1,000 XRP.
func TestGoldenPayment(t *testing.T) {
	k, err := GenerateAccountKey(SeedFromPassphrase("masterpassphrase"), Secp256k1)
	if err != nil {
		t.Fatal(err)
	}
	o := &protocol.Object{}
	o.SetUint16(protocol.FieldTransactionType, uint16(protocol.TxPayment))
	o.SetUint32(protocol.FieldFlags, 0)
	o.SetUint32(protocol.FieldSequence, 1)
	o.SetUint32(protocol.FieldLastLedgerSequence, 20)
	o.SetDrops(protocol.FieldAmount, 1_000_000_000)
	o.SetDrops(protocol.FieldFee, 10)
	o.SetAccountID(protocol.FieldAccount, k.AccountID())
	o.SetAccountID(protocol.FieldDestination, protocol.AccountOne)
	tx, err := SignTransaction(k, o)
	if err != nil {
		t.Fatal(err)
	}
	const data = "5354580012000022000000002400000001201B0000001461400000003B9ACA0068400000000000000A73210330E7FC9D56BB25D6893BA3F317AE5BCF33B3291BD63DB32654A313222F7FD0208114B5F762798A53D543A014CAF8B297CFF8F2F937E883140000000000000000000000000000000000000001"
	const sig = "3045022100AC01568B8BF7AE4D186C6D3709953F42C2F15E4A76AED782AB5D629D2F749FA802203890DFE944DAFA4CA6FB03E19AC210607E009035C034DE3723BA1D29400BE277"
	if upper(tx.SigningData()) != data || upper(tx.TxnSignature()) != sig || len(tx.Blob()) != 189 ||
		tx.ID().String() != "945A0760FB0A6D2CE6D4A2DB9420DE5BF7C1183A020BDB4D0EAC0A8F63AECBB8" {
		t.Errorf("%X\n%X\n%s %d", tx.SigningData(), tx.TxnSignature(), tx.ID(), len(tx.Blob()))
	}
	if !VerifyTransaction(tx, Canonical) {
		t.Error("the signature does not verify")
	}
	// The set that holds only this payment: an inner root with one leaf.
	inner := make([]byte, 4+512)
	copy(inner, protocol.PrefixInner[:])
	id := tx.ID()
	copy(inner[4+32*int(id[0]>>4):], id[:])
	if h := protocol.SHA512Half(inner); h.String() != "962F389CD2F6750A2DB48770D495954D5248DD30DA5DFC41483134942AFB3A6B" {
		t.Errorf("set %s", h)
	}
}

func newPair(t testing.TB, rng *rand.Rand, kind KeyType) *KeyPair {
	t.Helper()
	var s Seed
	for i := range s {
		s[i] = byte(rng.Uint32())
	}
	k, err := GenerateAccountKey(s, kind)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// torsion are encodings of the points of small order, canonical and not.
var torsion = []string{
	"0100000000000000000000000000000000000000000000000000000000000000",
	"ECFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF7F",
	"0000000000000000000000000000000000000000000000000000000000000080",
	"0000000000000000000000000000000000000000000000000000000000000000",
	"C7176A703D4DD84FBA3C0B760D10670F2A2053FA2C39CCC64EC7FD7792AC03FA",
	"C7176A703D4DD84FBA3C0B760D10670F2A2053FA2C39CCC64EC7FD7792AC037A",
	"26E8958FC2B227B045C3F489F2EF98F0D5DFAC05D3C63339B13802886D53FC85",
	"26E8958FC2B227B045C3F489F2EF98F0D5DFAC05D3C63339B13802886D53FC05",
	"0100000000000000000000000000000000000000000000000000000000000080",
	"ECFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF",
	"EEFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF7F",
	"EEFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF",
	"EDFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF",
	"EDFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF7F",
}

// TestBatchAgrees mixes good, broken and odd signatures in random batches: every verdict must be that of Verify, with
// the cache of keys and without, whatever the neighbours are.
func TestBatchAgrees(t *testing.T) {
	const seed1, seed2 = 3, 1751
	rng := rand.New(rand.NewPCG(seed1, seed2))
	t.Logf("seed %d %d", seed1, seed2)
	var keys []*KeyPair
	for range 6 {
		keys = append(keys, newPair(t, rng, Ed25519), newPair(t, rng, Secp256k1))
	}
	for _, opts := range []BatchOptions{{ExpandedKeys: 4, MaxBatch: 300}, {MaxBatch: 300}, DefaultBatchOptions()} {
		v, err := NewBatchVerifier(opts)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{1, 2, 7, 64, 130} {
			var want []bool
			for range n {
				pub, msg, sig := oddSignature(t, rng, keys)
				want = append(want, Verify(pub, msg, sig, Canonical))
				if !v.Add(pub, msg, sig) {
					t.Fatal("full")
				}
			}
			if got := v.Verify(); len(got) != n || v.Len() != 0 {
				t.Fatalf("%d verdicts of %d", len(got), n)
			} else {
				for i := range got {
					if got[i] != want[i] {
						t.Errorf("%+v, batch of %d, %d: %v, alone %v", opts, n, i, got[i], want[i])
					}
				}
			}
		}
	}
}

func oddSignature(t testing.TB, rng *rand.Rand, keys []*KeyPair) (pub, msg, sig []byte) {
	k := keys[rng.IntN(len(keys))]
	msg = make([]byte, rng.IntN(300))
	for i := range msg {
		msg[i] = byte(rng.Uint32())
	}
	pub, sig = bytes.Clone(k.Public), k.Sign(msg)
	switch rng.IntN(12) {
	case 0:
		sig[rng.IntN(len(sig))] ^= 1 << rng.IntN(8)
	case 1:
		pub[rng.IntN(len(pub))] ^= 1 << rng.IntN(8)
	case 2:
		sig = sig[:rng.IntN(len(sig))]
	case 3:
		pub = pub[:rng.IntN(len(pub))]
	case 4, 5: // key and R of small order, S zero: the equation holds with cofactor
		pub = append([]byte{edPrefix}, unhex(t, torsion[rng.IntN(len(torsion))])...)
		sig = append(unhex(t, torsion[rng.IntN(len(torsion))]), make([]byte, 32)...)
	case 6: // R of small order under a good key
		copy(sig, unhex(t, torsion[rng.IntN(len(torsion))]))
	case 7:
		sig = append(sig, 0)
	}
	return pub, msg, sig
}

// TestTorsionRule pins the one rule: small orders pass where the equation with cofactor holds, a key whose y is not
// reduced is taken, an R that is not reduced is not, S at or above the order is not.
func TestTorsionRule(t *testing.T) {
	passed := 0
	for i, a := range torsion {
		for j, r := range torsion {
			pub := append([]byte{edPrefix}, unhex(t, a)...)
			sig := append(unhex(t, r), make([]byte, 32)...)
			got := Verify(pub, []byte("ledger"), sig, Canonical)
			_, err := ed25519.NewExpandedPublicKey(pub[1:])
			want := err == nil && j < 8 // the first eight are the reduced encodings
			if got != want {
				t.Errorf("key %d, R %d: %v, want %v", i, j, got, want)
			}
			if got {
				passed++
			}
		}
	}
	if passed == 0 {
		t.Error("no case passed: the list is not what it says")
	}
	k := newPair(t, rand.New(rand.NewPCG(1, 2)), Ed25519)
	sig := k.Sign([]byte("x"))
	raised := bytes.Clone(sig)
	carry := 0
	for i := range 32 { // S + order: the same residue, not reduced
		carry += int(raised[32+i]) + int(edOrder[31-i])
		raised[32+i] = byte(carry)
		carry >>= 8
	}
	if !Verify(k.Public, []byte("x"), sig, Canonical) || Verify(k.Public, []byte("x"), raised, Canonical) ||
		!IsCanonical(k.Public, sig) || IsCanonical(k.Public, raised) {
		t.Error("S must be below the order")
	}
}

func TestMultiSigning(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	a, b := newPair(t, rng, Secp256k1), newPair(t, rng, Ed25519)
	o := &protocol.Object{}
	o.SetUint16(protocol.FieldTransactionType, uint16(protocol.TxAccountSet))
	o.SetUint32(protocol.FieldSequence, 1)
	o.SetDrops(protocol.FieldFee, 30)
	o.SetAccountID(protocol.FieldAccount, protocol.AccountOne)
	signers := []protocol.Element{MultiSignature(a, o, a.AccountID()), MultiSignature(b, o, b.AccountID())}
	tx, err := JoinSignatures(o, signers)
	if err != nil || !VerifySigners(tx, Canonical) || VerifyTransaction(tx, Canonical) || len(tx.SigningPubKey()) != 0 {
		t.Fatalf("%v", err)
	}
	signers[0].Object.SetAccountID(protocol.FieldAccount, b.AccountID())
	if tx, err = JoinSignatures(o, signers); err != nil || VerifySigners(tx, Historic) {
		t.Error("a signature for another signer must not verify")
	}
	single, err := SignTransaction(a, o)
	if err != nil || VerifySigners(single, Canonical) || !VerifyTransaction(single, Canonical) {
		t.Error("a single signature is no multi-signature")
	}
}

func TestStatements(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	k, master := newPair(t, rng, Secp256k1), newPair(t, rng, Ed25519)
	p := &protocol.Proposal{PrevLedger: protocol.Hash{1}, TxSet: protocol.Hash{2}, Seq: 3, CloseTime: 4}
	SignProposal(k, p)
	back, err := protocol.ParseProposal(p.AppendTo(nil))
	if err != nil || !VerifyProposal(back) || back.ID() != p.ID() {
		t.Errorf("proposal: %v", err)
	}
	back.Seq++
	if VerifyProposal(back) {
		t.Error("a changed proposal verifies")
	}
	v := &protocol.Validation{
		Flags: protocol.VfFullValidation | protocol.VfFullyCanonicalSig, LedgerHash: protocol.Hash{9},
		LedgerSequence: 5, SigningTime: 6, Cookie: 7, CloseTime: 8, ConsensusHash: protocol.Hash{3},
	}
	SignValidation(k, v)
	vb, err := protocol.ParseValidation(v.AppendTo(nil))
	if err != nil || !VerifyValidation(vb, Canonical) || !bytes.Equal(vb.AppendTo(nil), v.AppendTo(nil)) {
		t.Errorf("validation: %v", err)
	}
	m := &protocol.Manifest{Sequence: 1, Domain: "example.com"}
	SignManifest(master, k, m)
	mb, err := protocol.ParseManifest(m.AppendTo(nil))
	if err != nil || !VerifyManifest(mb) || mb.Revoked() {
		t.Errorf("manifest: %v", err)
	}
	revoked := &protocol.Manifest{Sequence: protocol.ManifestRevoked}
	SignManifest(master, nil, revoked)
	if mb, err = protocol.ParseManifest(revoked.AppendTo(nil)); err != nil || !VerifyManifest(mb) || !mb.Revoked() {
		t.Errorf("revocation: %v", err)
	}
}

func BenchmarkVerify(b *testing.B) {
	for _, kind := range []KeyType{Ed25519, Secp256k1} {
		b.Run(kind.String(), func(b *testing.B) {
			k := newPair(b, rand.New(rand.NewPCG(1, 1)), kind)
			msg := make([]byte, 121)
			sig := k.Sign(msg)
			b.ReportAllocs()
			for b.Loop() {
				if !Verify(k.Public, msg, sig, Canonical) {
					b.Fatal("no")
				}
			}
		})
	}
}

// BenchmarkBatch reports the time of one signature in batches of 64 over many keys, with the keys expanded in the
// cache and with the cache missing always.
func BenchmarkBatch(b *testing.B) {
	const n = 64
	for _, c := range []struct {
		name string
		keys int
	}{{"keysCached", 4096}, {"noCache", 0}} {
		b.Run(c.name, func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 1))
			v, err := NewBatchVerifier(BatchOptions{ExpandedKeys: c.keys, MaxBatch: n})
			if err != nil {
				b.Fatal(err)
			}
			var pubs, msgs, sigs [][]byte
			for range n {
				k := newPair(b, rng, Ed25519)
				msg := make([]byte, 121)
				msg[0] = byte(rng.Uint32())
				pubs, msgs, sigs = append(pubs, k.Public), append(msgs, msg), append(sigs, k.Sign(msg))
			}
			out := make([]bool, n)
			b.ReportAllocs()
			for b.Loop() {
				for i := range pubs {
					v.Add(pubs[i], msgs[i], sigs[i])
				}
				v.VerifyInto(out)
				if !out[0] {
					b.Fatal("no")
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/sig")
		})
	}
}

func BenchmarkSign(b *testing.B) {
	k := newPair(b, rand.New(rand.NewPCG(1, 1)), Ed25519)
	msg := make([]byte, 121)
	b.ReportAllocs()
	for b.Loop() {
		k.Sign(msg)
	}
}
