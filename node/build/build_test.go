package build

import (
	"runtime/debug"
	"testing"
)

func TestTheEnvironmentNamesTheCommitFirst(t *testing.T) {
	t.Setenv(Var, "abc123-dirty")
	if b := Read(); b.Commit != "abc123" || !b.Dirty {
		t.Errorf("%+v", b)
	}
	t.Setenv(Var, "abc123")
	if b := Read(); b.Commit != "abc123" || b.Dirty {
		t.Errorf("%+v", b)
	}
}

func TestStampedSettings(t *testing.T) {
	got := of([]debug.BuildSetting{
		{Key: "vcs.revision", Value: "f00"},
		{Key: "vcs.modified", Value: "true"},
		{Key: "CGO_ENABLED", Value: "1"},
		{Key: "-race", Value: "true"},
		{Key: "GOOS", Value: "linux"},
	})
	if want := (Info{Commit: "f00", Dirty: true, Cgo: true, Race: true}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
