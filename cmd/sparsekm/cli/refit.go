package cli

import "github.com/sparsekm/sparsekm"

// refitFlag is about what is done in addition to a method's own training.
type refitFlag struct {
	Refit bool `group:"method" help:"Fit the coefficients of the vectors that a sparse method keeps once more, by the squared hinge, where folds of the training samples do not lose by it; rbf kernels."`
}

// apply asks for a refit. Methods that learn widths themselves want no others.
func (f *refitFlag) apply(method sparsekm.Method, o *sparsekm.Options) error {
	o.Refit = f.Refit
	switch {
	case o.LearnWidths && method.Name == "direct":
		return usagef("--widths: direct learns its own with --feature-widths")
	case o.Refit && !method.Refit:
		return usagef("--refit: %s does not shrink coefficients to choose vectors, only %s do", method.Name, having(refits))
	case o.Refit && !o.Kernel.Gaussian():
		return usagef("--refit: found the kernel %v, want rbf or mahalanobis", o.Kernel.Kind)
	}
	return nil
}
