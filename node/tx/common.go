package tx

import (
	"ledgerlab/node/ledger"
	"ledgerlab/node/protocol"
)

// reader is a view as preclaim sees it.
type reader = ledger.ReadView

// universalFlags may stand on any transaction. rippled: tfUniversal; the inner
// batch flag is not known to the rules that the chains are judged by.
const universalFlags = protocol.TfFullyCanonicalSig

// networkIDMin is the first network id that transactions carry.
// rippled: preflight0.
const networkIDMin = 1025

// preflight runs the common checks around those of the type.
// rippled: preflight0, preflight1, preflight2.
func (c *context) preflight() protocol.TER {
	if c.kind == nil {
		return protocol.TemUNKNOWN
	}
	if ter := c.preflight1(); !ter.IsTes() {
		return ter
	}
	if ter := c.kind.preflight(c); !ter.IsTes() {
		return ter
	}
	if good := c.e.opt.SignatureGood; good != nil && !good(c.tx) {
		return protocol.TemINVALID
	}
	return protocol.TesSUCCESS
}

func (c *context) preflight1() protocol.TER {
	t := c.tx
	_, ticketField := t.TicketSequence()
	if ticketField && !c.rules.TicketBatch {
		return protocol.TemMALFORMED
	}
	if ter := c.checkNetwork(); !ter.IsTes() {
		return ter
	}
	if t.ID().IsZero() {
		return protocol.TemINVALID
	}
	if t.Account().IsZero() {
		return protocol.TemBAD_SRC_ACCOUNT
	}
	if fee := t.Fee(); fee < 0 || fee > ledger.TotalDrops {
		return protocol.TemBAD_FEE
	}
	if key := t.SigningPubKey(); len(key) != 0 && !validKeyType(key) {
		return protocol.TemBAD_SIGNATURE
	}
	if t.SeqProxy().Ticket && t.Has(protocol.FieldAccountTxnID) {
		return protocol.TemINVALID
	}
	return protocol.TesSUCCESS
}

func (c *context) checkNetwork() protocol.TER {
	id, has := c.tx.NetworkID()
	switch want := c.e.opt.NetworkID; {
	case want < networkIDMin && has:
		return protocol.TelNETWORK_ID_MAKES_TX_NON_CANONICAL
	case want < networkIDMin:
		return protocol.TesSUCCESS
	case !has:
		return protocol.TelREQUIRES_NETWORK_ID
	case id != want:
		return protocol.TelWRONG_NETWORK
	}
	return protocol.TesSUCCESS
}

// validKeyType says whether the bytes look like a public key of either kind.
// rippled: publicKeyType.
func validKeyType(key []byte) bool {
	return len(key) == 33 && (key[0] == 0xED || key[0] == 0x02 || key[0] == 0x03)
}

// preclaim runs the common checks against a view, then those of the type.
// rippled: invoke_preclaim.
func (c *context) preclaim(v reader) protocol.TER {
	c.key = c.e.keys.accountKey(c.tx.Account())
	e, err := v.Read(c.key)
	if err != nil {
		return c.fail(err)
	}
	root, ok := e.(*protocol.AccountRoot)
	if !ok {
		return protocol.TerNO_ACCOUNT
	}
	c.account = root
	if ter := c.checkSeqProxy(v, root); !ter.IsTes() {
		return ter
	}
	if ter := c.checkPrior(v, root); !ter.IsTes() {
		return ter
	}
	if ter := c.checkFee(v, root); !ter.IsTes() {
		return ter
	}
	if ter := c.checkSign(v, root); !ter.IsTes() {
		return ter
	}
	return c.kind.preclaim(c, v)
}

func preclaimNothing(*context, reader) protocol.TER { return protocol.TesSUCCESS }

func (c *context) checkSeqProxy(v reader, root *protocol.AccountRoot) protocol.TER {
	sp := c.tx.SeqProxy()
	if !sp.Ticket {
		if _, has := c.tx.TicketSequence(); has && c.rules.TicketBatch {
			return protocol.TemSEQ_AND_TICKET
		}
		switch {
		case sp.Value > root.Sequence:
			return protocol.TerPRE_SEQ
		case sp.Value < root.Sequence:
			return protocol.TefPAST_SEQ
		}
		return protocol.TesSUCCESS
	}
	if root.Sequence <= sp.Value {
		return protocol.TerPRE_TICKET
	}
	e, err := v.Read(protocol.TicketKey(c.tx.Account(), sp.Value))
	switch {
	case err != nil:
		return c.fail(err)
	case e == nil:
		return protocol.TefNO_TICKET
	}
	return protocol.TesSUCCESS
}

