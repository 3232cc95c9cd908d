package trees

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// expected is what LightGBM and XGBoost made of the models of testdata; bench/peers/peer/treefiles.py writes it.
type expected struct {
	Rows   [][]*float64
	Models map[string]struct{ Scores, Predictions [][]float64 }
}

func recorded(t testing.TB) (rows [][]float64, e expected) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "expected.json"))
	if err == nil {
		err = json.Unmarshal(text, &e)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, cells := range e.Rows {
		var row []float64
		for _, cell := range cells {
			if cell == nil {
				row = append(row, math.NaN())
			} else {
				row = append(row, *cell)
			}
		}
		rows = append(rows, row)
	}
	return rows, e
}

func open(t testing.TB, name string) *Model {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	m, err := Read(bytes.NewReader(text), name, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// refused are the models of testdata that are no sums of trees, with the error of each.
var refused = map[string]string{
	"linear.txt":    "linear.txt:12: Tree=0: is_linear: trees with linear models",
	"x-linear.json": `gradient_booster.name: found "gblinear", want gbtree or dart`,
	"x-rank.json":   `objective.name: found "rank:pairwise"`,
}

// TestScores: scores and predictions are those of the programs, LightGBM's to 1e-12 and XGBoost's to 1e-6, for missing
// features, ties of float32 and categories that the training did not have; of a batch the bits of its rows.
func TestScores(t *testing.T) {
	rows, e := recorded(t)
	for name, want := range e.Models {
		if refused[name] != "" {
			continue
		}
		m := open(t, name)
		tolerance := 1e-12
		if m.Program == "XGBoost" {
			tolerance = 1e-6
		}
		var all []float64
		worst := 0.0
		for _, row := range rows {
			all = append(all, row...)
		}
		scores := m.ScoreRows(all, 2)
		for i, row := range rows {
			f := make([]float64, m.Scores)
			m.Score(row, f)
			for k, v := range f {
				if v != scores[i*m.Scores+k] {
					t.Fatalf("%s: row %d scores %v alone and %v among others", name, i, v, scores[i*m.Scores+k])
				}
			}
			for k := range want.Scores[i] {
				want.Scores[i][k] /= max(1, m.divisor) // LightGBM divides forests' sums for predictions only
			}
			worst = max(worst, differs(f, want.Scores[i]))
			m.Predict(f)
			if m.Objective == "multi:softmax" {
				f = []float64{float64(m.Class(f))}
			}
			worst = max(worst, differs(f, want.Predictions[i]))
		}
		if !(worst <= tolerance) {
			t.Errorf("%s: differs by %v", name, worst)
		}
	}
}

// differs is the largest difference, of numbers above 1 as their share.
func differs(a, b []float64) (largest float64) {
	if len(a) != len(b) {
		return math.Inf(1)
	}
	for k := range a {
		largest = max(largest, math.Abs(a[k]-b[k])/max(1, math.Abs(b[k])))
	}
	return largest
}

func TestRefused(t *testing.T) {
	for name, want := range refused {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		if _, err = Read(bytes.NewReader(text), name, 1<<30); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", name, err, want)
		}
	}
}

// TestDamage: no cut file, no changed digit and no changed word is read without an error or a model that evaluates, and
// the errors say where.
func TestDamage(t *testing.T) {
	for _, name := range []string{"binary.txt", "multiclass.txt", "x-binary.json", "x-dart.json"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		whole := len(text)
		if at := bytes.Index(text, []byte("end of trees")); at > 0 {
			whole = at
		}
		for at := 0; at < whole-1; at += 1 + at/200 {
			if _, err := Read(bytes.NewReader(text[:at]), name, 1<<30); err == nil || !strings.HasPrefix(err.Error(), name) {
				t.Fatalf("%s cut after %d bytes: error %v", name, at, err)
			}
		}
		for at := 0; at < whole; at += 1 + at/300 {
			for _, b := range []byte("9-. ") {
				changed := bytes.Clone(text)
				changed[at] = b
				evaluate(t, changed)
			}
		}
	}
}

// evaluate reads a file and evaluates what comes out.
func evaluate(t *testing.T, text []byte) {
	m, err := Read(bytes.NewReader(text), "fuzz", 1<<26)
	if err != nil {
		if !strings.HasPrefix(err.Error(), "fuzz") {
			t.Fatalf("the error does not name the file: %v", err)
		}
		return
	}
	if m.Features > 1000 || m.Scores > 1000 {
		return
	}
	x := make([]float64, m.Features)
	for _, v := range []float64{0, 1.5, -3, 1e300, math.Inf(1), math.Inf(-1), math.NaN()} {
		for i := range x {
			x[i] = v
		}
		f := m.ScoreRows(x, 1)
		if k := m.Class(f); k < 0 || k >= max(2, m.Scores) {
			t.Fatalf("class %d of %d scores", k, m.Scores)
		}
		m.Predict(f)
	}
}

// FuzzRead reads damaged models.
func FuzzRead(f *testing.F) {
	for _, name := range []string{"binary.txt", "rf.txt", "x-binary.json", "x-dart.json", "constant.txt"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) { evaluate(t, text) })
}

