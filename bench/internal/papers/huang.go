package papers

import (
	"context"
	"fmt"
	"strconv"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/plots"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
)

func huang() []*Table {
	const paper = "Huang et al. (2010), "
	return []*Table{{
		Name: "huang-fig2", Title: paper + "Fig. 2: a separable set of 40 samples",
		Protocol: "σ = 2, C = 10.", Of: []string{"method"}, Paper: []string{"vectors"},
		Ours: []string{"vectors", "training errors"},
		Rows: []Row{
			{[]string{"svc"}, []string{"7"}, Drawn, "svc"},
			{[]string{"ssvc-a"}, []string{"2"}, Drawn, "ssvc-a"},
			{[]string{"ssvc-b"}, []string{"3"}, Drawn, "ssvc-b"},
		},
		Deviations: []string{"The 40 samples were never public: here two Gaussians of variance 1/2 around ±(1.5, 1.5)."},
		run:        huangFig2,
	}, {
		Name: "huang-fig3", Title: paper + "Fig. 3: Ripley's samples",
		Protocol: "250 samples, σ = 0.5, C = 1; test error on the 1000 samples of the test set.",
		Of:       []string{"method"}, Paper: []string{"vectors"}, Ours: []string{"vectors", "test error (%)"},
		Data: []string{"ripley.train.libsvm", "ripley.test.libsvm"},
		Rows: []Row{
			{[]string{"svc"}, []string{"102"}, "ripley.train.libsvm", "svc"},
			{[]string{"ssvc-a"}, []string{"4"}, "ripley.train.libsvm", "ssvc-a"},
			{[]string{"ssvc-b"}, []string{"4"}, "ripley.train.libsvm", "ssvc-b"},
			{[]string{"ssvc-w"}, []string{"as ssvc-b"}, "ripley.train.libsvm", "ssvc-w"},
		},
		run: huangFig3,
	}, {
		Name: "huang-fig4", Title: paper + "Fig. 4: vectors against rounds",
		Protocol: "Ripley's 1000 samples, σ = 0.5, C = 1.",
		Of:       []string{"method"}, Paper: []string{"rounds", "vectors"},
		Ours: []string{"rounds until the number of vectors stays", "rounds", "vectors"},
		Rows: []Row{
			{[]string{"ssvc-a"}, []string{"3", "4"}, "ripley.test.libsvm", "ssvc-a"},
			{[]string{"ssvc-b"}, []string{"9", "4"}, "ripley.test.libsvm", "ssvc-b"},
		},
		Deviations: []string{
			"σ and C are those of Fig. 3, and the samples those of its test set: the paper prints neither.",
			"The printed pair is most likely swapped.",
			"Our rounds go on until no coefficient moves; those of ssvc-a are exact here, with exact_rounds.",
		},
		run: huangFig4,
	}, {
		Name: "huang-table2", Title: paper + "Table 2: seven sets by 10-fold cross-validation",
		Protocol: "10 folds; C and σ by 10 folds of the training part, least error. Mean ± standard deviation over the folds; " +
			"\"within\": our error within one printed standard deviation, our vectors within 3 or 30 %.",
		Of: []string{"data", "method"}, Paper: []string{"vectors", "error (%)"},
		Ours: []string{"vectors", "error (%)", "within"}, Rows: huangRows(), By: []string{"method"}, Over: "sets",
		Deviations: []string{
			"The grid is not printed: here C = 0.3, 1, 3, 10 and γ = 0.03, 0.1, 0.3, 1 times 1/d, on z-scores. The worse half " +
				"of the settings leaves after a quarter and after half of the inner folds.",
			"banana and ringnorm are other draws.", "ssvc-b is equivalent to SSVC_W (section 3.5.2).",
			"The paper also chooses SC-SVC's λ, here 1: hence other numbers of vectors.",
		},
		About: huangAbout,
		run:   huangTable2,
	}, {
		Name: "huang-fig5", Title: paper + "Fig. 5: vectors and training time of Table 2",
		Protocol: "The trainings of Table 2, with the parameters that the inner folds chose.",
		Of:       []string{"data", "method"}, Paper: []string{"vectors", "seconds"}, Ours: []string{"vectors", "ms"},
		Rows: huangTimes(), By: []string{},
		Deviations: []string{"The hosts are two decades apart: compare orders."},
		run:        huangFig5,
	}}
}

