package main

import "github.com/spf13/pflag"

type flagT = pflag.Flag
