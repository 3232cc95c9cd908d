// Package learn holds what every trainer shares: the problem it is given, the
// kernel expansion it finds and the report on how it found it; the declaration of
// a method's parameters; and the register of methods. Each family of methods has
// a folder of its own below.
//
// # A method
//
// is a struct of parameters that implements [Trainer], registered with the default of every parameter:
//
//	type Trainer struct {
//		learn.Named[Trainer]
//		C     float64 // weight of the errors; 0 means 1
//		Shift float64 // added to the bias
//	}
//
//	func init() {
//		learn.Register(Trainer{C: 1}, learn.Method{
//			Name: "mine", About: "...", Paper: "...",
//			Own: []learn.Param{{Name: "shift", Range: learn.NonNegative, Doc: "Added to the bias."}},
//		})
//	}
//
//	func (t Trainer) Train(ctx context.Context, p *learn.Problem) (*learn.Result, error) {
//		if err := learn.Complete(&t); err != nil {
//			return nil, err
//		}
//		...
//
// Parameters that methods of several packages have, such as C, are described here, and a method only has the field.
//
// From then on the command, if it is built with the package, has the method and
// its flags, and [Methods] lists it.
//
// # What zero means
//
// In every struct of parameters zero stands for the default, so that the zero
// value is the method as its paper has it. Where 0 itself is of use and the
// default is another number, a negative value stands for 0.
package learn

import "context"

// Trainer is a method with its parameters: a struct such as svc.Trainer{C: 1}.
type Trainer interface {
	// Name is the method's name on the command line.
	Name() string
	// Train checks p and the parameters and trains. Stopping early with a model is
	// not an error: see Report.Status. Errors are for input that cannot be trained
	// on, and for a context that ended before anything was learnt: see [Nothing].
	Train(ctx context.Context, p *Problem) (*Result, error)
	// EstimateMemory returns the bytes that a training of n samples of dimension d needs at least.
	EstimateMemory(n, d int) int64
}

// Sized is a trainer that has other defaults for more samples than its programs are made for.
type Sized interface {
	Trainer
	// ForSize returns the trainer with its defaults for so many samples.
	ForSize(samples int) Trainer
}

// ForSize returns a trainer for so many samples: a [Sized] with its defaults for them.
func ForSize(t Trainer, samples int) Trainer {
	if s, ok := t.(Sized); ok {
		return s.ForSize(samples)
	}
	return t
}

// Joint is a trainer that trains for more than two classes at once: a model for each class against the
// rest, all over the same vectors.
type Joint interface {
	Trainer
	// TrainJoint is Train for classes > 2 classes. Y and Validation.Y have class indices, 0 to classes−1, and every
	// class has samples. The results, one a class, have the same Vectors and the same Kernel. What was done for all of
	// them (steps, evaluations, seconds, figures) is in the report of the first.
	TrainJoint(ctx context.Context, p *Problem, classes int) ([]Result, error)
}
