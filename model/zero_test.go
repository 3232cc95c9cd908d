package model

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
)

const fromZero = "svm_type c_svc\nkernel_type rbf\ngamma 1\nnr_class 2\ntotal_sv 2\nrho 0.5\nlabel 1 -1\nnr_sv 1 1\n" +
	"SV\n1 0:0.5 2:0.25 \n-1 1:3 \n"

// A model file whose vectors have index 0 is that of features 0, 1, ..., and is written so.
func TestZeroBasedLIBSVM(t *testing.T) {
	for _, text := range []string{fromZero, strings.ReplaceAll(fromZero, "2:0.25", "9000:0.25")} {
		c, err := readLIBSVM(strings.NewReader(text), "f", MaxBytes)
		if err != nil {
			t.Fatal(err)
		}
		p := c.Parts()
		if !c.ZeroBased() || !slices.Equal(p.Vector(0)[:2], []float64{0.5, 0}) || p.Vector(1)[1] != 3 || p.version() != 12 {
			t.Errorf("%+v", p)
		}
		var b bytes.Buffer
		if err = c.Write(&b, LIBSVM); err != nil || b.String() != text {
			t.Errorf("%v, %s", err, b.String())
		}
	}
}

// A model file without index 0 gets that feature, unless the features of the training are known.
func TestFromZero(t *testing.T) {
	for _, last := range []string{"2", "9000"} {
		c, err := readLIBSVM(strings.NewReader(strings.NewReplacer("0:0.5", "1:0.5", " 2:", " "+last+":").Replace(fromZero)),
			"f", MaxBytes)
		if err != nil {
			t.Fatal(err)
		}
		zero, err := c.FromZero()
		if err != nil {
			t.Fatal(err)
		}
		x := make([]float64, c.NumFeatures())
		x[0], x[1] = 0.25, 7
		if !zero.ZeroBased() || zero.Decide(append([]float64{0}, x...)) != c.Decide(x) {
			t.Errorf("%v, %v", zero.Decide(append([]float64{0}, x...)), c.Decide(x))
		}
		if again, err := zero.FromZero(); again != zero || err != nil {
			t.Error("again:", err)
		}
	}
	p := randomParts(dataset.NewRand(1), Binary, gram.RBF(1), 3, 2)
	p.Features = p.D
	_, err := mustNew(t, p).FromZero()
	if err == nil || err.Error() != "found index 0, want indices from 1, as the model was trained with" {
		t.Error(err)
	}
}

// marked has LIBSVM's numbers of -b 1 for a model without classes.
func marked(task learn.Task) Parts {
	p := taskParts(task)
	p.Scaling = nil
	p.Marks = []float64{0.125}
	if task == learn.OneClass {
		p.Marks = []float64{-2, -1.5, -1, -0.5, -0.25, 0.25, 0.5, 1, 1, 2}
	}
	return p
}

// A file of version 12 stays readable for ever, and means the same.
func TestGoldenZeroBased(t *testing.T) {
	p := marked(learn.OneClass)
	p.ZeroBased = true
	golden(t, "v12", mustNew(t, p))
	q := latentParts()
	q.ZeroBased = true
	c := mustNew(t, q)
	for _, f := range []Format{SKM, JSON} {
		var b bytes.Buffer
		if err := c.Write(&b, f); err != nil {
			t.Fatal(err)
		}
		if got, _, err := Read(&b, "f"); err != nil || sameParts(got, c) != "" {
			t.Errorf("%v: %v", f, err)
		}
	}
}

// LIBSVM's files have σ of a regression and the marks of a one-class model, in which a program finds them again.
func TestMarks(t *testing.T) {
	for _, task := range []learn.Task{learn.Regress, learn.OneClass} {
		c := mustNew(t, marked(task))
		var b bytes.Buffer
		if err := c.Write(&b, LIBSVM); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		got, _, err := Read(&b, "f")
		if err != nil || !slices.Equal(got.Parts().Marks, c.Parts().Marks) {
			t.Errorf("%v: %v\n%s", task, err, text)
		}
		for _, bad := range [][]float64{{-1}, {1, 2}, {3, 2, 1, 1, 1, 1, 1, 1, 1, 0}} {
			p := marked(task)
			if p.Marks = bad; p.validate() == nil {
				t.Errorf("%v: marks %v are valid", task, bad)
			}
		}
	}
}
