package peer

import (
	"bytes"
	"fmt"

	"ledgerlab/node/protocol"
)

// Key is a node's public key, 33 bytes. It is the pin of the peer list.
type Key [33]byte

func (k Key) String() string { return protocol.EncodeNodePublic(k[:]) }

// Less orders keys; the lower one dials.
func (k Key) Less(o Key) bool { return bytes.Compare(k[:], o[:]) < 0 }

// ParseKey reads the base58 form (n...).
func ParseKey(s string) (Key, error) {
	var k Key
	b, err := protocol.DecodeNodePublic(s)
	if err != nil || len(b) != len(k) {
		return k, fmt.Errorf("peer key %q: want a base58 node public key (n...)", s)
	}
	copy(k[:], b)
	return k, nil
}

// Identity proves a node's key. Sign signs a message with the node key; Verify is its counterpart.
type Identity struct {
	Key    Key
	Sign   func(msg []byte) []byte
	Verify func(pub, msg, sig []byte) bool
}
