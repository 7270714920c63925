//go:build !invariants

package payload

const invariants = false

func poison(uintptr, uint32) {}

type checksum struct{}

func (checksum) set([]byte)   {}
func (checksum) check([]byte) {}
