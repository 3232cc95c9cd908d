package reduce

import (
	"context"
	"fmt"
	"math"
)

// until makes ever larger models until one keeps the error within the bound.
func (v *mover) until(ctx context.Context) error {
	before, err := v.count(ctx)
	if err != nil {
		return err
	}
	var wrong float64
	for k := 1; k < v.pool.n; k = max(k+1, k*4/3) {
		last := 0
		if v.machine != nil {
			last = v.machine.K
		}
		if err = v.stage(ctx, k); err != nil {
			return err
		}
		if v.machine.K == last { // there are no more different samples
			break
		}
		if wrong, err = v.count(ctx); err != nil {
			return err
		}
		if wrong-before <= v.loss/100*float64(v.validation.n) {
			v.result.Stopped = MaxLoss(v.loss).of(v.values)
			if v.size > 0 && v.machine.K > v.size {
				v.result.Message = fmt.Sprintf("%s cannot be met within %s", v.rule, v.result.Stopped)
			}
			return nil
		}
	}
	v.machine = nil
	v.result.Stopped = MaxLoss(v.loss).of(v.values)
	v.result.Message = "nothing moved: no smaller number of vectors keeps within " + v.result.Stopped
	return nil
}

// count returns the errors, of values those in deviations times the samples, of the model, or of the given one while
// there is none, on the validation data, and notes the stage.
func (v *mover) count(ctx context.Context) (wrong float64, err error) {
	c := v.given
	if v.machine != nil {
		if c, err = v.classifier(); err != nil {
			return 0, err
		}
	}
	m, err := compare(ctx, v.given, c, *v.validation, v.opt.Threads)
	if err != nil {
		return 0, err
	}
	point := Point{SV: c.NumVectors(), Error: m.ErrorAfter, Agreement: m.Agreement}
	if v.data != nil {
		var loss float64
		if loss, err = hinge(ctx, c, v.given, *v.data, v.opt.Threads); err != nil {
			return 0, err
		}
		if v.machine == nil {
			v.result.HingeBefore = loss
		}
		point.HingeIncrease = loss - v.result.HingeBefore
	}
	if v.opt.Latency {
		point.Micros = Microseconds(c)
	}
	v.result.Curve = append(v.result.Curve, point)
	if wrong = m.ErrorAfter * float64(v.validation.n); !v.values {
		wrong = math.Round(wrong)
	}
	return wrong, nil
}