// plane are two-dimensional samples on which methods are compared.
func (e *Env) plane(ctx context.Context, r *Result, set *dataset.Set, sp dataset.Split, c float64, k gram.Kernel,
	cells func(t *trial) []string) error {
	for i, row := range r.Rows {
		tr, err := trainer(row.Method, learn.Values{"c": c})
		if err != nil {
			continue // this module does not have it
		}
		t, err := e.train(ctx, set, sp, sparsekm.Options{Trainer: tr, Kernel: k})
		if err != nil {
			return err
		}
		r.Ours[i] = cells(t)
		r.Panels = append(r.Panels, Panel{fmt.Sprintf("%s keeps %d of %d", row.Of[0], t.clf.NumVectors(), len(sp.Train)),
			set.Subset(sp.Train), t.clf})
		e.show(r, i+1, len(r.Rows), row.Method)
	}
	return nil
}

func huangFig2(ctx context.Context, r *Result, e *Env) error {
	set := dataset.TwoGaussians(40, 1.5, 0.5, 0, 3)
	all := twoParts(set.N, set.N)
	all.Test = all.Train
	return e.plane(ctx, r, set, all, 10, gram.RBFSigma(2), func(t *trial) []string {
		return []string{strconv.Itoa(t.clf.NumVectors()), fmt.Sprintf("%.0f", t.error*float64(set.N)/100)}
	})
}

func huangFig3(ctx context.Context, r *Result, e *Env) error {
	train, err := e.set(r, "ripley.train.libsvm")
	if err != nil {
		return r.missing("ripley.train.libsvm", err)
	}
	test, err := e.set(r, "ripley.test.libsvm")
	if err != nil {
		return r.missing("ripley.test.libsvm", err)
	}
	set, sp := join(train, test)
	err = e.plane(ctx, r, set, sp, 1, gram.RBFSigma(0.5), func(t *trial) []string {
		return []string{strconv.Itoa(t.clf.NumVectors()), fmt.Sprintf("%.1f", t.error)}
	})
	r.Panels = r.Panels[:min(3, len(r.Panels))] // as the figure has
	return err
}

// huangRounds trains a method that reports its rounds, by σ = 0.5.
func (e *Env) huangRounds(ctx context.Context, set *dataset.Set, method string, values learn.Values) (*sparsekm.Report,
	error) {
	if method == "ssvc-a" {
		values["exact_rounds"] = true
	}
	tr, err := trainer(method, values)
	if err != nil {
		return nil, err
	}
	_, report, err := sparsekm.Train(ctx, set, sparsekm.Options{Trainer: tr, Kernel: gram.RBFSigma(0.5),
		Threads: e.Threads, Memory: e.Memory})
	return report, err
}

func huangFig4(ctx context.Context, r *Result, e *Env) error {
	r.Curves = &plots.Lines{X: "rounds", Y: "vectors", LogY: true}
	return e.sets(r, func(file string, set *dataset.Set, rows []int) error {
		for _, i := range rows {
			if !r.Rows[i].known() {
				continue
			}
			report, err := e.huangRounds(ctx, set, r.Rows[i].Method, learn.Values{"c": 1.0})
			if err != nil {
				return err
			}
			line := plots.Line{Name: r.Rows[i].Method, X: []float64{0}, Y: []float64{float64(set.N)}}
			rounds, still := report.Submodels[0].Report.Rounds, 0
			for k, round := range rounds {
				if float64(round.Nonzeros) != line.Y[k] {
					still = k + 1
				}
				line.X = append(line.X, float64(k+1))
				line.Y = append(line.Y, float64(round.Nonzeros))
			}
			r.Curves.Lines = append(r.Curves.Lines, line)
			r.Ours[i] = []string{strconv.Itoa(still), strconv.Itoa(len(rounds)), strconv.Itoa(report.NumVectors)}
		}
		return nil
	})
}

var huangAbout = []about{
	{"waveform-1000.libsvm", true, "On waveform all but SVC and SPC keep more vectors than printed: the choice is by errors, " +
		"which differ by less than their deviation."},
	{"ringnorm-1000.libsvm", false, "On ringnorm the inner folds choose a smaller C for ssvc-b, hence fewer vectors."},
	{"banana-1000.libsvm", false, "lpsvc on banana keeps a fifth of the printed vectors, whose deviation is half of their mean."},
}
