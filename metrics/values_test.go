package metrics

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// Three samples by hand, in two batches: errors 1, 0, −2 of the targets 2, 4, 9 with mean 5.
func TestValues(t *testing.T) {
	var v RegressionTally
	v.Add([]float64{2}, []float64{1})
	v.Add([]float64{4, 9}, []float64{4, 11})
	r := v.Report()
	testutil.NearAll(t, "RMSE, MAE, R²", []float64{*r.RMSE, *r.MAE, *r.R2}, []float64{1.2909944487358056, 1, 1 - 5./26}, 1e-15)
	text, err := json.Marshal(r)
	want := `{"samples":3,"rmse":1.2909944487358056,"mae":1,"r2":0.8076923076923077,"intervals":{"mae":{"low":`
	if err != nil || !strings.HasPrefix(string(text), want) {
		t.Errorf("%s (%v), want %s", text, err, want)
	}
	if r = new(RegressionTally).Report(); r.RMSE != nil || r.MAE != nil || r.R2 != nil {
		t.Error("of no samples there are metrics")
	}
	v = RegressionTally{}
	v.Add([]float64{3, 3}, []float64{3, 4})
	if r = v.Report(); r.R2 != nil || *r.MAE != 0.5 {
		t.Error("of a constant target there is an R²")
	}
	// Σ y² − N ȳ² has no digit left here.
	v = RegressionTally{}
	v.Add([]float64{1e9, 1e9 + 1, 1e9 + 2}, []float64{1e9, 1e9 + 1, 1e9 + 1})
	testutil.Near(t, "R² far from 0", *v.Report().R2, 0.5, 1e-9)
}
