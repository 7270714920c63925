package ledger

import (
	"maps"

	"ledgerlab/node/protocol"
)

// action says what a view does with an entry of its base.
type action uint8

const (
	actRead   action = iota // seen, not changed
	actInsert               // new
	actModify               // changed
	actErase                // gone
	actThread               // changed by threading alone (within a Sandbox)
)

// change is one entry of a view that differs from the base.
type change struct {
	act   action
	entry protocol.Entry // nil when erased
}

// table holds the changes of an OpenView. There are two kinds: copyTable is
// duplicated whole at each clone, as rippled's OpenView is; a layered one can take
// its place without any change above this interface.
type table interface {
	get(key protocol.Hash) (change, bool)
	put(key protocol.Hash, c change)
	drop(key protocol.Hash)
	len() int
	each(fn func(key protocol.Hash, c change) bool)
	clone() table
}

// copyTable is a plain map; its clone costs in proportion to its size.
type copyTable struct{ m map[protocol.Hash]change }

func newCopyTable(sizeHint int) *copyTable {
	return &copyTable{m: make(map[protocol.Hash]change, sizeHint)}
}

func (t *copyTable) get(key protocol.Hash) (change, bool) {
	c, ok := t.m[key]
	return c, ok
}

func (t *copyTable) put(key protocol.Hash, c change) { t.m[key] = c }
func (t *copyTable) drop(key protocol.Hash)          { delete(t.m, key) }
func (t *copyTable) len() int                        { return len(t.m) }
func (t *copyTable) clone() table                    { return &copyTable{m: maps.Clone(t.m)} }

func (t *copyTable) each(fn func(key protocol.Hash, c change) bool) {
	for k, c := range t.m {
		if !fn(k, c) {
			return
		}
	}
}
