package model

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
)

var cauchy = gram.Register("cauchy", func(x, z []float64) float64 {
	var s float64
	for k := range x {
		s += (x[k] - z[k]) * (x[k] - z[k])
	}
	return 1 / (1 + s)
})

// TestRegisteredKernel saves models with a kernel function by its name, the classifier's or a model's
// own, and wants the same decisions back.
func TestRegisteredKernel(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	shared := randomParts(rnd, OneVsOne, cauchy, 9, 2)
	own := randomParts(rnd, Binary, gram.RBF(1), 9, 2)
	own.Submodels[0].Kernel = &cauchy
	x := randomRows(rnd, 20, 2)
	for _, p := range []Parts{shared, own} {
		c := mustNew(t, p)
		want := decisionsOf(c, x, 20)
		for _, f := range []Format{SKM, JSON} {
			var b bytes.Buffer
			if err := c.Write(&b, f); err != nil {
				t.Fatal(err)
			}
			text := b.String()
			back, _, err := Read(&b, "f")
			if err != nil {
				t.Fatalf("%v: %v", f, err)
			}
			if !slices.Equal(decisionsOf(back, x, 20), want) {
				t.Errorf("%v: other decisions", f)
			}
			unregistered(t, f, text)
		}
		if err := c.Write(new(bytes.Buffer), LIBSVM); err == nil {
			t.Error("LIBSVM's format holds a kernel of our own")
		}
	}
	shared.Kernel.Name = "nobody"
	if _, err := mustNew(t, shared).MarshalBinary(); err == nil {
		t.Error("a name was written that nobody has registered")
	}
}

// unregistered reads the file in a program that has no such function, and wants its name in the error.
func unregistered(t *testing.T, f Format, text string) {
	t.Helper()
	text = strings.ReplaceAll(text, "cauchy", "cavchy")
	if f == SKM {
		b := []byte(text[:len(text)-4])
		text = string(binary.LittleEndian.AppendUint32(b, checksum(b)))
	}
	_, _, err := Read(strings.NewReader(text), "f")
	var e *gram.UnregisteredError
	if !errors.As(err, &e) || e.Name != "cavchy" || !slices.Contains(e.Have, "cauchy") || errors.Is(err, ErrCorrupt) {
		t.Errorf("%v: %v", f, err)
	}
}
