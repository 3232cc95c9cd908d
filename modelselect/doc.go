// Package modelselect chooses how to train: it judges settings on splits of the samples, and prefers few vectors where
// the error allows it.
//
//	folds, err := modelselect.Folds(set, 10, 3, seed)
//	settings, err := modelselect.Grid(base, modelselect.Param("c", 0.1, 1, 10), modelselect.Gamma(0.1, 0.5, 2.5))
//	table, err := modelselect.Evaluate(ctx, set, settings, folds, modelselect.Options{})
//	best := modelselect.Choose(table.Scores(), modelselect.OneSE)
//
// Everything that is fitted, the scaling too, is fitted to the training part of each split. Runs do not depend on each
// other, on the number of threads, nor on which of them a [Ledger] has already.
package modelselect
