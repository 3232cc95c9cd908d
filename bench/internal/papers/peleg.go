package papers

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/modelselect"
)

func peleg() []*Table {
	const paper = pelegTitle
	const choice = "Parameters by 5-fold cross-validation on the training samples: linear, ten C of 1e-3 to 10; " +
		"Gaussian, five C of 1e-3 to 10 and five σ of 1 to 5. Features to mean 0 and deviation 1. " +
		"Vectors are coefficients of at least a hundredth of the largest, in % of the training samples."
	kernel := "The printed Gaussian has an inner product in its exponent: here the squared distance."
	return []*Table{{
		Name: "peleg-fig2", Title: paper + "Fig. 2: two Gaussians, 300 samples, p_out = 0.2",
		Protocol: choice + " Error (%) on 1000 test samples.",
		Of:       []string{"kernel", "method"}, Paper: []string{"error", "vectors"}, Ours: []string{"error", "vectors"},
		Rows: []Row{
			{[]string{"linear", "svc"}, []string{"26.3", "71.3"}, Drawn, "svc"},
			{[]string{"linear", "skm"}, []string{"26.5", "1.0"}, Drawn, "skm"},
			{[]string{"Gaussian", "svc"}, []string{"26.9", "72.7"}, Drawn, "svc"},
			{[]string{"Gaussian", "skm"}, []string{"26.2", "1.3"}, Drawn, "skm"},
		},
		Deviations: []string{kernel, "Other samples of the same rule; σ is not printed for drawn sets."},
		run:        pelegFig2,
	}, {
		Name: "peleg-table3", Title: paper + "Table 3: two Gaussians, p_out = 0.25, ten sets",
		Protocol: "Parameters as in Fig. 2. 1000 training and 2000 test samples; mean ± standard deviation over the sets.",
		Of:       []string{"kernel", "method"}, Paper: []string{"error", "vectors"}, Ours: []string{"error", "vectors"},
		Rows: pelegDrawnRows(),
		Deviations: []string{kernel, "Other samples of the same rule; σ is not printed for drawn sets.",
			"V is not printed. Here all ten sets have the same, with a Bayes error of 30.6 %; one for each would give 28.9 to " +
				"32.9 %.",
			"The paper's deviations fit the mean of ten: 30.5 % of 2000 samples has one of 1.0 %, as ours."},
		run: pelegTable3,
	}, {
		Name: "peleg-tables4-7", Title: paper + "Tables 4 to 7: sets of the UCI repository",
		Protocol: "Parameters as in Fig. 2, σ of Pima and Mushroom up to 20. Ten folds; mean ± standard deviation over them.",
		Of:       []string{"kernel", "data", "method"}, Paper: []string{"error", "vectors"}, Ours: []string{"error", "vectors"},
		Rows: pelegRealRows(), By: []string{"kernel", "method"}, Over: "sets",
		Deviations: []string{kernel,
			"On Mushroom linear models err on 0 to 3.2 % by six numberings of its categories, on 26 to 61 % from its first or " +
				"last 2000 rows.",
			"With the paper's reciprocals of C skm keeps 2.6 % of Ionosphere.",
			"No pair of the grid keeps the paper's 85.7 % of Pima: at most 76 %.",
			"So do the Gaussian deviations here, but Pima's.",
			"By the paper's golden section alone (no command) skm keeps 9.1 % of Ionosphere, 2.7 of Pima, 5.2 of Bupa, " +
				"5.4 of Cleveland. γ = 1/σ² is ruled out: l0svm keeps 2.8 % of Ionosphere or more."},
		run: pelegReal,
	}}
}

// pelegMethods are the columns of Tables 3 to 7.
var pelegMethods = []string{"svc", "l1svm", "l0svm", "skm"}

func pelegDrawnRows() []Row {
	var rows []Row
	for i, cells := range [][2]string{{"30.6 ± 0.4", "75.1 ± 0.9"}, {"30.6 ± 0.4", "0.9 ± 0.4"}, {"30.4 ± 0.4", "0.2 ± 0.1"},
		{"30.4 ± 0.4", "0.3 ± 0.1"}, {"30.4 ± 0.3", "71.4 ± 0.9"}, {"30.5 ± 0.3", "3.9 ± 1.2"}, {"30.5 ± 0.3", "0.7 ± 0.2"},
		{"30.5 ± 0.3", "1.1 ± 0.3"}} {
		method := pelegMethods[i%4]
		rows = append(rows, Row{[]string{pelegKernels[i/4], method}, cells[:], Drawn, method})
	}
	return rows
}

var pelegKernels = []string{"linear", "Gaussian"}

