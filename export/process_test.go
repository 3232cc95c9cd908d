package export_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/export"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/model"
	_ "github.com/sparsekm/sparsekm/model/importers/all"
)

// The C program of a Gaussian process has the model's mean and variance; in single precision it has the mean alone.
func TestProcessC(t *testing.T) {
	gcc := testutil.Program(t, "gcc")
	files, err := filepath.Glob(filepath.Join(testutil.Root(t), "model", "testdata", "gp", "*.npz"))
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	dir := t.TempDir()
	var source, calls strings.Builder
	var want []float64
	var rows []string
	source.WriteString("#include <stdio.h>\n")
	for i, file := range files {
		c, failed := model.Load(file)
		if failed != nil {
			t.Fatal(failed)
		}
		if c.Uncertain() != nil {
			continue // of classes
		}
		name := fmt.Sprintf("m%d", i)
		var header, single bytes.Buffer
		if err = export.Write(&header, c, "c", export.Options{Name: name}); err == nil {
			err = export.Write(&single, c, "c", export.Options{Name: name, Float: true})
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name+".h"), header.Bytes(), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(single.Bytes(), []byte("variance")) {
			t.Errorf("%s: a variance in single precision", file)
		}
		fmt.Fprintf(&source, "#include \"%s.h\"\n", name)
		x := make([]float64, c.NumFeatures())
		for row := range 6 {
			for k := range x {
				x[k] = float64((row*(k+3))%7)/2 - 1
			}
			mean, variance := c.MeanVariance(x)
			want = append(want, mean, variance)
			rows = append(rows, fmt.Sprintf("%s, row %d", file, row))
			texts := strings.Trim(fmt.Sprint(x), "[]")
			fmt.Fprintf(&calls, "\t{\n\t\tconst double x[] = {%s};\n\t\tdouble m, v = %s_variance(x, &m);\n"+
				"\t\tprintf(\"%%.17g %%.17g\\n\", m, v);\n\t}\n", strings.ReplaceAll(texts, " ", ", "), name)
		}
	}
	fmt.Fprintf(&source, "int main(void)\n{\n%s\treturn 0;\n}\n", calls.String())
	path, program := filepath.Join(dir, "main.c"), filepath.Join(dir, "main")
	if err = os.WriteFile(path, []byte(source.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"-std=c99", "-O1", "-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Wsign-conversion", "-Werror", "-o", program, path, "-lm"}
	if text, failed := exec.Command(gcc, args...).CombinedOutput(); failed != nil {
		t.Fatalf("%v\n%s", failed, text)
	}
	out, err := exec.Command(program).Output()
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Fields(string(out))
	if len(got) != len(want) {
		t.Fatalf("%d numbers, want %d", len(got), len(want))
	}
	for i, text := range got {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		testutil.NearRel(t, rows[i/2], v, want[i], 1e-11)
	}
}

// classifiers returns classifiers of Gaussian processes: recorded ones, one of them with spreads and prediction sets,
// and as pairs with kernels of their own.
func classifiers(t *testing.T) (all []*testCase) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(testutil.Root(t), "model", "testdata", "gp", "classes-*.npz"))
	if err != nil || len(files) < 6 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	rnd := dataset.NewRand(8)
	add := func(name string, c *model.Classifier) {
		x := rows(rnd, 20, c.NumFeatures())
		for i := range x {
			x[i] = 3 + 2*x[i]
		}
		tc := newCase(t, name, c, x)
		tc.odds = c.Parts().Latent != nil
		all = append(all, tc)
	}
	for _, file := range files {
		c, failed := model.Load(file)
		if failed != nil {
			t.Fatal(failed)
		}
		name := filepath.Base(file)
		add(name, c)
		p := c.Parts()
		if p.Latent == nil || len(p.Labels) < 3 {
			continue
		}
		p.Conformal = &model.Conformal{Coverage: 0.9, Thresholds: []float64{-0.5, 0.1, -1}}
		for i := range p.Latent {
			f := p.Latent[i].Process
			f.Spread = make([]float64, len(f.Triangle))
			for j := range f.Spread {
				f.Spread[j] = rnd.NormFloat64() / float64(1+i+p.N)
			}
			p.Latent[i].Noise = 0.25 * float64(i)
		}
		add("spreads of "+name, build(t, p))
		p.Scheme, p.Conformal = model.OneVsOne, nil
		for i, pair := range [][2]int{{1, 0}, {2, 0}, {2, 1}} {
			p.Submodels[i].Pos, p.Submodels[i].Neg = pair[0], pair[1]
		}
		add("pairs of "+name, build(t, p))
	}
	return all
}

// Programs without erf or without double precision refuse such classifiers.
func TestProcessRefused(t *testing.T) {
	c, err := model.Load(filepath.Join(testutil.Root(t), "model", "testdata", "gp", "classes-three.npz"))
	if err != nil {
		t.Fatal(err)
	}
	for target, options := range map[string][]export.Options{"c": {{Float: true}, {Fixed: true}}, "onnx": {{}, {SVM: true}}} {
		for _, o := range options {
			var b bytes.Buffer
			err = export.Write(&b, c, target, o)
			if !errors.Is(err, export.ErrNoCode) || !strings.Contains(err.Error(), "Gaussian processes") || b.Len() > 0 {
				t.Errorf("%s %+v: %v, %d bytes", target, o, err, b.Len())
			}
		}
	}
	var b bytes.Buffer
	bytes, err := export.TableBytes(c, export.Options{})
	if failed := export.Write(&b, c, "c", export.Options{}); err != nil || failed != nil ||
		!strings.Contains(b.String(), fmt.Sprintf("Tables: %d bytes", bytes)) {
		t.Errorf("tables of %d bytes, %v, %v", bytes, err, failed)
	}
}
