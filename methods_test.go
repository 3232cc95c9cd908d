package sparsekm_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/learn"
	_ "github.com/sparsekm/sparsekm/learn/all"
	"github.com/sparsekm/sparsekm/status"
)

// outside is a method as another module would write it: the class that the first point of
// each class is nearer to, by the kernel.
const outside = "zz-outside"

type nearest struct{ C, Shift float64 }

func (t *nearest) declare(p *learn.Params) {
	p.Cost(&t.C, 2)
	p.Float("zz_shift", &t.Shift, 0.5, learn.NonNegative, "What the bias is.")
}

func init() {
	learn.Register(learn.Method{Name: outside, About: "nearest first point", Paper: "none"}, (*nearest).declare)
}

func (nearest) Name() string                  { return outside }
func (nearest) EstimateMemory(n, d int) int64 { return 0 }
func (t nearest) Train(_ context.Context, p *learn.Problem) (*learn.Result, error) {
	if err := learn.Complete(t.Name(), t.declare); err != nil {
		return nil, err
	}
	if err := p.Validate(); err != nil {
		return nil, err
	}
	pos, neg := slices.Index(p.Y, 1), slices.Index(p.Y, -1)
	e := learn.Expansion{Support: []int{pos, neg}, Coef: []float64{t.C, -t.C}, Bias: t.Shift}
	return &learn.Result{Expansion: e, Report: learn.Report{Status: status.Optimal}}, nil
}

// A method of another package is trained by its name, with its own parameters, and its
// file keeps them.
func TestOutsideMethod(t *testing.T) {
	clf, report, err := sparsekm.Train(t.Context(), ripley(t),
		sparsekm.Options{Trainer: trainer(t, outside, learn.Values{"zz_shift": 0.25})})
	if err != nil {
		t.Fatal(err)
	}
	if want := map[string]float64{"c": 2, "zz_shift": 0.25}; clf.Method() != outside ||
		!maps.Equal(clf.Parts().Params, want) || report.Submodels[0].Bias != 0.25 {
		t.Errorf("method %s, parameters %v, bias %v", clf.Method(), clf.Parts().Params, report.Submodels[0].Bias)
	}
}

// TestRegister holds the register to what users of names rely on.
func TestRegister(t *testing.T) {
	var names []string
	docs := make(map[string]string) // parameter → type and sentence
	for _, m := range sparsekm.Methods() {
		names = append(names, m.Name)
		if m.About == "" || m.Paper == "" || len(m.Params()) == 0 {
			t.Errorf("%s is not documented", m.Name)
		}
		tr, err := m.New(nil)
		if err != nil || tr.Name() != m.Name {
			t.Errorf("%s: a trainer %v (%v)", m.Name, tr, err)
		}
		for _, p := range m.Params() {
			doc := fmt.Sprintf("%T %s", p.Default, p.Doc)
			if old, ok := docs[p.Name]; ok && old != doc {
				t.Errorf("%s of %s is %q, elsewhere %q", p.Name, m.Name, doc, old)
			}
			docs[p.Name] = doc
			if !strings.HasSuffix(p.Doc, ".") || strings.ToLower(p.Name) != p.Name || p.Range.Has != nil && p.Range.Text == "" {
				t.Errorf("%s of %s: sentence %q, range %q", p.Name, m.Name, p.Doc, p.Range.Text)
			}
		}
	}
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("methods %v, want each once, by name", names)
	}
	for _, name := range []string{"svc", "direct", "ssvc-a", "ssvc-b", "ssvc-w", "skm", "l1svm", "l0svm", "lpsvc", "lssvm",
		"lssvm-prune",
		"lssvm-primal", "lssvm-chol", "lssvm-lda", "kmp", "sggp", "pfsals", "rvm", "rvm-fast", "spc", "sc-svc"} {
		if !slices.Contains(names, name) {
			t.Errorf("no method %s", name)
		}
	}
}

// Parameters go through JSON and come back as the same trainer.
func TestParamsThroughJSON(t *testing.T) {
	for _, m := range sparsekm.Methods() {
		text, err := json.Marshal(learn.ValuesOf(trainer(t, m.Name, nil)))
		if err != nil {
			t.Fatal(err)
		}
		var v learn.Values
		if err = json.Unmarshal(text, &v); err != nil {
			t.Fatal(err)
		}
		tr, err := m.New(v)
		if err != nil {
			t.Errorf("%s: %s: %v", m.Name, text, err)
			continue
		}
		if got, want := learn.ValuesOf(tr), learn.ValuesOf(trainer(t, m.Name, nil)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, want %v", m.Name, got, want)
		}
	}
}
