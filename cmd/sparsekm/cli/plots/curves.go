package plots

import (
	"cmp"
	"context"
	"fmt"
	"image/color"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/internal/dense"
	"github.com/sparsekm/sparsekm/internal/predict"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/modelselect"
	"github.com/sparsekm/sparsekm/reduce"
)

// classLine adds a line in a class's colour.
func (p *Picture) classLine(name string, class int, points []xy) {
	with := pen{colour: p.classColour(class), width: 1.6}
	if class >= len(p.class) { // a colour for the second time
		with.dashes = "5,3"
	}
	p.line(name, points, with)
}

// Spectrum draws the coefficients of each model by size, on a logarithmic scale (Suykens et al. 2000, Fig. 2).
func (p *Picture) Spectrum(clf *sparsekm.Classifier) (*Picture, error) {
	p.Title = fmt.Sprintf("%s: sizes of the coefficients", cmp.Or(clf.Method(), "an unknown method"))
	p.X.Label, p.Y.Label = "vector, by size", "|coefficient|"
	p.Y.log = true
	machines := clf.Parts().Submodels
	drawn := false
	for k := range machines {
		var sizes []float64
		for _, c := range machines[k].Coef {
			if c != 0 {
				sizes = append(sizes, math.Abs(c))
			}
		}
		slices.Sort(sizes)
		slices.Reverse(sizes)
		points := make([]xy, len(sizes))
		for i, v := range sizes {
			points[i] = xy{float64(i + 1), v}
		}
		if len(points) == 0 {
			continue
		}
		drawn = true
		name := ""
		if len(machines) > 1 {
			name = clf.PositiveLabel(k)
			if neg := machines[k].Neg; neg != learn.Rest {
				name += " : " + clf.Label(neg)
			}
		}
		p.classLine(name, k, points)
	}
	if !drawn {
		return nil, fmt.Errorf("a picture of kind spectrum wants vectors with coefficients, and this model has none")
	}
	return p, p.err
}

// classesOnly fails for a model without classes.
func classesOnly(kind string, clf *sparsekm.Classifier) error {
	if clf.Task() == learn.Classify {
		return nil
	}
	return fmt.Errorf("a picture of kind %s wants a model of classes, this one's task is %v", kind, clf.Task())
}

// ROC draws the share of each class that the positive one is said of, over all thresholds.
func (p *Picture) ROC(clf *sparsekm.Classifier, set *dataset.Set) (*Picture, error) {
	if err := classesOnly("roc", clf); err != nil && clf.Task() != learn.OneClass {
		return nil, err
	}
	if n := clf.NumClasses(); n != 2 {
		return nil, fmt.Errorf("a picture of kind roc wants a model of two classes, this one has %d", n)
	}
	class := set.ClassOf(clf.Labels())
	f := make([]float64, set.N)
	clf.DecideSet(f, set, 0, set.N, 0)
	positive := slices.Index(clf.Labels(), clf.PositiveLabel(0))
	order := make([]int, 0, set.N)
	var pos, neg float64
	for i, c := range class {
		switch {
		case c == positive:
			pos++
		case c >= 0:
			neg++
		default:
			continue
		}
		order = append(order, i)
	}
	if pos == 0 || neg == 0 {
		return nil, fmt.Errorf("a picture of kind roc wants samples labelled %s", strings.Join(clf.Labels(), " and "))
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(f[b], f[a]) })
	points := []xy{{0, 0}}
	var hit, miss, area float64
	for k, i := range order {
		if class[i] == positive {
			hit++
		} else {
			miss++
		}
		if k+1 == len(order) || f[order[k+1]] != f[i] { // samples of one decision come together
			last, next := points[len(points)-1], xy{miss / neg, hit / pos}
			area += (next.x - last.x) * (next.y + last.y) / 2
			points = append(points, next)
		}
	}
	p.Title = fmt.Sprintf("area under the curve %.4f", area)
	p.X.Label, p.Y.Label = "false positives", "true positives"
	p.diagonal()
	p.classLine("", 0, points)
	return p, p.err
}

