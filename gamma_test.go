package sparsekm_test

import (
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
)

func TestParseGamma(t *testing.T) {
	x := &dataset.Set{X: []float64{0, 0, 3, 4}, N: 2, D: 2}
	for text, want := range map[string]float64{
		"0.25": 0.25, "1e-3": 1e-3, "10/d": 5, "auto": 0.5, "median": 1 / 50.0, "scale": sparsekm.GammaScale(x),
	} {
		rule, gamma, err := sparsekm.ParseGamma(text)
		if rule != nil {
			gamma = rule(x)
		}
		if err != nil || gamma != want {
			t.Errorf("%s: %v, %v, want %v", text, gamma, err, want)
		}
	}
	for _, text := range []string{"", "0", "-1", "NaN", "inf", "1/e", "/d", "0/d", "wide"} {
		if _, _, err := sparsekm.ParseGamma(text); err == nil || !strings.Contains(err.Error(), "found \""+text+"\"") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
