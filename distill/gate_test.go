package distill

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestDoors: at every scale of values a student has at most as many units as asked for, follows a smooth teacher with
// finite values, and is the same whether the teacher answers or has answered.
func TestDoors(t *testing.T) {
	testutil.Scales(t, 50, func(t *testing.T, s *testutil.Scale) {
		var d testutil.Doors
		for k, unit := range []float64{math.Pow(10, s.Exponent), math.Pow(10, -s.Exponent)} {
			set, asked := square(60, 1, uint64(k)), 0
			teacher := func(x []float64) []float64 { return []float64{unit * (7 + math.Cos(6*x[0]))} }
			o := Options{Kind: Values, MaxUnits: 5, Rounds: -1, Ask: ask(teacher, 1, &asked)}
			door := func(name string) testutil.Answer {
				r, err := Distill(context.Background(), set, o)
				if err != nil {
					t.Fatalf("unit %v: %v", unit, err)
				}
				a := testutil.Answer{Door: name, Decided: true}
				for i := range set.N {
					v := r.Classifier.Decide(set.Row(i))
					a.Value += math.Abs(v-teacher(set.Row(i))[0]) / float64(set.N)
					a.Status += fmt.Sprint(v, " ")
				}
				if r.Units > o.MaxUnits || !(a.Value < 0.1*unit) {
					t.Errorf("unit %v, %s: %d units, %v off", unit, name, r.Units, a.Value)
				}
				return a
			}
			answers := []testutil.Answer{door("program")}
			o.Ask = nil
			for i := range set.N {
				o.Values = append(o.Values, teacher(set.Row(i))...)
			}
			d.Compare(t, uint64(k), append(answers, door("file"))...)
		}
		d.AtMost(t, 1000)
	})
}

// FuzzDistill wants an error, or a student within its budget whose values are finite.
func FuzzDistill(f *testing.F) {
	f.Add(uint64(1), 1.0, 0.0)
	f.Add(uint64(2), 1e-8, 1e8)
	f.Add(uint64(3), 1e300, -1e300)
	f.Add(uint64(4), 5e-324, 0.0)
	f.Fuzz(func(t *testing.T, seed uint64, unit, offset float64) {
		set := square(12, 2, seed)
		values := make([]float64, set.N)
		for i := range values {
			values[i] = offset + unit*set.X[2*i]
		}
		r, err := Distill(context.Background(), set, Options{Kind: Values, Values: values, MaxUnits: 2, Rounds: -1})
		if err != nil {
			return
		}
		if r.Units > 2 {
			t.Errorf("%d units", r.Units)
		}
		for i := range set.N {
			if v := r.Classifier.Decide(set.Row(i)); math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("the student says %v, the teacher %v", v, values[i])
			}
		}
	})
}
