package model

import (
	"cmp"
	"fmt"

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/fileformat"
	"github.com/sparsekm/sparsekm/learn"
)

// jsonVersion is the first version of JSON models that calls submodels so, and not "machines". Earlier ones have the
// version that a .skm file of the model has, and so have later ones.
const jsonVersion = 13

// MarshalJSON returns the model as JSON, which [Classifier.UnmarshalJSON] reads, with scikit-learn's names if it has
// one. Numbers read back to the same float64.
func (c *Classifier) MarshalJSON() ([]byte, error) {
	if err := c.parts.storable(); err != nil {
		return nil, err
	}
	var j jsonCoder
	p := c.parts // of which nothing changes
	j.model(&p)
	return j.b, nil
}

// UnmarshalJSON makes c the classifier of a JSON model. Nobody else may use c meanwhile.
func (c *Classifier) UnmarshalJSON(data []byte) error {
	b := fileformat.NewBudget(DefaultMemory)
	p, err := parseJSON(data, b)
	return c.become(p, b, err)
}

// parseJSON reads a JSON model, and refuses fields that it does not know.
func parseJSON(data []byte, b *Budget) (*Parts, error) {
	j, p := jsonCoder{stream{b: data, reading: true, budget: b}}, new(Parts)
	if j.model(p); j.next() != 0 {
		j.fail("more text after the JSON model")
	}
	return p, j.err
}

// jsonFile is a model with what its JSON says in other forms.
type jsonFile struct {
	*Parts
	format, task, scheme string
	version              int
	known                bool // whether n_features_in is the number of features in training
	labels               []string
	rows                 [][]float64
	probA, probB         []float64
	kernel               kernelJSON
}

// model is the whole file. Of what may be absent, a reader takes the zero value.
func (j *jsonCoder) model(p *Parts) {
	f := &jsonFile{Parts: p, format: magic, version: max(jsonVersion, p.version()), task: p.Task.String(), scheme: p.Scheme.String(),
		labels: p.Labels, kernel: kernelJSON{k: p.Kernel}}
	if !j.reading {
		f.known = p.Features != 0 || p.D == 0
		if p.Task.Real() {
			f.labels = []string{}
		}
		f.rows = [][]float64{}
		for i := range p.N {
			if p.Sparse == nil {
				f.rows = append(f.rows, p.Vectors[i*p.D:(i+1)*p.D])
			}
		}
		for _, q := range p.Platt {
			f.probA = append(f.probA, q.A)
			f.probB = append(f.probB, q.B)
		}
	}
	if j.object("the model", j.fields(f)...); j.reading && j.err == nil {
		j.complete(f)
	}
}

func (j *jsonCoder) fields(f *jsonFile) []jsonField {
	fields := append([]jsonField{
		must("format", &f.format),
		must("version", func() {
			if j.int(&f.version); f.version < 1 || f.version > version {
				j.keep(&VersionError{Found: f.version, Want: version})
			}
		}),
		note("method", &f.Method),
		note("params", &f.Params),
		may("n_samples_fit", f.Trained != 0, &f.Trained),
		must("n_features_in", &f.D),
		note("n_features_known", &f.known),
	}, j.kernelFields(&f.kernel)...)
	return append(fields,
		may("columns", len(f.Columns) > 0, &f.Columns),
		may("scaling", f.Scaling != nil, &f.Scaling),
		may("task", f.Task != learn.Classify, &f.task),
		may("posterior", f.Posterior != nil, &f.Posterior),
		must("classes", &f.labels),
		must("decision_function_shape", &f.scheme),
		jsonField{"submodels", "machines", true, true, func() { j.submodels(f.Parts) }},
		may("probability_stale", f.PlattStale, &f.PlattStale),
		may("conformal", f.Conformal != nil, &f.Conformal),
		may("zero_based", f.ZeroBased, &f.ZeroBased),
		may("marks", f.Marks != nil, &f.Marks),
		may("probA", f.probA != nil, &f.probA),
		may("probB", f.probB != nil, &f.probB),
		may("support", len(f.Rows) > 0, &f.Rows), // rows of the training file, from 0
		must("support_vectors", &f.rows),
		may("sparse_support_vectors", f.Sparse != nil, &f.Sparse))
}

