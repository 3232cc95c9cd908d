// Package lptrace shows the linear programs that a training solves, as net/http/httptrace shows what a request does:
//
//	ctx = lptrace.With(ctx, func(lp *simplex.LP) error { return save(lp) })
//	result, err := ssvclp.B{C: 1}.Train(ctx, problem)
//
// Methods with [github.com/sparsekm/sparsekm/learn.Method.Programs] look for it.
package lptrace

import (
	"context"

	"github.com/sparsekm/sparsekm/simplex"
)

type key struct{}

// With returns a context whose trainings call dump with every linear program before they solve it, whole: with all its
// rows, in the dual statement. Its matrix is n×n and no part of a memory budget. An error stops the training. Trainings
// of more than two classes call dump from several goroutines. A nil dump shows nothing.
func With(ctx context.Context, dump func(lp *simplex.LP) error) context.Context {
	return context.WithValue(ctx, key{}, dump)
}

// Of returns the function that receives the programs of ctx, or nil.
func Of(ctx context.Context) func(lp *simplex.LP) error {
	dump, _ := ctx.Value(key{}).(func(lp *simplex.LP) error)
	return dump
}
