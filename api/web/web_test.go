package web

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestServe(t *testing.T) {
	reg := prometheus.NewRegistry()
	c := prometheus.NewCounter(prometheus.CounterOpts{Name: "a_total", Help: "A."})
	reg.MustRegister(c)
	ready := false
	s := New(Options{Gatherer: reg, Ready: func() (bool, string) { return ready, "syncing" }, Counts: func() any { return map[string]int{"x": 1} }})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l) }()
	defer func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		http.DefaultClient.CloseIdleConnections()
	}()
	get := func(path, host, accept string) (int, string, string) {
		t.Helper()
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+l.Addr().String()+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if host != "" {
			req.Host = host
		}
		req.Header.Set("Accept", accept)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(body), resp.Header.Get("Content-Type")
	}
	for _, tc := range []struct {
		path, host, accept, want, ctype string
		code                            int
	}{
		{"/metrics", "", "", "a_total 0", "text/plain", 200},
		{"/metrics", "", "application/openmetrics-text; version=1.0.0", "# EOF", "application/openmetrics-text", 200},
		{"/metrics", "evil.example", "", "not served", "", 403},
		{"/healthz", "localhost:80", "", "ok", "", 200},
		{"/readyz", "", "", "syncing", "", 503},
		{"/counts", "", "", `{"x":1}`, "application/json", 200},
		{"/debug/pprof/goroutine?debug=1", "", "", "goroutine profile", "", 200},
		{"/nothing", "", "", "not found", "", 404},
	} {
		code, body, ctype := get(tc.path, tc.host, tc.accept)
		if code != tc.code || !strings.Contains(body, tc.want) || !strings.HasPrefix(ctype, tc.ctype) {
			t.Errorf("%s %s: %d %s %.80q", tc.path, tc.host, code, ctype, body)
		}
	}
}
