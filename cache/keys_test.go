package cache

import (
	"testing"
	"time"
)

func TestKeysSweep(t *testing.T) {
	clk := new(clock)
	c := NewKeys[int](Options{Name: "keys", TargetAge: 10 * time.Second, TargetSize: 4, Partitions: 2, SweepChunk: 1}, intHash, clk.now)
	for k := range 3 {
		if !c.Insert(k) || c.Insert(k) {
			t.Errorf("insert %d", k)
		}
	}
	clk.add(5 * time.Second)
	c.Touch(0)
	clk.add(5 * time.Second)
	if s := c.Sweep(clk.now()); s.MapRemovals != 2 || s.SizeAfter != 1 || !c.Touch(0) || c.Touch(1) {
		t.Errorf("%+v", s)
	}
	clk.add(-time.Hour) // the clock goes back: keys from the future become new
	c.Sweep(clk.now())
	clk.add(9 * time.Second)
	if s := c.Sweep(clk.now()); s.SizeAfter != 1 {
		t.Errorf("a key from the future is too old: %+v", s)
	}
	clk.add(2 * time.Second)
	if s := c.Sweep(clk.now()); s.SizeAfter != 0 {
		t.Errorf("%+v", s)
	}
}

func TestKeysGeneration(t *testing.T) {
	c := NewKeys[int](Options{Name: "keys"}, intHash, new(clock).now)
	c.Insert(1)
	if c.Generation() != 1 {
		t.Errorf("generation %d", c.Generation())
	}
	c.Clear()
	if c.Generation() != 2 || c.Touch(1) || c.Stats().Size != 0 {
		t.Errorf("after clear: %+v", c.Stats())
	}
	c.Reset()
	if c.Generation() != 1 {
		t.Errorf("after reset: %d", c.Generation())
	}
}

func TestLRU(t *testing.T) {
	c, err := NewLRU[int, *value](Options{Name: "lru", TargetSize: 3, Partitions: 1}, intHash, new(clock).now)
	if err != nil {
		t.Fatal(err)
	}
	first := put(c, 1)
	held, _ := c.Canonicalize(2, newValue(2), ReplaceClient)
	put(c, 3)
	has(t, c, 2)
	put(c, 4) // pushes 1 out
	if first.Alive() || has(t, c, 1) || c.Stats().Evicted != 1 {
		t.Errorf("%+v", c.Stats())
	}
	c.Clear()
	if !held.Alive() || c.Stats().Size != 0 {
		t.Error("clear took a value that is held, or left something")
	}
	mine := newValue(9)
	put(c, 9)
	got, existed := c.Canonicalize(9, mine, ReplaceCache)
	if !existed || got != mine || mine.refs.Load() != 2 {
		t.Errorf("replace: %d references", mine.refs.Load())
	}
	if _, err := NewLRU[int, *value](Options{Name: "lru"}, intHash, new(clock).now); err == nil {
		t.Error("an LRU without capacity was made")
	}
}
