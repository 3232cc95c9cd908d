package cli

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
)

// columnsRule is --columns: whether the reader finds what columns are, and the column of the samples' weights.
type columnsRule struct {
	strict bool
	weight string // empty for none
}

// UnmarshalText reads auto or strict, perhaps with weight=COLUMN behind a comma, or that alone.
func (c *columnsRule) UnmarshalText(text []byte) error {
	rule, weight, weighed := strings.Cut(string(text), "weight=")
	if weighed && weight != "" {
		rule = strings.TrimSuffix(rule, ",")
	}
	*c = columnsRule{rule == "strict", weight}
	if rule != "auto" && rule != "strict" && (rule != "" || weight == "") {
		return fmt.Errorf("found %q, want auto or strict, perhaps with ,weight=COLUMN behind it", text)
	}
	return nil
}

// weigh gives training samples the weights of the file DATA.weight if there is one, as LightGBM does. Weights that are
// all 0 leave no sample.
func (f *reading) weigh(s *session.Session, name string, set *dataset.Set) error {
	if !f.weighs || name == "-" {
		return nil
	}
	file := name + ".weight"
	if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
		if set.Weights != nil {
			return fmt.Errorf("%s: found weights of the samples of %s, which has some already, want one of both", file, name)
		}
		if set.Weights, err = readWeights(file, name, set); err != nil {
			return err
		}
		s.Note("%s: the samples have the weights of %s", name, file)
	} else {
		file = name
	}
	if set.Weights != nil && !slices.ContainsFunc(set.Weights, func(w float64) bool { return w > 0 }) {
		return &dataset.Error{File: file, Column: f.Weight, Found: "weights that are all 0", Want: "one above 0"}
	}
	return nil
}

// readWeights reads a weight for each row of the samples, one a line.
func readWeights(file, name string, set *dataset.Set) (weights []float64, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var faults dataset.Faults
	lines, b := 0, bufio.NewScanner(f)
	for b.Scan() {
		if lines++; lines > set.N {
			continue // counts them
		}
		text := strings.TrimSpace(b.Text())
		w, err := strconv.ParseFloat(text, 64)
		if err != nil || !(w >= 0) || math.IsInf(w, 0) {
			faults = append(faults, &dataset.Error{File: file, Line: lines, Found: strconv.Quote(text),
				Want: "a weight, a finite number >= 0"})
		}
		weights = append(weights, w)
	}
	out := set.Skipped
	if set.Notes != nil {
		out += set.Notes.Unlabelled
	}
	want := fmt.Sprintf("%d, one for each sample of %s", set.N, name)
	if out > 0 {
		want += " but the " + counted(out, "row") + " left out; a column (--columns weight=COLUMN) has weights then too"
	}
	switch {
	case b.Err() != nil:
		return nil, fmt.Errorf("%s:%d: %w", file, lines+1, b.Err())
	case len(faults) > 0:
		return nil, faults
	case lines != set.N || out > 0:
		return nil, &dataset.Error{File: file, Line: lines, Found: counted(lines, "weight"), Want: want}
	}
	return weights, nil
}
