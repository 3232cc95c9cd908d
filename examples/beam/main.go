// Command beam classifies the lines of a file, features separated by blanks, on any runner of Apache Beam. The model is
// part of the program; a worker reads it once.
//
//	sparsekm train --out examples/beam/model.skm samples.csv
//	go run . --in samples.txt --out labels.txt
package main

import (
	"context"
	_ "embed"
	"flag"
	"fmt"
	"log"
	"strconv"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/textio"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"

	"github.com/sparsekm/sparsekm"
)

//go:embed model.skm
var file []byte

// classify is a DoFn: lines in, "line label" out, since a collection of Beam's has no order.
type classify struct{ model *sparsekm.Classifier }

// Setup reads the model.
func (c *classify) Setup() (err error) {
	c.model, err = sparsekm.Parse(file)
	return err
}

// ProcessElement classifies a line.
func (c *classify) ProcessElement(line string, emit func(string)) error {
	var x []float64
	for _, word := range strings.Fields(line) {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return fmt.Errorf("%q: %w", line, err)
		}
		x = append(x, v)
	}
	label, err := c.model.Classify(x)
	if err != nil {
		return fmt.Errorf("%q: %w", line, err)
	}
	emit(line + " " + label)
	return nil
}

func init() {
	register.DoFn2x1[string, func(string), error](&classify{})
	register.Emitter1[string]()
}

func main() {
	in, out := flag.String("in", "", "samples, one a line"), flag.String("out", "", "where the labels go")
	flag.Parse()
	beam.Init()
	p, s := beam.NewPipelineWithRoot()
	textio.Write(s, *out, beam.ParDo(s, &classify{}, textio.Read(s, *in)))
	if err := beamx.Run(context.Background(), p); err != nil {
		log.Fatal(err)
	}
}
