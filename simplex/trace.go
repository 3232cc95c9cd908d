package simplex

import "context"

type traceKey struct{}

// WithTrace returns a context whose trainings show dump every linear program before they solve it, as
// net/http/httptrace shows what a request does:
//
//	ctx = simplex.WithTrace(ctx, func(lp *simplex.LP) error { return save(lp) })
//	result, err := ssvclp.B{C: 1}.Train(ctx, problem)
//
// Methods with [github.com/sparsekm/sparsekm/learn.Method.Programs] look for it. A program is whole: with all its rows,
// in the dual statement. Its matrix is n×n and no part of a memory budget. An error stops the training. Trainings of
// more than two classes call dump from several goroutines. A nil dump shows nothing.
func WithTrace(ctx context.Context, dump func(lp *LP) error) context.Context {
	return context.WithValue(ctx, traceKey{}, dump)
}

// Trace returns the function that receives the programs of ctx, or nil.
func Trace(ctx context.Context) func(lp *LP) error {
	dump, _ := ctx.Value(traceKey{}).(func(lp *LP) error)
	return dump
}
