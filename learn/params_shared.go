package learn

// shared are the parameters of several packages' methods, so that a name has one range and one sentence everywhere.
// Defaults are the method's own.
var shared = [...]Param{
	{Name: "c", Range: Positive, Doc: "Weight of the errors against the complexity."},
	{Name: "epsilon", Range: NonNegative, Doc: "Errors of a value up to this are none."},
	{Name: "nu", Range: UpToOne,
		Doc: "Share of the samples: most that have errors, least that are vectors (but of sparse-one-class)."},
	{Name: "tolerance", Range: Positive, Doc: "Largest violation of the optimality conditions at which the solver stops."},
	{Name: "max_iter", Range: Count, Doc: "Limit on the solver's iterations."},
	{Name: "sv_threshold", Field: "Threshold", Range: Share,
		Doc: "Drop coefficients below this part of the largest and fit the rest again. Default: keep all that are not zero."},
	{Name: "eta", Range: Positive, Doc: "A selection of support vectors stops when the next one adds less than this."},
	{Name: "max_sv", Range: Count, Doc: "Most support vectors that a selection takes."},
	{Name: "candidates", Range: draws,
		Doc: "Samples drawn as possible vectors, for large data; by a selection in each step. -1 for all."},
	{Name: "choose", Words: []string{ChooseSpread, ChoosePivots},
		Doc: "How candidates are chosen from a random sample of the samples."},
	{Name: "seed", Range: Any, Doc: "Seed of whatever is drawn at random."},
}

// AllSamples is the default of a [Subset]: every sample may be a support vector.
var AllSamples = Subset{Candidates: -1, Choose: ChooseSpread, Seed: 1}
