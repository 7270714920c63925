package tx

import "ledgerlab/node/protocol"

// checkSigners: signer lists are not made here; one that a foreign state brought is
// not evaluated, and the transaction refused.
func (c *context) checkSigners(reader, protocol.Entry) protocol.TER { return protocol.TefBAD_SIGNATURE }
