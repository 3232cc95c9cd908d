package model

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
)

// parts makes the parts of the file's estimator.
func (f *skopsFile) parts(n *skopsNode) (*Parts, error) {
	a, err := f.attributes(n)
	if err != nil {
		return nil, err
	}
	if a.of != "Pipeline" {
		return a.parts()
	}
	steps, err := f.steps(a)
	if err != nil {
		return nil, err
	}
	p, err := steps[len(steps)-1].parts()
	if err != nil || len(steps) == 1 {
		return p, err
	}
	p.Scaling, err = steps[0].scaling(p.D)
	return p, err
}

// steps returns the steps of a pipeline except "passthrough": an estimator, perhaps after a scaler.
func (f *skopsFile) steps(a *skopsAttributes) (steps []*skopsAttributes, err error) {
	n := a.nodes["steps"]
	pairs, err := n.list()
	if err != nil {
		return nil, fmt.Errorf("steps of the Pipeline: %w", err)
	}
	for i := range pairs {
		pair, err := pairs[i].list()
		if err != nil || len(pair) != 2 {
			return nil, fmt.Errorf("steps of the Pipeline: step %d is no pair of a name and an estimator", i)
		}
		var nothing *string // None or "passthrough"
		if pair[1].plain(&nothing) == nil && (nothing == nil || *nothing == "passthrough") {
			continue
		}
		step, err := f.attributes(&pair[1])
		if err != nil {
			return nil, fmt.Errorf("steps of the Pipeline: %w", err)
		}
		steps = append(steps, step)
	}
	scalers := []string{"StandardScaler", "MinMaxScaler"}
	if len(steps) == 0 || len(steps) > 2 || len(steps) == 2 && !slices.Contains(scalers, steps[0].of) {
		names := make([]string, len(steps))
		for i, s := range steps {
			names[i] = s.of
		}
		return nil, fmt.Errorf("found a Pipeline of %v, want one of %v, or none, and an estimator", names, scalers)
	}
	return steps, nil
}

// parts makes the parts of a fitted estimator.
func (a *skopsAttributes) parts() (*Parts, error) {
	switch a.of {
	case "SVC", "NuSVC":
		return a.svc()
	case "SVR", "NuSVR":
		return a.svr()
	case "LinearSVC":
		return a.linear()
	}
	return nil, fmt.Errorf("found the estimator %s, want SVC, NuSVC, LinearSVC, SVR or NuSVR, or a Pipeline with one",
		a.of)
}

// libsvm makes the parts that all estimators based on LIBSVM have.
func (a *skopsAttributes) libsvm() (*Parts, error) {
	k, err := a.kernel()
	if err != nil {
		return nil, err
	}
	vectors, err := a.numbers("support_vectors_", -1, -1)
	if err != nil {
		return nil, err
	}
	p := &Parts{Kernel: k, Vectors: vectors.Numbers, N: vectors.Shape[0], D: vectors.Shape[1], Features: vectors.Shape[1]}
	rows, err := a.numbers("support_", p.N)
	if err != nil {
		return nil, err
	}
	for _, v := range rows.Numbers {
		if v != float64(int(v)) || v < 0 {
			return nil, fmt.Errorf("%s.support_: found the row %v", a.of, v)
		}
		p.Rows = append(p.Rows, int(v))
	}
	return p, nil
}

// kernel reads the kernel with its parameters.
func (a *skopsAttributes) kernel() (k gram.Kernel, err error) {
	var name string
	if err = a.get("kernel", &name); err != nil {
		return k, fmt.Errorf("%w; want a kernel by name", err)
	}
	if !slices.Contains([]string{"rbf", "linear", "poly", "sigmoid"}, name) {
		return k, fmt.Errorf("%s.kernel: found %q, want rbf, linear, poly or sigmoid", a.of, name)
	}
	if k.Kind, err = gram.ParseKind(name); err != nil {
		return k, err
	}
	if k.HasGamma() {
		gamma, failed := a.numbers("_gamma")
		if failed != nil {
			return k, failed
		}
		k.Gamma = gamma.Numbers[0]
	}
	if k.HasCoef0() {
		err = a.get("coef0", &k.Coef0)
	}
	if k.HasDegree() && err == nil {
		err = a.get("degree", &k.Degree)
	}
	return k, err
}

