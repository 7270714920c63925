package protocol

// Field codes: type code in the high half, number within the type in the low half.
const (
	FieldLedgerEntryType                                 Field = Field(TypeUint16)<<16 | 1
	FieldTransactionType                                 Field = Field(TypeUint16)<<16 | 2
	FieldSignerWeight                                    Field = Field(TypeUint16)<<16 | 3
	FieldTransferFee                                     Field = Field(TypeUint16)<<16 | 4
	FieldTradingFee                                      Field = Field(TypeUint16)<<16 | 5
	FieldDiscountedFee                                   Field = Field(TypeUint16)<<16 | 6
	FieldVersion                                         Field = Field(TypeUint16)<<16 | 16
	FieldHookStateChangeCount                            Field = Field(TypeUint16)<<16 | 17
	FieldHookEmitCount                                   Field = Field(TypeUint16)<<16 | 18
	FieldHookExecutionIndex                              Field = Field(TypeUint16)<<16 | 19
	FieldHookApiVersion                                  Field = Field(TypeUint16)<<16 | 20
	FieldLedgerFixType                                   Field = Field(TypeUint16)<<16 | 21
	FieldManagementFeeRate                               Field = Field(TypeUint16)<<16 | 22
	FieldNetworkID                                       Field = Field(TypeUint32)<<16 | 1
	FieldFlags                                           Field = Field(TypeUint32)<<16 | 2
	FieldSourceTag                                       Field = Field(TypeUint32)<<16 | 3
	FieldSequence                                        Field = Field(TypeUint32)<<16 | 4
	FieldPreviousTxnLgrSeq                               Field = Field(TypeUint32)<<16 | 5
	FieldLedgerSequence                                  Field = Field(TypeUint32)<<16 | 6
	FieldCloseTime                                       Field = Field(TypeUint32)<<16 | 7
	FieldParentCloseTime                                 Field = Field(TypeUint32)<<16 | 8
	FieldSigningTime                                     Field = Field(TypeUint32)<<16 | 9
	FieldExpiration                                      Field = Field(TypeUint32)<<16 | 10
	FieldTransferRate                                    Field = Field(TypeUint32)<<16 | 11
	FieldWalletSize                                      Field = Field(TypeUint32)<<16 | 12
	FieldOwnerCount                                      Field = Field(TypeUint32)<<16 | 13
	FieldDestinationTag                                  Field = Field(TypeUint32)<<16 | 14
	FieldLastUpdateTime                                  Field = Field(TypeUint32)<<16 | 15
	FieldHighQualityIn                                   Field = Field(TypeUint32)<<16 | 16
	FieldHighQualityOut                                  Field = Field(TypeUint32)<<16 | 17
	FieldLowQualityIn                                    Field = Field(TypeUint32)<<16 | 18
	FieldLowQualityOut                                   Field = Field(TypeUint32)<<16 | 19
	FieldQualityIn                                       Field = Field(TypeUint32)<<16 | 20
	FieldQualityOut                                      Field = Field(TypeUint32)<<16 | 21
	FieldStampEscrow                                     Field = Field(TypeUint32)<<16 | 22
	FieldBondAmount                                      Field = Field(TypeUint32)<<16 | 23
	FieldLoadFee                                         Field = Field(TypeUint32)<<16 | 24
	FieldOfferSequence                                   Field = Field(TypeUint32)<<16 | 25
	FieldFirstLedgerSequence                             Field = Field(TypeUint32)<<16 | 26
	FieldLastLedgerSequence                              Field = Field(TypeUint32)<<16 | 27
	FieldTransactionIndex                                Field = Field(TypeUint32)<<16 | 28
	FieldOperationLimit                                  Field = Field(TypeUint32)<<16 | 29
	FieldReferenceFeeUnits                               Field = Field(TypeUint32)<<16 | 30
	FieldReserveBase                                     Field = Field(TypeUint32)<<16 | 31
	FieldReserveIncrement                                Field = Field(TypeUint32)<<16 | 32
	FieldSetFlag                                         Field = Field(TypeUint32)<<16 | 33
	FieldClearFlag                                       Field = Field(TypeUint32)<<16 | 34
	FieldSignerQuorum                                    Field = Field(TypeUint32)<<16 | 35
	FieldCancelAfter                                     Field = Field(TypeUint32)<<16 | 36
	FieldFinishAfter                                     Field = Field(TypeUint32)<<16 | 37
	FieldSignerListID                                    Field = Field(TypeUint32)<<16 | 38
	FieldSettleDelay                                     Field = Field(TypeUint32)<<16 | 39
	FieldTicketCount                                     Field = Field(TypeUint32)<<16 | 40
	FieldTicketSequence                                  Field = Field(TypeUint32)<<16 | 41
	FieldNFTokenTaxon                                    Field = Field(TypeUint32)<<16 | 42
	FieldMintedNFTokens                                  Field = Field(TypeUint32)<<16 | 43
	FieldBurnedNFTokens                                  Field = Field(TypeUint32)<<16 | 44
	FieldHookStateCount                                  Field = Field(TypeUint32)<<16 | 45
	FieldEmitGeneration                                  Field = Field(TypeUint32)<<16 | 46
	FieldVoteWeight                                      Field = Field(TypeUint32)<<16 | 48
	FieldFirstNFTokenSequence                            Field = Field(TypeUint32)<<16 | 50
	FieldOracleDocumentID                                Field = Field(TypeUint32)<<16 | 51
	FieldPermissionValue                                 Field = Field(TypeUint32)<<16 | 52
	FieldImmutableFlags                                  Field = Field(TypeUint32)<<16 | 53
	FieldStartDate                                       Field = Field(TypeUint32)<<16 | 54
	FieldPaymentInterval                                 Field = Field(TypeUint32)<<16 | 55
	FieldGracePeriod                                     Field = Field(TypeUint32)<<16 | 56
	FieldPreviousPaymentDueDate                          Field = Field(TypeUint32)<<16 | 57
	FieldNextPaymentDueDate                              Field = Field(TypeUint32)<<16 | 58
	FieldPaymentRemaining                                Field = Field(TypeUint32)<<16 | 59
	FieldPaymentTotal                                    Field = Field(TypeUint32)<<16 | 60
	FieldLoanSequence                                    Field = Field(TypeUint32)<<16 | 61
	FieldCoverRateMinimum                                Field = Field(TypeUint32)<<16 | 62
	FieldCoverRateLiquidation                            Field = Field(TypeUint32)<<16 | 63
	FieldOverpaymentFee                                  Field = Field(TypeUint32)<<16 | 64
	FieldInterestRate                                    Field = Field(TypeUint32)<<16 | 65
	FieldLateInterestRate                                Field = Field(TypeUint32)<<16 | 66
	FieldCloseInterestRate                               Field = Field(TypeUint32)<<16 | 67
	FieldOverpaymentInterestRate                         Field = Field(TypeUint32)<<16 | 68
	FieldConfidentialBalanceVersion                      Field = Field(TypeUint32)<<16 | 69
	FieldSponsoredOwnerCount                             Field = Field(TypeUint32)<<16 | 70
	FieldSponsoringOwnerCount                            Field = Field(TypeUint32)<<16 | 71
	FieldSponsoringAccountCount                          Field = Field(TypeUint32)<<16 | 72
	FieldRemainingOwnerCount                             Field = Field(TypeUint32)<<16 | 73
	FieldSponsorFlags                                    Field = Field(TypeUint32)<<16 | 74
	FieldIndexNext                                       Field = Field(TypeUint64)<<16 | 1
	FieldIndexPrevious                                   Field = Field(TypeUint64)<<16 | 2
	FieldBookNode                                        Field = Field(TypeUint64)<<16 | 3
	FieldOwnerNode                                       Field = Field(TypeUint64)<<16 | 4
	FieldBaseFee                                         Field = Field(TypeUint64)<<16 | 5
	FieldExchangeRate                                    Field = Field(TypeUint64)<<16 | 6
	FieldLowNode                                         Field = Field(TypeUint64)<<16 | 7
	FieldHighNode                                        Field = Field(TypeUint64)<<16 | 8
	FieldDestinationNode                                 Field = Field(TypeUint64)<<16 | 9
	FieldCookie                                          Field = Field(TypeUint64)<<16 | 10
	FieldServerVersion                                   Field = Field(TypeUint64)<<16 | 11
	FieldNFTokenOfferNode                                Field = Field(TypeUint64)<<16 | 12
	FieldEmitBurden                                      Field = Field(TypeUint64)<<16 | 13
	FieldHookOn                                          Field = Field(TypeUint64)<<16 | 16
	FieldHookInstructionCount                            Field = Field(TypeUint64)<<16 | 17
	FieldHookReturnCode                                  Field = Field(TypeUint64)<<16 | 18
	FieldReferenceCount                                  Field = Field(TypeUint64)<<16 | 19
	FieldXChainClaimID                                   Field = Field(TypeUint64)<<16 | 20
	FieldXChainAccountCreateCount                        Field = Field(TypeUint64)<<16 | 21
	FieldXChainAccountClaimCount                         Field = Field(TypeUint64)<<16 | 22
	FieldAssetPrice                                      Field = Field(TypeUint64)<<16 | 23
	FieldMaximumAmount                                   Field = Field(TypeUint64)<<16 | 24
	FieldOutstandingAmount                               Field = Field(TypeUint64)<<16 | 25
	FieldMPTAmount                                       Field = Field(TypeUint64)<<16 | 26
	FieldIssuerNode                                      Field = Field(TypeUint64)<<16 | 27
	FieldSubjectNode                                     Field = Field(TypeUint64)<<16 | 28
	FieldLockedAmount                                    Field = Field(TypeUint64)<<16 | 29
	FieldVaultNode                                       Field = Field(TypeUint64)<<16 | 30
	FieldLoanBrokerNode                                  Field = Field(TypeUint64)<<16 | 31
	FieldConfidentialOutstandingAmount                   Field = Field(TypeUint64)<<16 | 32
	FieldSponseeNode                                     Field = Field(TypeUint64)<<16 | 33
	FieldEmailHash                                       Field = Field(TypeHash128)<<16 | 1
	FieldLedgerHash                                      Field = Field(TypeHash256)<<16 | 1
	FieldParentHash                                      Field = Field(TypeHash256)<<16 | 2
	FieldTransactionHash                                 Field = Field(TypeHash256)<<16 | 3
	FieldAccountHash                                     Field = Field(TypeHash256)<<16 | 4
	FieldPreviousTxnID                                   Field = Field(TypeHash256)<<16 | 5
	FieldLedgerIndex                                     Field = Field(TypeHash256)<<16 | 6
	FieldWalletLocator                                   Field = Field(TypeHash256)<<16 | 7
	FieldRootIndex                                       Field = Field(TypeHash256)<<16 | 8
	FieldAccountTxnID                                    Field = Field(TypeHash256)<<16 | 9
	FieldNFTokenID                                       Field = Field(TypeHash256)<<16 | 10
	FieldEmitParentTxnID                                 Field = Field(TypeHash256)<<16 | 11
	FieldEmitNonce                                       Field = Field(TypeHash256)<<16 | 12
	FieldEmitHookHash                                    Field = Field(TypeHash256)<<16 | 13
	FieldAMMID                                           Field = Field(TypeHash256)<<16 | 14
	FieldBookDirectory                                   Field = Field(TypeHash256)<<16 | 16
	FieldInvoiceID                                       Field = Field(TypeHash256)<<16 | 17
	FieldNickname                                        Field = Field(TypeHash256)<<16 | 18
	FieldAmendment                                       Field = Field(TypeHash256)<<16 | 19
	FieldDigest                                          Field = Field(TypeHash256)<<16 | 21
	FieldChannel                                         Field = Field(TypeHash256)<<16 | 22
	FieldConsensusHash                                   Field = Field(TypeHash256)<<16 | 23
	FieldCheckID                                         Field = Field(TypeHash256)<<16 | 24
	FieldValidatedHash                                   Field = Field(TypeHash256)<<16 | 25
	FieldPreviousPageMin                                 Field = Field(TypeHash256)<<16 | 26
	FieldNextPageMin                                     Field = Field(TypeHash256)<<16 | 27
	FieldNFTokenBuyOffer                                 Field = Field(TypeHash256)<<16 | 28
	FieldNFTokenSellOffer                                Field = Field(TypeHash256)<<16 | 29
	FieldHookStateKey                                    Field = Field(TypeHash256)<<16 | 30
	FieldHookHash                                        Field = Field(TypeHash256)<<16 | 31
	FieldHookNamespace                                   Field = Field(TypeHash256)<<16 | 32
	FieldHookSetTxnID                                    Field = Field(TypeHash256)<<16 | 33
	FieldDomainID                                        Field = Field(TypeHash256)<<16 | 34
	FieldVaultID                                         Field = Field(TypeHash256)<<16 | 35
	FieldParentBatchID                                   Field = Field(TypeHash256)<<16 | 36
	FieldLoanBrokerID                                    Field = Field(TypeHash256)<<16 | 37
	FieldLoanID                                          Field = Field(TypeHash256)<<16 | 38
	FieldReferenceHolding                                Field = Field(TypeHash256)<<16 | 39
	FieldBlindingFactor                                  Field = Field(TypeHash256)<<16 | 40
	FieldObjectID                                        Field = Field(TypeHash256)<<16 | 41
	FieldAmount                                          Field = Field(TypeAmount)<<16 | 1
	FieldBalance                                         Field = Field(TypeAmount)<<16 | 2
	FieldLimitAmount                                     Field = Field(TypeAmount)<<16 | 3
	FieldTakerPays                                       Field = Field(TypeAmount)<<16 | 4
	FieldTakerGets                                       Field = Field(TypeAmount)<<16 | 5
	FieldLowLimit                                        Field = Field(TypeAmount)<<16 | 6
	FieldHighLimit                                       Field = Field(TypeAmount)<<16 | 7
	FieldFee                                             Field = Field(TypeAmount)<<16 | 8
	FieldSendMax                                         Field = Field(TypeAmount)<<16 | 9
	FieldDeliverMin                                      Field = Field(TypeAmount)<<16 | 10
	FieldAmount2                                         Field = Field(TypeAmount)<<16 | 11
	FieldBidMin                                          Field = Field(TypeAmount)<<16 | 12
	FieldBidMax                                          Field = Field(TypeAmount)<<16 | 13
	FieldMinimumOffer                                    Field = Field(TypeAmount)<<16 | 16
	FieldRippleEscrow                                    Field = Field(TypeAmount)<<16 | 17
	FieldDeliveredAmount                                 Field = Field(TypeAmount)<<16 | 18
	FieldNFTokenBrokerFee                                Field = Field(TypeAmount)<<16 | 19
	FieldBaseFeeDrops                                    Field = Field(TypeAmount)<<16 | 22
	FieldReserveBaseDrops                                Field = Field(TypeAmount)<<16 | 23
	FieldReserveIncrementDrops                           Field = Field(TypeAmount)<<16 | 24
	FieldLPTokenOut                                      Field = Field(TypeAmount)<<16 | 25
	FieldLPTokenIn                                       Field = Field(TypeAmount)<<16 | 26
	FieldEPrice                                          Field = Field(TypeAmount)<<16 | 27
	FieldPrice                                           Field = Field(TypeAmount)<<16 | 28
	FieldSignatureReward                                 Field = Field(TypeAmount)<<16 | 29
	FieldMinAccountCreateAmount                          Field = Field(TypeAmount)<<16 | 30
	FieldLPTokenBalance                                  Field = Field(TypeAmount)<<16 | 31
	FieldFeeAmount                                       Field = Field(TypeAmount)<<16 | 32
	FieldMaxFee                                          Field = Field(TypeAmount)<<16 | 33
	FieldFeeAmountDelta                                  Field = Field(TypeAmount)<<16 | 34
	FieldPublicKey                                       Field = Field(TypeBlob)<<16 | 1
	FieldMessageKey                                      Field = Field(TypeBlob)<<16 | 2
	FieldSigningPubKey                                   Field = Field(TypeBlob)<<16 | 3
	FieldTxnSignature                                    Field = Field(TypeBlob)<<16 | 4
	FieldURI                                             Field = Field(TypeBlob)<<16 | 5
	FieldSignature                                       Field = Field(TypeBlob)<<16 | 6
	FieldDomain                                          Field = Field(TypeBlob)<<16 | 7
	FieldFundCode                                        Field = Field(TypeBlob)<<16 | 8
	FieldRemoveCode                                      Field = Field(TypeBlob)<<16 | 9
	FieldExpireCode                                      Field = Field(TypeBlob)<<16 | 10
	FieldCreateCode                                      Field = Field(TypeBlob)<<16 | 11
	FieldMemoType                                        Field = Field(TypeBlob)<<16 | 12
	FieldMemoData                                        Field = Field(TypeBlob)<<16 | 13
	FieldMemoFormat                                      Field = Field(TypeBlob)<<16 | 14
	FieldFulfillment                                     Field = Field(TypeBlob)<<16 | 16
	FieldCondition                                       Field = Field(TypeBlob)<<16 | 17
	FieldMasterSignature                                 Field = Field(TypeBlob)<<16 | 18
	FieldUNLModifyValidator                              Field = Field(TypeBlob)<<16 | 19
	FieldValidatorToDisable                              Field = Field(TypeBlob)<<16 | 20
	FieldValidatorToReEnable                             Field = Field(TypeBlob)<<16 | 21
	FieldHookStateData                                   Field = Field(TypeBlob)<<16 | 22
	FieldHookReturnString                                Field = Field(TypeBlob)<<16 | 23
	FieldHookParameterName                               Field = Field(TypeBlob)<<16 | 24
	FieldHookParameterValue                              Field = Field(TypeBlob)<<16 | 25
	FieldDIDDocument                                     Field = Field(TypeBlob)<<16 | 26
	FieldData                                            Field = Field(TypeBlob)<<16 | 27
	FieldAssetClass                                      Field = Field(TypeBlob)<<16 | 28
	FieldProvider                                        Field = Field(TypeBlob)<<16 | 29
	FieldMPTokenMetadata                                 Field = Field(TypeBlob)<<16 | 30
	FieldCredentialType                                  Field = Field(TypeBlob)<<16 | 31
	FieldConfidentialBalanceInbox                        Field = Field(TypeBlob)<<16 | 32
	FieldConfidentialBalanceSpending                     Field = Field(TypeBlob)<<16 | 33
	FieldIssuerEncryptedBalance                          Field = Field(TypeBlob)<<16 | 34
	FieldIssuerEncryptionKey                             Field = Field(TypeBlob)<<16 | 35
	FieldHolderEncryptionKey                             Field = Field(TypeBlob)<<16 | 36
	FieldZKProof                                         Field = Field(TypeBlob)<<16 | 37
	FieldHolderEncryptedAmount                           Field = Field(TypeBlob)<<16 | 38
	FieldIssuerEncryptedAmount                           Field = Field(TypeBlob)<<16 | 39
	FieldSenderEncryptedAmount                           Field = Field(TypeBlob)<<16 | 40
	FieldDestinationEncryptedAmount                      Field = Field(TypeBlob)<<16 | 41
	FieldAuditorEncryptedBalance                         Field = Field(TypeBlob)<<16 | 42
	FieldAuditorEncryptedAmount                          Field = Field(TypeBlob)<<16 | 43
	FieldAuditorEncryptionKey                            Field = Field(TypeBlob)<<16 | 44
	FieldAmountCommitment                                Field = Field(TypeBlob)<<16 | 45
	FieldBalanceCommitment                               Field = Field(TypeBlob)<<16 | 46
	FieldAccount                                         Field = Field(TypeAccountID)<<16 | 1
	FieldOwner                                           Field = Field(TypeAccountID)<<16 | 2
	FieldDestination                                     Field = Field(TypeAccountID)<<16 | 3
	FieldIssuer                                          Field = Field(TypeAccountID)<<16 | 4
	FieldAuthorize                                       Field = Field(TypeAccountID)<<16 | 5
	FieldUnauthorize                                     Field = Field(TypeAccountID)<<16 | 6
	FieldRegularKey                                      Field = Field(TypeAccountID)<<16 | 8
	FieldNFTokenMinter                                   Field = Field(TypeAccountID)<<16 | 9
	FieldEmitCallback                                    Field = Field(TypeAccountID)<<16 | 10
	FieldHolder                                          Field = Field(TypeAccountID)<<16 | 11
	FieldDelegate                                        Field = Field(TypeAccountID)<<16 | 12
	FieldHookAccount                                     Field = Field(TypeAccountID)<<16 | 16
	FieldOtherChainSource                                Field = Field(TypeAccountID)<<16 | 18
	FieldOtherChainDestination                           Field = Field(TypeAccountID)<<16 | 19
	FieldAttestationSignerAccount                        Field = Field(TypeAccountID)<<16 | 20
	FieldAttestationRewardAccount                        Field = Field(TypeAccountID)<<16 | 21
	FieldLockingChainDoor                                Field = Field(TypeAccountID)<<16 | 22
	FieldIssuingChainDoor                                Field = Field(TypeAccountID)<<16 | 23
	FieldSubject                                         Field = Field(TypeAccountID)<<16 | 24
	FieldBorrower                                        Field = Field(TypeAccountID)<<16 | 25
	FieldCounterparty                                    Field = Field(TypeAccountID)<<16 | 26
	FieldSponsor                                         Field = Field(TypeAccountID)<<16 | 27
	FieldHighSponsor                                     Field = Field(TypeAccountID)<<16 | 28
	FieldLowSponsor                                      Field = Field(TypeAccountID)<<16 | 29
	FieldCounterpartySponsor                             Field = Field(TypeAccountID)<<16 | 30
	FieldSponsee                                         Field = Field(TypeAccountID)<<16 | 31
	FieldNumber                                          Field = Field(TypeNumber)<<16 | 1
	FieldAssetsAvailable                                 Field = Field(TypeNumber)<<16 | 2
	FieldAssetsMaximum                                   Field = Field(TypeNumber)<<16 | 3
	FieldAssetsTotal                                     Field = Field(TypeNumber)<<16 | 4
	FieldLossUnrealized                                  Field = Field(TypeNumber)<<16 | 5
	FieldDebtTotal                                       Field = Field(TypeNumber)<<16 | 6
	FieldDebtMaximum                                     Field = Field(TypeNumber)<<16 | 7
	FieldCoverAvailable                                  Field = Field(TypeNumber)<<16 | 8
	FieldLoanOriginationFee                              Field = Field(TypeNumber)<<16 | 9
	FieldLoanServiceFee                                  Field = Field(TypeNumber)<<16 | 10
	FieldLatePaymentFee                                  Field = Field(TypeNumber)<<16 | 11
	FieldClosePaymentFee                                 Field = Field(TypeNumber)<<16 | 12
	FieldPrincipalOutstanding                            Field = Field(TypeNumber)<<16 | 13
	FieldPrincipalRequested                              Field = Field(TypeNumber)<<16 | 14
	FieldTotalValueOutstanding                           Field = Field(TypeNumber)<<16 | 15
	FieldPeriodicPayment                                 Field = Field(TypeNumber)<<16 | 16
	FieldManagementFeeOutstanding                        Field = Field(TypeNumber)<<16 | 17
	FieldLoanScale                                       Field = Field(TypeInt32)<<16 | 1
	FieldRemainingOwnerCountDelta                        Field = Field(TypeInt32)<<16 | 2
	FieldObjectEndMarker                                 Field = Field(TypeObject)<<16 | 1
	FieldTransactionMetaData                             Field = Field(TypeObject)<<16 | 2
	FieldCreatedNode                                     Field = Field(TypeObject)<<16 | 3
	FieldDeletedNode                                     Field = Field(TypeObject)<<16 | 4
	FieldModifiedNode                                    Field = Field(TypeObject)<<16 | 5
	FieldPreviousFields                                  Field = Field(TypeObject)<<16 | 6
	FieldFinalFields                                     Field = Field(TypeObject)<<16 | 7
	FieldNewFields                                       Field = Field(TypeObject)<<16 | 8
	FieldTemplateEntry                                   Field = Field(TypeObject)<<16 | 9
	FieldMemo                                            Field = Field(TypeObject)<<16 | 10
	FieldSignerEntry                                     Field = Field(TypeObject)<<16 | 11
	FieldNFToken                                         Field = Field(TypeObject)<<16 | 12
	FieldEmitDetails                                     Field = Field(TypeObject)<<16 | 13
	FieldHook                                            Field = Field(TypeObject)<<16 | 14
	FieldPermission                                      Field = Field(TypeObject)<<16 | 15
	FieldSigner                                          Field = Field(TypeObject)<<16 | 16
	FieldMajority                                        Field = Field(TypeObject)<<16 | 18
	FieldDisabledValidator                               Field = Field(TypeObject)<<16 | 19
	FieldEmittedTxn                                      Field = Field(TypeObject)<<16 | 20
	FieldHookExecution                                   Field = Field(TypeObject)<<16 | 21
	FieldHookDefinition                                  Field = Field(TypeObject)<<16 | 22
	FieldHookParameter                                   Field = Field(TypeObject)<<16 | 23
	FieldHookGrant                                       Field = Field(TypeObject)<<16 | 24
	FieldVoteEntry                                       Field = Field(TypeObject)<<16 | 25
	FieldAuctionSlot                                     Field = Field(TypeObject)<<16 | 26
	FieldAuthAccount                                     Field = Field(TypeObject)<<16 | 27
	FieldXChainClaimProofSig                             Field = Field(TypeObject)<<16 | 28
	FieldXChainCreateAccountProofSig                     Field = Field(TypeObject)<<16 | 29
	FieldXChainClaimAttestationCollectionElement         Field = Field(TypeObject)<<16 | 30
	FieldXChainCreateAccountAttestationCollectionElement Field = Field(TypeObject)<<16 | 31
	FieldPriceData                                       Field = Field(TypeObject)<<16 | 32
	FieldCredential                                      Field = Field(TypeObject)<<16 | 33
	FieldRawTransaction                                  Field = Field(TypeObject)<<16 | 34
	FieldBatchSigner                                     Field = Field(TypeObject)<<16 | 35
	FieldBook                                            Field = Field(TypeObject)<<16 | 36
	FieldCounterpartySignature                           Field = Field(TypeObject)<<16 | 37
	FieldSponsorSignature                                Field = Field(TypeObject)<<16 | 38
	FieldArrayEndMarker                                  Field = Field(TypeArray)<<16 | 1
	FieldSigners                                         Field = Field(TypeArray)<<16 | 3
	FieldSignerEntries                                   Field = Field(TypeArray)<<16 | 4
	FieldTemplate                                        Field = Field(TypeArray)<<16 | 5
	FieldNecessary                                       Field = Field(TypeArray)<<16 | 6
	FieldSufficient                                      Field = Field(TypeArray)<<16 | 7
	FieldAffectedNodes                                   Field = Field(TypeArray)<<16 | 8
	FieldMemos                                           Field = Field(TypeArray)<<16 | 9
	FieldNFTokens                                        Field = Field(TypeArray)<<16 | 10
	FieldHooks                                           Field = Field(TypeArray)<<16 | 11
	FieldVoteSlots                                       Field = Field(TypeArray)<<16 | 12
	FieldAdditionalBooks                                 Field = Field(TypeArray)<<16 | 13
	FieldMajorities                                      Field = Field(TypeArray)<<16 | 16
	FieldDisabledValidators                              Field = Field(TypeArray)<<16 | 17
	FieldHookExecutions                                  Field = Field(TypeArray)<<16 | 18
	FieldHookParameters                                  Field = Field(TypeArray)<<16 | 19
	FieldHookGrants                                      Field = Field(TypeArray)<<16 | 20
	FieldXChainClaimAttestations                         Field = Field(TypeArray)<<16 | 21
	FieldXChainCreateAccountAttestations                 Field = Field(TypeArray)<<16 | 22
	FieldPriceDataSeries                                 Field = Field(TypeArray)<<16 | 24
	FieldAuthAccounts                                    Field = Field(TypeArray)<<16 | 25
	FieldAuthorizeCredentials                            Field = Field(TypeArray)<<16 | 26
	FieldUnauthorizeCredentials                          Field = Field(TypeArray)<<16 | 27
	FieldAcceptedCredentials                             Field = Field(TypeArray)<<16 | 28
	FieldPermissions                                     Field = Field(TypeArray)<<16 | 29
	FieldRawTransactions                                 Field = Field(TypeArray)<<16 | 30
	FieldBatchSigners                                    Field = Field(TypeArray)<<16 | 31
	FieldCloseResolution                                 Field = Field(TypeUint8)<<16 | 1
	FieldMethod                                          Field = Field(TypeUint8)<<16 | 2
	FieldTransactionResult                               Field = Field(TypeUint8)<<16 | 3
	FieldScale                                           Field = Field(TypeUint8)<<16 | 4
	FieldAssetScale                                      Field = Field(TypeUint8)<<16 | 5
	FieldTickSize                                        Field = Field(TypeUint8)<<16 | 16
	FieldUNLModifyDisabling                              Field = Field(TypeUint8)<<16 | 17
	FieldHookResult                                      Field = Field(TypeUint8)<<16 | 18
	FieldWasLockingChainSend                             Field = Field(TypeUint8)<<16 | 19
	FieldWithdrawalPolicy                                Field = Field(TypeUint8)<<16 | 20
	FieldTakerPaysCurrency                               Field = Field(TypeHash160)<<16 | 1
	FieldTakerPaysIssuer                                 Field = Field(TypeHash160)<<16 | 2
	FieldTakerGetsCurrency                               Field = Field(TypeHash160)<<16 | 3
	FieldTakerGetsIssuer                                 Field = Field(TypeHash160)<<16 | 4
	FieldPaths                                           Field = Field(TypePathSet)<<16 | 1
	FieldIndexes                                         Field = Field(TypeVector256)<<16 | 1
	FieldHashes                                          Field = Field(TypeVector256)<<16 | 2
	FieldAmendments                                      Field = Field(TypeVector256)<<16 | 3
	FieldNFTokenOffers                                   Field = Field(TypeVector256)<<16 | 4
	FieldCredentialIDs                                   Field = Field(TypeVector256)<<16 | 5
	FieldMPTokenIssuanceID                               Field = Field(TypeHash192)<<16 | 1
	FieldShareMPTID                                      Field = Field(TypeHash192)<<16 | 2
	FieldTakerPaysMPT                                    Field = Field(TypeHash192)<<16 | 3
	FieldTakerGetsMPT                                    Field = Field(TypeHash192)<<16 | 4
	FieldLockingChainIssue                               Field = Field(TypeIssue)<<16 | 1
	FieldIssuingChainIssue                               Field = Field(TypeIssue)<<16 | 2
	FieldAsset                                           Field = Field(TypeIssue)<<16 | 3
	FieldAsset2                                          Field = Field(TypeIssue)<<16 | 4
	FieldXChainBridge                                    Field = Field(TypeXChainBridge)<<16 | 1
	FieldBaseAsset                                       Field = Field(TypeCurrency)<<16 | 1
	FieldQuoteAsset                                      Field = Field(TypeCurrency)<<16 | 2
)

