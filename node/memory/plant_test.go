package memory

import (
	"errors"
	"runtime/debug"
	"testing"
	"time"

	"ledgerlab/node/config"
)

// TestTrialM07 plants each kind at a fast rate, takes sheets meanwhile, and fits a line through every line of the
// sheet: the right one grows at the planted rate within a tenth, no other by a tenth of it, and little is unexplained.
func TestTrialM07(t *testing.T) {
	notInRaceBuilds(t)
	const rate = 30 * mib // a minute
	for _, kind := range LeakKinds() {
		t.Run(string(kind), func(t *testing.T) {
			at := time.Unix(0, 0)
			p := NewPlant(t.TempDir(), func() time.Time { return at })
			if err := p.Set(kind, rate); errors.Is(err, ErrUnsupported) {
				t.Skip(err)
			} else if err != nil {
				t.Fatal(err)
			}
			debug.FreeOSMemory()
			var sheets []Sheet
			for range 60 {
				at = at.Add(2 * time.Second)
				if err := p.Grow(); err != nil {
					t.Fatal(err)
				}
				if at.Unix()%20 == 0 {
					sheets = append(sheets, sheet(t))
				}
			}
			for _, l := range sheets[0].Lines {
				grew := slope(sheets, l.Name) * 3 // MiB a minute: sheets are 20 s apart
				if l.Name == LineOf(kind) {
					near(t, "in a minute, the line "+l.Name, grew, 30, 3)
					t.Logf("%s grows by %.2f MiB a minute, planted 30", l.Name, grew)
				} else if grew > 3 {
					t.Errorf("in a minute, the line %s grew by %.1f MiB", l.Name, grew)
				}
			}
			if u := sheets[len(sheets)-1].Unexplained(); u > 0.02 || u < -0.02 {
				t.Errorf("%.2f %% of RSS is unexplained", 100*u)
			}
			if n := p.Planted()[kind]; kind != LeakNone && (n < 60*mib-8192 || n > 60*mib) {
				t.Errorf("planted %d bytes in two minutes", n)
			}
			if err := p.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// slope is the least-squares growth of a line from one sheet to the next, in MiB.
func slope(sheets []Sheet, line string) float64 {
	var sx, sy, sxx, sxy float64
	for i := range sheets {
		x, y := float64(i), float64(sheets[i].Bytes(line))/mib
		sx, sy, sxx, sxy = sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	n := float64(len(sheets))
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

func TestPlantRefuses(t *testing.T) {
	p := NewPlant("", time.Now)
	if p.Set("everything", 1) == nil || p.Set(LeakGo, -1) == nil {
		t.Error("a leak that is none was taken")
	}
	f, err := config.Lookup("plant.leak")
	if err != nil {
		t.Fatal(err)
	}
	for i, k := range LeakKinds() {
		if f.Allowed[i] != string(k) {
			t.Errorf("the flag allows %v, the plant %v", f.Allowed, LeakKinds())
		}
	}
}

// TestPlantIsOffUntilSet: switched off nothing grows, and what was planted stays.
func TestPlantIsOffUntilSet(t *testing.T) {
	at := time.Unix(0, 0)
	p := NewPlant("", func() time.Time { return at })
	grow := func() int64 {
		at = at.Add(time.Minute)
		if err := p.Grow(); err != nil {
			t.Fatal(err)
		}
		return p.Planted()[LeakGo]
	}
	if n := grow(); n != 0 {
		t.Errorf("%d bytes before it was set", n)
	}
	for _, kind := range []LeakKind{LeakGo, LeakNone} {
		if err := p.Set(kind, mib); err != nil {
			t.Fatal(err)
		}
		if n := grow(); n != mib {
			t.Errorf("%s: %d bytes planted", kind, n)
		}
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}
