package main

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"time"

	"ledgerlab/node/build"
)

// nameCommit tells node processes, records and reports which source they run when the toolchain stamped no commit into the binary,
// as `go run` does not, and this process stands in its own checkout.
func nameCommit(ctx context.Context) {
	if build.Read().Commit != "" {
		return
	}
	if c := checkoutCommit(ctx); c != "" {
		_ = os.Setenv(build.Var, c) // fails for malformed names only
	}
}

// checkoutCommit asks git for the commit of the checkout in the working folder,
// with "-dirty" behind it when files differ; "" where there is none.
func checkoutCommit(ctx context.Context) string {
	mod, err := os.ReadFile("go.mod")
	if err != nil || !strings.HasPrefix(string(mod), "module ledgerlab\n") {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	head, err := exec.CommandContext(ctx, "git", "rev-parse", "HEAD").Output()
	if err != nil {
		return ""
	}
	commit := strings.TrimSpace(string(head))
	if changed, err := exec.CommandContext(ctx, "git", "status", "--porcelain", "--untracked-files=no").Output(); err == nil && len(changed) > 0 {
		commit += "-dirty"
	}
	return commit
}
