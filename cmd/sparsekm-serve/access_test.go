package main

import (
	"bytes"
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

// TestAccessLog: a line for each request where that is asked for, and nothing of a client's in it but the path.
func TestAccessLog(t *testing.T) {
	for _, access := range []bool{true, false} {
		var lines, objects bytes.Buffer
		for b, h := range map[*bytes.Buffer]slog.Handler{&lines: &lineHandler{w: &lines}, &objects: slog.NewJSONHandler(&objects,
			nil)} {
			s, err := newServer([]string{saved(t, ripley(t), "m.skm")}, Config{Log: slog.New(h), Access: access})
			if err != nil {
				t.Fatal(err)
			}
			b.Reset()
			s.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("POST", "/v1/models/m:predict/?key=secret",
				strings.NewReader(`{"instances": [[0, 0]]}`)))
			s.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/%0A%22x%22", strings.NewReader("")))
		}
		if !access {
			if lines.Len()+objects.Len() > 0 {
				t.Errorf("found %s%s without --access-log", &lines, &objects)
			}
			continue
		}
		want := regexp.MustCompile(`^sparsekm-serve: request time=\d{4}-\S+Z remote=192\.0\.2\.1:1234 method=POST ` +
			`path="/v1/models/m:predict/" status=200 bytes=\d+ seconds=\S+\nsparsekm-serve: request time=\S+ remote=\S+ ` +
			`method=GET path="/%0A%22x%22" status=404 bytes=\d+ seconds=\S+\n$`)
		if !want.Match(lines.Bytes()) {
			t.Errorf("found %s", &lines)
		}
		var event struct {
			Time, Msg, Remote, Method, Path string
			Status, Bytes                   int
			Seconds                         *float64
		}
		if err := json.NewDecoder(&objects).Decode(&event); err != nil || event.Time == "" || event.Msg != "request" ||
			event.Remote != "192.0.2.1:1234" || event.Method != "POST" || event.Path != "/v1/models/m:predict/" ||
			event.Status != 200 || event.Bytes != len("{\"predictions\":[-1]}\n") || event.Seconds == nil {
			t.Errorf("%v, %+v", err, event)
		}
	}
}
