package svc

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// update runs LIBSVM's svm-train and writes testdata/libsvm.json anew:
// go test ./learn/svc -run LIBSVM -update
var update = flag.Bool("update", false, "write the recorded results of LIBSVM anew; needs svm-train")

// setting is one run of svm-train on a file of the module's testdata.
type setting struct {
	File   string
	Flags  string // of svm-train, without -e
	kernel gram.Kernel
	c      float64
	weight map[string]float64 // of classes
}

var settings = []setting{
	{"ripley.train.libsvm", "-t 2 -g 2 -c 1", gram.RBF(2), 1, nil},
	{"ripley.train.libsvm", "-t 2 -g 2 -c 1000", gram.RBF(2), 1000, nil},
	{"ripley.train.libsvm", "-t 2 -g 2 -c 1e-4", gram.RBF(2), 1e-4, nil}, // no free support vector
	{"ripley.train.libsvm", "-t 2 -g 8 -c 2 -w1 3 -w-1 0.5", gram.RBF(8), 2, map[string]float64{"1": 3, "-1": 0.5}},
	{"diabetis.libsvm", "-t 2 -g 1e-3 -c 1", gram.RBF(1e-3), 1, nil},
	{"diabetis.libsvm", "-t 2 -g 1e-4 -c 100", gram.RBF(1e-4), 100, nil},
	{"diabetis.libsvm", "-t 2 -g 1e-3 -c 1e-4", gram.RBF(1e-3), 1e-4, nil},
	{"ionosphere.libsvm", "-t 2 -g 0.03 -c 10", gram.RBF(0.03), 10, nil},
	{"ionosphere.libsvm", "-t 0 -c 0.1", gram.Linear(), 0.1, nil},
	{"ionosphere.libsvm", "-t 1 -d 2 -g 0.1 -r 1 -c 0.5", gram.Poly(2, 0.1, 1), 0.5, nil},
	{"iris.libsvm", "-t 2 -g 0.5 -c 1", gram.RBF(0.5), 1, nil},
	{"iris.libsvm", "-t 2 -g 0.1 -c 20 -w3 4", gram.RBF(0.1), 20, map[string]float64{"3": 4}},
}

// tolerance is LIBSVM's -e, and that of the trainer that is compared. At a small C
// decisions differ by multiples of C only.
func (s setting) tolerance() float64 { return 1e-6 * min(1, s.c) }

// single is what LIBSVM's decisions may be off: its kernel cache is in single precision,
// and the errors are multiplied by coefficients up to C.
func (s setting) single() float64 { return 1e-6 * max(10*min(1, s.c), s.c) }

func (s setting) command() string {
	return fmt.Sprintf("svm-train %s -e %g testdata/%s", s.Flags, s.tolerance(), s.File)
}

// recorded is what LIBSVM found; a model for each pair of classes, the greater class positive.
type recorded struct {
	Command  string
	Version  string // of Debian's package libsvm-tools
	Machines []machine
}

type machine struct {
	Pos, Neg  string
	Dual      float64   // Σα − ½ αᵀQα, from the coefficients, in double precision
	Bias      float64   // −rho
	Support   []int     // rows, of equal rows the first
	Bounded   int       // coefficients at their limit
	Decisions []float64 // at the probes
}

