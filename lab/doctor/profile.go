package doctor

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Profile is a Go heap profile: bytes and objects in use by stack, scaled from
// the samples to the whole.
type Profile struct {
	stacks map[string]Stack
}

// Empty says that nothing was read.
func (p Profile) Empty() bool { return p.stacks == nil }

// Stack is one call path with what it holds, or by how much that grew.
type Stack struct {
	Frames  []string // innermost first, without runtime's own
	Bytes   float64
	Objects int64
}

// Top is the innermost frame that is not of the runtime.
func (s Stack) Top() string {
	if len(s.Frames) == 0 {
		return "an unknown place"
	}
	return s.Frames[0]
}

const (
	stacksMax = 1 << 16
	framesMax = 64
	lineMax   = 1 << 16
)

// ErrProfile is a text that is no heap profile.
var ErrProfile = errors.New("doctor: not a heap profile")

// ParseProfile reads the text form of a heap profile (debug=1). Its counts are of
// samples; each is scaled by the chance that an object of its size is sampled.
func ParseProfile(r io.Reader) (Profile, error) {
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 0, 4096), lineMax)
	if !sc.Scan() {
		return Profile{}, fmt.Errorf("%w: empty", ErrProfile)
	}
	every, err := profileRate(sc.Text())
	if err != nil {
		return Profile{}, err
	}
	p := Profile{stacks: map[string]Stack{}}
	var s Stack
	open := false
	for sc.Scan() {
		line := sc.Text()
		switch {
		case strings.HasPrefix(line, "#\t") && open:
			if f := frame(line); f != "" && len(s.Frames) < framesMax {
				s.Frames = append(s.Frames, f)
			}
		case line == "" || line[0] == '#':
			if open {
				p.add(s)
				open = false
			}
		default:
			if open {
				p.add(s)
			}
			if s, err = sample(line, every); err != nil {
				return Profile{}, err
			}
			open = true
		}
		if len(p.stacks) > stacksMax {
			return Profile{}, fmt.Errorf("%w: more than %d stacks", ErrProfile, stacksMax)
		}
	}
	if open {
		p.add(s)
	}
	if err := sc.Err(); err != nil {
		return Profile{}, fmt.Errorf("%w: %w", ErrProfile, err)
	}
	return p, nil
}

// add merges stacks with the same frames.
func (p Profile) add(s Stack) {
	key := strings.Join(s.Frames, "\n")
	have := p.stacks[key]
	have.Frames = s.Frames
	have.Bytes += s.Bytes
	have.Objects += s.Objects
	p.stacks[key] = have
}

// profileRate reads the sampling distance from "heap profile: ... @ heap/1048576":
// twice the distance.
func profileRate(line string) (float64, error) {
	_, rest, ok := strings.Cut(line, "@ heap/")
	n, err := strconv.ParseFloat(strings.TrimSpace(rest), 64)
	if !strings.HasPrefix(line, "heap profile:") || !ok || err != nil || !(n >= 0) || math.IsInf(n, 0) {
		return 0, fmt.Errorf("%w: first line %q", ErrProfile, line[:min(len(line), 80)])
	}
	return n / 2, nil
}

// sample reads "1: 288 [3: 864] @ 0x.. 0x..".
func sample(line string, every float64) (Stack, error) {
	var objects, bytes int64
	if _, err := fmt.Sscanf(line, "%d: %d [", &objects, &bytes); err != nil || objects < 0 || bytes < 0 {
		return Stack{}, fmt.Errorf("%w: line %q", ErrProfile, line[:min(len(line), 80)])
	}
	scale := 1.0
	if objects > 0 && bytes > 0 && every > 1 {
		scale = 1 / -math.Expm1(-float64(bytes)/float64(objects)/every)
	}
	return Stack{Bytes: float64(bytes) * scale, Objects: int64(float64(objects) * scale)}, nil
}

// frame reads "#	0x47a3f1	main.grow+0x31	/src/main.go:12" and drops offsets, so that
// two profiles of one program name one place alike.
func frame(line string) string {
	f := strings.Split(line, "\t")
	if len(f) < 4 {
		return ""
	}
	name, _, _ := strings.Cut(f[2], "+0x")
	if strings.HasPrefix(name, "runtime.") {
		return ""
	}
	place := f[len(f)-1]
	if i := strings.LastIndexByte(place, '/'); i >= 0 {
		place = place[i+1:]
	}
	return name + " (" + place + ")"
}

// Growth lists the stacks that hold most more in after than in before.
func Growth(before, after Profile, most int) []Stack {
	if before.Empty() || after.Empty() {
		return nil
	}
	var out []Stack
	for key, s := range after.stacks {
		s.Bytes -= before.stacks[key].Bytes
		s.Objects -= before.stacks[key].Objects
		if s.Bytes > 0 {
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b Stack) int {
		switch {
		case a.Bytes > b.Bytes:
			return -1
		case a.Bytes < b.Bytes:
			return 1
		}
		return strings.Compare(strings.Join(a.Frames, "\n"), strings.Join(b.Frames, "\n"))
	})
	return out[:min(len(out), most)]
}
