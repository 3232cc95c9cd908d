package cli

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/predict"
	"github.com/sparsekm/sparsekm/learn/assure"
)

// certaintyFlags fit probabilities, or prediction sets.
type certaintyFlags struct {
	Calibrate calibration `placeholder:"FOLDS|WAY" help:"Fit probabilities by 5 folds, or so many; or prediction sets: conformal, by samples taken from the training, or cross-conformal."`
	Coverage  share       `placeholder:"SHARE" default:"90%" help:"Share of new samples whose prediction sets contain their own class or value."`
	ByClass   bool        `rare:"" help:"Prediction sets have this coverage in each class."`
	Bound     bound       `rare:"" placeholder:"CONFIDENCE/N" help:"Two classes: round the coefficients, and prove a bound of the error rate with this confidence (95%), of N settings that you compared (1)."`
}

const (
	splitConformal = "conformal"
	crossConformal = "cross-conformal"
)

// calibration is --calibrate: a number of folds for probabilities, or the name of a way to fit prediction sets.
type calibration struct {
	folds folds
	sets  string // empty for probabilities
}

// Takes tells the command line that the flag can stand alone.
func (*calibration) Takes(word string) bool { return word == splitConformal || word == crossConformal }

// UnmarshalText reads a number, a name or nothing.
func (c *calibration) UnmarshalText(text []byte) error {
	if c.Takes(string(text)) {
		c.sets = string(text)
		return nil
	}
	return c.folds.UnmarshalText(text)
}

