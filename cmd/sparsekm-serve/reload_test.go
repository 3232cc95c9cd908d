package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn/svc"
	"github.com/sparsekm/sparsekm/model"
)

// While clients ask, the file is replaced again and again, by models and by what is none, whole and in pieces. No
// request fails, and every answer is that of the model that it names.
func TestReloadUnderLoad(t *testing.T) {
	point := []float64{0.3, 0.6}
	sparse, dense := ripley(t), trained(t, "ripley.train.libsvm", sparsekm.Options{Kernel: gram.RBF(2), Trainer: svc.Trainer{}})
	file := saved(t, sparse, "m.skm")
	s, err := newServer([]string{file}, Config{Watch: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	decisions := map[string]float64{s.models["m"].now.Load().id(): sparse.Decide(point)}
	other, err := s.read(saved(t, dense, "other.skm"))
	if err != nil {
		t.Fatal(err)
	}
	decisions[other.id()] = dense.Decide(point)
	l := listener(t)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, l) }()

	var clients sync.WaitGroup
	var done atomic.Bool
	var seen sync.Map // versions that answered
	for range 3 {
		clients.Go(func() {
			for !done.Load() {
				version, f, failed := decision("http://"+l.Addr().String()+"/v2/models/m/infer", `{"inputs": [{"name": "x",
					"shape": [1, 2], "datatype": "FP64", "data": [0.3, 0.6]}]}`)
				if want, known := decisions[version]; failed != nil || !known || f != want {
					t.Errorf("version %q: decision %v, want %v; %v", version, f, want, failed)
					return
				}
				seen.Store(version, true)
			}
		})
	}
	answered := func(v *version) func() bool {
		return func() bool {
			seen.Clear()
			time.Sleep(5 * time.Millisecond)
			_, ok := seen.Load(v.id())
			return ok || t.Failed()
		}
	}
	first := s.models["m"].now.Load()
	for range 5 {
		if err = dense.Save(file, model.SKM); err != nil {
			t.Fatal(err)
		}
		waitFor(t, answered(other))
		failures := s.models["m"].failures.Load()
		if err = os.WriteFile(file, []byte("SKM, and nothing that follows"), 0o600); err != nil {
			t.Fatal(err)
		}
		waitFor(t, func() bool { return s.models["m"].failures.Load() > failures || t.Failed() })
		inPieces(t, file, sparse)
		waitFor(t, answered(first))
	}
	done.Store(true)
	clients.Wait()
	stop()
	if err = <-ended; err != nil {
		t.Error(err)
	}
}

// inPieces writes a model over a file as a program does that knows no better.
func inPieces(t *testing.T, file string, clf *model.Classifier) {
	t.Helper()
	text, err := clf.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	for len(text) > 0 {
		n := min(len(text), 64)
		if _, err = f.Write(text[:n]); err != nil {
			t.Fatal(err)
		}
		text = text[n:]
		time.Sleep(time.Millisecond)
	}
	if err = f.Close(); err != nil {
		t.Fatal(err)
	}
}

// decision asks for one sample's.
func decision(url, body string) (version string, f float64, err error) {
	r, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		return "", 0, err
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return "", 0, err
	}
	var a struct {
		Version string `json:"model_version"`
		Outputs []output
	}
	if err = json.Unmarshal(text, &a); err != nil || r.StatusCode != 200 {
		return "", 0, errors.Join(err, errors.New(string(text)))
	}
	return a.Version, a.Outputs[1].Data[0].(float64), nil
}

// A file that is broken or away keeps its model and is complained of once; one that was touched is no new model.
func TestReload(t *testing.T) {
	var log bytes.Buffer
	clf := ripley(t)
	file := saved(t, clf, "m.skm")
	s, err := newServer([]string{file}, Config{Log: slog.New(slog.NewJSONHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	m := s.models["m"]
	first := m.now.Load()
	expect := func(what, message string) {
		t.Helper()
		for range 3 {
			s.Reload()
		}
		if got := log.String(); strings.Count(got, "\n") != strings.Count(message, "\n") ||
			!strings.Contains(got, strings.TrimSpace(message)) {
			t.Errorf("%s: log %q, want %q", what, got, message)
		}
		log.Reset()
	}
	when := time.Now()
	touch := func() {
		when = when.Add(time.Second)
		if err = os.Chtimes(file, when, when); err != nil {
			t.Fatal(err)
		}
	}
	expect("nothing changed", "")
	touch()
	expect("touched", "")
	if err = os.Remove(file); err != nil {
		t.Fatal(err)
	}
	expect("removed", "no such file\n")
	text, err := clf.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	if err = os.WriteFile(file, text[:len(text)-1], 0o600); err != nil {
		t.Fatal(err)
	}
	expect("cut short", "truncated\n")
	touch()
	expect("cut short, once more", "truncated\n")
	if m.now.Load() != first || m.failures.Load() != 3 {
		t.Errorf("%d failures, and another model: %v", m.failures.Load(), m.now.Load() != first)
	}
	if err = clf.Save(file, model.SKM); err != nil {
		t.Fatal(err)
	}
	expect("back", "")
	if err = iris(t).Save(file, model.SKM); err != nil {
		t.Fatal(err)
	}
	expect("another", "m was read again\n")
	if d := s.models["m"].now.Load().clf.NumFeatures(); d != 4 {
		t.Errorf("a model of %d features serves", d)
	}
}
