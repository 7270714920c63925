package protocol

// Transaction types.
const (
	TxPayment                           TxType = 0
	TxEscrowCreate                      TxType = 1
	TxEscrowFinish                      TxType = 2
	TxAccountSet                        TxType = 3
	TxEscrowCancel                      TxType = 4
	TxSetRegularKey                     TxType = 5
	TxOfferCreate                       TxType = 7
	TxOfferCancel                       TxType = 8
	TxTicketCreate                      TxType = 10
	TxSignerListSet                     TxType = 12
	TxPaymentChannelCreate              TxType = 13
	TxPaymentChannelFund                TxType = 14
	TxPaymentChannelClaim               TxType = 15
	TxCheckCreate                       TxType = 16
	TxCheckCash                         TxType = 17
	TxCheckCancel                       TxType = 18
	TxDepositPreauth                    TxType = 19
	TxTrustSet                          TxType = 20
	TxAccountDelete                     TxType = 21
	TxNFTokenMint                       TxType = 25
	TxNFTokenBurn                       TxType = 26
	TxNFTokenCreateOffer                TxType = 27
	TxNFTokenCancelOffer                TxType = 28
	TxNFTokenAcceptOffer                TxType = 29
	TxClawback                          TxType = 30
	TxAMMClawback                       TxType = 31
	TxAMMCreate                         TxType = 35
	TxAMMDeposit                        TxType = 36
	TxAMMWithdraw                       TxType = 37
	TxAMMVote                           TxType = 38
	TxAMMBid                            TxType = 39
	TxAMMDelete                         TxType = 40
	TxXChainCreateClaimID               TxType = 41
	TxXChainCommit                      TxType = 42
	TxXChainClaim                       TxType = 43
	TxXChainAccountCreateCommit         TxType = 44
	TxXChainAddClaimAttestation         TxType = 45
	TxXChainAddAccountCreateAttestation TxType = 46
	TxXChainModifyBridge                TxType = 47
	TxXChainCreateBridge                TxType = 48
	TxDIDSet                            TxType = 49
	TxDIDDelete                         TxType = 50
	TxOracleSet                         TxType = 51
	TxOracleDelete                      TxType = 52
	TxLedgerStateFix                    TxType = 53
	TxMPTokenIssuanceCreate             TxType = 54
	TxMPTokenIssuanceDestroy            TxType = 55
	TxMPTokenIssuanceSet                TxType = 56
	TxMPTokenAuthorize                  TxType = 57
	TxCredentialCreate                  TxType = 58
	TxCredentialAccept                  TxType = 59
	TxCredentialDelete                  TxType = 60
	TxNFTokenModify                     TxType = 61
	TxPermissionedDomainSet             TxType = 62
	TxPermissionedDomainDelete          TxType = 63
	TxDelegateSet                       TxType = 64
	TxVaultCreate                       TxType = 65
	TxVaultSet                          TxType = 66
	TxVaultDelete                       TxType = 67
	TxVaultDeposit                      TxType = 68
	TxVaultWithdraw                     TxType = 69
	TxVaultClawback                     TxType = 70
	TxBatch                             TxType = 71
	TxLoanBrokerSet                     TxType = 74
	TxLoanBrokerDelete                  TxType = 75
	TxLoanBrokerCoverDeposit            TxType = 76
	TxLoanBrokerCoverWithdraw           TxType = 77
	TxLoanBrokerCoverClawback           TxType = 78
	TxLoanSet                           TxType = 80
	TxLoanDelete                        TxType = 81
	TxLoanManage                        TxType = 82
	TxLoanPay                           TxType = 84
	TxConfidentialMPTConvert            TxType = 85
	TxConfidentialMPTMergeInbox         TxType = 86
	TxConfidentialMPTConvertBack        TxType = 87
	TxConfidentialMPTSend               TxType = 88
	TxConfidentialMPTClawback           TxType = 89
	TxSponsorshipTransfer               TxType = 90
	TxSponsorshipSet                    TxType = 91
	TxEnableAmendment                   TxType = 100
	TxSetFee                            TxType = 101
	TxUNLModify                         TxType = 102
)

