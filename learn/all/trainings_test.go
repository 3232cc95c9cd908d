package all_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
)

// Training is a training of a method on samples whose classes overlap.
type Training struct {
	Method  string
	Name    string // the method, its task, and the parameters by which it works in another way
	set     *dataset.Set
	trainer learn.Trainer
	kernel  gram.Kernel
}

// ways are parameters with which a method takes other loops.
var ways = map[string][]learn.Values{
	"lssvm":         {{"gamma_grid": []float64{0.1, 1, 10}}},
	"skm":           {{"margin": 0.5}, {"candidates": 100}},
	"ssvc-a":        {{"c1": 0.1}, {"norm": 1.0}, {"norm": 1.5}, {"norm": math.Inf(1)}, {"candidates": 100}},
	"ssvc-b":        {{"candidates": 100}},
	"ssvc-features": {{"squares": true}, {"ranked": true}},
}

// Trainings lists trainings of all methods, by name, for all their tasks: on n samples with the RBF kernel of width
// gamma, and with the cost of an error c where a method has one.
func Trainings(n int, gamma, c float64) ([]Training, error) {
	classes, values := samples(n)
	var all []Training
	for _, m := range sparsekm.Methods() {
		for _, way := range append([]learn.Values{{}}, ways[m.Name]...) {
			trainer, err := m.New(with(m, way, c))
			if err != nil {
				return nil, fmt.Errorf("%s: %w", m.Name, err)
			}
			for _, task := range m.TasksOf() {
				t := Training{Method: m.Name, Name: m.Name, set: classes, trainer: trainer, kernel: gram.RBF(gamma)}
				if task != learn.Classify {
					t.set = values
				}
				if len(m.TasksOf()) > 1 {
					t.Name += fmt.Sprintf(" %v", task)
				}
				if len(way) > 0 {
					t.Name += " " + strings.Trim(fmt.Sprint(way), "map[]")
				}
				all = append(all, t)
			}
		}
	}
	return all, nil
}

// with adds the cost to the parameters of a method, under the name that it has there.
func with(m sparsekm.Method, way learn.Values, c float64) learn.Values {
	v := make(learn.Values)
	for _, q := range m.Params() {
		if value, ok := way[q.Name]; ok {
			v[q.Name] = value
		}
		switch q.Name {
		case "c", "gamma_reg":
			v[q.Name] = c
		case "noise":
			v[q.Name] = 1 / c
		}
	}
	return v
}

// samples draws samples of two classes of two clusters each, in six dimensions, and the same with targets.
func samples(n int) (classes, values *dataset.Set) {
	const d = 6
	rng := rand.New(rand.NewPCG(1, 2))
	classes = &dataset.Set{N: n, D: d, Labels: []string{"0", "1"}}
	values = &dataset.Set{N: n, D: d}
	for range n {
		cluster := rng.IntN(4)
		target := float64(cluster % 2)
		for k := range d {
			x := float64(cluster>>(k%2)&1) + 1.2*rng.NormFloat64()
			classes.X = append(classes.X, x)
			target += 0.1 * x * x
		}
		classes.Y = append(classes.Y, cluster%2)
		values.Targets = append(values.Targets, target)
	}
	values.X = classes.X
	return classes, values
}

// Run trains on so many goroutines, and reports how it ended: a status, or an error if there is no model.
func (t *Training) Run(ctx context.Context, threads int) (string, error) {
	_, report, err := sparsekm.Train(ctx, t.set, sparsekm.Options{Trainer: t.trainer, Kernel: t.kernel, Threads: threads})
	if err != nil {
		return "", err
	}
	return report.Status.String(), nil
}
