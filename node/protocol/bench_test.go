package protocol

import "testing"

// goldenBlob is the golden payment of the facts sheet: genesis to account one, 1,000 XRP.
const goldenBlob = "12000022000000002400000001201B0000001461400000003B9ACA0068400000000000000A73210330E7FC9D56BB25D6893BA3F317AE5BCF33B3291BD63DB32654A313222F7FD02074473045022100AC01568B8BF7AE4D186C6D3709953F42C2F15E4A76AED782AB5D629D2F749FA802203890DFE944DAFA4CA6FB03E19AC210607E009035C034DE3723BA1D29400BE2778114B5F762798A53D543A014CAF8B297CFF8F2F937E883140000000000000000000000000000000000000001"

var sink any

func BenchmarkParsePayment(b *testing.B) {
	blob := unhex(b, goldenBlob)
	b.ReportAllocs()
	b.SetBytes(int64(len(blob)))
	for b.Loop() {
		tx, err := ParseTransaction(blob)
		if err != nil {
			b.Fatal(err)
		}
		sink = tx
	}
}

// BenchmarkApplyReady is what the engine asks of a payment before it applies it: parse, id, typed view.
func BenchmarkApplyReady(b *testing.B) {
	blob := unhex(b, goldenBlob)
	b.ReportAllocs()
	for b.Loop() {
		tx, err := ParseTransaction(blob)
		if err != nil {
			b.Fatal(err)
		}
		p, ok := tx.Payment()
		if !ok || p.Amount.Drops() != 1_000_000_000 || tx.SeqProxy().Value != 1 || tx.Fee() != 10 {
			b.Fatal("wrong view")
		}
		sink = tx
	}
}

func BenchmarkEncodePayment(b *testing.B) {
	o, err := ParseObject(unhex(b, goldenBlob))
	if err != nil {
		b.Fatal(err)
	}
	buf := make([]byte, 0, 256)
	b.ReportAllocs()
	for b.Loop() {
		buf = o.AppendTo(buf[:0])
	}
}

func BenchmarkSigningData(b *testing.B) {
	tx, err := ParseTransaction(unhex(b, goldenBlob))
	if err != nil {
		b.Fatal(err)
	}
	buf := make([]byte, 0, 256)
	b.ReportAllocs()
	for b.Loop() {
		buf = tx.AppendSigningData(buf[:0])
	}
}

const genesisAccount = "11006122000000002400000001250000000" +
	"02D0000000055000000000000000000000000000000000000000000000000000000000000000062416345785D8A00008114B5F762798A53D543A014CAF8B297CFF8F2F937E8"

func BenchmarkParseAccountRoot(b *testing.B) {
	raw := unhex(b, genesisAccount)
	b.ReportAllocs()
	for b.Loop() {
		e, err := ParseEntry(raw)
		if err != nil {
			b.Fatal(err)
		}
		sink = e
	}
}

func BenchmarkEncodeAccountRoot(b *testing.B) {
	a, err := ParseAccountRoot(unhex(b, genesisAccount))
	if err != nil {
		b.Fatal(err)
	}
	buf := make([]byte, 0, 128)
	b.ReportAllocs()
	for b.Loop() {
		buf = a.AppendTo(buf[:0])
	}
}

// BenchmarkPaymentMetadata builds the metadata of a payment between two accounts.
func BenchmarkPaymentMetadata(b *testing.B) {
	a, err := ParseAccountRoot(unhex(b, genesisAccount))
	if err != nil {
		b.Fatal(err)
	}
	a.PreviousTxnID = Hash{1}
	after := a.Copy()
	after.Balance -= 10
	after.Sequence++
	after.PreviousTxnID = Hash{2}
	buf := make([]byte, 0, 1024)
	nodes := []AffectedNode{
		{Kind: NodeModified, Index: Hash{1}, Before: a, After: after},
		{Kind: NodeModified, Index: Hash{2}, Before: a, After: after},
	}
	b.ReportAllocs()
	for b.Loop() {
		buf = AppendMetadata(buf[:0], TesSUCCESS, 1, nil, nodes)
	}
}

func BenchmarkCheckFormat(b *testing.B) {
	tx, err := ParseTransaction(unhex(b, goldenBlob))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := tx.CheckFormat(); err != nil {
			b.Fatal(err)
		}
	}
}
