package model

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
)

// taskParts is a model of a task that has one.
func taskParts(task learn.Task) Parts {
	p := randomParts(rand.New(rand.NewPCG(5, uint64(task))), Binary, gram.RBF(0.5), 6, 3)
	p.Task, p.Platt, p.PlattStale, p.Method = task, nil, false, "svr"
	if p.Labels = OneClassLabels(); task.Real() {
		p.Labels, p.Submodels[0].Pos, p.Submodels[0].Neg = nil, 0, learn.Rest
	} else {
		p.Method = "one-class"
	}
	return p
}

// uncertainParts is a regression model that knows its variances.
func uncertainParts() Parts {
	p := taskParts(learn.Regress)
	p.Method = "rvm"
	m := len(p.Submodels[0].Coef) + 1
	p.Posterior = &learn.Posterior{Noise: 0.25}
	rnd := rand.New(rand.NewPCG(6, 7))
	for i := range m { // diagonally dominant
		for range i {
			p.Posterior.Covariance = append(p.Posterior.Covariance, rnd.Float64()/float64(m))
		}
		p.Posterior.Covariance = append(p.Posterior.Covariance, 1+rnd.Float64())
	}
	return p
}

var otherTasks = []learn.Task{learn.Regress, learn.OneClass, learn.Density}

// TestTasks writes and reads models of every task in every format, and asks them.
func TestTasks(t *testing.T) {
	for _, task := range otherTasks {
		p := taskParts(task)
		c := mustNew(t, p)
		x := []float64{0.3, -1, 2, 0, 1, 1}
		for _, f := range FormatNames() {
			var b bytes.Buffer
			plain, _ := c.WithoutScaling()
			err := plain.Write(&b, Format(f))
			if task == learn.Density && Format(f) == LIBSVM {
				if err == nil || !strings.Contains(err.Error(), "cannot have a model of the task density") {
					t.Errorf("a density in LIBSVM's format: %v", err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			got, format, err := Read(&b, "f")
			if err != nil || format != Format(f) {
				t.Fatalf("%v in %v: %v", task, Format(f), err)
			}
			if got.Task() != task || !slices.Equal(got.Labels(), plain.Labels()) || got.Method() != p.Method {
				t.Errorf("%v in %v: read %v with labels %q by %s", task, Format(f), got.Task(), got.Labels(), got.Method())
			}
			testutil.Near(t, "value", got.Decide(x[:3]), plain.Decide(x[:3]), 1e-15)
		}
		label, err := c.Classify(x[:3])
		labels, err2 := c.ClassifyBatch(x, 2, 1)
		if task.Real() {
			if err == nil || err2 == nil || c.NumClasses() != 0 {
				t.Errorf("a model of values has the labels %q and %q", label, labels)
			}
			continue
		}
		if want := OneClassLabels()[c.Predict(x[:3])]; err != nil || err2 != nil || label != want || labels[0] != want {
			t.Errorf("labels %q and %q (%v, %v), want %q", label, labels, err, err2, want)
		}
	}
}

// Files of versions 3 and 4 stay readable for ever, and mean the same.
func TestGoldenTask(t *testing.T) {
	golden(t, "v3", mustNew(t, taskParts(learn.Regress)))
	golden(t, "v4", mustNew(t, uncertainParts()))
}

// JSON of version 13 stays readable for ever, and means the same.
func TestGoldenJSON(t *testing.T) {
	c := laterModel(t)
	const path = "testdata/v13.json"
	if *update {
		if err := c.Save(path, JSON); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Load(path)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err = got.Write(&b, JSON); err != nil || !bytes.Equal(b.Bytes(), want) || sameParts(got, c) != "" {
		t.Errorf("JSON is written differently now, or means something else (%v)", err)
	}
}

func golden(t *testing.T, name string, c *Classifier) {
	for _, f := range []Format{SKM, JSON} {
		path := "testdata/" + name + "." + string(f)
		if *update {
			if err := os.WriteFile(path, asOnce(t, c, f), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := Load(path)
		if err != nil {
			t.Fatal(err)
		}
		if d := sameParts(got, c); d != "" || got.Task() != c.Task() {
			t.Errorf("%v: %v, %s", f, got.Task(), d)
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(asOnce(t, c, f), want) {
			t.Errorf("%v is written differently now", f)
		}
	}
}

// TestTaskRefuses lists models that no task has.
func TestTaskRefuses(t *testing.T) {
	for _, tt := range []struct {
		name string
		task learn.Task
		bend func(p *Parts)
		want string
	}{
		{"labels", learn.Regress, func(p *Parts) { p.Labels = []string{"a", "b"} }, "2 classes in a model of the task regress"},
		{"two", learn.Regress, func(p *Parts) { p.Submodels = append(p.Submodels, p.Submodels[0]) }, "2 submodels"},
		{"scheme", learn.Regress, func(p *Parts) { p.Scheme = OneVsOne }, "(ovo), want one"},
		{"sign", learn.Regress, func(p *Parts) { p.Submodels[0].Pos, p.Submodels[0].Neg = 1, 0 }, "classes 1 and 0"},
		{"platt", learn.Regress, func(p *Parts) { p.Platt = []Platt{{1, 0}} }, "probabilities of classes"},
		{"labels", learn.OneClass, func(p *Parts) { p.Labels = []string{"in", "out"} }, `want ["-1" "1"]`},
		{"sign", learn.OneClass, func(p *Parts) { p.Submodels[0].Pos, p.Submodels[0].Neg = 0, 1 }, "want 1 and 0"},
		{"task", learn.Task(9), func(*Parts) {}, "unknown task"},
	} {
		p := taskParts(tt.task)
		tt.bend(&p)
		if _, err := New(p); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v, %s: %v, want %q", tt.task, tt.name, err, tt.want)
		}
	}
	b, err := mustNew(t, taskParts(learn.Regress)).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)-5] = 0 // the task
	if _, err = Parse(reseal(b)); !errors.Is(err, ErrCorrupt) {
		t.Errorf("version 3 with classes: %v", err)
	}
	for _, text := range []string{`"version":2`, `"version":1`} {
		j := earlier(mustNew(t, taskParts(learn.Regress)))
		bad := bytes.Replace(j, []byte(`"version":3`), []byte(text), 1)
		if err := unmarshal(bad); err == nil || !strings.Contains(err.Error(), "with what version 3 has") {
			t.Errorf("a task in %s: %v", text, err)
		}
	}
}
