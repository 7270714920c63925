package crypto

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"testing"

	"ledgerlab/node/casetest"
	"ledgerlab/node/protocol"

	"github.com/decred/dcrd/dcrec/secp256k1/v4"
)

func TestCasesKeypairs(t *testing.T) {
	type pair struct{ PrivateKey, PublicKey string }
	var d map[string]struct {
		Seed, Address, Message, Signature string
		Keypair, ValidatorKeypair         pair
	}
	loadCase(t, "keypairs/api.json", &d)
	for name, c := range d {
		kind, err := ParseKeyType(name)
		if err != nil {
			t.Fatal(err)
		}
		seed, fromText, err := ParseSeed(c.Seed)
		if err != nil || fromText != kind || seed.Encode(kind) != c.Seed {
			t.Errorf("%s: seed: %v", name, err)
		}
		k, err := GenerateAccountKey(seed, kind)
		if err != nil {
			t.Fatal(err)
		}
		if upper(k.Public) != c.Keypair.PublicKey || upper(k.Private()) != c.Keypair.PrivateKey[2:] ||
			k.AccountID().String() != c.Address {
			t.Errorf("%s: key %X address %s", name, k.Public, k.AccountID())
		}
		sig := k.Sign([]byte(c.Message))
		if upper(sig) != c.Signature || !Verify(k.Public, []byte(c.Message), sig, Canonical) {
			t.Errorf("%s: signature %X", name, sig)
		}
		node := k
		if kind == Secp256k1 {
			if node, err = GenerateNodeKey(seed); err != nil {
				t.Fatal(err)
			}
		}
		if upper(node.Public) != c.ValidatorKeypair.PublicKey || upper(node.Private()) != c.ValidatorKeypair.PrivateKey[2:] {
			t.Errorf("%s: validator key %X", name, node.Public)
		}
	}
	casetest.Checked("keypairs/api.json", len(d)*6, "seeds, keys, addresses, signatures")
}

func TestCasesWords(t *testing.T) {
	var words []string
	loadCase(t, "keypairs/rfc1751Words.json", &words)
	if len(words) != len(seedWords) {
		t.Fatalf("%d words, want %d", len(words), len(seedWords))
	}
	for i, w := range words {
		if seedWords[i] != w {
			t.Errorf("word %d: %s, want %s", i, seedWords[i], w)
		}
	}
	casetest.Checked("keypairs/rfc1751Words.json", len(words), "words")
}

func TestCasesKeyVectors(t *testing.T) {
	var d struct {
		Digest       string
		PublicKey    string `json:"public_key"`
		SecretKey    string `json:"secret_key"`
		Canonical    string `json:"fully_canonical_signature"`
		NonCanonical string `json:"non_canonical_signature"`
		Seeds        []struct{ Passphrase, Seed, Account string }
		BadSeeds     []string                                    `json:"bad_seeds"`
		NodePrivate  []struct{ Passphrase, Type, Base58 string } `json:"node_private"`
	}
	loadCase(t, "crypto/xrpl_key_vectors.json", &d)
	pub, msg := unhex(t, d.PublicKey), unhex(t, d.Digest)
	high := unhex(t, d.NonCanonical)
	switch {
	case !Verify(pub, msg, unhex(t, d.Canonical), Canonical), !Verify(pub, msg, unhex(t, d.Canonical), Historic):
		t.Error("the canonical signature must verify")
	case Verify(pub, msg, high, Canonical), !Verify(pub, msg, high, Historic):
		t.Error("the signature of high S must verify under the historic rule only")
	}
	k, err := KeyPairFromPrivate(Secp256k1, unhex(t, d.SecretKey))
	if err != nil || upper(k.Public) != d.PublicKey {
		t.Errorf("secret key: %v", err)
	}
	for _, c := range d.Seeds {
		seed := SeedFromPassphrase(c.Passphrase)
		if seed.Encode(Secp256k1) != c.Seed {
			t.Errorf("%s: %s", c.Passphrase, seed.Encode(Secp256k1))
		}
		if k, err := GenerateAccountKey(seed, Secp256k1); err != nil || c.Account != "" && k.AccountID().String() != c.Account {
			t.Errorf("%s: %v", c.Passphrase, err)
		}
	}
	for _, s := range d.BadSeeds {
		if _, _, err := ParseSeed(s); err == nil {
			t.Errorf("seed %q must be refused", s)
		}
	}
	for _, c := range d.NodePrivate {
		checkNodePrivate(t, c.Passphrase, c.Type, c.Base58)
	}
	casetest.Checked("crypto/xrpl_key_vectors.json", 5+len(d.Seeds)+len(d.BadSeeds)+len(d.NodePrivate), "signatures, seeds, keys")
}

