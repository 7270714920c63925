// Package folder keeps a data folder for one process.
//
// Lock takes the folder's lock file before anything in it is read, truncated or
// cleaned up, so that a second process on the same folder is refused before it can
// do harm. The kernel gives the lock back with the process, however that ends; the
// file stays and names the last holder.
//
// What it does not do: it looks at nothing else in the folder.
//
// Ownership: a Lock belongs to who took it and is given back by Release. Errors are
// one line; ErrInUse (wrapped, naming folder and process) is a folder of another
// process, or of another node of this one.
//
//	l, err := folder.Take(dir)
//	defer l.Release()
package folder
