package tx

import "ledgerlab/node/protocol"

// checkInvariants makes sure that the transaction neither made nor lost XRP and left
// no account below zero. rippled: InvariantCheck.h XRPNotCreated, XRPBalanceChecks.
// A first violation leaves only the fee, a second nothing.
func (c *context) checkInvariants(ter protocol.TER, fee protocol.Drops) (protocol.TER, protocol.Drops) {
	if c.holds(fee) {
		return ter, fee
	}
	ter, fee = c.claim(protocol.TecINVARIANT_FAILED, fee)
	if !c.holds(fee) {
		return protocol.TefINVARIANT_FAILED, fee
	}
	return ter, fee
}

func (c *context) holds(fee protocol.Drops) bool {
	sum, ok := protocol.Drops(0), fee >= 0
	c.sb.EachChange(func(_ protocol.Hash, before, after protocol.Entry) bool {
		if a, is := before.(*protocol.AccountRoot); is {
			sum -= a.Balance
		}
		if a, is := after.(*protocol.AccountRoot); is {
			sum += a.Balance
			ok = ok && a.Balance >= 0
		}
		return true
	})
	return ok && sum == -fee
}
