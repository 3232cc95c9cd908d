package numpy

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
	"github.com/sparsekm/sparsekm/model/importers/libsvm"
)

// parts makes the parts of the file's estimator.
func (f *skopsFile) parts(n *skopsNode) *model.Parts {
	steps := f.steps(n)
	if f.err != nil {
		return nil
	}
	p := steps[len(steps)-1].parts()
	if len(steps) > 1 && f.err == nil {
		p.Scaling = steps[0].scaling(p.D)
	}
	return p
}

// steps returns an estimator, or the steps of a pipeline except "passthrough": an estimator, perhaps after a scaler.
func (f *skopsFile) steps(n *skopsNode) (steps []*skopsAttributes) {
	const where = "steps of the Pipeline: "
	a := f.attributes("", n)
	if a.class != "Pipeline" {
		return []*skopsAttributes{a}
	}
	list := a.nodes["steps"]
	pairs, err := list.list()
	if err != nil {
		f.fail(where+"%w", err)
	}
	var names []string
	for i := range pairs {
		pair, err := pairs[i].list()
		if err != nil || len(pair) != 2 {
			f.fail(where+"step %d is no pair of a name and an estimator", i)
			return nil
		}
		var nothing *string // None or "passthrough"
		if pair[1].plain(&nothing) != nil || nothing != nil && *nothing != "passthrough" {
			steps = append(steps, f.attributes(where, &pair[1]))
			names = append(names, pair[1].Class)
		}
	}
	scalers := []string{"StandardScaler", "MinMaxScaler"}
	if len(steps) == 0 || len(steps) > 2 || len(steps) == 2 && !slices.Contains(scalers, names[0]) {
		f.fail("found a Pipeline of %v, want one of %v, or none, and an estimator", names, scalers)
	}
	return steps
}

// parts makes the parts of a fitted estimator.
func (a *skopsAttributes) parts() *model.Parts {
	switch a.class {
	case "SVC":
		return a.svc("svc")
	case "NuSVC":
		return a.svc("nu-svc")
	case "SVR":
		return a.svr("svr")
	case "NuSVR":
		return a.svr("nu-svr")
	case "LinearSVC":
		return a.linear()
	}
	a.fail("found the estimator %s, want SVC, NuSVC, LinearSVC, SVR or NuSVR, or a Pipeline with one", a.class)
	return nil
}

// libsvm makes the parts that all estimators based on LIBSVM have.
func (a *skopsAttributes) libsvm(method string) *model.Parts {
	p := &model.Parts{Method: method, Kernel: a.kernel()}
	vectors := a.numbers("support_vectors_", -1, -1)
	p.Vectors, p.N, p.D, p.Features = vectors.Numbers, vectors.Shape[0], vectors.Shape[1], vectors.Shape[1]
	for _, v := range a.numbers("support_", p.N).Numbers {
		if v != float64(int(v)) || v < 0 {
			a.fail("%s.support_: found the row %v", a.class, v)
		}
		p.Rows = append(p.Rows, int(v))
	}
	return p
}

// kernel reads the kernel with its parameters.
func (a *skopsAttributes) kernel() (k gram.Kernel) {
	var name string
	if a.get("kernel", &name); a.err != nil {
		a.err = fmt.Errorf("%w; want a kernel by name", a.err)
	}
	if !slices.Contains([]string{"rbf", "linear", "poly", "sigmoid"}, name) {
		a.fail("%s.kernel: found %q, want rbf, linear, poly or sigmoid", a.class, name)
		return k
	}
	k.Kind, _ = gram.ParseKind(name) // knows these
	if k.HasGamma() {
		if gamma := a.numbers("_gamma"); a.err == nil {
			k.Gamma = gamma.Numbers[0]
		}
	}
	if k.HasCoef0() {
		a.get("coef0", &k.Coef0)
	}
	if k.HasDegree() {
		a.get("degree", &k.Degree)
	}
	return k
}

