package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
)

// npyTexts is an .npy file of texts.
func npyTexts(texts ...string) []byte {
	size := 0
	for _, s := range texts {
		size = max(size, len(s))
	}
	b := npyText(strings.Repeat("x", size))
	head := bytes.Replace(b[10:len(b)-size], []byte("()"), fmt.Appendf(nil, "(%d,)", len(texts)), 1)
	b = append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), byte(len(head)>>8))
	b = append(b, head...)
	for _, s := range texts {
		b = append(b, s+strings.Repeat("\x00", size-len(s))...)
	}
	return b
}

// termsProcess is the file of two vectors in a plane, with 2·rbf·linear + ½·poly + 3. The first factor leaves the first
// feature out.
func termsProcess() map[string][]byte {
	k := func(x, z [2]float64) float64 {
		dot := x[0]*z[0] + x[1]*z[1]
		return 2*math.Exp(-math.Pow((x[1]-z[1])/2, 2)/2)*dot/4 + 0.5*math.Pow(dot+1.5, 2) + 3
	}
	z := [2][2]float64{{1, 2}, {-1, 0.5}}
	l := math.Sqrt(k(z[0], z[0]))
	m := k(z[0], z[1]) / l
	inf := math.Inf(1)
	return map[string][]byte{
		"kernel": npyTexts("rbf", "linear", "poly", "constant"), "term": npy("4,", 0, 0, 1, 2), "variance": npy("3,", 2, 0.5, 3),
		"lengthscales": npy("4, 2", inf, 2, 2, 2, 1, 1, 1, 1), "offset": npy("4,", 0, 0, 1.5, 0), "degree": npy("4,", 1, 1, 2, 1),
		"vectors": npy("2, 2", 1, 2, -1, 0.5), "coefficients": npy("2,", 1, -2), "mean": npy("", 0.25), "noise": npy("", 0.125),
		"cholesky": npy("2, 2", l, 0, m, math.Sqrt(k(z[1], z[1])-m*m)),
	}
}

// A file of terms has the mean and the variance of its formulas, with nothing allocated for a row, and after our files.
func TestProcessOfTerms(t *testing.T) {
	c, _, err := Read(bytes.NewReader(npz(t, termsProcess())), "gp.npz")
	if err != nil {
		t.Fatal(err)
	}
	x := []float64{0.5, 1}
	// k(x, z_1) = ½e^(−1/8)·2.5 + ½·4² + 3, k(x, z_2) = ½e^(−1/32)·0 + ½·1.5² + 3
	k1, k2 := 1.25*math.Exp(-0.125)+11, 0.5*2.25+3
	mean, variance := c.MeanVariance(x)
	testutil.NearRel(t, "mean", mean, 0.25+k1-2*k2, 1e-14)
	// K = [[k11, k12], [k12, k22]], and the variance k(x, x) − kᵀK⁻¹k + noise
	k11, k22, k12 := 0.5*5+0.5*6.5*6.5+3, 0.5*1.25+0.5*2.75*2.75+3, 0.5*math.Exp(-9.0/32)*0+0.5*2.25+3
	self := 0.5*1.25 + 0.5*2.75*2.75 + 3
	left := (k22*k1*k1 - 2*k12*k1*k2 + k11*k2*k2) / (k11*k22 - k12*k12)
	testutil.NearRel(t, "variance", variance, 0.125+self-left, 1e-12)
	for _, f := range []Format{SKM, JSON} {
		again := throughFile(t, c, f)
		if m, v := again.MeanVariance(x); m != mean || v != variance {
			t.Errorf("%v: %v and %v, want %v and %v", f, m, v, mean, variance)
		}
	}
	if allocs := testing.AllocsPerRun(50, func() { c.MeanVariance(x) }); allocs != 0 && !raceEnabled {
		t.Errorf("%v allocations", allocs)
	}
}

// A file of this version with a composite kernel stays readable for ever, and means the same.
func TestGoldenTerms(t *testing.T) {
	c, _, err := Read(bytes.NewReader(npz(t, termsProcess())), "gp.npz")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "v10terms", c)
}

