package tx

import (
	"ledgerlab/node/protocol"
)

// accountSetFlags are the transaction flags that AccountSet knows.
const accountSetFlags = universalFlags | protocol.TfRequireDestTag | protocol.TfOptionalDestTag |
	protocol.TfRequireAuth | protocol.TfOptionalAuth | protocol.TfDisallowXRP | protocol.TfAllowXRP

// Limits of AccountSet. rippled: Quality.h, Protocol.h, Rate.h.
const (
	transferRateOne = 1_000_000_000
	tickSizeMin     = 3
	tickSizeMax     = 16
	domainMax       = 256
)

// toggle is a setting that has a transaction flag and an account-set number for on
// and for off.
type toggle struct {
	tfOn, tfOff uint32
	asf         uint32
	lsf         uint32
}

var toggles = [...]toggle{
	{protocol.TfRequireAuth, protocol.TfOptionalAuth, protocol.AsfRequireAuth, protocol.LsfRequireAuth},
	{protocol.TfRequireDestTag, protocol.TfOptionalDestTag, protocol.AsfRequireDest, protocol.LsfRequireDestTag},
	{protocol.TfDisallowXRP, protocol.TfAllowXRP, protocol.AsfDisallowXRP, protocol.LsfDisallowXRP},
}

func (t *toggle) on(flags, set uint32) bool    { return flags&t.tfOn != 0 || set == t.asf }
func (t *toggle) off(flags, clear uint32) bool { return flags&t.tfOff != 0 || clear == t.asf }

// preflightAccountSet is SetAccount::preflight.
func preflightAccountSet(c *context) protocol.TER {
	s, ok := c.tx.AccountSet()
	if !ok {
		return protocol.TemMALFORMED
	}
	c.set = s
	flags := c.tx.Flags()
	if flags&^uint32(accountSetFlags) != 0 {
		return protocol.TemINVALID_FLAG
	}
	if s.SetFlag != 0 && s.SetFlag == s.ClearFlag {
		return protocol.TemINVALID_FLAG
	}
	for i := range toggles {
		if t := &toggles[i]; t.on(flags, s.SetFlag) && t.off(flags, s.ClearFlag) {
			return protocol.TemINVALID_FLAG
		}
	}
	if r := s.TransferRate; r != nil && (*r != 0 && *r < transferRateOne || *r > 2*transferRateOne) {
		return protocol.TemBAD_TRANSFER_RATE
	}
	if t := s.TickSize; t != nil && *t != 0 && (*t < tickSizeMin || *t > tickSizeMax) {
		return protocol.TemBAD_TICK_SIZE
	}
	if len(s.MessageKey) != 0 && !validKeyType(s.MessageKey) {
		return protocol.TelBAD_PUBLIC_KEY
	}
	if len(s.Domain) > domainMax {
		return protocol.TelBAD_DOMAIN
	}
	if c.rules.NFTokens {
		if s.SetFlag == protocol.AsfAuthorizedNFTokenMinter && s.NFTokenMinter == nil ||
			s.ClearFlag == protocol.AsfAuthorizedNFTokenMinter && s.NFTokenMinter != nil {
			return protocol.TemMALFORMED
		}
	}
	return protocol.TesSUCCESS
}

// preclaimAccountSet is SetAccount::preclaim: authorization cannot be required by an
// account that already owns objects.
func preclaimAccountSet(c *context, v reader) protocol.TER {
	set := c.tx.Object().Uint32(protocol.FieldSetFlag)
	if !toggles[0].on(c.tx.Flags(), set) || c.account.Flags&protocol.LsfRequireAuth != 0 {
		return protocol.TesSUCCESS
	}
	empty, err := ownerDirEmpty(v, c.tx.Account())
	switch {
	case err != nil:
		return c.fail(err)
	case empty:
		return protocol.TesSUCCESS
	case c.flags&Retry != 0:
		return protocol.TerOWNERS
	}
	return protocol.TecOWNERS
}

// ownerDirEmpty is rippled's dirIsEmpty: a first page without entries may still lead
// to others.
func ownerDirEmpty(v reader, id protocol.AccountID) (bool, error) {
	e, err := v.Read(protocol.OwnerDirKey(id))
	if err != nil || e == nil {
		return err == nil, err
	}
	dir := protocol.ToObject(e)
	if keys, _ := dir.GetHashes(protocol.FieldIndexes); len(keys) != 0 {
		return false, nil
	}
	return dir.Uint64(protocol.FieldIndexNext) == 0, nil
}

// applyAccountSet is SetAccount::doApply.
func applyAccountSet(c *context) protocol.TER {
	in := c.account.Flags
	out := in
	flags := c.tx.Flags()
	for i := range toggles {
		t := &toggles[i]
		if t.on(flags, c.set.SetFlag) {
			out |= t.lsf
		}
		if t.off(flags, c.set.ClearFlag) {
			out &^= t.lsf
		}
	}
	out, ter := c.masterFlags(in, out)
	if !ter.IsTes() {
		return ter
	}
	out = c.plainFlags(out)
	c.accountFields()
	c.account.Flags = out
	return protocol.TesSUCCESS
}

