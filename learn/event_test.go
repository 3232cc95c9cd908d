package learn

import "testing"

func TestEventString(t *testing.T) {
	for want, e := range map[string]Event{
		"gram":                                  {Phase: "gram"},
		"smo 20: violation 0.25":                {Phase: "smo", Step: 20, Violation: 0.25},
		"select: 7 vectors":                     {Phase: "select", Vectors: 7},
		"submodels 2: class 1 against the rest": {Phase: "submodels", Step: 2, Text: "class 1 against the rest"},
		"round 3: objective 1.5, 4 vectors, violation 2": OfRound("round", 3, Round{Objective: 1.5, Nonzeros: 4, KKT: 2}),
	} {
		if got := e.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
