// Package apitest is a node without a node: a Backend whose every method is a
// func that a test sets, served on loopback. It is for tests of clients of the
// control plane and has no place in a program that ships.
//
// A Fake owns its watchers; safe for concurrent use once it serves.
package apitest
