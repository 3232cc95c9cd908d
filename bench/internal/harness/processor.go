package harness

import (
	"math"

	"github.com/sparsekm/sparsekm/internal/cpu"
)

// Short work is noisy: it is repeated for so many seconds of processor time, so often at most.
const (
	shortRuns = 0.3
	maxRuns   = 50
)

// Processor returns the least processor time in seconds of e.Reps runs of f; of more where that is soon done.
func (e *Env) Processor(f func() error) (float64, error) {
	smallest, spent := math.Inf(1), 0.0
	for run := 0; run < max(1, e.Reps) || e.Reps > 1 && spent < shortRuns && run < maxRuns; run++ {
		start := cpu.Seconds()
		if err := f(); err != nil {
			return 0, err
		}
		took := cpu.Seconds() - start
		smallest, spent = min(smallest, took), spent+took
	}
	return smallest, nil
}
