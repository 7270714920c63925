// Package protocol holds the values of the XRP Ledger and their bytes: hashes, account ids, amounts, fields, generic
// objects, transactions, ledger entries, metadata, headers, validations, proposals, manifests, result codes and the
// keys of state entries.
//
// What it does not do: it knows no curves (package crypto), no trees, no rules about which transaction may apply.
//
// State: none; every value here belongs to whoever made it. Transactions are immutable after ParseTransaction and
// may be shared between goroutines. Objects, entries and headers are plain values without locks. Parsers keep
// slices of their input instead of copying it, so the input must not be changed afterwards.
//
// Units: XRP in drops (1 XRP = 1,000,000 drops); times in seconds since 2000-01-01T00:00:00Z; hashes are SHA-512Half.
//
// Errors: a malformed input is a *DecodeError that names the byte offset and the field. Depth, length and count are
// checked before anything is allocated. Protocol results are values of type TER, never errors.
//
//	tx, err := protocol.ParseTransaction(blob)
//	if err != nil {
//		return err // for example "offset 17, field Fee: 8 bytes wanted, 3 left"
//	}
//	fmt.Println(tx.ID(), tx.Type(), tx.Account(), tx.Fee())
package protocol
