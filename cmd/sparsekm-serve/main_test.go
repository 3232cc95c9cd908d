package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn/svc"
)

// The command says where it listens, answers, reads a model again at SIGHUP, and ends with 0 when it is stopped.
func TestServe(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.skm")
	save(t, model, 1)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out, line := io.Pipe()
	var messages bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"--json", "--addr", "127.0.0.1:0", "sparse=" + model, "--reload", "0", "--log", "json"},
			line, &messages)
		line.Close()
	}()
	first, err := bufio.NewReader(out).ReadBytes('\n')
	var j listening
	if err != nil || json.Unmarshal(first, &j) != nil || len(j.Models) != 1 || j.Models[0] != "sparse" {
		t.Fatalf("%v, %q", err, first)
	}
	url := "http://" + j.Address
	if text := postTo(t, url+"/predict", `{"rows": [[0.1, 0.5]]}`); !strings.Contains(text, `"labels":["`) {
		t.Errorf("answer %s", text)
	}
	before := postTo(t, url+"/predict", `{"rows": [[0, 0]]}`)
	save(t, model, 7)
	if text := postTo(t, url+"/predict", `{"rows": [[0, 0]]}`); text != before {
		t.Errorf("the model was read again without being told to")
	}
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if err = self.Signal(syscall.SIGHUP); err != nil {
		t.Skip("no signal:", err)
	}
	for began := time.Now(); postTo(t, url+"/predict", `{"rows": [[0, 0]]}`) == before; time.Sleep(time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatal("no new model after a minute")
		}
	}
	stop()
	if code := <-ended; code != session.Done {
		t.Errorf("status %d, %s", code, &messages)
	}
	var event struct{ Level, Msg string }
	if err = json.Unmarshal(messages.Bytes(), &event); err != nil || event.Level != "INFO" ||
		!strings.Contains(event.Msg, "sparse was read again") {
		t.Errorf("%v, %q", err, &messages)
	}
}

// save trains a model and writes its file.
func save(t *testing.T, name string, c float64) {
	t.Helper()
	set, err := dataset.ReadFile(filepath.Join(testutil.Root(t), "testdata", "ripley.train.libsvm"), dataset.Options{})
	if err != nil {
		t.Fatal(err)
	}
	clf, _, err := sparsekm.Train(t.Context(), set, sparsekm.Options{Trainer: svc.Trainer{C: c}, Kernel: gram.RBFSigma(0.5)})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := clf.MarshalBinary()
	if err == nil {
		err = os.WriteFile(name+".new", raw, 0o644)
	}
	if err == nil {
		err = os.Rename(name+".new", name)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func postTo(t *testing.T, url, body string) string {
	t.Helper()
	r, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("status %d, %v, %s", r.StatusCode, err, text)
	}
	return string(text)
}

// What cannot be served is said before anything listens.
func TestServeRefuses(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.skm")
	save(t, model, 1)
	for want, args := range map[string][]string{
		"no.skm":                 {"no.skm"},
		"is no regular file":     {"x=" + filepath.Dir(model)},
		"both called m":          {model, model},
		"--addr":                 {"--addr", "nowhere", model},
		"--timeout: found 0s":    {"--timeout", "0", model},
		"--reload: found -1s":    {"--reload", "-1s", model},
		"--requests: found -1":   {"--requests", "-1", model},
		"--connections: found 0": {"--connections", "0", model},
		"--tls-key: found no":    {"--tls-key", model, model},
		"--tls-cert: found no":   {"--tls-cert", model, model},
		"m.skm with ":            {"--tls-cert", model, "--tls-key", model, model},
		"a token of ":            {"--token-file", os.DevNull, model},
		"--features: found -1":   {"--features", "-1", model},
		`"0" is not a size`:      {"--max-body", "0", model},
		"want text or json":      {"--log", "xml", model},
		"not defined: -port":     {"--port", "80", model},
		"found no model":         nil,
	} {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), args, &stdout, &stderr)
		if code == session.Done || stdout.Len() > 0 || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: status %d, %q, %q, want %q", args, code, &stdout, &stderr, want)
		}
	}
	for flag, want := range map[string]string{"--help": "token-file", "--version": ""} {
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), []string{flag}, &stdout, &stderr); code != session.Done || !strings.Contains(stderr.String(), want) {
			t.Errorf("%s: status %d, %q, %q", flag, code, &stdout, &stderr)
		}
	}
}