// diagonal makes the picture a unit square with a dashed diagonal.
func (p *Picture) diagonal() {
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
	p.line("", []xy{{0, 0}, {1, 1}}, pen{colour: p.ink, width: 1, dashes: "2,3"})
}

// Lines is a picture of lines.
type Lines struct {
	X, Y       string // the axes
	LogX, LogY bool
	Lines      []Line
}

// Line is one of [Lines].
type Line struct {
	Name string
	X, Y []float64
}

// Lines draws lines.
func (p *Picture) Lines(c *Lines) (*Picture, error) {
	p.X.Label, p.Y.Label = c.X, c.Y
	p.X.log, p.Y.log = c.LogX, c.LogY
	for k, l := range c.Lines {
		points := make([]xy, len(l.X))
		for i := range points {
			points[i] = xy{l.X[i], l.Y[i]}
		}
		p.classLine(l.Name, k, points)
	}
	if len(c.Lines) > 3 && !c.LogX {
		p.X.Max += 0.25 * (p.X.Max - p.X.Min) // for the names, next to the lines
	}
	return p, p.err
}

// loss is a metric in the units of a picture.
type loss struct {
	modelselect.Metric
	factor, floor float64
	label         string
}

// lossOf returns the first metric of the runs' task. Runs without one are an error.
func lossOf(runs []*modelselect.Run) (*loss, error) {
	for _, of := range []loss{{modelselect.Error, 100, 0, "error (%)"}, {modelselect.RMSE, 1, 0, "RMSE"},
		{modelselect.LogLikelihood, 1, math.Inf(-1), "−log density"}} {
		if slices.ContainsFunc(runs, func(r *modelselect.Run) bool { _, ok := of.in(r); return ok }) {
			return &of, nil
		}
	}
	if why := failure(runs); why != nil {
		return nil, fmt.Errorf("the runs have no error to draw; %w", why)
	}
	return nil, fmt.Errorf("the runs have no error to draw")
}

// in is the loss of a run; ok is false for one that has none.
func (of *loss) in(r *modelselect.Run) (v float64, ok bool) {
	v, ok = r.Losses[of.String()]
	return of.factor * v, ok && r.Failed == ""
}

// failure says why the first of the runs that failed did; nil if none did.
func failure(runs []*modelselect.Run) error {
	for _, r := range runs {
		if r.Failed != "" {
			return fmt.Errorf("%s on %d samples: %s", r.Setting, r.Trained, r.Failed)
		}
	}
	return nil
}

// Front draws the loss against the vectors, a colour a set, and what no other beats in both.
func (p *Picture) Front(runs []*modelselect.Run) (*Picture, error) {
	of, err := lossOf(runs)
	if err != nil {
		return nil, err
	}
	p.X.Label, p.Y.Label = "vectors", of.label
	p.X.log = true
	compared := modelselect.Compare(runs, of.Metric, "")
	for k, row := range compared.Cells {
		var points []xy
		var names []string
		for _, x := range row {
			if x != nil && x.Failed == "" {
				points = append(points, xy{max(x.Vectors, 0.5), of.factor * x.Mean})
				names = append(names, x.Name)
			}
		}
		if len(points) == 0 {
			continue
		}
		p.dots(compared.Sets[k], points, 2.5, pen{colour: p.classColour(k)})
		p.classLine("", k, stairs(points))
		const maxNames = 12
		if len(points) <= maxNames {
			p.names(points, names)
		}
	}
	return p, p.err
}

// stairs are the samples that no other beats in both coordinates, by ascending x.
func stairs(points []xy) []xy {
	by := slices.Clone(points)
	deal.Sort(by, func(a, b xy) int { return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.y, b.y)) })
	var s []xy
	for _, q := range by {
		if len(s) == 0 || q.y < s[len(s)-1].y {
			s = append(s, q)
		}
	}
	return s
}

