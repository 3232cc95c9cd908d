// Package trees reads ensembles of decision trees, LightGBM's text files and XGBoost's JSON files, and evaluates them.
//
// It finds the scores that the programs find which wrote the files. LightGBM sums in float64. XGBoost rounds features,
// thresholds and sums to float32. NaN is a missing feature.
package trees

import (
	"cmp"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/parallel"
)

// Model is an ensemble of trees. It does not change after [Read].
type Model struct {
	Program   string   // LightGBM or XGBoost
	Objective string   // as the file names it
	Features  int      // number of features of a sample
	Names     []string // the features' names; nil if the file has only numbers for them
	Scores    int      // number of scores of a sample: one a class, or 1 for two classes and for values

	link    link
	scale   float64 // of the sigmoid
	base    []float64
	group   []int32 // the score that a tree adds to
	single  bool    // features and sums are float32
	divisor float64 // of the sums of leaves
	forest
}

// forest has the nodes of all trees. The children of a node are next to each other, and a leaf is its own first child,
// so that a step needs no branch.
type forest struct {
	nodes  []node
	flags  []uint8   // of the nodes: how they treat features that are no plain numbers
	values []float64 // of the nodes that are leaves
	roots  []int32
	depths []int32
	order  []int32 // the trees of every block of blockTrees by their depth
	plain  bool    // all splits compare numbers
	sets   [][]uint32
}

// node sends a sample to its first child if the feature is at most the threshold, else to the next one.
type node struct {
	threshold float64 // of a split by categories: the number of its set
	feature   int32
	child     int32
}

const (
	missingFirst = 1 << iota // NaN goes to the first child
	zeroMissing              // 0 goes where NaN goes
	bitSet                   // LightGBM's categories: those whose bits are set go to the first child
	listed                   // XGBoost's categories: those of an ascending list go to the second child
	leaf
)

// blockTrees is the number of trees whose leaves are held before they are summed.
const blockTrees = 64

// link says how predictions follow from scores.
type link uint8

const (
	identity link = iota
	sigmoid
	softmax
	sigmoids // one for each class, independent of the others
	exponential
	signedSquare
	softplus
	step
	margin // the score of the second of two classes, as it is
)

// Classes returns the number of classes that the model was trained for, 0 if it predicts values.
func (m *Model) Classes() int {
	switch m.link {
	case sigmoid, step, margin, softmax, sigmoids:
		return max(2, m.Scores)
	}
	return 0
}

// Raw reports whether the model predicts log odds of two classes and not a probability.
func (m *Model) Raw() bool { return m.link == margin }

// Class returns the class of a sample by its scores, the first of the largest where several are. A score of 0 is the
// first of two classes.
func (m *Model) Class(scores []float64) int {
	if m.Scores == 1 {
		if scores[0] > 0 {
			return 1
		}
		return 0
	}
	largest := 0
	for k, f := range scores {
		if f > scores[largest] {
			largest = k
		}
	}
	return largest
}

// ClassPredicted returns the class of a sample by what [Model.Predict] made of its scores.
func (m *Model) ClassPredicted(predictions []float64) int {
	if m.Scores == 1 && m.link != margin {
		predictions = []float64{predictions[0] - 0.5}
	}
	return m.Class(predictions)
}

// Trees returns the number of trees.
func (m *Model) Trees() int { return len(m.roots) }

// Bytes returns the memory of the model.
func (m *Model) Bytes() int64 {
	n := 25*int64(len(m.nodes)) + 16*int64(len(m.roots))
	for _, set := range m.sets {
		n += 24 + 4*int64(len(set))
	}
	return n
}

// Score stores the scores of a sample before any link in out, which has m.Scores elements: sums of leaves, log odds of
// two classes. The sample has m.Features features.
func (m *Model) Score(x, out []float64) {
	if len(x) != m.Features || len(out) != m.Scores {
		panic("trees: the number of features or scores is not the model's")
	}
	var few [64]float64
	rounded := few[:0]
	if m.single && len(x) > len(few) {
		rounded = make([]float64, 0, len(x))
	}
	missing := false
	for _, v := range x {
		if m.single {
			v = float64(float32(v))
			rounded = append(rounded, v)
		}
		missing = missing || math.IsNaN(v)
	}
	if m.single {
		x = rounded
	}
	clear(out)
	if m.single {
		copy(out, m.base)
	}
	var leaves [blockTrees]float64
	for lo := 0; lo < len(m.roots); lo += blockTrees {
		hi := min(lo+blockTrees, len(m.roots))
		if m.plain {
			m.descend(x, leaves[:hi-lo], lo, missing)
		} else {
			for t := lo; t < hi; t++ {
				leaves[t-lo] = m.values[m.walk(x, m.roots[t])]
			}
		}
		for t := lo; t < hi; t++ {
			k := m.group[t]
			out[k] += leaves[t-lo]
			if m.single {
				out[k] = float64(float32(out[k]))
			}
		}
	}
	for k := range out {
		if m.divisor > 0 {
			out[k] /= m.divisor
		}
	}
}

