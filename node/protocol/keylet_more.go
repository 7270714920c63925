package protocol

import "bytes"

// Name spaces of entries that came with later amendments.
const (
	spaceAMM             = 'A'
	spaceCredential      = 'D'
	spaceDelegate        = 'E'
	spaceBridge          = 'H'
	spaceBridgeAccount   = 'K'
	spaceBridgeClaim     = 'Q'
	spaceLoan            = 'L'
	spaceLoanBroker      = 'l'
	spacePermissionedDom = 'm'
	spaceOracle          = 'R'
	spaceMPToken         = 't'
	spaceMPTokenIssuance = '~'
	spaceVault           = 'V'
)

// AMMKey is the key of the automated market maker of two assets, in either order.
func AMMKey(a, b Asset) Hash {
	x, y := append(a.Issuer[:], a.Currency[:]...), append(b.Issuer[:], b.Currency[:]...)
	ka, kb := append(a.Currency[:], a.Issuer[:]...), append(b.Currency[:], b.Issuer[:]...)
	if bytes.Compare(ka, kb) > 0 {
		x, y = y, x
	}
	return keyOf(spaceAMM, x, y)
}

// CredentialKey is the key of a credential.
func CredentialKey(subject, issuer AccountID, kind []byte) Hash {
	return keyOf(spaceCredential, subject[:], issuer[:], kind)
}

// DelegateKey is the key of a delegation.
func DelegateKey(account, authorized AccountID) Hash {
	return keyOf(spaceDelegate, account[:], authorized[:])
}

// BridgeKey is the key of a bridge on the side of one of its doors.
func BridgeKey(door AccountID, issue Currency) Hash { return keyOf(spaceBridge, door[:], issue[:]) }

// XChainClaimKey is the key of an owned claim id; bridge is the serialised bridge without lengths: both doors, each
// followed by its asset.
func XChainClaimKey(lockDoor AccountID, lock Asset, issueDoor AccountID, issue Asset, seq uint64) Hash {
	return keyOf(spaceBridgeClaim, bridgeParts(lockDoor, lock, issueDoor, issue), u64(seq))
}

// XChainAccountClaimKey is the key of an owned claim id that creates an account.
func XChainAccountClaimKey(lockDoor AccountID, lock Asset, issueDoor AccountID, issue Asset, seq uint64) Hash {
	return keyOf(spaceBridgeAccount, bridgeParts(lockDoor, lock, issueDoor, issue), u64(seq))
}

func bridgeParts(lockDoor AccountID, lock Asset, issueDoor AccountID, issue Asset) []byte {
	var b []byte
	for _, p := range [][]byte{lockDoor[:], lock.Currency[:], lock.Issuer[:], issueDoor[:], issue.Currency[:], issue.Issuer[:]} {
		b = append(b, p...)
	}
	return b
}

// LoanKey is the key of a loan of a broker.
func LoanKey(broker Hash, seq uint32) Hash { return keyOf(spaceLoan, broker[:], u32(seq)) }

// LoanBrokerKey is the key of a loan broker.
func LoanBrokerKey(owner AccountID, seq uint32) Hash {
	return keyOf(spaceLoanBroker, owner[:], u32(seq))
}

// PermissionedDomainKey is the key of a permissioned domain.
func PermissionedDomainKey(owner AccountID, seq uint32) Hash {
	return keyOf(spacePermissionedDom, owner[:], u32(seq))
}

// OracleKey is the key of a price oracle.
func OracleKey(owner AccountID, document uint32) Hash {
	return keyOf(spaceOracle, owner[:], u32(document))
}

// MPTokenIssuanceKey is the key of an issuance of multi-purpose tokens; its id is sequence and issuer.
func MPTokenIssuanceKey(id [24]byte) Hash { return keyOf(spaceMPTokenIssuance, id[:]) }

// MPTokenKey is the key of a holder's tokens of an issuance.
func MPTokenKey(issuance Hash, holder AccountID) Hash {
	return keyOf(spaceMPToken, issuance[:], holder[:])
}

// VaultKey is the key of a vault.
func VaultKey(owner AccountID, seq uint32) Hash { return keyOf(spaceVault, owner[:], u32(seq)) }
