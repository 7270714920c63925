package crypto

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Words returns the seed as twelve English words (RFC 1751, the bytes in reverse order as rippled has them).
func (s Seed) Words() string {
	r := s
	slices.Reverse(r[:])
	return strings.Join(append(halfWords(r[:8]), halfWords(r[8:])...), " ")
}

// halfWords turns 64 bits and two bits of parity into six words of eleven bits.
func halfWords(b []byte) []string {
	v := binary.BigEndian.Uint64(b)
	words := make([]string, 6)
	rest, low := v>>9, v<<2&0x7FF|uint64(parity(v))
	words[5] = seedWords[low]
	for i := 4; i >= 0; i-- {
		words[i] = seedWords[rest&0x7FF]
		rest >>= 11
	}
	return words
}

// parity is the sum of the pairs of bits, modulo 4.
func parity(v uint64) (p uint8) {
	for ; v != 0; v >>= 2 {
		p += uint8(v & 3)
	}
	return p & 3
}

// SeedFromWords reads what Words wrote; case does not count.
func SeedFromWords(text string) (Seed, error) {
	words := strings.Fields(strings.ToUpper(text))
	if len(words) != 12 {
		return Seed{}, fmt.Errorf("a seed has 12 words, not %d", len(words))
	}
	var s Seed
	for half := range 2 {
		var v, bits uint64
		for i, w := range words[6*half : 6*half+6] {
			n, ok := findWord(w)
			if !ok {
				return Seed{}, fmt.Errorf("word %d is not in the dictionary", 6*half+i+1) // never the word: it is secret
			}
			if i == 5 {
				v, bits = v<<9|uint64(n)>>2, uint64(n)&3
			} else {
				v = v<<11 | uint64(n)
			}
		}
		if uint64(parity(v)) != bits {
			return Seed{}, errors.New("the words have a wrong parity")
		}
		binary.BigEndian.PutUint64(s[8*half:], v)
	}
	slices.Reverse(s[:])
	return s, nil
}

// findWord looks a word up; the dictionary is sorted within its short words and within those of four letters.
func findWord(w string) (int, bool) {
	const short = 571 // words of one to three letters come first
	part, base := seedWords[:short], 0
	if len(w) == 4 {
		part, base = seedWords[short:], short
	}
	i, ok := slices.BinarySearch(part, w)
	return base + i, ok
}