// fieldTable lists every serialised field, by type and number.
var fieldTable = []fieldInfo{
	{FieldLedgerEntryType, "LedgerEntryType", true, metaNever},
	{FieldTransactionType, "TransactionType", true, metaDefault},
	{FieldSignerWeight, "SignerWeight", true, metaDefault},
	{FieldTransferFee, "TransferFee", true, metaDefault},
	{FieldTradingFee, "TradingFee", true, metaDefault},
	{FieldDiscountedFee, "DiscountedFee", true, metaDefault},
	{FieldVersion, "Version", true, metaDefault},
	{FieldHookStateChangeCount, "HookStateChangeCount", true, metaDefault},
	{FieldHookEmitCount, "HookEmitCount", true, metaDefault},
	{FieldHookExecutionIndex, "HookExecutionIndex", true, metaDefault},
	{FieldHookApiVersion, "HookApiVersion", true, metaDefault},
	{FieldLedgerFixType, "LedgerFixType", true, metaDefault},
	{FieldManagementFeeRate, "ManagementFeeRate", true, metaDefault},
	{FieldNetworkID, "NetworkID", true, metaDefault},
	{FieldFlags, "Flags", true, metaDefault},
	{FieldSourceTag, "SourceTag", true, metaDefault},
	{FieldSequence, "Sequence", true, metaDefault},
	{FieldPreviousTxnLgrSeq, "PreviousTxnLgrSeq", true, metaDeleteFinal},
	{FieldLedgerSequence, "LedgerSequence", true, metaDefault},
	{FieldCloseTime, "CloseTime", true, metaDefault},
	{FieldParentCloseTime, "ParentCloseTime", true, metaDefault},
	{FieldSigningTime, "SigningTime", true, metaDefault},
	{FieldExpiration, "Expiration", true, metaDefault},
	{FieldTransferRate, "TransferRate", true, metaDefault},
	{FieldWalletSize, "WalletSize", true, metaDefault},
	{FieldOwnerCount, "OwnerCount", true, metaDefault},
	{FieldDestinationTag, "DestinationTag", true, metaDefault},
	{FieldLastUpdateTime, "LastUpdateTime", true, metaDefault},
	{FieldHighQualityIn, "HighQualityIn", true, metaDefault},
	{FieldHighQualityOut, "HighQualityOut", true, metaDefault},
	{FieldLowQualityIn, "LowQualityIn", true, metaDefault},
	{FieldLowQualityOut, "LowQualityOut", true, metaDefault},
	{FieldQualityIn, "QualityIn", true, metaDefault},
	{FieldQualityOut, "QualityOut", true, metaDefault},
	{FieldStampEscrow, "StampEscrow", true, metaDefault},
	{FieldBondAmount, "BondAmount", true, metaDefault},
	{FieldLoadFee, "LoadFee", true, metaDefault},
	{FieldOfferSequence, "OfferSequence", true, metaDefault},
	{FieldFirstLedgerSequence, "FirstLedgerSequence", true, metaDefault},
	{FieldLastLedgerSequence, "LastLedgerSequence", true, metaDefault},
	{FieldTransactionIndex, "TransactionIndex", true, metaDefault},
	{FieldOperationLimit, "OperationLimit", true, metaDefault},
	{FieldReferenceFeeUnits, "ReferenceFeeUnits", true, metaDefault},
	{FieldReserveBase, "ReserveBase", true, metaDefault},
	{FieldReserveIncrement, "ReserveIncrement", true, metaDefault},
	{FieldSetFlag, "SetFlag", true, metaDefault},
	{FieldClearFlag, "ClearFlag", true, metaDefault},
	{FieldSignerQuorum, "SignerQuorum", true, metaDefault},
	{FieldCancelAfter, "CancelAfter", true, metaDefault},
	{FieldFinishAfter, "FinishAfter", true, metaDefault},
	{FieldSignerListID, "SignerListID", true, metaDefault},
	{FieldSettleDelay, "SettleDelay", true, metaDefault},
	{FieldTicketCount, "TicketCount", true, metaDefault},
	{FieldTicketSequence, "TicketSequence", true, metaDefault},
	{FieldNFTokenTaxon, "NFTokenTaxon", true, metaDefault},
	{FieldMintedNFTokens, "MintedNFTokens", true, metaDefault},
	{FieldBurnedNFTokens, "BurnedNFTokens", true, metaDefault},
	{FieldHookStateCount, "HookStateCount", true, metaDefault},
	{FieldEmitGeneration, "EmitGeneration", true, metaDefault},
	{FieldVoteWeight, "VoteWeight", true, metaDefault},
	{FieldFirstNFTokenSequence, "FirstNFTokenSequence", true, metaDefault},
	{FieldOracleDocumentID, "OracleDocumentID", true, metaDefault},
	{FieldPermissionValue, "PermissionValue", true, metaDefault},
	{FieldImmutableFlags, "ImmutableFlags", true, metaDefault},
	{FieldStartDate, "StartDate", true, metaDefault},
	{FieldPaymentInterval, "PaymentInterval", true, metaDefault},
	{FieldGracePeriod, "GracePeriod", true, metaDefault},
	{FieldPreviousPaymentDueDate, "PreviousPaymentDueDate", true, metaDefault},
	{FieldNextPaymentDueDate, "NextPaymentDueDate", true, metaDefault},
	{FieldPaymentRemaining, "PaymentRemaining", true, metaDefault},
	{FieldPaymentTotal, "PaymentTotal", true, metaDefault},
	{FieldLoanSequence, "LoanSequence", true, metaDefault},
	{FieldCoverRateMinimum, "CoverRateMinimum", true, metaDefault},
	{FieldCoverRateLiquidation, "CoverRateLiquidation", true, metaDefault},
	{FieldOverpaymentFee, "OverpaymentFee", true, metaDefault},
	{FieldInterestRate, "InterestRate", true, metaDefault},
	{FieldLateInterestRate, "LateInterestRate", true, metaDefault},
	{FieldCloseInterestRate, "CloseInterestRate", true, metaDefault},
	{FieldOverpaymentInterestRate, "OverpaymentInterestRate", true, metaDefault},
	{FieldConfidentialBalanceVersion, "ConfidentialBalanceVersion", true, metaDefault},
	{FieldSponsoredOwnerCount, "SponsoredOwnerCount", true, metaDefault},
	{FieldSponsoringOwnerCount, "SponsoringOwnerCount", true, metaDefault},
	{FieldSponsoringAccountCount, "SponsoringAccountCount", true, metaDefault},
	{FieldRemainingOwnerCount, "RemainingOwnerCount", true, metaDefault},
	{FieldSponsorFlags, "SponsorFlags", true, metaDefault},
	{FieldIndexNext, "IndexNext", true, metaDefault},
	{FieldIndexPrevious, "IndexPrevious", true, metaDefault},
	{FieldBookNode, "BookNode", true, metaDefault},
	{FieldOwnerNode, "OwnerNode", true, metaDefault},
	{FieldBaseFee, "BaseFee", true, metaDefault},
	{FieldExchangeRate, "ExchangeRate", true, metaDefault},
	{FieldLowNode, "LowNode", true, metaDefault},
	{FieldHighNode, "HighNode", true, metaDefault},
	{FieldDestinationNode, "DestinationNode", true, metaDefault},
	{FieldCookie, "Cookie", true, metaDefault},
	{FieldServerVersion, "ServerVersion", true, metaDefault},
	{FieldNFTokenOfferNode, "NFTokenOfferNode", true, metaDefault},
	{FieldEmitBurden, "EmitBurden", true, metaDefault},
	{FieldHookOn, "HookOn", true, metaDefault},
	{FieldHookInstructionCount, "HookInstructionCount", true, metaDefault},
	{FieldHookReturnCode, "HookReturnCode", true, metaDefault},
	{FieldReferenceCount, "ReferenceCount", true, metaDefault},
	{FieldXChainClaimID, "XChainClaimID", true, metaDefault},
	{FieldXChainAccountCreateCount, "XChainAccountCreateCount", true, metaDefault},
	{FieldXChainAccountClaimCount, "XChainAccountClaimCount", true, metaDefault},
	{FieldAssetPrice, "AssetPrice", true, metaDefault},
	{FieldMaximumAmount, "MaximumAmount", true, metaDefault},
	{FieldOutstandingAmount, "OutstandingAmount", true, metaDefault},
	{FieldMPTAmount, "MPTAmount", true, metaDefault},
	{FieldIssuerNode, "IssuerNode", true, metaDefault},
	{FieldSubjectNode, "SubjectNode", true, metaDefault},
	{FieldLockedAmount, "LockedAmount", true, metaDefault},
	{FieldVaultNode, "VaultNode", true, metaDefault},
	{FieldLoanBrokerNode, "LoanBrokerNode", true, metaDefault},
	{FieldConfidentialOutstandingAmount, "ConfidentialOutstandingAmount", true, metaDefault},
	{FieldSponseeNode, "SponseeNode", true, metaDefault},
	{FieldEmailHash, "EmailHash", true, metaDefault},
	{FieldLedgerHash, "LedgerHash", true, metaDefault},
	{FieldParentHash, "ParentHash", true, metaDefault},
	{FieldTransactionHash, "TransactionHash", true, metaDefault},
	{FieldAccountHash, "AccountHash", true, metaDefault},
	{FieldPreviousTxnID, "PreviousTxnID", true, metaDeleteFinal},
	{FieldLedgerIndex, "LedgerIndex", true, metaDefault},
	{FieldWalletLocator, "WalletLocator", true, metaDefault},
	{FieldRootIndex, "RootIndex", true, metaAlways},
	{FieldAccountTxnID, "AccountTxnID", true, metaDefault},
	{FieldNFTokenID, "NFTokenID", true, metaDefault},
	{FieldEmitParentTxnID, "EmitParentTxnID", true, metaDefault},
	{FieldEmitNonce, "EmitNonce", true, metaDefault},
	{FieldEmitHookHash, "EmitHookHash", true, metaDefault},
	{FieldAMMID, "AMMID", true, metaDefault},
	{FieldBookDirectory, "BookDirectory", true, metaDefault},
	{FieldInvoiceID, "InvoiceID", true, metaDefault},
	{FieldNickname, "Nickname", true, metaDefault},
	{FieldAmendment, "Amendment", true, metaDefault},
	{FieldDigest, "Digest", true, metaDefault},
	{FieldChannel, "Channel", true, metaDefault},
	{FieldConsensusHash, "ConsensusHash", true, metaDefault},
	{FieldCheckID, "CheckID", true, metaDefault},
	{FieldValidatedHash, "ValidatedHash", true, metaDefault},
	{FieldPreviousPageMin, "PreviousPageMin", true, metaDefault},
	{FieldNextPageMin, "NextPageMin", true, metaDefault},
	{FieldNFTokenBuyOffer, "NFTokenBuyOffer", true, metaDefault},
	{FieldNFTokenSellOffer, "NFTokenSellOffer", true, metaDefault},
	{FieldHookStateKey, "HookStateKey", true, metaDefault},
	{FieldHookHash, "HookHash", true, metaDefault},
	{FieldHookNamespace, "HookNamespace", true, metaDefault},
	{FieldHookSetTxnID, "HookSetTxnID", true, metaDefault},
	{FieldDomainID, "DomainID", true, metaDefault},
	{FieldVaultID, "VaultID", true, metaDefault},
	{FieldParentBatchID, "ParentBatchID", true, metaDefault},
	{FieldLoanBrokerID, "LoanBrokerID", true, metaDefault},
	{FieldLoanID, "LoanID", true, metaDefault},
	{FieldReferenceHolding, "ReferenceHolding", true, metaDefault},
	{FieldBlindingFactor, "BlindingFactor", true, metaDefault},
	{FieldObjectID, "ObjectID", true, metaDefault},
	{FieldAmount, "Amount", true, metaDefault},
	{FieldBalance, "Balance", true, metaDefault},
	{FieldLimitAmount, "LimitAmount", true, metaDefault},
	{FieldTakerPays, "TakerPays", true, metaDefault},
	{FieldTakerGets, "TakerGets", true, metaDefault},
	{FieldLowLimit, "LowLimit", true, metaDefault},
	{FieldHighLimit, "HighLimit", true, metaDefault},
	{FieldFee, "Fee", true, metaDefault},
	{FieldSendMax, "SendMax", true, metaDefault},
	{FieldDeliverMin, "DeliverMin", true, metaDefault},
	{FieldAmount2, "Amount2", true, metaDefault},
	{FieldBidMin, "BidMin", true, metaDefault},
	{FieldBidMax, "BidMax", true, metaDefault},
	{FieldMinimumOffer, "MinimumOffer", true, metaDefault},
	{FieldRippleEscrow, "RippleEscrow", true, metaDefault},
	{FieldDeliveredAmount, "DeliveredAmount", true, metaDefault},
	{FieldNFTokenBrokerFee, "NFTokenBrokerFee", true, metaDefault},
	{FieldBaseFeeDrops, "BaseFeeDrops", true, metaDefault},
	{FieldReserveBaseDrops, "ReserveBaseDrops", true, metaDefault},
	{FieldReserveIncrementDrops, "ReserveIncrementDrops", true, metaDefault},
	{FieldLPTokenOut, "LPTokenOut", true, metaDefault},
	{FieldLPTokenIn, "LPTokenIn", true, metaDefault},
	{FieldEPrice, "EPrice", true, metaDefault},
	{FieldPrice, "Price", true, metaDefault},
	{FieldSignatureReward, "SignatureReward", true, metaDefault},
	{FieldMinAccountCreateAmount, "MinAccountCreateAmount", true, metaDefault},
	{FieldLPTokenBalance, "LPTokenBalance", true, metaDefault},
	{FieldFeeAmount, "FeeAmount", true, metaDefault},
	{FieldMaxFee, "MaxFee", true, metaDefault},
	{FieldFeeAmountDelta, "FeeAmountDelta", true, metaDefault},
	{FieldPublicKey, "PublicKey", true, metaDefault},
	{FieldMessageKey, "MessageKey", true, metaDefault},
	{FieldSigningPubKey, "SigningPubKey", true, metaDefault},
	{FieldTxnSignature, "TxnSignature", false, metaDefault},
	{FieldURI, "URI", true, metaDefault},
	{FieldSignature, "Signature", false, metaDefault},
	{FieldDomain, "Domain", true, metaDefault},
	{FieldFundCode, "FundCode", true, metaDefault},
	{FieldRemoveCode, "RemoveCode", true, metaDefault},
	{FieldExpireCode, "ExpireCode", true, metaDefault},
	{FieldCreateCode, "CreateCode", true, metaDefault},
	{FieldMemoType, "MemoType", true, metaDefault},
	{FieldMemoData, "MemoData", true, metaDefault},
	{FieldMemoFormat, "MemoFormat", true, metaDefault},
	{FieldFulfillment, "Fulfillment", true, metaDefault},
	{FieldCondition, "Condition", true, metaDefault},
	{FieldMasterSignature, "MasterSignature", false, metaDefault},
	{FieldUNLModifyValidator, "UNLModifyValidator", true, metaDefault},
	{FieldValidatorToDisable, "ValidatorToDisable", true, metaDefault},
	{FieldValidatorToReEnable, "ValidatorToReEnable", true, metaDefault},
	{FieldHookStateData, "HookStateData", true, metaDefault},
	{FieldHookReturnString, "HookReturnString", true, metaDefault},
	{FieldHookParameterName, "HookParameterName", true, metaDefault},
	{FieldHookParameterValue, "HookParameterValue", true, metaDefault},
	{FieldDIDDocument, "DIDDocument", true, metaDefault},
	{FieldData, "Data", true, metaDefault},
	{FieldAssetClass, "AssetClass", true, metaDefault},
	{FieldProvider, "Provider", true, metaDefault},
	{FieldMPTokenMetadata, "MPTokenMetadata", true, metaDefault},
	{FieldCredentialType, "CredentialType", true, metaDefault},
	{FieldConfidentialBalanceInbox, "ConfidentialBalanceInbox", true, metaDefault},
	{FieldConfidentialBalanceSpending, "ConfidentialBalanceSpending", true, metaDefault},
	{FieldIssuerEncryptedBalance, "IssuerEncryptedBalance", true, metaDefault},
	{FieldIssuerEncryptionKey, "IssuerEncryptionKey", true, metaDefault},
	{FieldHolderEncryptionKey, "HolderEncryptionKey", true, metaDefault},
	{FieldZKProof, "ZKProof", true, metaDefault},
	{FieldHolderEncryptedAmount, "HolderEncryptedAmount", true, metaDefault},
	{FieldIssuerEncryptedAmount, "IssuerEncryptedAmount", true, metaDefault},
	{FieldSenderEncryptedAmount, "SenderEncryptedAmount", true, metaDefault},
	{FieldDestinationEncryptedAmount, "DestinationEncryptedAmount", true, metaDefault},
	{FieldAuditorEncryptedBalance, "AuditorEncryptedBalance", true, metaDefault},
	{FieldAuditorEncryptedAmount, "AuditorEncryptedAmount", true, metaDefault},
	{FieldAuditorEncryptionKey, "AuditorEncryptionKey", true, metaDefault},
	{FieldAmountCommitment, "AmountCommitment", true, metaDefault},
	{FieldBalanceCommitment, "BalanceCommitment", true, metaDefault},
	{FieldAccount, "Account", true, metaDefault},
	{FieldOwner, "Owner", true, metaDefault},
	{FieldDestination, "Destination", true, metaDefault},
	{FieldIssuer, "Issuer", true, metaDefault},
	{FieldAuthorize, "Authorize", true, metaDefault},
	{FieldUnauthorize, "Unauthorize", true, metaDefault},
	{FieldRegularKey, "RegularKey", true, metaDefault},
	{FieldNFTokenMinter, "NFTokenMinter", true, metaDefault},
	{FieldEmitCallback, "EmitCallback", true, metaDefault},
	{FieldHolder, "Holder", true, metaDefault},
	{FieldDelegate, "Delegate", true, metaDefault},
	{FieldHookAccount, "HookAccount", true, metaDefault},
	{FieldOtherChainSource, "OtherChainSource", true, metaDefault},
	{FieldOtherChainDestination, "OtherChainDestination", true, metaDefault},
	{FieldAttestationSignerAccount, "AttestationSignerAccount", true, metaDefault},
	{FieldAttestationRewardAccount, "AttestationRewardAccount", true, metaDefault},
	{FieldLockingChainDoor, "LockingChainDoor", true, metaDefault},
	{FieldIssuingChainDoor, "IssuingChainDoor", true, metaDefault},
	{FieldSubject, "Subject", true, metaDefault},
	{FieldBorrower, "Borrower", true, metaDefault},
	{FieldCounterparty, "Counterparty", true, metaDefault},
	{FieldSponsor, "Sponsor", true, metaDefault},
	{FieldHighSponsor, "HighSponsor", true, metaDefault},
	{FieldLowSponsor, "LowSponsor", true, metaDefault},
	{FieldCounterpartySponsor, "CounterpartySponsor", true, metaDefault},
	{FieldSponsee, "Sponsee", true, metaDefault},
	{FieldNumber, "Number", true, metaDefault},
	{FieldAssetsAvailable, "AssetsAvailable", true, metaDefault},
	{FieldAssetsMaximum, "AssetsMaximum", true, metaDefault},
	{FieldAssetsTotal, "AssetsTotal", true, metaDefault},
	{FieldLossUnrealized, "LossUnrealized", true, metaDefault},
	{FieldDebtTotal, "DebtTotal", true, metaDefault},
	{FieldDebtMaximum, "DebtMaximum", true, metaDefault},
	{FieldCoverAvailable, "CoverAvailable", true, metaDefault},
	{FieldLoanOriginationFee, "LoanOriginationFee", true, metaDefault},
	{FieldLoanServiceFee, "LoanServiceFee", true, metaDefault},
	{FieldLatePaymentFee, "LatePaymentFee", true, metaDefault},
	{FieldClosePaymentFee, "ClosePaymentFee", true, metaDefault},
	{FieldPrincipalOutstanding, "PrincipalOutstanding", true, metaDefault},
	{FieldPrincipalRequested, "PrincipalRequested", true, metaDefault},
	{FieldTotalValueOutstanding, "TotalValueOutstanding", true, metaDefault},
	{FieldPeriodicPayment, "PeriodicPayment", true, metaDefault},
	{FieldManagementFeeOutstanding, "ManagementFeeOutstanding", true, metaDefault},
	{FieldLoanScale, "LoanScale", true, metaDefault},
	{FieldRemainingOwnerCountDelta, "RemainingOwnerCountDelta", true, metaDefault},
	{FieldObjectEndMarker, "ObjectEndMarker", true, metaDefault},
	{FieldTransactionMetaData, "TransactionMetaData", true, metaDefault},
	{FieldCreatedNode, "CreatedNode", true, metaDefault},
	{FieldDeletedNode, "DeletedNode", true, metaDefault},
	{FieldModifiedNode, "ModifiedNode", true, metaDefault},
	{FieldPreviousFields, "PreviousFields", true, metaDefault},
	{FieldFinalFields, "FinalFields", true, metaDefault},
	{FieldNewFields, "NewFields", true, metaDefault},
	{FieldTemplateEntry, "TemplateEntry", true, metaDefault},
	{FieldMemo, "Memo", true, metaDefault},
	{FieldSignerEntry, "SignerEntry", true, metaDefault},
	{FieldNFToken, "NFToken", true, metaDefault},
	{FieldEmitDetails, "EmitDetails", true, metaDefault},
	{FieldHook, "Hook", true, metaDefault},
	{FieldPermission, "Permission", true, metaDefault},
	{FieldSigner, "Signer", true, metaDefault},
	{FieldMajority, "Majority", true, metaDefault},
	{FieldDisabledValidator, "DisabledValidator", true, metaDefault},
	{FieldEmittedTxn, "EmittedTxn", true, metaDefault},
	{FieldHookExecution, "HookExecution", true, metaDefault},
	{FieldHookDefinition, "HookDefinition", true, metaDefault},
	{FieldHookParameter, "HookParameter", true, metaDefault},
	{FieldHookGrant, "HookGrant", true, metaDefault},
	{FieldVoteEntry, "VoteEntry", true, metaDefault},
	{FieldAuctionSlot, "AuctionSlot", true, metaDefault},
	{FieldAuthAccount, "AuthAccount", true, metaDefault},
	{FieldXChainClaimProofSig, "XChainClaimProofSig", true, metaDefault},
	{FieldXChainCreateAccountProofSig, "XChainCreateAccountProofSig", true, metaDefault},
	{FieldXChainClaimAttestationCollectionElement, "XChainClaimAttestationCollectionElement", true, metaDefault},
	{FieldXChainCreateAccountAttestationCollectionElement, "XChainCreateAccountAttestationCollectionElement", true, metaDefault},
	{FieldPriceData, "PriceData", true, metaDefault},
	{FieldCredential, "Credential", true, metaDefault},
	{FieldRawTransaction, "RawTransaction", true, metaDefault},
	{FieldBatchSigner, "BatchSigner", true, metaDefault},
	{FieldBook, "Book", true, metaDefault},
	{FieldCounterpartySignature, "CounterpartySignature", false, metaDefault},
	{FieldSponsorSignature, "SponsorSignature", false, metaDefault},
	{FieldArrayEndMarker, "ArrayEndMarker", true, metaDefault},
	{FieldSigners, "Signers", false, metaDefault},
	{FieldSignerEntries, "SignerEntries", true, metaDefault},
	{FieldTemplate, "Template", true, metaDefault},
	{FieldNecessary, "Necessary", true, metaDefault},
	{FieldSufficient, "Sufficient", true, metaDefault},
	{FieldAffectedNodes, "AffectedNodes", true, metaDefault},
	{FieldMemos, "Memos", true, metaDefault},
	{FieldNFTokens, "NFTokens", true, metaDefault},
	{FieldHooks, "Hooks", true, metaDefault},
	{FieldVoteSlots, "VoteSlots", true, metaDefault},
	{FieldAdditionalBooks, "AdditionalBooks", true, metaDefault},
	{FieldMajorities, "Majorities", true, metaDefault},
	{FieldDisabledValidators, "DisabledValidators", true, metaDefault},
	{FieldHookExecutions, "HookExecutions", true, metaDefault},
	{FieldHookParameters, "HookParameters", true, metaDefault},
	{FieldHookGrants, "HookGrants", true, metaDefault},
	{FieldXChainClaimAttestations, "XChainClaimAttestations", true, metaDefault},
	{FieldXChainCreateAccountAttestations, "XChainCreateAccountAttestations", true, metaDefault},
	{FieldPriceDataSeries, "PriceDataSeries", true, metaDefault},
	{FieldAuthAccounts, "AuthAccounts", true, metaDefault},
	{FieldAuthorizeCredentials, "AuthorizeCredentials", true, metaDefault},
	{FieldUnauthorizeCredentials, "UnauthorizeCredentials", true, metaDefault},
	{FieldAcceptedCredentials, "AcceptedCredentials", true, metaDefault},
	{FieldPermissions, "Permissions", true, metaDefault},
	{FieldRawTransactions, "RawTransactions", true, metaDefault},
	{FieldBatchSigners, "BatchSigners", false, metaDefault},
	{FieldCloseResolution, "CloseResolution", true, metaDefault},
	{FieldMethod, "Method", true, metaDefault},
	{FieldTransactionResult, "TransactionResult", true, metaDefault},
	{FieldScale, "Scale", true, metaDefault},
	{FieldAssetScale, "AssetScale", true, metaDefault},
	{FieldTickSize, "TickSize", true, metaDefault},
	{FieldUNLModifyDisabling, "UNLModifyDisabling", true, metaDefault},
	{FieldHookResult, "HookResult", true, metaDefault},
	{FieldWasLockingChainSend, "WasLockingChainSend", true, metaDefault},
	{FieldWithdrawalPolicy, "WithdrawalPolicy", true, metaDefault},
	{FieldTakerPaysCurrency, "TakerPaysCurrency", true, metaDefault},
	{FieldTakerPaysIssuer, "TakerPaysIssuer", true, metaDefault},
	{FieldTakerGetsCurrency, "TakerGetsCurrency", true, metaDefault},
	{FieldTakerGetsIssuer, "TakerGetsIssuer", true, metaDefault},
	{FieldPaths, "Paths", true, metaDefault},
	{FieldIndexes, "Indexes", true, metaNever},
	{FieldHashes, "Hashes", true, metaDefault},
	{FieldAmendments, "Amendments", true, metaDefault},
	{FieldNFTokenOffers, "NFTokenOffers", true, metaDefault},
	{FieldCredentialIDs, "CredentialIDs", true, metaDefault},
	{FieldMPTokenIssuanceID, "MPTokenIssuanceID", true, metaDefault},
	{FieldShareMPTID, "ShareMPTID", true, metaDefault},
	{FieldTakerPaysMPT, "TakerPaysMPT", true, metaDefault},
	{FieldTakerGetsMPT, "TakerGetsMPT", true, metaDefault},
	{FieldLockingChainIssue, "LockingChainIssue", true, metaDefault},
	{FieldIssuingChainIssue, "IssuingChainIssue", true, metaDefault},
	{FieldAsset, "Asset", true, metaDefault},
	{FieldAsset2, "Asset2", true, metaDefault},
	{FieldXChainBridge, "XChainBridge", true, metaDefault},
	{FieldBaseAsset, "BaseAsset", true, metaDefault},
	{FieldQuoteAsset, "QuoteAsset", true, metaDefault},
}