// bound is a confidence, and how many settings it counts: the command line takes 95% and 95%/4.
type bound struct {
	confidence share
	settings   int // 0 for the usual
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (b *bound) UnmarshalText(text []byte) (err error) {
	confidence, settings, counted := strings.Cut(string(text), "/")
	if err = b.confidence.UnmarshalText([]byte(confidence)); err != nil {
		return err
	}
	if b.settings, err = strconv.Atoi(settings); counted && (err != nil || b.settings < 1) {
		return fmt.Errorf("found %q settings, want at least 1", settings)
	}
	if b.confidence < 0.5 { // which may be meant as an error rate
		return fmt.Errorf("found a confidence of %.6g, want at least 0.5: is it the confidence, such as 95%%?",
			float64(b.confidence))
	}
	return nil
}

func (f *certaintyFlags) validate(g session.SetFlags, path bool) error {
	flag := g.First("coverage", "by-class")
	switch {
	case f.Calibrate != (calibration{}) && path:
		return usagef("--calibrate: a path has no probabilities; train again with the C that is chosen")
	case f.Bound != (bound{}) && path:
		return usagef("--bound: a path has no bounds; train again with the C that is chosen")
	case f.Bound != (bound{}) && f.Calibrate != (calibration{}):
		return usagef("--bound: it takes all samples; want no --calibrate with it")
	case f.Calibrate.sets == "" && flag != "":
		return usagef("--%s: only prediction sets have it; want --calibrate %s or %s too", flag, splitConformal,
			crossConformal)
	}
	return nil
}

// classFlags are the flags that have a meaning for classes only.
func (f *certaintyFlags) classFlags(flags []string) []string {
	if f.Calibrate.sets == "" {
		return flags
	}
	flags = slices.DeleteFunc(slices.Clone(flags), func(name string) bool { return name == "calibrate" })
	return append(flags, "by-class")
}

// apply asks for the probabilities or the prediction sets.
func (f *certaintyFlags) apply(o *sparsekm.Options) {
	o.Calibrate = int(f.Calibrate.folds)
	if f.Bound != (bound{}) {
		o.Bound = sparsekm.Bound{Confidence: float64(f.Bound.confidence), Settings: max(1, f.Bound.settings)}
	}
	if f.Calibrate.sets == "" {
		return
	}
	o.Conformal = sparsekm.Conformal{Coverage: float64(f.Coverage), ByClass: f.ByClass}
	if f.Calibrate.sets == crossConformal {
		o.Conformal.Folds = int(usualFolds)
	}
}

// conformalJSON says what the prediction sets of a model are.
type conformalJSON struct {
	Coverage   float64   `json:"coverage"`
	Folds      int       `json:"folds"`      // 0 for samples that were held out
	Thresholds []float64 `json:"thresholds"` // one, or one a class
	HeldOut    int       `json:"held_out,omitempty"`

	values bool
}

// newConformalJSON is nil for a model without prediction sets.
func newConformalJSON(clf *sparsekm.Classifier, unseen int) *conformalJSON {
	q := clf.Conformal()
	if q == nil {
		return nil
	}
	return &conformalJSON{q.Coverage, q.Folds, q.Thresholds, unseen, clf.Task().Real()}
}

// String describes the prediction sets for people.
func (j *conformalJSON) String() string {
	text := "prediction sets of "
	switch {
	case j.values:
		text = "intervals of "
	case len(j.Thresholds) > 1:
		text = "prediction sets by class of "
	}
	text += percent(j.Coverage) + " coverage, fitted to "
	switch {
	case j.Folds > 0:
		return text + fmt.Sprintf("the decisions of %d folds", j.Folds)
	case j.HeldOut > 0:
		return text + fmt.Sprintf("%d samples taken from the training", j.HeldOut)
	}
	return text + "samples that the training did not see"
}

// noteUncovered says that prediction sets are missing that were asked for.
func noteUncovered(s *session.Session, clf *sparsekm.Classifier, q sparsekm.Conformal) {
	if q.Coverage > 0 && clf.Covers() != nil {
		s.Note("stopped before the prediction sets were fitted: the model has none")
	}
}

// noteUnbounded says that a bound is missing that was asked for, or that it says nothing.
func noteUnbounded(s *session.Session, b *assure.ErrorBound, asked sparsekm.Bound) {
	switch {
	case asked == (sparsekm.Bound{}):
	case b == nil:
		s.Note("stopped before the bound of the error rate was found: the coefficients are not rounded")
	case b.Value >= 0.5:
		s.Note("the bound says nothing: there are too many support vectors for so few samples")
	}
}

// boundText describes a bound for people.
func boundText(b *assure.ErrorBound) string {
	return fmt.Sprintf("error at most %s on new samples, confidence %s: %d errors on the %d samples that are no support "+
		"vectors; coefficients of %.3g bits", percent(b.Value), percent(b.Confidence), b.Errors, b.Others, b.Bits)
}

// noteDropped says that a smaller model has lost the prediction sets of the given one.
func noteDropped(s *session.Session, given, smaller *sparsekm.Classifier) {
	if given.Covers() == nil && smaller.Covers() != nil {
		s.Note("the prediction sets were those of the given model's decisions: the smaller model has none")
	}
}

// coveredJSON counts prediction sets, and those that contain what they should.
type coveredJSON struct {
	Asked     float64      `json:"asked"`
	Found     *float64     `json:"found,omitempty"` // of labelled samples
	ByClass   []classCover `json:"by_class,omitempty"`
	MeanSize  *float64     `json:"mean_size,omitempty"`  // classes in a set
	Empty     *int         `json:"empty,omitempty"`      // sets
	Full      *int         `json:"full,omitempty"`       // sets
	MeanWidth *float64     `json:"mean_width,omitempty"` // of intervals

	n, known, in       int
	size, empty, whole int
	width              float64
	classIn, classOf   []int
}

// classCover is the coverage of a class.
type classCover struct {
	Label   string  `json:"label"`
	Samples int     `json:"samples"`
	Found   float64 `json:"found"`
}

// add counts a batch.
func (j *coveredJSON) add(p *predict.Predictions, set *dataset.Set) {
	j.n += p.N
	if p.Classes == nil {
		for i := range p.N {
			low, high := p.Intervals[2*i], p.Intervals[2*i+1]
			j.width += high - low
			if predict.Labelled(set, i) {
				j.known++
				if y := set.Targets[i]; low <= y && y <= high {
					j.in++
				}
			}
		}
		return
	}
	k := p.Model.NumClasses()
	if j.classIn == nil {
		j.classIn, j.classOf = make([]int, k), make([]int, k)
	}
	var class []int
	if set.Y != nil {
		class = set.ClassOf(p.Model.Labels())
	}
	for i := range p.N {
		in, size := p.Sets[i*k:(i+1)*k], 0
		for _, has := range in {
			if has {
				size++
			}
		}
		j.size += size
		switch size {
		case 0:
			j.empty++
		case k:
			j.whole++
		}
		if !predict.Labelled(set, i) {
			continue
		}
		j.known++ // a label that the model does not know is in no set
		if y := class[i]; y >= 0 {
			j.classOf[y]++
			if in[y] {
				j.in++
				j.classIn[y]++
			}
		}
	}
}

// finish makes shares of the counts.
func (j *coveredJSON) finish(clf *sparsekm.Classifier) {
	j.Asked = clf.Conformal().Coverage
	if j.n == 0 {
		return
	}
	if j.known > 0 {
		found := float64(j.in) / float64(j.known)
		j.Found = &found
	}
	if clf.Task().Real() {
		width := j.width / float64(j.n)
		j.MeanWidth = &width
		return
	}
	size := float64(j.size) / float64(j.n)
	j.MeanSize, j.Empty, j.Full = &size, &j.empty, &j.whole
	for y, n := range j.classOf {
		if n > 0 {
			j.ByClass = append(j.ByClass, classCover{clf.Label(y), n, float64(j.classIn[y]) / float64(n)})
		}
	}
}

// print writes the counts for people.
func (j *coveredJSON) print(w io.Writer) {
	if j.n == 0 {
		return
	}
	text := "sets: "
	if j.MeanWidth != nil {
		text = "intervals: "
	}
	if j.Found != nil {
		text += fmt.Sprintf("%s contain the sample's own (asked for: %s); ", percent(*j.Found), percent(j.Asked))
	}
	if j.MeanWidth != nil {
		fmt.Fprintf(w, "%smean width %.4g\n", text, *j.MeanWidth)
		return
	}
	fmt.Fprintf(w, "%s%.3g classes a set; %d empty, %d with every class\n", text, *j.MeanSize, *j.Empty, *j.Full)
}
