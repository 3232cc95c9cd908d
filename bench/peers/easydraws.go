package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"gonum.org/v1/gonum/stat"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
)

func init() {
	compare("easy-draws", "the searches of easy on 20 fresh draws of Ripley's problem", runEasyDraws)
}

// runEasyDraws asks what the one draw of [runEasy] cannot say: its differences of some test samples are chance.
func runEasyDraws(ctx context.Context, e *env) error {
	const draws = 20
	tools, err := e.easyTools("draws", exec.LookPath)
	if err != nil {
		return err
	}
	searches, err := easySearches(ctx)
	if err != nil {
		return err
	}
	var theirs [2][]float64 // processor seconds, test errors
	ours := make([][2][]float64, len(searches))
	for draw := range draws {
		rng := rand.New(rand.NewPCG(uint64(draw), 250))
		var files [2]string
		for k, n := range [2]int{250, 10000} {
			files[k] = filepath.Join(e.Tmp, fmt.Sprintf("ripley-%d-%d", draw, k))
			if err := writeRipleys(files[k], rng, n); err != nil {
				return err
			}
		}
		took, rate, _, err := easy(tools, files)
		if err != nil {
			return err
		}
		theirs[0] = append(theirs[0], took)
		theirs[1] = append(theirs[1], rate)
		for k, s := range searches {
			took, rate, _, err := s.measure(ctx, files)
			if err != nil {
				return err
			}
			ours[k][0] = append(ours[k][0], took)
			ours[k][1] = append(ours[k][1], rate-theirs[1][draw])
		}
	}
	harness.Header("search", "processor s, mean", "test error over easy.py's, samples", "easy.py's time over ours")
	harness.Row(fmt.Sprintf("easy.py: %.2f %%", stat.Mean(theirs[1], nil)), seconds(stat.Mean(theirs[0], nil)), "", "")
	for k, s := range searches {
		mean, sd := stat.MeanStdDev(ours[k][1], nil)
		took := stat.Mean(ours[k][0], nil)
		harness.Row(s.name, seconds(took), fmt.Sprintf("%+.2f ± %.2f", mean, sd/math.Sqrt(draws)),
			fmt.Sprintf("%.1f", stat.Mean(theirs[0], nil)/took))
	}
	return nil
}

// writeRipleys draws from the mixture of Ripley (1994), two normal clouds of variance 0.03 a class.
func writeRipleys(file string, rng *rand.Rand, n int) error {
	centers := [2][2][2]float64{{{-0.7, 0.3}, {0.3, 0.3}}, {{-0.3, 0.7}, {0.4, 0.7}}}
	x, labels := make([]float64, 0, 2*n), make([]string, n)
	for i := range n {
		labels[i] = strconv.Itoa(2*(i%2) - 1)
		for _, v := range centers[i%2][rng.IntN(2)] {
			x = append(x, v+math.Sqrt(0.03)*rng.NormFloat64())
		}
	}
	set, err := dataset.New(x, n, 2, labels)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err = set.WriteLIBSVM(&b); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o600)
}
