package cli

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/fileformat"
	"github.com/sparsekm/sparsekm/internal/trees"
)

// readTrees reads the trees of LightGBM or XGBoost within so many bytes; nil if the file is another one.
func readTrees(s *session.Session, name string, memory int64) (*trees.Model, error) {
	return readRegular(s, name, func(in io.Reader, head []byte) (*trees.Model, error) {
		if !trees.Known(head) {
			return nil, nil
		}
		return trees.Read(in, name, memory)
	})
}

// readRegular reads a file, decompressed, by a function that gets its first bytes too. Nothing of a pipe may be lost:
// its result is zero.
func readRegular[T any](s *session.Session, name string, read func(in io.Reader, head []byte) (T, error)) (T, error) {
	return session.InBackground(s, func() (none T, err error) {
		file, err := os.Open(name)
		if err != nil {
			return none, err
		}
		defer file.Close()
		if info, bad := file.Stat(); bad != nil || !info.Mode().IsRegular() {
			return none, bad
		}
		var head []byte
		in, err := fileformat.Decompress(file)
		if err == nil {
			head, err = in.Peek(trees.HeadBytes) // more than model.Known wants
		}
		if err != nil && err != io.EOF {
			return none, fmt.Errorf("%s: %w", name, err)
		}
		return read(in, head)
	})
}

// rowsFor returns the samples of a file as the trees take them, where NaN is a missing cell. The set was read from the
// file, perhaps for another model: if the file is a table, it is read again for its numbers as they are.
func rowsFor(s *session.Session, m *trees.Model, name string, set *dataset.Set, f reading) (*dataset.Set, error) {
	if set.Columns == nil {
		return denseFor(m, name, set, f.MaxBytes)
	}
	if name == "-" {
		return nil, usagef("trees: a table is read twice for them: name a file instead of standard input")
	}
	columns, chosen, err := treeColumns(m, name, set.Columns)
	if err != nil {
		return nil, err
	}
	f.Columns, f.Guess, f.Drop, f.Select, f.Categorical = columns, false, nil, nil, nil
	raw, err := session.InBackground(s, func() (*dataset.Set, error) { return dataset.ReadFile(name, f.Options) })
	if err != nil {
		return nil, fmt.Errorf("the trees want numbers: %w", err)
	}
	if raw.N != set.N {
		return nil, fmt.Errorf("%s: found %d samples and then %d; the file must not change", name, set.N, raw.N)
	}
	sorted, places := slices.Sorted(slices.Values(chosen)), make([]int, m.Features) // among the columns that were read
	for k, j := range chosen {
		places[k], _ = slices.BinarySearch(sorted, j)
	}
	rows := &dataset.Set{X: make([]float64, raw.N*m.Features), N: raw.N, D: m.Features}
	for i := range raw.N {
		from := raw.Row(i)
		for k, place := range places {
			v := from[2*place]
			if from[2*place+1] != 0 {
				v = math.NaN()
			}
			rows.X[i*m.Features+k] = v
		}
	}
	return rows, nil
}

