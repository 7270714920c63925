package tx

import (
	"bytes"
	"testing"

	"ledgerlab/node/protocol"
)

// TestPaymentCodes has one row for each way a payment can fail in an open ledger.
func TestPaymentCodes(t *testing.T) {
	usd := protocol.Currency{12: 'U', 13: 'S', 14: 'D'}
	issued := func(f protocol.Field, w *world) edit {
		a, err := protocol.Issued(5, 0, usd, w.id("bob"))
		if err != nil {
			t.Fatal(err)
		}
		return func(o *protocol.Object) { o.SetAmount(f, a) }
	}
	for _, c := range []struct {
		name string
		tx   func(w *world) *protocol.Transaction
		want protocol.TER
	}{
		{"good", func(w *world) *protocol.Transaction { return w.pay("rich", "bob", xrp) }, protocol.TesSUCCESS},
		{"creates an account", func(w *world) *protocol.Transaction { return w.pay("rich", "ghost", 10*xrp) }, protocol.TesSUCCESS},
		{"destination missing, below reserve", func(w *world) *protocol.Transaction { return w.pay("rich", "ghost", 10*xrp-1) }, protocol.TecNO_DST_INSUF_XRP},
		{"sequence past", func(w *world) *protocol.Transaction {
			return w.pay("rich", "bob", xrp, set32(protocol.FieldSequence, 0))
		}, protocol.TefPAST_SEQ},
		{"sequence future", func(w *world) *protocol.Transaction {
			return w.pay("rich", "bob", xrp, set32(protocol.FieldSequence, 2))
		}, protocol.TerPRE_SEQ},
		{"last ledger passed", func(w *world) *protocol.Transaction {
			return w.pay("rich", "bob", xrp, set32(protocol.FieldLastLedgerSequence, 2))
		}, protocol.TefMAX_LEDGER},
		{"last ledger is this one", func(w *world) *protocol.Transaction {
			return w.pay("rich", "bob", xrp, set32(protocol.FieldLastLedgerSequence, 3))
		}, protocol.TesSUCCESS},
		{"fee too low", func(w *world) *protocol.Transaction {
			return w.pay("rich", "bob", xrp, setDrops(protocol.FieldFee, 9))
		}, protocol.TelINSUF_FEE_P},
		{"fee negative", func(w *world) *protocol.Transaction {
			return w.pay("rich", "bob", xrp, setDrops(protocol.FieldFee, -10))
		}, protocol.TemBAD_FEE},
		{"fee above all", func(w *world) *protocol.Transaction {
			return w.pay("rich", "bob", xrp, setDrops(protocol.FieldFee, 100_000_000_000_000_001))
		}, protocol.TemBAD_FEE},
		{"balance below fee", func(w *world) *protocol.Transaction {
			return w.pay("spent", "bob", 1, setDrops(protocol.FieldFee, 21))
		}, protocol.TerINSUF_FEE_B},
		{"unfunded", func(w *world) *protocol.Transaction { return w.pay("rich", "bob", 100_000*xrp) }, protocol.TecUNFUNDED_PAYMENT},
		{"would cut the reserve", func(w *world) *protocol.Transaction { return w.pay("poor", "bob", 1) }, protocol.TecUNFUNDED_PAYMENT},
		{"no account", func(w *world) *protocol.Transaction { return w.pay("ghost", "bob", 1) }, protocol.TerNO_ACCOUNT},
		{"bad signature", func(w *world) *protocol.Transaction {
			x := w.pay("rich", "bob", xrp)
			blob := bytes.Clone(x.Blob())
			i := bytes.Index(blob, x.TxnSignature())
			blob[i+9] ^= 1
			y, err := protocol.ParseTransaction(blob)
			if err != nil {
				t.Fatal(err)
			}
			return y
		}, protocol.TemINVALID},
		{"signed by a stranger", func(w *world) *protocol.Transaction {
			return w.signAs("bob", "rich", protocol.TxPayment, setDrops(protocol.FieldAmount, 1),
				func(o *protocol.Object) { o.SetAccountID(protocol.FieldDestination, w.id("poor")) })
		}, protocol.TefBAD_AUTH},
		{"wrong network", func(w *world) *protocol.Transaction {
			return w.pay("rich", "bob", xrp, set32(protocol.FieldNetworkID, 7))
		}, protocol.TelNETWORK_ID_MAKES_TX_NON_CANONICAL},
		{"unknown flag", func(w *world) *protocol.Transaction {
			return w.pay("rich", "bob", xrp, set32(protocol.FieldFlags, 1))
		}, protocol.TemINVALID_FLAG},
		{"canonical flag", func(w *world) *protocol.Transaction {
			return w.pay("rich", "bob", xrp, set32(protocol.FieldFlags, protocol.TfFullyCanonicalSig))
		}, protocol.TesSUCCESS},
		{"zero", func(w *world) *protocol.Transaction { return w.pay("rich", "bob", 0) }, protocol.TemBAD_AMOUNT},
		{"negative", func(w *world) *protocol.Transaction { return w.pay("rich", "bob", -5) }, protocol.TemBAD_AMOUNT},
		{"more than there is", func(w *world) *protocol.Transaction { return w.pay("rich", "bob", 100_000_000_000_000_001) }, protocol.TemBAD_AMOUNT},
		{"no destination", func(w *world) *protocol.Transaction {
			return w.pay("rich", "bob", 1, without(protocol.FieldDestination))
		}, protocol.TemMALFORMED},
		{"destination zero", func(w *world) *protocol.Transaction {
			return w.pay("rich", "bob", 1, func(o *protocol.Object) { o.SetAccountID(protocol.FieldDestination, protocol.AccountID{}) })
		}, protocol.TemDST_NEEDED},
		{"to self", func(w *world) *protocol.Transaction { return w.pay("rich", "rich", 1) }, protocol.TemREDUNDANT},
		{"send max", func(w *world) *protocol.Transaction {
			return w.pay("rich", "bob", 5, setDrops(protocol.FieldSendMax, 6))
		}, protocol.TemBAD_SEND_XRP_MAX},
		{"partial", func(w *world) *protocol.Transaction {
			return w.pay("rich", "bob", 5, set32(protocol.FieldFlags, protocol.TfPartialPayment))
		}, protocol.TemBAD_SEND_XRP_PARTIAL},
		{"limit quality", func(w *world) *protocol.Transaction {
			return w.pay("rich", "bob", 5, set32(protocol.FieldFlags, protocol.TfLimitQuality))
		}, protocol.TemBAD_SEND_XRP_LIMIT},
		{"no direct", func(w *world) *protocol.Transaction {
			return w.pay("rich", "bob", 5, set32(protocol.FieldFlags, protocol.TfNoRippleDirect))
		}, protocol.TemBAD_SEND_XRP_NO_DIRECT},
		{"deliver min alone", func(w *world) *protocol.Transaction {
			return w.pay("rich", "bob", 5, setDrops(protocol.FieldDeliverMin, 1))
		}, protocol.TemBAD_AMOUNT},
		{"issued", func(w *world) *protocol.Transaction {
			return w.pay("rich", "bob", 5, issued(protocol.FieldAmount, w))
		}, protocol.TemDISABLED},
		{"wrong prior", func(w *world) *protocol.Transaction {
			return w.pay("rich", "bob", 5, setHash(protocol.FieldAccountTxnID, protocol.Hash{1}))
		}, protocol.TefWRONG_PRIOR},
		{"ticket from the future", func(w *world) *protocol.Transaction {
			return w.pay("rich", "bob", 5, set32(protocol.FieldSequence, 0), set32(protocol.FieldTicketSequence, 9))
		}, protocol.TerPRE_TICKET},
		{"ticket that never was", func(w *world) *protocol.Transaction {
			return w.pay("rich", "bob", 5, set32(protocol.FieldSequence, 0), set32(protocol.FieldTicketSequence, 0))
		}, protocol.TefNO_TICKET},
		{"ticket and sequence", func(w *world) *protocol.Transaction {
			return w.pay("rich", "bob", 5, set32(protocol.FieldTicketSequence, 9))
		}, protocol.TemSEQ_AND_TICKET},
		{"ticket and prior", func(w *world) *protocol.Transaction {
			return w.pay("rich", "bob", 5, set32(protocol.FieldSequence, 0), set32(protocol.FieldTicketSequence, 9),
				setHash(protocol.FieldAccountTxnID, protocol.Hash{1}))
		}, protocol.TemINVALID},
		{"unknown type", func(w *world) *protocol.Transaction { return w.sign("rich", protocol.TxEscrowCreate) }, protocol.TemUNKNOWN},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, Options{SignatureGood: goodSignature})
			before := w.view.TxCount()
			r := w.apply(c.tx(w), 0)
			if r.TER != c.want {
				t.Fatalf("%s, want %s", r.TER, c.want)
			}
			if applied := c.want.IsTes() || c.want.IsTec(); r.Applied != applied || (w.view.TxCount() > before) != applied {
				t.Errorf("applied %v, want %v", r.Applied, applied)
			}
			if r.Meta != nil {
				t.Error("an open ledger gave metadata")
			}
		})
	}
}

