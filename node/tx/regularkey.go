package tx

import (
	"ledgerlab/node/protocol"
)

// preflightRegularKey is SetRegularKey::preflight.
func preflightRegularKey(c *context) protocol.TER {
	if c.tx.Flags()&^uint32(universalFlags) != 0 {
		return protocol.TemINVALID_FLAG
	}
	key, has := c.tx.Object().GetAccountID(protocol.FieldRegularKey)
	if c.rules.FixMasterKeyAsRegularKey && has && key == c.tx.Account() {
		return protocol.TemBAD_REGKEY
	}
	return protocol.TesSUCCESS
}

// freeRegularKey says whether the transaction costs nothing: once after each
// payment received, when signed with the master key.
// rippled: SetRegularKey::calculateBaseFee.
func freeRegularKey(v reader, tx *protocol.Transaction) (bool, error) {
	key := tx.SigningPubKey()
	if !validKeyType(key) || accountOfKey(key) != tx.Account() {
		return false, nil
	}
	e, err := v.Read(protocol.AccountKey(tx.Account()))
	root, ok := e.(*protocol.AccountRoot)
	return ok && root.Flags&protocol.LsfPasswordSpent == 0, err
}

// applyRegularKey is SetRegularKey::doApply.
func applyRegularKey(c *context) protocol.TER {
	if free, err := freeRegularKey(c.sb, c.tx); err != nil {
		return c.fail(err)
	} else if free { // whether or not a fee was offered
		c.account.Flags |= protocol.LsfPasswordSpent
	}
	if key, has := c.tx.Object().GetAccountID(protocol.FieldRegularKey); has {
		c.account.Opt.SetAccountID(protocol.FieldRegularKey, key)
		return protocol.TesSUCCESS
	}
	if c.account.Flags&protocol.LsfDisableMaster != 0 {
		e, err := c.sb.Read(protocol.SignerListKey(c.account.Account))
		if err != nil {
			return c.fail(err)
		}
		if e == nil {
			return protocol.TecNO_ALTERNATIVE_KEY
		}
	}
	c.account.Opt.Delete(protocol.FieldRegularKey)
	return protocol.TesSUCCESS
}
