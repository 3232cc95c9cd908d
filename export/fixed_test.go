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
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/export"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

// fixedCases are those that have fixed point: others must be refused, by a word about what is missing.
func fixedCases(t *testing.T) (cases []*testCase) {
	t.Helper()
	refused := 0
	for _, tc := range append(made(t), trained(t)...) {
		var b bytes.Buffer
		err := export.Write(&b, tc.c, "c", export.Options{Fixed: true})
		switch {
		case err == nil && fixable(tc.c.Parts()):
			cases = append(cases, tc)
		case err != nil && b.Len() == 0 && strings.Contains(err.Error(), "that no feature changes"):
		case err == nil || b.Len() > 0 || fixable(tc.c.Parts()) || !errors.Is(err, export.ErrNoFixed):
			t.Errorf("%s: error %v, %d bytes", tc.name, err, b.Len())
		default:
			refused++
		}
	}
	t.Logf("%d models have fixed point, %d have not", len(cases), refused)
	return cases
}

// fixable reports whether a model that some feature changes has fixed point.
func fixable(p model.Parts) bool {
	wide := p.N > 0 && p.Kernel.Kind == gram.KindLinear
	for i := range p.Submodels {
		m := &p.Submodels[i]
		if m.Kernel != nil {
			return false
		}
		wide = wide || m.Plane != nil
		for _, s := range m.Steps {
			count := 0
			for _, u := range s.Turn {
				if u != 0 {
					count++
				}
			}
			wide = wide || count > 1
		}
	}
	kernel := p.N == 0 || p.Kernel.Kind == gram.KindRBF || p.Kernel.Kind == gram.KindLinear
	return kernel && (p.Scaling != nil || !wide)
}

// fixedCase is a model in fixed point, with what its header says of ranges.
type fixedCase struct {
	*testCase
	lo, hi []float64
}

var rangeLine = regexp.MustCompile(`(?m)^ \*  (\d+)(?: .*)? from (\S+) to (\S+?)$`)

var tableLine = regexp.MustCompile(`static const (\w+) \w+\[(\d+)\] SPARSEKM_TABLE`)

func newFixedCase(t *testing.T, tc *testCase, header string) *fixedCase {
	t.Helper()
	d := tc.c.NumFeatures()
	f := &fixedCase{testCase: tc}
	for range d {
		f.lo = append(f.lo, math.Inf(-1))
		f.hi = append(f.hi, math.Inf(1))
	}
	for _, m := range rangeLine.FindAllStringSubmatch(header, -1) {
		var k int
		var lo, hi float64
		if _, err := fmt.Sscan(m[1]+" "+m[2]+" "+m[3], &k, &lo, &hi); err != nil {
			t.Fatalf("%s: %q: %v", tc.name, m[0], err)
		}
		f.lo[k], f.hi[k] = lo, hi
	}
	bytes := 0
	for _, m := range tableLine.FindAllStringSubmatch(header, -1) {
		n, err := strconv.Atoi(m[2])
		if err != nil {
			t.Fatal(err)
		}
		bytes += n * map[string]int{"float": 4, "int32_t": 4, "int16_t": 2, "uint16_t": 2}[m[1]]
	}
	if said, err := export.TableBytes(tc.c, export.Options{Fixed: true}); err != nil || said != bytes ||
		!strings.Contains(header, fmt.Sprintf(" * Tables: %d bytes ", bytes)) {
		t.Errorf("%s: tables of %d bytes, want %d: %v", tc.name, said, bytes, err)
	}
	return f
}