// denseFor returns the samples of a file without columns. A LIBSVM file leaves out zeros, also the last ones.
func denseFor(m *trees.Model, name string, set *dataset.Set, memory int64) (_ *dataset.Set, err error) {
	if set.D > m.Features {
		return nil, featuresError(name, set.D, m.Features, "the file of trees")
	}
	if set.Sparse != nil {
		if set, err = set.Dense(max(1, memory)); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	if set.D < m.Features {
		if !set.Pairs {
			return nil, featuresError(name, set.D, m.Features, "the file of trees")
		}
		set = set.Widen(m.Features)
	}
	return set, nil
}

// treeColumns returns the columns of a table with the features of the trees as numbers, each with a mark for missing
// cells, and the column of each feature. Features are found by name if both sides have names, else by order:
// all columns without the label's, or those that are features.
func treeColumns(m *trees.Model, name string, table dataset.Columns) (dataset.Columns, []int, error) {
	columns := make(dataset.Columns, len(table))
	byName := make(map[string]int, len(table))
	var all, used []int
	label := ""
	for j := range table {
		c := &table[j]
		columns[j] = dataset.Column{Name: c.Name, Role: dataset.RoleUnused}
		if c.Role == dataset.RoleLabel {
			columns[j].Role, label = dataset.RoleLabel, plainName(c.Name)
			continue
		}
		byName[plainName(c.Name)] = j
		if all = append(all, j); c.Role != dataset.RoleUnused {
			used = append(used, j)
		}
	}
	chosen := make([]int, m.Features)
	switch {
	case m.Names != nil && table.Named():
		for k, feature := range m.Names {
			j, found := byName[plainName(feature)]
			if !found && plainName(feature) == label {
				return nil, nil, fmt.Errorf("%s: found the labels in column %q, which the trees of %s have as a feature "+
					"(--label-column names another one, --unlabelled none)", name, feature, m.Program)
			}
			if !found {
				return nil, nil, fmt.Errorf("%s: found no column %q, which the trees of %s have as a feature", name, feature,
					m.Program)
			}
			chosen[k] = j
		}
	case len(all) == m.Features:
		copy(chosen, all)
	case len(used) == m.Features:
		copy(chosen, used)
	default:
		return nil, nil, featuresError(name, len(all), m.Features, "the file of trees")
	}
	for _, j := range chosen {
		if columns[j].Role == dataset.RoleNumber {
			return nil, nil, fmt.Errorf("%s: the trees of %s have two features of one name", name, m.Program)
		}
		columns[j] = dataset.Column{Name: table[j].Name, Role: dataset.RoleNumber, Filled: true, Marked: true}
	}
	return columns, chosen, nil
}

// plainName is a name of a feature as LightGBM writes it.
func plainName(name string) string { return strings.ReplaceAll(name, " ", "_") }

// treeMicros is the time that a score takes, in microseconds: the best of five passes over a thousand samples at most.
func treeMicros(m *trees.Model, rows *dataset.Set) float64 {
	n := min(rows.N, 1000)
	best := math.Inf(1)
	for range 5 {
		start := time.Now()
		m.ScoreRows(rows.X[:n*m.Features], 1)
		best = min(best, time.Since(start).Seconds())
	}
	return 1e6 * best / float64(n)
}

// verifyTrees compares the predictions of trees with those of another program: a value or a probability for each
// sample, or one for each class, or the numbers of the classes.
func (c *verifyCmd) verifyTrees(s *session.Session, m *trees.Model, memory int64) error {
	r := c.DataFlags.reading((memory - m.Bytes()) / 3)
	r.Targets, r.Guess, r.Missing, r.Width = dataset.TargetGuess, true, dataset.MissingMark, m.Features
	set, err := load(s, c.Data, r)
	if err != nil {
		return err
	}
	rows, err := rowsFor(s, m, c.Data, set, r)
	if err != nil {
		return err
	}
	other, width, err := readNumbers(c.Against, m.Scores, rows.N)
	if err != nil {
		return err
	}
	labels := m.Classes() > 0 && width == 1 && whole(other, m.Classes())
	if !labels && width != m.Scores {
		return fmt.Errorf("%s: found %d numbers a line, want %d predictions or the number of a class", c.Against, width,
			m.Scores)
	}
	scores, err := session.InBackground(s, func() ([]float64, error) { return m.ScoreRows(rows.X, 0), nil })
	if err != nil {
		return err
	}
	difference := new(float64)
	same := make([]bool, rows.N)
	for i := range same {
		f, theirs := scores[i*m.Scores:(i+1)*m.Scores], other[i*width:(i+1)*width]
		ours := m.Class(f)
		m.Predict(f)
		switch {
		case labels:
			same[i] = float64(ours) == theirs[0]
		case m.Classes() == 0:
			same[i] = math.Abs(f[0]-theirs[0]) <= c.Tolerance
		default:
			same[i] = ours == m.ClassPredicted(theirs)
		}
		for k := range theirs {
			*difference = max(*difference, math.Abs(f[k]-theirs[k]))
		}
	}
	if labels {
		difference = nil
	}
	return c.end(s, rows.N, func(i int) bool { return same[i] }, difference)
}

// whole reports whether all numbers are those of classes.
func whole(numbers []float64, classes int) bool {
	for _, v := range numbers {
		if v != math.Trunc(v) || v < 0 || v >= float64(classes) {
			return false
		}
	}
	return true
}

// readNumbers reads n lines of as many numbers each as the first one has, at most so many, and returns how many. The
// first line may be a heading.
func readNumbers(name string, limit, n int) (numbers []float64, width int, err error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, 0, err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20+32*limit)
	for line := 1; lines.Scan(); line++ {
		words := strings.FieldsFunc(lines.Text(), func(r rune) bool { return strings.ContainsRune(" ,;\t\r", r) })
		if len(words) == 0 {
			continue
		}
		if width == 0 {
			_, bad := strconv.ParseFloat(words[0], 64)
			if bad != nil && line == 1 {
				continue
			}
			width = len(words)
		}
		if len(words) != width || width > limit {
			return nil, 0, fmt.Errorf("%s:%d: found %d numbers, want at most %d, as many in each line", name, line, len(words),
				limit)
		}
		if len(numbers) == n*width {
			return nil, 0, fmt.Errorf("%s:%d: found another line, want %d, one for each sample", name, line, n)
		}
		for _, word := range words {
			v, bad := strconv.ParseFloat(word, 64)
			if bad != nil || math.IsNaN(v) {
				return nil, 0, fmt.Errorf("%s:%d: found %.40q, want a number", name, line, word)
			}
			numbers = append(numbers, v)
		}
	}
	if err = lines.Err(); err != nil {
		return nil, 0, fmt.Errorf("%s: %w", name, err)
	}
	if width == 0 || len(numbers) != n*width {
		return nil, 0, fmt.Errorf("%s: found %d predictions, want %d, one for each sample", name,
			len(numbers)/max(1, width), n)
	}
	return numbers, width, nil
}
