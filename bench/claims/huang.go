package main

import (
	"fmt"
	"slices"
)

const (
	huang      = "Huang et al. (2010)"
	huangFolds = 10
	ssvcW      = "ssvc-b (SSVC_W)"
)

var (
	huangSets   = []string{"Banana", "Thyroid", "Diabetes", "German", "Ringnorm", "Waveform"} // but B. Cancer
	huangSparse = []string{"ssvc-a", ssvcW, "RVM", "SPC", "lpsvc", "SC-SVC"}
)

// besideSSVCA counts the sets on which SSVC-A has fewer vectors than another method, and those where a test says so.
func besideSSVCA(t *table, other string, sets []string) (fewer, clearly int) {
	for _, set := range sets {
		a, b := t.at("vectors", set, "ssvc-a"), t.at("vectors", set, other)
		if a.mean < b.mean {
			fewer++
		}
		if less(a, b, huangFolds) {
			clearly++
		}
	}
	return fewer, clearly
}

func huangClaims() []claim {
	return slices.Concat(huangErrors(), huangVectors(), huangTests(), huangRest(), huangNext())
}

// huangErrors are the claims that compare errors.
func huangErrors() []claim {
	return []claim{
		{huang, "section 4", "every sparse method errs about as little as SVC", "huang-table2", func(t *table) (string, verdict) {
			worse := 0
			for _, set := range huangSets {
				for _, m := range huangSparse {
					if more(t.at("error (%)", set, m), t.at("error (%)", set, "svc"), huangFolds) {
						worse++
					}
				}
			}
			return fmt.Sprintf("clearly more in %d of 36 cells", worse), never(worse, 36)
		}},
		{huang, "section 4", "RVM errs slightly more on Diabetes and Waveform", "huang-table2", higherError("RVM", "Diabetes", "Waveform")},
		{huang, "section 4", "SPC errs slightly more on German", "huang-table2", higherError("SPC", "German")},
	}
}

// huangVectors are the claims that compare numbers of vectors.
func huangVectors() []claim {
	return []claim{
		{huang, "section 4", "SVC keeps many more vectors than every sparse method", "huang-table2", func(t *table) (string, verdict) {
			so, smallest := 0, 1e9
			for _, set := range huangSets {
				for _, m := range huangSparse {
					a, b := t.at("vectors", set, "svc"), t.at("vectors", set, m)
					smallest = min(smallest, a.mean/b.mean)
					if more(a, b, huangFolds) {
						so++
					}
				}
			}
			return fmt.Sprintf("clearly more in %d of 36, at least %.1f times", so, smallest), all(so, 36)
		}},
		{huang, "section 4", "SSVC-A keeps the fewest on Thyroid, Diabetes and German", "huang-table2", func(t *table) (string, verdict) {
			so := 0
			for _, set := range []string{"Thyroid", "Diabetes", "German"} {
				fewest := true
				for _, m := range huangSparse[1:] {
					fewest = fewest && t.at("vectors", set, "ssvc-a").mean <= t.at("vectors", set, m).mean
				}
				if fewest {
					so++
				}
			}
			return fmt.Sprintf("on %d of 3", so), all(so, 3)
		}},
		{huang, "section 4", "on German SSVC-A keeps 13.7, every other sparse method more than 20", "huang-table2",
			func(t *table) (string, verdict) {
				fewest, of := 1e9, ""
				for _, m := range huangSparse[1:] {
					if v := t.at("vectors", "German", m).mean; v < fewest {
						fewest, of = v, m
					}
				}
				v := not
				if fewest > 20 {
					v = holds
				}
				return fmt.Sprintf("%.1f, and %s %.1f", t.at("vectors", "German", "ssvc-a").mean, of, fewest), v
			}},
		{huang, "section 4", "on Banana and Waveform SSVC-A keeps fewer than RVM, SPC, LP-SVC and SC-SVC", "huang-table2",
			func(t *table) (string, verdict) {
				so := 0
				for _, m := range []string{"RVM", "SPC", "lpsvc", "SC-SVC"} {
					fewer, _ := besideSSVCA(t, m, []string{"Banana", "Waveform"})
					so += fewer
				}
				return fmt.Sprintf("in %d of 8 cells", so), all(so, 8)
			}},
	}
}

// huangTests are the claims of t tests and norms.
func huangTests() []claim {
	return []claim{
		{huang, "section 4", "SSVC-A keeps significantly fewer than SPC on all sets but Ringnorm", "huang-table2",
			func(t *table) (string, verdict) {
				fewer, so := besideSSVCA(t, "SPC", []string{"Banana", "Thyroid", "Diabetes", "German", "Waveform"})
				return fmt.Sprintf("fewer on %d of 5, clearly on %d", fewer, so), all(so, 5)
			}},
		{huang, "section 4", "SSVC-A keeps significantly fewer than RVM on Thyroid, Diabetes, German, Ringnorm and Waveform",
			"huang-table2", func(t *table) (string, verdict) {
				fewer, so := besideSSVCA(t, "RVM", []string{"Thyroid", "Diabetes", "German", "Ringnorm", "Waveform"})
				return fmt.Sprintf("fewer on %d of 5, clearly on %d", fewer, so), all(so, 5)
			}},
		{huang, "section 4", "methods of the zero norm keep fewer than LP-SVC and SC-SVC", "huang-table2", func(t *table) (string, verdict) {
			so := 0
			for _, set := range huangSets {
				for _, m := range huangSparse[:4] {
					for _, other := range huangSparse[4:] {
						if t.at("vectors", set, m).mean < t.at("vectors", set, other).mean {
							so++
						}
					}
				}
			}
			return fmt.Sprintf("in %d of 48 cells", so), all(so, 48)
		}},
	}
}

