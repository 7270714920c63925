package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"google.golang.org/grpc/codes"

	"ledgerlab/api/client"
	"ledgerlab/lab"
	"ledgerlab/lab/network"
	"ledgerlab/node/build"
	"ledgerlab/node/config"
)

// Exit codes beside those of verdicts.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 64
	exitSpec        = 65
	exitInternal    = 70
	exitTryAgain    = 75
	exitInterrupted = 130
)

// codeError carries the exit code of an error.
type codeError struct {
	code int
	err  error
}

func (e *codeError) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *codeError) Unwrap() error { return e.err }

func usage(err error) error { return &codeError{exitUsage, err} }

func usagef(format string, args ...any) error { return usage(fmt.Errorf(format, args...)) }

// silent is an exit code with nothing more to say.
func silent(code int) error {
	if code == 0 {
		return nil
	}
	return &codeError{code, nil}
}

// app is what every verb shares.
type app struct {
	out, err io.Writer
	json     bool
	quiet    bool
	timeout  time.Duration
}

// execute runs one command line and returns its exit code.
func execute(ctx context.Context, args []string, out, errOut io.Writer) int {
	a := &app{out: out, err: errOut}
	root := a.root()
	root.SetArgs(args)
	root.SetOut(out)
	root.SetErr(errOut)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return exitOK
	}
	if errors.Is(err, context.Canceled) && ctx.Err() != nil {
		err = &codeError{exitInterrupted, errors.New("interrupted")}
	}
	tell(errOut, err.Error())
	return exitCode(ctx, err)
}

// maxTold bounds the mistakes that are told at once.
const maxTold = 10

// tell writes each mistake as one line of printable characters.
func tell(w io.Writer, text string) {
	lines := slices.DeleteFunc(strings.Split(text, "\n"), func(l string) bool { return strings.TrimSpace(l) == "" })
	more := len(lines) - maxTold
	for _, line := range lines[:min(len(lines), maxTold)] {
		fmt.Fprintf(w, "ledgerlab: %s\n", strings.Map(printable, line))
	}
	if more > 0 {
		fmt.Fprintf(w, "ledgerlab: and %d more\n", more)
	}
}

func printable(r rune) rune {
	if r == '\t' || unicode.IsPrint(r) {
		return r
	}
	return unicode.ReplacementChar
}

func exitCode(ctx context.Context, err error) int {
	var code *codeError
	var fault *config.Fault
	var field *config.FieldError
	var unknown *lab.UnknownExperimentError
	var refused *network.RefusedError
	var down *network.DownError
	var library *network.MissingLibraryError
	var call *client.Error
	switch {
	case errors.As(err, &code):
		return code.code
	case errors.Is(err, lab.ErrInterrupted), ctx.Err() != nil:
		return exitInterrupted
	case errors.As(err, &fault), errors.As(err, &field):
		return exitSpec
	case errors.As(err, &unknown), errors.Is(err, lab.ErrNoCampaign), errors.Is(err, lab.ErrHoldsCampaign):
		return exitUsage
	case errors.As(err, &library), errors.Is(err, lab.ErrNoRoom), errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return exitTryAgain
	case errors.As(err, &refused), errors.As(err, &down), errors.Is(err, fs.ErrPermission):
		return exitUsage
	case errors.As(err, &call):
		return callCode(call.Code)
	}
	return exitInternal
}

// callCode is the exit code of a call that a node refused or did not answer.
func callCode(c codes.Code) int {
	switch c {
	case codes.InvalidArgument, codes.FailedPrecondition, codes.NotFound, codes.OutOfRange, codes.AlreadyExists:
		return exitUsage
	case codes.Unavailable, codes.DeadlineExceeded, codes.ResourceExhausted, codes.Aborted:
		return exitTryAgain
	}
	return exitInternal
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "ledgerlab",
		Short:         "A miniature XRP Ledger network and a lab around it",
		Long:          "ledgerlab starts real nodes, sends them signed traffic, flips one mechanism at a time,\nand answers in words, with an interval and the evidence behind it.",
		Example:       "  ledgerlab run trim-after-sweep --quick\n  ledgerlab up --nodes 5 --rate 50",
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       version(build.Read()),
		Args:          knownVerb,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SuggestionsMinimumDistance = 2
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usage(fmt.Errorf("%s%w%s; see %s --help", prefix(c), plainFlagError(err), suggestFlag(c, err), c.CommandPath()))
	})
	root.PersistentFlags().BoolVar(&a.json, "json", false, "machine-readable results on stdout")
	root.PersistentFlags().BoolVarP(&a.quiet, "quiet", "q", false, "no progress on stderr")
	root.PersistentFlags().Bool("no-color", false, "accepted for scripts; output has no colour")
	root.PersistentFlags().DurationVar(&a.timeout, "timeout", 30*time.Second, "limit of one call to a node")
	root.AddCommand(
		a.runCmd(), a.planCmd(), a.judgeCmd(), a.reportCmd(), a.compareCmd(), a.calibrateCmd(),
		a.listCmd(), a.flagsCmd(),
	)
	root.AddCommand(a.nodeVerbs()...)
	for _, c := range root.Commands() {
		checkArgs(c)
	}
	return root
}