// TestNetworkCodes: above 1024 the network id is required and must be ours (A01).
func TestNetworkCodes(t *testing.T) {
	for _, c := range []struct {
		network uint32
		edits   []edit
		want    protocol.TER
	}{
		{0, nil, protocol.TesSUCCESS},
		{1024, nil, protocol.TesSUCCESS},
		{1024, []edit{set32(protocol.FieldNetworkID, 1024)}, protocol.TelNETWORK_ID_MAKES_TX_NON_CANONICAL},
		{1025, nil, protocol.TelREQUIRES_NETWORK_ID},
		{1025, []edit{set32(protocol.FieldNetworkID, 1026)}, protocol.TelWRONG_NETWORK},
		{1025, []edit{set32(protocol.FieldNetworkID, 1025)}, protocol.TesSUCCESS},
		{65535, []edit{set32(protocol.FieldNetworkID, 65535)}, protocol.TesSUCCESS},
	} {
		w := newWorld(t, Options{NetworkID: c.network})
		if r := w.apply(w.pay("rich", "bob", 1, c.edits...), 0); r.TER != c.want {
			t.Errorf("network %d: %s, want %s", c.network, r.TER, c.want)
		}
	}
}

// TestClosedFeeCodes: a closed ledger takes what there is for the fee.
func TestClosedFeeCodes(t *testing.T) {
	w := newWorld(t, Options{})
	w.closed()
	r := w.apply(w.pay("spent", "bob", 1, setDrops(protocol.FieldFee, 50)), 0)
	if r.TER != protocol.TecINSUFF_FEE || !r.Applied || r.Fee != 20 {
		t.Fatalf("%+v", r)
	}
	if b := w.root("spent").Balance; b != 0 {
		t.Errorf("%d drops left", b)
	}
	if r := w.apply(w.pay("spent", "bob", 1, set32(protocol.FieldSequence, 2)), 0); r.TER != protocol.TerINSUF_FEE_B || r.Applied {
		t.Errorf("empty account: %+v", r)
	}
	if r := w.apply(w.pay("spent", "bob", 1), Retry); r.TER != protocol.TefPAST_SEQ {
		t.Errorf("%+v", r)
	}
}