// complete makes the parts of what was read.
func (j *jsonCoder) complete(f *jsonFile) {
	p := f.Parts
	if f.format != magic {
		j.err = fmt.Errorf("model: JSON of format %q, want %q", f.format, magic)
		return
	}
	if f.known {
		p.Features = p.D
	}
	p.Labels, p.Kernel = f.labels, j.kernel(&f.kernel)
	var errs [2]error
	p.Scheme, errs[0] = ParseScheme(f.scheme)
	p.Task, errs[1] = learn.ParseTask(f.task)
	j.keep(cmp.Or(errs[:]...))
	if len(f.probA) != len(f.probB) {
		j.fail("%d values of probA and %d of probB", len(f.probA), len(f.probB))
		return
	}
	for i, a := range f.probA {
		p.Platt = append(p.Platt, Platt{a, f.probB[i]})
	}
	j.vectors(p, f.rows)
	if v := p.version(); v != f.version && (f.version != jsonVersion || v > jsonVersion) {
		j.fail("JSON of version %d with what version %d has", f.version, v)
	}
}

func (j *jsonCoder) vectors(p *Parts, rows [][]float64) {
	p.N = len(rows)
	if p.Sparse != nil {
		p.N = p.Sparse.N
		p.Sparse.D = p.D
	}
	j.keep(j.budget.Take(int64(len(rows)), 8*max(0, int64(p.D))))
	for i, v := range rows {
		if len(v) != p.D {
			j.fail("support vector %d has %d features, want %d", i, len(v), p.D)
		}
		if j.err != nil {
			return
		}
		p.Vectors = append(p.Vectors, v...)
	}
}

// sparse is the non-zero elements of rows, with the names of SciPy's csr_array.
func (j *jsonCoder) sparse(m **csr.Matrix) {
	s := made(&j.stream, m)
	j.object("sparse_support_vectors", must("indptr", &s.Start), must("indices", &s.Index),
		must("data", &s.Value))
	if j.reading {
		s.N = max(0, len(s.Start)-1)
	}
}

// kernelJSON is a kernel, and what a file says of it.
type kernelJSON struct {
	k     gram.Kernel
	kind  string
	gamma bool       // it has one
	terms *jsonTerms // of a composite kernel
}

func (j *jsonCoder) kernelFields(c *kernelJSON) []jsonField {
	k := &c.k
	if !j.reading {
		if c.kind = k.Kind.String(); k.Composed() {
			c.terms = termsToJSON(k)
		}
	}
	return []jsonField{
		must("kernel", &c.kind),
		may("kernel_name", k.Name != "", &k.Name), // of a custom one
		may("gamma", k.HasGamma(), func() { c.gamma = true; j.float(&k.Gamma) }),
		may("coef0", k.Coef0 != 0, &k.Coef0),
		may("degree", k.Degree != 0, &k.Degree),
		may("alpha", k.Alpha != 0, &k.Alpha),
		may("feature_weights", len(k.Weights) > 0, &k.Weights),
		may("terms", c.terms != nil, func() {
			made(&j.stream, &c.terms).code(j)
		}),
	}
}

// kernel is the kernel that was read.
func (j *jsonCoder) kernel(c *kernelJSON) gram.Kernel {
	k, err := c.k, error(nil)
	switch composed := c.kind == gram.KindComposite.String(); {
	case c.kind == gram.KindCustom.String() && k.Name != "":
		k, err = gram.Registered(k.Name)
	case composed != (c.terms != nil):
		j.fail("kernel %s with terms: %v, want them in a composite one", c.kind, !composed)
	case composed:
		k.Kind = gram.KindComposite
		c.terms.kernel(j, &k)
	default:
		if k.Kind, err = gram.ParseKind(c.kind); err == nil && k.HasGamma() && !c.gamma {
			j.fail("kernel %s without \"gamma\", want a number", k.Kind)
		}
	}
	j.wrap(err)
	return k
}

