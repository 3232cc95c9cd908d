package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/dataset"
)

// Names of our models on the page.
const (
	ownFit    = "`fit`"
	ownTrain  = "`train`"
	ownDirect = "`direct --tune`"
)

// maxBounded bounds what is tried on tables with a small number of features.
const maxBounded = 24

// ownTable is what our command trains on.
type ownTable struct {
	command, folder string
	t               *rivalTable
}

// ownRuns are our models of a split: fit and train without flags, and direct --tune within each limit of bytes.
func ownRuns(ctx context.Context, command, folder string, t *rivalTable, train, test []int) ([]*rivalRun, error) {
	o := &ownTable{command, folder, t}
	for name, rows := range map[string][]int{"train.csv": train, "test.csv": test} {
		if err := t.write(filepath.Join(folder, name), rows); err != nil {
			return nil, err
		}
	}
	flags := []string{"fit", "--time=24h"} // other work on the host must not change what is chosen
	if !t.values {
		flags = append(flags, "--calibrate")
	}
	fit, err := o.run(ctx, ownFit, "OwnFit", flags...)
	if err != nil {
		return nil, err
	}
	plain, err := o.run(ctx, ownTrain, "OwnTrain", "train")
	if err != nil {
		return nil, err
	}
	small, err := o.within(ctx, len(t.levels(train, len(t.category))))
	return append(small, fit, plain), err
}

// within are the models of direct with as many vectors as each limit allows.
func (o *ownTable) within(ctx context.Context, classes int) (runs []*rivalRun, err error) {
	outputs := classes
	if o.t.values || classes == 2 {
		outputs = 1
	}
	for _, limit := range byteLimits {
		const code = 400
		d := o.features()
		largest := max(1, min(maxBounded, (limit-code-8*d)/(4*(d+outputs))))
		for largest > 0 {
			var r *rivalRun
			r, err = o.run(ctx, ownDirect, fmt.Sprint("OwnDirect", limit), "train", "--method=direct", "--tune",
				fmt.Sprint("--max-sv=", largest))
			if err != nil {
				return nil, err
			}
			if r.Bytes <= limit {
				r.Limit = limit
				runs = append(runs, r)
				break
			}
			largest = min(largest-1, largest*limit/r.Bytes)
		}
	}
	return runs, nil
}

// features is the number of features after categories have become some.
func (o *ownTable) features() (d int) {
	all := make([]int, len(o.t.rows))
	for i := range all {
		all[i] = i
	}
	for j, category := range o.t.category {
		if category {
			d += len(o.t.levels(all, j))
		} else {
			d++
		}
	}
	return d
}

// run trains by the command, and judges the model by the test rows.
func (o *ownTable) run(ctx context.Context, rival, name string, args ...string) (*rivalRun, error) {
	file := filepath.Join(o.folder, name+".skm")
	args = slices.Concat(args, o.t.flags, []string{"--quiet", "--threads=1", "--force", "--out=" + file,
		filepath.Join(o.folder, "train.csv")})
	cmd := exec.CommandContext(ctx, o.command, args...)
	out, err := cmd.CombinedOutput()
	var ended *exec.ExitError
	if _, failed := os.Stat(file); err != nil && (failed != nil || !errors.As(err, &ended)) {
		return nil, fmt.Errorf("%v: %w: %s", args, err, out)
	}
	r := &rivalRun{Rival: rival, Name: name, own: true,
		Train: (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()}
	header := filepath.Join(o.folder, name+".h")
	out, err = exec.CommandContext(ctx, o.command, "convert", "--to=c", "--float", "--force", "--name="+name,
		"--out="+header, file).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("convert: %w: %s", err, out)
	}
	text, err := os.ReadFile(header)
	if err != nil {
		return nil, err
	}
	text = fmt.Appendf(text, "static void %s(const float *x, float *out) { %s_decide(x, out); }\n", name, name)
	if err = os.WriteFile(header, text, 0o666); err != nil {
		return nil, err
	}
	clf, err := sparsekm.Load(file)
	if err != nil {
		return nil, err
	}
	if err = r.test(o, clf); err != nil {
		return nil, err
	}
	sizes, err := sizesOfC(ctx, o.folder, []*rivalRun{r})
	r.Bytes = sizes[name]
	return r, err
}

// test reads the test rows as the model takes them, and writes them and its decision values down.
func (r *rivalRun) test(o *ownTable, clf *sparsekm.Classifier) error {
	targets := dataset.TargetClasses
	if o.t.values {
		targets = dataset.TargetValues
	}
	set, err := dataset.ReadFile(filepath.Join(o.folder, "test.csv"),
		dataset.Options{Width: clf.NumFeatures(), Columns: clf.Columns(), Targets: targets, Header: dataset.HeaderYes})
	if err != nil {
		return err
	}
	r.Outputs = clf.NumSubmodels()
	decisions := make([]float64, set.N*r.Outputs)
	clf.DecideBatch(decisions, set.X, set.N, 1)
	for suffix, values := range map[string][]float64{".rows": set.X, ".out": decisions} {
		if err = writeFloats(filepath.Join(o.folder, r.Name+suffix), values); err != nil {
			return err
		}
	}
	if o.t.values {
		squares := 0.0
		for i, v := range decisions {
			squares += (v - set.Targets[i]) * (v - set.Targets[i])
		}
		_, sd := stat.PopMeanStdDev(set.Targets, nil)
		r.Loss = math.Sqrt(squares/float64(set.N)) / sd
		return nil
	}
	wrong, loss, chances := 0, 0.0, make([]float64, clf.NumClasses())
	for i := range set.N {
		label := set.Labels[set.Y[i]]
		if clf.Label(clf.Predict(set.Row(i))) != label {
			wrong++
		}
		if clf.Calibrated() == nil {
			clf.Probabilities(chances, set.Row(i))
			loss -= math.Log(max(1e-6, chances[slices.Index(clf.Labels(), label)]))
		}
	}
	r.Loss = float64(wrong) / float64(set.N)
	if loss /= float64(set.N); clf.Calibrated() == nil {
		r.LogLoss = &loss
	}
	return nil
}

func writeFloats(file string, values []float64) error {
	single := make([]float32, len(values))
	for i, v := range values {
		single[i] = float32(v)
	}
	var b bytes.Buffer
	if err := binary.Write(&b, binary.LittleEndian, single); err != nil {
		return err
	}
	return os.WriteFile(file, b.Bytes(), 0o666)
}
