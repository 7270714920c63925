package crypto

import "ledgerlab/node/protocol"

// SignValidation sets key and signature of a validation.
func SignValidation(k *KeyPair, v *protocol.Validation) {
	v.SigningPubKey, v.Signature = k.Public, nil
	v.Signature = k.SignDigest(v.SigningHash())
}

// VerifyValidation reports whether a validation's signature is right under a rule. A validation whose flags claim a
// fully canonical signature must have one in any case.
func VerifyValidation(v *protocol.Validation, rule Rule) bool {
	if v.Flags&protocol.VfFullyCanonicalSig != 0 {
		rule = Canonical
	}
	return VerifyDigestRule(v.SigningPubKey, v.SigningHash(), v.Signature, rule)
}

// SignProposal sets key and signature of a proposal.
func SignProposal(k *KeyPair, p *protocol.Proposal) {
	p.PublicKey, p.Signature = k.Public, k.SignDigest(p.SigningHash())
}

// VerifyProposal reports whether a proposal's signature is right.
func VerifyProposal(p *protocol.Proposal) bool {
	return VerifyDigest(p.PublicKey, p.SigningHash(), p.Signature)
}

// SignManifest sets the keys and both signatures of a manifest; signing is nil for a revocation.
func SignManifest(master, signing *KeyPair, m *protocol.Manifest) {
	m.MasterKey, m.SigningKey, m.Signature, m.MasterSignature = master.Public, nil, nil, nil
	if signing != nil {
		m.SigningKey = signing.Public
	}
	data := m.SigningData()
	if signing != nil {
		m.Signature = signing.Sign(data)
	}
	m.MasterSignature = master.Sign(data)
}

// VerifyManifest reports whether both signatures of a manifest are right.
func VerifyManifest(m *protocol.Manifest) bool {
	data := m.SigningData()
	if !m.Revoked() && !Verify(m.SigningKey, data, m.Signature, Canonical) {
		return false
	}
	return Verify(m.MasterKey, data, m.MasterSignature, Canonical)
}
