package main

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

const (
	kobayashi = "Kobayashi & Otsu (2009)"
	peleg     = "Peleg & Meir (2009)"
	suykens   = "Suykens et al. (2000)"
	abe       = "Abe (2008)"

	abeSplits, pelegFolds = 20, 10
)

func claims() []claim {
	return slices.Concat(huangClaims(), kobayashiClaims(), pelegClaims(), suykensClaims(), abeClaims())
}

func kobayashiClaims() []claim {
	return []claim{
		{kobayashi, "section 3", "0.1 more hinge loss costs about 2 pp of the rate", "kobayashi-fig1", func(t *table) (string, verdict) {
			smallest, largest, sum := math.Inf(1), 0.0, 0.0
			losses := t.values("loss at 0.1")
			for _, f := range losses {
				smallest, largest, sum = min(smallest, f.mean), max(largest, f.mean), sum+f.mean
			}
			mean := sum / float64(len(losses))
			v := not
			if mean > 1.5 && mean < 2.5 {
				v = holds
			}
			return fmt.Sprintf("%.2f on average, %.2f to %.2f", mean, smallest, largest), v
		}},
		{kobayashi, "section 3", "τ = 0.025 costs half a pp of the rate", "kobayashi-table1", func(t *table) (string, verdict) {
			before, after, highest := t.values("rate"), t.values("rate after"), 0.0
			for i := range before {
				highest = max(highest, before[i].mean-after[i].mean)
			}
			v := not
			if highest <= 0.5 {
				v = holds
			}
			return fmt.Sprintf("at most %.2f on %d sets", highest, len(before)), v
		}},
		{kobayashi, "Table 1", "the method of Downs et al. keeps more vectors", "kobayashi-table1", func(t *table) (string, verdict) {
			after, downs, so := t.values("after"), t.values("Downs"), 0
			for i := range after {
				if after[i].mean < downs[i].mean {
					so++
				}
			}
			return fmt.Sprintf("on %d of %d sets", so, len(after)), all(so, len(after))
		}},
		{kobayashi, "section 3", "on MNIST about half of the vectors go and the rate hardly falls", "kobayashi-table2",
			func(t *table) (string, verdict) {
				var left []float64
				most := 0.0
				a, b, ra, rb := t.values("vectors"), t.values("vectors after"), t.values("rate"), t.values("rate after")
				for i := range a {
					left = append(left, b[i].mean/a[i].mean)
					most = max(most, ra[i].mean-rb[i].mean)
				}
				v := not
				if mean := stat.Mean(left, nil); mean < 0.55 && most < 1 {
					v = holds
				}
				return fmt.Sprintf("%.0f %% stay, the rate falls by at most %.2f pp", 100*stat.Mean(left, nil), most), v
			}},
		{kobayashi, "Table 3", "vectors grow linearly with the training samples, the reduced ones much more slowly", "kobayashi-table3",
			growth},
	}
}

// growth judges how numbers of vectors grow with the training samples.
func growth(t *table) (string, verdict) {
	slope := func(column string) (grows, fits float64) {
		var x, y []float64
		for i, f := range t.values(column) {
			x = append(x, float64(i+1)/10)
			y = append(y, f.mean)
		}
		a, b := stat.LinearRegression(x, y, nil, false)
		return b, stat.RSquared(x, y, nil, a, b)
	}
	svm, fit := slope("vectors")
	reduced, _ := slope("vectors at 0.025")
	v := not
	if fit > 0.97 && reduced < svm/2 {
		v = holds
	}
	return fmt.Sprintf("R² %.3f; %.0f and %.0f for all samples", fit, svm, reduced), v
}