// huangRest are the claims about times and examples.
func huangRest() []claim {
	return []claim{
		{huang, "section 4", "SVC trains fastest", "huang-fig5", func(t *table) (string, verdict) {
			so := 0
			for _, set := range huangSets {
				for _, m := range huangSparse {
					if t.at("ms", set, "svc").mean < t.at("ms", set, m).mean {
						so++
					}
				}
			}
			return fmt.Sprintf("in %d of 36 cells", so), all(so, 36)
		}},
		{huang, "section 4", "of the sparse methods SSVC-A and SPC train fastest", "huang-fig5", func(t *table) (string, verdict) {
			so := 0
			for _, set := range huangSets {
				for _, m := range []string{ssvcW, "RVM", "lpsvc", "SC-SVC"} {
					if max(t.at("ms", set, "ssvc-a").mean, t.at("ms", set, "SPC").mean) < t.at("ms", set, m).mean {
						so++
					}
				}
			}
			return fmt.Sprintf("both before the other in %d of 24 cells", so), all(so, 24)
		}},
		{huang, "Fig. 3", "of Ripley's 250 samples SVC keeps 102, SSVC-A and SSVC-B 4", "huang-fig3", func(t *table) (string, verdict) {
			s, a, b := t.at("vectors", "svc").mean, t.at("vectors", "ssvc-a").mean, t.at("vectors", "ssvc-b").mean
			v := not
			if s == 102 && a == 4 && b == 4 {
				v = holds
			}
			return fmt.Sprintf("%.0f, %.0f and %.0f", s, a, b), v
		}},
		{huang, "Fig. 4", "SSVC-A ends after 3 rounds and SSVC-B after 9, both with 4 vectors", "huang-fig4", func(t *table) (string, verdict) {
			const rounds = "rounds until the number of vectors stays"
			a, b := t.at(rounds, "ssvc-a").mean, t.at(rounds, "ssvc-b").mean
			v := partly // the vectors
			if t.at("vectors", "ssvc-a").mean != 4 || t.at("vectors", "ssvc-b").mean != 4 {
				v = not
			} else if a == 3 && b == 9 {
				v = holds
			}
			return fmt.Sprintf("%.0f and %.0f rounds, 4 vectors", a, b), v
		}},
	}
}

// nextSets are those of Rätsch's thirteen sets that can be had.
var nextSets = []string{"banana", "diabetis", "german", "heart", "ringnorm", "thyroid", "twonorm", "waveform"}

// huangNext are claims of the abstract and the introduction, on the sets that section 5 leaves to later work.
func huangNext() []claim {
	const next, splits = "huang-section5", 20
	fewer := func(other string) func(t *table) (string, verdict) {
		return func(t *table) (string, verdict) {
			clearly, often := 0, 0
			for _, set := range nextSets {
				a, b := t.at("vectors", set, "ssvc-a"), t.at("vectors", set, other)
				if less(a, b, splits) {
					clearly++
				}
				if more(a, b, splits) {
					often++
				}
			}
			return fmt.Sprintf("clearly fewer vectors on %d of %d sets, clearly more on %d", clearly, len(nextSets), often),
				never(often, len(nextSets))
		}
	}
	faster := func(other string) func(t *table) (string, verdict) {
		return func(t *table) (string, verdict) {
			so := 0
			for _, set := range nextSets {
				if t.at("ms", set, "ssvc-a").mean < t.at("ms", set, other).mean {
					so++
				}
			}
			return fmt.Sprintf("on %d of %d sets", so, len(nextSets)), all(so, len(nextSets))
		}
	}
	return []claim{
		{huang, "abstract, on Rätsch's sets", "SSVC-A errs about as little as SVC", next, func(t *table) (string, verdict) {
			so := 0
			for _, set := range nextSets {
				if more(t.at("error (%)", set, "ssvc-a"), t.at("error (%)", set, "svc"), splits) {
					so++
				}
			}
			return fmt.Sprintf("clearly more on %d of %d sets", so, len(nextSets)), never(so, len(nextSets))
		}},
		{huang, "section 1, on Rätsch's sets", "SSVC-A is as sparse as RVM or sparser", next, fewer("rvm")},
		{huang, "section 5", "asked, not claimed: SSVC-A is as sparse as Fast RVM or sparser", next, fewer("rvm-fast")},
		{huang, "section 1, on Rätsch's sets", "SSVC-A trains faster than RVM", next, faster("rvm")},
		{huang, "section 5", "asked, not claimed: SSVC-A trains faster than Fast RVM", next, faster("rvm-fast")},
	}
}

// higherError judges that a method errs more than SVC on some sets.
func higherError(method string, sets ...string) func(t *table) (string, verdict) {
	return func(t *table) (string, verdict) {
		so, text := 0, ""
		for _, set := range sets {
			a, b := t.at("error (%)", set, method), t.at("error (%)", set, "svc")
			if a.mean > b.mean {
				so++
			}
			text += fmt.Sprintf(", %.1f for %.1f %%", a.mean, b.mean)
		}
		return text[2:], all(so, len(sets))
	}
}
