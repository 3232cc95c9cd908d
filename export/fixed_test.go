package export_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/export"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

// fixedCases are those that have fixed point: others must be refused, by a word about the kernel.
func fixedCases(t *testing.T) (cases []*testCase) {
	t.Helper()
	for _, tc := range append(made(t), trained(t)...) {
		var b bytes.Buffer
		err := export.Write(&b, tc.c, "c", export.Options{Fixed: true})
		p := tc.c.Parts()
		simple := p.Kernel.Kind == gram.KindRBF && p.Simple() && p.N > 0 && !p.Columns.Valued()
		for i := range p.Submodels {
			simple = simple && p.Submodels[i].Kernel == nil
		}
		switch {
		case err == nil && simple:
			cases = append(cases, tc)
		case err == nil || b.Len() > 0 || !simple && !errors.Is(err, export.ErrNoFixed):
			t.Errorf("%s: error %v, %d bytes", tc.name, err, b.Len())
		default:
			t.Logf("%s: %v", tc.name, err)
		}
	}
	return cases
}

// fixedHost is a program of the headers: for a case's number and a row's features it prints the class, by predict and
// by a row that is too long, then bound and decisions.
func fixedHost(t *testing.T, dir string, cases []*testCase) string {
	t.Helper()
	var b, table strings.Builder
	b.WriteString("#include <stdio.h>\n")
	for i, tc := range cases {
		name := fmt.Sprintf("m%d", i)
		var header bytes.Buffer
		if err := export.Write(&header, tc.c, "c", export.Options{Name: name, Fixed: true}); err != nil {
			t.Fatalf("%s: %v", tc.name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, name+".h"), header.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "#include \"%s.h\"\n", name)
		if tc.values() {
			fmt.Fprintf(&b, "static int32_t %[1]s_predict(const int16_t *x, int32_t n)\n{\n\tint32_t f[1];\n"+
				"\t%[1]s_decide(x, f);\n\treturn n == %[1]s_FEATURES ? f[0] == %[1]s_value(x) ? 0 : -2 : -1;\n}\n", name)
		}
		fmt.Fprintf(&table, "\t{%[1]s_FEATURES, %[1]s_MACHINES, %[1]s_SCALE, %[1]s_BOUND, %[1]s_feature, %[1]s_decide, "+
			"%[1]s_predict},\n", name)
	}
	fmt.Fprintf(&b, `
static const struct {
	int d, m;
	double scale, bound;
	int16_t (*feature)(int, float);
	void (*decide)(const int16_t *, int32_t *);
	int32_t (*predict)(const int16_t *, int32_t);
} models[] = {
%s};

int main(void)
{
	static int16_t x[1000];
	static int32_t f[1000];
	int i, k;
	while (scanf("%%d", &i) == 1) {
		for (k = 0; k < models[i].d; k++) {
			float v;
			if (scanf("%%f", &v) != 1)
				return 1;
			x[k] = models[i].feature(k, v);
		}
		models[i].decide(x, f);
		printf("%%d %%d %%.17g", (int)models[i].predict(x, models[i].d), (int)models[i].predict(x, models[i].d + 1),
			models[i].bound);
		for (k = 0; k < models[i].m; k++)
			printf(" %%.17g", f[k] * models[i].scale);
		printf("\n");
	}
	return 0;
}
`, table.String())
	source := filepath.Join(dir, "main.c")
	if err := os.WriteFile(source, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return source
}

// TestFixed compiles the headers of all models that have fixed point, and compares with double precision: every
// decision is within the bound that the header states, and classes differ only where a decision is that close to 0.
func TestFixed(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a hundred headers")
	}
	gcc := testutil.Program(t, "gcc")
	cases := append(fixedCases(t), drawnFixed(t)...)
	dir := t.TempDir()
	source, program := fixedHost(t, dir, cases), filepath.Join(dir, "host")
	strict := []string{"-O1", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsanitize=signed-integer-overflow,shift",
		"-fno-sanitize-recover=all"}
	out, err := exec.Command(gcc, append(strict, "-std=c99", "-o", program, source)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	lines := answersOf(t, exec.Command(program), cases)
	rows, others := 0, 0
	for _, tc := range cases {
		for r := range tc.n {
			if !lines.Scan() {
				t.Fatalf("%s: the program ended", tc.name)
			}
			rows++
			if tc.checkFixed(t, r, lines.Text()) {
				others++
			}
		}
	}
	t.Logf("%d models, %d of %d rows have another class", len(cases), others, rows)
	if 200*others > rows {
		t.Errorf("%d of %d rows have another class", others, rows)
	}
}

// checkFixed compares a row, and reports whether it has another class.
func (tc *testCase) checkFixed(t *testing.T, r int, line string) (other bool) {
	t.Helper()
	var class, long int
	var bound float64
	m := tc.c.NumSubmodels()
	f := make([]float64, m)
	to := []any{&class, &long, &bound}
	for k := range f {
		to = append(to, &f[k])
	}
	if _, err := fmt.Sscan(line, to...); err != nil {
		t.Fatalf("%s: %q: %v", tc.name, line, err)
	}
	if long != -1 {
		t.Errorf("%s: a row of a feature more has class %d", tc.name, long)
	}
	// Rows are floats there: what rounding them changes is none of the bound.
	d := tc.c.NumFeatures()
	x, want := make([]float64, d), make([]float64, m)
	for k, v := range tc.x[r*d : (r+1)*d] {
		x[k] = float64(float32(v))
	}
	tc.c.DecideTo(want, x)
	near := false
	for k := range f {
		if !(math.Abs(f[k]-want[k]) <= bound) {
			t.Fatalf("%s, row %d: decision %v, want %v within %v", tc.name, r, f[k], want[k], bound)
		}
		near = near || math.Abs(want[k]) <= bound
		for j := range f {
			near = near || j != k && math.Abs(want[k]-want[j]) <= 2*bound
		}
	}
	if tc.values() {
		return false
	}
	if other = class != tc.c.Predict(x); other && !near {
		t.Errorf("%s, row %d: class %d, want %d; decisions %v are not within %v", tc.name, r, class, tc.c.Predict(x), want,
			bound)
	}
	return other
}

// drawnFixed are models that make the integers as large as they can be: many features, constant ones, narrow kernels,
// many vectors, large biases, and rows far outside.
func drawnFixed(t *testing.T) (cases []*testCase) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(7, 8))
	for i := range 60 {
		d, n := []int{1, 2, 4, 5, 16, 17, 70}[i%7], 1+rnd.IntN(60)
		p := model.Parts{Kernel: gram.RBF(math.Exp(4*rnd.Float64()-3) / float64(d)), N: n, D: d, Features: d,
			Labels: []string{"a", "b"}, Scheme: model.Binary}
		if i%3 == 0 {
			p.Scaling = &dataset.Scaling{Kind: dataset.ScaleZ, Center: make([]float64, d), Spread: make([]float64, d)}
			for k := range d {
				p.Scaling.Center[k], p.Scaling.Spread[k] = 100*rnd.NormFloat64(), math.Exp(rnd.NormFloat64())
			}
			p.Scaling.Spread[rnd.IntN(d)] = 0
		}
		for range n * d {
			p.Vectors = append(p.Vectors, rnd.NormFloat64())
		}
		m := learn.Submodel{Pos: 1}
		m.Bias = math.Exp(6*rnd.Float64()-3) * rnd.NormFloat64()
		for j := range n {
			m.Support = append(m.Support, j)
			m.Coef = append(m.Coef, math.Exp(3*rnd.NormFloat64())*rnd.NormFloat64())
		}
		p.Submodels = []learn.Submodel{m}
		c := build(t, p)
		x := make([]float64, 0, 40*d)
		for r := range 40 {
			for k := range d {
				v := p.Vectors[rnd.IntN(n)*d+k] + rnd.NormFloat64()*math.Exp(float64(r%8)-5)
				if s := p.Scaling; s != nil {
					v = s.Center[k] + v*s.Spread[k]
				}
				x = append(x, float64(float32(v)))
			}
		}
		cases = append(cases, newCase(t, fmt.Sprintf("drawn %d", i), c, x))
	}
	return cases
}
