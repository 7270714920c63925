package protocol

// entryCommon is the part of the format that every ledger entry shares.
var entryCommon = []FormatField{
	{FieldLedgerEntryType, Required}, {FieldFlags, Required}, {FieldSponsor, Optional},
}

var entryFormats = map[EntryType][]FormatField{
	EntryNFTokenOffer: {
		{FieldOwner, Required}, {FieldNFTokenID, Required}, {FieldAmount, Required}, {FieldOwnerNode, Required},
		{FieldNFTokenOfferNode, Required}, {FieldDestination, Optional}, {FieldExpiration, Optional},
		{FieldPreviousTxnID, Required}, {FieldPreviousTxnLgrSeq, Required},
	},
	EntryCheck: {
		{FieldAccount, Required}, {FieldDestination, Required}, {FieldSendMax, Required}, {FieldSequence, Required},
		{FieldOwnerNode, Required}, {FieldDestinationNode, Required}, {FieldExpiration, Optional},
		{FieldInvoiceID, Optional}, {FieldSourceTag, Optional}, {FieldDestinationTag, Optional},
		{FieldPreviousTxnID, Required}, {FieldPreviousTxnLgrSeq, Required},
	},
	EntryDID: {
		{FieldAccount, Required}, {FieldDIDDocument, Optional}, {FieldURI, Optional}, {FieldData, Optional},
		{FieldOwnerNode, Required}, {FieldPreviousTxnID, Required}, {FieldPreviousTxnLgrSeq, Required},
	},
	EntryNegativeUNL: {
		{FieldDisabledValidators, Optional}, {FieldValidatorToDisable, Optional}, {FieldValidatorToReEnable, Optional},
		{FieldPreviousTxnID, Optional}, {FieldPreviousTxnLgrSeq, Optional},
	},
	EntryNFTokenPage: {
		{FieldPreviousPageMin, Optional}, {FieldNextPageMin, Optional}, {FieldNFTokens, Required},
		{FieldPreviousTxnID, Required}, {FieldPreviousTxnLgrSeq, Required},
	},
	EntrySignerList: {
		{FieldOwner, Optional}, {FieldOwnerNode, Required}, {FieldSignerQuorum, Required}, {FieldSignerEntries, Required},
		{FieldSignerListID, Required}, {FieldPreviousTxnID, Required}, {FieldPreviousTxnLgrSeq, Required},
	},
	EntryTicket: {
		{FieldAccount, Required}, {FieldOwnerNode, Required}, {FieldTicketSequence, Required},
		{FieldPreviousTxnID, Required}, {FieldPreviousTxnLgrSeq, Required},
	},
	EntryAccountRoot: {
		{FieldAccount, Required}, {FieldSequence, Required}, {FieldBalance, Required}, {FieldOwnerCount, Required},
		{FieldPreviousTxnID, Required}, {FieldPreviousTxnLgrSeq, Required}, {FieldAccountTxnID, Optional},
		{FieldRegularKey, Optional}, {FieldEmailHash, Optional}, {FieldWalletLocator, Optional},
		{FieldWalletSize, Optional}, {FieldMessageKey, Optional}, {FieldTransferRate, Optional}, {FieldDomain, Optional},
		{FieldTickSize, Optional}, {FieldTicketCount, Optional}, {FieldNFTokenMinter, Optional},
		{FieldMintedNFTokens, Default}, {FieldBurnedNFTokens, Default}, {FieldFirstNFTokenSequence, Optional},
		{FieldSponsoredOwnerCount, Default}, {FieldSponsoringOwnerCount, Default}, {FieldSponsoringAccountCount, Default},
		{FieldAMMID, Optional}, {FieldVaultID, Optional}, {FieldLoanBrokerID, Optional},
	},
	EntryDirectoryNode: {
		{FieldOwner, Optional}, {FieldTakerPaysCurrency, Optional}, {FieldTakerPaysIssuer, Optional},
		{FieldTakerPaysMPT, Optional}, {FieldTakerGetsCurrency, Optional}, {FieldTakerGetsIssuer, Optional},
		{FieldTakerGetsMPT, Optional}, {FieldExchangeRate, Optional}, {FieldIndexes, Required}, {FieldRootIndex, Required},
		{FieldIndexNext, Optional}, {FieldIndexPrevious, Optional}, {FieldNFTokenID, Optional},
		{FieldPreviousTxnID, Optional}, {FieldPreviousTxnLgrSeq, Optional}, {FieldDomainID, Optional},
	},
	EntryAmendments: {
		{FieldAmendments, Optional}, {FieldMajorities, Optional}, {FieldPreviousTxnID, Optional},
		{FieldPreviousTxnLgrSeq, Optional},
	},
	EntryLedgerHashes: {
		{FieldFirstLedgerSequence, Optional}, {FieldLastLedgerSequence, Optional}, {FieldHashes, Required},
	},
	EntryBridge: {
		{FieldAccount, Required}, {FieldSignatureReward, Required}, {FieldMinAccountCreateAmount, Optional},
		{FieldXChainBridge, Required}, {FieldXChainClaimID, Required}, {FieldXChainAccountCreateCount, Required},
		{FieldXChainAccountClaimCount, Required}, {FieldOwnerNode, Required}, {FieldPreviousTxnID, Required},
		{FieldPreviousTxnLgrSeq, Required},
	},
	EntryOffer: {
		{FieldAccount, Required}, {FieldSequence, Required}, {FieldTakerPays, Required}, {FieldTakerGets, Required},
		{FieldBookDirectory, Required}, {FieldBookNode, Required}, {FieldOwnerNode, Required},
		{FieldPreviousTxnID, Required}, {FieldPreviousTxnLgrSeq, Required}, {FieldExpiration, Optional},
		{FieldDomainID, Optional}, {FieldAdditionalBooks, Optional},
	},
	EntryDepositPreauth: {
		{FieldAccount, Required}, {FieldAuthorize, Optional}, {FieldOwnerNode, Required}, {FieldPreviousTxnID, Required},
		{FieldPreviousTxnLgrSeq, Required}, {FieldAuthorizeCredentials, Optional},
	},
	EntryXChainOwnedClaimID: {
		{FieldAccount, Required}, {FieldXChainBridge, Required}, {FieldXChainClaimID, Required},
		{FieldOtherChainSource, Required}, {FieldXChainClaimAttestations, Required}, {FieldSignatureReward, Required},
		{FieldOwnerNode, Required}, {FieldPreviousTxnID, Required}, {FieldPreviousTxnLgrSeq, Required},
	},
	EntryRippleState: {
		{FieldBalance, Required}, {FieldLowLimit, Required}, {FieldHighLimit, Required}, {FieldPreviousTxnID, Required},
		{FieldPreviousTxnLgrSeq, Required}, {FieldLowNode, Optional}, {FieldLowQualityIn, Optional},
		{FieldLowQualityOut, Optional}, {FieldHighNode, Optional}, {FieldHighQualityIn, Optional},
		{FieldHighQualityOut, Optional}, {FieldHighSponsor, Optional}, {FieldLowSponsor, Optional},
	},
	EntryFeeSettings: {
		{FieldBaseFee, Optional}, {FieldReferenceFeeUnits, Optional}, {FieldReserveBase, Optional},
		{FieldReserveIncrement, Optional}, {FieldBaseFeeDrops, Optional}, {FieldReserveBaseDrops, Optional},
		{FieldReserveIncrementDrops, Optional}, {FieldPreviousTxnID, Optional}, {FieldPreviousTxnLgrSeq, Optional},
	},
	EntryXChainOwnedCreateAccountClaimID: {
		{FieldAccount, Required}, {FieldXChainBridge, Required}, {FieldXChainAccountCreateCount, Required},
		{FieldXChainCreateAccountAttestations, Required}, {FieldOwnerNode, Required}, {FieldPreviousTxnID, Required},
		{FieldPreviousTxnLgrSeq, Required},
	},
	EntryEscrow: {
		{FieldAccount, Required}, {FieldSequence, Optional}, {FieldDestination, Required}, {FieldAmount, Required},
		{FieldCondition, Optional}, {FieldCancelAfter, Optional}, {FieldFinishAfter, Optional}, {FieldSourceTag, Optional},
		{FieldDestinationTag, Optional}, {FieldOwnerNode, Required}, {FieldPreviousTxnID, Required},
		{FieldPreviousTxnLgrSeq, Required}, {FieldDestinationNode, Optional}, {FieldTransferRate, Optional},
		{FieldIssuerNode, Optional},
	},
	EntryPayChannel: {
		{FieldAccount, Required}, {FieldDestination, Required}, {FieldSequence, Optional}, {FieldAmount, Required},
		{FieldBalance, Required}, {FieldPublicKey, Required}, {FieldSettleDelay, Required}, {FieldExpiration, Optional},
		{FieldCancelAfter, Optional}, {FieldSourceTag, Optional}, {FieldDestinationTag, Optional},
		{FieldOwnerNode, Required}, {FieldPreviousTxnID, Required}, {FieldPreviousTxnLgrSeq, Required},
		{FieldDestinationNode, Optional},
	},
	EntryAMM: {
		{FieldAccount, Required}, {FieldTradingFee, Default}, {FieldVoteSlots, Optional}, {FieldAuctionSlot, Optional},
		{FieldLPTokenBalance, Required}, {FieldAsset, Required}, {FieldAsset2, Required}, {FieldOwnerNode, Required},
		{FieldPreviousTxnID, Optional}, {FieldPreviousTxnLgrSeq, Optional},
	},
	EntryMPTokenIssuance: {
		{FieldIssuer, Required}, {FieldSequence, Required}, {FieldTransferFee, Default}, {FieldOwnerNode, Required},
		{FieldAssetScale, Default}, {FieldMaximumAmount, Optional}, {FieldOutstandingAmount, Required},
		{FieldLockedAmount, Optional}, {FieldMPTokenMetadata, Optional}, {FieldPreviousTxnID, Required},
		{FieldPreviousTxnLgrSeq, Required}, {FieldDomainID, Optional}, {FieldImmutableFlags, Default},
		{FieldReferenceHolding, Optional}, {FieldIssuerEncryptionKey, Optional}, {FieldAuditorEncryptionKey, Optional},
		{FieldConfidentialOutstandingAmount, Default},
	},
	EntryMPToken: {
		{FieldAccount, Required}, {FieldMPTokenIssuanceID, Required}, {FieldMPTAmount, Default},
		{FieldLockedAmount, Optional}, {FieldOwnerNode, Required}, {FieldPreviousTxnID, Required},
		{FieldPreviousTxnLgrSeq, Required}, {FieldConfidentialBalanceInbox, Optional},
		{FieldConfidentialBalanceSpending, Optional}, {FieldConfidentialBalanceVersion, Default},
		{FieldIssuerEncryptedBalance, Optional}, {FieldAuditorEncryptedBalance, Optional},
		{FieldHolderEncryptionKey, Optional},
	},
	EntryOracle: {
		{FieldOwner, Required}, {FieldOracleDocumentID, Optional}, {FieldProvider, Required},
		{FieldPriceDataSeries, Required}, {FieldAssetClass, Required}, {FieldLastUpdateTime, Required},
		{FieldURI, Optional}, {FieldOwnerNode, Required}, {FieldPreviousTxnID, Required},
		{FieldPreviousTxnLgrSeq, Required},
	},
	EntryCredential: {
		{FieldSubject, Required}, {FieldIssuer, Required}, {FieldCredentialType, Required}, {FieldExpiration, Optional},
		{FieldURI, Optional}, {FieldIssuerNode, Required}, {FieldSubjectNode, Optional}, {FieldPreviousTxnID, Required},
		{FieldPreviousTxnLgrSeq, Required},
	},
	EntryPermissionedDomain: {
		{FieldOwner, Required}, {FieldSequence, Required}, {FieldAcceptedCredentials, Required},
		{FieldOwnerNode, Required}, {FieldPreviousTxnID, Required}, {FieldPreviousTxnLgrSeq, Required},
	},
	EntryDelegate: {
		{FieldAccount, Required}, {FieldAuthorize, Required}, {FieldPermissions, Required}, {FieldOwnerNode, Required},
		{FieldDestinationNode, Optional}, {FieldPreviousTxnID, Required}, {FieldPreviousTxnLgrSeq, Required},
	},
	EntryVault: {
		{FieldPreviousTxnID, Required}, {FieldPreviousTxnLgrSeq, Required}, {FieldSequence, Required},
		{FieldOwnerNode, Required}, {FieldOwner, Required}, {FieldAccount, Required}, {FieldData, Optional},
		{FieldAsset, Required}, {FieldAssetsTotal, Default}, {FieldAssetsAvailable, Default},
		{FieldAssetsMaximum, Default}, {FieldLossUnrealized, Default}, {FieldShareMPTID, Required},
		{FieldWithdrawalPolicy, Required}, {FieldScale, Default},
	},
	EntryLoanBroker: {
		{FieldPreviousTxnID, Required}, {FieldPreviousTxnLgrSeq, Required}, {FieldSequence, Required},
		{FieldOwnerNode, Required}, {FieldVaultNode, Required}, {FieldVaultID, Required}, {FieldAccount, Required},
		{FieldOwner, Required}, {FieldLoanSequence, Required}, {FieldData, Default}, {FieldManagementFeeRate, Default},
		{FieldOwnerCount, Default}, {FieldDebtTotal, Default}, {FieldDebtMaximum, Default}, {FieldCoverAvailable, Default},
		{FieldCoverRateMinimum, Default}, {FieldCoverRateLiquidation, Default},
	},
	EntryLoan: {
		{FieldPreviousTxnID, Required}, {FieldPreviousTxnLgrSeq, Required}, {FieldOwnerNode, Required},
		{FieldLoanBrokerNode, Required}, {FieldLoanBrokerID, Required}, {FieldLoanSequence, Required},
		{FieldBorrower, Required}, {FieldLoanOriginationFee, Default}, {FieldLoanServiceFee, Default},
		{FieldLatePaymentFee, Default}, {FieldClosePaymentFee, Default}, {FieldOverpaymentFee, Default},
		{FieldInterestRate, Default}, {FieldLateInterestRate, Default}, {FieldCloseInterestRate, Default},
		{FieldOverpaymentInterestRate, Default}, {FieldStartDate, Required}, {FieldPaymentInterval, Required},
		{FieldGracePeriod, Default}, {FieldPreviousPaymentDueDate, Default}, {FieldNextPaymentDueDate, Default},
		{FieldPaymentRemaining, Default}, {FieldPeriodicPayment, Required}, {FieldPrincipalOutstanding, Default},
		{FieldTotalValueOutstanding, Default}, {FieldManagementFeeOutstanding, Default}, {FieldLoanScale, Default},
	},
	EntrySponsorship: {
		{FieldPreviousTxnID, Required}, {FieldPreviousTxnLgrSeq, Required}, {FieldOwner, Required},
		{FieldSponsee, Required}, {FieldFeeAmount, Optional}, {FieldMaxFee, Optional}, {FieldRemainingOwnerCount, Default},
		{FieldOwnerNode, Required}, {FieldSponseeNode, Required},
	},
}
