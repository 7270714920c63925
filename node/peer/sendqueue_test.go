package peer

import (
	"testing"
	"time"
)

// TestFramesKeepTheirCounts: whatever waits, a frame never holds more of a kind
// than its receiver takes, and nothing is left behind.
func TestFramesKeepTheirCounts(t *testing.T) {
	for k := kindStatus; k <= kindPing; k++ {
		n := 2*specs[k].countMax + 1
		q := newSendQueue(n, 1<<30)
		for range n {
			if q.push(time.Time{}, whenFlushed, 1, message{kind: k, data: make([]byte, specs[k].bytesMin)}) != 0 {
				t.Fatalf("kind %d: refused", k)
			}
		}
		got := 0
		for q.len() > 0 {
			batch := q.take(1<<30, nil)
			if len(batch) == 0 || len(batch) > specs[k].countMax {
				t.Fatalf("kind %d: a frame of %d messages, allowed %d", k, len(batch), specs[k].countMax)
			}
			got += len(batch)
		}
		if got != n {
			t.Errorf("kind %d: %d of %d messages came out", k, got, n)
		}
	}
}