// Grid draws the mean loss over the first two parameters that a search varied, the best of all others.
func (p *Picture) Grid(runs []*modelselect.Run) (*Picture, error) {
	of, err := lossOf(runs)
	if err != nil {
		return nil, err
	}
	sum, count := make(map[string]float64), make(map[string]float64)
	varied := make(map[string]map[string]float64)
	values := make(map[string]map[float64]bool)
	for _, r := range runs {
		loss, ok := of.in(r)
		if !ok {
			continue
		}
		sum[r.Setting] += loss
		count[r.Setting]++
		varied[r.Setting] = r.Varied
		for name, v := range r.Varied {
			if values[name] == nil {
				values[name] = make(map[float64]bool)
			}
			values[name][v] = true
		}
	}
	maps.DeleteFunc(values, func(_ string, table map[float64]bool) bool { return len(table) < 2 })
	names := slices.Sorted(maps.Keys(values))
	if len(names) < 2 {
		return nil, fmt.Errorf("a picture of kind grid wants runs that vary two parameters, these vary %d", len(names))
	}
	var m matrix
	for a := range m.value {
		m.value[a] = slices.Sorted(maps.Keys(values[names[a]]))
	}
	m.z = slices.Repeat([]float64{math.NaN()}, len(m.value[0])*len(m.value[1]))
	smallest, largest := math.Inf(1), math.Inf(-1)
	for setting, v := range varied {
		mean := sum[setting] / count[setting]
		m.lower(v[names[0]], v[names[1]], mean)
		smallest, largest = min(smallest, mean), max(largest, mean)
	}
	columns, rows := len(m.value[0]), len(m.value[1])
	p.cells(&lattice{columns: columns, rows: rows, dx: 1, dy: 1, z: m.z}, func(z float64) color.NRGBA {
		return diverging((z - smallest) / max(largest-smallest, 1e-9))
	})
	p.Title = fmt.Sprintf("%s, %.3g (blue) to %.3g (red)", of.label, smallest, largest)
	p.X.Label, p.Y.Label = names[0], names[1]
	p.X.given, p.Y.given = m.ticks(0), m.ticks(1)
	return p, p.err
}

// matrix is values by two parameters, whose cells are of one size whatever the parameters' values are.
type matrix struct {
	value [2][]float64
	z     []float64
}

// lower takes in a mean where it is the least so far.
func (m *matrix) lower(x, y, mean float64) {
	pos := slices.Index(m.value[1], y)*len(m.value[0]) + slices.Index(m.value[0], x)
	if !(m.z[pos] <= mean) {
		m.z[pos] = mean
	}
}

// ticks writes the values.
func (m *matrix) ticks(axis int) (t []tick) {
	for k, v := range m.value[axis] {
		t = append(t, tick{float64(k), strconv.FormatFloat(v, 'g', 3, 64)})
	}
	return t
}

// Learned draws the losses of a table's settings against the number of training samples, with the standard deviation
// of those of one size. Marks do not go below the least loss that there can be.
func (p *Picture) Learned(t *modelselect.Table) (*Picture, error) {
	of, err := lossOf(slices.Concat(t.Runs...))
	if err != nil {
		return nil, err
	}
	p.X.Label, p.Y.Label = "training samples", of.label+", ± standard deviation"
	p.X.log = true
	for k, runs := range t.Runs {
		if err = failure(runs); err != nil {
			return nil, err
		}
		losses := make(map[int][]float64) // by size
		for _, r := range runs {
			size := nearestSize(losses, r.Trained)
			loss, _ := of.in(r)
			losses[size] = append(losses[size], loss)
		}
		points := marks{}
		for _, size := range slices.Sorted(maps.Keys(losses)) {
			mean, sd := dense.MeanStdDev(losses[size])
			if len(losses[size]) < 2 {
				sd = 0
			}
			points.at = append(points.at, xy{float64(size), mean})
			points.low = append(points.low, min(sd, mean-of.floor))
			points.high = append(points.high, sd)
		}
		p.classLine(t.Settings[k].Name, k, points.at)
		p.marks(points, k)
	}
	const room = 1.15 // for marks at the edges, and the names
	p.X.Min, p.X.Max, p.Y.Max = p.X.Min/room, p.X.Max*room, p.Y.Max*room
	return p, p.err
}

