package memory

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const cgroupEnv = "LEDGERLAB_MEMORY_CGROUP"

// TestTrialM12 reads a file larger than the limit of a control group of its own: the group's figure is page cache, which
// stands beside the sheet under its name; RSS and the lines of the process are taken from the process and do not move.
func TestTrialM12(t *testing.T) {
	notInRaceBuilds(t)
	raw, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		t.Skip(err)
	}
	group, err := limitedGroup(cgroupFolders(string(raw)), 256*mib)
	if err != nil {
		t.Skipf("no control group of its own: %v", err)
	}
	t.Cleanup(func() {
		if err := os.Remove(group); err != nil {
			t.Error(err)
		}
	})
	cmd := exec.Command(os.Args[0], "-test.run=^TestCgroupChild$", "-test.v")
	cmd.Env = append(os.Environ(), cgroupEnv+"="+group)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "checked") {
		t.Errorf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

// limitedGroup makes a control group with a limit below the first folder that lets it.
func limitedGroup(folders []cgroupFolder, limit int64) (string, error) {
	errs := []error{ErrNoCgroup}
	for _, d := range folders {
		if _, ok := d.read(); !ok {
			continue
		}
		group := filepath.Join(d.path, fmt.Sprintf("ledgerlab-test-%d", os.Getpid()))
		if err := os.Mkdir(group, 0o755); err != nil {
			errs = append(errs, err)
			continue
		}
		err := os.WriteFile(filepath.Join(group, d.limit), []byte(strconv.FormatInt(limit, 10)), 0o644)
		if err == nil {
			return group, nil
		}
		errs = append(errs, err, os.Remove(group))
	}
	return "", errors.Join(errs...)
}

func TestCgroupChild(t *testing.T) {
	group := os.Getenv(cgroupEnv)
	if group == "" {
		t.Skip("runs as a child of TestTrialM12")
	}
	if err := os.WriteFile(filepath.Join(group, "cgroup.procs"), []byte(strconv.Itoa(os.Getpid())), 0o644); err != nil {
		t.Fatal(err)
	}
	before := sheet(t)
	readFile(t, 600*mib)
	after := sheet(t)
	dump(t, after)
	beside := map[string]int64{}
	for _, l := range after.Beside {
		beside[l.Name] = l.Bytes
	}
	near(t, "rss", float64(after.RSS-before.RSS)/mib, 0, 5)
	if cache := beside[BesidePageCache]; cache < 100*mib || beside[BesideCgroup] < cache {
		t.Errorf("the group is charged %d bytes, page cache %d: the file is not in it", beside[BesideCgroup], cache)
	}
	if limit, err := Limit(); err != nil || limit != 256*mib {
		t.Errorf("limit %d, %v", limit, err)
	}
	fmt.Printf("checked: rss %d MiB, control group %d MiB, of it page cache %d MiB\n", after.RSS/mib, beside[BesideCgroup]/mib, beside[BesidePageCache]/mib)
}

// readFile reads a new file of that size once.
func readFile(t *testing.T, size int64) {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "db"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // it goes with the test
	if err := f.Truncate(size); err != nil {
		t.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, bufio.NewReaderSize(f, mib)); err != nil || n != size {
		t.Fatal(n, err)
	}
}
