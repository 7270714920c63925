package load

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"time"
)

func TestStream(t *testing.T) {
	spec := StreamSpec{NetworkID: 20100, Seed: 1, Choice: 4, Accounts: 20, Rate: 200, For: time.Second, Fee: 10, Amount: 50, FirstSeq: 7}
	var a, b bytes.Buffer
	if err := errors.Join(WriteStream(&a, spec), WriteStream(&b, spec)); err != nil || !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Fatal("the same spec gave other bytes", err)
	}
	raw := a.Bytes()
	for _, cut := range []int{0, 5, len(streamMagic) + 3, len(raw) - 1, len(raw) - 100} {
		if _, err := ReadStream(bytes.NewReader(raw[:cut])); err == nil {
			t.Errorf("cut at %d accepted", cut)
		}
	}
	s, err := ReadStream(bytes.NewReader(raw))
	if err != nil || s.Len() != 200 || s.Spec.Choice != 4 {
		t.Fatal(s, err)
	}
	c := newChain(3)
	targets := c.run(t)
	r := offer(t, c, Options{Targets: targets, Stream: s}, 1500*time.Millisecond)
	if k := r.Counts; k.Intended != 200 || k.Validated != 200 || c.badSeq != 0 {
		t.Fatalf("%+v, %d bad sequences", k, c.badSeq)
	}
	if _, err := Start(t.Context(), Options{Targets: targets, Stream: s, NetworkID: 20100}); err == nil {
		t.Error("a stream was sent twice")
	}
	if _, err := Start(t.Context(), Options{Targets: targets, Stream: s, NetworkID: 7}); err == nil || !strings.Contains(err.Error(), "for network 20100, not 7") {
		t.Error(err)
	}
	if err := WriteStream(io.Discard, StreamSpec{}); err == nil {
		t.Error("an empty spec")
	}
}

func FuzzReadStream(f *testing.F) {
	var b bytes.Buffer
	if err := WriteStream(&b, StreamSpec{NetworkID: 1, Seed: 1, Accounts: 3, Rate: 10, For: time.Second, Fee: 10, Amount: 5, FirstSeq: 1, Expire: 9}); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add([]byte(streamMagic + "{}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ReadStream(bytes.NewReader(data))
		if err == nil {
			err = s.adopt()
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}
