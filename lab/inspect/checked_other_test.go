//go:build !linux

package inspect

import "fmt"

// checked prints how many cases of a file were checked.
func checked(name string, n int, what string) { fmt.Printf("cases: %-55s %5d %s\n", name, n, what) }
