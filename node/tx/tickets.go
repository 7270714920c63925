package tx

import "ledgerlab/node/protocol"

// deleteTicket consumes a ticket. Tickets cannot be made here yet, so a view holds
// none and preclaim has refused the transaction.
func (c *context) deleteTicket(*protocol.AccountRoot, uint32) protocol.TER {
	return protocol.TefNO_TICKET
}