// descend finds the leaves of a block of trees whose splits compare numbers. Four trees at a time hide the latency of
// each other's loads.
func (f *forest) descend(x, leaves []float64, lo int, missing bool) {
	nodes, order := f.nodes, f.order[lo:lo+len(leaves)]
	i := 0
	for ; i+4 <= len(order); i += 4 {
		a, b, c, d := f.roots[order[i]], f.roots[order[i+1]], f.roots[order[i+2]], f.roots[order[i+3]]
		depth := f.depths[order[i+3]] // of the deepest of the four
		if missing {
			for range depth {
				a, b, c, d = f.nextOrMissing(a, x), f.nextOrMissing(b, x), f.nextOrMissing(c, x), f.nextOrMissing(d, x)
			}
		} else {
			for range depth {
				a, b, c, d = nodes[a].next(x), nodes[b].next(x), nodes[c].next(x), nodes[d].next(x)
			}
		}
		leaves[order[i]-int32(lo)], leaves[order[i+1]-int32(lo)] = f.values[a], f.values[b]
		leaves[order[i+2]-int32(lo)], leaves[order[i+3]-int32(lo)] = f.values[c], f.values[d]
	}
	for ; i < len(order); i++ {
		a := f.roots[order[i]]
		for range f.depths[order[i]] {
			a = f.nextOrMissing(a, x)
		}
		leaves[order[i]-int32(lo)] = f.values[a]
	}
}

// next is the child for a feature that is not NaN.
func (n *node) next(x []float64) int32 {
	var second int32
	if x[n.feature] > n.threshold {
		second = 1
	}
	return n.child + second
}

// nextOrMissing is the child for any feature of a split that compares numbers.
func (f *forest) nextOrMissing(at int32, x []float64) int32 {
	n := &f.nodes[at]
	v := x[n.feature]
	var second int32
	if v > n.threshold {
		second = 1
	}
	if v != v {
		second = 1 - int32(f.flags[at]&missingFirst)
	}
	return n.child + second
}

// walk finds the leaf of one tree for any sample.
func (f *forest) walk(x []float64, at int32) int32 {
	for f.flags[at]&leaf == 0 {
		if n := &f.nodes[at]; f.first(n, f.flags[at], x[n.feature]) {
			at = n.child
		} else {
			at = n.child + 1
		}
	}
	return at
}

// smallest is the size up to which LightGBM takes a number for 0.
const smallest = float64(float32(1e-35))

// first reports whether a sample goes to the first child of a split.
func (f *forest) first(n *node, flags uint8, v float64) bool {
	switch {
	case math.IsNaN(v), flags&zeroMissing != 0 && math.Abs(v) <= smallest:
		return flags&missingFirst != 0
	case flags&bitSet != 0:
		set := f.sets[int(n.threshold)]
		return v > -1 && v < float64(32*len(set)) && set[int(v)/32]>>(int(v)%32)&1 != 0
	case flags&listed != 0:
		if !(v >= 0 && v < maxCategories) {
			return true
		}
		_, found := slices.BinarySearch(f.sets[int(n.threshold)], uint32(v))
		return !found
	}
	return v <= n.threshold
}

// ScoreRows returns the scores of row-major samples, sample by sample, on so many threads (0: GOMAXPROCS).
func (m *Model) ScoreRows(x []float64, threads int) []float64 {
	const chunk = 256
	n := len(x) / max(1, m.Features)
	out := make([]float64, n*m.Scores)
	parallel.Chunks(threads, n, chunk, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			m.Score(x[i*m.Features:(i+1)*m.Features], out[i*m.Scores:(i+1)*m.Scores])
		}
	})
	return out
}

// Predict turns the scores of a sample into predictions, in place: a value, the probability of the second of two
// classes, or one of each class.
func (m *Model) Predict(scores []float64) {
	switch m.link {
	case softmax:
		largest, sum := slices.Max(scores), 0.0
		for k, f := range scores {
			scores[k] = math.Exp(f - largest)
			sum += scores[k]
		}
		for k := range scores {
			scores[k] /= sum
		}
		return
	case identity, margin:
		return
	}
	for k, f := range scores {
		switch m.link {
		case sigmoid, sigmoids:
			f = 1 / (1 + math.Exp(-m.scale*f))
		case exponential:
			f = math.Exp(f)
		case signedSquare:
			f *= math.Abs(f)
		case softplus:
			f = math.Log1p(math.Exp(f))
		case step:
			if f > 0 {
				f = 1
			} else {
				f = 0
			}
		}
		scores[k] = f
	}
}

// sorted puts the trees of every block in the order of their depth.
func (f *forest) sorted() {
	f.order = make([]int32, len(f.roots))
	for t := range f.order {
		f.order[t] = int32(t)
	}
	for block := range slices.Chunk(f.order, blockTrees) {
		deal.Sort(block, func(a, b int32) int { return cmp.Compare(f.depths[a], f.depths[b]) })
	}
	f.plain = true
	for _, flags := range f.flags {
		f.plain = f.plain && flags&(zeroMissing|bitSet|listed) == 0
	}
}
