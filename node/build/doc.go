// Package build says from which source a program was made. It reads what the
// toolchain stamped into the binary; where that is nothing, as under `go run`, a
// parent may say it in the environment variable Var.
//
// It owns no state.
//
// Example:
//
//	b := build.Read()
//	log.Info("started", "commit", b.Commit, "dirty", b.Dirty)
package build
