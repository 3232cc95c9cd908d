package model

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
)

const threeClasses = `svm_type c_svc
kernel_type polynomial
degree 2
gamma 0.5
coef0 1
nr_class 3
total_sv 4
rho 0.25 -0.5 0.125
label 7 -3 2
probA -1 -2 -3
probB 0.5 0.25 0
nr_sv 1 2 1
SV
1 0.5 1:1 3:-2 
-0.75 2 2:0.5 
-0.25 0 1:0.1 2:3 
-0.5 -2 
`

func TestReadLIBSVM(t *testing.T) {
	c, format, err := Read(strings.NewReader(threeClasses), "f")
	if err != nil {
		t.Fatal(err)
	}
	want := Parts{
		Kernel: gram.Poly(2, 0.5, 1), N: 4, D: 3, Scheme: OneVsOne, Method: "svc", Labels: []string{"7", "-3", "2"},
		Vectors: []float64{1, 0, -2, 0, .5, 0, .1, 3, 0, 0, 0, 0},
		Submodels: []learn.Submodel{
			{Pos: 0, Neg: 1, Expansion: learn.Expansion{Support: []int{0, 1, 2}, Coef: []float64{1, -.75, -.25}, Bias: -.25}},
			{Pos: 0, Neg: 2, Expansion: learn.Expansion{Support: []int{0, 3}, Coef: []float64{.5, -.5}, Bias: .5}},
			{Pos: 1, Neg: 2, Expansion: learn.Expansion{Support: []int{1, 3}, Coef: []float64{2, -2}, Bias: -.125}},
		},
		Platt: []Platt{{-1, .5}, {-2, .25}, {-3, 0}},
	}
	if d := cmp.Diff(want, c.Parts(), cmpopts.EquateEmpty()); d != "" || format != LIBSVM {
		t.Error(format, d)
	}
	var b bytes.Buffer
	if err := c.Write(&b, LIBSVM); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(threeClasses, b.String()); d != "" {
		t.Error(d)
	}
}

func TestReadLIBSVMRefuses(t *testing.T) {
	for _, tt := range []struct{ old, new, want string }{
		{"nr_sv 1", "colour 3\nnr_sv 1", `f:12: found unknown key "colour", want one of svm_type`},
		{"gamma 0.5\n", "gamma 0.5\ngamma 0.5\n", "f:5: found a second gamma"},
		{"gamma 0.5\n", "\n", "f:4: found an empty line"},
		{"gamma 0.5\n", "", "f:12: found 0 numbers of gamma, want 1"},
		{"gamma 0.5", "gamma nan", `found gamma "nan", want a finite number`},
		{"degree 2", "degree 0", `found degree "0", want an integer from 1`},
		{"c_svc", "epsilon_svr", "found nr_class 3, want 2, as every epsilon_svr has"},
		{"c_svc", "one_class", "found nr_class 3, want 2, as every one_class has"},
		{"c_svc", "x", `found svm_type "x", want c_svc, nu_svc, one_class, epsilon_svr or nu_svr`},
		{"polynomial", "precomputed", `found "1:1", want 0: and the vector's serial number`},
		{"polynomial", "laplace", `found kernel_type "laplace"`},
		{"nr_class 3", "nr_class 2", "found 3 numbers of rho, want 1"},
		{"nr_class 3", "nr_class 1", "found a model of one class"},
		{"nr_class 3", "nr_class 2147483647", "found 3 numbers of rho, want"},
		{"nr_class 3", "nr_class 99999999999", `found nr_class "99999999999"`},
		{"nr_class 3", "nr_class", `found nr_class ""`},
		{"total_sv 4", "total_sv 5", "found nr_sv of 1 2 1, want a sum of total_sv, 5"},
		{"total_sv 4", "total_sv -4", `found total_sv "-4"`},
		{"rho 0.25 ", "rho inf ", `found rho "inf", want a finite number`},
		{"label 7", "label 7.5", `found label "7.5", want an integer`},
		{"label 7", "label", "found 2 labels, want 3"},
		{"label 7", "label 2", `label "2" of class 2`},
		{"probB 0.5 0.25 0\n", "", "found only one of probA and probB, want both or none"},
		{"probB 0.5 ", "probB ", "found 2 numbers of probB, want 3"},
		{"nr_sv 1 2 1", "nr_sv 1 -2 5", `found nr_sv "-2"`},
		{"nr_sv 1 2 1", "nr_sv 1 2", "found 2 numbers of nr_sv, want 3"},
		{"SV\n1 0.5", "SV\n1", `f:14: found "1:1", want 2 coefficients, then index:value`},
		{"SV\n1 0.5", "SV\n1 0.5 2", `f:14: found "2", want index:value`},
		{"1:1 3:-2", "3:1 1:-2", `f:14: found index "1", want ascending indices from 0 or 1 (the last was 3)`},
		{"1:1 3:-2", "0:1 0:-2", `f:14: found index "0", want ascending indices from 0 or 1 (the last was 0)`},
		{"1:1 3:-2", "1:1 3:inf", `f:14: found "3:inf"`},
		{"1:1 3:-2", "1:1 2147483647:1", "found 4 vectors of 2147483647 features"},
		{"-0.5 -2 \n", "", "f:17: found the end of the file after 3 vectors, want total_sv, 4, of them (the file is truncated)"},
		{"-0.5 -2 \n", "-0.5 -2 ", "f:17: found the end of the file within a line"},
		{"-0.5 -2 \n", "-0.5 -2 \n1 1 1:1\n", "f:18: found another line, want total_sv, 4, vectors"},
		{"-0.5 -2 \n", "-0.5\n", "f:17: found 1 coefficients, want 2"},
	} {
		bad := strings.Replace(threeClasses, tt.old, tt.new, 1)
		if bad == threeClasses {
			t.Fatalf("%q is not in the file", tt.old)
		}
		if _, err := readLIBSVM(strings.NewReader(bad), "f", MaxBytes); err == nil ||
			!strings.Contains(err.Error(), tt.want) ||
			!strings.HasPrefix(err.Error(), "f:") {
			t.Errorf("%q for %q:\n got %v\nwant %s", tt.new, tt.old, err, tt.want)
		}
	}
	for n := range threeClasses { // LIBSVM loads most of these
		if _, err := readLIBSVM(strings.NewReader(threeClasses[:n]), "f", MaxBytes); err == nil {
			t.Fatalf("the first %d bytes make a model", n)
		}
	}
	for _, good := range []string{threeClasses + "#sparsekm {}\n", threeClasses + "\n", strings.ReplaceAll(threeClasses, "\n", "\r\n")} {
		if _, err := readLIBSVM(strings.NewReader(good), "f", MaxBytes); err != nil {
			t.Error(err)
		}
	}
}