// masterFlags handles the settings that need the master key's signature.
func (c *context) masterFlags(in, out uint32) (uint32, protocol.TER) {
	s := &c.set
	withMaster := c.e.keys.signer(c.tx.SigningPubKey()) == c.account.Account && validKeyType(c.tx.SigningPubKey())
	if s.SetFlag == protocol.AsfDisableMaster && in&protocol.LsfDisableMaster == 0 {
		if !withMaster {
			return out, protocol.TecNEED_MASTER_KEY
		}
		other := c.account.Opt.Has(protocol.FieldRegularKey)
		if !other {
			e, err := c.sb.Read(protocol.SignerListKey(c.account.Account))
			if err != nil {
				return out, c.fail(err)
			}
			other = e != nil
		}
		if !other {
			return out, protocol.TecNO_ALTERNATIVE_KEY
		}
		out |= protocol.LsfDisableMaster
	}
	if s.ClearFlag == protocol.AsfDisableMaster {
		out &^= protocol.LsfDisableMaster
	}
	switch {
	case s.SetFlag == protocol.AsfDefaultRipple:
		out |= protocol.LsfDefaultRipple
	case s.ClearFlag == protocol.AsfDefaultRipple:
		out &^= protocol.LsfDefaultRipple
	}
	if s.SetFlag == protocol.AsfNoFreeze {
		if !withMaster && in&protocol.LsfDisableMaster == 0 {
			return out, protocol.TecNEED_MASTER_KEY
		}
		out |= protocol.LsfNoFreeze
	}
	return out, protocol.TesSUCCESS
}

// incoming are the settings of the DisallowIncoming amendment.
var incoming = [...]struct{ asf, lsf uint32 }{
	{protocol.AsfDisallowIncomingNFTokenOffer, protocol.LsfDisallowIncomingNFTokenOffer},
	{protocol.AsfDisallowIncomingCheck, protocol.LsfDisallowIncomingCheck},
	{protocol.AsfDisallowIncomingPayChan, protocol.LsfDisallowIncomingPayChan},
	{protocol.AsfDisallowIncomingTrustline, protocol.LsfDisallowIncomingTrustline},
}

// plainFlags handles the settings that anyone who signs for the account may change.
func (c *context) plainFlags(out uint32) uint32 {
	s := &c.set
	switch {
	case s.SetFlag == protocol.AsfGlobalFreeze:
		out |= protocol.LsfGlobalFreeze
	case s.ClearFlag == protocol.AsfGlobalFreeze && out&protocol.LsfNoFreeze == 0:
		out &^= protocol.LsfGlobalFreeze
	}
	if c.rules.DepositAuth {
		switch {
		case s.SetFlag == protocol.AsfDepositAuth:
			out |= protocol.LsfDepositAuth
		case s.ClearFlag == protocol.AsfDepositAuth:
			out &^= protocol.LsfDepositAuth
		}
	}
	if c.rules.DisallowIncoming {
		for _, f := range incoming {
			switch f.asf {
			case s.SetFlag:
				out |= f.lsf
			case s.ClearFlag:
				out &^= f.lsf
			}
		}
	}
	return out
}

// accountFields sets or clears the optional fields.
func (c *context) accountFields() {
	s, o := &c.set, &c.account.Opt
	if s.SetFlag == protocol.AsfAccountTxnID && !o.Has(protocol.FieldAccountTxnID) {
		o.SetHash(protocol.FieldAccountTxnID, protocol.Hash{})
	}
	if s.ClearFlag == protocol.AsfAccountTxnID {
		o.Delete(protocol.FieldAccountTxnID)
	}
	setBlob(o, protocol.FieldMessageKey, s.MessageKey)
	setBlob(o, protocol.FieldDomain, s.Domain)
	if s.EmailHash != nil {
		if allZero(s.EmailHash) {
			o.Delete(protocol.FieldEmailHash)
		} else {
			_ = o.SetRaw(protocol.FieldEmailHash, s.EmailHash) // 16 bytes: it was decoded as this field
		}
	}
	if s.WalletLocator != nil {
		if s.WalletLocator.IsZero() {
			o.Delete(protocol.FieldWalletLocator)
		} else {
			o.SetHash(protocol.FieldWalletLocator, *s.WalletLocator)
		}
	}
	if r := s.TransferRate; r != nil {
		if *r == 0 || *r == transferRateOne {
			o.Delete(protocol.FieldTransferRate)
		} else {
			o.SetUint32(protocol.FieldTransferRate, *r)
		}
	}
	if t := s.TickSize; t != nil {
		if *t == 0 || *t == tickSizeMax {
			o.Delete(protocol.FieldTickSize)
		} else {
			o.SetUint8(protocol.FieldTickSize, *t)
		}
	}
	if c.rules.NFTokens {
		if s.SetFlag == protocol.AsfAuthorizedNFTokenMinter && s.NFTokenMinter != nil {
			o.SetAccountID(protocol.FieldNFTokenMinter, *s.NFTokenMinter)
		}
		if s.ClearFlag == protocol.AsfAuthorizedNFTokenMinter {
			o.Delete(protocol.FieldNFTokenMinter)
		}
	}
}

// setBlob sets a variable-length field; nil leaves it, empty clears it.
func setBlob(o *protocol.Object, f protocol.Field, v []byte) {
	switch {
	case v == nil:
	case len(v) == 0:
		o.Delete(f)
	default:
		o.SetBlob(f, v)
	}
}

func allZero(b []byte) bool {
	for _, x := range b {
		if x != 0 {
			return false
		}
	}
	return true
}
