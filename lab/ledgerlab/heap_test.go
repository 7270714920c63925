package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"ledgerlab/lab/network"
	"ledgerlab/lab/replay"
	"ledgerlab/node/memory"
	"ledgerlab/shamap/payload/heaptrace"
)

// writeTrace makes a trace in which three threads in turn make 32 MiB and give
// most of it back before a sweep.
func writeTrace(t *testing.T, path, kind string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w, err := heaptrace.NewWriter(f, heaptrace.Header{Node: "n0", Kind: kind, Allocator: "glibc", StartedNS: 1, BegunNS: 2, Tags: []string{"inner", "leaf"}})
	if err != nil {
		t.Fatal(err)
	}
	var b heaptrace.Block
	addr := uint64(4096)
	for turn := range int64(6) {
		at := turn * 2e9
		for burst := range 128 {
			b.Reset(b.Bytes())
			first := addr
			b.Event(at, uint32(10+turn%3), 1, false, 1024)
			for range 1024 {
				b.Chunk(addr, 256, 1)
				addr += 256
			}
			if burst%16 != 0 {
				b.Event(at+1e9, uint32(10+turn%3), 0, true, 1024)
				for i := range uint64(1024) {
					b.Chunk(first+256*i, 256, 1)
				}
			}
			if err := w.Events(b.Bytes()); err != nil {
				t.Fatal(err)
			}
		}
		b.Reset(b.Bytes())
		b.Mark(at+15e8, "sweep")
		err := errors.Join(w.Events(b.Bytes()), w.Memory(heaptrace.Memory{TimeNS: at, RSS: 80 << 20, CHeap: 30 << 20}))
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Site(heaptrace.Site{ID: 1, Text: "a.place:1"}), w.Footer(heaptrace.Footer{DurationNS: 12e9}), f.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestHeapVerbs replays one trace in processes of their own, under each allocator
// that is installed, and shows it.
func TestHeapVerbs(t *testing.T) {
	if memory.Detect().Allocator != memory.Glibc {
		t.Skip("needs C memory and no other allocator preloaded")
	}
	dir := t.TempDir()
	bin, trace := filepath.Join(dir, "ledgerlab"), filepath.Join(dir, "a.heaptrace")
	if out, err := exec.Command("go", "build", "-o", bin, ".").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	writeTrace(t, trace, "c")
	for _, name := range []string{"glibc", "jemalloc", "tcmalloc", "mimalloc"} {
		if _, err := network.AllocatorLibrary(name); err != nil {
			t.Logf("%s: %v", name, err)
			continue
		}
		cmd := exec.Command(bin, "heap", "replay", trace, "--allocator", name, "--speed", "0", "--policy", "every(2)", "--json")
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var r replay.Result
		if err := json.Unmarshal(out, &r); err != nil {
			t.Fatal(err)
		}
		const made = 6 * 128 * 1024
		if r.Allocator != name || r.Allocs != made || r.Frees != made/16*15 || r.Threads != 3 || !trimsFit(name, r) || len(r.Points) != 13 {
			t.Errorf("%s: %d made, %d freed, %d threads, %d trims, %d skipped, %d points", r.Allocator, r.Allocs, r.Frees, r.Threads, r.Trims, r.Skipped, len(r.Points))
		}
		// Under other allocators than glibc the sheet parts anonymous memory by what Go says it has, touched or not.
		if last := r.Points[12]; last.Live != 256*made/16 || last.CHeap < last.Live*4/5 || last.RSS != 50<<20+last.CHeap {
			t.Errorf("%s: %+v", name, last)
		}
	}
	var out, errOut bytes.Buffer
	if code := execute(t.Context(), []string{"heap", "show", trace}, &out, &errOut); code != exitOK || !strings.Contains(out.String(), "a.place:1") || !strings.Contains(out.String(), "whole") {
		t.Errorf("show: %d\n%s%s", code, out.String(), errOut.String())
	}
}

// trimsFit: six times the policy asks; mimalloc says once that it has nothing to give back with.
func trimsFit(name string, r replay.Result) bool {
	if name == "mimalloc" {
		return r.Trims == 0 && r.Skipped > 0
	}
	return r.Trims+r.Skipped == 6
}

// TestHeapVerbsRefuse: one line and the right exit code.
func TestHeapVerbsRefuse(t *testing.T) {
	dir := t.TempDir()
	trace, noTrace := filepath.Join(dir, "go.heaptrace"), filepath.Join(dir, "text")
	writeTrace(t, trace, "go")
	if err := os.WriteFile(noTrace, []byte("nothing of the kind"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		code int
		text string
	}{
		{[]string{"heap"}, exitUsage, "record, show or replay"},
		{[]string{"heap", "record"}, exitUsage, "--out"},
		{[]string{"heap", "record", "--out", trace, "--dir", dir}, exitUsage, "exists"},
		{[]string{"heap", "record", "--out", noTrace + "2", "--for", "2h", "--dir", dir}, exitUsage, "1h"},
		{[]string{"heap", "show", noTrace}, exitSpec, "malformed"},
		{[]string{"heap", "show", filepath.Join(dir, "none")}, exitUsage, "none"},
		{[]string{"heap", "replay", trace, "--policy", "often"}, exitUsage, "--policy"},
		{[]string{"heap", "replay", trace, "--allocator", "gelibc"}, exitUsage, "--allocator"},
		{[]string{"heap", "replay", trace, "--allocator", "jemalloc", "--arena-max", "2"}, exitUsage, "glibc"},
		{[]string{"heap", "replay", trace, "--speed", "-2"}, exitUsage, "speed"},
		{[]string{"doctor", "--pid", "1", "--node", "n0"}, exitUsage, "--pid"},
		{[]string{"doctor", "--pid", "1073741824", "--for", "1s"}, exitUsage, "1073741824"},
		{[]string{"doctor", "--for", "0s"}, exitUsage, "above 0s"},
		{[]string{"doctor", "--resolve", "x"}, exitUsage, "--resolve"},
	} {
		var out, errOut bytes.Buffer
		code := execute(t.Context(), c.args, &out, &errOut)
		if code != c.code || !strings.Contains(errOut.String(), c.text) || strings.Count(strings.TrimSpace(errOut.String()), "\n") > 1 {
			t.Errorf("%v: %d, want %d with %q\n%s", c.args, code, c.code, c.text, errOut.String())
		}
	}
}

// TestDoctorOfThisProcess watches the test itself from outside.
func TestDoctorOfThisProcess(t *testing.T) {
	var out, errOut bytes.Buffer
	pid := strconv.Itoa(os.Getpid())
	code := execute(t.Context(), []string{"doctor", "--pid", pid, "--for", "300ms", "--json"}, &out, &errOut)
	var d struct {
		Verdict string   `json:"verdict"`
		Unknown []string `json:"unknown"`
		RSS     float64  `json:"rss_bytes"`
	}
	if err := json.Unmarshal(out.Bytes(), &d); err != nil {
		t.Fatalf("%v: %s%s", err, out.String(), errOut.String())
	}
	if d.Verdict == "" || d.Verdict == "void" || code > 2 || len(d.Unknown) < 3 || d.RSS < 1<<20 {
		t.Errorf("exit %d: %+v", code, d)
	}
}
