package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// A pipe gets the label of a row before it sends the next one.
func TestPredictStreams(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.skm")
	must(t, "train", "-m", "svc", "-o", model, ripley(t))
	in, rows := io.Pipe()
	labels, out := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- run(t.Context(), []string{"predict", model, "-"}, in, out, io.Discard)
		out.Close()
	}()
	answer := make([]byte, 16)
	for i := range 5 {
		began := time.Now()
		if _, err := fmt.Fprintf(rows, "1 1:0.%d 2:0.5\n", i+1); err != nil {
			t.Fatal(err)
		}
		n, err := labels.Read(answer) // a command that waits for more rows waits for ever
		if err != nil || n == 0 || answer[n-1] != '\n' {
			t.Fatalf("%q, %v", answer[:n], err)
		}
		t.Logf("row %d: %v", i, time.Since(began))
	}
	rows.Close()
	if code := <-ended; code != session.Done {
		t.Errorf("status %d", code)
	}
}

func TestPredictForms(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.skm")
	data := write(t, "d.csv", "u,v,class\n1,0,\"a,b\"\n0,1,c\n2,0,\"a,b\"\n0,2,c\n")
	must(t, "train", "-m", "svc", "--kernel", "linear", "-o", model, data)
	if r := must(t, "predict", model, data); r.stdout != "a,b\nc\na,b\nc\n" {
		t.Errorf("text %q", r.stdout)
	}
	r := must(t, "predict", "--to", "csv", "--decisions", model, data)
	lines := strings.Split(r.stdout, "\n")
	if lines[0] != "label,decision 0 for c" || !strings.HasPrefix(lines[1], `"a,b",-`) || len(lines) != 6 {
		t.Errorf("CSV %q", r.stdout)
	}
	r = must(t, "predict", "--to", "jsonl", "--decisions", model, data)
	dec := json.NewDecoder(strings.NewReader(r.stdout))
	for i, want := range []string{"a,b", "c", "a,b", "c"} {
		var o struct {
			Row       int
			Label     string
			Decisions []float64
		}
		if err := dec.Decode(&o); err != nil || o.Row != i || o.Label != want || len(o.Decisions) != 1 {
			t.Errorf("object %d: %+v, %v", i, o, err)
		}
	}
	r = command(t, "", "predict", "--json", "--to", "csv", model, data)
	if r.code != session.Usage || !strings.Contains(r.stderr, "--to csv") {
		t.Errorf("status %d, %q", r.code, r.stderr)
	}
}

// Samples without labels need no flag where their columns say so, and a person is told.
func TestPredictWithoutLabels(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.skm")
	must(t, "train", "-m", "svc", "-o", model, ripley(t))
	for _, text := range []string{"1:0.1 2:0.5\n1:0.2 2:0.7\n", "0.1,0.5\n0.2,0.7\n", "x,y\n0.1,0.5\n0.2,0.7\n"} {
		r := command(t, text, "predict", model, "-")
		if r.code != session.Done || strings.Count(r.stdout, "\n") != 2 || !strings.Contains(r.stderr, "no labels") {
			t.Errorf("%q: status %d, %q, %q", text, r.code, r.stdout, r.stderr)
		}
	}
}

// Rows of a LIBSVM file that all end before the model's last feature are those of something else; rows that
// end at different places leave out zeros. Rows before a bad one are written, and a file is not.
func TestPredictRows(t *testing.T) {
	dir := t.TempDir()
	model := filepath.Join(dir, "m.skm")
	must(t, "train", "-m", "svc", "--kernel", "poly", "-o", model,
		write(t, "d.libsvm", "1 1:1 3:1\n-1 2:1\n1 1:2\n-1 2:3 3:1\n"))
	const many = 3 * maxEarly
	short := strings.Repeat("1 2:1\n", many)
	for _, tt := range []struct {
		text   string
		labels int
		want   string // in the error
	}{
		{"1 2:1\n1 1:1\n", 2, ""},
		{short + "1 3:1\n", many + 1, ""},
		{"1 2:1\n1 2:2\n", 0, "found 2 features, want 3"},
		{short, many, "found 2 features, want 3"},
		{"1 3:1\n1 4:1\n", 0, "found 4 features, want 3"},
		{"1 3:1\n1 3:2\n1 3:x\n", 2, ":3:5: found"},
		{"1 3:1\n1 3:1e308\n1 3:1\n", 1, "row 1 (from 0)"},
	} {
		out := filepath.Join(dir, "out")
		for _, args := range [][]string{{"-"}, {"-", "-o", out}} {
			r := command(t, tt.text, append([]string{"predict", model}, args...)...)
			if (r.code == session.Done) != (tt.want == "") || !strings.Contains(r.stderr, tt.want) {
				t.Errorf("%.30q: status %d, %q; want %q", tt.text, r.code, r.stderr, tt.want)
			}
			if n := strings.Count(r.stdout, "\n"); len(args) == 1 && n != tt.labels {
				t.Errorf("%.30q: %d labels, want %d", tt.text, n, tt.labels)
			}
			if len(args) > 1 && tt.want != "" {
				if _, err := os.Stat(out); err == nil {
					t.Errorf("%.30q: the file is there", tt.text)
				}
			}
			_ = os.Remove(out) // which may not be there
		}
	}
}

