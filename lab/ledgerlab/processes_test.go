package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// testNet is one network of five processes, driven only through the verbs.
type testNet struct {
	t   *testing.T
	bin string
	dir string
	up  *exec.Cmd
	log *bytes.Buffer
}

// nodeStatus is a line of `status --json`.
type nodeStatus struct {
	Name          string `json:"name"`
	PID           int    `json:"pid"`
	Mode          string `json:"mode"`
	ValidatedSeq  uint32 `json:"validated_seq"`
	ValidatedHash string `json:"validated_hash"`
	RSSBytes      uint64 `json:"rss_bytes"`
	Peers         int    `json:"peers"`
}

func startLab(t *testing.T, args ...string) *testNet {
	t.Helper()
	tmp := t.TempDir()
	l := &testNet{t: t, bin: filepath.Join(tmp, "ledgerlab"), dir: filepath.Join(tmp, "net"), log: new(bytes.Buffer)}
	if out, err := exec.Command("go", "build", "-o", l.bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	l.up = exec.Command(l.bin, append([]string{"up", "--dir", l.dir}, args...)...)
	l.up.Stdout, l.up.Stderr = l.log, l.log
	if err := l.up.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.stop)
	return l
}

// stop ends the network and fails the test when a process outlives it.
func (l *testNet) stop() {
	before, _ := l.status()
	out, err := exec.Command(l.bin, "down", "--dir", l.dir).CombinedOutput()
	if err != nil {
		l.t.Errorf("down: %v\n%s", err, out)
	}
	done := make(chan error, 1)
	go func() { done <- l.up.Wait() }()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		_ = l.up.Process.Kill()
		l.t.Error("up did not end within 30 s of down")
	}
	for _, n := range before {
		if n.PID > 0 && syscall.Kill(n.PID, 0) == nil {
			l.t.Errorf("node %s (pid %d) outlived down", n.Name, n.PID)
			_ = syscall.Kill(n.PID, syscall.SIGKILL)
		}
	}
	if l.t.Failed() {
		l.t.Logf("output of up:\n%s", l.log.String())
	}
}

func (l *testNet) run(args ...string) string {
	l.t.Helper()
	out, err := exec.Command(l.bin, args...).CombinedOutput()
	if err != nil {
		l.t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return string(out)
}

func (l *testNet) status() ([]nodeStatus, error) {
	out, err := exec.Command(l.bin, "status", "--dir", l.dir, "--json").Output()
	if err != nil {
		return nil, err
	}
	var s struct {
		Nodes []nodeStatus `json:"nodes"`
	}
	if err := json.Unmarshal(out, &s); err != nil {
		return nil, fmt.Errorf("status prints %q: %w", out, err)
	}
	return s.Nodes, nil
}

// await polls the status until ok says yes; the limit is generous, for a busy
// machine, and bounds the test, not the speed of the network.
func (l *testNet) await(what string, ok func([]nodeStatus) bool) []nodeStatus {
	l.t.Helper()
	var last []nodeStatus
	for deadline := time.Now().Add(90 * time.Second); time.Now().Before(deadline); time.Sleep(300 * time.Millisecond) {
		s, err := l.status()
		if err != nil {
			continue
		}
		if last = s; ok(s) {
			return s
		}
	}
	l.t.Fatalf("%s: not within 90 s; last status %+v\noutput of up:\n%s", what, last, l.log.String())
	return nil
}

// agreed says whether all nodes that are up have validated the same ledger, at
// least seq, and returns how many they are.
func agreed(nodes []nodeStatus, seq uint32) (up int, ok bool) {
	var first *nodeStatus
	for i := range nodes {
		n := &nodes[i]
		if n.Mode == "down" {
			continue
		}
		up++
		if n.ValidatedSeq < seq {
			return up, false
		}
		if first == nil {
			first = n
		}
		if n.ValidatedSeq == first.ValidatedSeq && n.ValidatedHash != first.ValidatedHash {
			return up, false
		}
		if n.ValidatedSeq != first.ValidatedSeq {
			return up, false
		}
	}
	return up, true
}

func maxSeq(nodes []nodeStatus) uint32 {
	var s uint32
	for _, n := range nodes {
		s = max(s, n.ValidatedSeq)
	}
	return s
}

// TestFiveProcesses starts five nodes under load, kills one, restarts it, kills
// all and restarts them: the chain goes on and nothing validated is lost.
func TestFiveProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("five processes take a minute; not in -short")
	}
	if raceEnabled {
		t.Skip("the processes are built without the race detector")
	}
	l := startLab(t, "--nodes", "5", "--rate", "50")
	first := l.await("five nodes agree", func(n []nodeStatus) bool {
		up, ok := agreed(n, 3)
		return up == 5 && ok
	})

	// One dies at any moment; the other four go on.
	if err := syscall.Kill(first[2].PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	killedAt := maxSeq(first)
	four := l.await("four nodes go on", func(n []nodeStatus) bool {
		up, ok := agreed(n, killedAt+3)
		return up == 4 && ok && n[2].Mode == "down"
	})
	l.run("restart", "--dir", l.dir, "--node", "2")
	five := l.await("the fifth catches up", func(n []nodeStatus) bool {
		up, ok := agreed(n, maxSeq(four)+2)
		return up == 5 && ok
	})

	var refused *exec.ExitError
	if out, err := exec.Command(l.bin, "check", filepath.Join(l.dir, "n0", "data")).CombinedOutput(); !errors.As(err, &refused) || refused.ExitCode() != exitTryAgain {
		t.Errorf("check beside a running node: %v\n%s", err, out)
	}

	// All die; every claimed ledger is whole on disk, and the chain goes on from the
	// last validated one.
	for _, n := range five {
		if err := syscall.Kill(n.PID, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	l.await("all are down", func(n []nodeStatus) bool { up, _ := agreed(n, 0); return up == 0 })
	t.Log(l.run("check", l.dir))
	for i := range five {
		l.run("restart", "--dir", l.dir, "--node", strconv.Itoa(i))
	}
	last := l.await("all come back", func(n []nodeStatus) bool {
		up, ok := agreed(n, maxSeq(five)+2)
		return up == 5 && ok
	})
	t.Logf("validated %d at first, %d after one was back, %d after all were", maxSeq(first), maxSeq(five), maxSeq(last))
	if _, err := os.Stat(l.dir); err != nil {
		t.Errorf("the folder of the network is gone: %v", err)
	}
}