// checkPrior is rippled's checkPriorTxAndLastLedger.
func (c *context) checkPrior(v reader, root *protocol.AccountRoot) protocol.TER {
	if c.tx.Has(protocol.FieldAccountTxnID) {
		want := c.tx.Object().Hash256(protocol.FieldAccountTxnID)
		if root.Opt.Hash256(protocol.FieldAccountTxnID) != want {
			return protocol.TefWRONG_PRIOR
		}
	}
	if last, has := c.tx.LastLedgerSequence(); has && v.Header().Sequence > last {
		return protocol.TefMAX_LEDGER
	}
	in, err := v.HasTx(c.tx.ID())
	switch {
	case err != nil:
		return c.fail(err)
	case in:
		return protocol.TefALREADY
	}
	return protocol.TesSUCCESS
}

// BaseFee is what a transaction must pay at least, unscaled by load: the reference
// fee once for itself and once for each signer.
func BaseFee(v reader, tx *protocol.Transaction) (protocol.Drops, error) {
	fees := v.Fees()
	if tx.Type() == protocol.TxSetRegularKey {
		free, err := freeRegularKey(v, tx)
		if err != nil || free {
			return 0, err
		}
	}
	return fees.Base * protocol.Drops(1+signerCount(tx)), nil
}

// signerCount is the number of multi-signatures.
func signerCount(tx *protocol.Transaction) int {
	if len(tx.SigningPubKey()) != 0 {
		return 0
	}
	signers, _ := tx.Object().GetArray(protocol.FieldSigners)
	return len(signers)
}

// normalFactor is an unscaled load factor.
const normalFactor = 256

func (c *context) checkFee(v reader, root *protocol.AccountRoot) protocol.TER {
	paid := c.tx.Fee()
	if v.Open() {
		due, err := BaseFee(v, c.tx)
		if err != nil {
			return c.fail(err)
		}
		if f := c.e.opt.FeeFactor; f != nil && c.flags&Unlimited == 0 {
			if factor := f(); factor > normalFactor {
				due = due * protocol.Drops(factor) / normalFactor
			}
		}
		if paid < due {
			return protocol.TelINSUF_FEE_P
		}
	}
	if paid == 0 || root.Balance >= paid {
		return protocol.TesSUCCESS
	}
	if root.Balance > 0 && !v.Open() {
		return protocol.TecINSUFF_FEE
	}
	return protocol.TerINSUF_FEE_B
}

// checkSign checks who may sign for the account.
// rippled: Transactor::checkSingleSign.
func (c *context) checkSign(v reader, root *protocol.AccountRoot) protocol.TER {
	key := c.tx.SigningPubKey()
	if len(key) == 0 {
		return c.checkMultiSign(v)
	}
	if !validKeyType(key) {
		return protocol.TefBAD_AUTH
	}
	signer := c.e.keys.signer(key)
	regular, hasRegular := root.Opt.GetAccountID(protocol.FieldRegularKey)
	disabled := root.Flags&protocol.LsfDisableMaster != 0
	if c.rules.FixMasterKeyAsRegularKey {
		switch {
		case hasRegular && regular == signer:
			return protocol.TesSUCCESS
		case signer == root.Account && !disabled:
			return protocol.TesSUCCESS
		case signer == root.Account:
			return protocol.TefMASTER_DISABLED
		}
		return protocol.TefBAD_AUTH
	}
	switch {
	case signer == root.Account && disabled:
		return protocol.TefMASTER_DISABLED
	case signer == root.Account, hasRegular && regular == signer:
		return protocol.TesSUCCESS
	case hasRegular:
		return protocol.TefBAD_AUTH
	}
	return protocol.TefBAD_AUTH_MASTER
}

// checkMultiSign: no signer list can be made here, so an account has one only if its
// state came from elsewhere. rippled: Transactor::checkMultiSign.
func (c *context) checkMultiSign(v reader) protocol.TER {
	e, err := v.Read(protocol.SignerListKey(c.tx.Account()))
	switch {
	case err != nil:
		return c.fail(err)
	case e == nil:
		return protocol.TefNOT_MULTI_SIGNING
	}
	return c.checkSigners(v, e)
}
