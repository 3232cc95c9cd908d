package trees

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// lightGBM reads LightGBM's text format, versions 2 to 4.
type lightGBM struct {
	name  string
	rest  []byte
	line  int               // of the last line that was read
	at    map[string]int    // lines of the fields of the section
	field map[string]string // the fields of the section
	m     *Model
	sizes int   // how many trees tree_sizes names, -1 without it
	err   error // the first one of a tree

	averages bool // scores are means over the trees
}

func readLightGBM(name string, data []byte) (*Model, error) {
	r := &lightGBM{name: name, rest: data, m: &Model{Program: "LightGBM"}}
	if !r.section() {
		return nil, r.cut()
	}
	if err := r.header(); err != nil {
		return nil, err
	}
	for title := r.title(); ; title = r.title() {
		switch {
		case title == "end of trees":
			return r.finish()
		case title == "":
			return nil, r.cut()
		case title != fmt.Sprintf("Tree=%d", r.m.Trees()):
			return nil, fmt.Errorf("%s:%d: found %.40q, want Tree=%d", name, r.line, title, r.m.Trees())
		}
		start := r.line
		if !r.section() {
			return nil, r.cut()
		}
		if err := r.tree(); err != nil {
			return nil, fmt.Errorf("%s:%d: %s: %w", name, start, title, err)
		}
	}
}

func (r *lightGBM) cut() error {
	return fmt.Errorf("%s:%d: the file ends in the middle, want the line \"end of trees\"", r.name, r.line)
}

// next returns the next line without its end, false at the end of the file. The last line of a file that is cut has no
// end and counts as none.
func (r *lightGBM) next() (string, bool) {
	text, rest, ended := bytes.Cut(r.rest, []byte("\n"))
	if !ended {
		return "", false
	}
	r.rest = rest
	r.line++
	return strings.TrimSpace(string(text)), true
}

// title returns the next line that is not empty, "" at the end of the file.
func (r *lightGBM) title() string {
	for {
		if text, ok := r.next(); !ok || text != "" {
			return text
		}
	}
}

// section reads the fields up to an empty line, and reports whether there is one.
func (r *lightGBM) section() bool {
	r.field, r.at = map[string]string{}, map[string]int{}
	for {
		text, ok := r.next()
		if text == "" {
			return ok
		}
		key, value, _ := strings.Cut(text, "=")
		r.field[key], r.at[key] = value, r.line
	}
}

// header takes the fields before the trees.
func (r *lightGBM) header() error {
	m := r.m
	if v := r.field["version"]; v != "v2" && v != "v3" && v != "v4" {
		return r.fault("version", v, "v2, v3 or v4")
	}
	last, err := strconv.ParseInt(r.field["max_feature_idx"], 10, 32)
	if err != nil || last < 0 || last == math.MaxInt32 {
		return r.fault("max_feature_idx", r.field["max_feature_idx"], "the number of the last feature")
	}
	m.Features = int(last) + 1
	if names := strings.Fields(r.field["feature_names"]); len(names) > 0 {
		if len(names) != m.Features {
			return r.fault("feature_names", fmt.Sprintf("%d names", len(names)), fmt.Sprint(m.Features))
		}
		for i, name := range names {
			if name != fmt.Sprintf("Column_%d", i) {
				m.Names = names
			}
		}
	}
	m.Scores, err = strconv.Atoi(r.field["num_tree_per_iteration"])
	if err != nil || m.Scores < 1 || m.Scores > maxScores {
		return r.fault("num_tree_per_iteration", r.field["num_tree_per_iteration"], fmt.Sprintf("1 to %d", maxScores))
	}
	_, r.averages = r.field["average_output"]
	if r.sizes = -1; r.at["tree_sizes"] > 0 {
		r.sizes = len(strings.Fields(r.field["tree_sizes"]))
	}
	return r.objective()
}

// lightGBMLinks are LightGBM's objectives. Those without one predict their scores.
var lightGBMLinks = map[string]link{
	"": identity, "custom": identity, "none": identity, "regression": identity, "regression_l1": identity,
	"huber": identity, "fair": identity, "quantile": identity, "mape": identity, "poisson": exponential,
	"gamma": exponential, "tweedie": exponential, "binary": sigmoid, "cross_entropy": sigmoid,
	"cross_entropy_lambda": softplus, "multiclass": softmax, "multiclassova": sigmoids,
}

