package network

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"ledgerlab/api"
	"ledgerlab/api/apitest"
	"ledgerlab/node/config"
	"ledgerlab/store"
	"ledgerlab/store/memdb"
)

// The test's own binary plays the node, and the owner of a network, when told to.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 2 && os.Args[1] == "fake-node":
		fakeNode(os.Args[2])
	case len(os.Args) > 2 && os.Args[1] == "fake-owner":
		fakeOwner(os.Args[2])
	default:
		goleak.VerifyTestMain(m)
	}
}

// fakeNode answers Info as a node in step would until it is asked to end.
func fakeNode(path string) {
	cfg, err := config.Load(path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if cfg.Flags["trim.pad"] == "13B" || cfg.Flags["trim.pad"] == "13" {
		fmt.Fprintln(os.Stderr, "first line\nthis node was told to fail")
		os.Exit(3)
	}
	if cfg.Flags["trim.pad"] == "14" { // does not listen to SIGTERM
		signal.Ignore(syscall.SIGTERM)
	}
	n, err := apitest.Serve(&apitest.Fake{OnInfo: func() (api.Info, error) {
		return api.Info{Name: cfg.Name, Mode: "full", ValidatedSeq: uint32(time.Now().UnixMilli() / 500 % 1e8), ValidatedAge: time.Millisecond}, nil
	}}, cfg.Listen.Control, api.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(4)
	}
	ctx, stop := context.WithCancel(context.Background())
	if cfg.Flags["trim.pad"] != "14" {
		ctx, stop = signal.NotifyContext(ctx, syscall.SIGTERM)
	}
	defer stop()
	<-ctx.Done()
	if err := n.Stop(); err != nil {
		os.Exit(5)
	}
}

// fakeOwner owns a network of two until it is killed.
func fakeOwner(dir string) {
	if _, err := Start(context.Background(), Options{Dir: dir, Nodes: Nodes(2), Args: []string{"fake-node"}}); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("up")
	select {}
}

func start(t *testing.T, o Options) *Network {
	t.Helper()
	if o.Dir == "" {
		o.Dir = filepath.Join(t.TempDir(), "net")
	}
	if o.Nodes == nil {
		o.Nodes = Nodes(3)
	}
	if o.Args == nil {
		o.Args = []string{"fake-node"}
	}
	n, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		pids := n.PIDs()
		if err := n.Close(context.Background()); err != nil {
			t.Error(err)
		}
		for _, p := range pids {
			if p != 0 && unix.Kill(p, 0) == nil {
				t.Errorf("process %d is left", p)
			}
		}
	})
	return n
}

func ready(t *testing.T, n *Network) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if err := n.WaitReady(ctx); err != nil {
		t.Fatal(err)
	}
}

func TestLifeOfANetwork(t *testing.T) {
	n := start(t, Options{})
	ready(t, n)
	ctx := t.Context()
	h, err := Attach(n.Dir())
	if err != nil || !h.Up() {
		t.Fatal(h, err)
	}
	for _, s := range h.Status(ctx) {
		if s.Mode != "full" || s.PID == 0 || s.ValidatedSeq == 0 {
			t.Errorf("%+v", s)
		}
	}
	i, err := h.Index("n1")
	if err != nil || i != 1 {
		t.Fatal(i, err)
	}
	if _, err := h.Index("nine"); err == nil || !strings.Contains(err.Error(), "n0, n1, n2") {
		t.Fatal(err)
	}
	before := n.PIDs()[1]
	if err := h.Kill(ctx, 1); err != nil {
		t.Fatal(err)
	}
	if h, err = Attach(n.Dir()); err != nil {
		t.Fatal(err)
	}
	if s := h.Status(ctx)[1]; s.Mode != "down" || s.PID != 0 {
		t.Errorf("%+v", s)
	}
	if err := h.Kill(ctx, 1); err == nil || !strings.Contains(err.Error(), "node n1 is down") {
		t.Error(err)
	}
	if err := h.Restart(ctx, 1, map[string]string{"trim.pad": "1MiB"}); err != nil {
		t.Fatal(err)
	}
	if now := n.PIDs()[1]; now == 0 || now == before {
		t.Error(now, before)
	}
	if c, err := config.Load(n.Nodes()[1].Config); err != nil || c.Flags["trim.pad"] != "1MiB" || len(c.Peers) != 2 || len(c.Validators) != 3 {
		t.Errorf("%+v %v", c, err)
	}
	if err := h.Restart(ctx, 1, map[string]string{"trim.pda": "1MiB"}); err == nil || !strings.Contains(err.Error(), "trim.pad") {
		t.Error(err)
	}
	ready(t, n)
	if err := h.Pause(ctx, 2); err != nil {
		t.Fatal(err)
	}
	if s := n.Status(ctx)[2]; s.Mode != "paused" {
		t.Errorf("%+v", s)
	}
	if err := h.Resume(ctx, 2); err != nil {
		t.Fatal(err)
	}
	select {
	case d := <-n.Died():
		t.Error("told as a death:", d)
	default:
	}
	if err := h.node(ctx, request{Verb: "explode"}); err == nil {
		t.Error("unknown verb accepted")
	}
}