// Every fault of the arrays of terms is in the error.
func TestTermsRefused(t *testing.T) {
	for _, c := range []struct {
		array string
		with  []byte // nil deletes it
		want  string
	}{
		{"term", nil, "offset: the file has one, and no array term"},
		{"term", npy("3,", 0, 1, 2), "offset: found numbers of the shape (4), want numbers of (3)"},
		{"term", npy("4,", 0, 0, 1, 3), "term: element 3 is 3, want a term of the 3 variances, from 0"},
		{"term", npy("4,", 0, 0, 1, -1), "term: element 3 is -1"},
		{"term", npy("4,", 0, 0, 1, 0.5), "term: element 3 is 0.5"},
		{"term", npy("4,", 0, 0, 1, 1), "term: no factor is in term 2"},
		{"term", npy("65,", make([]float64, 65)...), "term: found 65 factors, want at most 64"},
		{"kernel", npyTexts("rbf", "linear", "poly"), "kernel: found 3 texts of the shape (3), want (4)"},
		{"kernel", npyText("rbf"), "kernel: found 1 texts of the shape (), want (4)"},
		{"kernel", npy("4,", 1, 2, 3, 4), "kernel: found 0 texts of the shape (4), want (4)"},
		{"kernel", npyTexts("rbf", "linear", "periodic", "constant"), `kernel: found "periodic", want one of rbf`},
		{"kernel", npyTexts("rbf", "sigmoid", "poly", "constant"), `kernel: found "sigmoid"`},
		{"kernel", npyTexts("rbf", "composite", "poly", "constant"), `kernel: found "composite"`},
		{"kernel", npyTexts("linear", "rbf", "poly", "constant"), "lengthscales: those of factor 0 differ, want equal"},
		{"kernel", npyTexts("rbf", "rational-quadratic", "poly", "constant"), "kernel: rational-quadratic kernel needs 0 < alpha"},
		{"variance", npy("3,", 1, 0, 1), "variance: element 1 is 0, want more than 0"},
		{"variance", npy("", 1), "variance: found numbers of the shape (), want numbers of (any)"},
		{"lengthscales", npy("4,", 1, 1, 1, 1), "lengthscales: found numbers of the shape (4), want numbers of (4, 1) or (4, 2)"},
		{"lengthscales", npy("4, 1", 1, math.Inf(1), 1, 1), "kernel: scale of term 1 of a composite kernel is 0"},
		{"degree", npy("4,", 1, 1, 1.5, 1), "degree: element 2 is 1.5, want a number from 1 on, whole"},
		{"degree", npy("4,", 1, 1, 0, 1), "degree: element 2 is 0"},
		{"degree", npy("4,", 1, 1, 1e10, 1), "degree: element 2 is 1e+10"},
		{"offset", npy("4,", 0, 0, -1, 0), "offset: element 2 is -1, want a number from 0 on"},
		{"alpha", npy("4,", 1, 1, 1, 0), "alpha: element 3 is 0, want more than 0"},
		{"cholesky", npy("2, 2", 1, 0, 0, 1), "cholesky: LLᵀ has "},
	} {
		a := termsProcess()
		if c.with == nil {
			delete(a, c.array)
		} else {
			a[c.array] = c.with
		}
		_, _, err := Read(bytes.NewReader(npz(t, a)), "gp.npz")
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// Terms in JSON that make no kernel are refused, as are those of another kernel.
func TestTermsInJSON(t *testing.T) {
	text, err := json.Marshal(mustNew(t, func() Parts {
		p := taskParts(learn.Regress)
		p.Kernel = kernels(p.D)["composite"]
		return p
	}()))
	if err != nil {
		t.Fatal(err)
	}
	if err = unmarshal(text); err != nil {
		t.Fatal(err)
	}
	for old, c := range map[string][2]string{
		`"scale":[2,`:           {`"scale":[0,`, "scale of term 1"},
		`"term":[0,0,1]`:        {`"term":[0,0,3]`, "factor 2 of a kernel in term 3, want one from 0 to 2"},
		`"term":[0,0,1],`:       {``, "lists of 0 and 3 elements for the 3 factors"},
		`"kernel":["rbf",`:      {`"kernel":["composite",`, `unknown kernel "composite"`},
		`"gamma":[0.3,`:         {`"gamma":[0.3,1,`, "lists of 3 and 4 elements"},
		`"kernel":"composite"`:  {`"kernel":"linear"`, "kernel linear with terms: true"},
		`"terms":{`:             {`"sparse_support_vectors":null,"terms":null,"posterior":{`, ""},
		`"scale":[2,0.5,0.125]`: {`"scale":[]`, "in term 0, want one from 0 to -1"},
	} {
		if !strings.Contains(string(text), old) {
			t.Fatalf("no %s in %s", old, text)
		}
		err := unmarshal([]byte(strings.Replace(string(text), old, c[0], 1)))
		if err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%v, want %s", err, c[1])
		}
	}
}

// A composite kernel within one would need a stack as deep as the file, and is refused.
func TestNestedTerms(t *testing.T) {
	p := taskParts(learn.Regress)
	p.Kernel = gram.Composite(gram.Term{Scale: 1, Factors: []gram.Kernel{gram.Linear()}})
	data, err := mustNew(t, p).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	one := []byte{byte(gram.KindLinear), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
	at := bytes.LastIndex(data[:len(data)/2], one)
	if at < 0 {
		t.Fatal("no factor in the file")
	}
	data[at] = byte(gram.KindComposite)
	s := checksum(data[:len(data)-4])
	for i := range 4 {
		data[len(data)-4+i] = byte(s >> (8 * i))
	}
	if _, err = Parse(data); err == nil || !strings.Contains(err.Error(), "a composite kernel in term 1") {
		t.Errorf("%v", err)
	}
}