// nearestSize is the least size that is there and differs by a sample or two, as folds do, or the size itself.
func nearestSize(sizes map[int][]float64, size int) int {
	for near := size - 2; near <= size+2; near++ {
		if _, there := sizes[near]; there {
			return near
		}
	}
	return size
}

// marks are samples with how far each may be below and above.
type marks struct {
	at        []xy
	low, high []float64
}

// marks adds samples with bars.
func (p *Picture) marks(m marks, class int) {
	p.bars(m.at, m.low, m.high, pen{colour: p.classColour(class), width: 0.8})
	p.dots("", m.at, 2.5, pen{colour: p.classColour(class)})
}

// reliabilityBins of equal width divide the probabilities.
const reliabilityBins = 10

// Reliability draws how often what a model calls probable is so: of two classes the positive one, of more the most
// probable. Bars are a standard error of the share.
func (p *Picture) Reliability(clf *sparsekm.Classifier, set *dataset.Set) (*Picture, error) {
	if err := classesOnly("reliability", clf); err != nil {
		return nil, err
	}
	if err := clf.Calibrated(); err != nil {
		return nil, fmt.Errorf("a picture of kind reliability: %w (train --calibrate)", err)
	}
	predicted, err := predict.Set(context.Background(), clf, set, 0, true)
	if err != nil {
		return nil, err
	}
	probabilities := predicted.ProbabilityRows()
	var said, right, count [reliabilityBins]float64
	total, gap := 0.0, 0.0
	for i, class := range set.ClassOf(clf.Labels()) {
		if class < 0 {
			continue // of a label that the model does not know
		}
		values, called := probabilities[i], 1 // the positive class of two is the last
		if len(values) > 2 {
			called = slices.Index(values, slices.Max(values))
		}
		bin := min(int(values[called]*reliabilityBins), reliabilityBins-1)
		said[bin] += values[called]
		count[bin]++
		total++
		if class == called {
			right[bin]++
		}
	}
	if total == 0 {
		return nil, fmt.Errorf("a picture of kind reliability wants labelled samples of the model's classes")
	}
	points := marks{}
	for b, n := range count {
		if n > 0 {
			share := right[b] / n
			se := math.Sqrt(share * (1 - share) / n)
			points.at = append(points.at, xy{said[b] / n, share})
			points.low = append(points.low, se)
			points.high = append(points.high, se)
			gap += math.Abs(said[b]-right[b]) / total
		}
	}
	p.Title = fmt.Sprintf("mean gap %.2g over %.0f samples", gap, total)
	p.X.Label, p.Y.Label = "probability", "share that is so"
	p.diagonal()
	p.classLine("", 0, points.at)
	p.marks(points, 0)
	return p, p.err
}

// Reduction draws error and disagreement with the full model against the number of vectors.
func Reduction(w io.Writer, r *reduce.Report) error {
	p := New(false)
	p.High = 10 * centimetre
	p.X.Label, p.Y.Label = "support vectors", "% of the samples"
	p.Y.Min = 0
	var errors, changed, chosen []xy
	for _, q := range r.Curve {
		errors = append(errors, xy{float64(q.SV), 100 * q.Error})
		changed = append(changed, xy{float64(q.SV), 100 * (1 - q.Agreement)})
		if q.SV == r.SVAfter {
			chosen = errors[len(errors)-1:]
		}
	}
	p.line("error", errors, pen{colour: p.ink, width: 1})
	p.line("class changed", changed, pen{colour: p.ink, width: 1, dashes: "4,3"})
	if len(chosen) > 0 {
		name := fmt.Sprintf("%d of %d vectors", r.SVAfter, r.SVBefore)
		p.dots(name, chosen, 2.5, pen{colour: p.ink, width: 0.8})
	}
	return p.Write(w)
}
