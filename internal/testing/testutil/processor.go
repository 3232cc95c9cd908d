package testutil

import (
	"testing"

	"github.com/sparsekm/sparsekm/internal/processor"
)

// ProcessorTime begins to measure a benchmark; what it returns reports the processor time of an operation.
func ProcessorTime(b *testing.B) func() {
	begun := processor.Seconds()
	return func() { b.ReportMetric(1e9*(processor.Seconds()-begun)/float64(b.N), "cpu-ns/op") }
}
