package learn

import "testing"

func TestEventString(t *testing.T) {
	for want, e := range map[string]Event{
		"gram":                                  {Phase: "gram"},
		"smo 20: violation 0.25":                {Phase: "smo", Step: 20, Violation: 0.25},
		"select: 7 vectors":                     {Phase: "select", Vectors: 7},
		"submodels 2: class 1 against the rest": {Phase: "submodels", Step: 2, Text: "class 1 against the rest"},
		"round 3: objective 1.5, 4 vectors, violation 2": OfRound("round", 3, 0, Round{Objective: 1.5, Nonzeros: 4, KKT: 2}),
	} {
		if got := e.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestDoneAfterRounds: each round leaves less to do, and more coefficients leave more.
func TestDoneAfterRounds(t *testing.T) {
	last := 0.0
	for k := 1; k < 200; k++ {
		few, many := OfRound("round", k, 0, Round{Nonzeros: 200 - k}).Done, OfRound("round", k, 200, Round{Nonzeros: 200 - k}).Done
		if !(many > last && many < few && few < 1) {
			t.Errorf("round %d: %v and %v done, after %v", k, few, many, last)
		}
		last = many
	}
}