// jsonTerms is a composite kernel: a scale for each term, and lists with an element for each factor, of which those of
// numbers may be absent.
type jsonTerms struct {
	scale               []float64
	term, degree        []int // of each factor: its term, from 0, and its degree
	kind                []string
	gamma, coef0, alpha []float64
	weights             [][]float64 // empty for a factor without weights
}

func termsToJSON(k *gram.Kernel) *jsonTerms {
	t := new(jsonTerms)
	for i, term := range k.Terms {
		t.scale = append(t.scale, term.Scale)
		for _, f := range term.Factors {
			t.term = append(t.term, i)
			t.kind = append(t.kind, f.Kind.String())
			t.gamma = append(t.gamma, f.Gamma)
			t.coef0 = append(t.coef0, f.Coef0)
			t.degree = append(t.degree, f.Degree)
			t.alpha = append(t.alpha, f.Alpha)
			t.weights = append(t.weights, append([]float64{}, f.Weights...))
		}
	}
	return t
}

func (t *jsonTerms) code(j *jsonCoder) {
	some := len(t.kind) > 0
	j.object("terms", must("scale", &t.scale), may("term", some, &t.term),
		may("kernel", some, &t.kind), may("gamma", some, &t.gamma), may("coef0", some, &t.coef0),
		may("degree", some, &t.degree), may("alpha", some, &t.alpha),
		may("feature_weights", some, &t.weights))
}

// kernel makes the terms of a kernel; its validation follows.
func (t *jsonTerms) kernel(j *jsonCoder, k *gram.Kernel) {
	n := len(t.kind)
	if len(t.scale) > gram.MostFactors || n > gram.MostFactors {
		j.fail("%d terms of %d factors in a kernel, want at most %d", len(t.scale), n, gram.MostFactors)
		return
	}
	for _, list := range [...]int{len(t.gamma), len(t.coef0), len(t.degree), len(t.alpha), len(t.weights)} {
		if list != 0 && list != n || len(t.term) != n {
			j.fail("lists of %d and %d elements for the %d factors of a kernel", len(t.term), list, n)
			return
		}
	}
	for _, v := range t.scale {
		k.Terms = append(k.Terms, gram.Term{Scale: v})
	}
	for i, name := range t.kind {
		f := gram.Kernel{Gamma: element(t.gamma, i), Coef0: element(t.coef0, i), Degree: element(t.degree, i),
			Alpha: element(t.alpha, i), Weights: element(t.weights, i)}
		var err error
		if f.Kind, err = gram.ParseKind(name); err != nil {
			j.wrap(err)
			return
		}
		n := t.term[i]
		if n < 0 || n >= len(k.Terms) {
			j.fail("factor %d of a kernel in term %d, want one from 0 to %d", i, n, len(k.Terms)-1)
			return
		}
		k.Terms[n].Factors = append(k.Terms[n].Factors, f)
	}
}

// element is element i, and zero of an absent list.
func element[T any](list []T, i int) (v T) {
	if len(list) > 0 {
		v = list[i]
	}
	return v
}

