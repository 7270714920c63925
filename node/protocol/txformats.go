package protocol

// txCommon is the part of the format that every transaction shares.
var txCommon = []FormatField{
	{FieldTransactionType, Required}, {FieldFlags, Optional}, {FieldSourceTag, Optional}, {FieldAccount, Required},
	{FieldSequence, Required}, {FieldPreviousTxnID, Optional}, {FieldLastLedgerSequence, Optional},
	{FieldAccountTxnID, Optional}, {FieldFee, Required}, {FieldOperationLimit, Optional}, {FieldMemos, Optional},
	{FieldSigningPubKey, Required}, {FieldTicketSequence, Optional}, {FieldTxnSignature, Optional},
	{FieldSigners, Optional}, {FieldNetworkID, Optional}, {FieldDelegate, Optional}, {FieldSponsor, Optional},
	{FieldSponsorFlags, Optional}, {FieldSponsorSignature, Optional},
}

var txFormats = map[TxType][]FormatField{
	TxPayment: {
		{FieldDestination, Required}, {FieldAmount, Required}, {FieldSendMax, Optional}, {FieldPaths, Default},
		{FieldInvoiceID, Optional}, {FieldDestinationTag, Optional}, {FieldDeliverMin, Optional},
		{FieldCredentialIDs, Optional}, {FieldDomainID, Optional},
	},
	TxEscrowCreate: {
		{FieldDestination, Required}, {FieldAmount, Required}, {FieldCondition, Optional}, {FieldCancelAfter, Optional},
		{FieldFinishAfter, Optional}, {FieldDestinationTag, Optional},
	},
	TxEscrowFinish: {
		{FieldOwner, Required}, {FieldOfferSequence, Required}, {FieldFulfillment, Optional}, {FieldCondition, Optional},
		{FieldCredentialIDs, Optional},
	},
	TxAccountSet: {
		{FieldEmailHash, Optional}, {FieldWalletLocator, Optional}, {FieldWalletSize, Optional},
		{FieldMessageKey, Optional}, {FieldDomain, Optional}, {FieldTransferRate, Optional}, {FieldSetFlag, Optional},
		{FieldClearFlag, Optional}, {FieldTickSize, Optional}, {FieldNFTokenMinter, Optional},
	},
	TxEscrowCancel: {
		{FieldOwner, Required}, {FieldOfferSequence, Required},
	},
	TxSetRegularKey: {
		{FieldRegularKey, Optional},
	},
	TxOfferCreate: {
		{FieldTakerPays, Required}, {FieldTakerGets, Required}, {FieldExpiration, Optional},
		{FieldOfferSequence, Optional}, {FieldDomainID, Optional},
	},
	TxOfferCancel: {
		{FieldOfferSequence, Required},
	},
	TxTicketCreate: {
		{FieldTicketCount, Required},
	},
	TxSignerListSet: {
		{FieldSignerQuorum, Required}, {FieldSignerEntries, Optional},
	},
	TxPaymentChannelCreate: {
		{FieldDestination, Required}, {FieldAmount, Required}, {FieldSettleDelay, Required}, {FieldPublicKey, Required},
		{FieldCancelAfter, Optional}, {FieldDestinationTag, Optional},
	},
	TxPaymentChannelFund: {
		{FieldChannel, Required}, {FieldAmount, Required}, {FieldExpiration, Optional},
	},
	TxPaymentChannelClaim: {
		{FieldChannel, Required}, {FieldAmount, Optional}, {FieldBalance, Optional}, {FieldSignature, Optional},
		{FieldPublicKey, Optional}, {FieldCredentialIDs, Optional},
	},
	TxCheckCreate: {
		{FieldDestination, Required}, {FieldSendMax, Required}, {FieldExpiration, Optional},
		{FieldDestinationTag, Optional}, {FieldInvoiceID, Optional},
	},
	TxCheckCash: {
		{FieldCheckID, Required}, {FieldAmount, Optional}, {FieldDeliverMin, Optional},
	},
	TxCheckCancel: {
		{FieldCheckID, Required},
	},
	TxDepositPreauth: {
		{FieldAuthorize, Optional}, {FieldUnauthorize, Optional}, {FieldAuthorizeCredentials, Optional},
		{FieldUnauthorizeCredentials, Optional},
	},
	TxTrustSet: {
		{FieldLimitAmount, Optional}, {FieldQualityIn, Optional}, {FieldQualityOut, Optional},
	},
	TxAccountDelete: {
		{FieldDestination, Required}, {FieldDestinationTag, Optional}, {FieldCredentialIDs, Optional},
	},
	TxNFTokenMint: {
		{FieldNFTokenTaxon, Required}, {FieldTransferFee, Optional}, {FieldIssuer, Optional}, {FieldURI, Optional},
		{FieldAmount, Optional}, {FieldDestination, Optional}, {FieldExpiration, Optional},
	},
	TxNFTokenBurn: {
		{FieldNFTokenID, Required}, {FieldOwner, Optional},
	},
	TxNFTokenCreateOffer: {
		{FieldNFTokenID, Required}, {FieldAmount, Required}, {FieldDestination, Optional}, {FieldOwner, Optional},
		{FieldExpiration, Optional},
	},
	TxNFTokenCancelOffer: {
		{FieldNFTokenOffers, Required},
	},
	TxNFTokenAcceptOffer: {
		{FieldNFTokenBuyOffer, Optional}, {FieldNFTokenSellOffer, Optional}, {FieldNFTokenBrokerFee, Optional},
	},
	TxClawback: {
		{FieldAmount, Required}, {FieldHolder, Optional},
	},
	TxAMMClawback: {
		{FieldHolder, Required}, {FieldAsset, Required}, {FieldAsset2, Required}, {FieldAmount, Optional},
	},
	TxAMMCreate: {
		{FieldAmount, Required}, {FieldAmount2, Required}, {FieldTradingFee, Required},
	},
	TxAMMDeposit: {
		{FieldAsset, Required}, {FieldAsset2, Required}, {FieldAmount, Optional}, {FieldAmount2, Optional},
		{FieldEPrice, Optional}, {FieldLPTokenOut, Optional}, {FieldTradingFee, Optional},
	},
	TxAMMWithdraw: {
		{FieldAsset, Required}, {FieldAsset2, Required}, {FieldAmount, Optional}, {FieldAmount2, Optional},
		{FieldEPrice, Optional}, {FieldLPTokenIn, Optional},
	},
	TxAMMVote: {
		{FieldAsset, Required}, {FieldAsset2, Required}, {FieldTradingFee, Required},
	},
	TxAMMBid: {
		{FieldAsset, Required}, {FieldAsset2, Required}, {FieldBidMin, Optional}, {FieldBidMax, Optional},
		{FieldAuthAccounts, Optional},
	},
	TxAMMDelete: {
		{FieldAsset, Required}, {FieldAsset2, Required},
	},
	TxXChainCreateClaimID: {
		{FieldXChainBridge, Required}, {FieldSignatureReward, Required}, {FieldOtherChainSource, Required},
	},
	TxXChainCommit: {
		{FieldXChainBridge, Required}, {FieldXChainClaimID, Required}, {FieldAmount, Required},
		{FieldOtherChainDestination, Optional},
	},
	TxXChainClaim: {
		{FieldXChainBridge, Required}, {FieldXChainClaimID, Required}, {FieldDestination, Required},
		{FieldDestinationTag, Optional}, {FieldAmount, Required},
	},
	TxXChainAccountCreateCommit: {
		{FieldXChainBridge, Required}, {FieldDestination, Required}, {FieldAmount, Required},
		{FieldSignatureReward, Required},
	},
	TxXChainAddClaimAttestation: {
		{FieldXChainBridge, Required}, {FieldAttestationSignerAccount, Required}, {FieldPublicKey, Required},
		{FieldSignature, Required}, {FieldOtherChainSource, Required}, {FieldAmount, Required},
		{FieldAttestationRewardAccount, Required}, {FieldWasLockingChainSend, Required}, {FieldXChainClaimID, Required},
		{FieldDestination, Optional},
	},
	TxXChainAddAccountCreateAttestation: {
		{FieldXChainBridge, Required}, {FieldAttestationSignerAccount, Required}, {FieldPublicKey, Required},
		{FieldSignature, Required}, {FieldOtherChainSource, Required}, {FieldAmount, Required},
		{FieldAttestationRewardAccount, Required}, {FieldWasLockingChainSend, Required},
		{FieldXChainAccountCreateCount, Required}, {FieldDestination, Required}, {FieldSignatureReward, Required},
	},
	TxXChainModifyBridge: {
		{FieldXChainBridge, Required}, {FieldSignatureReward, Optional}, {FieldMinAccountCreateAmount, Optional},
	},
	TxXChainCreateBridge: {
		{FieldXChainBridge, Required}, {FieldSignatureReward, Required}, {FieldMinAccountCreateAmount, Optional},
	},
	TxDIDSet: {
		{FieldDIDDocument, Optional}, {FieldURI, Optional}, {FieldData, Optional},
	},
	TxDIDDelete: {},
	TxOracleSet: {
		{FieldOracleDocumentID, Required}, {FieldProvider, Optional}, {FieldURI, Optional}, {FieldAssetClass, Optional},
		{FieldLastUpdateTime, Required}, {FieldPriceDataSeries, Required},
	},
	TxOracleDelete: {
		{FieldOracleDocumentID, Required},
	},
	TxLedgerStateFix: {
		{FieldLedgerFixType, Required}, {FieldOwner, Optional}, {FieldBookDirectory, Optional},
	},
	TxMPTokenIssuanceCreate: {
		{FieldAssetScale, Optional}, {FieldTransferFee, Optional}, {FieldMaximumAmount, Optional},
		{FieldMPTokenMetadata, Optional}, {FieldDomainID, Optional}, {FieldImmutableFlags, Optional},
	},
	TxMPTokenIssuanceDestroy: {
		{FieldMPTokenIssuanceID, Required},
	},
	TxMPTokenIssuanceSet: {
		{FieldMPTokenIssuanceID, Required}, {FieldHolder, Optional}, {FieldDomainID, Optional},
		{FieldMPTokenMetadata, Optional}, {FieldTransferFee, Optional}, {FieldImmutableFlags, Optional},
		{FieldIssuerEncryptionKey, Optional}, {FieldAuditorEncryptionKey, Optional},
	},
	TxMPTokenAuthorize: {
		{FieldMPTokenIssuanceID, Required}, {FieldHolder, Optional},
	},
	TxCredentialCreate: {
		{FieldSubject, Required}, {FieldCredentialType, Required}, {FieldExpiration, Optional}, {FieldURI, Optional},
	},
	TxCredentialAccept: {
		{FieldIssuer, Required}, {FieldCredentialType, Required},
	},
	TxCredentialDelete: {
		{FieldSubject, Optional}, {FieldIssuer, Optional}, {FieldCredentialType, Required},
	},
	TxNFTokenModify: {
		{FieldNFTokenID, Required}, {FieldOwner, Optional}, {FieldURI, Optional},
	},
	TxPermissionedDomainSet: {
		{FieldDomainID, Optional}, {FieldAcceptedCredentials, Required},
	},
	TxPermissionedDomainDelete: {
		{FieldDomainID, Required},
	},
	TxDelegateSet: {
		{FieldAuthorize, Required}, {FieldPermissions, Required},
	},
	TxVaultCreate: {
		{FieldAsset, Required}, {FieldAssetsMaximum, Optional}, {FieldMPTokenMetadata, Optional},
		{FieldDomainID, Optional}, {FieldWithdrawalPolicy, Optional}, {FieldData, Optional}, {FieldScale, Optional},
	},
	TxVaultSet: {
		{FieldVaultID, Required}, {FieldAssetsMaximum, Optional}, {FieldDomainID, Optional}, {FieldData, Optional},
	},
	TxVaultDelete: {
		{FieldVaultID, Required}, {FieldMemoData, Optional},
	},
	TxVaultDeposit: {
		{FieldVaultID, Required}, {FieldAmount, Required},
	},
	TxVaultWithdraw: {
		{FieldVaultID, Required}, {FieldAmount, Required}, {FieldDestination, Optional}, {FieldDestinationTag, Optional},
	},
	TxVaultClawback: {
		{FieldVaultID, Required}, {FieldHolder, Required}, {FieldAmount, Optional},
	},
	TxBatch: {
		{FieldRawTransactions, Required}, {FieldBatchSigners, Optional},
	},
	TxLoanBrokerSet: {
		{FieldVaultID, Required}, {FieldLoanBrokerID, Optional}, {FieldData, Optional}, {FieldManagementFeeRate, Optional},
		{FieldDebtMaximum, Optional}, {FieldCoverRateMinimum, Optional}, {FieldCoverRateLiquidation, Optional},
	},
	TxLoanBrokerDelete: {
		{FieldLoanBrokerID, Required},
	},
	TxLoanBrokerCoverDeposit: {
		{FieldLoanBrokerID, Required}, {FieldAmount, Required},
	},
	TxLoanBrokerCoverWithdraw: {
		{FieldLoanBrokerID, Required}, {FieldAmount, Required}, {FieldDestination, Optional},
		{FieldDestinationTag, Optional},
	},
	TxLoanBrokerCoverClawback: {
		{FieldLoanBrokerID, Optional}, {FieldAmount, Optional},
	},
	TxLoanSet: {
		{FieldLoanBrokerID, Required}, {FieldData, Optional}, {FieldCounterparty, Optional},
		{FieldCounterpartySignature, Optional}, {FieldLoanOriginationFee, Optional}, {FieldLoanServiceFee, Optional},
		{FieldLatePaymentFee, Optional}, {FieldClosePaymentFee, Optional}, {FieldOverpaymentFee, Optional},
		{FieldInterestRate, Optional}, {FieldLateInterestRate, Optional}, {FieldCloseInterestRate, Optional},
		{FieldOverpaymentInterestRate, Optional}, {FieldPrincipalRequested, Required}, {FieldPaymentTotal, Optional},
		{FieldPaymentInterval, Optional}, {FieldGracePeriod, Optional},
	},
	TxLoanDelete: {
		{FieldLoanID, Required},
	},
	TxLoanManage: {
		{FieldLoanID, Required},
	},
	TxLoanPay: {
		{FieldLoanID, Required}, {FieldAmount, Required},
	},
	TxConfidentialMPTConvert: {
		{FieldMPTokenIssuanceID, Required}, {FieldMPTAmount, Required}, {FieldHolderEncryptionKey, Optional},
		{FieldHolderEncryptedAmount, Required}, {FieldIssuerEncryptedAmount, Required},
		{FieldAuditorEncryptedAmount, Optional}, {FieldBlindingFactor, Required}, {FieldZKProof, Optional},
	},
	TxConfidentialMPTMergeInbox: {
		{FieldMPTokenIssuanceID, Required},
	},
	TxConfidentialMPTConvertBack: {
		{FieldMPTokenIssuanceID, Required}, {FieldMPTAmount, Required}, {FieldHolderEncryptedAmount, Required},
		{FieldIssuerEncryptedAmount, Required}, {FieldAuditorEncryptedAmount, Optional}, {FieldBlindingFactor, Required},
		{FieldZKProof, Required}, {FieldBalanceCommitment, Required},
	},
	TxConfidentialMPTSend: {
		{FieldMPTokenIssuanceID, Required}, {FieldDestination, Required}, {FieldDestinationTag, Optional},
		{FieldSenderEncryptedAmount, Required}, {FieldDestinationEncryptedAmount, Required},
		{FieldIssuerEncryptedAmount, Required}, {FieldAuditorEncryptedAmount, Optional}, {FieldZKProof, Required},
		{FieldAmountCommitment, Required}, {FieldBalanceCommitment, Required}, {FieldCredentialIDs, Optional},
	},
	TxConfidentialMPTClawback: {
		{FieldMPTokenIssuanceID, Required}, {FieldHolder, Required}, {FieldMPTAmount, Required}, {FieldZKProof, Required},
	},
	TxSponsorshipTransfer: {
		{FieldObjectID, Optional}, {FieldSponsee, Optional},
	},
	TxSponsorshipSet: {
		{FieldCounterpartySponsor, Optional}, {FieldSponsee, Optional}, {FieldFeeAmountDelta, Optional},
		{FieldMaxFee, Optional}, {FieldRemainingOwnerCountDelta, Optional},
	},
	TxEnableAmendment: {
		{FieldLedgerSequence, Required}, {FieldAmendment, Required},
	},
	TxSetFee: {
		{FieldLedgerSequence, Optional}, {FieldBaseFee, Optional}, {FieldReferenceFeeUnits, Optional},
		{FieldReserveBase, Optional}, {FieldReserveIncrement, Optional}, {FieldBaseFeeDrops, Optional},
		{FieldReserveBaseDrops, Optional}, {FieldReserveIncrementDrops, Optional},
	},
	TxUNLModify: {
		{FieldUNLModifyDisabling, Required}, {FieldLedgerSequence, Required}, {FieldUNLModifyValidator, Required},
	},
}
