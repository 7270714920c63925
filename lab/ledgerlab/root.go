package main

func run(args []string) int { return 0 }