// fixedHost is a program of the headers: for a case's number and a row's features it prints the class, by predict and
// by a row that is too long, then bounds, decisions and probabilities.
func fixedHost(t *testing.T, dir string, cases []*testCase) (source string, all []*fixedCase) {
	t.Helper()
	var b, table strings.Builder
	b.WriteString("#include <stdio.h>\n")
	for i, tc := range cases {
		name := fmt.Sprintf("m%d", i)
		var header bytes.Buffer
		if err := export.Write(&header, tc.c, "c", export.Options{Name: name, Fixed: true}); err != nil {
			t.Fatalf("%s: %v", tc.name, err)
		}
		all = append(all, newFixedCase(t, tc, header.String()))
		if err := os.WriteFile(filepath.Join(dir, name+".h"), header.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "#include \"%s.h\"\n", name)
		predict, proba := name+"_predict", "0, 0, 0, 0"
		if tc.values() {
			predict = name + "_agrees"
			fmt.Fprintf(&b, "static int32_t %[1]s_agrees(const int16_t *x, int32_t n)\n{\n\tint32_t f[1];\n\tfloat v = "+
				"%[1]s_predict(x, n);\n\t%[1]s_decide(x, f);\n\treturn v != v ? -1 : v == (float)%[1]s_SCALE * (float)f[0] "+
				"&& f[0] == %[1]s_steps(x) ? 0 : -2;\n}\n", name)
		} else if strings.Contains(header.String(), "_PROBABILITY_BOUND") {
			proba = fmt.Sprintf("%[1]s_CLASSES, %[1]s_PROBABILITY_BOUND, %[1]s_predict_proba, %[1]s_probabilities", name)
		}
		fmt.Fprintf(&table, "\t{%[1]s_FEATURES, %[1]s_MODELS, %[1]s_SCALE, %[1]s_BOUND, %[1]s_feature, %[1]s_decide, "+
			"%[2]s, %[3]s},\n", name, predict, proba)
	}
	fmt.Fprintf(&b, fixedMain, table.String())
	source = filepath.Join(dir, "main.c")
	if err := os.WriteFile(source, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return source, all
}

// The types are those of the functions that emlearn writes.
const fixedMain = `
static const struct {
	int d, m;
	double scale, bound;
	int16_t (*feature)(int, float);
	void (*decide)(const int16_t *, int32_t *);
	int32_t (*predict)(const int16_t *, int32_t);
	int classes;
	double odd;
	int (*proba)(const int16_t *, int32_t, float *, int);
	void (*steps)(const int16_t *, uint16_t *);
} models[] = {
%s};

int main(void)
{
	static int16_t x[1000];
	static int32_t f[1000];
	static float p[100];
	static uint16_t q[100];
	int i, k;
	while (scanf("%%d", &i) == 1) {
		for (k = 0; k < models[i].d; k++) {
			float v;
			if (scanf("%%f", &v) != 1)
				return 1;
			x[k] = models[i].feature(k, v);
		}
		models[i].decide(x, f);
		printf("%%d %%d %%.17g %%.17g", (int)models[i].predict(x, models[i].d), (int)models[i].predict(x, models[i].d + 1),
			models[i].bound, models[i].odd);
		for (k = 0; k < models[i].m; k++)
			printf(" %%.17g", f[k] * models[i].scale);
		if (models[i].proba) {
			if (models[i].proba(x, models[i].d, p, models[i].classes) != 0 ||
			    models[i].proba(x, models[i].d + 1, p, models[i].classes) != 1 ||
			    models[i].proba(x, models[i].d, p, models[i].classes - 1) != 1)
				return 2;
			models[i].steps(x, q);
		}
		for (k = 0; k < models[i].classes; k++) {
			printf(" %%.9g", p[k]);
			if (p[k] != q[k] / 32768.0f)
				return 3;
		}
		printf("\n");
	}
	return 0;
}
`

// TestFixed compiles the headers of all models that have fixed point, and compares with double precision: every
// decision and probability is within the bound that the header states, and classes differ only where a decision is that
// close to 0.
func TestFixed(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles hundreds of headers")
	}
	gcc := testutil.Program(t, "gcc")
	cases := append(append(fixedCases(t), drawnFixed(t)...), drawnLinear(t)...)
	for i, tc := range cases {
		cases[i] = extremes(t, tc, uint64(i))
	}
	dir := t.TempDir()
	source, all := fixedHost(t, dir, cases)
	program := filepath.Join(dir, "host")
	strict := []string{"-O0", "-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Wsign-conversion", "-Werror", "-fsanitize=signed-integer-overflow,shift",
		"-fno-sanitize-recover=all"}
	out, err := exec.Command(gcc, append(strict, "-std=c99", "-o", program, source)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if cpp, err := exec.LookPath("g++"); err != nil {
		t.Log("g++ is not installed")
	} else {
		args := []string{"-x", "c++", "-fsyntax-only", "-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Wsign-conversion", "-Werror", source}
		if out, err = exec.Command(cpp, args...).CombinedOutput(); err != nil {
			t.Errorf("g++: %v\n%s", err, out)
		}
	}
	lines := answersOf(t, exec.Command(program), cases)
	rows, others, probable := 0, 0, 0
	for _, tc := range all {
		for r := range tc.n {
			if !lines.Scan() {
				t.Fatalf("%s: the program ended", tc.name)
			}
			rows++
			other, odds := tc.checkFixed(t, r, lines.Text())
			if other {
				others++
			}
			if odds {
				probable++
			}
		}
	}
	t.Logf("%d models, %d of %d rows have another class; %d rows with probabilities", len(cases), others, rows, probable)
	if 200*others > rows || 10*probable < rows {
		t.Errorf("%d of %d rows have another class, %d have probabilities", others, rows, probable)
	}
}

// TestFixedGuide compiles the guide's lines for callers, for a Cortex-M0 too where its compiler is installed.
func TestFixedGuide(t *testing.T) {
	gcc := testutil.Program(t, "gcc")
	page, err := os.ReadFile(filepath.Join(testutil.Root(t), "docs", "guide", "leave.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, block, found := strings.Cut(string(page), "```c\n#include \"ripley_fixed.h\"\n")
	block, _, closed := strings.Cut(block, "```")
	if !found || !closed {
		t.Fatal("the guide has no such block")
	}
	var header bytes.Buffer
	for _, tc := range trained(t) {
		if tc.name == "ripley_few" {
			err = export.Write(&header, tc.c, "c", export.Options{Name: "ripley_fixed", Fixed: true})
		}
	}
	program := fmt.Sprintf("#include \"ripley_fixed.h\"\nint32_t f(float x, float y)\n{\n%s\treturn label;\n}\n", block)
	dir := t.TempDir()
	for name, text := range map[string]string{"ripley_fixed.h": header.String(), "main.c": program} {
		err = errors.Join(err, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{gcc}, {"arm-none-eabi-gcc", "-mcpu=cortex-m0", "-mthumb"}} {
		if _, err := exec.LookPath(args[0]); err != nil {
			t.Logf("%s is not installed", args[0])
			continue
		}
		args = append(args, "-std=c17", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-c", "-o",
			filepath.Join(dir, "main.o"), filepath.Join(dir, "main.c"))
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	}
}

// extremes adds rows with features far away, at the ends of ranges, and where a step rises.
func extremes(t *testing.T, tc *testCase, seed uint64) *testCase {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 3))
	p := tc.c.Parts()
	x := slices.Clone(tc.x)
	for r := range 12 {
		row := slices.Clone(tc.x[rnd.IntN(tc.n)*p.D:][:p.D])
		for range 1 + r/4 {
			k, far := rnd.IntN(p.D), []float64{1e30, 17, 3, 1}[r%4]
			if s := p.Scaling; s != nil && far < 1e30 {
				far = s.Center[k] + far*s.Spread[k]
			}
			row[k] = far
			if rnd.IntN(2) == 0 {
				row[k] = -far
			}
		}
		if r < 2 && tc.sets == nil { // which is the low end
			row[rnd.IntN(p.D)] = math.NaN()
		}
		x = append(x, row...)
	}
	for o := range p.Submodels {
		for _, s := range p.Submodels[o].Steps {
			row := slices.Clone(tc.x[rnd.IntN(tc.n)*p.D:][:p.D])
			z, turn := s.Move, slices.Clone(s.Turn)
			for k := range turn {
				if a := p.Scaling; a != nil && a.Spread[k] == 0 {
					turn[k] = 0
				} else if a != nil && a.Kind == dataset.ScaleMinMax {
					turn[k] *= (a.Hi - a.Lo) / a.Spread[k]
					z += s.Turn[k]*a.Lo - turn[k]*a.Center[k]
				} else if a != nil {
					turn[k] /= a.Spread[k]
					z -= turn[k] * a.Center[k]
				}
				z += turn[k] * row[k]
			}
			if k := rnd.IntN(p.D); turn[k] != 0 {
				row[k] -= z / turn[k]
			}
			x = append(x, row...)
		}
	}
	return newCase(t, tc.name, tc.c, x)
}

// checkFixed compares a row, and reports whether it has another class, and whether it has probabilities.
func (tc *fixedCase) checkFixed(t *testing.T, r int, line string) (other, odds bool) {
	t.Helper()
	cells := make([]float64, len(strings.Fields(line)))
	to := make([]any, len(cells))
	for i := range cells {
		to[i] = &cells[i]
	}
	m := tc.c.NumSubmodels()
	if _, err := fmt.Sscan(line, to...); err != nil || len(cells) < 4+m {
		t.Fatalf("%s: %q: %v", tc.name, line, err)
	}
	class, bound, f := int(cells[0]), cells[2], cells[4:4+m]
	if cells[1] != -1 {
		t.Errorf("%s: a row of a feature more has class %v", tc.name, cells[1])
	}
	// Rows are floats there: what rounding them changes is none of the bound. So is what their ranges change.
	d := tc.c.NumFeatures()
	x, want := make([]float64, d), make([]float64, m)
	for k, v := range tc.x[r*d : (r+1)*d] {
		if math.IsNaN(v) {
			v = -1e30
		}
		x[k] = min(tc.hi[k], max(tc.lo[k], float64(float32(v))))
	}
	tc.c.DecideTo(want, x)
	near := false
	for k := range f {
		if !(math.Abs(f[k]-want[k]) <= bound) {
			t.Fatalf("%s, row %d, %v: decision %v, want %v within %v", tc.name, r, x, f[k], want[k], bound)
		}
		near = near || math.Abs(want[k]) <= bound
		for j := range f {
			near = near || j != k && math.Abs(math.Abs(want[k])-math.Abs(want[j])) <= 2*bound
		}
	}
	tc.checkOdds(t, r, cells[4+m:], want, cells[3])
	odds = len(cells) > 4+m
	if tc.values() {
		return false, odds
	}
	if other = class != tc.c.Predict(x); other && !near {
		t.Errorf("%s, row %d: class %d, want %d; decisions %v are not within %v", tc.name, r, class, tc.c.Predict(x), want,
			bound)
	}
	return other, odds
}

// checkOdds compares probabilities with those of decisions f.
func (tc *fixedCase) checkOdds(t *testing.T, r int, got, f []float64, bound float64) {
	t.Helper()
	p := tc.c.Parts()
	if len(got) == 0 {
		if tc.c.Calibrated() == nil && (p.Scheme == model.Binary || p.Scheme == model.OneVsRest) {
			t.Fatalf("%s has no probabilities", tc.name)
		}
		return
	}
	want, sum := make([]float64, tc.c.NumClasses()), 0.0
	for o := range f {
		v := 1 / (1 + math.Exp(p.Platt[o].A*f[o]+p.Platt[o].B))
		want[p.Submodels[o].Pos] = v
		if sum += v; p.Scheme == model.Binary {
			want[p.Submodels[o].Neg], sum = 1-v, 1
		}
	}
	if k := float64(len(f)); p.Scheme == model.OneVsRest {
		if sum <= k*bound {
			return
		}
		bound = (k+1)*bound/(sum-k*bound) + 1.0/(1<<16)
	}
	for k := range got {
		if !(math.Abs(got[k]-want[k]/sum) <= bound) {
			t.Fatalf("%s, row %d: probability %v, want %v within %v", tc.name, r, got[k], want[k]/sum, bound)
		}
	}
}

// drawnLinear are models of planes and steps, with and without vectors: gentle and steep steps, large and small
// weights, every scheme and scaling.
func drawnLinear(t *testing.T) (cases []*testCase) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(9, 10))
	size := func(spread float64) float64 { return math.Exp(spread*rnd.NormFloat64()) * rnd.NormFloat64() }
	for i := range 90 {
		d, n := []int{1, 2, 3, 7, 20}[i%5], []int{0, 0, 5}[i%3]
		scheme := []model.Scheme{model.Binary, model.OneVsRest, model.OneVsOne, model.PairwiseFuzzy}[i%4]
		p := parts(rnd, scheme, gram.RBF(size(1)*size(1)/float64(d)), n, d, 1)
		p.Kernel.Gamma, p.Conformal = math.Abs(p.Kernel.Gamma)+0.01, nil
		if i%7 > 0 {
			p.Scaling = scaling(rnd, []dataset.ScaleKind{dataset.ScaleZ, dataset.ScaleMinMax}[i%2], d)
		}
		scale, slope := size(2), 1+i%3
		for o := range p.Submodels {
			m := &p.Submodels[o]
			m.Bias *= scale
			if p.Scaling != nil && i%4 != 1 {
				m.Plane = make([]float64, d)
				for k := range d {
					m.Plane[k] = scale * size(1)
				}
			}
			for s := range i % 6 {
				turn := make([]float64, d)
				turn[rnd.IntN(d)] = size(float64(slope))
				if p.Scaling != nil && s%2 == i%2 {
					for k := range d {
						turn[k] = size(float64(slope) - 1)
					}
				}
				m.Steps = append(m.Steps, learn.Step{Turn: turn, Move: size(1), Coef: scale * size(1)})
			}
		}
		c := build(t, p)
		var b bytes.Buffer
		if err := export.Write(&b, c, "c", export.Options{Fixed: true}); err != nil {
			if !strings.Contains(err.Error(), "no feature changes") && !strings.Contains(err.Error(), "too far for 16 bits") {
				t.Errorf("drawn %d: %v", i, err)
			}
			continue
		}
		cases = append(cases, newCase(t, fmt.Sprintf("linear %d", i), c, rows(rnd, 30, d)))
	}
	return cases
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
			if d > 1 {
				p.Scaling.Spread[rnd.IntN(d)] = 0
			}
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