// Whatever way a classifier's models point and share vectors, the file that is written decides the same.
func TestWriteLIBSVMRoundTrip(t *testing.T) {
	rnd := dataset.NewRand(21)
	for name, kernel := range kernels(3) {
		for _, scheme := range []Scheme{Binary, OneVsOne} {
			for range 20 {
				p := randomParts(rnd, scheme, kernel, 1+rnd.IntN(8), 3)
				p.Scaling = nil
				for i := range p.Submodels {
					if m := &p.Submodels[i]; rnd.IntN(2) == 0 {
						m.Pos, m.Neg = m.Neg, m.Pos
					}
				}
				c := mustNew(t, p)
				var b bytes.Buffer
				err := c.Write(&b, LIBSVM)
				if kernel.LIBSVM() == "" {
					if err == nil {
						t.Fatal(name + " kernels were written")
					}
					continue
				}
				if err != nil {
					t.Fatal(err)
				}
				text := b.String()
				back, err := readLIBSVM(&b, "f", MaxBytes)
				if err != nil {
					t.Fatalf("%v\n%s", err, text)
				}
				if back, err = back.WithFeatures(3); err != nil {
					t.Fatal(err)
				}
				compareByPairs(t, fmt.Sprintf("%s/%v", name, scheme), c, back, randomRows(rnd, 5, 3))
			}
		}
	}
}

// compareByPairs compares decisions and probabilities of models whose classes and models are in different orders.
func compareByPairs(t *testing.T, name string, a, b *Classifier, x []float64) {
	t.Helper()
	pa, pb := a.Parts(), b.Parts()
	fa, fb := make([]float64, a.NumSubmodels()), make([]float64, a.NumSubmodels())
	for ; len(x) > 0; x = x[pa.D:] {
		row := x[:pa.D]
		a.DecideTo(fa, row)
		b.DecideTo(fb, row)
		for i, ma := range pa.Submodels {
			_, size := decideByDefinition(&pa, &pa.Submodels[i], row)
			for j, mb := range pb.Submodels {
				ka, kb := [2]string{a.Label(ma.Pos), a.Label(ma.Neg)}, [2]string{b.Label(mb.Pos), b.Label(mb.Neg)}
				g, probA, probB := fb[j], pb.Platt[j].A, pb.Platt[j].B
				switch ka {
				case kb:
				case [2]string{kb[1], kb[0]}:
					g, probB = -g, -probB
				default:
					continue
				}
				if !testutil.Within(fa[i], g, 1e-13*size) || pa.Platt[i] != (Platt{probA, probB}) {
					t.Fatalf("%s: %v: decision %v and %v, after the file %v and %v", name, ka, fa[i], pa.Platt[i], g, Platt{probA, probB})
				}
			}
		}
		if scheme := a.Scheme(); scheme == Binary && a.Label(a.Predict(row)) != b.Label(b.Predict(row)) {
			t.Fatalf("%s: another class after the file", name)
		}
	}
}

func TestWriteLIBSVMRefuses(t *testing.T) {
	for _, tt := range []struct {
		change func(p *Parts)
		want   string
	}{
		{func(p *Parts) { p.Scheme = PairwiseFuzzy }, "4 classes decided as pairwise-fuzzy"},
		{func(p *Parts) { p.Labels[2] = "cat" }, `the label "cat"`},
		{func(p *Parts) { p.Labels[2] = "3000000000" }, `the label "3000000000"`},
		{func(p *Parts) { k := gram.RBF(2); p.Submodels[0].Kernel = &k }, "a kernel for each submodel"},
		{func(p *Parts) {
			p.Scaling = &dataset.Scaling{Kind: dataset.ScaleZ, Center: []float64{0}, Spread: []float64{1}}
		}, "a scaling"},
	} {
		p := randomParts(dataset.NewRand(22), OneVsOne, gram.RBF(1), 3, 1)
		p.Scaling = nil
		tt.change(&p)
		var b bytes.Buffer
		if err := mustNew(t, p).Write(&b, LIBSVM); err == nil || !strings.Contains(err.Error(), tt.want) || b.Len() > 0 {
			t.Errorf("got %v, want ... %s ...", err, tt.want)
		}
	}
}

func TestLIBSVMErrorsAreTyped(t *testing.T) {
	_, err := readLIBSVM(strings.NewReader("x 1\n"), "f", MaxBytes)
	var e *dataset.Error
	if !errors.As(err, &e) || e.Line != 1 {
		t.Errorf("%v of type %T", err, err)
	}
}