// svc makes the parts of an SVC. Its coefficients are in LIBSVM's order: vectors class by class, and a vector of
// class i has the coefficients of the pairs with the other classes, in their order. With two classes a positive
// decision value means the second class, with more the first class of each pair.
func (a *skopsAttributes) svc() (*Parts, error) {
	p, err := a.libsvm()
	if err != nil {
		return nil, err
	}
	p.Method = map[string]string{"SVC": "svc", "NuSVC": "nu-svc"}[a.of]
	if p.Labels, err = a.labels(); err != nil {
		return nil, err
	}
	k := len(p.Labels)
	var breakTies bool
	if err = a.get("break_ties", &breakTies); err != nil {
		return nil, err
	}
	if breakTies && k > 2 {
		return nil, fmt.Errorf("%s.break_ties: found true, which models here do not have", a.of)
	}
	coef, err := a.numbers("dual_coef_", k-1, p.N)
	if err != nil {
		return nil, err
	}
	bias, err := a.numbers("intercept_", k*(k-1)/2)
	if err != nil {
		return nil, err
	}
	first, err := a.starts(k, p.N)
	if err != nil {
		return nil, err
	}
	p.Scheme = OneVsOne
	p.addPairs(first, func(i, column int) float64 { return coef.Numbers[column*p.N+i] })
	for i := range p.Submodels {
		p.Submodels[i].Bias = bias.Numbers[i]
	}
	if k == 2 {
		p.Scheme, p.Submodels[0].Pos, p.Submodels[0].Neg = Binary, 1, 0
	}
	return p, a.platt(p)
}

// starts returns the index of each class's first vector, and n after the last one.
func (a *skopsAttributes) starts(k, n int) ([]int, error) {
	counts, err := a.numbers("_n_support", k)
	if err != nil {
		return nil, err
	}
	first, whole := make([]int, k+1), true
	for c, v := range counts.Numbers {
		whole = whole && v == float64(int(v)) && v >= 0 && v <= float64(n-first[c])
		first[c+1] = first[c] + int(v)
	}
	if !whole || first[k] != n {
		return nil, fmt.Errorf("%s._n_support: found %v for %d vectors", a.of, counts.Numbers, n)
	}
	return first, nil
}

// platt reads the parameters of probabilities, if there are any. LIBSVM's are for the first class of each pair. With
// two classes the decision values here are LIBSVM's with the other sign: 1 − 1/(1 + exp(−A f + B)) = 1/(1 + exp(A f −
// B)).
func (a *skopsAttributes) platt(p *Parts) error {
	pa, err := a.numbers("_probA", -1)
	if err != nil || pa.Len() == 0 {
		return err
	}
	pb, err := a.numbers("_probB", len(p.Submodels))
	if err == nil && pa.Len() != len(p.Submodels) {
		err = fmt.Errorf("%s._probA: found %d numbers, want %d", a.of, pa.Len(), len(p.Submodels))
	}
	if err != nil {
		return err
	}
	for i := range p.Submodels {
		b := pb.Numbers[i]
		if len(p.Submodels) == 1 {
			b = -b
		}
		p.Platt = append(p.Platt, Platt{A: pa.Numbers[i], B: b})
	}
	return nil
}

// svr makes the parts of an SVR.
func (a *skopsAttributes) svr() (*Parts, error) {
	p, err := a.libsvm()
	if err != nil {
		return nil, err
	}
	p.Method, p.Task = map[string]string{"SVR": "svr", "NuSVR": "nu-svr"}[a.of], learn.Regress
	coef, err := a.numbers("dual_coef_", 1, p.N)
	if err != nil {
		return nil, err
	}
	bias, err := a.numbers("intercept_", 1)
	if err != nil {
		return nil, err
	}
	m := learn.Submodel{Neg: learn.Rest}
	m.Bias = bias.Numbers[0]
	addColumn(&m, func(i, _ int) float64 { return coef.Numbers[i] }, 0, 0, p.N)
	p.Scheme, p.Submodels = Binary, []learn.Submodel{m}
	return p, nil
}

// linear makes the parts of a LinearSVC: each submodel has one vector, the weights of the features.
func (a *skopsAttributes) linear() (*Parts, error) {
	labels, err := a.labels()
	if err != nil {
		return nil, err
	}
	k := len(labels)
	if k == 2 {
		k = 1
	}
	coef, err := a.numbers("coef_", k, -1)
	if err != nil {
		return nil, err
	}
	d := coef.Shape[1]
	p := &Parts{Vectors: coef.Numbers, N: k, D: d, Features: d, Labels: labels}
	bias := make([]float64, k) // fit_intercept=False stores a single 0
	if array, scalar := a.numbers("intercept_"); scalar != nil || array.Numbers[0] != 0 {
		if array, err = a.numbers("intercept_", k); err != nil {
			return nil, err
		}
		bias = array.Numbers
	}
	if p.addPlanes(bias); k == 1 {
		p.Scheme, p.Submodels[0].Pos, p.Submodels[0].Neg = Binary, 1, 0
	}
	return p, nil
}

// labels returns the classes as text: whole numbers without a fraction.
func (a *skopsAttributes) labels() ([]string, error) {
	classes, err := a.array("classes_", 1)
	if err != nil {
		return nil, err
	}
	labels := classes.Texts
	for _, v := range classes.Numbers {
		if classes.Truth {
			labels = append(labels, map[float64]string{0: "False", 1: "True"}[v])
		} else {
			labels = append(labels, strconv.FormatFloat(v, 'f', -1, 64))
		}
	}
	if len(labels) < 2 {
		return nil, errors.New(a.of + ".classes_: found fewer than two")
	}
	return labels, nil
}