// pelegSets are Tables 4 to 7 by set: errors and vectors of the linear kernel, then of the Gaussian one.
var pelegSets = []struct {
	name, file string
	cells      [2][2][4]string
}{
	{"Ionosphere", "ionosphere.libsvm", [2][2][4]string{
		{{"12.3 ± 7.1", "13.1 ± 7.7", "12.3 ± 8.0", "12.0 ± 8.2"}, {"33.6 ± 13.0", "9.3 ± 1.2", "5.4 ± 1.5", "6.6 ± 1.3"}},
		{{"4.8 ± 1.0", "6.6 ± 1.7", "5.4 ± 1.4", "5.7 ± 1.4"}, {"46.6 ± 0.4", "10.6 ± 0.3", "2.4 ± 0.1", "8.3 ± 0.5"}}}},
	{"Pima", "diabetis.libsvm", [2][2][4]string{
		{{"22.7 ± 5.1", "22.7 ± 5.1", "23.4 ± 6.0", "22.5 ± 5.0"}, {"52.8 ± 1.4", "3.7 ± 2.5", "0.9 ± 0.2", "1.3 ± 0.1"}},
		{{"29.2 ± 8.1", "23.0 ± 6.2", "24.1 ± 5.5", "22.5 ± 6.2"}, {"85.7 ± 0.6", "4.0 ± 1.2", "2.2 ± 1.9", "1.4 ± 0.3"}}}},
	{"Bupa", "bupa.libsvm", [2][2][4]string{
		{{"33.6 ± 12.6", "33.1 ± 11.1", "33.9 ± 11.8", "33.6 ± 11.2"}, {"75.3 ± 2.7", "2.1 ± 0.5", "1.8 ± 0.2", "2.2 ± 0.2"}},
		{{"34.5 ± 3.5", "33.3 ± 3.8", "29.8 ± 1.8", "30.2 ± 3.0"}, {"81.3 ± 0.6", "15.7 ± 1.2", "2.6 ± 0.1", "6.7 ± 0.9"}}}},
	{"Cleveland heart", "cleveland.libsvm", [2][2][4]string{
		{{"15.5 ± 5.9", "15.1 ± 6.5", "17.1 ± 7.5", "17.2 ± 5.6"}, {"61.3 ± 10.5", "9.3 ± 3.4", "1.6 ± 0.9", "4.6 ± 0.7"}},
		{{"15.8 ± 1.9", "16.8 ± 2.0", "5.8 ± 2.0", "15.4 ± 2.5"}, {"59.4 ± 3.0", "10.1 ± 0.9", "1.9 ± 0.2", "2.0 ± 0.3"}}}},
	{"Mushroom", "mushroom.libsvm", [2][2][4]string{
		{{"18.6", "18.6", "18.6", "18.6"}, {"46.7", "2.4", "0.8", "0.6"}},
		{{"11.3", "11.1", "11.1", "13.0"}, {"42.7", "3.8", "2.0", "2.0"}}}},
}

func pelegRealRows() []Row {
	var rows []Row
	for k, kernel := range pelegKernels {
		for _, set := range pelegSets {
			for m, method := range pelegMethods {
				rows = append(rows, Row{[]string{kernel, set.name, method},
					[]string{set.cells[k][0][m], set.cells[k][1][m]}, set.file, method})
			}
		}
	}
	return rows
}

// pelegSearch is the grid of section 3.3.
func pelegSearch(method, kernel string, widest float64) (*modelselect.Search, error) {
	const low, high = -3.0, 1.0
	var values learn.Values
	if method == "l0svm" {
		values = learn.Values{"starts": 1} // the paper's
	}
	tr, err := trainer(method, values)
	if err != nil {
		return nil, err
	}
	o := sparsekm.Options{Trainer: tr, Kernel: gram.Linear(), Scale: dataset.ScaleZ}
	axes := []modelselect.Axis{modelselect.Param("c", modelselect.Powers(10, low, high, (high-low)/9)...)}
	if kernel != "linear" {
		o.Kernel = gram.RBF(1)
		step := (widest - 1) / 4
		axes = []modelselect.Axis{modelselect.Param("c", modelselect.Powers(10, low, high, (high-low)/4)...),
			modelselect.Gamma(widths(1, 1+step, 1+2*step, 1+3*step, widest)...)}
	}
	settings, err := modelselect.Grid(o, axes...)
	return &modelselect.Search{Settings: settings, Folds: 5, Seed: 1}, err
}

// pelegCount is the share of training samples, in per cent, whose coefficient is at least a hundredth of the largest.
func pelegCount(t *trial, training int) float64 {
	coef := t.clf.Parts().Submodels[0].Coef
	var largest, count float64
	for _, c := range coef {
		largest = max(largest, math.Abs(c))
	}
	for _, c := range coef {
		if math.Abs(c) >= 0.01*largest && c != 0 {
			count++
		}
	}
	return 100 * count / float64(training)
}

