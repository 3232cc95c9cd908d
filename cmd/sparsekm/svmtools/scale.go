package svmtools

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/atomicfile"
)

const scaleUsage = `Usage: svm-scale [options] data_filename
options:
-l lower : of the scaled features (default -1)
-u upper : of the scaled features (default +1)
-s file : save the scaling in a range file
-r file : scale as a range file says
-y lower upper : is not there; sparsekm train --target-scale scales targets
`

// scale is svm-scale: the scaled samples go to standard output.
func scale(ctx context.Context, o *options, s streams) error {
	lower, upper := -1.0, 1.0
	if err := o.numbers(map[byte]*float64{'l': &lower, 'u': &upper}); err != nil {
		return err
	}
	save, restore := o.values['s'], o.values['r']
	switch _, targets := o.pairs['y']; {
	case targets:
		return errors.New("-y: the scaling of targets is not there; sparsekm train --target-scale has it")
	case !(lower < upper):
		return errors.New("inconsistent lower/upper specification")
	case save != "" && restore != "":
		return errors.New("cannot use -r and -s simultaneously")
	}
	set, err := dataset.ReadFile(o.files[0], dataset.Options{Format: dataset.LIBSVM, TextLabels: true,
		MaxBytes: s.reading()})
	if err != nil {
		return err
	}
	var sc *dataset.Scaling
	if restore != "" {
		sc, err = readRange(restore, set.D)
	} else {
		sc, err = dataset.FitMinMax(set, lower, upper)
	}
	if err != nil {
		return err
	}
	if save != "" {
		if err = atomicfile.Write(save, sc.WriteRange); err != nil {
			return err
		}
	}
	return writeScaled(ctx, s, set, sc)
}

// readRange reads a range file, which may have more features than the samples.
func readRange(name string, d int) (*dataset.Scaling, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if lines := strings.Fields(lastLine(text)); len(lines) == 3 {
		if i, err := strconv.Atoi(lines[0]); err == nil {
			d = max(d, min(i, 1<<24))
		}
	}
	return dataset.ReadRange(bytes.NewReader(text), name, d)
}

func lastLine(text []byte) string {
	text = bytes.TrimSpace(text)
	return string(text[bytes.LastIndexByte(text, '\n')+1:])
}

// writeScaled writes the samples with their labels as they were. Features that are 0 then, or that the range file
// does not know, are left out.
func writeScaled(ctx context.Context, s streams, set *dataset.Set, sc *dataset.Scaling) error {
	b := bufio.NewWriter(s.stdout)
	x := make([]float64, len(sc.Center))
	for i := range set.N {
		if i%1000 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		clear(x)
		copy(x, set.Row(i))
		sc.ApplyTo(x, x)
		fmt.Fprintf(b, "%s ", set.Labels[set.Y[i]])
		for k, v := range x {
			if v != 0 {
				fmt.Fprintf(b, "%d:%.6g ", k+1, v)
			}
		}
		b.WriteByte('\n')
	}
	return b.Flush()
}