func checkNodePrivate(t *testing.T, passphrase, kind, want string) {
	t.Helper()
	typ, err := ParseKeyType(kind)
	if err != nil {
		t.Fatal(err)
	}
	seed := SeedFromPassphrase(passphrase)
	k, err := GenerateNodeKey(seed)
	if typ == Ed25519 {
		k, err = GenerateAccountKey(seed, Ed25519)
	}
	if err != nil || protocol.EncodeNodePrivate(k.Private()) != want {
		t.Errorf("%s %s: %v", passphrase, kind, err)
	}
	if b, err := protocol.DecodeNodePrivate(want); err != nil || upper(b) != upper(k.Private()) {
		t.Errorf("%s: %v", want, err)
	}
}

func TestCasesSerializationKeys(t *testing.T) {
	type raw struct{ Bytes []int }
	var d struct {
		Vectors struct {
			Canonicality struct {
				Raw map[string]raw `json:"test_data"`
			}
			Keys struct {
				Cases []struct {
					Seed    []int  `json:"seed_bytes"`
					Public  []int  `json:"public_key_bytes"`
					Secret  []int  `json:"secret_key_bytes"`
					Address string `json:"account_address"`
				}
			} `json:"key_derivation_secp256k1"`
			Secrets struct {
				Cases []struct {
					Passphrase string
					Type       string `json:"key_type"`
					Base58     string `json:"base58_encoded"`
				}
				Invalid []struct{ Value string } `json:"invalid_cases"`
			} `json:"base58_secrets"`
		}
	}
	const name = "vectors/serialization_vectors.json"
	loadCase(t, name, &d)
	toBytes := func(v []int) []byte {
		b := make([]byte, len(v))
		for i, x := range v {
			b[i] = byte(x)
		}
		return b
	}
	n := 0
	c := d.Vectors.Canonicality.Raw
	pub, digest := toBytes(c["public_key"].Bytes), toBytes(c["digest"].Bytes)
	good, bad := toBytes(c["canonical_signature"].Bytes), toBytes(c["non_canonical_signature"].Bytes)
	if !IsCanonical(pub, good) || IsCanonical(pub, bad) {
		t.Error("canonicality")
	}
	if ok := VerifyDigest(pub, protocol.Hash(digest), good); ok != VerifyDigestRule(pub, protocol.Hash(digest), bad, Historic) {
		t.Error("both signatures must verify over the same digest, or neither")
	}
	n += 2
	for _, k := range d.Vectors.Keys.Cases { // the byte lists; the file's hexadecimal forms have slips
		p, err := GenerateAccountKey(Seed(toBytes(k.Seed)), Secp256k1)
		if err != nil || upper(p.Public) != upper(toBytes(k.Public)) || p.AccountID().String() != k.Address ||
			upper(p.Private()) != upper(toBytes(k.Secret)) {
			t.Errorf("%s: %v %X %X", k.Address, err, p.Public, p.Private())
		}
		n++
	}
	for _, s := range d.Vectors.Secrets.Cases {
		checkNodePrivate(t, s.Passphrase, s.Type, s.Base58)
		n++
	}
	for _, s := range d.Vectors.Secrets.Invalid {
		if _, err := protocol.DecodeNodePrivate(s.Value); err == nil {
			t.Errorf("%q must be refused", s.Value)
		}
		n++
	}
	casetest.Checked(name, n, "canonicality, key derivation, secrets")
}