// knownVerb refuses a verb that there is not and names the nearest.
func knownVerb(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range c.Commands() {
		names = append(names, sub.Name())
	}
	return usagef("%sunknown command %q%s; %s --help lists what there is", prefix(c), args[0], hint(args[0], names...), c.CommandPath())
}

// prefix names the verb in a message; the program itself is named already.
func prefix(c *cobra.Command) string {
	if !c.HasParent() {
		return ""
	}
	return strings.TrimPrefix(c.CommandPath(), c.Root().Name()+" ") + ": "
}

// version is what --version prints behind the name.
func version(b build.Info) string {
	commit := b.Commit
	if commit == "" {
		commit = "unknown"
	}
	if b.Dirty {
		commit += " with changes"
	}
	return "commit " + commit + ", " + runtime.Version()
}

// checkArgs makes wrong numbers of arguments one clear line with exit code 64.
func checkArgs(c *cobra.Command) {
	for _, sub := range c.Commands() {
		checkArgs(sub)
	}
	inner := c.Args
	if inner == nil {
		return
	}
	c.Args = func(cmd *cobra.Command, args []string) error {
		err := inner(cmd, args)
		var code *codeError
		if err == nil || errors.As(err, &code) {
			return err
		}
		_, list, _ := strings.Cut(cmd.Use, " ")
		want := strings.Fields(list)
		if len(args) < len(want) {
			return usagef("%s%s is missing; usage: %s", prefix(cmd), strings.Join(want[len(args):], " "), cmd.UseLine())
		}
		return usagef("%sunexpected argument %q; usage: %s", prefix(cmd), args[len(want)], cmd.UseLine())
	}
}

// plainFlagError says in words which value of an option is wrong and what kind
// it takes, where the option parser speaks of Go functions.
func plainFlagError(err error) error {
	var invalid *pflag.InvalidValueError
	if !errors.As(err, &invalid) {
		return err
	}
	kind := map[string]string{
		"int": "a whole number", "uint64": "a whole number from 0", "uint32": "a whole number from 0 to 4294967295",
		"float64": "a number", "duration": "a duration such as 30s", "bool": "true or false",
	}[invalid.GetFlag().Value.Type()]
	if kind == "" {
		return err
	}
	return fmt.Errorf("--%s: invalid argument %q; allowed: %s", invalid.GetFlag().Name, invalid.GetValue(), kind)
}

// checkNumber refuses what no rate can be: below zero, above most, or no number.
func checkNumber(option string, v, most float64) error {
	if v >= 0 && v <= most {
		return nil
	}
	if v < 0 {
		return usagef("%s %v: cannot be negative; from 0 to %g", option, v, most)
	}
	return usagef("%s %v: from 0 to %g", option, v, most)
}

// badPath makes the error of a path that cannot be used one of usage: the folder
// is no folder, must not be written, or is below one that is not there.
func badPath(err error) error {
	for _, e := range []error{fs.ErrNotExist, fs.ErrPermission, fs.ErrExist, syscall.ENOTDIR, syscall.EROFS, syscall.ENAMETOOLONG, syscall.ELOOP} {
		if errors.Is(err, e) {
			return usage(err)
		}
	}
	return err
}

// suggestFlag names the nearest flag when an unknown one was given.
func suggestFlag(c *cobra.Command, err error) string {
	_, name, ok := strings.Cut(err.Error(), "unknown flag: --")
	if !ok {
		return ""
	}
	var known []string
	c.Flags().VisitAll(func(f *flagT) { known = append(known, f.Name) })
	if near := config.Suggest(name, known); near != "" {
		return fmt.Sprintf(" (did you mean --%s?)", near)
	}
	return ""
}

// print writes a value as JSON with --json, and calls text otherwise.
func (a *app) print(v any, text func(w io.Writer) error) error {
	if a.json || text == nil {
		enc := json.NewEncoder(a.out)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		return enc.Encode(v)
	}
	return text(a.out)
}

// say writes a remark to stderr unless quiet.
func (a *app) say(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintf(a.err, format+"\n", args...)
	}
}

// parseSets reads repeated KEY=VALUE options.
func parseSets(list []string) (map[string]string, error) {
	out := map[string]string{}
	for _, kv := range list {
		k, v, ok := strings.Cut(kv, "=")
		if !ok || k == "" {
			return nil, usagef("%q is not KEY=VALUE", kv)
		}
		if _, twice := out[k]; twice {
			return nil, usagef("%s is given twice", k)
		}
		out[k] = v
	}
	return out, nil
}

// runsRoot is the folder of all campaigns.
func runsRoot() string {
	if dir := os.Getenv("LEDGERLAB_RUNS"); dir != "" {
		return dir
	}
	return "runs"
}