func TestDeathIsTold(t *testing.T) {
	n := start(t, Options{})
	ready(t, n)
	if err := unix.Kill(n.PIDs()[0], unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	select {
	case d := <-n.Died():
		if d.Node != 0 || d.Name != "n0" || !strings.Contains(d.Error(), "SIGKILL") {
			t.Errorf("%+v", d)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("not told")
	}
}

func TestNodeThatFailsAtOnce(t *testing.T) {
	nodes := Nodes(2)
	nodes[1].Flags = map[string]string{"trim.pad": "13"}
	n := start(t, Options{Nodes: nodes})
	var d Death
	if err := n.WaitReady(t.Context()); !errors.As(err, &d) || d.Name != "n1" ||
		!strings.Contains(err.Error(), "exit code 3") || !strings.HasSuffix(err.Error(), "this node was told to fail") {
		t.Fatal(err)
	}
}

func TestStubbornNodeIsKilled(t *testing.T) {
	nodes := Nodes(1)
	nodes[0].Flags = map[string]string{"trim.pad": "14"}
	n := start(t, Options{Nodes: nodes, StopAfter: 100 * time.Millisecond})
	ready(t, n)
	if err := n.Stop(t.Context(), 0); err != nil {
		t.Fatal(err)
	}
}

func TestDownAndAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "net")
	n := start(t, Options{Dir: dir, Seed: 5})
	ready(t, n)
	key := n.Nodes()[0].PublicKey
	h, err := Attach(dir)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		<-n.DownRequested()
		done <- n.Close(context.Background())
	}()
	if err := h.Down(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if h, err = Attach(dir); err != nil || h.Up() {
		t.Fatal(h, err)
	}
	if err := h.Restart(t.Context(), 0, nil); err == nil || !strings.Contains(err.Error(), "is not up") {
		t.Error(err)
	}
	if err := h.Down(t.Context()); err != nil {
		t.Error("down twice:", err)
	}
	again := start(t, Options{Dir: dir, Seed: 5})
	if again.Nodes()[0].PublicKey != key {
		t.Error("other keys on the same data")
	}
}

func TestRefusals(t *testing.T) {
	base := t.TempDir()
	running := start(t, Options{Dir: filepath.Join(base, "running")})
	foreign := filepath.Join(base, "foreign")
	if err := os.MkdirAll(filepath.Join(foreign, "photos"), 0o755); err != nil {
		t.Fatal(err)
	}
	old := filepath.Join(base, "old")
	if err := start(t, Options{Dir: old, NetworkID: 7, Seed: 1}).Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	prepared := filepath.Join(base, "prepared")
	r, err := store.Open(store.Options{
		Dir: filepath.Join(prepared, "store"), NetworkID: 9,
		Backend: func(string) (store.Backend, error) { return memdb.New(), nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	noValidator := Nodes(2)
	noValidator[0].Role, noValidator[1].Role = config.RoleClient, config.RoleClient
	badFlag := Nodes(1)
	badFlag[0].Flags = map[string]string{"heap.payloud": "c"}
	tests := []struct {
		name, want string
		o          Options
	}{
		{"running", "is up already", Options{Dir: running.Dir()}},
		{"something else", "is not empty and holds no network", Options{Dir: foreign}},
		{"other network", "holds network 7, not 20100", Options{Dir: old}},
		{"other seed", "keys of seed 1, not 2", Options{Dir: old, NetworkID: 7, Seed: 2}},
		{"no nodes", "0 nodes", Options{Nodes: []NodeSpec{}}},
		{"no validator", "no node is a validator", Options{Nodes: noValidator}},
		{"bad flag", `did you mean "heap.payload"`, Options{Nodes: badFlag}},
		{"no binary", "no such file", Options{Binary: "/does/not/exist"}},
		{"same names", "not allowed or taken", Options{Nodes: []NodeSpec{{Name: "a"}, {Name: "a"}}}},
		{"prepared state of another network", "is of network 9, not 20100", Options{State: prepared}},
		{"path as name", "not allowed or taken", Options{Nodes: []NodeSpec{{Name: "../a"}}}},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			if tc.o.Dir == "" {
				tc.o.Dir = filepath.Join(t.TempDir(), "x")
			}
			if tc.o.Nodes == nil {
				tc.o.Nodes = Nodes(2)
			}
			if tc.o.Args == nil {
				tc.o.Args = []string{"fake-node"}
			}
			n, err := Start(t.Context(), tc.o)
			if n != nil {
				_ = n.Close(t.Context())
			}
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("got %v; want %s", err, tc.want)
			}
		})
	}
	if _, err := Attach(foreign); err == nil || !strings.Contains(err.Error(), "holds no network") {
		t.Error(err)
	}
}