// pelegRow makes a row: the trials of its kernel and method on the splits, vectors in per cent.
func (e *Env) pelegRow(ctx context.Context, r *Result, i int, sets []*dataset.Set, splits []dataset.Split,
	widest float64) (*trial, error) {
	row := &r.Rows[i]
	if !row.known() {
		return nil, nil
	}
	file := row.Data
	if file == Drawn {
		file = "" // of this table alone
	}
	all, last, err := e.pelegTrials(ctx, r, row.Method, row.Of[0], file, sets, splits, widest)
	if err != nil {
		return nil, err
	}
	r.Ours[i] = []string{pm(all.error, 1), pm(all.vectors, 1)}
	return last, nil
}

// pelegTrials are those of a method, and the last of them. Those of a file are made once.
func (e *Env) pelegTrials(ctx context.Context, r *Result, method, kernel, file string, sets []*dataset.Set,
	splits []dataset.Split, widest float64) (*trials, *trial, error) {
	key := strings.Join([]string{file, kernel, method}, " ")
	if known := e.made["peleg "+key]; file != "" && known != nil {
		return known, nil, nil
	}
	search, err := pelegSearch(method, kernel, widest)
	if err != nil {
		return nil, nil, err
	}
	all, last := new(trials), (*trial)(nil)
	for k, sp := range splits {
		if last, err = e.nested(ctx, sets[k%len(sets)], sp, search); err != nil {
			return nil, nil, err
		}
		last.vectors = pelegCount(last, len(sp.Train))
		all.add(last)
		e.show(r, k+1, len(splits), key)
	}
	e.keep("peleg "+key, all)
	return all, last, nil
}

func pelegFig2(ctx context.Context, r *Result, e *Env) error {
	set := dataset.PelegMeir(1300, 0.2, 11)
	sp := twoParts(300, set.N)
	for i := range r.Rows {
		t, err := e.pelegRow(ctx, r, i, []*dataset.Set{set}, []dataset.Split{sp}, 5)
		if err != nil {
			return err
		}
		if t != nil {
			r.Panels = append(r.Panels, Panel{fmt.Sprintf("%s, %s: %.1f %% kept", r.Rows[i].Method, r.Rows[i].Of[0], t.vectors),
				set.Subset(sp.Train), t.clf})
		}
	}
	return nil
}

// pelegOrientation is a seed whose V gives a Bayes error near 30.5 %, by an estimate. The paper does not print V. Its
// Table 3 prints 30.4 to 30.6 %, and any V has 28.9 to 32.9 %.
const pelegOrientation = 54

func pelegTable3(ctx context.Context, r *Result, e *Env) error {
	var sets []*dataset.Set
	var splits []dataset.Split
	all := dataset.PelegMeir(10*3000, 0.25, pelegOrientation)
	for k := range e.times(10, 1) {
		var rows []int
		for i := range 3000 {
			rows = append(rows, 3000*k+i)
		}
		sets = append(sets, all.Subset(rows))
		splits = append(splits, twoParts(1000, 3000))
	}
	for i := range r.Rows {
		if _, err := e.pelegRow(ctx, r, i, sets, splits, 5); err != nil {
			return err
		}
	}
	return nil
}

// pelegSplits are ten folds, or of Mushroom the paper's 2000 training samples: drawn, as its rows are sorted.
func (e *Env) pelegSplits(r *Result, set *dataset.Set, file string) ([]dataset.Split, error) {
	if file == "mushroom.libsvm" && set.N > 2000 {
		return e.splits(r, set, file, ".splits", 1, 2000)
	}
	return e.tenFolds(set, file)
}

// pelegFile is a real set, its splits and the widest Gaussian that is tried.
func (e *Env) pelegFile(r *Result, file string) (set *dataset.Set, splits []dataset.Split, widest float64, err error) {
	if set, err = e.set(r, file); err != nil {
		return nil, nil, 0, err
	}
	widest = 5
	if file == "diabetis.libsvm" || file == "mushroom.libsvm" {
		widest = 20
	}
	splits, err = e.pelegSplits(r, set, file)
	return set, splits[:min(len(splits), e.times(10, 2))], widest, err
}

func pelegReal(ctx context.Context, r *Result, e *Env) error {
	return r.files(func(file string, rows []int) error {
		set, splits, widest, err := e.pelegFile(r, file)
		if err != nil {
			return err
		}
		for _, i := range rows {
			if _, err = e.pelegRow(ctx, r, i, []*dataset.Set{set}, splits, widest); err != nil {
				return err
			}
		}
		return nil
	})
}
