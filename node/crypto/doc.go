// Package crypto holds everything that knows curves: seeds, keys, signing, verifying one signature and many.
//
// What it does not do: it stores no keys and draws no randomness but from the reader it is given.
//
// State: a BatchVerifier belongs to one goroutine; its cache of expanded keys is bounded. Everything else is a value.
//
// Errors: malformed seeds and keys are errors; a signature that does not verify is false, never an error.
//
//	seed, kind, err := crypto.ParseSeed("snoPBrXtMeMyMHUVTgbuqAfg1SUTb")
//	pair, err := crypto.GenerateAccountKey(seed, kind)
//	tx, err := crypto.SignTransaction(pair, unsigned)
package crypto
