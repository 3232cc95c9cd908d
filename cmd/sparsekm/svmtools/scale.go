package svmtools

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/internal/fileformat"
)

const scaleUsage = `Usage: svm-scale [options] data_filename
options:
-l lower : of the scaled features (default -1)
-u upper : of the scaled features (default +1)
-y lower upper : of the scaled targets, which stay as they are without it
-s file : save the scaling in a range file
-r file : scale as a range file says
`

// targetScale maps targets from [least, most] to [lo, hi].
type targetScale struct{ lo, hi, min, max float64 }

func (s *targetScale) of(v float64) float64 {
	switch {
	case s == nil:
		return v
	case v == s.min:
		return s.lo
	case v == s.max:
		return s.hi
	}
	return s.lo + (s.hi-s.lo)*(v-s.min)/(s.max-s.min)
}

// scale is svm-scale: the scaled samples go to standard output.
func scale(ctx context.Context, o *options, s streams) error {
	lower, upper := -1.0, 1.0
	if err := o.numbers(map[byte]*float64{'l': &lower, 'u': &upper}); err != nil {
		return err
	}
	y, err := o.targets()
	save, restore := o.values['s'], o.values['r']
	switch {
	case err != nil:
		return err
	case !(lower < upper) || y != nil && !(y.lo < y.hi):
		return errors.New("inconsistent lower/upper specification")
	case save != "" && restore != "":
		return errors.New("cannot use -r and -s simultaneously")
	}
	set, err := dataset.ReadFile(o.files[0], dataset.Options{Format: dataset.LIBSVM, Targets: dataset.TargetValues,
		MaxBytes: s.reading()})
	if err != nil {
		return err
	}
	if y != nil {
		y.min, y.max = slices.Min(set.Targets), slices.Max(set.Targets)
	}
	rest, zero := withoutZero(set, o.files[0])
	var sc *dataset.Scaling
	if restore != "" {
		sc, y, err = readRange(restore, rest.D, y)
	} else {
		sc, err = dataset.FitMinMax(rest, lower, upper)
	}
	if err != nil {
		return err
	}
	if y != nil && y.min == y.max && slices.ContainsFunc(set.Targets, func(v float64) bool { return v != y.min }) {
		fmt.Fprintf(s.stderr, "WARNING: %s has %v as the only target: others become infinite\n", restore, y.min)
	}
	if zero != nil {
		fmt.Fprintln(s.stderr, "WARNING: minimal feature index is 0, but indices should start from 1")
	}
	if save != "" {
		if err = fileformat.Write(save, func(w io.Writer) error { return writeRange(w, rest, sc, y) }); err != nil {
			return err
		}
		if zero != nil {
			fmt.Fprintf(s.stderr, "WARNING: scaling factors with indices smaller than 1 are not stored to the file %s.\n", save)
		}
	}
	return writeScaled(ctx, s, rest, zero, sc, y)
}

// targets is -y.
func (o *options) targets() (*targetScale, error) {
	words, ok := o.pairs['y']
	if !ok {
		return nil, nil
	}
	var v [2]float64
	for i, word := range words {
		var err error
		if v[i], err = strconv.ParseFloat(word, 64); err != nil || math.IsInf(v[i], 0) || math.IsNaN(v[i]) {
			return nil, fmt.Errorf("-y: found %q, want a number", word)
		}
	}
	return &targetScale{lo: v[0], hi: v[1]}, nil
}

// withoutZero splits off feature 0 of samples whose indices start there: its values, and the other features. LIBSVM
// keeps it out of range files, and has no value of it, here NaN, where a row leaves it out.
func withoutZero(set *dataset.Set, name string) (rest *dataset.Set, zero []float64) {
	if !set.ZeroBased {
		return set, nil
	}
	listed := listsZero(name)
	t := *set
	t.D, t.X = set.D-1, make([]float64, 0, set.N*(set.D-1))
	for i := range set.N {
		row := set.Row(i)
		zero = append(zero, row[0])
		t.X = append(t.X, row[1:]...)
		if row[0] == 0 && (len(listed) != set.N || !listed[i]) {
			zero[i] = math.NaN()
		}
	}
	return &t, zero
}