// read loads the set; probes are samples between two of its rows.
func (s setting) read(tb testing.TB) (set *dataset.Set, probes [][]float64) {
	tb.Helper()
	set, err := dataset.ReadFile(testutil.Testdata(tb, s.File), dataset.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	for i := range 8 {
		a, b := row(set, i*set.N/8), row(set, set.N-1-i*set.N/9)
		p := make([]float64, set.D)
		for j := range p {
			p[j] = (a[j] + b[j]) / 2
		}
		probes = append(probes, p)
	}
	return set, probes
}

func row(set *dataset.Set, i int) []float64 { return set.X[i*set.D : (i+1)*set.D] }

// first names every row by the first row of the same features and class.
func first(set *dataset.Set) []int {
	seen := map[string]int{}
	name := make([]int, set.N)
	for i := range name {
		key := fmt.Sprint(set.Y[i], row(set, i))
		if _, ok := seen[key]; !ok {
			seen[key] = i
		}
		name[i] = seen[key]
	}
	return name
}

// figures works a model out of its coefficients by row, which are positive for the class pos.
func (s setting) figures(set *dataset.Set, probes [][]float64, pos, neg int,
	coef map[int]float64, bias float64) machine {
	m := machine{Pos: set.Labels[pos], Neg: set.Labels[neg], Bias: bias}
	name := first(set)
	rows := make([]int, 0, len(coef))
	for i := range coef {
		rows = append(rows, i)
		m.Support = append(m.Support, name[i])
	}
	slices.Sort(rows) // the sums below are always added in one order
	slices.Sort(m.Support)
	m.Support = slices.Compact(m.Support)
	for _, i := range rows {
		m.Dual += math.Abs(coef[i])
		if !(math.Abs(coef[i]) < s.limit(set, i)*(1-1e-7)) {
			m.Bounded++
		}
		for _, j := range rows {
			m.Dual -= 0.5 * coef[i] * coef[j] * s.kernel.Eval(row(set, i), row(set, j))
		}
	}
	for _, x := range probes {
		f := bias
		for _, i := range rows {
			f += coef[i] * s.kernel.Eval(x, row(set, i))
		}
		m.Decisions = append(m.Decisions, f)
	}
	return m
}

// limit is C times the weight of the row's class.
func (s setting) limit(set *dataset.Set, i int) float64 {
	if w, ok := s.weight[set.Labels[set.Y[i]]]; ok {
		return s.c * w
	}
	return s.c
}

// libsvm reads the models out of a model file of svm-train.
func (s setting) libsvm(tb testing.TB, model string) []machine {
	tb.Helper()
	set, probes := s.read(tb)
	head, body, ok := strings.Cut(model, "\nSV\n")
	if !ok {
		tb.Fatalf("no vectors in the model file of %s", s.command())
	}
	header := map[string][]string{}
	for line := range strings.Lines(head) {
		words := strings.Fields(line)
		header[words[0]] = words[1:]
	}
	class := make([]int, 0, len(set.Labels))
	for _, label := range header["label"] {
		class = append(class, slices.Index(set.Labels, label))
	}
	rows, coef := vectors(tb, set, class, header["nr_sv"], strings.Split(strings.TrimSpace(body), "\n"))
	var machines []machine
	for a := range class {
		for b := a + 1; b < len(class); b++ {
			bias, sign := -number(tb, header["rho"][len(machines)]), 1.0
			pos, neg := class[a], class[b]
			if pos < neg {
				pos, neg, bias, sign = neg, pos, -bias, -1
			}
			pair := map[int]float64{}
			for v, i := range rows {
				// A vector of class a has its coefficient for the pair (a, b) in column b−1,
				// one of class b in column a.
				column := -1
				switch set.Y[i] {
				case class[a]:
					column = b - 1
				case class[b]:
					column = a
				}
				if column >= 0 && coef[v][column] != 0 {
					pair[i] = sign * coef[v][column]
				}
			}
			machines = append(machines, s.figures(set, probes, pos, neg, pair, bias))
		}
	}
	return machines
}

// vectors finds the row of each support vector: they stand in the order of the file, class after class.
func vectors(tb testing.TB, set *dataset.Set, class []int, count, lines []string) (rows []int, coef [][]float64) {
	tb.Helper()
	next := 0
	for c, words := range count {
		i := 0
		for range int(number(tb, words)) {
			fields := strings.Fields(lines[next])
			next++
			var a []float64
			for _, w := range fields[:len(class)-1] {
				a = append(a, number(tb, w))
			}
			x := make([]float64, set.D)
			for _, w := range fields[len(class)-1:] {
				j, v, _ := strings.Cut(w, ":")
				x[int(number(tb, j))-1] = number(tb, v)
			}
			for i < set.N && (set.Y[i] != class[c] || !equal(row(set, i), x)) {
				i++
			}
			if i == set.N {
				tb.Fatalf("line %d of the vectors is not a row of the set", next)
			}
			rows = append(rows, i)
			coef = append(coef, a)
			i++
		}
	}
	return rows, coef
}

// equal compares a row with what svm-train writes: eight digits.
func equal(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) <= 1e-7*math.Abs(x) })
}

func number(tb testing.TB, s string) float64 {
	tb.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		tb.Fatal(err)
	}
	return v
}

// check holds the trainer against LIBSVM's models.
func (s setting) check(t *testing.T, want []machine) {
	set, probes := s.read(t)
	got := s.train(t, set, probes)
	if len(got) != len(want) {
		t.Fatalf("%d models, LIBSVM has %d", len(got), len(want))
	}
	for k, w := range want {
		g := got[k]
		if g.Pos != w.Pos || g.Neg != w.Neg {
			t.Fatalf("model %d is %s against %s, want %s against %s", k, g.Pos, g.Neg, w.Pos, w.Neg)
		}
		what := w.Pos + "/" + w.Neg
		testutil.NearRel(t, what+": dual objective", g.Dual, w.Dual, 1e-7)
		testutil.NearRel(t, what+": bias", g.Bias, w.Bias, s.single())
		testutil.NearAll(t, what+": decisions", g.Decisions, w.Decisions, s.single())
		if g.Bounded != w.Bounded {
			t.Errorf("%s: %d coefficients at their limit, LIBSVM has %d", what, g.Bounded, w.Bounded)
		}
		if !slices.Equal(g.Support, w.Support) {
			t.Errorf("%s: support vectors %v, LIBSVM's are %v", what, g.Support, w.Support)
		}
	}
}

// TestLIBSVMRecorded holds the trainer against what LIBSVM once found on the module's own sets.
func TestLIBSVMRecorded(t *testing.T) {
	path := filepath.Join("testdata", "libsvm.json")
	if *update {
		record(t, path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var all []recorded
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	for _, s := range settings {
		k := slices.IndexFunc(all, func(r recorded) bool { return r.Command == s.command() })
		if k < 0 {
			t.Errorf("no result of %q in %s", s.command(), path)
			continue
		}
		t.Run(s.File+" "+s.Flags, func(t *testing.T) { s.check(t, all[k].Machines) })
	}
}
