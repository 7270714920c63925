//go:build !cgo

package config

// payloadDefault is all that a build without cgo has. It stands in every record,
// so that no one compares such a node with another by accident.
const payloadDefault = "go"