func TestPortInUse(t *testing.T) {
	n := start(t, Options{Nodes: Nodes(1)})
	ready(t, n)
	var port int
	if _, err := fmt.Sscanf(n.Nodes()[0].Control, "127.0.0.1:%d", &port); err != nil {
		t.Fatal(err)
	}
	_, err := Start(t.Context(), Options{Dir: filepath.Join(t.TempDir(), "b"), Nodes: Nodes(2), BasePort: port - 1, Args: []string{"fake-node"}})
	if want := fmt.Sprintf("port %d is in use; node n0 needs it for its control address", port); err == nil || !strings.Contains(err.Error(), want) {
		t.Fatal(err)
	}
}

// TestOrphans kills the owner: the kernel must take its nodes with it.
func TestOrphans(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "net")
	owner := exec.CommandContext(t.Context(), os.Args[0], "fake-owner", dir)
	out, err := owner.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := owner.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, 3)
	if _, err := out.Read(line); err != nil || string(line) != "up\n" {
		t.Fatalf("%q %v", line, err)
	}
	h, err := Attach(dir)
	if err != nil || !h.Up() {
		t.Fatal(err)
	}
	if err := owner.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = owner.Wait() // it was killed
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		alive := 0
		for _, n := range h.Nodes() {
			if n.Process.alive() {
				alive++
			}
		}
		if alive == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d nodes outlive their owner", alive)
		}
	}
	if h.Up() {
		t.Error("a network without an owner counts as up")
	}
	n := start(t, Options{Dir: dir, Nodes: Nodes(2)}) // and the folder can be used again
	ready(t, n)
}

func TestClone(t *testing.T) {
	src, dst := filepath.Join(t.TempDir(), "src"), filepath.Join(t.TempDir(), "dst")
	for name, text := range map[string]string{"store/state": "s", "store/a/000001.sst": "table", "store/a/000002.log": "log", "store/a/LOCK": "", "records.jsonl": "r"} {
		p := filepath.Join(src, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := Clone(src, dst); err != nil {
		t.Fatal(err)
	}
	stat := func(p string) *syscall.Stat_t {
		fi, err := os.Stat(p)
		if err != nil {
			t.Fatal(err)
		}
		return fi.Sys().(*syscall.Stat_t)
	}
	if a, b := stat(filepath.Join(src, "store/a/000001.sst")), stat(filepath.Join(dst, "store/a/000001.sst")); a.Ino != b.Ino {
		t.Error("a table was copied, not linked")
	}
	if a, b := stat(filepath.Join(src, "store/a/000002.log")), stat(filepath.Join(dst, "store/a/000002.log")); a.Ino == b.Ino {
		t.Error("a log was linked")
	}
	for _, gone := range []string{"store/a/LOCK", "records.jsonl"} {
		if _, err := os.Stat(filepath.Join(dst, gone)); err == nil {
			t.Error(gone, "was cloned")
		}
	}
	if err := Clone(src, dst); err == nil || !strings.Contains(err.Error(), "not empty") {
		t.Error(err)
	}
}

func TestAllocators(t *testing.T) {
	dir := t.TempDir()
	if lib, err := findLibrary("glibc", []string{dir}); err != nil || lib != "" {
		t.Error(lib, err)
	}
	_, err := findLibrary("jemalloc", []string{dir, dir})
	if err == nil || !strings.Contains(err.Error(), "apt-get install -y libjemalloc2") {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "libjemalloc.so.2"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if lib, err := findLibrary("jemalloc", []string{dir}); err != nil || lib != filepath.Join(dir, "libjemalloc.so.2") {
		t.Error(lib, err)
	}
	if _, err := findLibrary("hoard", nil); err == nil {
		t.Error("hoard")
	}
	env, err := environment([]string{"PATH=/bin", "GOGC=1", "MALLOC_ARENA_MAX=2", "LD_PRELOAD=x", "HOME=/"}, NodeSpec{}, []string{"A=b"})
	if err != nil || strings.Join(env, " ") != "PATH=/bin HOME=/ A=b" {
		t.Error(env, err)
	}
}