type wycheproof struct {
	TestGroups []struct {
		PublicKey struct{ PK, Uncompressed string }
		Tests     []struct {
			TcID                      int
			Comment, Msg, Sig, Result string
		}
	}
}

func TestCasesEd25519(t *testing.T) {
	var d wycheproof
	loadCase(t, "crypto/ed25519_test.json", &d)
	n := 0
	batch, err := NewBatchVerifier(DefaultBatchOptions())
	if err != nil {
		t.Fatal(err)
	}
	var want []bool
	for _, g := range d.TestGroups {
		pub := append([]byte{edPrefix}, unhex(t, g.PublicKey.PK)...)
		for _, c := range g.Tests {
			msg, sig := unhex(t, c.Msg), unhex(t, c.Sig)
			ok := c.Result == "valid"
			if Verify(pub, msg, sig, Canonical) != ok || Verify(pub, msg, sig, Historic) != ok {
				t.Errorf("tcId %d (%s): want %s", c.TcID, c.Comment, c.Result)
			}
			alone := batch.Add(pub, msg, sig) && batch.Verify()[0]
			if alone != ok {
				t.Errorf("tcId %d (%s): batch of one says %v", c.TcID, c.Comment, alone)
			}
			want = append(want, ok)
			n++
		}
	}
	for _, g := range d.TestGroups { // all of them as neighbours
		for _, c := range g.Tests {
			batch.Add(append([]byte{edPrefix}, unhex(t, g.PublicKey.PK)...), unhex(t, c.Msg), unhex(t, c.Sig))
		}
	}
	for i, got := range batch.Verify() {
		if got != want[i] {
			t.Errorf("case %d: %v among neighbours, %v alone", i, got, want[i])
		}
	}
	casetest.Checked("crypto/ed25519_test.json", n, "signatures, single, in a batch of one and all together")
}

func TestCasesSecp256k1(t *testing.T) {
	var d wycheproof
	loadCase(t, "crypto/ecdsa_secp256k1_sha256_bitcoin_test.json", &d)
	n := 0
	for _, g := range d.TestGroups {
		key, err := secp256k1.ParsePubKey(unhex(t, g.PublicKey.Uncompressed))
		if err != nil {
			t.Fatal(err)
		}
		pub := key.SerializeCompressed()
		for _, c := range g.Tests {
			h := sha256.Sum256(unhex(t, c.Msg))
			if got := VerifyDigest(pub, h, unhex(t, c.Sig)); got != (c.Result == "valid") {
				t.Errorf("tcId %d (%s): %v, want %s", c.TcID, c.Comment, got, c.Result)
			}
			n++
		}
	}
	casetest.Checked("crypto/ecdsa_secp256k1_sha256_bitcoin_test.json", n, "signatures")
}

func TestCasesHighS(t *testing.T) {
	var d struct {
		Cases []struct {
			Hash, Signature string
			Blob            string `json:"tx_blob"`
			Data            string `json:"signing_data"`
			Key             string `json:"public_key"`
		}
	}
	loadCase(t, "crypto/mainnet_high_s_signatures.json", &d)
	for _, c := range d.Cases {
		tx, err := protocol.ParseTransaction(unhex(t, c.Blob))
		if err != nil {
			t.Errorf("%s: %v", c.Hash, err)
			continue
		}
		if tx.ID().String() != c.Hash || upper(tx.SigningData()) != c.Data || upper(tx.SigningPubKey()) != c.Key ||
			upper(tx.TxnSignature()) != c.Signature {
			t.Errorf("%s: id, signing data, key or signature differ", c.Hash)
		}
		if VerifyTransaction(tx, Canonical) || !VerifyTransaction(tx, Historic) || IsCanonical(tx.SigningPubKey(), tx.TxnSignature()) {
			t.Errorf("%s: must be refused for submission and accepted for replay", c.Hash)
		}
	}
	casetest.Checked("crypto/mainnet_high_s_signatures.json", len(d.Cases), "signatures of high S, under both rules")
}

