package verify

import (
	"encoding/json"
	"fmt"
)

// about reads what the first line says about the server's settings.
func (r *replay) about(rec *record) error {
	if r.o.QueueExpected != 0 {
		return nil
	}
	if rec.Settings == nil {
		return nil
	}
	var a struct {
		MinimumTxn int `json:"minimum_txn_in_ledger_standalone"`
	}
	if err := json.Unmarshal(rec.Settings, &a); err != nil {
		return fmt.Errorf("settings: %w", err)
	}
	r.o.QueueExpected = a.MinimumTxn
	return nil
}