// TestTecFlags: with retry a tec has no effect, with fail-hard neither, else it
// claims fee and sequence and nothing more.
func TestTecFlags(t *testing.T) {
	for _, flags := range []Flags{Retry, FailHard, Retry | FailHard} {
		w := newWorld(t, Options{})
		w.closed()
		if r := w.apply(w.pay("rich", "bob", 100_000*xrp), flags); r.TER != protocol.TecUNFUNDED_PAYMENT || r.Applied {
			t.Errorf("flags %d: %+v", flags, r)
		}
		if w.view.TxCount() != 0 || w.view.Changed() != 0 {
			t.Errorf("flags %d: something was kept", flags)
		}
	}
	w := newWorld(t, Options{})
	w.closed()
	drops := w.view.Header().Drops
	r := w.apply(w.pay("rich", "bob", 100_000*xrp), 0)
	if !r.Applied || r.Fee != 10 || w.root("rich").Balance != 100_000*xrp-10 || w.root("rich").Sequence != 2 {
		t.Errorf("%+v, %+v", r, w.root("rich"))
	}
	if w.root("bob").Balance != 1000*xrp || drops-w.view.Header().Drops != 10 {
		t.Error("more than the fee was taken")
	}
	m, err := protocol.ParseMetadata(r.Meta)
	if err != nil || m.Result != protocol.TecUNFUNDED_PAYMENT || len(m.Nodes) != 1 {
		t.Errorf("metadata %+v, %v", m, err)
	}
	if again := w.apply(w.pay("rich", "bob", 100_000*xrp), 0); again.TER != protocol.TefPAST_SEQ {
		t.Errorf("again: %s", again.TER)
	}
}