var txTypeNames = map[TxType]string{
	TxPayment:                           "Payment",
	TxEscrowCreate:                      "EscrowCreate",
	TxEscrowFinish:                      "EscrowFinish",
	TxAccountSet:                        "AccountSet",
	TxEscrowCancel:                      "EscrowCancel",
	TxSetRegularKey:                     "SetRegularKey",
	TxOfferCreate:                       "OfferCreate",
	TxOfferCancel:                       "OfferCancel",
	TxTicketCreate:                      "TicketCreate",
	TxSignerListSet:                     "SignerListSet",
	TxPaymentChannelCreate:              "PaymentChannelCreate",
	TxPaymentChannelFund:                "PaymentChannelFund",
	TxPaymentChannelClaim:               "PaymentChannelClaim",
	TxCheckCreate:                       "CheckCreate",
	TxCheckCash:                         "CheckCash",
	TxCheckCancel:                       "CheckCancel",
	TxDepositPreauth:                    "DepositPreauth",
	TxTrustSet:                          "TrustSet",
	TxAccountDelete:                     "AccountDelete",
	TxNFTokenMint:                       "NFTokenMint",
	TxNFTokenBurn:                       "NFTokenBurn",
	TxNFTokenCreateOffer:                "NFTokenCreateOffer",
	TxNFTokenCancelOffer:                "NFTokenCancelOffer",
	TxNFTokenAcceptOffer:                "NFTokenAcceptOffer",
	TxClawback:                          "Clawback",
	TxAMMClawback:                       "AMMClawback",
	TxAMMCreate:                         "AMMCreate",
	TxAMMDeposit:                        "AMMDeposit",
	TxAMMWithdraw:                       "AMMWithdraw",
	TxAMMVote:                           "AMMVote",
	TxAMMBid:                            "AMMBid",
	TxAMMDelete:                         "AMMDelete",
	TxXChainCreateClaimID:               "XChainCreateClaimID",
	TxXChainCommit:                      "XChainCommit",
	TxXChainClaim:                       "XChainClaim",
	TxXChainAccountCreateCommit:         "XChainAccountCreateCommit",
	TxXChainAddClaimAttestation:         "XChainAddClaimAttestation",
	TxXChainAddAccountCreateAttestation: "XChainAddAccountCreateAttestation",
	TxXChainModifyBridge:                "XChainModifyBridge",
	TxXChainCreateBridge:                "XChainCreateBridge",
	TxDIDSet:                            "DIDSet",
	TxDIDDelete:                         "DIDDelete",
	TxOracleSet:                         "OracleSet",
	TxOracleDelete:                      "OracleDelete",
	TxLedgerStateFix:                    "LedgerStateFix",
	TxMPTokenIssuanceCreate:             "MPTokenIssuanceCreate",
	TxMPTokenIssuanceDestroy:            "MPTokenIssuanceDestroy",
	TxMPTokenIssuanceSet:                "MPTokenIssuanceSet",
	TxMPTokenAuthorize:                  "MPTokenAuthorize",
	TxCredentialCreate:                  "CredentialCreate",
	TxCredentialAccept:                  "CredentialAccept",
	TxCredentialDelete:                  "CredentialDelete",
	TxNFTokenModify:                     "NFTokenModify",
	TxPermissionedDomainSet:             "PermissionedDomainSet",
	TxPermissionedDomainDelete:          "PermissionedDomainDelete",
	TxDelegateSet:                       "DelegateSet",
	TxVaultCreate:                       "VaultCreate",
	TxVaultSet:                          "VaultSet",
	TxVaultDelete:                       "VaultDelete",
	TxVaultDeposit:                      "VaultDeposit",
	TxVaultWithdraw:                     "VaultWithdraw",
	TxVaultClawback:                     "VaultClawback",
	TxBatch:                             "Batch",
	TxLoanBrokerSet:                     "LoanBrokerSet",
	TxLoanBrokerDelete:                  "LoanBrokerDelete",
	TxLoanBrokerCoverDeposit:            "LoanBrokerCoverDeposit",
	TxLoanBrokerCoverWithdraw:           "LoanBrokerCoverWithdraw",
	TxLoanBrokerCoverClawback:           "LoanBrokerCoverClawback",
	TxLoanSet:                           "LoanSet",
	TxLoanDelete:                        "LoanDelete",
	TxLoanManage:                        "LoanManage",
	TxLoanPay:                           "LoanPay",
	TxConfidentialMPTConvert:            "ConfidentialMPTConvert",
	TxConfidentialMPTMergeInbox:         "ConfidentialMPTMergeInbox",
	TxConfidentialMPTConvertBack:        "ConfidentialMPTConvertBack",
	TxConfidentialMPTSend:               "ConfidentialMPTSend",
	TxConfidentialMPTClawback:           "ConfidentialMPTClawback",
	TxSponsorshipTransfer:               "SponsorshipTransfer",
	TxSponsorshipSet:                    "SponsorshipSet",
	TxEnableAmendment:                   "EnableAmendment",
	TxSetFee:                            "SetFee",
	TxUNLModify:                         "UNLModify",
}

