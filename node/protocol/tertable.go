package protocol

// The result codes (rippled TER.h).
const (
	TelLOCAL_ERROR                                 TER = -399
	TelBAD_DOMAIN                                  TER = -398
	TelBAD_PATH_COUNT                              TER = -397
	TelBAD_PUBLIC_KEY                              TER = -396
	TelFAILED_PROCESSING                           TER = -395
	TelINSUF_FEE_P                                 TER = -394
	TelNO_DST_PARTIAL                              TER = -393
	TelCAN_NOT_QUEUE                               TER = -392
	TelCAN_NOT_QUEUE_BALANCE                       TER = -391
	TelCAN_NOT_QUEUE_BLOCKS                        TER = -390
	TelCAN_NOT_QUEUE_BLOCKED                       TER = -389
	TelCAN_NOT_QUEUE_FEE                           TER = -388
	TelCAN_NOT_QUEUE_FULL                          TER = -387
	TelWRONG_NETWORK                               TER = -386
	TelREQUIRES_NETWORK_ID                         TER = -385
	TelNETWORK_ID_MAKES_TX_NON_CANONICAL           TER = -384
	TelENV_RPC_FAILED                              TER = -383
	TemMALFORMED                                   TER = -299
	TemBAD_AMOUNT                                  TER = -298
	TemBAD_CURRENCY                                TER = -297
	TemBAD_EXPIRATION                              TER = -296
	TemBAD_FEE                                     TER = -295
	TemBAD_ISSUER                                  TER = -294
	TemBAD_LIMIT                                   TER = -293
	TemBAD_OFFER                                   TER = -292
	TemBAD_PATH                                    TER = -291
	TemBAD_PATH_LOOP                               TER = -290
	TemBAD_REGKEY                                  TER = -289
	TemBAD_SEND_XRP_LIMIT                          TER = -288
	TemBAD_SEND_XRP_MAX                            TER = -287
	TemBAD_SEND_XRP_NO_DIRECT                      TER = -286
	TemBAD_SEND_XRP_PARTIAL                        TER = -285
	TemBAD_SEND_XRP_PATHS                          TER = -284
	TemBAD_SEQUENCE                                TER = -283
	TemBAD_SIGNATURE                               TER = -282
	TemBAD_SRC_ACCOUNT                             TER = -281
	TemBAD_TRANSFER_RATE                           TER = -280
	TemDST_IS_SRC                                  TER = -279
	TemDST_NEEDED                                  TER = -278
	TemINVALID                                     TER = -277
	TemINVALID_FLAG                                TER = -276
	TemREDUNDANT                                   TER = -275
	TemRIPPLE_EMPTY                                TER = -274
	TemDISABLED                                    TER = -273
	TemBAD_SIGNER                                  TER = -272
	TemBAD_QUORUM                                  TER = -271
	TemBAD_WEIGHT                                  TER = -270
	TemBAD_TICK_SIZE                               TER = -269
	TemINVALID_ACCOUNT_ID                          TER = -268
	TemCANNOT_PREAUTH_SELF                         TER = -267
	TemINVALID_COUNT                               TER = -266
	TemUNCERTAIN                                   TER = -265
	TemUNKNOWN                                     TER = -264
	TemSEQ_AND_TICKET                              TER = -263
	TemBAD_NFTOKEN_TRANSFER_FEE                    TER = -262
	TemBAD_AMM_TOKENS                              TER = -261
	TemXCHAIN_EQUAL_DOOR_ACCOUNTS                  TER = -260
	TemXCHAIN_BAD_PROOF                            TER = -259
	TemXCHAIN_BRIDGE_BAD_ISSUES                    TER = -258
	TemXCHAIN_BRIDGE_NONDOOR_OWNER                 TER = -257
	TemXCHAIN_BRIDGE_BAD_MIN_ACCOUNT_CREATE_AMOUNT TER = -256
	TemXCHAIN_BRIDGE_BAD_REWARD_AMOUNT             TER = -255
	TemEMPTY_DID                                   TER = -254
	TemARRAY_EMPTY                                 TER = -253
	TemARRAY_TOO_LARGE                             TER = -252
	TemBAD_TRANSFER_FEE                            TER = -251
	TemINVALID_INNER_BATCH                         TER = -250
	TemBAD_MPT                                     TER = -249
	TemBAD_CIPHERTEXT                              TER = -248
	TefFAILURE                                     TER = -199
	TefALREADY                                     TER = -198
	TefBAD_ADD_AUTH                                TER = -197
	TefBAD_AUTH                                    TER = -196
	TefBAD_LEDGER                                  TER = -195
	TefCREATED                                     TER = -194
	TefEXCEPTION                                   TER = -193
	TefINTERNAL                                    TER = -192
	TefNO_AUTH_REQUIRED                            TER = -191
	TefPAST_SEQ                                    TER = -190
	TefWRONG_PRIOR                                 TER = -189
	TefMASTER_DISABLED                             TER = -188
	TefMAX_LEDGER                                  TER = -187
	TefBAD_SIGNATURE                               TER = -186
	TefBAD_QUORUM                                  TER = -185
	TefNOT_MULTI_SIGNING                           TER = -184
	TefBAD_AUTH_MASTER                             TER = -183
	TefINVARIANT_FAILED                            TER = -182
	TefTOO_BIG                                     TER = -181
	TefNO_TICKET                                   TER = -180
	TefNFTOKEN_IS_NOT_TRANSFERABLE                 TER = -179
	TefINVALID_LEDGER_FIX_TYPE                     TER = -178
	TefNO_DST_PARTIAL                              TER = -177
	TefBAD_PATH_COUNT                              TER = -176
	TerRETRY                                       TER = -99
	TerFUNDS_SPENT                                 TER = -98
	TerINSUF_FEE_B                                 TER = -97
	TerNO_ACCOUNT                                  TER = -96
	TerNO_AUTH                                     TER = -95
	TerNO_LINE                                     TER = -94
	TerOWNERS                                      TER = -93
	TerPRE_SEQ                                     TER = -92
	TerLAST                                        TER = -91
	TerNO_RIPPLE                                   TER = -90
	TerQUEUED                                      TER = -89
	TerPRE_TICKET                                  TER = -88
	TerNO_AMM                                      TER = -87
	TerADDRESS_COLLISION                           TER = -86
	TerNO_DELEGATE_PERMISSION                      TER = -85
	TerLOCKED                                      TER = -84
	TerNO_PERMISSION                               TER = -83
	TesSUCCESS                                     TER = 0
	TecCLAIM                                       TER = 100
	TecPATH_PARTIAL                                TER = 101
	TecUNFUNDED_ADD                                TER = 102
	TecUNFUNDED_OFFER                              TER = 103
	TecUNFUNDED_PAYMENT                            TER = 104
	TecFAILED_PROCESSING                           TER = 105
	TecDIR_FULL                                    TER = 121
	TecINSUF_RESERVE_LINE                          TER = 122
	TecINSUF_RESERVE_OFFER                         TER = 123
	TecNO_DST                                      TER = 124
	TecNO_DST_INSUF_XRP                            TER = 125
	TecNO_LINE_INSUF_RESERVE                       TER = 126
	TecNO_LINE_REDUNDANT                           TER = 127
	TecPATH_DRY                                    TER = 128
	TecUNFUNDED                                    TER = 129
	TecNO_ALTERNATIVE_KEY                          TER = 130
	TecNO_REGULAR_KEY                              TER = 131
	TecOWNERS                                      TER = 132
	TecNO_ISSUER                                   TER = 133
	TecNO_AUTH                                     TER = 134
	TecNO_LINE                                     TER = 135
	TecINSUFF_FEE                                  TER = 136
	TecFROZEN                                      TER = 137
	TecNO_TARGET                                   TER = 138
	TecNO_PERMISSION                               TER = 139
	TecNO_ENTRY                                    TER = 140
	TecINSUFFICIENT_RESERVE                        TER = 141
	TecNEED_MASTER_KEY                             TER = 142
	TecDST_TAG_NEEDED                              TER = 143
	TecINTERNAL                                    TER = 144
	TecOVERSIZE                                    TER = 145
	TecCRYPTOCONDITION_ERROR                       TER = 146
	TecINVARIANT_FAILED                            TER = 147
	TecEXPIRED                                     TER = 148
	TecDUPLICATE                                   TER = 149
	TecKILLED                                      TER = 150
	TecHAS_OBLIGATIONS                             TER = 151
	TecTOO_SOON                                    TER = 152
	TecMAX_SEQUENCE_REACHED                        TER = 154
	TecNO_SUITABLE_NFTOKEN_PAGE                    TER = 155
	TecNFTOKEN_BUY_SELL_MISMATCH                   TER = 156
	TecNFTOKEN_OFFER_TYPE_MISMATCH                 TER = 157
	TecCANT_ACCEPT_OWN_NFTOKEN_OFFER               TER = 158
	TecINSUFFICIENT_FUNDS                          TER = 159
	TecOBJECT_NOT_FOUND                            TER = 160
	TecINSUFFICIENT_PAYMENT                        TER = 161
	TecUNFUNDED_AMM                                TER = 162
	TecAMM_BALANCE                                 TER = 163
	TecAMM_FAILED                                  TER = 164
	TecAMM_INVALID_TOKENS                          TER = 165
	TecAMM_EMPTY                                   TER = 166
	TecAMM_NOT_EMPTY                               TER = 167
	TecAMM_ACCOUNT                                 TER = 168
	TecINCOMPLETE                                  TER = 169
	TecXCHAIN_BAD_TRANSFER_ISSUE                   TER = 170
	TecXCHAIN_NO_CLAIM_ID                          TER = 171
	TecXCHAIN_BAD_CLAIM_ID                         TER = 172
	TecXCHAIN_CLAIM_NO_QUORUM                      TER = 173
	TecXCHAIN_PROOF_UNKNOWN_KEY                    TER = 174
	TecXCHAIN_CREATE_ACCOUNT_NONXRP_ISSUE          TER = 175
	TecXCHAIN_WRONG_CHAIN                          TER = 176
	TecXCHAIN_REWARD_MISMATCH                      TER = 177
	TecXCHAIN_NO_SIGNERS_LIST                      TER = 178
	TecXCHAIN_SENDING_ACCOUNT_MISMATCH             TER = 179
	TecXCHAIN_INSUFF_CREATE_AMOUNT                 TER = 180
	TecXCHAIN_ACCOUNT_CREATE_PAST                  TER = 181
	TecXCHAIN_ACCOUNT_CREATE_TOO_MANY              TER = 182
	TecXCHAIN_PAYMENT_FAILED                       TER = 183
	TecXCHAIN_SELF_COMMIT                          TER = 184
	TecXCHAIN_BAD_PUBLIC_KEY_ACCOUNT_PAIR          TER = 185
	TecXCHAIN_CREATE_ACCOUNT_DISABLED              TER = 186
	TecEMPTY_DID                                   TER = 187
	TecINVALID_UPDATE_TIME                         TER = 188
	TecTOKEN_PAIR_NOT_FOUND                        TER = 189
	TecARRAY_EMPTY                                 TER = 190
	TecARRAY_TOO_LARGE                             TER = 191
	TecLOCKED                                      TER = 192
	TecBAD_CREDENTIALS                             TER = 193
	TecWRONG_ASSET                                 TER = 194
	TecLIMIT_EXCEEDED                              TER = 195
	TecPSEUDO_ACCOUNT                              TER = 196
	TecPRECISION_LOSS                              TER = 197
	TecBAD_PROOF                                   TER = 199
	TecNO_SPONSOR_PERMISSION                       TER = 200
)

