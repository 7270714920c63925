package crypto

import (
	"bytes"
	"slices"

	"ledgerlab/node/protocol"
)

// SignTransaction signs an unsigned transaction: SigningPubKey and TxnSignature are set on a copy.
func SignTransaction(k *KeyPair, unsigned *protocol.Object) (*protocol.Transaction, error) {
	o := unsigned.Copy()
	o.SetBlob(protocol.FieldSigningPubKey, k.Public)
	o.Delete(protocol.FieldTxnSignature)
	data := o.AppendSigningTo(append([]byte(nil), protocol.PrefixTxSign[:]...))
	o.SetBlob(protocol.FieldTxnSignature, k.Sign(data))
	return protocol.ParseTransaction(o.Bytes())
}

// VerifyTransaction reports whether the single signature of a transaction is right; false if it is multi-signed.
func VerifyTransaction(tx *protocol.Transaction, rule Rule) bool {
	var space [512]byte
	return Verify(tx.SigningPubKey(), tx.AppendSigningData(space[:0]), tx.TxnSignature(), rule)
}

// MultiSignature signs a transaction for one signer of a list and returns the element of Signers. SigningPubKey is
// empty in what is signed, and must be empty in the transaction.
func MultiSignature(k *KeyPair, unsigned *protocol.Object, signer protocol.AccountID) protocol.Element {
	o := unsigned.Copy()
	o.SetBlob(protocol.FieldSigningPubKey, nil)
	data := o.AppendSigningTo(append([]byte(nil), protocol.PrefixTxMultiSign[:]...))
	e := &protocol.Object{}
	e.SetBlob(protocol.FieldSigningPubKey, k.Public)
	e.SetBlob(protocol.FieldTxnSignature, k.Sign(append(data, signer[:]...)))
	e.SetAccountID(protocol.FieldAccount, signer)
	return protocol.Element{Field: protocol.FieldSigner, Object: e}
}

// JoinSignatures makes a multi-signed transaction; Signers are sorted by account, as the protocol wants.
func JoinSignatures(unsigned *protocol.Object, signers []protocol.Element) (*protocol.Transaction, error) {
	o := unsigned.Copy()
	o.SetBlob(protocol.FieldSigningPubKey, nil)
	o.Delete(protocol.FieldTxnSignature)
	list := slices.Clone(signers)
	slices.SortFunc(list, func(a, b protocol.Element) int {
		x, y := a.Object.AccountID(protocol.FieldAccount), b.Object.AccountID(protocol.FieldAccount)
		return bytes.Compare(x[:], y[:])
	})
	o.SetArray(protocol.FieldSigners, list)
	return protocol.ParseTransaction(o.Bytes())
}

// VerifySigners reports whether every multi-signature of a transaction is right; false if there is none.
func VerifySigners(tx *protocol.Transaction, rule Rule) bool {
	signers, ok := tx.Object().GetArray(protocol.FieldSigners)
	if !ok || len(signers) == 0 {
		return false
	}
	for _, s := range signers {
		data := tx.AppendMultiSigningData(nil, s.Object.AccountID(protocol.FieldAccount))
		if !Verify(s.Object.Blob(protocol.FieldSigningPubKey), data, s.Object.Blob(protocol.FieldTxnSignature), rule) {
			return false
		}
	}
	return true
}
