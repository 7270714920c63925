package config

import (
	"slices"
	"testing"
	"time"
)

// TestNodeSize: a size sets what nobody set, the default size is what the table says, and every size is in the table.
func TestNodeSize(t *testing.T) {
	f, err := Lookup("node.size")
	if err != nil {
		t.Fatal(err)
	}
	if len(nodeSizes) != len(f.Allowed) || !slices.Contains(f.Allowed, f.Default) {
		t.Errorf("sizes %v, default %s", f.Allowed, f.Default)
	}
	for _, size := range f.Allowed {
		r, err := NewRegistry(map[string]string{"node.size": size, "cache.tree.age": "7s"})
		if err != nil {
			t.Fatal(err)
		}
		for key, want := range nodeSizes[size] {
			if key == "cache.tree.age" {
				want = "7s"
			}
			if got := r.Get(key).String(); got != want {
				t.Errorf("%s: %s is %s, want %s", size, key, got, want)
			}
		}
	}
	for key, want := range nodeSizes[f.Default] {
		if d, err := Lookup(key); err != nil || d.Default != want {
			t.Errorf("%s: default %s, node.size=%s says %s (%v)", key, d.Default, f.Default, want, err)
		}
	}
	r, err := NewRegistry(map[string]string{"node.size": "huge"})
	if err != nil || r.Duration("cache.tree.age") != 15*time.Minute || r.Int("cache.tree.size") != 8_388_608 {
		t.Errorf("huge: %v", err)
	}
}