var terTable = map[TER]terInfo{
	TelLOCAL_ERROR:                       {"telLOCAL_ERROR", "Local failure."},
	TelBAD_DOMAIN:                        {"telBAD_DOMAIN", "Domain too long."},
	TelBAD_PATH_COUNT:                    {"telBAD_PATH_COUNT", "Malformed: Too many paths."},
	TelBAD_PUBLIC_KEY:                    {"telBAD_PUBLIC_KEY", "Public key is not valid."},
	TelFAILED_PROCESSING:                 {"telFAILED_PROCESSING", "Failed to correctly process transaction."},
	TelINSUF_FEE_P:                       {"telINSUF_FEE_P", "Fee insufficient."},
	TelNO_DST_PARTIAL:                    {"telNO_DST_PARTIAL", "Partial payment to create account not allowed."},
	TelCAN_NOT_QUEUE:                     {"telCAN_NOT_QUEUE", "Can not queue at this time."},
	TelCAN_NOT_QUEUE_BALANCE:             {"telCAN_NOT_QUEUE_BALANCE", "Can not queue at this time: insufficient balance to pay all queued fees."},
	TelCAN_NOT_QUEUE_BLOCKS:              {"telCAN_NOT_QUEUE_BLOCKS", "Can not queue at this time: would block later queued transaction(s)."},
	TelCAN_NOT_QUEUE_BLOCKED:             {"telCAN_NOT_QUEUE_BLOCKED", "Can not queue at this time: blocking transaction in queue."},
	TelCAN_NOT_QUEUE_FEE:                 {"telCAN_NOT_QUEUE_FEE", "Can not queue at this time: fee insufficient to replace queued transaction."},
	TelCAN_NOT_QUEUE_FULL:                {"telCAN_NOT_QUEUE_FULL", "Can not queue at this time: queue is full."},
	TelWRONG_NETWORK:                     {"telWRONG_NETWORK", "Transaction specifies a Network ID that differs from that of the local node."},
	TelREQUIRES_NETWORK_ID:               {"telREQUIRES_NETWORK_ID", "Transactions submitted to this node/network must include a correct NetworkID field."},
	TelNETWORK_ID_MAKES_TX_NON_CANONICAL: {"telNETWORK_ID_MAKES_TX_NON_CANONICAL", "Transactions submitted to this node/network must NOT include a NetworkID field."},
	TelENV_RPC_FAILED:                    {"telENV_RPC_FAILED", "Unit test RPC failure."},
	TemMALFORMED:                         {"temMALFORMED", "Malformed transaction."},
	TemBAD_AMOUNT:                        {"temBAD_AMOUNT", "Malformed: Bad amount."},
	TemBAD_CURRENCY:                      {"temBAD_CURRENCY", "Malformed: Bad currency."},
	TemBAD_EXPIRATION:                    {"temBAD_EXPIRATION", "Malformed: Bad expiration."},
	TemBAD_FEE:                           {"temBAD_FEE", "Invalid fee, negative or not XRP."},
	TemBAD_ISSUER:                        {"temBAD_ISSUER", "Malformed: Bad issuer."},
	TemBAD_LIMIT:                         {"temBAD_LIMIT", "Limits must be non-negative."},
	TemBAD_OFFER:                         {"temBAD_OFFER", "Malformed: Bad offer."},
	TemBAD_PATH:                          {"temBAD_PATH", "Malformed: Bad path."},
	TemBAD_PATH_LOOP:                     {"temBAD_PATH_LOOP", "Malformed: Loop in path."},
	TemBAD_REGKEY:                        {"temBAD_REGKEY", "Malformed: Regular key cannot be same as master key."},
	TemBAD_SEND_XRP_LIMIT:                {"temBAD_SEND_XRP_LIMIT", "Malformed: Limit quality is not allowed for XRP to XRP."},
	TemBAD_SEND_XRP_MAX:                  {"temBAD_SEND_XRP_MAX", "Malformed: Send max is not allowed for XRP to XRP."},
	TemBAD_SEND_XRP_NO_DIRECT:            {"temBAD_SEND_XRP_NO_DIRECT", "Malformed: No Ripple direct is not allowed for XRP to XRP."},
	TemBAD_SEND_XRP_PARTIAL:              {"temBAD_SEND_XRP_PARTIAL", "Malformed: Partial payment is not allowed for XRP to XRP."},
	TemBAD_SEND_XRP_PATHS:                {"temBAD_SEND_XRP_PATHS", "Malformed: Paths are not allowed for XRP to XRP."},
	TemBAD_SEQUENCE:                      {"temBAD_SEQUENCE", "Malformed: Sequence is not in the past."},
	TemBAD_SIGNATURE:                     {"temBAD_SIGNATURE", "Malformed: Bad signature."},
	TemBAD_SRC_ACCOUNT:                   {"temBAD_SRC_ACCOUNT", "Malformed: Bad source account."},
	TemBAD_TRANSFER_RATE:                 {"temBAD_TRANSFER_RATE", "Malformed: Transfer rate must be >= 1.0 and <= 2.0"},
	TemDST_IS_SRC:                        {"temDST_IS_SRC", "Destination may not be source."},
	TemDST_NEEDED:                        {"temDST_NEEDED", "Destination not specified."},
	TemINVALID:                           {"temINVALID", "The transaction is ill-formed."},
	TemINVALID_FLAG:                      {"temINVALID_FLAG", "The transaction has an invalid flag."},
	TemREDUNDANT:                         {"temREDUNDANT", "The transaction is redundant."},
	TemRIPPLE_EMPTY:                      {"temRIPPLE_EMPTY", "PathSet with no paths."},
	TemDISABLED:                          {"temDISABLED", "The transaction requires logic that is currently disabled."},
	TemBAD_SIGNER:                        {"temBAD_SIGNER", "Malformed: No signer may duplicate account or other signers."},
	TemBAD_QUORUM:                        {"temBAD_QUORUM", "Malformed: Quorum is unreachable."},
	TemBAD_WEIGHT:                        {"temBAD_WEIGHT", "Malformed: Weight must be a positive value."},
	TemBAD_TICK_SIZE:                     {"temBAD_TICK_SIZE", "Malformed: Tick size out of range."},
	TemINVALID_ACCOUNT_ID:                {"temINVALID_ACCOUNT_ID", "Malformed: A field contains an invalid account ID."},
	TemCANNOT_PREAUTH_SELF:               {"temCANNOT_PREAUTH_SELF", "Malformed: An account may not preauthorize itself."},
	TemINVALID_COUNT:                     {"temINVALID_COUNT", "Malformed: Count field outside valid range."},
	TemUNCERTAIN:                         {"temUNCERTAIN", "In process of determining result. Never returned."},
	TemUNKNOWN:                           {"temUNKNOWN", "The transaction requires logic that is not implemented yet."},
	TemSEQ_AND_TICKET:                    {"temSEQ_AND_TICKET", "Transaction contains a TicketSequence and a non-zero Sequence."},
	TemBAD_NFTOKEN_TRANSFER_FEE:          {"temBAD_NFTOKEN_TRANSFER_FEE", "Malformed: The NFToken transfer fee must be between 1 and 5000, inclusive."},
	TemBAD_AMM_TOKENS:                    {"temBAD_AMM_TOKENS", "Malformed: Invalid LPTokens."},
	TemXCHAIN_EQUAL_DOOR_ACCOUNTS:        {"temXCHAIN_EQUAL_DOOR_ACCOUNTS", "Malformed: Bridge must have unique door accounts."},
	TemXCHAIN_BAD_PROOF:                  {"temXCHAIN_BAD_PROOF", "Malformed: Bad cross-chain claim proof."},
	TemXCHAIN_BRIDGE_BAD_ISSUES:          {"temXCHAIN_BRIDGE_BAD_ISSUES", "Malformed: Bad bridge issues."},
	TemXCHAIN_BRIDGE_NONDOOR_OWNER:       {"temXCHAIN_BRIDGE_NONDOOR_OWNER", "Malformed: Bridge owner must be one of the door accounts."},
	TemXCHAIN_BRIDGE_BAD_MIN_ACCOUNT_CREATE_AMOUNT: {"temXCHAIN_BRIDGE_BAD_MIN_ACCOUNT_CREATE_AMOUNT", "Malformed: Bad min account create amount."},
	TemXCHAIN_BRIDGE_BAD_REWARD_AMOUNT:             {"temXCHAIN_BRIDGE_BAD_REWARD_AMOUNT", "Malformed: Bad reward amount."},
	TemEMPTY_DID:                                   {"temEMPTY_DID", "Malformed: No DID data provided."},
	TemARRAY_EMPTY:                                 {"temARRAY_EMPTY", "Malformed: Array is empty."},
	TemARRAY_TOO_LARGE:                             {"temARRAY_TOO_LARGE", "Malformed: Array is too large."},
	TemBAD_TRANSFER_FEE:                            {"temBAD_TRANSFER_FEE", "Malformed: Transfer fee is outside valid range."},
	TemINVALID_INNER_BATCH:                         {"temINVALID_INNER_BATCH", "Malformed: Invalid inner batch transaction."},
	TemBAD_MPT:                                     {"temBAD_MPT", ""},
	TemBAD_CIPHERTEXT:                              {"temBAD_CIPHERTEXT", ""},
	TefFAILURE:                                     {"tefFAILURE", "Failed to apply."},
	TefALREADY:                                     {"tefALREADY", "The exact transaction was already in this ledger."},
	TefBAD_ADD_AUTH:                                {"tefBAD_ADD_AUTH", "Not authorized to add account."},
	TefBAD_AUTH:                                    {"tefBAD_AUTH", "Transaction's public key is not authorized."},
	TefBAD_LEDGER:                                  {"tefBAD_LEDGER", "Ledger in unexpected state."},
	TefCREATED:                                     {"tefCREATED", "Can't add an already created account."},
	TefEXCEPTION:                                   {"tefEXCEPTION", "Unexpected program state."},
	TefINTERNAL:                                    {"tefINTERNAL", "Internal error."},
	TefNO_AUTH_REQUIRED:                            {"tefNO_AUTH_REQUIRED", "Auth is not required."},
	TefPAST_SEQ:                                    {"tefPAST_SEQ", "This sequence number has already passed."},
	TefWRONG_PRIOR:                                 {"tefWRONG_PRIOR", "This previous transaction does not match."},
	TefMASTER_DISABLED:                             {"tefMASTER_DISABLED", "Master key is disabled."},
	TefMAX_LEDGER:                                  {"tefMAX_LEDGER", "Ledger sequence too high."},
	TefBAD_SIGNATURE:                               {"tefBAD_SIGNATURE", "A signature is provided for a non-signer."},
	TefBAD_QUORUM:                                  {"tefBAD_QUORUM", "Signatures provided do not meet the quorum."},
	TefNOT_MULTI_SIGNING:                           {"tefNOT_MULTI_SIGNING", "Account has no appropriate list of multi-signers."},
	TefBAD_AUTH_MASTER:                             {"tefBAD_AUTH_MASTER", "Auth for unclaimed account needs correct master key."},
	TefINVARIANT_FAILED:                            {"tefINVARIANT_FAILED", "Fee claim violated invariants for the transaction."},
	TefTOO_BIG:                                     {"tefTOO_BIG", "Transaction affects too many items."},
	TefNO_TICKET:                                   {"tefNO_TICKET", "Ticket is not in ledger."},
	TefNFTOKEN_IS_NOT_TRANSFERABLE:                 {"tefNFTOKEN_IS_NOT_TRANSFERABLE", "The specified NFToken is not transferable."},
	TefINVALID_LEDGER_FIX_TYPE:                     {"tefINVALID_LEDGER_FIX_TYPE", "The LedgerFixType field has an invalid value."},
	TefNO_DST_PARTIAL:                              {"tefNO_DST_PARTIAL", "Partial payment to create account not allowed."},
	TefBAD_PATH_COUNT:                              {"tefBAD_PATH_COUNT", "Malformed: Too many paths."},
	TerRETRY:                                       {"terRETRY", "Retry transaction."},
	TerFUNDS_SPENT:                                 {"terFUNDS_SPENT", "DEPRECATED."},
	TerINSUF_FEE_B:                                 {"terINSUF_FEE_B", "Account balance can't pay fee."},
	TerNO_ACCOUNT:                                  {"terNO_ACCOUNT", "The source account does not exist."},
	TerNO_AUTH:                                     {"terNO_AUTH", "Not authorized to hold IOUs."},
	TerNO_LINE:                                     {"terNO_LINE", "No such line."},
	TerOWNERS:                                      {"terOWNERS", "Non-zero owner count."},
	TerPRE_SEQ:                                     {"terPRE_SEQ", "Missing/inapplicable prior transaction."},
	TerLAST:                                        {"terLAST", "DEPRECATED."},
	TerNO_RIPPLE:                                   {"terNO_RIPPLE", "Path does not permit rippling."},
	TerQUEUED:                                      {"terQUEUED", "Held until escalated fee drops."},
	TerPRE_TICKET:                                  {"terPRE_TICKET", "Ticket is not yet in ledger."},
	TerNO_AMM:                                      {"terNO_AMM", "AMM doesn't exist for the asset pair."},
	TerADDRESS_COLLISION:                           {"terADDRESS_COLLISION", "Failed to allocate a unique account address."},
	TerNO_DELEGATE_PERMISSION:                      {"terNO_DELEGATE_PERMISSION", "Delegated account lacks permission to perform this transaction."},
	TerLOCKED:                                      {"terLOCKED", "Fund is locked."},
	TerNO_PERMISSION:                               {"terNO_PERMISSION", ""},
	TesSUCCESS:                                     {"tesSUCCESS", "The transaction was applied. Only final in a validated ledger."},
	TecCLAIM:                                       {"tecCLAIM", "Fee claimed. Sequence used. No action."},
	TecPATH_PARTIAL:                                {"tecPATH_PARTIAL", "Path could not send full amount."},
	TecUNFUNDED_ADD:                                {"tecUNFUNDED_ADD", "DEPRECATED."},
	TecUNFUNDED_OFFER:                              {"tecUNFUNDED_OFFER", "Insufficient balance to fund created offer."},
	TecUNFUNDED_PAYMENT:                            {"tecUNFUNDED_PAYMENT", "Insufficient XRP balance to send."},
	TecFAILED_PROCESSING:                           {"tecFAILED_PROCESSING", "Failed to correctly process transaction."},
	TecDIR_FULL:                                    {"tecDIR_FULL", "Can not add entry to full directory."},
	TecINSUF_RESERVE_LINE:                          {"tecINSUF_RESERVE_LINE", "Insufficient reserve to add trust line."},
	TecINSUF_RESERVE_OFFER:                         {"tecINSUF_RESERVE_OFFER", "Insufficient reserve to create offer."},
	TecNO_DST:                                      {"tecNO_DST", "Destination does not exist. Send XRP to create it."},
	TecNO_DST_INSUF_XRP:                            {"tecNO_DST_INSUF_XRP", "Destination does not exist. Too little XRP sent to create it."},
	TecNO_LINE_INSUF_RESERVE:                       {"tecNO_LINE_INSUF_RESERVE", "No such line. Too little reserve to create it."},
	TecNO_LINE_REDUNDANT:                           {"tecNO_LINE_REDUNDANT", "Can't set non-existent line to default."},
	TecPATH_DRY:                                    {"tecPATH_DRY", "Path could not send partial amount."},
	TecUNFUNDED:                                    {"tecUNFUNDED", "Not enough XRP to satisfy the reserve requirement."},
	TecNO_ALTERNATIVE_KEY:                          {"tecNO_ALTERNATIVE_KEY", "The operation would remove the ability to sign transactions with the account."},
	TecNO_REGULAR_KEY:                              {"tecNO_REGULAR_KEY", "Regular key is not set."},
	TecOWNERS:                                      {"tecOWNERS", "Non-zero owner count."},
	TecNO_ISSUER:                                   {"tecNO_ISSUER", "Issuer account does not exist."},
	TecNO_AUTH:                                     {"tecNO_AUTH", "Not authorized to hold asset."},
	TecNO_LINE:                                     {"tecNO_LINE", "No such line."},
	TecINSUFF_FEE:                                  {"tecINSUFF_FEE", "Insufficient balance to pay fee."},
	TecFROZEN:                                      {"tecFROZEN", "Asset is frozen."},
	TecNO_TARGET:                                   {"tecNO_TARGET", "Target account does not exist."},
	TecNO_PERMISSION:                               {"tecNO_PERMISSION", "No permission to perform requested operation."},
	TecNO_ENTRY:                                    {"tecNO_ENTRY", "No matching entry found."},
	TecINSUFFICIENT_RESERVE:                        {"tecINSUFFICIENT_RESERVE", "Insufficient reserve to complete requested operation."},
	TecNEED_MASTER_KEY:                             {"tecNEED_MASTER_KEY", "The operation requires the use of the Master Key."},
	TecDST_TAG_NEEDED:                              {"tecDST_TAG_NEEDED", "A destination tag is required."},
	TecINTERNAL:                                    {"tecINTERNAL", "An internal error has occurred during processing."},
	TecOVERSIZE:                                    {"tecOVERSIZE", "Object exceeded serialization limits."},
	TecCRYPTOCONDITION_ERROR:                       {"tecCRYPTOCONDITION_ERROR", "Malformed, invalid, or mismatched conditional or fulfillment."},
	TecINVARIANT_FAILED:                            {"tecINVARIANT_FAILED", "One or more invariants for the transaction were not satisfied."},
	TecEXPIRED:                                     {"tecEXPIRED", "Expiration time is passed."},
	TecDUPLICATE:                                   {"tecDUPLICATE", "Ledger object already exists."},
	TecKILLED:                                      {"tecKILLED", "No funds transferred and no offer created."},
	TecHAS_OBLIGATIONS:                             {"tecHAS_OBLIGATIONS", "The account cannot be deleted since it has obligations."},
	TecTOO_SOON:                                    {"tecTOO_SOON", "It is too early to attempt the requested operation. Please wait."},
	TecMAX_SEQUENCE_REACHED:                        {"tecMAX_SEQUENCE_REACHED", "The maximum sequence number was reached."},
	TecNO_SUITABLE_NFTOKEN_PAGE:                    {"tecNO_SUITABLE_NFTOKEN_PAGE", "A suitable NFToken page could not be located."},
	TecNFTOKEN_BUY_SELL_MISMATCH:                   {"tecNFTOKEN_BUY_SELL_MISMATCH", "The 'Buy' and 'Sell' NFToken offers are mismatched."},
	TecNFTOKEN_OFFER_TYPE_MISMATCH:                 {"tecNFTOKEN_OFFER_TYPE_MISMATCH", "The type of NFToken offer is incorrect."},
	TecCANT_ACCEPT_OWN_NFTOKEN_OFFER:               {"tecCANT_ACCEPT_OWN_NFTOKEN_OFFER", "An NFToken offer cannot be claimed by its owner."},
	TecINSUFFICIENT_FUNDS:                          {"tecINSUFFICIENT_FUNDS", "Not enough funds available to complete requested transaction."},
	TecOBJECT_NOT_FOUND:                            {"tecOBJECT_NOT_FOUND", "A requested object could not be located."},
	TecINSUFFICIENT_PAYMENT:                        {"tecINSUFFICIENT_PAYMENT", "The payment is not sufficient."},
	TecUNFUNDED_AMM:                                {"tecUNFUNDED_AMM", "Insufficient balance to fund AMM."},
	TecAMM_BALANCE:                                 {"tecAMM_BALANCE", "AMM has invalid balance."},
	TecAMM_FAILED:                                  {"tecAMM_FAILED", "AMM transaction failed."},
	TecAMM_INVALID_TOKENS:                          {"tecAMM_INVALID_TOKENS", "AMM invalid LP tokens."},
	TecAMM_EMPTY:                                   {"tecAMM_EMPTY", "AMM is in empty state."},
	TecAMM_NOT_EMPTY:                               {"tecAMM_NOT_EMPTY", "AMM is not in empty state."},
	TecAMM_ACCOUNT:                                 {"tecAMM_ACCOUNT", "This operation is not allowed on an AMM Account."},
	TecINCOMPLETE:                                  {"tecINCOMPLETE", "Some work was completed, but more submissions required to finish."},
	TecXCHAIN_BAD_TRANSFER_ISSUE:                   {"tecXCHAIN_BAD_TRANSFER_ISSUE", ""},
	TecXCHAIN_NO_CLAIM_ID:                          {"tecXCHAIN_NO_CLAIM_ID", ""},
	TecXCHAIN_BAD_CLAIM_ID:                         {"tecXCHAIN_BAD_CLAIM_ID", ""},
	TecXCHAIN_CLAIM_NO_QUORUM:                      {"tecXCHAIN_CLAIM_NO_QUORUM", ""},
	TecXCHAIN_PROOF_UNKNOWN_KEY:                    {"tecXCHAIN_PROOF_UNKNOWN_KEY", ""},
	TecXCHAIN_CREATE_ACCOUNT_NONXRP_ISSUE:          {"tecXCHAIN_CREATE_ACCOUNT_NONXRP_ISSUE", ""},
	TecXCHAIN_WRONG_CHAIN:                          {"tecXCHAIN_WRONG_CHAIN", ""},
	TecXCHAIN_REWARD_MISMATCH:                      {"tecXCHAIN_REWARD_MISMATCH", ""},
	TecXCHAIN_NO_SIGNERS_LIST:                      {"tecXCHAIN_NO_SIGNERS_LIST", ""},
	TecXCHAIN_SENDING_ACCOUNT_MISMATCH:             {"tecXCHAIN_SENDING_ACCOUNT_MISMATCH", ""},
	TecXCHAIN_INSUFF_CREATE_AMOUNT:                 {"tecXCHAIN_INSUFF_CREATE_AMOUNT", ""},
	TecXCHAIN_ACCOUNT_CREATE_PAST:                  {"tecXCHAIN_ACCOUNT_CREATE_PAST", ""},
	TecXCHAIN_ACCOUNT_CREATE_TOO_MANY:              {"tecXCHAIN_ACCOUNT_CREATE_TOO_MANY", ""},
	TecXCHAIN_PAYMENT_FAILED:                       {"tecXCHAIN_PAYMENT_FAILED", ""},
	TecXCHAIN_SELF_COMMIT:                          {"tecXCHAIN_SELF_COMMIT", ""},
	TecXCHAIN_BAD_PUBLIC_KEY_ACCOUNT_PAIR:          {"tecXCHAIN_BAD_PUBLIC_KEY_ACCOUNT_PAIR", ""},
	TecXCHAIN_CREATE_ACCOUNT_DISABLED:              {"tecXCHAIN_CREATE_ACCOUNT_DISABLED", ""},
	TecEMPTY_DID:                                   {"tecEMPTY_DID", "The DID object did not have a URI or DIDDocument field."},
	TecINVALID_UPDATE_TIME:                         {"tecINVALID_UPDATE_TIME", "The Oracle object has invalid LastUpdateTime field."},
	TecTOKEN_PAIR_NOT_FOUND:                        {"tecTOKEN_PAIR_NOT_FOUND", "Token pair is not found in Oracle object."},
	TecARRAY_EMPTY:                                 {"tecARRAY_EMPTY", "Array is empty."},
	TecARRAY_TOO_LARGE:                             {"tecARRAY_TOO_LARGE", "Array is too large."},
	TecLOCKED:                                      {"tecLOCKED", "Fund is locked."},
	TecBAD_CREDENTIALS:                             {"tecBAD_CREDENTIALS", "Bad credentials."},
	TecWRONG_ASSET:                                 {"tecWRONG_ASSET", "Wrong asset given."},
	TecLIMIT_EXCEEDED:                              {"tecLIMIT_EXCEEDED", "Limit exceeded."},
	TecPSEUDO_ACCOUNT:                              {"tecPSEUDO_ACCOUNT", "This operation is not allowed against a pseudo-account."},
	TecPRECISION_LOSS:                              {"tecPRECISION_LOSS", "The amounts used by the transaction cannot interact."},
	TecBAD_PROOF:                                   {"tecBAD_PROOF", ""},
	TecNO_SPONSOR_PERMISSION:                       {"tecNO_SPONSOR_PERMISSION", ""},
}
