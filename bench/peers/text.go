package main

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
)

func init() {
	compare("text", "2000 rows of 60 of 600,000 features: whole commands compared with LIBSVM", runText)
}

// runText compares processor times of whole commands, reading and writing included, for rows of words: five times as
// many features as all rows list.
func runText(ctx context.Context, e *env) error {
	ours, err := e.build(ctx)
	if err != nil {
		return err
	}
	harness.Header("set", "kernel", "ours, s", "LIBSVM, s", "ratio", "resident, MiB", "its")
	data := filepath.Join(e.Tmp, "text")
	if err = writeText(data, 2000, 600_000, 60); err != nil {
		return err
	}
	for _, k := range []struct {
		kernel        string
		flags, theirs []string
	}{
		{"linear", []string{"--kernel", "linear"}, []string{"-t", "0"}}, {"rbf", []string{"--gamma", "1"}, []string{"-g", "1"}},
	} {
		var took, resident [2]float64
		for i, args := range [][]string{
			append([]string{string(ours), "train", "-m", "svc", "--c", "1", "--threads", "1", "--force", "-o", data + ".0"},
				append(k.flags, data)...),
			append(append([]string{"svm-train", "-c", "1", "-q"}, k.theirs...), data, data+".1"),
		} {
			if took[i], resident[i], err = commandSeconds(ctx, e.Reps, args); err != nil {
				return err
			}
		}
		harness.Row("like text, 2000 × 600000, 60 a row", k.kernel, seconds(took[0]), seconds(took[1]),
			fmt.Sprintf("%.2f", took[1]/took[0]), fmt.Sprintf("%.0f", resident[0]), fmt.Sprintf("%.0f", resident[1]))
	}
	return nil
}

// writeText draws rows of so many words, the k-th about 1/k as often as the first, with weights of length 1: a sixth of
// them are of the class.
func writeText(file string, n, d, words int) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	rng := rand.New(rand.NewPCG(1, uint64(d)))
	for i := range n {
		row := make(map[int]float64)
		for len(row) < words {
			k := int(math.Pow(float64(d), rng.Float64()))
			if rng.IntN(6) == 0 {
				k = 1000 + 2*rng.IntN(2000) + i%2
			}
			row[k] += math.Log(float64(d)) - math.Log1p(float64(d)/float64(k))/2
		}
		var square float64
		for _, v := range row {
			square += v * v
		}
		fmt.Fprint(w, i%2)
		for _, k := range slices.Sorted(maps.Keys(row)) {
			fmt.Fprintf(w, " %d:%.6g", k, row[k]/math.Sqrt(square))
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}
