package ipm

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestLPNotFinite puts NaN and ±Inf into every number of a program: no point then has a gap that is small enough. The
// gap itself may be infinite, but not NaN.
func TestLPNotFinite(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		for k := range len(numbers(draw(5, 40, 1, 3))) {
			for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				p := draw(5, 40, 1, 3)
				at := numbers(p)[k]
				if *at = bad; p.Gap == bad && bad > 0 {
					continue // every gap is small enough
				}
				q, err := p.Solve(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				gap := q.Primal - q.Dual
				if gap-gap == 0 && gap <= 1e-9*max(1, math.Abs(q.Dual)) && p.Gap == 1e-9 {
					t.Errorf("number %d is %v: objectives %v and %v", k, bad, q.Primal, q.Dual)
				}
			}
		}
	})
}

// numbers lists the numbers of a program, the first and the last of a list.
func numbers(p *LP) (at []*float64) {
	v := reflect.ValueOf(p).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i).Addr().Interface().(type) {
		case *float64:
			at = append(at, f)
		case *[]float64:
			at = append(at, &(*f)[0])
			at = append(at, &(*f)[len(*f)-1])
		case *[][]float64:
			at = append(at, &(*f)[0][3])
			at = append(at, &(*f)[len(*f)-1][len((*f)[0])-1])
		case *int:
		default:
			panic(fmt.Sprintf("a field of type %T", f))
		}
	}
	return at
}
