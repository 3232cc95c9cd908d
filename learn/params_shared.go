package learn

// Parameters that several methods share are declared here, so that a name has one
// range and one sentence everywhere. Defaults are the method's own.

// Cost declares c, the weight of the errors.
func (p *Params) Cost(at *float64, def float64) {
	p.Float("c", at, def, Positive, "Weight of the errors against the complexity.")
}

// Epsilon declares epsilon, half the width of the tube of the ε-insensitive loss; a negative default is none.
func (p *Params) Epsilon(at *float64, def float64) {
	p.Float("epsilon", at, def, NonNegative, "Errors of a value up to this are none.")
}

// Nu declares nu, the share of the samples that may have errors.
func (p *Params) Nu(at *float64, def float64) {
	p.Float("nu", at, def, UpToOne,
		"Share of the samples: most that have errors, least that are vectors (but of sparse-one-class).")
}

// Tolerance declares tolerance, at which a solver stops.
func (p *Params) Tolerance(at *float64, def float64) {
	p.Float("tolerance", at, def, Positive,
		"Largest violation of the optimality conditions at which the solver stops.")
}

// MaxIter declares max_iter, a limit; def may be 0 for the solver's own.
func (p *Params) MaxIter(at *int, def int) {
	p.Int("max_iter", at, def, Count, "Limit on the solver's iterations.")
}

// Threshold declares sv_threshold, below which a coefficient is dropped; 0, the default, drops none.
func (p *Params) Threshold(at *float64) {
	p.Float("sv_threshold", at, 0, Share,
		"Drop coefficients below this part of the largest and fit the rest again. Default: keep all that are not zero.")
}

// Eta declares eta, at which a selection stops.
func (p *Params) Eta(at *float64, def float64) {
	p.Float("eta", at, def, Positive,
		"A selection of support vectors stops when the next one adds less than this.")
}

// MaxSV declares max_sv, the most that a selection takes; 0, the default, is no limit.
func (p *Params) MaxSV(at *int) {
	p.Int("max_sv", at, 0, Count, "Most support vectors that a selection takes.")
}

// Candidates declares candidates, the samples that a selection draws in each step, or the only ones that may be vectors
// of a sparse model. A completed value that is not positive means all samples.
func (p *Params) Candidates(at *int, def int) {
	p.Int("candidates", at, def, draws,
		"Samples drawn as possible vectors, for large data; by a selection in each step. -1 for all.")
}

// Subset declares candidates, choose and seed.
func (p *Params) Subset(at *Subset) {
	p.Candidates(&at.Candidates, -1)
	p.Word("choose", &at.Choose, []string{ChooseSpread, ChoosePivots},
		"How candidates are chosen from a random sample of the samples.")
	p.Seed(&at.Seed)
}

// Seed declares seed, 1 by default.
func (p *Params) Seed(at *uint64) {
	p.Uint("seed", at, 1, "Seed of whatever is drawn at random.")
}