// listsZero reports for each row of a file of plain text whether it lists index 0.
func listsZero(name string) (listed []bool) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	for line := range bytes.Lines(text) {
		if words := bytes.Fields(line); len(words) > 0 && words[0][0] != '#' {
			listed = append(listed, len(words) > 1 && bytes.HasPrefix(words[1], []byte("0:")))
		}
	}
	return listed
}

// writeRange writes a range file of samples, with LIBSVM's digits.
func writeRange(w io.Writer, set *dataset.Set, sc *dataset.Scaling, y *targetScale) error {
	largest := slices.Clone(sc.Center)
	for i := range set.N {
		for k, v := range set.Row(i) {
			largest[k] = max(largest[k], v)
		}
	}
	b := bufio.NewWriter(w)
	if y != nil {
		fmt.Fprintf(b, "y\n%.17g %.17g\n%.17g %.17g\n", y.lo, y.hi, y.min, y.max)
	}
	fmt.Fprintf(b, "x\n%.17g %.17g\n", sc.Lo, sc.Hi)
	for k, c := range sc.Center {
		if sc.Spread[k] != 0 {
			fmt.Fprintf(b, "%d %.17g %.17g\n", k+1, c, largest[k])
		}
	}
	return b.Flush()
}

// readRange reads a range file, which may have more features than the samples, and a scaling of targets.
func readRange(name string, d int, y *targetScale) (*dataset.Scaling, *targetScale, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, nil, err
	}
	if bytes.HasPrefix(text, []byte("y")) {
		y = new(targetScale)
		lines := bytes.SplitAfterN(text, []byte("\n"), 4)
		if n, _ := fmt.Sscan(string(bytes.Join(lines[1:min(3, len(lines))], nil)), &y.lo, &y.hi, &y.min, &y.max); n < 4 ||
			len(lines) < 4 {
			return nil, nil, fmt.Errorf("%s:2: found no scaling of targets, want lines lower upper and min max", name)
		}
		text = lines[3]
	}
	if lines := strings.Fields(lastLine(text)); len(lines) == 3 {
		if i, bad := strconv.Atoi(lines[0]); bad == nil {
			d = max(d, min(i, 1<<24))
		}
	}
	sc, err := dataset.ReadRange(bytes.NewReader(text), name, d)
	if e, ok := errors.AsType[*dataset.Error](err); ok && y != nil {
		e.Line += 3
	}
	return sc, y, err
}

func lastLine(text []byte) string {
	text = bytes.TrimSpace(text)
	return string(text[bytes.LastIndexByte(text, '\n')+1:])
}

// writeScaled writes the samples. Features that are 0 then, or that the range file does not know, are left out.
func writeScaled(ctx context.Context, s streams, set *dataset.Set, zero []float64, sc *dataset.Scaling,
	y *targetScale) error {
	listed := slices.DeleteFunc(slices.Clone(zero), math.IsNaN)
	first := &targetScale{lo: sc.Lo, hi: sc.Hi}
	if len(listed) > 0 {
		first.min, first.max = slices.Min(listed), slices.Max(listed)
	}
	b := bufio.NewWriter(s.stdout)
	x := make([]float64, len(sc.Center))
	for i := range set.N {
		if i%1000 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		clear(x)
		copy(x, set.Row(i))
		sc.ApplyTo(x, x)
		b.WriteString(strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%.17g ", y.of(set.Targets[i])), "+"))) // inf as in C
		if zero != nil && first.min < first.max {
			if v := first.of(zero[i]); v < 0 || v > 0 {
				fmt.Fprintf(b, "0:%.6g ", v)
			}
		}
		for k, v := range x {
			if v != 0 {
				fmt.Fprintf(b, "%d:%.6g ", k+1, v)
			}
		}
		b.WriteByte('\n')
	}
	return b.Flush()
}
