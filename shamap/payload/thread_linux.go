package payload

import "syscall"

// threadID is the thread that a recorded call runs on: arenas belong to threads.
func threadID() uint32 { return uint32(syscall.Gettid()) }
