package cli

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

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
)

// The command says where it listens, answers, reads a model again at SIGHUP, and ends with 0 when it is stopped.
func TestServe(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.skm")
	must(t, "train", "-m", "svc", "-o", model, ripley(t))
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out, line := io.Pipe()
	var messages bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"serve", "--json", "--addr", "127.0.0.1:0", "--reload", "0", "--log", "json",
			"sparse=" + model}, strings.NewReader(""), line, &messages)
		line.Close()
	}()
	first, err := bufio.NewReader(out).ReadBytes('\n')
	var j serveJSON
	if err != nil || json.Unmarshal(first, &j) != nil || len(j.Models) != 1 || j.Models[0] != "sparse" {
		t.Fatalf("%v, %q", err, first)
	}
	url := "http://" + j.Address
	if text := post(t, url+"/predict", `{"rows": [[0.1, 0.5]]}`); !strings.Contains(text, `"labels":["`) {
		t.Errorf("answer %s", text)
	}
	before := post(t, url+"/predict", `{"rows": [[0, 0]]}`)
	must(t, "train", "-m", "svc", "--c", "7", "-o", model, ripley(t))
	if text := post(t, url+"/predict", `{"rows": [[0, 0]]}`); text != before {
		t.Errorf("the model was read again without being told to")
	}
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if err = self.Signal(syscall.SIGHUP); err != nil {
		t.Skip("no signal:", err)
	}
	for began := time.Now(); post(t, url+"/predict", `{"rows": [[0, 0]]}`) == before; time.Sleep(time.Millisecond) {
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

func post(t *testing.T, url, body string) string {
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
	must(t, "train", "-m", "svc", "-o", model, ripley(t))
	for want, args := range map[string][]string{
		"no.skm":                   {"no.skm"},
		"is a folder":              {"x=" + filepath.Dir(model)},
		"both called m":            {model, model},
		"--addr":                   {"--addr", "nowhere", model},
		"--timeout: found 0s":      {"--timeout", "0", model},
		"--reload: found -1s":      {"--reload", "-1s", model},
		"--requests: found -1":     {"--requests", "-1", model},
		"--connections: found 0":   {"--connections", "0", model},
		"--tls-key: found no":      {"--tls-key", model, model},
		"--tls-cert: found no":     {"--tls-cert", model, model},
		"m.skm with ":              {"--tls-cert", model, "--tls-key", model, model},
		"a token of ":              {"--token-file", os.DevNull, model},
		"--features: found -1":     {"--features", "-1", model},
		`"0" is not a size`:        {"--max-body", "0", model},
		"must be one of":           {"--log", "xml", model},
		"expected \"<model> ...\"": nil,
	} {
		r := command(t, "", append([]string{"serve"}, args...)...)
		if r.code == session.Done || r.stdout != "" || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: status %d, %q, %q, want %q", args, r.code, r.stdout, r.stderr, want)
		}
	}
}
