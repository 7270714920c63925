package protocol

// Flags of ledger entries: AccountRoot.
const (
	LsfPasswordSpent                uint32 = 0x00010000
	LsfRequireDestTag               uint32 = 0x00020000
	LsfRequireAuth                  uint32 = 0x00040000
	LsfDisallowXRP                  uint32 = 0x00080000
	LsfDisableMaster                uint32 = 0x00100000
	LsfNoFreeze                     uint32 = 0x00200000
	LsfGlobalFreeze                 uint32 = 0x00400000
	LsfDefaultRipple                uint32 = 0x00800000
	LsfDepositAuth                  uint32 = 0x01000000
	LsfDisallowIncomingNFTokenOffer uint32 = 0x04000000
	LsfDisallowIncomingCheck        uint32 = 0x08000000
	LsfDisallowIncomingPayChan      uint32 = 0x10000000
	LsfDisallowIncomingTrustline    uint32 = 0x20000000
	LsfAllowTrustLineLocking        uint32 = 0x40000000
	LsfAllowTrustLineClawback       uint32 = 0x80000000
)

// Flags of ledger entries: Credential.
const (
	LsfAccepted uint32 = 0x00010000
)

// Flags of ledger entries: DirNode.
const (
	LsfNFTokenBuyOffers  uint32 = 0x00000001
	LsfNFTokenSellOffers uint32 = 0x00000002
)

// Flags of ledger entries: Loan.
const (
	LsfLoanDefault     uint32 = 0x00010000
	LsfLoanImpaired    uint32 = 0x00020000
	LsfLoanOverpayment uint32 = 0x00040000
)

// Flags of ledger entries: MPToken.
const (
	LsfMPTLocked     uint32 = 0x00000001
	LsfMPTAuthorized uint32 = 0x00000002
	LsfMPTAMM        uint32 = 0x00000004
)

// Flags of ledger entries: MPTokenIssuance.
const (
	LsfMPTCanLock                    uint32 = 0x00000002
	LsfMPTRequireAuth                uint32 = 0x00000004
	LsfMPTCanEscrow                  uint32 = 0x00000008
	LsfMPTCanTrade                   uint32 = 0x00000010
	LsfMPTCanTransfer                uint32 = 0x00000020
	LsfMPTCanClawback                uint32 = 0x00000040
	LsfMPTCanHoldConfidentialBalance uint32 = 0x00000080
)

// Flags of ledger entries: NFTokenOffer.
const (
	LsfSellNFToken uint32 = 0x00000001
)

// Flags of ledger entries: Offer.
const (
	LsfPassive uint32 = 0x00010000
	LsfSell    uint32 = 0x00020000
	LsfHybrid  uint32 = 0x00040000
)

// Flags of ledger entries: RippleState.
const (
	LsfLowReserve     uint32 = 0x00010000
	LsfHighReserve    uint32 = 0x00020000
	LsfLowAuth        uint32 = 0x00040000
	LsfHighAuth       uint32 = 0x00080000
	LsfLowNoRipple    uint32 = 0x00100000
	LsfHighNoRipple   uint32 = 0x00200000
	LsfLowFreeze      uint32 = 0x00400000
	LsfHighFreeze     uint32 = 0x00800000
	LsfAMMNode        uint32 = 0x01000000
	LsfLowDeepFreeze  uint32 = 0x02000000
	LsfHighDeepFreeze uint32 = 0x04000000
)

// Flags of ledger entries: SignerList.
const (
	LsfOneOwnerCount uint32 = 0x00010000
)

// Flags of ledger entries: Sponsorship.
const (
	LsfSponsorshipRequireSignForFee     uint32 = 0x00010000
	LsfSponsorshipRequireSignForReserve uint32 = 0x00020000
)

// Flags of ledger entries: Vault.
const (
	LsfVaultPrivate uint32 = 0x00010000
)

// Flags of transactions: AMMClawback.
const (
	TfClawTwoAssets uint32 = 0x00000001
)

// Flags of transactions: AMMDeposit.
const (
	TfLPToken         uint32 = 0x00010000
	TfSingleAsset     uint32 = 0x00080000
	TfTwoAsset        uint32 = 0x00100000
	TfOneAssetLPToken uint32 = 0x00200000
	TfLimitLPToken    uint32 = 0x00400000
	TfTwoAssetIfEmpty uint32 = 0x00800000
)

// Flags of transactions: AMMWithdraw.
const (
	TfWithdrawAll         uint32 = 0x00020000
	TfOneAssetWithdrawAll uint32 = 0x00040000
)

// Flags of transactions: AccountSet.
const (
	TfRequireDestTag  uint32 = 0x00010000
	TfOptionalDestTag uint32 = 0x00020000
	TfRequireAuth     uint32 = 0x00040000
	TfOptionalAuth    uint32 = 0x00080000
	TfDisallowXRP     uint32 = 0x00100000
	TfAllowXRP        uint32 = 0x00200000
)

// Flags of transactions: Batch.
const (
	TfAllOrNothing uint32 = 0x00010000
	TfOnlyOne      uint32 = 0x00020000
	TfUntilFailure uint32 = 0x00040000
	TfIndependent  uint32 = 0x00080000
)

// Flags of transactions: EnableAmendment.
const (
	TfGotMajority  uint32 = 0x00010000
	TfLostMajority uint32 = 0x00020000
)

