package protocol

// ManifestRevoked as a manifest's sequence says that the master key is revoked.
const ManifestRevoked uint32 = 0xFFFFFFFF

// maxManifestBytes bounds a manifest; real ones have about 200 to 400 bytes.
const maxManifestBytes = 4 << 10

// Manifest binds a validator's signing key to its master key.
type Manifest struct {
	Sequence        uint32
	MasterKey       []byte
	SigningKey      []byte // empty when revoked
	Domain          string
	Signature       []byte // by the signing key; empty when revoked
	MasterSignature []byte
	version         bool // the version field was there
}

// Revoked reports whether the manifest revokes its master key.
func (m *Manifest) Revoked() bool { return m.Sequence == ManifestRevoked }

// Object returns the general form.
func (m *Manifest) Object() *Object {
	o := &Object{}
	if m.version {
		o.SetUint16(FieldVersion, 0)
	}
	o.SetUint32(FieldSequence, m.Sequence)
	o.SetBlob(FieldPublicKey, m.MasterKey)
	if m.SigningKey != nil {
		o.SetBlob(FieldSigningPubKey, m.SigningKey)
	}
	if m.Signature != nil {
		o.SetBlob(FieldSignature, m.Signature)
	}
	if m.Domain != "" {
		o.SetBlob(FieldDomain, []byte(m.Domain))
	}
	if m.MasterSignature != nil {
		o.SetBlob(FieldMasterSignature, m.MasterSignature)
	}
	return o
}

// AppendTo appends the serialised form.
func (m *Manifest) AppendTo(dst []byte) []byte { return m.Object().AppendTo(dst) }

// SigningData is what both signatures sign.
func (m *Manifest) SigningData() []byte {
	return m.Object().AppendSigningTo(append([]byte(nil), PrefixManifest[:]...))
}

// ID is the hash of the serialised form.
func (m *Manifest) ID() Hash { return half(m.AppendTo(nil)) }

// ParseManifest reads a serialised manifest and checks its parts, but not its signatures.
func ParseManifest(b []byte) (*Manifest, error) {
	if len(b) > maxManifestBytes {
		return nil, fault(0, 0, "%d bytes are above %d", len(b), maxManifestBytes)
	}
	o, err := ParseObject(b)
	if err != nil {
		return nil, err
	}
	if f, ok := manifestStranger(o); ok {
		return nil, fault(0, f, "does not belong to a manifest")
	}
	for _, f := range []Field{FieldSequence, FieldPublicKey, FieldMasterSignature} {
		if !o.Has(f) {
			return nil, fault(len(b), f, "missing, and every manifest has it")
		}
	}
	m := &Manifest{
		Sequence: o.Uint32(FieldSequence), MasterKey: o.Blob(FieldPublicKey),
		MasterSignature: o.Blob(FieldMasterSignature), version: o.Has(FieldVersion),
	}
	if v := o.Uint16(FieldVersion); v != 0 {
		return nil, fault(0, FieldVersion, "version %d is unknown", v)
	}
	if !validPublicKey(m.MasterKey) {
		return nil, fault(0, FieldPublicKey, "not a public key")
	}
	if d, ok := o.Raw(FieldDomain); ok {
		if len(d) < 4 || len(d) > 128 { // rippled isProperlyFormedTomlDomain
			return nil, fault(0, FieldDomain, "a domain has 4 to 128 characters, not %d", len(d))
		}
		m.Domain = string(d)
	}
	sig, hasSig := o.Raw(FieldSignature)
	key, hasKey := o.Raw(FieldSigningPubKey)
	if m.Revoked() {
		if hasSig || hasKey {
			return nil, fault(0, FieldSigningPubKey, "a revocation has no signing key")
		}
		return m, nil
	}
	if !hasSig || !hasKey {
		return nil, fault(len(b), FieldSigningPubKey, "signing key or its signature are missing")
	}
	if !validPublicKey(key) || string(key) == string(m.MasterKey) {
		return nil, fault(0, FieldSigningPubKey, "not a public key of its own")
	}
	m.Signature, m.SigningKey = sig, key
	return m, nil
}

func manifestStranger(o *Object) (Field, bool) {
	for f := range o.All() {
		switch f {
		case FieldVersion, FieldSequence, FieldPublicKey, FieldSigningPubKey, FieldSignature, FieldDomain,
			FieldMasterSignature:
		default:
			return f, true
		}
	}
	return 0, false
}

// validPublicKey reports whether the bytes have the form of a public key of either kind.
func validPublicKey(b []byte) bool {
	return len(b) == 33 && (b[0] == 0xED || b[0] == 2 || b[0] == 3)
}
