package model

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// processFolder has files that the exporters of docs/gp wrote, and what the packages predict with their models.
const processFolder = "testdata/gp"

// exported is what gpfiles.py writes of a model.
type exported struct {
	Rows           [][]float64
	Mean, Variance []float64
}

// compareExported wants the packages' means and variances of every model in the folder, to 1e-10: of the variance, and
// of the larger of the mean and the standard deviation. The variance is a difference of numbers as large as the
// prior's, and so has some of their roundings on both sides. It returns the number of models.
func compareExported(t *testing.T, folder string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "predictions.json"))
	if err != nil {
		t.Fatal(err)
	}
	var known map[string]exported
	if err = json.Unmarshal(text, &known); err != nil {
		t.Fatal(err)
	}
	for name, want := range known {
		c, err := Load(filepath.Join(folder, name+".npz"))
		if err != nil {
			t.Error(err)
			continue
		}
		if len(want.Rows) < 10 || len(want.Mean) != len(want.Rows) || len(want.Variance) != len(want.Rows) {
			t.Errorf("%s: %d rows, %d means, %d variances", name, len(want.Rows), len(want.Mean), len(want.Variance))
		}
		const roundings = 32 * 0x1p-53
		prior := c.parts.process().Prior
		for i, row := range want.Rows {
			mean, variance := c.MeanVariance(row)
			at := fmt.Sprintf("%s, row %d", name, i)
			scale := max(math.Abs(want.Mean[i]), math.Sqrt(want.Variance[i]))
			testutil.Near(t, at+", mean", mean, want.Mean[i], 1e-10*scale)
			testutil.Near(t, at+", variance", variance, want.Variance[i], 1e-10*want.Variance[i]+roundings*prior)
		}
	}
	return len(known)
}

// classified is what gpfiles.py writes of a classifier: no probabilities of pairs.
type classified struct {
	Rows          [][]float64
	Classes       []string
	Probabilities [][]float64
}

// compareClassifiers wants scikit-learn's classes, and its probabilities to 1e-8, of every classifier in the folder,
// from its file and from ours. It returns the number of classifiers with probabilities and without.
func compareClassifiers(t *testing.T, folder string) (with, without int) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "classes.json"))
	if err != nil {
		t.Fatal(err)
	}
	var known map[string]classified
	if err = json.Unmarshal(text, &known); err != nil {
		t.Fatal(err)
	}
	for name, want := range known {
		c, err := Load(filepath.Join(folder, "classes-"+name+".npz"))
		if err != nil {
			t.Error(err)
			continue
		}
		if len(want.Rows) < 10 || len(want.Classes) != len(want.Rows) {
			t.Errorf("%s: %d rows, %d classes", name, len(want.Rows), len(want.Classes))
		}
		for _, f := range []Format{SKM, JSON} {
			if d := sameParts(c, throughFile(t, c, f)); d != "" {
				t.Errorf("%s through %v: %s", name, f, d)
			}
		}
		for i, row := range want.Rows {
			if class := c.Label(c.Predict(row)); class != want.Classes[i] {
				t.Errorf("%s, row %d: class %s, want %s", name, i, class, want.Classes[i])
			}
		}
		if len(want.Probabilities) == 0 {
			if without++; c.Calibrated() == nil {
				t.Errorf("%s has probabilities", name)
			}
			continue
		}
		with++
		p := make([]float64, c.NumClasses())
		for i, row := range want.Rows {
			c.Probabilities(p, row)
			testutil.NearAll(t, fmt.Sprintf("%s, row %d", name, i), p, want.Probabilities[i], 1e-8)
		}
	}
	return with, without
}

// Recorded classifiers of scikit-learn have its classes and probabilities.
func TestProcessClassifierFiles(t *testing.T) {
	if with, without := compareClassifiers(t, processFolder); with < 5 || without < 1 {
		t.Errorf("%d classifiers with probabilities, %d without", with, without)
	}
}

// Recorded files of all three packages have their means and variances.
func TestProcessFiles(t *testing.T) {
	if n := compareExported(t, processFolder); n < 10 {
		t.Errorf("%d models", n)
	}
}

// Models of real tables, trained now by the packages that Python has, have their means and variances.
func TestProcessPeers(t *testing.T) {
	if testing.Short() {
		t.Skip("trains in Python")
	}
	python, root := pythonWithSklearn(t), testutil.Root(t)
	script := filepath.Join(root, "bench", "peers", "peer", "gpfiles.py")
	export := func(folder, data string, vectors, samples int) {
		cmd := exec.Command(python, script, folder, data, fmt.Sprint(vectors), fmt.Sprint(samples))
		cmd.Env = append(os.Environ(), "TF_CPP_MIN_LOG_LEVEL=3", "PYTHONDONTWRITEBYTECODE=1")
		var failure strings.Builder
		cmd.Stderr = &failure
		absent, err := cmd.Output()
		if err != nil {
			t.Fatalf("%v\n%s", err, failure.String())
		}
		if text := strings.TrimSpace(string(absent)); text != "" {
			t.Logf("%s has no %s", python, text)
		}
	}
	if *update {
		export(processFolder, filepath.Join(root, "testdata", "diabetis.libsvm"), 8, 24)
	}
	for _, name := range []string{"diabetis"} {
		folder := t.TempDir()
		export(folder, filepath.Join(root, "testdata", name+".libsvm"), 30, 120)
		if n := compareExported(t, folder); n < 3 {
			t.Errorf("%s: %d models", name, n)
		}
		if with, without := compareClassifiers(t, folder); with < 5 || without < 1 {
			t.Errorf("%s: %d classifiers with probabilities, %d without", name, with, without)
		}
	}
}
