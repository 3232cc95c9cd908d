package modelselect

import (
	"fmt"
	"strings"

	"github.com/sparsekm/sparsekm/metrics"
)

// Metric is what a choice makes small.
type Metric int

// The metrics: a share of points, one less the mean recall of the classes, and one less the area under the curve (of
// several classes the mean of each one against the rest, by its own machine: none where machines are for pairs).
const (
	Error Metric = iota
	Balanced
	AUC
)

var metricNames = []string{"error", "balanced", "auc"}

func (m Metric) String() string { return metricNames[m] }

// MetricNames lists the metrics.
func MetricNames() []string { return metricNames }

// ParseMetric is the metric of a name.
func ParseMetric(name string) (Metric, error) {
	for m, n := range metricNames {
		if n == name {
			return Metric(m), nil
		}
	}
	return 0, fmt.Errorf("modelselect: no metric %q (have %s)", name, strings.Join(metricNames, ", "))
}

// losses are the metrics of a test part.
func losses(r *metrics.Report) map[string]float64 {
	l := map[string]float64{Error.String(): float64(r.Errors) / float64(r.Points)}
	if r.BalancedAccuracy != nil {
		l[Balanced.String()] = 1 - *r.BalancedAccuracy
	}
	if r.AUC != nil {
		l[AUC.String()] = 1 - *r.AUC
	}
	return l
}
