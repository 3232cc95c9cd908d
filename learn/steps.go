package learn

import (
	"context"
	"errors"

	"github.com/sparsekm/sparsekm/gram"
)

// Steps that a training may have besides its method. A program that imports learn/refit or learn/direct, or learn/all,
// has them; others do not link what they need.
var steps struct {
	refit  func(Trainer) Trainer
	widths func(context.Context, *Problem) (gram.Kernel, error)
	values func(context.Context, *Problem, int) ([]float64, error)
}

// RegisterRefit sets what [Refitted] returns. Package learn/refit calls it when the program starts.
func RegisterRefit(f func(Trainer) Trainer) { steps.refit = f }

// RegisterWidths sets what [LearnWidths] does. Package learn/direct calls it when the program starts.
func RegisterWidths(f func(context.Context, *Problem) (gram.Kernel, error)) { steps.widths = f }

// RegisterValues sets what [LearnValues] does. Package learn/direct calls it when the program starts.
func RegisterValues(f func(context.Context, *Problem, int) ([]float64, error)) { steps.values = f }

// Refitted returns a trainer that fits the coefficients of t's models again. It is an error in a program that does not
// import learn/refit.
func Refitted(t Trainer) (Trainer, error) {
	if steps.refit == nil {
		return nil, errors.New("learn: this program has no refit: import learn/refit or learn/all")
	}
	return steps.refit(t), nil
}

// LearnWidths returns p's kernel, which must be Gaussian, with a weight for each feature, learnt from p's samples. It
// is an error in a program that does not import learn/direct.
func LearnWidths(ctx context.Context, p *Problem) (gram.Kernel, error) {
	if steps.widths == nil {
		return gram.Kernel{}, errors.New("learn: this program learns no widths: import learn/direct or learn/all")
	}
	return steps.widths(ctx, p)
}

// LearnValues returns a value for each level of p's coded features ([Problem.Coded]), learnt from p's samples, for a
// method that learns none. Targets are class indices if there are more than two classes. It is an error in a program
// that does not import learn/direct.
func LearnValues(ctx context.Context, p *Problem, classes int) ([]float64, error) {
	if steps.values == nil {
		return nil, errors.New("learn: this program learns no values: import learn/direct or learn/all")
	}
	return steps.values(ctx, p, classes)
}