// Ledger entry types.
const (
	EntryNFTokenOffer                    EntryType = 55
	EntryCheck                           EntryType = 67
	EntryDID                             EntryType = 73
	EntryNegativeUNL                     EntryType = 78
	EntryNFTokenPage                     EntryType = 80
	EntrySignerList                      EntryType = 83
	EntryTicket                          EntryType = 84
	EntryAccountRoot                     EntryType = 97
	EntryDirectoryNode                   EntryType = 100
	EntryAmendments                      EntryType = 102
	EntryLedgerHashes                    EntryType = 104
	EntryBridge                          EntryType = 105
	EntryOffer                           EntryType = 111
	EntryDepositPreauth                  EntryType = 112
	EntryXChainOwnedClaimID              EntryType = 113
	EntryRippleState                     EntryType = 114
	EntryFeeSettings                     EntryType = 115
	EntryXChainOwnedCreateAccountClaimID EntryType = 116
	EntryEscrow                          EntryType = 117
	EntryPayChannel                      EntryType = 120
	EntryAMM                             EntryType = 121
	EntryMPTokenIssuance                 EntryType = 126
	EntryMPToken                         EntryType = 127
	EntryOracle                          EntryType = 128
	EntryCredential                      EntryType = 129
	EntryPermissionedDomain              EntryType = 130
	EntryDelegate                        EntryType = 131
	EntryVault                           EntryType = 132
	EntryLoanBroker                      EntryType = 136
	EntryLoan                            EntryType = 137
	EntrySponsorship                     EntryType = 144
)

var entryTypeNames = map[EntryType]string{
	EntryNFTokenOffer:                    "NFTokenOffer",
	EntryCheck:                           "Check",
	EntryDID:                             "DID",
	EntryNegativeUNL:                     "NegativeUNL",
	EntryNFTokenPage:                     "NFTokenPage",
	EntrySignerList:                      "SignerList",
	EntryTicket:                          "Ticket",
	EntryAccountRoot:                     "AccountRoot",
	EntryDirectoryNode:                   "DirectoryNode",
	EntryAmendments:                      "Amendments",
	EntryLedgerHashes:                    "LedgerHashes",
	EntryBridge:                          "Bridge",
	EntryOffer:                           "Offer",
	EntryDepositPreauth:                  "DepositPreauth",
	EntryXChainOwnedClaimID:              "XChainOwnedClaimID",
	EntryRippleState:                     "RippleState",
	EntryFeeSettings:                     "FeeSettings",
	EntryXChainOwnedCreateAccountClaimID: "XChainOwnedCreateAccountClaimID",
	EntryEscrow:                          "Escrow",
	EntryPayChannel:                      "PayChannel",
	EntryAMM:                             "AMM",
	EntryMPTokenIssuance:                 "MPTokenIssuance",
	EntryMPToken:                         "MPToken",
	EntryOracle:                          "Oracle",
	EntryCredential:                      "Credential",
	EntryPermissionedDomain:              "PermissionedDomain",
	EntryDelegate:                        "Delegate",
	EntryVault:                           "Vault",
	EntryLoanBroker:                      "LoanBroker",
	EntryLoan:                            "Loan",
	EntrySponsorship:                     "Sponsorship",
}
