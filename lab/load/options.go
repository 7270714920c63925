package load

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"ledgerlab/api/client"
)

// Target is one node that traffic goes to.
type Target struct {
	Name   string
	Client *client.Client
}

// Options configure a Generator.
type Options struct {
	Targets   []Target // payments and reads are spread equally over them; required
	NetworkID uint32   // in transactions when above 1024; required

	Rate     float64       // payments a second over all targets; 0 = none
	Shape    Shape         // how the rate moves over time; nil = it stays
	Accounts int           // payers and payees; default 3000
	Seed     uint64        // of the accounts' keys, as the prepared state has them
	Choice   uint64        // of payees, amounts and reads; the same stream for the same value
	Fee      uint64        // drops; default 10, the minimum
	Amount   uint64        // largest payment in drops; default 1000
	InFlight int           // payments of one account that may be on their way; default 8
	Expire   uint32        // ledgers after signing at which a payment is void; default 12
	Late     time.Duration // after which a send that is due is missed, not made; default 500ms
	Stream   *Stream       // stored payments to send instead of Rate, Shape, Accounts and Choice; refusals are final then
	Async    bool          // take answers before the batch is applied; refusals are then not seen

	Reads         float64 // account reads a second and target
	Pages         float64 // state pages a second and target
	PageLimit     int     // entries a page; default 64
	Held          int     // ledgers back from the newest validated that reads go to, drawn evenly
	StateAccounts int     // accounts that reads choose from; default Accounts

	Points int          // single latencies that are kept for the report; default 2,000,000
	Log    *slog.Logger // default discards
}

// Default fills what is zero.
func (o Options) Default() Options {
	setInt := func(p *int, v int) {
		if *p == 0 {
			*p = v
		}
	}
	if o.Stream != nil {
		o.Rate, o.Accounts, o.Seed = o.Stream.Spec.Rate, o.Stream.Spec.Accounts, o.Stream.Spec.Seed
	}
	setInt(&o.Accounts, 3000)
	setInt(&o.InFlight, 8)
	setInt(&o.PageLimit, 64)
	setInt(&o.StateAccounts, o.Accounts)
	setInt(&o.Points, 2_000_000)
	if o.Fee == 0 {
		o.Fee = 10
	}
	if o.Amount == 0 {
		o.Amount = 1000
	}
	if o.Expire == 0 {
		o.Expire = 12
	}
	if o.Late == 0 {
		o.Late = 500 * time.Millisecond
	}
	if o.Shape == nil {
		o.Shape = Constant()
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// Validate returns every fault, joined.
func (o Options) Validate() error {
	var faults []error
	bad := func(format string, args ...any) { faults = append(faults, fmt.Errorf("load: "+format, args...)) }
	if len(o.Targets) == 0 {
		bad("no target")
	}
	for _, t := range o.Targets {
		if t.Client == nil {
			bad("target %s has no client", t.Name)
		}
	}
	if o.Rate < 0 || o.Rate > 1e6 || o.Reads < 0 || o.Pages < 0 {
		bad("rate %v, reads %v and pages %v must not be negative, the rate at most a million", o.Rate, o.Reads, o.Pages)
	}
	if o.Stream != nil && o.Stream.Spec.NetworkID != o.NetworkID {
		bad("the stream is for network %d, not %d", o.Stream.Spec.NetworkID, o.NetworkID)
	}
	if o.Accounts < 2 || o.Rate > 0 && o.Accounts < len(o.Targets) {
		bad("%d accounts are too few for %d targets; at least two, and one a target", o.Accounts, len(o.Targets))
	}
	if o.Expire < 4 {
		bad("payments that expire after %d ledgers; at least 4", o.Expire)
	}
	if o.InFlight < 1 || o.Late <= 0 || o.Held < 0 || o.PageLimit < 1 || o.StateAccounts < 1 || o.Points < 0 {
		bad("in flight, late, held, page limit, state accounts and points must be in range")
	}
	return errors.Join(faults...)
}