// objective takes the objective with its parameters, "binary sigmoid:1".
func (r *lightGBM) objective() error {
	m, text := r.m, r.field["objective"]
	words := strings.Fields(text)
	if len(words) > 0 {
		m.Objective = words[0]
		words = words[1:]
	}
	known := false
	if m.link, known = lightGBMLinks[m.Objective]; !known {
		return r.fault("objective", text, "one of classification or regression")
	}
	m.scale = 1
	for _, word := range words {
		key, value, _ := strings.Cut(word, ":")
		switch {
		case word == "sqrt" && m.link == identity:
			m.link = signedSquare
		case key == "sigmoid":
			v, err := strconv.ParseFloat(value, 64)
			if err != nil || !(v > 0 && v <= math.MaxFloat64) {
				return r.fault("objective", text, "a number > 0 after sigmoid:")
			}
			m.scale = v
		case key == "num_class" && value != strconv.Itoa(m.Scores):
			return r.fault("objective", text, fmt.Sprintf("num_class:%d, as num_tree_per_iteration says", m.Scores))
		}
	}
	if several := m.link == softmax || m.link == sigmoids; several != (m.Scores > 1) {
		return r.fault("num_tree_per_iteration", strconv.Itoa(m.Scores), "more than 1 for several classes only")
	}
	return nil
}

func (r *lightGBM) fault(field, found, want string) error {
	return fmt.Errorf("%s:%d: %s: found %.40q, want %s", r.name, max(1, r.at[field]), field, found, want)
}

// tree takes the fields of a tree. A child ≥ 0 is a split, a child c < 0 is leaf −c − 1.
func (r *lightGBM) tree() error {
	leaves, err := strconv.ParseInt(r.field["num_leaves"], 10, 32)
	if err != nil || leaves < 1 {
		return fmt.Errorf("num_leaves: found %.40q, want at least 1", r.field["num_leaves"])
	}
	if r.field["is_linear"] == "1" {
		return fmt.Errorf("is_linear: trees with linear models in their leaves are not read")
	}
	values := r.numbers("leaf_value", int(leaves), -math.MaxFloat64, math.MaxFloat64, false)
	n := int(leaves) - 1
	splits := r.splits(n)
	if r.err != nil {
		return r.err
	}
	r.m.group = append(r.m.group, int32(r.m.Trees()%r.m.Scores))
	return r.m.grow(2*n+1, func(i int) (split, float64, bool) {
		if i < n {
			return splits[i], 0, false
		}
		return split{}, values[i-n], true
	})
}

// splits takes the n splits of a tree. Leaf i becomes node n + i.
func (r *lightGBM) splits(n int) []split {
	if n == 0 {
		return nil
	}
	features := integers[int32](r, "split_feature", n, 0, float64(r.m.Features-1))
	thresholds := r.numbers("threshold", n, math.Inf(-1), math.Inf(1), false)
	types := integers[uint8](r, "decision_type", n, 0, 11)
	lefts := integers[int32](r, "left_child", n, -float64(n+1), float64(n-1))
	rights := integers[int32](r, "right_child", n, -float64(n+1), float64(n-1))
	sets := r.categories()
	if r.err != nil {
		return nil
	}
	node := func(child int32) int {
		if child < 0 {
			return n + int(-child-1)
		}
		return int(child)
	}
	splits := make([]split, n)
	for i := range splits {
		s := &splits[i]
		*s = split{thresholds[i], node(lefts[i]), node(rights[i]), features[i], 0}
		if types[i]&1 != 0 {
			c := s.threshold
			if !(c >= 0 && c < float64(sets) && c == math.Trunc(c)) {
				r.fail("threshold[%d]: found %v, want the number of one of %d sets of categories", i, c, sets)
				return nil
			}
			s.threshold, s.flags = c+float64(len(r.m.sets)-sets), bitSet
			continue
		}
		if s.flags = missing(types[i], s.threshold); s.flags == badMissing {
			r.fail("decision_type[%d]: found %d, want a known kind of missing features", i, types[i])
		}
	}
	return splits
}

