package peer

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"fmt"
	"math/big"
	"time"
)

// A node key may be of a curve that TLS does not know, so the certificate has a fresh ed25519 key and an extension
// that holds the node key and its signature over the certificate's key. TLS proves the certificate's key, the
// signature ties it to the node key, and the node key is what the peer list pins.
var (
	oidNodeKey  = asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 32473, 26, 1} // 32473: documentation use, RFC 5612
	proofPrefix = []byte("ledgerlab peer certificate 1\x00")
)

type nodeKeyExtension struct {
	NodeKey   []byte
	Signature []byte
}

type certificate struct{ tls tls.Certificate }

func newCertificate(id Identity) (certificate, error) {
	pub, priv, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return certificate{}, err
	}
	ext, err := asn1.Marshal(nodeKeyExtension{id.Key[:], id.Sign(proofMessage(pub))})
	if err != nil {
		return certificate{}, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: id.Key.String()},
		// The pin decides, not the calendar: a node with a wrong clock must still find its peers.
		NotBefore: time.Unix(0, 0), NotAfter: time.Unix(253402300799, 0),
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth},
		ExtraExtensions: []pkix.Extension{{Id: oidNodeKey, Value: ext}},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, pub, priv)
	if err != nil {
		return certificate{}, err
	}
	return certificate{tls.Certificate{Certificate: [][]byte{der}, PrivateKey: priv}}, nil
}

func proofMessage(pub ed25519.PublicKey) []byte {
	return append(append([]byte(nil), proofPrefix...), pub...)
}

func (c certificate) base() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{c.tls}, SessionTicketsDisabled: true,
		NextProtos: []string{"h2"},
	}
}

func (c certificate) server(known func(Key) bool, verify func(pub, msg, sig []byte) bool) *tls.Config {
	cfg := c.base()
	cfg.ClientAuth = tls.RequireAnyClientCert
	cfg.VerifyConnection = func(cs tls.ConnectionState) error {
		k, err := provenKey(cs, verify)
		if err == nil && !known(k) {
			err = fmt.Errorf("key %s is not in the peer list", k)
		}
		return err
	}
	return cfg
}

func (c certificate) client(want Key, verify func(pub, msg, sig []byte) bool) *tls.Config {
	cfg := c.base()
	cfg.InsecureSkipVerify = true // names and authorities mean nothing here; VerifyConnection checks the pin
	cfg.VerifyConnection = func(cs tls.ConnectionState) error {
		k, err := provenKey(cs, verify)
		if err == nil && k != want {
			err = fmt.Errorf("peer holds key %s, the list says %s", k, want)
		}
		return err
	}
	return cfg
}

// provenKey checks the one certificate of a connection and returns its node key.
func provenKey(cs tls.ConnectionState, verify func(pub, msg, sig []byte) bool) (Key, error) {
	if len(cs.PeerCertificates) != 1 {
		return Key{}, fmt.Errorf("%d certificates, want 1", len(cs.PeerCertificates))
	}
	cert := cs.PeerCertificates[0]
	pub, ok := cert.PublicKey.(ed25519.PublicKey)
	if !ok {
		return Key{}, errors.New("certificate key is not ed25519")
	}
	ext, err := extensionOf(cert)
	if err != nil {
		return Key{}, err
	}
	if !verify(ext.NodeKey, proofMessage(pub), ext.Signature) {
		return Key{}, errors.New("certificate is not signed by its node key")
	}
	return Key(ext.NodeKey), nil
}

func claimedKey(cert *x509.Certificate) (Key, error) {
	ext, err := extensionOf(cert)
	if err != nil {
		return Key{}, err
	}
	return Key(ext.NodeKey), nil
}

func extensionOf(cert *x509.Certificate) (nodeKeyExtension, error) {
	for _, e := range cert.Extensions {
		if !e.Id.Equal(oidNodeKey) {
			continue
		}
		var ext nodeKeyExtension
		rest, err := asn1.Unmarshal(e.Value, &ext)
		if err != nil || len(rest) != 0 || len(ext.NodeKey) != len(Key{}) {
			return ext, errors.New("certificate has a malformed node key")
		}
		return ext, nil
	}
	return nodeKeyExtension{}, errors.New("certificate has no node key")
}
