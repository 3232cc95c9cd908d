package reduce

import (
	"context"
	"fmt"
	"math"
)

// until trains ever larger models until the error is within the bound.
func (v *mover) until(ctx context.Context) error {
	before, err := v.count(ctx)
	if err != nil {
		return err
	}
	var wrong float64
	for k := 1; k < v.pool.n; k = max(k+1, k*4/3) {
		last := 0
		if v.current != nil {
			last = v.current.K
		}
		if err = v.stage(ctx, k); err != nil {
			return err
		}
		if v.current.K == last { // there are no more different samples
			break
		}
		if wrong, err = v.count(ctx); err != nil {
			return err
		}
		if wrong-before <= v.loss/100*float64(v.validation.n) {
			v.result.Stopped = MaxLoss(v.loss).of(v.values)
			if v.size > 0 && v.current.K > v.size {
				v.result.Message = fmt.Sprintf("%s cannot be met within %s", v.rule, v.result.Stopped)
			}
			return nil
		}
	}
	v.current = nil
	v.result.Stopped = MaxLoss(v.loss).of(v.values)
	v.result.Message = "nothing moved: no smaller number of vectors keeps within " + v.result.Stopped
	return nil
}

// count returns the number of errors of the current model on the validation data, for regression the error in standard
// deviations times the number of samples, and adds the stage to the curve. Before the first model it counts for the
// given one.
func (v *mover) count(ctx context.Context) (wrong float64, err error) {
	c := v.given
	if v.current != nil {
		if c, err = v.classifier(); err != nil {
			return 0, err
		}
	}
	m, err := compare(ctx, v.given, c, *v.validation, v.opt.Threads)
	if err != nil {
		return 0, err
	}
	at := Point{SV: c.NumVectors(), Error: m.ErrorAfter, Agreement: m.Agreement}
	if v.data != nil {
		var loss float64
		if loss, err = hinge(ctx, c, v.given, *v.data, v.opt.Threads); err != nil {
			return 0, err
		}
		if v.current == nil {
			v.result.HingeBefore = loss
		}
		at.HingeIncrease = loss - v.result.HingeBefore
	}
	if v.opt.Latency {
		at.Micros = Microseconds(c)
	}
	v.result.Curve = append(v.result.Curve, at)
	if wrong = m.ErrorAfter * float64(v.validation.n); !v.values {
		wrong = math.Round(wrong)
	}
	return wrong, nil
}