// TestAccountSetCodes has a row for each fault of AccountSet and for what it keeps.
func TestAccountSetCodes(t *testing.T) {
	blob := func(f protocol.Field, n int) edit {
		return func(o *protocol.Object) { o.SetBlob(f, make([]byte, n)) }
	}
	set, clear := protocol.FieldSetFlag, protocol.FieldClearFlag
	for _, c := range []struct {
		name  string
		edits []edit
		want  protocol.TER
	}{
		{"nothing", nil, protocol.TesSUCCESS},
		{"set and clear", []edit{set32(set, 3), set32(clear, 3)}, protocol.TemINVALID_FLAG},
		{"tf against asf", []edit{set32(protocol.FieldFlags, protocol.TfRequireDestTag), set32(clear, protocol.AsfRequireDest)}, protocol.TemINVALID_FLAG},
		{"tf against tf", []edit{set32(protocol.FieldFlags, protocol.TfRequireAuth|protocol.TfOptionalAuth)}, protocol.TemINVALID_FLAG},
		{"unknown flag", []edit{set32(protocol.FieldFlags, 0x400000)}, protocol.TemINVALID_FLAG},
		{"rate low", []edit{set32(protocol.FieldTransferRate, 999_999_999)}, protocol.TemBAD_TRANSFER_RATE},
		{"rate high", []edit{set32(protocol.FieldTransferRate, 2_000_000_001)}, protocol.TemBAD_TRANSFER_RATE},
		{"rate", []edit{set32(protocol.FieldTransferRate, 2_000_000_000)}, protocol.TesSUCCESS},
		{"tick low", []edit{func(o *protocol.Object) { o.SetUint8(protocol.FieldTickSize, 2) }}, protocol.TemBAD_TICK_SIZE},
		{"tick high", []edit{func(o *protocol.Object) { o.SetUint8(protocol.FieldTickSize, 17) }}, protocol.TemBAD_TICK_SIZE},
		{"message key", []edit{blob(protocol.FieldMessageKey, 33)}, protocol.TelBAD_PUBLIC_KEY},
		{"message key cleared", []edit{blob(protocol.FieldMessageKey, 0)}, protocol.TesSUCCESS},
		{"domain long", []edit{blob(protocol.FieldDomain, 257)}, protocol.TelBAD_DOMAIN},
		{"domain", []edit{blob(protocol.FieldDomain, 256)}, protocol.TesSUCCESS},
		{"no other key", []edit{set32(set, protocol.AsfDisableMaster)}, protocol.TecNO_ALTERNATIVE_KEY},
	} {
		w := newWorld(t, Options{})
		if r := w.apply(w.sign("rich", protocol.TxAccountSet, c.edits...), 0); r.TER != c.want {
			t.Errorf("%s: %s, want %s", c.name, r.TER, c.want)
		}
	}
}

// TestKeys: regular key, disabled master, and the way back.
func TestKeys(t *testing.T) {
	w := newWorld(t, Options{SignatureGood: goodSignature})
	seq := uint32(0)
	next := func() edit { seq++; return set32(protocol.FieldSequence, seq) }
	step := func(x *protocol.Transaction, want protocol.TER) {
		t.Helper()
		if r := w.apply(x, 0); r.TER != want {
			t.Fatalf("%s, want %s", r.TER, want)
		} else if !r.Applied {
			seq--
		}
	}
	other := func(o *protocol.Object) { o.SetAccountID(protocol.FieldRegularKey, w.id("other")) }
	pay := []edit{setDrops(protocol.FieldAmount, 1), func(o *protocol.Object) { o.SetAccountID(protocol.FieldDestination, w.id("bob")) }}
	step(w.signAs("other", "rich", protocol.TxPayment, append(pay, next())...), protocol.TefBAD_AUTH)
	step(w.sign("rich", protocol.TxSetRegularKey, other, next(), setDrops(protocol.FieldFee, 0)), protocol.TesSUCCESS)
	if w.root("rich").Flags&protocol.LsfPasswordSpent == 0 {
		t.Error("the free change was not marked")
	}
	step(w.sign("rich", protocol.TxSetRegularKey, other, next(), setDrops(protocol.FieldFee, 0)), protocol.TelINSUF_FEE_P)
	step(w.signAs("other", "rich", protocol.TxPayment, append(pay, next())...), protocol.TesSUCCESS)
	step(w.signAs("other", "rich", protocol.TxAccountSet, set32(protocol.FieldSetFlag, protocol.AsfDisableMaster), next()), protocol.TecNEED_MASTER_KEY)
	step(w.sign("rich", protocol.TxAccountSet, set32(protocol.FieldSetFlag, protocol.AsfDisableMaster), next()), protocol.TesSUCCESS)
	step(w.sign("rich", protocol.TxPayment, append(pay, next())...), protocol.TefMASTER_DISABLED)
	step(w.signAs("other", "rich", protocol.TxSetRegularKey, next()), protocol.TecNO_ALTERNATIVE_KEY)
	step(w.signAs("other", "rich", protocol.TxAccountSet, set32(protocol.FieldClearFlag, protocol.AsfDisableMaster), next()), protocol.TesSUCCESS)
	step(w.sign("rich", protocol.TxPayment, append(pay, next())...), protocol.TesSUCCESS)
}
