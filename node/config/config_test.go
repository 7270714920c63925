package config

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const sample = `
name: n0
network_id: 21000
role: validator
listen:
  peer: 127.0.0.1:51235
  control: 127.0.0.1:50051
  web: 127.0.0.1:8080
node_key: sn3nxiW7v8KXzPzAqzyHXbSSKNuN9
data_dir: /tmp/x
peers:
  - {name: n1, address: "127.0.0.1:51236", public_key: n9KorY8QtTdRx7TVDpwnG9NvyxsDwHUKUEeDLY3AkiGncVaSXZi5}
validators: [n9KorY8QtTdRx7TVDpwnG9NvyxsDwHUKUEeDLY3AkiGncVaSXZi5]
flags:
  trim.trigger: sweep,rotate_clear
  trim.pad: 256KiB
  open.batch_interval: 100ms
  cache.expire_all: on
  fee.initial: 500
limits: {deadline: 5s}
`

func TestParseRoundTrip(t *testing.T) {
	c, err := Parse("node.yaml", []byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	if c.NetworkID != 21000 || c.Flags["fee.initial"] != "500" || c.Limits.Deadline != 5e9 || c.Limits.Streams != 256 {
		t.Fatalf("read %+v", c)
	}
	text, err := c.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse("again.yaml", text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if d := cmp.Diff(c, again); d != "" {
		t.Fatal(d)
	}
}

func TestParseFaults(t *testing.T) {
	tests := []struct{ name, old, new, want string }{
		{"misspelt key", "network_id:", "netwrok_id:", `node.yaml:3:1: unknown key "netwrok_id" (did you mean "network_id"?); allowed here: name, network_id`},
		{"misspelt inner key", "  web:", "  wbe:", `node.yaml:8:3: unknown key "listen.wbe" (did you mean "web"?)`},
		{"key twice", "role: validator", "name: b", `node.yaml:4:1: mapping key "name" already defined at [2:1]`},
		{"type", "network_id: 21000", "network_id: lots", `node.yaml:3:13: `},
		{"overflow", "network_id: 21000", "network_id: 99999999999", `node.yaml:3:13: `},
		{"role", "role: validator", "role: validatr", `node.yaml:4:7: role: "validatr" is not allowed; allowed: validator, client (did you mean "validator"?)`},
		{"web not loopback", "web: 127.0.0.1", "web: 0.0.0.0", `node.yaml:8:8: listen.web: "0.0.0.0:8080" is not a loopback address`},
		{"flag name", "trim.pad:", "trim.pda:", `node.yaml:16:13: flags.trim.pda: unknown flag "trim.pda" (did you mean "trim.pad"?)`},
		{"flag value", "256KiB", "lots", `node.yaml:16:13: flags.trim.pad: flag trim.pad: value "lots" is not allowed; allowed: a size`},
		{"flag word", "sweep,rotate_clear", "sweeep", `value "sweeep" is not allowed`},
		{"missing", "data_dir: /tmp/x", "", `node.yaml: data_dir: is missing`},
		{"syntax", "listen:", "listen: [", `node.yaml:`},
		{"duration", "deadline: 5s", "deadline: 5 apples", `node.yaml:20:20: limits.deadline: "5 apples" is not a duration`},
		{"two documents", "limits:", "---\nlimits:", `more than one document`},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			in := strings.Replace(sample, tc.old, tc.new, 1)
			if in == sample {
				t.Fatal("nothing replaced")
			}
			_, err := Parse("node.yaml", []byte(in))
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("got  %v\nwant %s", err, tc.want)
			}
			for _, line := range strings.Split(err.Error(), "\n") {
				if !strings.HasPrefix(line, "node.yaml") {
					t.Errorf("line without file: %q", line)
				}
			}
		})
	}
}

// TestDecodeOfMalformedFilesIsAFault: whatever the YAML library does with a
// malformed document, panics included, is one short line that names the file.
func TestDecodeOfMalformedFilesIsAFault(t *testing.T) {
	type arm struct {
		Flags map[string]string `yaml:"flags"`
	}
	type file struct {
		Arms  []arm         `yaml:"arms"`
		Name  string        `yaml:"name"`
		Pause time.Duration `yaml:"pause"`
	}
	for _, in := range []string{
		"arms: !00000000 ", "arms: !00000000 \n", "name: !x", "pause: !x ", "arms: !!int ", "arms:\n- !x ", "arms: [!x ]", "!x ",
		"arms: &a ", "arms: *a", "name: *a", "arms: {", "arms: [", "name: \"", "? ", "- ", "<<: *a", "arms:\n- flags: !x ", "pause: [1]", "pause: ",
		strings.Repeat("\x01\xff", 2000), strings.Repeat("ab", 5000), strings.Repeat("[", 3000), strings.Repeat("- ", 3000),
	} {
		var dst file
		_, err := Decode("mine.yaml", []byte(in), &dst)
		if err == nil {
			continue // some of them are allowed to mean nothing
		}
		for _, line := range strings.Split(err.Error(), "\n") {
			if !strings.HasPrefix(line, "mine.yaml") || len(line) > 600 {
				t.Errorf("%.40q: %.700s", in, line)
			}
		}
		for _, e := range splitErrors(err) {
			var f *Fault
			if !errors.As(e, &f) {
				t.Errorf("%.40q: %T is no Fault", in, e)
			}
		}
	}
	var dst file
	if _, err := Decode("mine.yaml", []byte("arms: !00000000 "), &dst); err == nil {
		t.Error("a tag without a value is accepted")
	}
}

