package samples

import (
	"context"
	"fmt"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// Best trains from so many initial models, of which 0 is the paper's, and returns the result of the least objective
// among those that end as they should. On a tie it is the first of them. A limit in a later start ends the search.
func Best(ctx context.Context, starts int, train func(start int) (r *learn.Result, objective float64, err error),
) (*learn.Result, error) {
	best, least, err := train(0)
	if err != nil || starts == 1 || best.Report.Status.Limit() {
		return best, err
	}
	at, seconds, evals := 0, best.Report.Seconds, best.Report.KernelEvals
	for k := 1; k < starts && ctx.Err() == nil; k++ {
		r, objective, err := train(k)
		if err != nil {
			continue // an initial model of which nothing comes
		}
		seconds.Gram, seconds.Solve = seconds.Gram+r.Report.Seconds.Gram, seconds.Solve+r.Report.Seconds.Solve
		evals += r.Report.KernelEvals
		if r.Report.Status.Done() && objective < least-tie*max(1, least) {
			best, least, at = r, objective, k
		}
	}
	r := &best.Report
	if ctx.Err() != nil {
		r.Status = status.FromContext(ctx)
	}
	if r.Seconds, r.KernelEvals = seconds, evals; at > 0 {
		r.AddMessage(fmt.Sprintf("start %d of %d is the best", at+1, starts))
	}
	return best, nil
}

// tie is the relative difference of objectives up to which two models are equally good.
const tie = 1e-6
