package metrics

import (
	"fmt"
	"math"
)

// Regression is how good predicted values are. What is not defined is nil.
type Regression struct {
	RMSE *float64 `json:"rmse"` // root of the mean squared error
	MAE  *float64 `json:"mae"`  // mean absolute error
	// R2 is 1 − Σ (y − f)² / Σ (y − ȳ)²: 1 for a perfect prediction, 0 for that of the mean; nil where all y are equal.
	R2 *float64 `json:"r2"`
}

// RegressionTally counts predictions of regression targets.
type RegressionTally struct {
	points       int
	squared, abs float64 // sums of errors
	mean, spread float64 // of the targets: mean, and sum of squared distances from it (Welford 1962)
}

// Add counts samples: their targets and the predictions.
func (v *RegressionTally) Add(want, got []float64) {
	if len(want) != len(got) {
		panic(fmt.Sprintf("metrics: %d targets, %d predictions", len(want), len(got)))
	}
	for i, y := range want {
		e := y - got[i]
		v.squared += e * e
		v.abs += math.Abs(e)
		v.points++
		d := y - v.mean
		v.mean += d / float64(v.points)
		v.spread += d * (y - v.mean)
	}
}

// Report computes the metrics of the samples so far.
func (v *RegressionTally) Report() *Report {
	r := &Regression{}
	if n := float64(v.points); n > 0 {
		rmse, mae := math.Sqrt(v.squared/n), v.abs/n
		r.RMSE, r.MAE = &rmse, &mae
	}
	if v.spread > 0 {
		r2 := 1 - v.squared/v.spread
		r.R2 = &r2
	}
	return &Report{Points: v.points, Regression: r}
}

// Density is how good log densities of samples are.
type Density struct {
	LogDensity *float64 `json:"log_density"` // mean; nil without samples
}

// Densities adds up log densities.
type Densities struct {
	points int
	sum    float64
}

// Add counts samples by the logarithms of their densities.
func (d *Densities) Add(logs []float64) {
	for _, v := range logs {
		d.sum += v
	}
	d.points += len(logs)
}

// Report computes the metric of the samples so far.
func (d *Densities) Report() *Report {
	r := &Report{Points: d.points, Density: &Density{}}
	if d.points > 0 {
		mean := d.sum / float64(d.points)
		r.LogDensity = &mean
	}
	return r
}