// BenchmarkScore is one sample through 100 trees of 31 leaves, whole and balanced as far as 31 leaves go.
func BenchmarkScore(b *testing.B) {
	m := &Model{Features: 20, Scores: 1}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		const n = 30
		splits := make([]split, n)
		for i := range splits { // a heap whose nodes from n on are leaves
			splits[i] = split{rng.NormFloat64(), 2*i + 1, 2*i + 2, int32(rng.IntN(20)), 0}
		}
		m.group = append(m.group, 0)
		if err := m.grow(2*n+1, func(i int) (split, float64, bool) {
			if i < n {
				return splits[i], 0, false
			}
			return split{}, rng.NormFloat64(), true
		}); err != nil {
			b.Fatal(err)
		}
	}
	m.sorted()
	rows := make([]float64, 1000*20)
	for i := range rows {
		rows[i] = rng.NormFloat64()
	}
	for _, row := range []string{"plain", "missing"} {
		if row == "missing" {
			for i := 3; i < len(rows); i += 20 {
				rows[i] = math.NaN()
			}
		}
		b.Run("row="+row, func(b *testing.B) {
			var out [1]float64
			for i := 0; b.Loop(); i++ {
				at := i % 1000 * 20
				m.Score(rows[at:at+20], out[:])
			}
		})
	}
}

// TestFaults: an error says which field is wrong, and no number of a file makes the reader take memory for it.
func TestFaults(t *testing.T) {
	for _, c := range []struct{ file, old, new, want string }{
		{"binary.txt", "num_leaves=7", "num_leaves=1000000000", "Tree=0: leaf_value: found 7 numbers, want 1000000000"},
		{"ova.txt", "num_cat=1", "num_cat=1000000000", "cat_boundaries: found 2 numbers, want 1000000001"},
		{"ova.txt", "cat_boundaries=0 2", "cat_boundaries=0 9", "cat_threshold: found 2 numbers, want 9"},
		{"binary.txt", "max_feature_idx=3", "max_feature_idx=1", "feature_names: found \"4 names\", want 2"},
		{"binary.txt", "left_child=3", "left_child=0", "binary.txt:12: Tree=0: node 0: found child 0, which is another"},
		{"binary.txt", "left_child=3", "left_child=6", `left_child[0]: found "6", want a number from -7 to 5`},
		{"binary.txt", "split_feature=0", "split_feature=4", `split_feature[0]: found "4", want a number from 0 to 3`},
		{"binary.txt", "threshold=0", "threshold=nan", `threshold[0]: found "nan`},
		{"binary.txt", "leaf_value=", "leaf_value=inf ", `leaf_value[0]: found "inf"`},
		{"binary.txt", "version=v4", "version=v9", `binary.txt:2: version: found "v9"`},
		{"binary.txt", "objective=binary", "objective=lambdarank", `binary.txt:7: objective: found "lambdarank`},
		{"binary.txt", "Tree=1", "Tree=3", `found "Tree=3", want Tree=1`},
		{"binary.txt", "tree_sizes=", "tree_sizes=5 ", "found 6 trees, want as many as tree_sizes names"},
		{"binary.txt", "categorical:null", `categorical:[["a"]]`, "pandas_categorical: found a data frame's"},
		{"x-binary.json", `"left_children":[1`, `"left_children":[0`, "trees[0].node 0: found child 0, which is another"},
		{"x-binary.json", `"left_children":[1`, `"left_children":[99`, "trees[0].node 0: found child 99, want one of"},
		{"x-binary.json", `"left_children":[1`, `"left_children":[null`, "trees[0]: found null"},
		{"x-binary.json", `"split_conditions":[`, `"split_conditions":[NaN,`, "invalid character 'N'"},
		{"x-binary.json", `"split_indices":[`, `"split_indices":[7,`, "split_indices: found"},
		{"x-binary.json", `"num_feature":"4","num_target"`, `"num_feature":"1000000000000","num_target"`, "num_feature: found"},
		{"x-binary.json", `"name":"gbtree"`, `"name":"other"`, `gradient_booster.name: found "other"`},
		{"x-binary.json", `"enc":[]`, `"enc":[{"offsets":[],"values":[1]}]`, "cats: found a data frame's categories"},
		{"x-binary.json", `{"learner"`, `{Llearner`, "found XGBoost's UBJSON, want JSON"},
		{"x-binary.json", `"base_score":"[`, `"base_score":"[2,`, "base_score: found 2 numbers, want 1"},
		{"x-dart.json", `"weight_drop":[`, `"weight_drop":[1,`, "weight_drop: found 9 weights"},
	} {
		text, err := os.ReadFile(filepath.Join("testdata", c.file))
		if err != nil {
			t.Fatal(err)
		}
		changed := strings.Replace(string(text), c.old, c.new, 1)
		if changed == string(text) {
			t.Errorf("%s has no %q", c.file, c.old)
			continue
		}
		_, err = Read(strings.NewReader(changed), c.file, 1<<30)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q for %q: error %v, want %q", c.new, c.old, err, c.want)
		}
	}
	if _, err := Read(strings.NewReader("tree\n"), "m", 10); err == nil || !strings.Contains(err.Error(), "memory") {
		t.Errorf("beyond the memory: error %v", err)
	}
}
