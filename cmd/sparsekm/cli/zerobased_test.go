package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
)

const (
	zeroTrain = "1 0:2 1:0.5\n-1 0:-2 2:0.25\n1 0:1.5 2:1\n-1 1:1 2:-2\n1 0:2.5\n-1 0:-1 1:0.125\n"
	zeroTest  = "1 0:2\n-1 0:-1 2:0.5\n1 1:1 2:1\n" // its last row is that of zeroPart
	zeroPart  = "1 1:1 2:1\n"
)

// LIBSVM text from index 0 needs no flag, and a model keeps it: a file in which feature 0 is absent is read alike.
func TestIndexZero(t *testing.T) {
	dir := t.TempDir()
	data, test, part := write(t, "d", zeroTrain), write(t, "t", zeroTest), write(t, "p", zeroPart)
	out := func(name string) string { return filepath.Join(dir, name) }
	read := func(name string) []string {
		text, err := os.ReadFile(out(name))
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(string(text)), "\n")
	}
	must(t, "train", "--method", "svc", "--kernel", "rbf", "--gamma", "0.5", "--scale", "none", "--test", part,
		"--out", out("m.skm"), data)
	must(t, "convert", out("m.skm"), "--to", "libsvm", "--out", out("m.model"))
	must(t, "convert", out("m.skm"), "--to", "json", "--out", out("m.json"))
	must(t, "convert", out("m.model"), "--to", "skm", "--out", out("again.skm"))
	must(t, "reduce", out("m.model"), "--train", data, "--max-sv", "3", "--out", out("small.skm"))
	for _, model := range []string{"m.skm", "m.model", "m.json", "again.skm"} {
		must(t, "info", out(model))
		must(t, "predict", "--decisions", "--out", out("all"), out(model), test)
		must(t, "predict", "--decisions", "--out", out("last"), out(model), part)
		if all, last := read("all"), read("last"); len(all) != 3 || all[2] != last[0] {
			t.Errorf("%s: %q, without index 0 %q", model, all, last)
		}
	}
	if text := strings.Join(read("m.model"), "\n"); !strings.Contains(text, " 0:2 1:0.5") {
		t.Error(text)
	}
}

// A model of features from 1 refuses index 0 where its training is known, and says which flag would have helped. One of
// LIBSVM's gets a feature more, as there.
func TestIndexZeroLater(t *testing.T) {
	data := write(t, "d", "1 1:2 2:0.5\n-1 1:-2 2:1\n1 1:1\n-1 1:-1\n")
	test := write(t, "t", "1 1:2\n-1 0:1 1:-1\n1 0:3 1:2\n")
	dir := t.TempDir()
	skm, model, labels := filepath.Join(dir, "m.skm"), filepath.Join(dir, "m"), filepath.Join(t.TempDir(), "labels")
	must(t, "train", "--method", "svc", "--kernel", "linear", "--scale", "none", "--out", skm, data)
	const want = "found index 0, want indices from 1, as the model was trained with (train --zero-based"
	refused(t, session.Failed, want, labels, "predict", "--out", labels, skm, test)
	refused(t, session.Failed, "found index 0, want indices from 1, as the training file has (train --zero-based", labels,
		"train", "--method", "svc", "--test", test, "--out", labels, data)
	text := "svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 1\nrho 0\nlabel 1 -1\nnr_sv 1 0\nSV\n1 1:1 \n"
	if err := os.WriteFile(model, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	must(t, "predict", "--decisions", "--out", labels, model, test)
	if got, err := os.ReadFile(labels); err != nil || string(got) != "1 2\n-1 -1\n1 2\n" {
		t.Errorf("%q, %v", got, err)
	}
}