// Flags of transactions: LoanManage.
const (
	TfLoanDefault  uint32 = 0x00010000
	TfLoanImpair   uint32 = 0x00020000
	TfLoanUnimpair uint32 = 0x00040000
)

// Flags of transactions: LoanPay.
const (
	TfLoanOverpayment uint32 = 0x00010000
	TfLoanFullPayment uint32 = 0x00020000
	TfLoanLatePayment uint32 = 0x00040000
)

// Flags of transactions: LoanSet.
const ()

// Flags of transactions: MPTokenAuthorize.
const (
	TfMPTUnauthorize uint32 = 0x00000001
)

// Flags of transactions: MPTokenIssuanceCreate.
const (
	TfMPTCanLock                    uint32 = 0x00000002
	TfMPTRequireAuth                uint32 = 0x00000004
	TfMPTCanEscrow                  uint32 = 0x00000008
	TfMPTCanTrade                   uint32 = 0x00000010
	TfMPTCanTransfer                uint32 = 0x00000020
	TfMPTCanClawback                uint32 = 0x00000040
	TfMPTCanHoldConfidentialBalance uint32 = 0x00000080
)

// Flags of transactions: MPTokenIssuanceSet.
const (
	TfMPTLock                          uint32 = 0x00000001
	TfMPTUnlock                        uint32 = 0x00000002
	TfMPTSetCanLock                    uint32 = 0x00000004
	TfMPTSetRequireAuth                uint32 = 0x00000008
	TfMPTSetCanEscrow                  uint32 = 0x00000010
	TfMPTSetCanTrade                   uint32 = 0x00000020
	TfMPTSetCanTransfer                uint32 = 0x00000040
	TfMPTSetCanClawback                uint32 = 0x00000080
	TfMPTSetCanHoldConfidentialBalance uint32 = 0x00000100
)

// Flags of transactions: NFTokenCreateOffer.
const (
	TfSellNFToken uint32 = 0x00000001
)

// Flags of transactions: NFTokenMint.
const (
	TfBurnable     uint32 = 0x00000001
	TfOnlyXRP      uint32 = 0x00000002
	TfTransferable uint32 = 0x00000008
	TfMutable      uint32 = 0x00000010
)

// Flags of transactions: OfferCreate.
const (
	TfPassive           uint32 = 0x00010000
	TfImmediateOrCancel uint32 = 0x00020000
	TfFillOrKill        uint32 = 0x00040000
	TfSell              uint32 = 0x00080000
	TfHybrid            uint32 = 0x00100000
)

// Flags of transactions: Payment.
const (
	TfNoRippleDirect        uint32 = 0x00010000
	TfPartialPayment        uint32 = 0x00020000
	TfLimitQuality          uint32 = 0x00040000
	TfSponsorCreatedAccount uint32 = 0x00080000
)

// Flags of transactions: PaymentChannelClaim.
const (
	TfRenew uint32 = 0x00010000
	TfClose uint32 = 0x00020000
)

// Flags of transactions: SponsorshipSet.
const (
	TfSponsorshipSetRequireSignForFee       uint32 = 0x00010000
	TfSponsorshipClearRequireSignForFee     uint32 = 0x00020000
	TfSponsorshipSetRequireSignForReserve   uint32 = 0x00040000
	TfSponsorshipClearRequireSignForReserve uint32 = 0x00080000
	TfDeleteObject                          uint32 = 0x00100000
)

// Flags of transactions: SponsorshipTransfer.
const (
	TfSponsorshipEnd      uint32 = 0x00010000
	TfSponsorshipCreate   uint32 = 0x00020000
	TfSponsorshipReassign uint32 = 0x00040000
)

// Flags of transactions: TrustSet.
const (
	TfSetfAuth        uint32 = 0x00010000
	TfSetNoRipple     uint32 = 0x00020000
	TfClearNoRipple   uint32 = 0x00040000
	TfSetFreeze       uint32 = 0x00100000
	TfClearFreeze     uint32 = 0x00200000
	TfSetDeepFreeze   uint32 = 0x00400000
	TfClearDeepFreeze uint32 = 0x00800000
)

// Flags of transactions: VaultCreate.
const (
	TfVaultPrivate              uint32 = 0x00010000
	TfVaultShareNonTransferable uint32 = 0x00020000
)

// Flags of transactions: XChainModifyBridge.
const (
	TfClearAccountCreateAmount uint32 = 0x00010000
)

// Flags of transactions: universal.
const (
	TfInnerBatchTxn     uint32 = 0x40000000
	TfFullyCanonicalSig uint32 = 0x80000000
)

// Account settings switched with SetFlag and ClearFlag.
const (
	AsfRequireDest                  uint32 = 1
	AsfRequireAuth                  uint32 = 2
	AsfDisallowXRP                  uint32 = 3
	AsfDisableMaster                uint32 = 4
	AsfAccountTxnID                 uint32 = 5
	AsfNoFreeze                     uint32 = 6
	AsfGlobalFreeze                 uint32 = 7
	AsfDefaultRipple                uint32 = 8
	AsfDepositAuth                  uint32 = 9
	AsfAuthorizedNFTokenMinter      uint32 = 10
	AsfDisallowIncomingNFTokenOffer uint32 = 12
	AsfDisallowIncomingCheck        uint32 = 13
	AsfDisallowIncomingPayChan      uint32 = 14
	AsfDisallowIncomingTrustline    uint32 = 15
	AsfAllowTrustLineClawback       uint32 = 16
	AsfAllowTrustLineLocking        uint32 = 17
)
