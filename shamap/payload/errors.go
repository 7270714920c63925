package payload

import "errors"

// ErrReleased is returned by a read of something whose last reference is gone.
var ErrReleased = errors.New("payload: used after release")

// ErrUnsupported is returned where C memory is asked for in a build without cgo.
var ErrUnsupported = errors.New("payload: C memory is not supported in this build")
