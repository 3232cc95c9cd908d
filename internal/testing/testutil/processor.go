package testutil

import (
	"testing"

	"github.com/sparsekm/sparsekm/internal/cpu"
)

// ProcessorTime begins to measure a benchmark; what it returns reports the processor time of an operation.
func ProcessorTime(b *testing.B) func() {
	begun := cpu.Seconds()
	return func() { b.ReportMetric(1e9*(cpu.Seconds()-begun)/float64(b.N), "cpu-ns/op") }
}
