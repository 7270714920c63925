package protocol

import "encoding/binary"

// Name spaces of the keys of state entries (rippled Indexes.cpp).
const (
	spaceAccount        = 'a'
	spaceOwnerDir       = 'O'
	spaceDirPage        = 'd'
	spaceBook           = 'B'
	spaceOffer          = 'o'
	spaceTrustLine      = 'r'
	spaceTicket         = 'T'
	spaceSkipList       = 's'
	spaceAmendments     = 'f'
	spaceFees           = 'e'
	spaceNegativeUNL    = 'N'
	spaceSignerList     = 'S'
	spaceDID            = 'I'
	spaceDepositPreauth = 'p'
	spaceEscrow         = 'u'
	spaceCheck          = 'C'
	spacePayChannel     = 'x'
	spaceNFTokenOffer   = 'q'
	spaceNFTokenBuys    = 'h'
	spaceNFTokenSells   = 'i'
)

func keyOf(space byte, parts ...[]byte) Hash {
	var buf [128]byte
	b := append(buf[:0], 0, space)
	for _, p := range parts {
		b = append(b, p...)
	}
	return half(b)
}

func u32(v uint32) []byte { return binary.BigEndian.AppendUint32(nil, v) }
func u64(v uint64) []byte { return binary.BigEndian.AppendUint64(nil, v) }

// AccountKey is the key of an AccountRoot.
func AccountKey(a AccountID) Hash {
	var buf [22]byte
	buf[1] = spaceAccount
	copy(buf[2:], a[:])
	return half(buf[:])
}

// OwnerDirKey is the key of page 0 of an account's owner directory.
func OwnerDirKey(a AccountID) Hash { return keyOf(spaceOwnerDir, a[:]) }

// DirPageKey is the key of page n of the directory with the given root; page 0 is the root itself.
func DirPageKey(root Hash, page uint64) Hash {
	if page == 0 {
		return root
	}
	return keyOf(spaceDirPage, root[:], u64(page))
}

// BookBaseKey is the lowest key of an order book: its last eight bytes are zero. domain may be nil.
func BookBaseKey(pays, gets Currency, paysIssuer, getsIssuer AccountID, domain *Hash) Hash {
	var k Hash
	if domain == nil {
		k = keyOf(spaceBook, pays[:], gets[:], paysIssuer[:], getsIssuer[:])
	} else {
		k = keyOf(spaceBook, pays[:], gets[:], paysIssuer[:], getsIssuer[:], domain[:])
	}
	return WithQuality(k, 0)
}

// WithQuality replaces the last eight bytes of a book's key by a quality.
func WithQuality(k Hash, quality uint64) Hash {
	binary.BigEndian.PutUint64(k[24:], quality)
	return k
}

// QualityOf returns the last eight bytes of a book directory's key.
func QualityOf(k Hash) uint64 { return binary.BigEndian.Uint64(k[24:]) }

// NextQualityKey is the first key past all qualities of the book: k + 2^64.
func NextQualityKey(k Hash) Hash {
	for i := 23; i >= 0; i-- {
		k[i]++
		if k[i] != 0 {
			break
		}
	}
	return k
}

// OfferKey is the key of an offer; seq is the sequence or ticket that made it.
func OfferKey(a AccountID, seq uint32) Hash { return keyOf(spaceOffer, a[:], u32(seq)) }

// TrustLineKey is the key of the RippleState between two accounts.
func TrustLineKey(a, b AccountID, c Currency) Hash {
	if a.Compare(b) > 0 {
		a, b = b, a
	}
	return keyOf(spaceTrustLine, a[:], b[:], c[:])
}

// TicketKey is the key of a ticket.
func TicketKey(a AccountID, ticket uint32) Hash { return keyOf(spaceTicket, a[:], u32(ticket)) }

// SkipListKey is the key of the list of the last 256 ledger hashes.
func SkipListKey() Hash { return skipListKey }

var skipListKey = keyOf(spaceSkipList)

// SkipListPageKey is the key of the list of every 256th hash among the 65,536 ledgers around seq.
func SkipListPageKey(seq uint32) Hash { return keyOf(spaceSkipList, u32(seq>>16)) }

// AmendmentsKey is the key of the Amendments entry.
func AmendmentsKey() Hash { return amendmentsKey }

var amendmentsKey = keyOf(spaceAmendments)

// FeeSettingsKey is the key of the FeeSettings entry.
func FeeSettingsKey() Hash { return feeSettingsKey }

var feeSettingsKey = keyOf(spaceFees)

// NegativeUNLKey is the key of the NegativeUNL entry.
func NegativeUNLKey() Hash { return keyOf(spaceNegativeUNL) }

// SignerListKey is the key of an account's signer list.
func SignerListKey(a AccountID) Hash { return keyOf(spaceSignerList, a[:], u32(0)) }

// DIDKey is the key of an account's DID.
func DIDKey(a AccountID) Hash { return keyOf(spaceDID, a[:]) }

// DepositPreauthKey is the key of a deposit preauthorization.
func DepositPreauthKey(owner, authorized AccountID) Hash {
	return keyOf(spaceDepositPreauth, owner[:], authorized[:])
}

// EscrowKey is the key of an escrow.
func EscrowKey(a AccountID, seq uint32) Hash { return keyOf(spaceEscrow, a[:], u32(seq)) }

// CheckKey is the key of a check.
func CheckKey(a AccountID, seq uint32) Hash { return keyOf(spaceCheck, a[:], u32(seq)) }

// PayChannelKey is the key of a payment channel.
func PayChannelKey(src, dst AccountID, seq uint32) Hash {
	return keyOf(spacePayChannel, src[:], dst[:], u32(seq))
}

// NFTokenOfferKey is the key of an offer for a token.
func NFTokenOfferKey(a AccountID, seq uint32) Hash { return keyOf(spaceNFTokenOffer, a[:], u32(seq)) }

// NFTokenBuyOffersKey is the key of the directory of offers to buy a token.
func NFTokenBuyOffersKey(token Hash) Hash { return keyOf(spaceNFTokenBuys, token[:]) }

// NFTokenSellOffersKey is the key of the directory of offers to sell a token.
func NFTokenSellOffersKey(token Hash) Hash { return keyOf(spaceNFTokenSells, token[:]) }

// NFTokenPageKey is the key of a page of an account's tokens: the account, then the low 96 bits of a token id. The
// lowest page has all bits clear, the last all set.
func NFTokenPageKey(a AccountID, low [12]byte) (k Hash) {
	copy(k[:20], a[:])
	copy(k[20:], low[:])
	return k
}
