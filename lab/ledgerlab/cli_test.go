package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/spf13/cobra"
)

// cli runs one command line in this process.
func cli(t *testing.T, args ...string) (code int, out, errOut string) {
	t.Helper()
	var o, e bytes.Buffer
	code = execute(t.Context(), args, &o, &e)
	return code, o.String(), e.String()
}

// TestBadInputIsOneClearLine: nothing is started, the exit code is right, and
// one line says what is wrong.
func TestBadInputIsOneClearLine(t *testing.T) {
	t.Setenv("LEDGERLAB_RUNS", t.TempDir())
	file := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(file, []byte("apiVersion: ledgerlab/v1\nkind: Experiment\nmetadta: {name: x}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	damaged := t.TempDir()
	if err := os.WriteFile(filepath.Join(damaged, "network.json"), []byte(`{"version`), 0o644); err != nil {
		t.Fatal(err)
	}
	blank, binary := filepath.Join(t.TempDir(), "blank.yaml"), filepath.Join(t.TempDir(), "binary.yaml")
	if err := errors.Join(os.WriteFile(blank, []byte("# nothing\n---\n"), 0o644), os.WriteFile(binary, []byte("\x00\x01\x7f\x1b[31m\xff\xfe: {"), 0o644)); err != nil {
		t.Fatal(err)
	}
	fresh := filepath.Join(t.TempDir(), "net")
	t.Setenv("LEDGERLAB_LIBRARIES", t.TempDir()) // no allocator is installed there
	for _, c := range []struct {
		args string
		code int
		want string
	}{
		{"rnu", 64, `unknown command "rnu" (did you mean "run"?)`},
		{"run", 64, "give an experiment, or --resume DIR"},
		{"run trim-after-swep", 64, `did you mean "trim-after-sweep"?`},
		{"run trim-after-sweep --profil quick", 64, "did you mean --profile?"},
		{"run trim-after-sweep --profile quik", 65, `did you mean "quick"?`},
		{"run trim-after-sweep --quick --profile full", 64, "contradict"},
		{"run trim-after-sweep --set trim.tigger=sweep", 65, `did you mean "trim.trigger"?`},
		{"run trim-after-sweep --set cache.sweep_interval=fast", 65, "duration"},
		{"run trim-after-sweep --set load.rate", 64, "is not KEY=VALUE"},
		{"run trim-after-sweep --set load.rate=1 --set load.rate=2", 64, "given twice"},
		{"run trim-after-sweep --blocks -1", 64, "at least 1"},
		{"run trim-after-sweep --blocks x", 64, "invalid argument"},
		{"run trim-after-sweep --quick --blocks 2", 75, "cannot decide"},
		{"run a b", 64, `run: unexpected argument "b"; usage: ledgerlab run EXPERIMENT|FILE.yaml`},
		{"run " + file, 65, "mine.yaml:3:1: unknown key \"metadta\" (did you mean \"metadata\"?)"},
		{"run nothing.yaml", 65, "no such file"},
		{"run --resume nowhere", 64, "no such file"},
		{"run --resume " + filepath.Dir(file), 64, "is not a results folder"},
		{"plan trim-after-swep", 64, "did you mean"},
		{"judge nowhere", 64, "no such file"},
		{"judge " + filepath.Dir(file), 64, "is not a results folder"},
		{"report nowhere", 64, "no such file"},
		{"compare nowhere", 64, "compare: DIR is missing; usage: ledgerlab compare DIR DIR"},
		{"calibrate", 64, "no campaign below"},
		{"calibrate --draws 3", 64, "at least 100"},
		{"list experimets", 64, `did you mean "experiments"?`},
		{"list", 64, "list: experiments|metrics is missing"},
		{"flags trm", 64, "no flag begins with"},
		{"status --dir nowhere", 64, "there is no network in nowhere"},
		{"down --dir nowhere", 64, "there is no network in nowhere"},
		{"kill --dir nowhere", 64, "--node is missing"},
		{"restart --dir nowhere --node 1", 64, "there is no network in nowhere"},
		{"set trim.tigger=sweep", 64, `did you mean "trim.trigger"?`},
		{"set trim.trigger", 64, "is not KEY=VALUE"},
		{"set", 64, "set: KEY=VALUE... is missing"},
		{"trim --pad lots", 64, "--pad"},
		{"working-set --every 1s --for 10ms", 64, "--every"},
		{"working-set --pid 1 --node n0", 64, "--pid"},
		{"working-set --dir nowhere", 64, "there is no network in nowhere"},
		{"memory check", 64, "RECORDS... is missing"},
		{"memory check nothing.jsonl", 64, "no such file"},
		{"memory check --limit much " + file, 64, "--limit"},
		{"memory check " + file, 65, "mine.yaml"},
		{"trim --method mallok", 64, "--method"},
		{"events --kinds sweeps", 64, `did you mean "sweep"?`},
		{"memory --dir nowhere", 64, "there is no network in nowhere"},
		{"load", 64, "ledgerlab load run --help"},
		{"load run --dir nowhere", 64, "there is no network in nowhere"},
		{"load run --for 0s", 64, "--for 0s"},
		{"up --nodes 0", 64, "0 nodes"},
		{"up --nodes 3 --standalone", 64, "--standalone has one node"},
		{"up --rate -1", 64, "cannot be negative"},
		{"up --set trim.tigger=sweep", 64, "trim.trigger"},
		{"up --base-port 70000", 64, "base port 70000"},
		{"node", 64, "--config FILE is missing"},
		{"node --config nowhere", 65, "no such file"},
		{"state", 64, "ledgerlab state make --help"},
		{"state make --accounts 1", 64, "from 2 to"},
		{"state make --accounts 10 --out " + filepath.Dir(file), 64, "is not empty"},
		{"verify nowhere", 64, "no such file"},
		{"check", 64, "DIR is missing"},
		{"check nowhere", 64, "no such file"},
		{"check " + file, 64, "is a file"},
		{"check " + damaged, 64, "no store"},
		{"check --named 0 " + damaged, 64, "--named 0"},
		{"fault --dir nowhere", 64, "say which"},
		{"fault --loss 2 --dir nowhere", 64, "--loss"},
		{"waits --dir nowhere", 64, "there is no network in nowhere"},
		{"status --jsn", 64, "did you mean --json?"},
		{"run trim-after-sweep --blocks 0", 64, "--blocks 0: at least 1"},
		{"plan trim-after-sweep --blocks 0", 64, "--blocks 0: at least 1"},
		{"run trim-after-sweep --blocks abc", 64, `--blocks: invalid argument "abc"; allowed: a whole number; see ledgerlab run --help`},
		{"run trim-after-sweep --seed -1", 64, `--seed: invalid argument "-1"; allowed: a whole number from 0`},
		{"run trim-after-sweep --resume nowhere", 64, "exclude each other"},
		{"run trim-after-sweep --quick --out " + file, 64, "not a directory"},
		{"run trim-after-sweep --quick --out /proc/nope", 64, "/proc/nope"},
		{"judge " + file, 64, "is not a results folder"},
		{"compare " + file + " " + file, 64, "is not a results folder"},
		{"status --timeout x", 64, "allowed: a duration such as 30s"},
		{"state make --accounts x", 64, "see ledgerlab state make --help"},
		{"state make --accounts 10 --out " + file, 64, "not a directory"},
		{"verify --lanes -3 " + file, 64, "--lanes -3"},
		{"verify --queue-expected -1 " + file, 64, "from 0"},
		{"up --nodes -1", 64, "--nodes -1"},
		{"up --rate NaN", 64, "--rate NaN: from 0 to 1e+06"},
		{"up --reads Inf", 64, "--reads +Inf"},
		{"up --accounts -4", 64, "--accounts -4: 0, or from 5 to"},
		{"up --accounts 3", 64, "--accounts 3: 0, or from 5 to"},
		{"up --dir " + file + " --accounts 0", 64, "not a directory"},
		{"load run --rate NaN", 64, "--rate NaN"},
		{"load run --rate 1e12", 64, "--rate 1e+12: from 0 to 1e+06"},
		{"load run --held -1", 64, "--held -1"},
		{"load run --accounts 1", 64, "--accounts 1 from 2"},
		{"set jobs.workers=7", 64, "takes effect only at start"},
		{"events --count -1", 64, "--count -1"},
		{"status --dir " + damaged, 65, "network.json is damaged"},
		{"up --accounts 0 --dir " + damaged, 65, "network.json is damaged"},
		{"--versoin", 64, "unknown flag: --versoin (did you mean --version?); see ledgerlab --help"},
		{"load rnu", 64, `load: unknown command "rnu" (did you mean "run"?); ledgerlab load --help`},
		{"state mkae", 64, `state: unknown command "mkae" (did you mean "make"?)`},
		{"load run x", 64, `load run: unexpected argument "x"; usage: ledgerlab load run`},
		{"status x", 64, `status: unexpected argument "x"`},
		{"node x", 64, `node: unexpected argument "x"`},
		{"judge", 64, "judge: DIR is missing"},
		{"plan", 64, "plan: EXPERIMENT|FILE.yaml is missing"},
		{"verify", 64, "verify: CHAIN... is missing"},
		{"inspect", 64, "inspect: FILE... is missing"},
		{"plan " + blank, 65, "blank.yaml: is empty"},
		{"run " + blank, 65, "blank.yaml: is empty"},
		{"node --config " + blank, 65, "blank.yaml: is empty"},
		{"verify " + os.DevNull, 65, "no ledger with its full state"},
		{"inspect " + os.DevNull, 65, "is empty"},
		{"inspect " + file, 65, "offset 0"},
		{"verify " + file, 65, "line 1 is no record of a chain"},
		{"plan " + binary, 65, "binary.yaml"},
		{"node --config " + binary, 65, "binary.yaml"},
		{"node --config " + damaged, 65, "is a directory"},
		{"verify " + damaged, 65, "is a directory"},
		{"inspect " + damaged, 65, "is a directory"},
		{"up --set heap.allocator=jemalloc --accounts 0 --dir " + fresh, 75, "libjemalloc.so.2 is not installed"},
		{"up --set heap.allocator=hoard --accounts 0 --dir " + fresh, 64, "heap.allocator"},
		{"run allocator --quick", 75, "install it with: apt-get install -y libjemalloc2"},
		{"run allocator --quick --force", 75, "install it with: apt-get install -y libjemalloc2"},
		{"restart --node 0 --set heap.allocator=mimalloc --dir " + fresh, 75, "libmimalloc"},
		{"restart --node 0 --set heap.allocator=hoard --dir " + fresh, 64, "heap.allocator"},
	} {
		code, out, errOut := cli(t, strings.Fields(c.args)...)
		lines := strings.Split(strings.TrimSpace(errOut), "\n")
		last := lines[len(lines)-1]
		if code != c.code || !strings.Contains(errOut, c.want) {
			t.Errorf("%s: exit %d, want %d\n  said: %s\n  want: %s", c.args, code, c.code, errOut, c.want)
		}
		if out != "" || !strings.HasPrefix(last, "ledgerlab: ") || strings.Contains(errOut, "goroutine ") || strings.Count(errOut, "ledgerlab: ") != 1 {
			t.Errorf("%s: stdout %q, stderr %q", c.args, out, errOut)
		}
		if strings.ContainsFunc(errOut, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }) {
			t.Errorf("%s: unprintable characters in %q", c.args, errOut)
		}
	}
	if _, err := os.Stat(fresh); err == nil {
		t.Error("a refused network left a folder")
	}
}

// TestEveryVerbHasHelpWithAnExample walks the whole command tree.
func TestEveryVerbHasHelpWithAnExample(t *testing.T) {
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		if c.Name() == "help" || c.Name() == "completion" {
			return
		}
		if c.Example == "" || c.Short == "" {
			t.Errorf("%s has no example or no description", c.CommandPath())
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	a := &app{out: &bytes.Buffer{}, err: &bytes.Buffer{}}
	root := a.root()
	walk(root)
	code, out, _ := cli(t, "run", "--help")
	if code != 0 || !strings.Contains(out, "Examples:") {
		t.Errorf("run --help: %d %s", code, out)
	}
}

func TestListsAreMachineReadable(t *testing.T) {
	_, out, _ := cli(t, "list", "experiments", "--json")
	var list []struct {
		Name, Question, Seed string
		Arms                 []string
	}
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		t.Fatal(err)
	}
	found := false
	for _, e := range list {
		found = found || e.Name == "trim-after-sweep" && len(e.Arms) == 3 && e.Seed == "S1" && strings.HasSuffix(e.Question, "?")
	}
	if !found {
		t.Errorf("%+v", list)
	}
	for _, args := range [][]string{{"list", "metrics", "--json"}, {"flags", "--json"}, {"plan", "trim-after-sweep", "--quick", "--json"}} {
		if _, out, _ := cli(t, args...); !json.Valid([]byte(out)) {
			t.Errorf("%v: not JSON: %.200s", args, out)
		}
	}
}

// TestEmbeddedExperimentsFitTheirPlans: every profile of every experiment
// resolves, and can decide.
func TestEmbeddedExperimentsFitTheirPlans(t *testing.T) {
	_, out, _ := cli(t, "list", "experiments", "--json")
	var list []struct{ Name string }
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		for _, profile := range []string{"", "--quick"} {
			args := strings.Fields("plan " + e.Name + " --json " + profile)
			_, out, errOut := cli(t, args...)
			var p struct {
				Metrics []struct {
					Role    string
					Reaches bool
				}
			}
			if err := json.Unmarshal([]byte(out), &p); err != nil {
				t.Errorf("%v: %v %s", args, err, errOut)
				continue
			}
			for _, m := range p.Metrics {
				if m.Role == "primary" && !m.Reaches {
					t.Errorf("%v: its primary is out of reach", args)
				}
			}
		}
	}
}