func pelegClaims() []claim {
	// cells counts the cells of the tables in which skm and another method satisfy a relation.
	cells := func(t *table, column, other string, so func(skm, other figure) bool) (n, of int) {
		for _, kernel := range []string{"linear", "Gaussian"} {
			for _, set := range []string{"Ionosphere", "Pima"} {
				if of++; so(t.at(column, kernel, set, "skm"), t.at(column, kernel, set, other)) {
					n++
				}
			}
		}
		return n, of
	}
	fewer := func(other string) func(t *table) (string, verdict) {
		return func(t *table) (string, verdict) {
			so, of := cells(t, "vectors", other, func(a, b figure) bool { return less(a, b, pelegFolds) })
			return fmt.Sprintf("clearly fewer in %d of %d cells", so, of), all(so, of)
		}
	}
	return []claim{
		{peleg, "section 3.4", "SKM errs about as little as the SVM, real sets", "peleg-tables4-7", func(t *table) (string, verdict) {
			so, of := cells(t, "error", "svc", func(a, b figure) bool { return more(a, b, pelegFolds) })
			return fmt.Sprintf("clearly more in %d of %d cells", so, of), never(so, of)
		}},
		{peleg, "section 3.4", "SKM errs about as little as the SVM, drawn sets", "peleg-table3", func(t *table) (string, verdict) {
			so := 0
			for _, kernel := range []string{"linear", "Gaussian"} {
				if more(t.at("error", kernel, "skm"), t.at("error", kernel, "svc"), pelegFolds) {
					so++
				}
			}
			return fmt.Sprintf("clearly more with %d of 2 kernels", so), never(so, 2)
		}},
		{peleg, "section 3.4", "SKM keeps significantly fewer vectors than the SVM", "peleg-tables4-7", fewer("svc")},
		{peleg, "section 3.4", "SKM keeps significantly fewer vectors than the l1 SVM", "peleg-tables4-7", fewer("l1svm")},
		{peleg, "section 3.4", "SKM is as sparse as the l0 SVM", "peleg-tables4-7", func(t *table) (string, verdict) {
			so, of := cells(t, "vectors", "l0svm", func(a, b figure) bool { return more(a, b, pelegFolds) })
			return fmt.Sprintf("clearly more vectors in %d of %d cells", so, of), never(so, of)
		}},
		{peleg, "section 3.4", "on drawn sets SKM keeps a fraction of the SVM's vectors", "peleg-table3", func(t *table) (string, verdict) {
			a, b := t.at("vectors", "Gaussian", "skm"), t.at("vectors", "Gaussian", "svc")
			v := not
			if less(a, b, pelegFolds) && a.mean < b.mean/10 {
				v = holds
			}
			return fmt.Sprintf("%.1f %% for %.1f %% of the samples", a.mean, b.mean), v
		}},
	}
}

func suykensClaims() []claim {
	rate := func(t *table, figure string, at string) float64 {
		return t.at("rate at 500", figure).mean - t.at(at, figure).mean
	}
	return []claim{
		{suykens, "section 4", "500 vectors are pruned to 100 without a loss (Fig. 2 and 3)", "suykens-fig2-4", func(t *table) (string, verdict) {
			worst := max(rate(t, "Fig. 2", "at 100"), rate(t, "Fig. 3", "at 100"))
			to175 := max(rate(t, "Fig. 2", "at 175"), rate(t, "Fig. 3", "at 175"))
			v := not
			switch {
			case worst <= 0.5:
				v = holds
			case to175 <= 0.5:
				v = partly
			}
			return fmt.Sprintf("%.2f pp lost at 175, %.0f at 100", to175, worst), v
		}},
		{suykens, "section 4", "fewer can be pruned where classes overlap more (Fig. 4)", "suykens-fig2-4", func(t *table) (string, verdict) {
			few, many := rate(t, "Fig. 2", "at 175"), rate(t, "Fig. 4", "at 175")
			v := not
			if many > few+1 {
				v = holds
			}
			return fmt.Sprintf("at 175 %.0f pp lost, %.2f with less overlap", many, few), v
		}},
	}
}

var abeSets = []string{"banana", "diabetis", "german", "heart", "ringnorm", "thyroid", "twonorm", "waveform"}