func TestParseReturnsAllFaults(t *testing.T) {
	_, err := Parse("f", []byte("role: x\nlimits: {streams: 0, requests: 0}\n"))
	if n := len(splitErrors(err)); n < 6 {
		t.Fatalf("%d faults: %v", n, err)
	}
}

func TestFlagTable(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range Flags() {
		if seen[f.Name] {
			t.Errorf("%s is listed twice", f.Name)
		}
		seen[f.Name] = true
		if f.Doc == "" || !strings.HasSuffix(f.Doc, ".") || f.Component == "" || f.Source == "" || !strings.Contains(f.Name, ".") {
			t.Errorf("%s lacks documentation, component, source or group", f.Name)
		}
		v, err := f.Parse(f.Default)
		if err != nil {
			t.Errorf("default: %v", err)
			continue
		}
		again, err := f.Parse(v.String())
		if err != nil || cmp.Diff(v, again, cmp.AllowUnexported(Value{})) != "" {
			t.Errorf("%s: %q does not parse back: %v", f.Name, v, err)
		}
		if f.Default != v.String() {
			t.Errorf("%s: default %q is not written as %q", f.Name, f.Default, v)
		}
		if _, err := f.Parse("§"); err == nil {
			t.Errorf("%s accepts nonsense", f.Name)
		}
	}
}

func TestFlagValues(t *testing.T) {
	tests := []struct{ key, in, want string }{
		{"trim.trigger", "rotate_clear, sweep", "sweep,rotate_clear"},
		{"trim.trigger", "none", "none"},
		{"trim.trigger", "none,sweep", ""},
		{"trim.policy", "freed(64MiB)", "freed(64MiB)"},
		{"trim.policy", "backoff(10s, 2)", "backoff(10s,2)"},
		{"trim.policy", "retained(0.25)", "retained(25%)"},
		{"trim.policy", "every(0)", ""},
		{"trim.policy", "every(1.5)", ""},
		{"trim.policy", "every", ""},
		{"heap.top_pad", "default", "default"},
		{"heap.top_pad", "131072", "128KiB"},
		{"heap.top_pad", "-1", ""},
		{"trim.pad", "default", ""},
		{"relay.queue_limit", "99", ""},
		{"relay.queue_limit", "1000", "1000"},
		{"relay.queue_limit", "1e3", ""},
		{"fee.growth", "0.2", "20%"},
		{"fee.growth", "NaN", ""},
		{"open.batch_interval", "100", ""},
		{"cache.expire_all", "true", "on"},
		{"go.memlimit", "99999999999GiB", ""},
	}
	for _, tc := range tests {
		f, err := Lookup(tc.key)
		if err != nil {
			t.Fatal(err)
		}
		v, err := f.Parse(tc.in)
		var ve *ValueError
		if tc.want == "" && !errors.As(err, &ve) || tc.want != "" && (err != nil || v.String() != tc.want) {
			t.Errorf("%s=%s: got %q, %v; want %q", tc.key, tc.in, v.text, err, tc.want)
		}
	}
	if CheckFlag("store.online_delete", "7") == nil || CheckFlag("store.online_delete", "0") != nil {
		t.Error("floor of store.online_delete")
	}
}

func TestRegistry(t *testing.T) {
	r, err := NewRegistry(map[string]string{"cache.sweep_interval": "3s"})
	if err != nil {
		t.Fatal(err)
	}
	r.SetSequence(func() uint32 { return 77 })
	var got []string
	cancel := r.Subscribe("cache.sweep_interval", func(v Value) { got = append(got, v.String()) })
	var last Change
	defer r.Watch(func(c Change) { last = c })()
	c, err := r.Set("cache.sweep_interval", "4000ms")
	if err != nil || c.Old != "3s" || c.New != "4s" || c.Seq != 77 || last != c {
		t.Fatalf("%+v %+v %v", c, last, err)
	}
	cancel()
	if _, err := r.Set("cache.sweep_interval", "5s"); err != nil || len(got) != 1 {
		t.Fatal(got, err)
	}
	if _, err := r.Set("jobs.workers", "7"); !errors.Is(err, ErrRestart) {
		t.Fatal(err)
	}
	if _, err := r.Set("jobs.workers", "0"); err != nil {
		t.Fatal(err)
	}
	var unknown *UnknownFlagError
	if _, err := r.Set("jobs.worker", "7"); !errors.As(err, &unknown) || unknown.Nearest != "jobs.workers" {
		t.Fatal(err)
	}
	if s := r.Snapshot(); len(s) != len(Flags()) || s["cache.sweep_interval"] != "5s" {
		t.Fatal(s)
	}
	if _, err := NewRegistry(map[string]string{"a.b": "1", "trim.pad": "x"}); len(splitErrors(err)) != 2 {
		t.Fatal(err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte("flags: {trim.policy: every(3)}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if c, err := Parse("f", data); err == nil {
			if _, err := c.Marshal(); err != nil {
				t.Fatal(err)
			}
		}
	})
}
