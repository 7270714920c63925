package tx

import (
	"ledgerlab/node/ledger"
	"ledgerlab/node/protocol"
)

const paymentFlags = universalFlags | protocol.TfPartialPayment | protocol.TfLimitQuality | protocol.TfNoRippleDirect

// payment parses the typed view once for all stages.
func (c *context) payment() (*protocol.Payment, bool) {
	if !c.parsed {
		p, ok := c.tx.Payment()
		if !ok {
			return nil, false
		}
		c.pay, c.parsed = p, true
	}
	return &c.pay, true
}

// preflightPayment is Payment::preflight.
func preflightPayment(c *context) protocol.TER {
	p, ok := c.payment()
	if !ok {
		return protocol.TemMALFORMED
	}
	flags := c.tx.Flags()
	if flags&^uint32(paymentFlags) != 0 {
		return protocol.TemINVALID_FLAG
	}
	send := p.Amount
	if p.HasSendMax {
		send = p.SendMax
	}
	src := send.Currency()
	dst := p.Amount.Currency()
	if p.Amount.IsMPT() || send.IsMPT() {
		return protocol.TemDISABLED
	}
	switch {
	case !legalNet(p.Amount) || !legalNet(send):
		return protocol.TemBAD_AMOUNT
	case p.Destination.IsZero():
		return protocol.TemDST_NEEDED
	case p.HasSendMax && send.Sign() <= 0, p.Amount.Sign() <= 0:
		return protocol.TemBAD_AMOUNT
	case src.IsBad() || dst.IsBad():
		return protocol.TemBAD_CURRENCY
	case c.tx.Account() == p.Destination && src == dst && !p.HasPaths:
		return protocol.TemREDUNDANT
	}
	if src.IsXRP() && dst.IsXRP() {
		if ter := xrpDirect(p, flags); !ter.IsTes() {
			return ter
		}
	}
	if p.HasDeliverMin {
		if ter := deliverMin(p, flags); !ter.IsTes() {
			return ter
		}
	}
	if !direct(p) {
		return protocol.TemDISABLED // no path engine yet
	}
	return protocol.TesSUCCESS
}

// direct says whether the payment moves XRP without a path.
func direct(p *protocol.Payment) bool { return p.Amount.IsXRP() && !p.HasSendMax && !p.HasPaths }

// xrpDirect refuses what makes no sense when XRP is sent as XRP.
func xrpDirect(p *protocol.Payment, flags uint32) protocol.TER {
	switch {
	case p.HasSendMax:
		return protocol.TemBAD_SEND_XRP_MAX
	case p.HasPaths:
		return protocol.TemBAD_SEND_XRP_PATHS
	case flags&protocol.TfPartialPayment != 0:
		return protocol.TemBAD_SEND_XRP_PARTIAL
	case flags&protocol.TfLimitQuality != 0:
		return protocol.TemBAD_SEND_XRP_LIMIT
	case flags&protocol.TfNoRippleDirect != 0:
		return protocol.TemBAD_SEND_XRP_NO_DIRECT
	}
	return protocol.TesSUCCESS
}

func deliverMin(p *protocol.Payment, flags uint32) protocol.TER {
	m := p.DeliverMin
	if flags&protocol.TfPartialPayment == 0 || !legalNet(m) || m.Sign() <= 0 || m.Asset() != p.Amount.Asset() {
		return protocol.TemBAD_AMOUNT
	}
	if m.Exponent() > p.Amount.Exponent() ||
		m.Exponent() == p.Amount.Exponent() && m.Mantissa() > p.Amount.Mantissa() {
		return protocol.TemBAD_AMOUNT // both positive and normalized, of one asset
	}
	return protocol.TesSUCCESS
}

// legalNet says whether an amount may occur on the network at all.
// rippled: isLegalNet.
func legalNet(a protocol.Amount) bool {
	if !a.IsXRP() {
		return true
	}
	d := a.Drops()
	return d >= -ledger.TotalDrops && d <= ledger.TotalDrops
}

// preclaimPayment is Payment::preclaim.
func preclaimPayment(c *context, v reader) protocol.TER {
	p, ok := c.payment()
	if !ok {
		return protocol.TemMALFORMED
	}
	c.dstKey, c.hasDst = c.e.keys.accountKey(p.Destination), true
	e, err := v.Read(c.dstKey)
	if err != nil {
		return c.fail(err)
	}
	dst, exists := e.(*protocol.AccountRoot)
	switch {
	case !exists && !p.Amount.IsXRP():
		return protocol.TecNO_DST
	case !exists && v.Open() && c.tx.Flags()&protocol.TfPartialPayment != 0:
		return protocol.TelNO_DST_PARTIAL
	case !exists && p.Amount.Drops() < v.Fees().AccountReserve(0):
		return protocol.TecNO_DST_INSUF_XRP
	case exists && dst.Flags&protocol.LsfRequireDestTag != 0 && !p.HasTag:
		return protocol.TecDST_TAG_NEEDED
	}
	return protocol.TesSUCCESS
}

// applyPayment is the direct XRP part of Payment::doApply.
func applyPayment(c *context) protocol.TER {
	p := &c.pay
	amount := p.Amount.Drops()
	dst, err := c.sb.PeekAccount(c.dstKey)
	if err != nil {
		return c.fail(err)
	}
	if dst == nil {
		dst = &protocol.AccountRoot{Account: p.Destination, Sequence: 1}
		if c.rules.DeletableAccounts {
			dst.Sequence = c.sb.Header().Sequence
		}
		c.sb.Insert(c.dstKey, dst)
	} else {
		c.sb.Update(c.dstKey)
	}
	// Reserve and fee may be spent for one another, but not the reserve on the
	// amount: "allow final spend to use reserve for fee".
	keep := max(c.sb.Fees().AccountReserve(c.account.OwnerCount), c.tx.Fee())
	if c.prior < amount+keep {
		return protocol.TecUNFUNDED_PAYMENT
	}
	if dst.Flags&protocol.LsfDepositAuth != 0 && c.rules.DepositAuth {
		if ter := c.depositAllowed(dst, amount); !ter.IsTes() {
			return ter
		}
	}
	c.account.Balance -= amount
	dst.Balance += amount
	dst.Flags &^= protocol.LsfPasswordSpent
	return protocol.TesSUCCESS
}

// depositAllowed applies the rule of accounts that accept deposits only by leave: a
// small deposit into an empty account is always allowed, so that it cannot get stuck.
func (c *context) depositAllowed(dst *protocol.AccountRoot, amount protocol.Drops) protocol.TER {
	reserve := c.sb.Fees().AccountReserve(0)
	if amount <= reserve && dst.Balance <= reserve {
		return protocol.TesSUCCESS
	}
	e, err := c.sb.Read(protocol.DepositPreauthKey(dst.Account, c.account.Account))
	switch {
	case err != nil:
		return c.fail(err)
	case e == nil:
		return protocol.TecNO_PERMISSION
	}
	return protocol.TesSUCCESS
}
