package export_test

import (
	"bytes"
	"errors"
	"fmt"
	"log"

	"github.com/sparsekm/sparsekm/export"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

// A model becomes a program, unless its kernel is a Go function.
func ExampleWrite() {
	overlap := gram.Custom(func(x, z []float64) float64 { return min(x[0], z[0]) })
	for _, kernel := range []gram.Kernel{gram.RBF(0.5), overlap} {
		parts := model.BinaryParts(kernel, []float64{-1, 1}, 1, learn.Expansion{Support: []int{0, 1}, Coef: []float64{-1, 1}})
		parts.Labels = []string{"left", "right"}
		clf, err := model.New(parts)
		if err != nil {
			log.Fatal(err)
		}
		var program bytes.Buffer
		err = export.Write(&program, clf, "go", export.Options{Name: "halves"})
		fmt.Println(bytes.Contains(program.Bytes(), []byte("package halves")), errors.Is(err, export.ErrNoCode))
	}
	// Output:
	// true false
	// false true
}