// column is a column of the CSV file that the model was trained on.
func (j *jsonCoder) column(c *dataset.Column) {
	role, parts := c.Role.String(), c.PartNames()
	j.object("column",
		may("name", c.Name != "", &c.Name),
		must("role", &role),
		may("categories", len(c.Categories) > 0, &c.Categories),
		may("fill", c.Filled, func() { c.Filled = true; j.float(&c.Fill) }), // a number, or a category's index
		may("marked", c.Marked, &c.Marked),
		may("date", c.Form != "" && c.Role == dataset.RoleDate, &c.Form), // how dates are written
		may("form", c.Form != "" && c.Role != dataset.RoleDate, &c.Form), // how numbers are written
		may("missing_words", len(c.Absent) > 0, &c.Absent),
		may("parts", len(parts) > 0, &parts),
		may("values", len(c.Values) > 0, &c.Values))
	if !j.reading || j.err != nil {
		return
	}
	var err error
	if c.Role, err = dataset.ParseRole(role); err == nil {
		c.Parts, err = dataset.ParseParts(parts)
	}
	j.wrap(err)
}

func (j *jsonCoder) scaling(to **dataset.Scaling) {
	s := made(&j.stream, to)
	kind := s.Kind.String()
	j.object("scaling", must("kind", &kind), must("lo", &s.Lo), must("hi", &s.Hi), must("center", &s.Center),
		must("spread", &s.Spread))
	if j.reading {
		var err error
		s.Kind, err = dataset.ParseScaleKind(kind)
		j.wrap(err)
	}
}

// posterior gives the variance of a regression model: of coefficients the lower triangle of their covariances, row by
// row, with the intercept's row last, of a Gaussian process what [learn.Process] has.
func (j *jsonCoder) posterior(q **learn.Posterior) {
	p := made(&j.stream, q)
	process := p.Process
	if process == nil {
		process = new(learn.Process)
	}
	some := p.Process != nil
	j.object("posterior", must("noise_variance", &p.Noise),
		may("covariance", len(p.Covariance) > 0, &p.Covariance),
		may("prior_variance", some, &process.Prior),
		may("triangle", some && len(process.Triangle) > 0, &process.Triangle),
		may("spread", some && len(process.Spread) > 0, &process.Spread))
	if process.Prior != 0 || process.Triangle != nil || process.Spread != nil {
		p.Process = process
	}
}

// conformal has the thresholds of prediction sets.
func (j *jsonCoder) conformal(to **Conformal) {
	q := made(&j.stream, to)
	j.object("conformal", must("coverage", &q.Coverage), must("folds", &q.Folds), must("thresholds", &q.Thresholds))
}

// submodels are the decision functions, with the processes of a classifier of them.
func (j *jsonCoder) submodels(p *Parts) {
	number := 0
	listed(j, &p.Submodels, 256, func(m *learn.Submodel) {
		j.submodel(p, m, number)
		number++
	})
}

// submodel is one decision function. positive and negative are indices into classes, negative is −1 for the rest;
// vectors are indices into support_vectors.
func (j *jsonCoder) submodel(p *Parts, m *learn.Submodel, i int) {
	var kernel kernelJSON
	var latent *learn.Posterior
	if p.Latent != nil && !j.reading {
		latent = &p.Latent[i]
	}
	if m.Kernel != nil {
		kernel.k = *m.Kernel
	}
	j.object(fmt.Sprintf("submodel %d", i), must("positive", &m.Pos), must("negative", &m.Neg),
		must("vectors", &m.Support), must("dual_coef", &m.Coef), must("intercept", &m.Bias),
		may("own_kernel", m.Kernel != nil, func() {
			if j.object("own_kernel", j.kernelFields(&kernel)...); j.reading && j.err == nil {
				k := j.kernel(&kernel)
				m.Kernel = &k
			}
		}),
		may("plane", len(m.Plane) > 0, &m.Plane),
		may("steps", len(m.Steps) > 0, &m.Steps),
		may("latent", latent != nil, &latent))
	if j.reading && latent != nil {
		p.Latent = append(p.Latent, *latent)
	}
}

// step is coef/(1 + exp(−(turn·x + move))).
func (j *jsonCoder) step(s *learn.Step) {
	j.object("step", must("turn", &s.Turn), must("move", &s.Move), must("coef", &s.Coef))
}
