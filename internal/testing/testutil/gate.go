// What tests of a newly exported solver, reader or method share: inputs at hostile scales, doors that must agree,
// planted lies that must be refused, and public reports of bugs of its kind.

package testutil

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// Scale draws inputs whose rows and columns are up to 10^±Exponent apart.
type Scale struct {
	*rand.Rand
	Kind     string // plain, scaled or nasty
	Exponent float64
}

// Factor draws a factor from 10^-Exponent to 10^Exponent, evenly by its logarithm.
func (s *Scale) Factor() float64 { return math.Pow(10, s.Exponent*(2*s.Float64()-1)) }

// Scales runs a test with exponents of 0, 3 and 8.
func Scales(t *testing.T, seed uint64, test func(t *testing.T, s *Scale)) {
	for _, s := range []Scale{{nil, "plain", 0}, {nil, "scaled", 3}, {nil, "nasty", 8}} {
		t.Run(s.Kind, func(t *testing.T) {
			s.Rand = rand.New(rand.NewPCG(seed, uint64(s.Exponent)))
			test(t, &s)
		})
	}
}

// Answer is what one door says of an input.
type Answer struct {
	Door    string
	Status  string
	Decided bool // an undecided answer contradicts none
	// Value is compared where two decided answers have the same status, within Tolerance; NaN equals NaN.
	Value, Tolerance float64
}

// Doors compares the answers of several doors, and counts those without a decision.
type Doors struct{ Answers, Undecided int }

// Compare fails where two decided answers to the input of a seed contradict each other.
func (d *Doors) Compare(t testing.TB, seed uint64, answers ...Answer) {
	t.Helper()
	var first *Answer
	for i, a := range answers {
		d.Answers++
		if !a.Decided {
			d.Undecided++
			continue
		}
		if first == nil {
			first = &answers[i]
			continue
		}
		if a.Status != first.Status || !near(a.Value, first.Value, max(a.Tolerance, first.Tolerance)) {
			t.Errorf("seed %d: %s says %s, %v; %s says %s, %v", seed, first.Door, first.Status, first.Value,
				a.Door, a.Status, a.Value)
		}
	}
}

// near is true of equal values, infinite ones and NaN among them.
func near(a, b, tolerance float64) bool {
	return a == b || math.Abs(a-b) <= tolerance || math.IsNaN(a) && math.IsNaN(b)
}

// AtMost fails if a larger share than one in so many answers is undecided, or nothing was compared.
func (d *Doors) AtMost(t testing.TB, oneIn int) {
	t.Helper()
	t.Logf("%d of %d answers are undecided", d.Undecided, d.Answers)
	if d.Undecided*oneIn > d.Answers || d.Answers == 0 {
		t.Errorf("%d of %d answers are undecided, want at most 1 in %d", d.Undecided, d.Answers, oneIn)
	}
}

// Lies wants a checker to accept the truth and to refuse every falsification of it.
func Lies[T any](t testing.TB, check func(T) error, truth T, lies map[string]T) {
	t.Helper()
	if err := check(truth); err != nil {
		t.Errorf("the truth is refused: %v", err)
	}
	for name, lie := range lies {
		if check(lie) == nil {
			t.Errorf("a lie passes: %s: %+v", name, lie)
		}
	}
}

// Report is a public report of a bug of this kind, and the right answer.
type Report[T any] struct {
	Thread string // such as scipy#21630
	Input  T
	Value  float64 // within a billionth of itself, or a trillionth
	Error  string  // part of the error that it must be instead
}

// Reports gives each report's input to a door.
func Reports[T any](t *testing.T, reports []Report[T], door func(T) (float64, error)) {
	for _, r := range reports {
		t.Run(r.Thread, func(t *testing.T) {
			value, err := door(r.Input)
			if wrong := r.wrong(value, err); wrong != "" {
				t.Error(wrong)
			}
		})
	}
}

// wrong says what is wrong with an answer.
func (r *Report[T]) wrong(value float64, err error) string {
	switch {
	case r.Error != "" && (err == nil || !strings.Contains(err.Error(), r.Error)):
		return fmt.Sprintf("%v, error %v, want %q", value, err, r.Error)
	case r.Error == "" && err != nil:
		return err.Error()
	case r.Error == "" && !near(value, r.Value, 1e-9*math.Abs(r.Value)+1e-12):
		return fmt.Sprintf("%v, want %v", value, r.Value)
	}
	return ""
}
