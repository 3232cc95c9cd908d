package sparsekm

import (
	"bytes"

	"github.com/sparsekm/sparsekm/model"
)

// Classifier is a trained model: immutable, safe for concurrent use, no allocations for a decision.
type Classifier = model.Classifier

// Load reads a classifier from a file: our own format, its JSON form, or a LIBSVM model file.
func Load(path string) (*Classifier, error) { return model.Load(path) }

// Parse makes a classifier from a file's bytes, for instance embedded by go:embed. It takes the formats of [Load].
// Whatever is wrong with them (another version, a wrong checksum, a missing tail) is an error; it never panics.
func Parse(data []byte) (*Classifier, error) {
	c, _, err := model.Read(bytes.NewReader(data), "model")
	return c, err
}
