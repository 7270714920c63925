package network

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
)

// logTailLines is how much of a dead node's log is told.
const logTailLines = 12

// exitTryAgain is the exit code of a node that its machine has no room for.
const exitTryAgain = 75

// spawner starts processes from one thread that lives as long as it does: the
// parent-death signal is sent when the thread that started the child ends, not
// the process.
type spawner struct {
	jobs chan func()
	done sync.WaitGroup
}

func newSpawner() *spawner {
	s := &spawner{jobs: make(chan func())}
	s.done.Go(func() {
		runtime.LockOSThread() // never unlocked: the thread ends with this goroutine
		for job := range s.jobs {
			job()
		}
	})
	return s
}

// start runs cmd.Start on the thread.
func (s *spawner) start(cmd *exec.Cmd) error {
	errc := make(chan error, 1)
	s.jobs <- func() { errc <- cmd.Start() }
	return <-errc
}

// close ends the thread. No process that it started may be needed any longer.
func (s *spawner) close() {
	close(s.jobs)
	s.done.Wait()
}

// process is one running node.
type process struct {
	id   procID
	cmd  *exec.Cmd
	gone chan struct{} // closed when it has ended and was waited for
	err  error         // how it ended; valid after gone

	asked atomic.Bool // to end: its end is no death
}

// launch starts a node; its output is appended to logPath.
func (s *spawner) launch(binary string, args, env []string, logPath string) (*process, error) {
	log, err := os.OpenFile(logPath, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }() // the child has its own
	cmd := exec.Command(binary, args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = env, log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Setpgid:   true, // Ctrl-C at the terminal reaches the owner only, which then stops its nodes in order
		Pdeathsig: syscall.SIGKILL,
	}
	if err := s.start(cmd); err != nil {
		return nil, fmt.Errorf("start %s: %w", binary, err)
	}
	p := &process{cmd: cmd, gone: make(chan struct{})}
	if p.id, err = identify(cmd.Process.Pid); err != nil { // it is not waited for yet, so /proc has it
		return nil, errors.Join(err, cmd.Process.Kill(), cmd.Wait())
	}
	go func() {
		p.err = cmd.Wait()
		close(p.gone)
	}()
	return p, nil
}

// code is the exit code it ended with; -1 for a signal. gone must be closed.
func (p *process) code() int {
	var exit *exec.ExitError
	if errors.As(p.err, &exit) {
		return exit.ExitCode()
	}
	return 0
}

// reason says in words how it ended. gone must be closed.
func (p *process) reason() string {
	var exit *exec.ExitError
	switch {
	case p.err == nil:
		return "it ended by itself with exit code 0"
	case errors.As(p.err, &exit):
		if ws, ok := exit.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
			if ws.Signal() == syscall.SIGKILL {
				return "it was killed (SIGKILL; if nobody did, the machine may be out of memory)"
			}
			return "it was ended by signal " + ws.Signal().String()
		}
		meaning := ""
		if exit.ExitCode() == exitTryAgain {
			meaning = " (try again later; its disk may be full)"
		}
		return fmt.Sprintf("it ended by itself with exit code %d%s", exit.ExitCode(), meaning)
	default:
		return p.err.Error()
	}
}

// logTail returns the last lines of a log.
func logTail(path string, lines int) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = f.Close() }() // it was only read
	const most = 16 << 10
	if end, err := f.Seek(0, io.SeekEnd); err == nil && end > most {
		_, err = f.Seek(end-most, io.SeekStart)
		if err != nil {
			return ""
		}
	} else if _, err := f.Seek(0, io.SeekStart); err != nil {
		return ""
	}
	data, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return ""
	}
	all := strings.Split(string(bytes.TrimSpace(data)), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}