// The metrics are those of the whole file, however many batches it makes, and a person sees them.
func TestPredictMetrics(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.skm")
	must(t, "train", "-m", "svc", "--kernel", "linear", "-o", model,
		write(t, "d.libsvm", "1 1:1\n-1 1:-1\n1 1:2\n-1 1:-2\n"))
	const times = 20000 // more than a batch
	data := write(t, "t.libsvm", strings.Repeat("1 1:3\n1 1:-1\n-1 1:-2\n", times))
	m := object(t, "predict", "-o", filepath.Join(t.TempDir(), "labels"), model, data)["metrics"].(map[string]any)
	want := [][]float64{{times, 0}, {times, times}}
	for i, row := range m["confusion"].([]any) {
		for k, v := range row.([]any) {
			testutil.Near(t, "confusion", v.(float64), want[i][k], 0)
		}
	}
	testutil.Near(t, "balanced accuracy", m["balanced_accuracy"].(float64), 0.75, 1e-15)
	testutil.Near(t, "AUC", m["auc"].(float64), 1, 0)
	positive := m["classes"].([]any)[1].(map[string]any)
	testutil.Near(t, "recall", positive["recall"].(float64), 0.5, 0)
	testutil.Near(t, "precision", positive["precision"].(float64), 1, 0)
	if r := must(t, "predict", model, data); !strings.Contains(r.stderr, "balanced accuracy 0.750, AUC 1.0000") ||
		!strings.Contains(r.stderr, "precision 1.000, recall 0.500, F1 0.667") {
		t.Errorf("standard error %q", r.stderr)
	}
}

// Every form has the probabilities of the classes, those that LIBSVM wrote for its own model.
func TestPredictProbability(t *testing.T) {
	data := testutil.Testdata(t, "iris.libsvm")
	libsvm := filepath.Join(testutil.Root(t), "model", "testdata", "iris.model")
	text := strings.Fields(strings.SplitN(must(t, "predict", "--probability", libsvm, data).stdout, "\n", 2)[0])
	all := object(t, "predict", "--probability", libsvm, data)
	first := all["probabilities"].([]any)[0].([]any)
	if got := fmt.Sprint(all["classes"]); got != "[1 2 3]" || len(all["probabilities"].([]any)) != 150 {
		t.Errorf("classes %s", got)
	}
	lines := strings.Split(must(t, "predict", "--probability", "--decisions", "--to", "csv", libsvm, data).stdout, "\n")
	if !strings.HasSuffix(lines[0], ",probability of 1,probability of 2,probability of 3") {
		t.Errorf("header %q", lines[0])
	}
	cells := strings.Split(lines[1], ",")
	var o struct{ Probabilities map[string]float64 }
	r := must(t, "predict", "--probability", "--to", "jsonl", libsvm, data)
	if err := json.NewDecoder(strings.NewReader(r.stdout)).Decode(&o); err != nil {
		t.Fatal(err)
	}
	for k, want := range []float64{0.973758, 0.012687, 0.0135549} { // by svm-predict -b 1
		testutil.Near(t, "LIBSVM", first[k].(float64), want, 0.005/3)
		exact := fmt.Sprint(first[k])
		if text[1+k] != exact || cells[4+k] != exact || fmt.Sprint(o.Probabilities[fmt.Sprint(k+1)]) != exact {
			t.Errorf("class %d: %s; text %q, CSV %q, an object a line %v", k+1, exact, text, cells, o.Probabilities)
		}
	}
	model := filepath.Join(t.TempDir(), "m.skm")
	must(t, "train", "-m", "svc", "-o", model, data)
	out := filepath.Join(t.TempDir(), "out")
	refused := command(t, "", "predict", "--probability", "-o", out, model, data)
	if _, err := os.Stat(out); refused.code != session.Failed || !strings.Contains(refused.stderr, "no probabilities") ||
		err == nil {
		t.Errorf("status %d, %q, file %v", refused.code, refused.stderr, err)
	}
}
