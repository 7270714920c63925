package config

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"time"
)

// Role says what a node does in its network.
type Role string

// The roles.
const (
	RoleValidator Role = "validator" // proposes and validates
	RoleClient    Role = "client"    // follows and serves reads
)

// Config is everything one node is told at its start. The zero value of a field
// means what its comment says; Default fills the rest.
type Config struct {
	Name       string `yaml:"name"`       // shown in records and metrics; required
	NetworkID  uint32 `yaml:"network_id"` // must equal that of the data folder; above 1024 transactions carry it; default 20100
	Role       Role   `yaml:"role"`       // default validator
	Standalone bool   `yaml:"standalone"` // no peers and no consensus: ledgers close on request

	Listen     Listen   `yaml:"listen"`
	NodeKey    string   `yaml:"node_key"`   // base58 seed (s...) of the node's and validator's key; required
	Peers      []Peer   `yaml:"peers"`      // nodes to keep a connection with
	Validators []string `yaml:"validators"` // trusted validators (UNL) as base58 public keys (n...); default: none

	DataDir string            `yaml:"data_dir"` // folder of store, marker and records; required with store.backend=pebble
	Flags   map[string]string `yaml:"flags"`    // initial flag values by name

	Record Record `yaml:"record"`
	Limits Limits `yaml:"limits"`
	Log    Log    `yaml:"log"`
}

// Listen holds the addresses a node listens on. An empty one is not opened; port
// 0 takes a free one.
type Listen struct {
	Peer    string `yaml:"peer"`    // overlay; required unless standalone
	Control string `yaml:"control"` // gRPC control plane; required
	Web     string `yaml:"web"`     // /metrics, /healthz, /debug/pprof; loopback only
}

// Peer is another node of the network.
type Peer struct {
	Name      string `yaml:"name"`       // for records; default the address
	Address   string `yaml:"address"`    // host:port; required
	PublicKey string `yaml:"public_key"` // pinned node key, base58 (n...); required
}

// Record says where records go.
type Record struct {
	File   string `yaml:"file"`   // JSONL file; default DATADIR/records.jsonl; "-" writes none
	Ring   int    `yaml:"ring"`   // records kept for streams that resume; default 8192
	Buffer int    `yaml:"buffer"` // records that may wait for the file; above it they are dropped and counted; default 16384
}

// Limits bound the control plane.
type Limits struct {
	MessageBytes int           `yaml:"message_bytes"` // largest request or reply; default 8 MiB
	Streams      int           `yaml:"streams"`       // open streams a connection and watchers in all; default 256
	Requests     int           `yaml:"requests"`      // unary calls at work at once; above it a call is refused; default 1024
	Deadline     time.Duration `yaml:"deadline"`      // for unary calls without one; default 30s
}

// Log says what is logged to stderr.
type Log struct {
	Level string `yaml:"level"` // debug, info, warn or error; default info
}

// Default returns a configuration that lacks only what is required.
func Default() Config {
	return Config{
		NetworkID: 20100,
		Role:      RoleValidator,
		Record:    Record{Ring: 8192, Buffer: 16384},
		Limits:    Limits{MessageBytes: 8 << 20, Streams: 256, Requests: 1024, Deadline: 30 * time.Second},
		Log:       Log{Level: "info"},
	}
}

// FieldError is a fault of one field, named by its path in the file.
type FieldError struct {
	Path string
	Msg  string
}

// Error is one line.
func (e *FieldError) Error() string { return e.Path + ": " + e.Msg }

// Validate returns every fault, joined, each a *FieldError.
func (c *Config) Validate() error {
	var faults []error
	bad := func(path, format string, args ...any) {
		faults = append(faults, &FieldError{Path: path, Msg: fmt.Sprintf(format, args...)})
	}
	if c.Name == "" {
		bad("name", "is missing")
	}
	if c.Role != RoleValidator && c.Role != RoleClient {
		bad("role", "%q is not allowed; allowed: validator, client%s", c.Role, hint(string(c.Role), []string{"validator", "client"}))
	}
	if !base58Key(c.NodeKey, 's') {
		bad("node_key", "is missing or no base58 seed; it starts with s")
	}
	if c.DataDir == "" && c.Flags["store.backend"] != "memory" {
		bad("data_dir", "is missing; only store.backend=memory needs none")
	}
	c.validateNetwork(bad)
	c.validateBounds(bad)
	for key, text := range c.Flags {
		if err := CheckFlag(key, text); err != nil {
			bad("flags."+key, "%v", err)
		}
	}
	sortFaults(faults)
	return errors.Join(faults...)
}

func (c *Config) validateNetwork(bad func(path, format string, args ...any)) {
	listen := func(path, addr string, required, loopback bool) {
		host, _, err := net.SplitHostPort(addr)
		switch {
		case addr == "" && required:
			bad(path, "is missing")
		case addr != "" && err != nil:
			bad(path, "%q is not host:port", addr)
		case addr != "" && loopback && !isLoopback(host):
			bad(path, "%q is not a loopback address; profiles and metrics are not served to a network", addr)
		}
	}
	listen("listen.peer", c.Listen.Peer, !c.Standalone, false)
	listen("listen.control", c.Listen.Control, true, false)
	listen("listen.web", c.Listen.Web, false, true)
	seen := map[string]int{}
	for i, p := range c.Peers {
		path := fmt.Sprintf("peers[%d]", i)
		if _, _, err := net.SplitHostPort(p.Address); err != nil {
			bad(path+".address", "%q is not host:port", p.Address)
		}
		if !base58Key(p.PublicKey, 'n') {
			bad(path+".public_key", "is missing or no base58 node key; it starts with n")
		}
		if j, dup := seen[p.PublicKey]; dup {
			bad(path+".public_key", "is the same as that of peers[%d]", j)
		}
		seen[p.PublicKey] = i
	}
	known := map[string]bool{}
	for i, v := range c.Validators {
		path := fmt.Sprintf("validators[%d]", i)
		if !base58Key(v, 'n') {
			bad(path, "%q is no base58 node key; it starts with n", v)
		}
		if known[v] {
			bad(path, "%q is listed twice", v)
		}
		known[v] = true
	}
}

func (c *Config) validateBounds(bad func(path, format string, args ...any)) {
	atLeast := func(path string, n, least int) {
		if n < least {
			bad(path, "%d is too small; at least %d", n, least)
		}
	}
	atLeast("record.ring", c.Record.Ring, 1)
	atLeast("record.buffer", c.Record.Buffer, 1)
	atLeast("limits.message_bytes", c.Limits.MessageBytes, 64<<10)
	atLeast("limits.streams", c.Limits.Streams, 1)
	atLeast("limits.requests", c.Limits.Requests, 1)
	if c.Limits.Deadline <= 0 {
		bad("limits.deadline", "%v is too short; above 0s", c.Limits.Deadline)
	}
	levels := []string{"debug", "info", "warn", "error"}
	for _, l := range levels {
		if c.Log.Level == l {
			return
		}
	}
	bad("log.level", "%q is not allowed; allowed: %s%s", c.Log.Level, strings.Join(levels, ", "), hint(c.Log.Level, levels))
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

const base58Alphabet = "rpshnaf39wBUDNEGHJKLM4PQRST7VWXYZ2bcdeCg65jkm8oFqi1tuvAxyz"

// base58Key checks the shape of an encoded key; its checksum is checked by who uses it.
func base58Key(s string, first byte) bool {
	return len(s) >= 25 && len(s) <= 60 && s[0] == first && strings.Trim(s, base58Alphabet) == ""
}

func hint(got string, known []string) string {
	if near := Suggest(got, known); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	return ""
}