// svc makes the parts of an SVC. Its coefficients are in LIBSVM's order, see [libsvm.AddPairs]. With two classes a
// positive decision value means the second class, with more the first class of each pair.
func (a *skopsAttributes) svc(method string) *model.Parts {
	p := a.libsvm(method)
	p.Labels, p.Scheme = a.labels(), model.OneVsOne
	k := len(p.Labels)
	var breakTies bool
	if a.get("break_ties", &breakTies); breakTies && k > 2 {
		a.fail("%s.break_ties: found true, which models here do not have", a.class)
	}
	coef := a.numbers("dual_coef_", k-1, p.N)
	bias := a.numbers("intercept_", k*(k-1)/2)
	first := a.starts(k, p.N)
	if a.err != nil {
		return nil
	}
	libsvm.AddPairs(p, first, func(i, column int) float64 { return coef.Numbers[column*p.N+i] })
	for i := range p.Submodels {
		p.Submodels[i].Bias = bias.Numbers[i]
	}
	if k == 2 {
		p.Scheme, p.Submodels[0].Pos, p.Submodels[0].Neg = model.Binary, 1, 0
	}
	a.platt(p)
	return p
}

// starts returns the index of each class's first vector, and n after the last one.
func (a *skopsAttributes) starts(k, n int) []int {
	counts := a.numbers("_n_support", k).Numbers
	first, whole := []int{0}, true
	for c, v := range counts {
		whole = whole && v == float64(int(v)) && v >= 0 && v <= float64(n-first[c])
		first = append(first, first[c]+int(v))
	}
	if !whole || first[len(first)-1] != n {
		a.fail("%s._n_support: found %v for %d vectors", a.class, counts, n)
	}
	return first
}

// platt reads the parameters of probabilities, if there are any. LIBSVM's are for the first class of each pair. With
// two classes the decision values here are LIBSVM's with the other sign: 1 − 1/(1 + exp(−A f + B)) = 1/(1 + exp(A f −
// B)).
func (a *skopsAttributes) platt(p *model.Parts) {
	pa := a.numbers("_probA", -1)
	if pa.Len() == 0 {
		return
	}
	pb := a.numbers("_probB", len(p.Submodels))
	if pa.Len() != len(p.Submodels) {
		a.fail("%s._probA: found %d numbers, want %d", a.class, pa.Len(), len(p.Submodels))
	}
	if a.err != nil {
		return
	}
	for i, b := range pb.Numbers {
		if len(p.Submodels) == 1 {
			b = -b
		}
		p.Platt = append(p.Platt, model.Platt{A: pa.Numbers[i], B: b})
	}
}

// svr makes the parts of an SVR.
func (a *skopsAttributes) svr(method string) *model.Parts {
	p := a.libsvm(method)
	coef := a.numbers("dual_coef_", 1, p.N)
	bias := a.numbers("intercept_", 1)
	if a.err != nil {
		return nil
	}
	m := learn.Submodel{Neg: learn.Rest}
	m.Bias, m.Coef = bias.Numbers[0], coef.Numbers
	dropZeros(&m)
	p.Task, p.Scheme, p.Submodels = learn.Regress, model.Binary, []learn.Submodel{m}
	return p
}

// linear makes the parts of a LinearSVC.
func (a *skopsAttributes) linear() *model.Parts {
	labels := a.labels()
	k := len(labels)
	if k == 2 {
		k = 1
	}
	coef := a.numbers("coef_", k, -1)
	bias := make([]float64, k)
	n := a.nodes["intercept_"] // fit_intercept=False stores a single 0
	if one, err := a.arrayOf(&n); err != nil || len(one.Shape) > 0 || one.Texts != nil || one.Numbers[0] != 0 {
		bias = a.numbers("intercept_", k).Numbers
	}
	if a.err != nil {
		return nil
	}
	d := coef.Shape[1]
	p := &model.Parts{Vectors: coef.Numbers, N: k, D: d, Features: d, Labels: labels}
	if libsvm.AddPlanes(p, bias); k == 1 {
		p.Scheme, p.Submodels[0].Pos, p.Submodels[0].Neg = model.Binary, 1, 0
	}
	return p
}

// labels returns the classes as text: whole numbers without a fraction.
func (a *skopsAttributes) labels() []string {
	classes := a.array("classes_", 1)
	labels := classes.Texts
	for _, v := range classes.Numbers {
		if classes.Truth {
			labels = append(labels, map[float64]string{0: "False", 1: "True"}[v])
		} else {
			labels = append(labels, strconv.FormatFloat(v, 'f', -1, 64))
		}
	}
	if len(labels) < 2 {
		a.fail("%s.classes_: found fewer than two", a.class)
	}
	return labels
}