const badMissing = 255

// missing returns the flags of a split of numbers by its decision type, whose bit 1 says that missing features go left
// and whose bits 2 and 3 say what is missing: nothing, so that NaN counts as 0, 0 and NaN, or NaN.
func missing(kind uint8, threshold float64) uint8 {
	var flags uint8
	if kind&2 != 0 {
		flags = missingFirst
	}
	switch kind >> 2 {
	case 0:
		if flags = 0; 0 <= threshold {
			flags = missingFirst
		}
	case 1:
		flags |= zeroMissing
	case 3:
		return badMissing
	}
	return flags
}

// categories takes the sets of categories of a tree, and returns how many there are. Set i is the bits of the words
// from boundary i to the next one.
func (r *lightGBM) categories() int {
	text, found := r.field["num_cat"]
	if !found || text == "0" {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 31)
	if err != nil || n < 0 {
		r.fail("num_cat: found %.40q, want a number >= 0", text)
		return 0
	}
	bounds := integers[int32](r, "cat_boundaries", int(n)+1, 0, math.MaxInt32)
	if r.err != nil {
		return 0
	}
	words := integers[uint32](r, "cat_threshold", int(bounds[n]), 0, math.MaxUint32)
	for i, lo := range bounds[:n] {
		hi := bounds[i+1]
		if r.err == nil && (lo > hi || int(hi) > len(words)) {
			r.fail("cat_boundaries[%d]: found %d after %d, want ascending numbers", i+1, hi, lo)
		}
		if r.err != nil {
			return 0
		}
		r.m.sets = append(r.m.sets, words[lo:hi:hi])
	}
	return int(n)
}

// fail keeps the first error of a tree.
func (r *lightGBM) fail(format string, args ...any) {
	r.err = cmp.Or(r.err, fmt.Errorf(format, args...))
}

// numbers takes a field of n numbers from lo to hi. After an error of the tree it takes none.
func (r *lightGBM) numbers(field string, n int, lo, hi float64, whole bool) []float64 {
	text := r.field[field]
	if r.err != nil {
		return nil
	}
	out := make([]float64, 0, min(n, len(text)/2+1)) // no more than the text may have
	for word := range strings.FieldsSeq(text) {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil || !(v >= lo && v <= hi) || whole && v != math.Trunc(v) {
			r.fail("%s[%d]: found %.40q, want a number from %v to %v", field, len(out), word, lo, hi)
			return nil
		}
		if len(out) == n {
			r.fail("%s: found more than %d numbers", field, n)
			return nil
		}
		out = append(out, v)
	}
	if len(out) < n {
		r.fail("%s: found %d numbers, want %d", field, len(out), n)
		return nil
	}
	return out
}

// integers returns n whole numbers of a field.
func integers[T int32 | uint8 | uint32](r *lightGBM, field string, n int, lo, hi float64) []T {
	v := r.numbers(field, n, lo, hi, true)
	out := make([]T, len(v))
	for i, x := range v {
		out[i] = T(x)
	}
	return out
}

// finish checks what the whole file says and what stands after the trees.
func (r *lightGBM) finish() (*Model, error) {
	m := r.m
	if n := m.Trees(); n == 0 || n%m.Scores != 0 || r.sizes >= 0 && n != r.sizes {
		return nil, fmt.Errorf("%s:%d: found %d trees, want as many as tree_sizes names, %d in every round", r.name,
			r.line, n, m.Scores)
	}
	if r.averages {
		m.divisor = float64(m.Trees() / m.Scores)
	}
	for text, ok := r.next(); ok; text, ok = r.next() {
		words, found := strings.CutPrefix(text, "pandas_categorical:")
		if found && strings.ContainsAny(words, "\"0123456789") {
			return nil, fmt.Errorf("%s:%d: pandas_categorical: found a data frame's categories, want columns of their codes",
				r.name, r.line)
		}
	}
	m.sorted()
	return m, nil
}