const file, dual = "abe-table1-4", "lssvm (dual)"

func abeClaims() []claim { return slices.Concat(abeErrors(), abeVectors()) }

// abeErrors are the claims that compare errors.
func abeErrors() []claim {
	inferior := func(method, set string) func(t *table) (string, verdict) {
		return func(t *table) (string, verdict) {
			a := t.at("error (%)", set, method)
			best := figure{mean: math.Inf(1)}
			for _, m := range []string{"lssvm-primal", "lssvm-chol", "lssvm-lda", dual} {
				if f := t.at("error (%)", set, m); f.mean < best.mean {
					best = f
				}
			}
			v := not
			if more(a, best, abeSplits) {
				v = holds
			}
			return fmt.Sprintf("%.2f %%, the best %.2f %%", a.mean, best.mean), v
		}
	}
	return []claim{
		{abe, "section 5.2", "on ringnorm the primal solution errs significantly more", file, inferior("lssvm-primal", "ringnorm")},
		{abe, "section 5.2", "on twonorm the primal solution errs significantly more", file, inferior("lssvm-primal", "twonorm")},
		{abe, "section 5.2", "on waveform the dual solution errs significantly more", file, inferior(dual, "waveform")},
		{abe, "Table 2", "on twonorm the dual solution errs on 1.90 %", file, func(t *table) (string, verdict) {
			bayes := 100 * (1 - 0.5*math.Erfc(-2/math.Sqrt2)) // both means are 2 standard deviations from the plane between them
			return fmt.Sprintf("%.2f %%; the Bayes error is %.2f %%", t.at("error (%)", "twonorm", dual).mean, bayes), impossible
		}},
	}
}

// abeVectors are the other claims.
func abeVectors() []claim {
	return []claim{
		{abe, "Table 3", "the sparse solutions keep fewer vectors than primal and dual ones", file, func(t *table) (string, verdict) {
			so := 0
			for _, set := range abeSets {
				for _, m := range []string{"lssvm-chol", "lssvm-lda"} {
					if t.at("vectors", set, m).mean < min(t.at("vectors", set, "lssvm-primal").mean, t.at("vectors", set, dual).mean) {
						so++
					}
				}
			}
			return fmt.Sprintf("in %d of %d cells", so, 2*len(abeSets)), all(so, 2*len(abeSets))
		}},
		{abe, "Table 3", "selection by discriminant analysis keeps the fewest, but for diabetis and waveform", file,
			func(t *table) (string, verdict) {
				so, of := 0, 0
				for _, set := range abeSets {
					fewer := t.at("vectors", set, "lssvm-lda").mean < t.at("vectors", set, "lssvm-chol").mean
					if of++; fewer != (set == "diabetis" || set == "waveform") {
						so++
					}
				}
				return fmt.Sprintf("as printed on %d of %d sets", so, of), all(so, of)
			}},
		{abe, "section 5.2", "the SVM errs less than LS-SVMs on some sets", file, func(t *table) (string, verdict) {
			so := 0
			for _, set := range abeSets {
				if less(t.at("error (%)", set, "svc"), t.at("error (%)", set, dual), abeSplits) {
					so++
				}
			}
			v := not
			if so > 0 {
				v = holds
			}
			return fmt.Sprintf("clearly less than the dual solution on %d of %d", so, len(abeSets)), v
		}},
		{abe, "Table 8", "on ringnorm it keeps fewer than PFSALS, KMP and SGGP", "abe-table8", func(t *table) (string, verdict) {
			so := 0
			for _, m := range []string{"pfsals", "kmp", "sggp"} {
				if t.at("vectors", "Ringnorm", "lssvm-lda").mean < t.at("vectors", "Ringnorm", m).mean {
					so++
				}
			}
			return fmt.Sprintf("fewer than %d of 3", so), all(so, 3)
		}},
	}
}
