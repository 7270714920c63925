package node

import (
	"context"
	"runtime/pprof"
)

// labelled runs a part under a profile label, so that profiles of a node tell
// its parts apart.
func labelled(ctx context.Context, part string, run func(context.Context) error) (err error) {
	pprof.Do(ctx, pprof.Labels("part", part), func(ctx context.Context) { err = run(ctx) })
	return err
}
