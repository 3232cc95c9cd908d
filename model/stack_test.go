package model

import (
	"testing"

	"github.com/sparsekm/sparsekm/csr"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// TestStackGrowth asks models of each kernel on a stack that moves: small ones that decide by one call of assembly, and
// large ones that pack rows.
func TestStackGrowth(t *testing.T) {
	rnd := dataset.NewRand(8)
	models := map[string]*Classifier{}
	add := func(name string, scheme Scheme, kernel string, vectors int) {
		p := randomParts(rnd, scheme, kernels(stackFeatures)[kernel], vectors, stackFeatures)
		p.PlattStale = false
		models[name+", "+kernel] = mustNew(t, p)
	}
	for kernel := range kernels(stackFeatures) {
		add("2 classes", Binary, kernel, 20)
		add("4 classes", OneVsOne, kernel, 20)
	}
	add("many vectors", Binary, "rbf", 600)
	row := [stackFeatures]float64(randomRows(rnd, 1, stackFeatures))
	testutil.StackGrowth(t, func() map[string]func() float64 {
		calls := map[string]func() float64{}
		for name, c := range models {
			addCalls(calls, name, c, row)
		}
		return calls
	})
}

const stackFeatures, stackRows = 6, 3

// addCalls adds the methods of a model that predict, each by itself: only the first call on a stack makes it grow.
func addCalls(calls map[string]func() float64, name string, c *Classifier, row [stackFeatures]float64) {
	if c.NumSubmodels() == 1 {
		calls["Decide, "+name] = func() float64 { return c.Decide(row[:]) }
	}
	calls["Predict, "+name] = func() float64 { return float64(c.Predict(row[:])) }
	calls["DecideTo, "+name] = func() float64 {
		var f [6]float64
		c.DecideTo(f[:], row[:])
		return testutil.WeightedSum(f[:])
	}
	calls["Probabilities, "+name] = func() float64 {
		var p [4]float64
		c.Probabilities(p[:], row[:])
		return testutil.WeightedSum(p[:])
	}
	calls["DecideBatch, "+name] = func() float64 {
		var f [6 * stackRows]float64
		x := rowsOf(row)
		c.DecideBatch(f[:], x[:], stackRows, 1)
		return testutil.WeightedSum(f[:])
	}
	calls["PredictBatch, "+name] = func() float64 {
		var class [stackRows]int
		x := rowsOf(row)
		c.PredictBatch(class[:], x[:], stackRows, 1)
		return float64(class[0] + 4*class[1] + 16*class[2])
	}
	calls["DecideSet, "+name] = func() float64 {
		var f [6 * stackRows]float64
		x := rowsOf(row)
		set := dataset.Set{N: stackRows, D: stackFeatures, Sparse: csr.FromDense(x[:], stackRows, stackFeatures)}
		c.DecideSet(f[:], &set, 0, stackRows, 1)
		return testutil.WeightedSum(f[:])
	}
}

// rowsOf returns stackRows multiples of a row.
func rowsOf(row [stackFeatures]float64) (x [stackFeatures * stackRows]float64) {
	for i := range x {
		x[i] = row[i%stackFeatures] * float64(1+i/stackFeatures)
	}
	return x
}
