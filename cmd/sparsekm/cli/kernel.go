package cli

import (
	"cmp"
	"math"
	"strings"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
)

// kernelNames are the values of --kernel.
func kernelNames() string { return strings.Join(append(gram.Names(), "mahalanobis"), ",") }

// kernelFlags choose the kernel of a training.
type kernelFlags struct {
	Kernel string   `enum:"${kernels}" default:"rbf" group:"kernel" help:"Kernel: ${enum}."`
	Gamma  string   `xor:"width" placeholder:"G" group:"kernel" help:"γ of exp(-γ|x-z|²): a number, a number divided by the features (10/d), or scale = 1/(d·Var X), auto = 1/d, median = 1/(2·median distance²). Default: scale."`
	Sigma  *float64 `xor:"width" placeholder:"S" group:"kernel" help:"Instead of --gamma: γ = 1/(2σ²)."`
	Widths string   `enum:"given,learned" default:"given" group:"kernel" help:"rbf and mahalanobis: learned gives each feature a weight of its own, found on each model's training samples and kept in the model; γ stays that of the mean squared distance. ${enum}."`
	Delta  float64  `default:"1" group:"kernel" help:"mahalanobis: δ of exp(-δ/d Σ (x-z)²/variance), the variances taken from the model's own samples."`
	Degree int      `default:"3" group:"kernel" help:"Degree of the polynomial kernel (γ·xz + coef0)^degree."`
	Coef0  float64  `name:"coef0" default:"0" group:"kernel" help:"Constant of the polynomial and sigmoid kernels."`
}

// ownKernel puts the kernel of a method that has its own instead of another, and fails for a flag that asks for
// one.
func ownKernel(method sparsekm.Method, g session.SetFlags, o *sparsekm.Options) error {
	if !method.OwnKernel {
		return nil
	}
	if flag := g.First("kernel", "gamma", "sigma", "widths", "delta", "degree", "coef0"); flag != "" {
		return usagef("--%s: %s has a kernel of its own", flag, method.Name)
	}
	o.Kernel, o.Gamma = gram.Linear(), nil
	return nil
}

// apply puts the kernel into the training's options, and fails for a flag that the chosen kernel knows nothing of.
func (f *kernelFlags) apply(g session.SetFlags, o *sparsekm.Options) (err error) {
	o.LearnWidths = f.Widths == "learned"
	k, own := &o.Kernel, f.Kernel == "mahalanobis"
	if !own {
		if k.Kind, err = gram.ParseKind(f.Kernel); err != nil {
			return session.AsUsage(err)
		}
	}
	for name, has := range map[string]bool{"degree": k.HasDegree(), "coef0": k.HasCoef0(), "delta": own} {
		if !has && g.First(name) != "" {
			return usagef("--%s: the %s kernel has none", name, f.Kernel)
		}
	}
	switch {
	case own:
		return f.mahalanobis(o)
	case o.LearnWidths && !k.Gaussian():
		return usagef("--widths: found the kernel %v, want rbf or mahalanobis", k.Kind)
	case k.HasDegree() && f.Degree < 1:
		return usagef("--degree: found %d, want at least 1", f.Degree)
	case !k.HasGamma() && (f.Gamma != "" || f.Sigma != nil):
		return usagef("--gamma and --sigma: the %v kernel has no width", k.Kind)
	}
	if k.HasDegree() {
		k.Degree = f.Degree
	}
	if k.HasCoef0() {
		k.Coef0 = f.Coef0
	}
	switch {
	case !k.HasGamma():
		return nil
	case f.Sigma == nil:
		return f.gamma(o)
	}
	k.Gamma = 1 / (2 * *f.Sigma * *f.Sigma)
	if !(*f.Sigma > 0) || math.IsInf(k.Gamma, 0) || k.Gamma == 0 {
		return usagef("--sigma: found %v, want a finite number > 0", *f.Sigma)
	}
	return nil
}

func (f *kernelFlags) mahalanobis(o *sparsekm.Options) error {
	if !(f.Delta > 0) || math.IsInf(f.Delta, 0) {
		return usagef("--delta: found %v, want a finite number > 0", f.Delta)
	}
	if f.Gamma != "" || f.Sigma != nil {
		return usagef("--gamma and --sigma: the width of the mahalanobis kernel is --delta")
	}
	o.KernelOf = func(p *learn.Problem) (gram.Kernel, error) { return learn.Mahalanobis(p, f.Delta) }
	return nil
}

// gamma reads --gamma.
func (f *kernelFlags) gamma(o *sparsekm.Options) (err error) {
	if o.Gamma, o.Kernel.Gamma, err = sparsekm.ParseGamma(cmp.Or(f.Gamma, "scale")); err != nil {
		return usagef("--gamma: %s", err)
	}
	return nil
}
