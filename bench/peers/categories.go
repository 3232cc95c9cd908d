package main

import (
	"bufio"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
)

func init() {
	compare("categories", "few features of many 1: whole commands against LIBLINEAR, LIBSVM and scikit-learn-intelex",
		runCategories)
}

// runCategories compares processor times of whole commands, reading and writing included.
func runCategories(ctx context.Context, e *env) error {
	ours, err := e.build(ctx)
	if err != nil {
		return err
	}
	harness.Header("set", "kernel", "ours, s", "the other", "its s", "ratio", "resident, MiB", "its",
		"its objective over ours")
	for _, c := range []struct {
		name   string
		n      int
		groups []int // categories of which a row has one each
	}{
		{"like a9a, 32000 × 123, 11 %", 32000, []int{5, 8, 5, 16, 5, 7, 14, 6, 5, 2, 2, 2, 5, 41}},
		{"like w8a, 50000 × 300, 4 %", 50000, slices.Repeat([]int{25}, 12)},
	} {
		data := filepath.Join(e.Tmp, "categories")
		if err := writeCategories(data, c.n, c.groups); err != nil {
			return err
		}
		set, err := dataset.ReadFile(data, dataset.Options{})
		if err != nil {
			return err
		}
		for _, k := range []struct {
			kernel, peer string
			reps         int
			args, flags  []string
		}{
			{"linear", "liblinear-train", e.Reps, []string{"-s", "3", "-B", "1", "-e", "0.01", "-q"}, []string{"--kernel", "linear"}},
			{"rbf", "svm-train", 1, []string{"-g", "0.05", "-m", "1000", "-q"}, []string{"--gamma", "0.05", "--mem", "1100MiB"}},
		} {
			var took, objective, resident [2]float64
			for i, args := range [][]string{
				append([]string{string(ours), "train", "-m", "svc", "--scale", "none", "--c", "1", "--threads", "1", "--force", "-o", data + ".0"},
					append(k.flags, data)...),
				append(append([]string{k.peer, "-c", "1"}, k.args...), data, data+".1"),
			} {
				if took[i], resident[i], err = commandSeconds(ctx, k.reps, args); err != nil {
					return err
				}
				if k.kernel == "rbf" {
					continue
				}
				if objective[i], err = planeObjective(data+"."+strconv.Itoa(i), set); err != nil {
					return err
				}
			}
			over := ""
			if k.kernel == "linear" {
				over = fmt.Sprintf("%+.1e", objective[1]/objective[0]-1)
			}
			harness.Row(c.name, k.kernel, seconds(took[0]), k.peer, seconds(took[1]), fmt.Sprintf("%.2f", took[1]/took[0]),
				fmt.Sprintf("%.0f", resident[0]), fmt.Sprintf("%.0f", resident[1]), over)
			if python := os.Getenv("SPARSEKM_PEERS"); k.kernel == "rbf" && python != "" {
				out, err := e.python(python, "csr.py", nil, data, "1", "0.05")
				fit := figures(out, err)["seconds"] // without reading
				harness.Row(c.name, k.kernel, seconds(took[0]), "scikit-learn-intelex, the fit on CSR", seconds(fit),
					fmt.Sprintf("%.2f", fit/took[0]), fmt.Sprintf("%.0f", resident[0]), "", "")
			}
		}
	}
	return nil
}

// commandSeconds is the least processor time of a command, and its peak resident memory in MiB.
func commandSeconds(ctx context.Context, reps int, args []string) (smallest, resident float64, err error) {
	smallest = math.Inf(1)
	for range max(1, reps) {
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		if out, err := cmd.CombinedOutput(); err != nil {
			return 0, 0, fmt.Errorf("%s: %w: %s", args[0], err, out)
		}
		smallest = min(smallest, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds())
		resident = max(resident, peakMiB(cmd.ProcessState))
	}
	return smallest, resident, nil
}

// planeObjective is ½‖w‖² + Σ max(0, 1 − y f) of a linear model for C = 1, w from its decisions at the unit vectors.
func planeObjective(file string, set *dataset.Set) (float64, error) {
	clf, err := sparsekm.Load(file)
	if err != nil {
		return 0, err
	}
	at := make([]float64, set.D)
	bias, sum := clf.Decide(at), 0.0
	for j := range at {
		at[j] = 1
		w := clf.Decide(at) - bias
		at[j], sum = 0, sum+w*w/2
	}
	f := make([]float64, set.N)
	clf.DecideBatch(f, set.X, set.N, 0)
	for i, v := range f {
		y := -1.0
		if set.Labels[set.Y[i]] == clf.PositiveLabel(0) {
			y = 1
		}
		sum += max(0, 1-y*v)
	}
	return sum, nil
}

// writeCategories draws rows of one-hot categories whose weights decide the class, up to noise.
func writeCategories(file string, n int, groups []int) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	var effects, shares [][]float64
	for _, g := range groups {
		effect, share := make([]float64, g), make([]float64, g)
		for k := range g {
			effect[k], share[k] = 1.2*rng.NormFloat64(), rng.ExpFloat64()*rng.ExpFloat64()
		}
		effects = append(effects, effect)
		shares = append(shares, share)
	}
	for range n {
		line, score, first := "", -2.0, 1
		for g, effect := range effects {
			k := draw(rng, shares[g])
			score += effect[k]
			line += fmt.Sprintf(" %d:1", first+k)
			first += len(effect)
		}
		label := "-1"
		if score+rng.NormFloat64() > 0 {
			label = "+1"
		}
		fmt.Fprintln(w, label+line)
	}
	return w.Flush()
}

// draw is a number with the probability of its share.
func draw(rng *rand.Rand, shares []float64) int {
	var total float64
	for _, s := range shares {
		total += s
	}
	at := rng.Float64() * total
	for k, s := range shares {
		if at -= s; at < 0 {
			return k
		}
	}
	return len(shares) - 1
}
