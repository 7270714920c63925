package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/reflect/protoreflect"

	"ledgerlab/api/client"
	recordv1 "ledgerlab/proto/record/v1"
)

// recordKinds are the names of the record bodies, as in the proto.
func recordKinds() []string {
	var out []string
	fields := (&recordv1.Record{}).ProtoReflect().Descriptor().Oneofs().ByName("body").Fields()
	for i := range fields.Len() {
		out = append(out, string(fields.Get(i).Name()))
	}
	return out
}

func (a *app) eventsCmd() *cobra.Command {
	var t targetFlags
	var kinds []string
	var fromStart, follow bool
	var count int
	cmd := &cobra.Command{
		Use:     "events",
		Short:   "Follow what nodes record",
		Long:    "events prints records as they are made, one a line; with --json each line is one record.",
		Example: "  ledgerlab events --kinds sweep,trim\n  ledgerlab events --node n0 --json --from-start --follow=false",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			known := recordKinds()
			for _, k := range kinds {
				if !slices.Contains(known, k) {
					return usagef("--kinds: %q is no kind of record%s; there are %s", k, hint(k, known...), strings.Join(known, ", "))
				}
			}
			if count < 0 {
				return usagef("--count %d: from 0", count)
			}
			ctx, cancel := context.WithCancel(cmd.Context())
			defer cancel()
			var mu sync.Mutex
			seen := 0
			_, err := each(ctx, a, t, func(ctx context.Context, n target) (struct{}, error) {
				opts := client.RecordOptions{Kinds: kinds, FromStart: fromStart, Follow: follow}
				opts.OnLost = func(lost uint64) { a.say("%s: %d records were lost", n.name, lost) }
				_, err := n.client.Records(ctx, opts, func(r *recordv1.Record) error {
					mu.Lock()
					defer mu.Unlock()
					if count > 0 && seen >= count {
						cancel()
						return nil
					}
					seen++
					return a.printRecord(r)
				})
				if ctx.Err() != nil {
					err = nil
				}
				return struct{}{}, err
			})
			if ctx.Err() != nil && cmd.Context().Err() == nil {
				return nil
			}
			return errors.Join(err)
		},
	}
	t.register(cmd)
	cmd.Flags().StringSliceVar(&kinds, "kinds", nil, "kinds of record; default all")
	cmd.Flags().BoolVar(&fromStart, "from-start", false, "begin with the oldest record still held")
	cmd.Flags().BoolVar(&follow, "follow", true, "stay for further records")
	cmd.Flags().IntVar(&count, "count", 0, "end after so many records; 0 = never")
	return cmd
}

func (a *app) printRecord(r *recordv1.Record) error {
	if a.json {
		raw, err := protojson.MarshalOptions{UseProtoNames: true}.Marshal(r)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(a.out, "%s\n", raw)
		return err
	}
	kind, text := describe(r)
	_, err := fmt.Fprintf(a.out, "%s %s %s %s\n", time.Unix(0, r.GetTimeNs()).UTC().Format("15:04:05.000"), r.GetNode(), kind, text)
	return err
}

// maxShown bounds the fields of a record that are shown in its one line.
const maxShown = 8

// describe names the kind of a record and its first plain fields.
func describe(r *recordv1.Record) (kind, text string) {
	m := r.ProtoReflect()
	body := m.WhichOneof(m.Descriptor().Oneofs().ByName("body"))
	if body == nil {
		return "empty", ""
	}
	var parts []string
	inner := m.Get(body).Message()
	fields := inner.Descriptor().Fields()
	for i := 0; i < fields.Len() && len(parts) < maxShown; i++ {
		f := fields.Get(i)
		if f.IsList() || f.IsMap() || f.Kind() == protoreflect.MessageKind || !inner.Has(f) {
			continue
		}
		parts = append(parts, fmt.Sprintf("%s=%v", f.Name(), inner.Get(f).Interface()))
	}
	return string(body.Name()), strings.Join(parts, " ")
}
