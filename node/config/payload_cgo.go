//go:build cgo

package config

// payloadDefault is xrpld's: tree payloads lie in memory that malloc gives.
const payloadDefault = "c"
