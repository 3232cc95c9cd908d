package reduce

import (
	"math"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestTeacher: the decisions of a rule that the given model knows nothing of are followed, whatever their unit, with
// labels and without, by more vectors than the model has.
func TestTeacher(t *testing.T) {
	c, data := smooth(t, 70, 2)
	small, err := Prune(ctx, c, data, Options{Stop: []Rule{MaxSV(3)}})
	if err != nil {
		t.Fatal(err)
	}
	rule := make([]float64, data.N) // the sign of a product, which no 3 vectors of c decide
	labelled := *data
	labelled.Y = make([]int, data.N)
	for i := range rule {
		rule[i] = 1e6 * data.X[2*i] * data.X[2*i+1]
		if rule[i] > 0 {
			labelled.Y[i] = 1
		}
	}
	bare := *data
	bare.Y, bare.Labels = nil, nil
	for _, points := range []*dataset.Set{&bare, &labelled} {
		r, err := Move(ctx, small.Classifier, points, Options{Stop: []Rule{MaxSV(8)}, Teacher: rule})
		if err != nil {
			t.Fatal(err)
		}
		agree := 0
		for i := range data.N {
			if (r.Classifier.Decide(data.Row(i)) > 0) == (rule[i] > 0) {
				agree++
			}
		}
		if r.SVAfter != 8 || !(*r.TeacherAgreement >= 0.95) {
			t.Errorf("%d vectors, agreement %v", r.SVAfter, *r.TeacherAgreement)
		}
		testutil.Near(t, "agreement", *r.TeacherAgreement, float64(agree)/float64(data.N), 1e-12)
	}
}

func TestTeacherRefused(t *testing.T) {
	c, data := smooth(t, 70, 2)
	three, _ := smooth(t, 70, 3)
	with := func(v float64) []float64 {
		f := make([]float64, data.N)
		f[1] = v
		return f
	}
	o := func(f []float64) Options { return Options{Stop: []Rule{MaxSV(4)}, Teacher: f} }
	for want, err := range map[string]error{
		"only trained centres follow":      second(Prune(ctx, c, data, o(with(1)))),
		"without their samples":            second(Move(ctx, c, nil, o(with(1)))),
		"3 decisions of the teacher for":   second(Move(ctx, c, data, o(make([]float64, 3)))),
		"on sample 1 is NaN":               second(Move(ctx, c, data, o(with(math.NaN())))),
		"a mean size of 0":                 second(Move(ctx, c, data, o(with(0)))),
		"for a model of 3 submodels, want": second(Move(ctx, three, data, o(with(1)))),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func second[T any](_ T, err error) error { return err }
