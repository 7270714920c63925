package lab

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strconv"

	"github.com/parquet-go/parquet-go"
)

// ValueRow is one value of one unit: the long form of runs.csv and runs.parquet.
type ValueRow struct {
	Campaign string  `parquet:"campaign,dict"`
	Block    int32   `parquet:"block"`
	Attempt  int32   `parquet:"attempt"`
	Position int32   `parquet:"position"`
	Arm      string  `parquet:"arm,dict"`
	Seed     uint64  `parquet:"seed"`
	Node     int32   `parquet:"node"`
	Metric   string  `parquet:"metric,dict"`
	Unit     string  `parquet:"unit,dict"`
	Value    float64 `parquet:"value"`
	N        int32   `parquet:"n"`
	Flags    string  `parquet:"flags,dict"`
}

func valueRows(exp *Experiment, units []Unit) []ValueRow {
	var out []ValueRow
	for _, u := range units {
		for _, m := range sortedKeys(u.Values) {
			def, _ := MetricByName(m)
			out = append(out, ValueRow{
				exp.Metadata.Name, int32(u.Block), int32(u.Attempt), int32(u.Position), u.Arm, u.Seed,
				int32(u.Node), m, def.Unit, u.Values[m], int32(u.N), u.Flags,
			})
		}
	}
	return out
}

func writeUnits(f *Folder, exp *Experiment, units []Unit) error {
	rows := valueRows(exp, units)
	var buf bytes.Buffer
	w := csv.NewWriter(&buf)
	_ = w.Write([]string{"campaign", "block", "attempt", "position", "arm", "seed", "node", "metric", "unit", "value", "n", "flags"})
	for _, r := range rows {
		_ = w.Write([]string{
			r.Campaign, strconv.Itoa(int(r.Block)), strconv.Itoa(int(r.Attempt)), strconv.Itoa(int(r.Position)), r.Arm,
			strconv.FormatUint(r.Seed, 10), strconv.Itoa(int(r.Node)), r.Metric, r.Unit, strconv.FormatFloat(r.Value, 'g', -1, 64), strconv.Itoa(int(r.N)), r.Flags,
		})
	}
	w.Flush()
	if err := f.write("runs.csv", buf.Bytes()); err != nil {
		return err
	}
	if err := parquet.WriteFile(f.Path("runs.parquet"), rows); err != nil {
		return fmt.Errorf("runs.parquet: %w", err)
	}
	return nil
}
