package direct

import "github.com/sparsekm/sparsekm/learn"

func init() {
	learn.Register(Trainer{
		C: 1, Loss: "squared-hinge", Units: "auto", Epsilon: -1, WidthPenalty: 0.01, Tolerance: 1e-5, MaxIter: 200, Seed: 1, Starts: 1,
	}, learn.Method{
		Name: "direct", Paper: "Wu, Schölkopf & Bakır (2006)", Tasks: learn.Supervised, Validation: true,
		Values: true, Soft: true,
		About: "few trained centres, and a width for each feature if wanted",
		Own: []learn.Param{
			{Name: "loss", Words: []string{"squared-hinge", "hinge", "logistic", "squared", "insensitive"},
				Doc: "Loss of a sample: squared-hinge (default), hinge or logistic; for regression squared (default) or " +
					"insensitive."},
			{Name: "tune",
				Doc: "Also choose by held-out samples: C (times 0.1 or 1; for regression 1, 10 or 100), gamma (times 0.05, " +
					"0.2, 0.7 or 2.5; for classification with fewer than 300 samples also 0.1, 0.4 and 1.4), the units, and " +
					"whether to learn feature widths. train and cv do so unless C, gamma or --no-tune is given."},
			{Name: "units", Words: append([]string{"auto"}, shapes...),
				Doc: "What the model adds up: vectors; steps, smooth thresholds of one feature each; directions, steps that " +
					"turn; mixed, half vectors and half steps. All but vectors have a plane too. Default: vectors; with tune " +
					"what held-out samples say of vectors, steps and mixed."},
			{Name: "feature_widths", Doc: "Learn a width for each feature together with the vectors."},
			{Name: "width_penalty", Range: learn.Positive, Doc: "Weight of the squared logarithms of learned widths."},
		},
	})
}