// TestCasesSigning checks blob and id of the given input; the secret is not among the cases, so the signature is
// taken from the reply and verified.
func TestCasesSigning(t *testing.T) {
	for _, name := range []string{"sign", "signTicket"} {
		var form map[string]any
		var want struct{ SignedTransaction, ID string }
		loadCase(t, "signing/req-"+name+".json", &form)
		loadCase(t, "signing/resp-"+name+".json", &want)
		signed, err := protocol.ParseTransaction(unhex(t, want.SignedTransaction))
		if err != nil {
			t.Fatal(err)
		}
		o, err := protocol.ObjectFromMap(form)
		if err != nil {
			t.Fatal(err)
		}
		o.SetBlob(protocol.FieldSigningPubKey, signed.SigningPubKey())
		o.SetBlob(protocol.FieldTxnSignature, signed.TxnSignature())
		if upper(o.Bytes()) != want.SignedTransaction || signed.ID().String() != want.ID {
			t.Errorf("%s: %X", name, o.Bytes())
		}
		if !VerifyTransaction(signed, Canonical) {
			t.Errorf("%s: the signature does not verify", name)
		}
		casetest.Checked("signing/req-"+name+".json", 1, "transaction")
		casetest.Checked("signing/resp-"+name+".json", 1, "blob, id and signature")
	}
}

func TestCasesValidations(t *testing.T) {
	var rows []struct {
		Flags     uint32
		Ledger    string `json:"ledger_hash"`
		Index     string `json:"ledger_index"`
		LoadFee   uint32 `json:"load_fee"`
		Time      uint32 `json:"signing_time"`
		Key       string `json:"validation_public_key"`
		Signature string
	}
	loadCase(t, "validations/validations.json", &rows)
	for i, r := range rows {
		seq, _ := strconv.ParseUint(r.Index, 10, 32)
		key, err := protocol.DecodeNodePublic(r.Key)
		if err != nil {
			t.Fatal(err)
		}
		v := &protocol.Validation{
			Flags: r.Flags, LedgerHash: protocol.MustHash(r.Ledger), LedgerSequence: uint32(seq),
			LoadFee: r.LoadFee, SigningTime: r.Time, SigningPubKey: key, Signature: unhex(t, r.Signature),
		}
		back, err := protocol.ParseValidation(v.AppendTo(nil))
		if err != nil || fmt.Sprint(*back) != fmt.Sprint(*v) || back.ID() != v.ID() {
			t.Errorf("%d: does not come back: %v", i, err)
		}
		if !VerifyValidation(back, Canonical) {
			t.Errorf("%d: signature does not verify", i)
		}
		back.SigningTime++
		if VerifyValidation(back, Historic) {
			t.Errorf("%d: a changed validation verifies", i)
		}
	}
	casetest.Checked("validations/validations.json", len(rows), "validations verify, and not when changed")
}

func TestCasesManifests(t *testing.T) {
	var rows []struct {
		MasterSig string `json:"master_signature"`
		MasterKey string `json:"master_key"`
		Key       string `json:"signing_key"`
		Seq       uint32
		Signature string
		Domain    string
	}
	loadCase(t, "validations/manifests.json", &rows)
	for i, r := range rows {
		master, err1 := protocol.DecodeNodePublic(r.MasterKey)
		key, err2 := protocol.DecodeNodePublic(r.Key)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		m := &protocol.Manifest{
			Sequence: r.Seq, MasterKey: master, SigningKey: key, Domain: r.Domain,
			Signature: unhex(t, r.Signature), MasterSignature: unhex(t, r.MasterSig),
		}
		back, err := protocol.ParseManifest(m.AppendTo(nil))
		if err != nil || !VerifyManifest(back) {
			t.Errorf("%d: %v", i, err)
			continue
		}
		back.Sequence++
		if VerifyManifest(back) {
			t.Errorf("%d: a changed manifest verifies", i)
		}
	}
	casetest.Checked("validations/manifests.json", len(rows), "manifests verify, and not when changed")
}
