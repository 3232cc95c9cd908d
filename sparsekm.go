// Package sparsekm trains kernel classifiers that need very few support vectors,
// and loads them back.
//
// Train with a method from a package below learn and a kernel from package gram:
//
//	set, err := dataset.ReadFile("ripley.train.libsvm", dataset.Options{})
//	clf, report, err := sparsekm.Train(ctx, set, sparsekm.Options{
//		Trainer: ssvc.A{C: 1},
//		Kernel:  gram.RBFSigma(0.5),
//	})
//
// The [Classifier] takes raw features (the scaling of the training is part of
// it), is immutable and safe for concurrent use, and a decision allocates
// nothing. [Load] reads it back from a file and [Parse] from bytes, embedded in
// the program for instance; LIBSVM's model files work too.
//
// [Methods] lists the methods by the names that the command sparsekm uses.
//
// # Methods of a classifier
//
//	decide   Decide, DecideBatch, DecideSet: decision values, or predictions of values
//	         Predict, PredictBatch, Classify, ClassifyBatch, Classes: classes and labels
//	         Probability, Probabilities, MeanVariance, Variances, Sets, Intervals, Explain: how sure
//	inspect  Task, Labels, Kernel, Method, Columns, Parts, NumFeatures, NumClasses, NumVectors, NumUnits, Bytes
//	         Calibrated, Covers, Uncertain, Sparse: what it can do
//	save     Save, Write, WriteTo, MarshalBinary, MarshalJSON; Load, Parse, ReadFrom
//	change   CalibrateOn, Conform, FoldScaling, WithFeatures: another classifier
//
// # What else there is
//
// Package reduce shrinks a classifier that exists already. Packages smo, simplex
// and cholupdate are solvers that know nothing of kernels and can be used alone.
package sparsekm

import (
	"bytes"

	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

// Classifier is a trained model: immutable, safe for concurrent use, no allocations for a decision.
type Classifier = model.Classifier

// Load reads a classifier from a file: our own format, its JSON form, or a LIBSVM model file.
func Load(path string) (*Classifier, error) { return model.Load(path) }

// Parse makes a classifier from a file's bytes, for instance embedded by go:embed: of .skm, JSON and the formats of
// packages of model/importers that the program imports. It never panics.
func Parse(data []byte) (*Classifier, error) {
	c, _, err := model.Read(bytes.NewReader(data), "model")
	return c, err
}

// Method is a way to train, registered under the name that the command line uses.
type Method = learn.Method

// Methods returns every method of the program, by name.
func Methods() []Method { return learn.Methods() }

// Lookup finds a method by name; its error is a [*learn.UnknownMethodError].
func Lookup(name string) (Method, error) { return learn.Lookup(name) }

// Level names the SIMD kernels that run in this process: "avx512", "avx2", "neon", or "generic" for portable Go. It is
// the best that the processor has, unless the environment variable SPARSEKM_CPU asked for another at the start.
// Results have the same bits for any number of threads on one level; between levels their last places may differ.
func Level() string { return cpu.Active().String() }
