package model

import (
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
)

// Classifiers of every kernel decide as the definition says, before and after a file.
func TestEveryKernel(t *testing.T) {
	const n = 20
	x, d := testutil.SerialPoints(n)
	for _, name := range gram.Names() {
		kind, err := gram.ParseKind(name)
		if err != nil {
			t.Fatal(err)
		}
		p := Parts{Kernel: gram.Kernel{Kind: kind, Gamma: 0.01, Coef0: 0.5, Degree: 2, Alpha: 1.5}, N: n, D: d, Features: d,
			Vectors: x, Labels: []string{"-1", "1"}, Method: "svc"}
		m := learn.Submodel{Pos: 1, Expansion: learn.Expansion{Bias: 0.25}}
		for i := range n {
			m.Support = append(m.Support, i)
			m.Coef = append(m.Coef, float64(i%5)-2.5)
		}
		p.Submodels = []learn.Submodel{m}
		c := mustNew(t, p)
		for _, f := range []Format{SKM, JSON, LIBSVM} {
			checkAfterFile(t, name, c, &p, f, x)
		}
	}
}

func checkAfterFile(t *testing.T, name string, c *Classifier, p *Parts, f Format, x []float64) {
	t.Helper()
	var b strings.Builder
	if err := c.Write(&b, f); f == LIBSVM && p.Kernel.LIBSVM() == "" {
		if err == nil || !strings.Contains(err.Error(), "cannot have a "+name+" kernel") {
			t.Errorf("%s as a LIBSVM file: %v, want a refusal", name, err)
		}
		return
	} else if err != nil {
		t.Fatal(err)
	}
	back, _, err := Read(strings.NewReader(b.String()), name)
	if err != nil {
		t.Fatal(err)
	}
	if back, err = back.WithFeatures(p.D); err != nil {
		t.Fatal(err)
	}
	for i := range p.N {
		row := x[i*p.D : (i+1)*p.D]
		want, size := decideByDefinition(p, &p.Submodels[0], row)
		for what, k := range map[string]*Classifier{"decision": c, "decision after a file": back} {
			got := make([]float64, 1)
			k.DecideBatch(got, row, 1, 1)
			testutil.Near(t, name+": "+what, got[0], want, 1e-12*max(1, size))
		}
	}
}
