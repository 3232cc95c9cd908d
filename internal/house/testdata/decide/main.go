// A program that reads a model and decides: what TestEmbedding measures.
package main

import (
	"fmt"
	"os"

	"github.com/sparsekm/sparsekm/model"
)

func main() {
	raw, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	c, err := model.Parse(raw)
	if err != nil {
		panic(err)
	}
	fmt.Println(c.Decide([]float64{-0.3, 0.7}))
}
