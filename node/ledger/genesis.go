package ledger

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"ledgerlab/consensus"
	"ledgerlab/node/protocol"
	"ledgerlab/shamap"
)

// FeeForm is how the genesis state writes its FeeSettings.
type FeeForm uint8

const (
	// FeesAbsent: no entry; DefaultFees hold. The recorded chains start so.
	FeesAbsent FeeForm = iota
	// FeesLegacy: BaseFee, ReferenceFeeUnits, ReserveBase, ReserveIncrement.
	FeesLegacy
	// FeesDrops: the amounts of the XRPFees amendment.
	FeesDrops
)

// GenesisAccount is an account that a prepared genesis state holds beside the master.
type GenesisAccount struct {
	ID      protocol.AccountID
	Balance protocol.Drops
}

// GenesisOptions describe a first ledger.
type GenesisOptions struct {
	// Master holds everything that Accounts do not. Default: the account of
	// "masterpassphrase".
	Master protocol.AccountID
	// Drops is all the XRP there is. Default 1e17.
	Drops protocol.Drops
	// Resolution of the close time in seconds. Default 10.
	Resolution uint8
	// FeeForm and Fees are the FeeSettings entry.
	FeeForm FeeForm
	Fees    Fees
	// Amendments in force; empty: no Amendments entry.
	Amendments []protocol.Hash
	// Accounts are funded from the master, in one batch.
	Accounts []GenesisAccount
	// CloseTime in network seconds; 0 for a true genesis.
	CloseTime uint32
}

// MasterAccount is the account of "masterpassphrase".
func MasterAccount() protocol.AccountID {
	return protocol.AccountID{
		0xB5, 0xF7, 0x62, 0x79, 0x8A, 0x53, 0xD5, 0x43, 0xA0, 0x14,
		0xCA, 0xF8, 0xB2, 0x97, 0xCF, 0xF8, 0xF2, 0xF9, 0x37, 0xE8,
	}
}

// TotalDrops is all the XRP of a genesis ledger: 100 billion XRP.
const TotalDrops = protocol.Drops(100_000_000_000_000_000)

// DefaultGenesis returns the genesis of the newest xrpld: FeeSettings in drops,
// no amendment.
func DefaultGenesis() GenesisOptions {
	return GenesisOptions{
		Master:     MasterAccount(),
		Drops:      TotalDrops,
		Resolution: uint8(consensus.GenesisResolution / time.Second),
		FeeForm:    FeesDrops,
		Fees:       DefaultFees(),
	}
}

// Validate reports every fault of the options.
func (o *GenesisOptions) Validate() error {
	var errs []error
	if o.Drops <= 0 || o.Drops > TotalDrops {
		errs = append(errs, fmt.Errorf("drops %d: want 1 to %d", o.Drops, TotalDrops))
	}
	if o.Resolution == 0 {
		errs = append(errs, errors.New("resolution 0: want at least 1 s"))
	}
	if o.FeeForm > FeesDrops {
		errs = append(errs, fmt.Errorf("fee form %d is unknown", o.FeeForm))
	}
	left := o.Drops
	for i, a := range o.Accounts {
		if a.Balance <= 0 {
			errs = append(errs, fmt.Errorf("account %d (%s): balance %d, want more than 0", i, a.ID, a.Balance))
			break
		}
		if left -= a.Balance; left < 0 {
			errs = append(errs, fmt.Errorf("accounts hold more than the %d drops there are", o.Drops))
			break
		}
	}
	return errors.Join(errs...)
}

// genesisBatch is how many accounts of a prepared state go into the tree at once.
const genesisBatch = 50_000

// Genesis builds the first ledger, hashed but not flushed.
func Genesis(env *shamap.Env, o GenesisOptions) (*Ledger, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("ledger: genesis: %w", err)
	}
	state := shamap.New(env, shamap.KindState)
	txs := shamap.New(env, shamap.KindTxMeta)
	l, err := genesisLedger(env, &o, state, txs)
	if err != nil {
		state.Release()
		txs.Release()
		return nil, fmt.Errorf("ledger: genesis: %w", err)
	}
	return l, nil
}

func genesisLedger(env *shamap.Env, o *GenesisOptions, state, txs *shamap.Map) (*Ledger, error) {
	left := o.Drops
	for part := range slices.Chunk(o.Accounts, genesisBatch) {
		changes := make([]shamap.Change, 0, len(part))
		for _, a := range part {
			left -= a.Balance
			changes = append(changes, accountChange(a.ID, a.Balance))
		}
		if err := state.Apply(changes); err != nil {
			return nil, err
		}
	}
	changes := []shamap.Change{accountChange(o.Master, left)}
	if len(o.Amendments) > 0 {
		e := protocol.NewEntry(protocol.EntryAmendments)
		e.SetHashes(protocol.FieldAmendments, o.Amendments)
		changes = append(changes, shamap.Change{Key: protocol.AmendmentsKey(), Data: e.Bytes()})
	}
	if o.FeeForm != FeesAbsent {
		changes = append(changes, shamap.Change{Key: protocol.FeeSettingsKey(), Data: feeEntry(o).Bytes()})
	}
	if err := state.Apply(changes); err != nil {
		return nil, err
	}
	return seal(env, protocol.Header{
		Sequence: 1, Drops: uint64(o.Drops), CloseTime: o.CloseTime, CloseTimeResolution: o.Resolution,
	}, state, txs, nil)
}

func accountChange(id protocol.AccountID, balance protocol.Drops) shamap.Change {
	root := protocol.AccountRoot{Account: id, Sequence: 1, Balance: balance}
	return shamap.Change{Key: protocol.AccountKey(id), Data: root.AppendTo(nil)}
}

// referenceFeeUnits is the legacy cost of a reference transaction in fee units.
const referenceFeeUnits = 10

func feeEntry(o *GenesisOptions) *protocol.Object {
	e := protocol.NewEntry(protocol.EntryFeeSettings)
	if o.FeeForm == FeesLegacy {
		e.SetUint64(protocol.FieldBaseFee, uint64(o.Fees.Base))
		e.SetUint32(protocol.FieldReferenceFeeUnits, referenceFeeUnits)
		e.SetUint32(protocol.FieldReserveBase, uint32(o.Fees.Reserve))
		e.SetUint32(protocol.FieldReserveIncrement, uint32(o.Fees.Increment))
		return e
	}
	e.SetDrops(protocol.FieldBaseFeeDrops, o.Fees.Base)
	e.SetDrops(protocol.FieldReserveBaseDrops, o.Fees.Reserve)
	e.SetDrops(protocol.FieldReserveIncrementDrops, o.Fees.Increment)
	return e
}

// Second builds ledger 2 on a genesis, as rippled does at start: an empty child
// that closes now. rippled: Application::startGenesisLedger.
func Second(genesis *Ledger, now uint32) (*Ledger, error) {
	v := NewBuildView(genesis, 0)
	defer v.Release()
	var b Builder
	res := genesis.NextResolution()
	at := consensus.RoundCloseTime(consensus.NetTime(now), time.Duration(res)*time.Second)
	if genesis.header.CloseTime != 0 {
		at = consensus.EffCloseTime(consensus.NetTime(now), time.Duration(res)*time.Second,
			consensus.NetTime(genesis.header.CloseTime))
	}
	return b.Build(v, Close{Time: uint32(at), Resolution: res, Agreed: true})
}
