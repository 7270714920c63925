//go:build !linux

package casetest

import "fmt"

// Checked prints how many cases of a file were checked.
func Checked(name string, n int, what string) { fmt.Printf("cases: %-55s %5d %s\n", name, n, what) }
