package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"github.com/sparsekm/sparsekm/bench/internal/harness"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/learn/svc"
)

func init() {
	compare("svm-kinds", "regression, ν and one class against LIBSVM at 5000 samples, processor time, one thread",
		svmKinds)
}

// svmKinds trains every model of package svc but C-SVC at two tolerances.
func svmKinds(ctx context.Context, e *env) error {
	bin, err := e.compileC("libsvm_train.c", "-lsvm", "-lm")
	if err != nil {
		fmt.Println("LIBSVM left out:", err)
	}
	sinc, friedman := dataset.Sinc(5000, 0.1, 1), dataset.Friedman(1, 5000, 1, 1)
	ringnorm, twonorm := dataset.Ringnorm(5000, 1), dataset.Twonorm(5000, 1)
	harness.Header("set", "machine", "tolerance", "ours, ms", "LIBSVM, ms", "ratio", "SVs", "its", "status")
	for _, tol := range []float64{1e-3, 1e-6} {
		for _, k := range []struct {
			name       string
			set        *dataset.Set
			kind       int // svm-train's -s
			gamma      float64
			c, nu, eps float64
			train      learn.Trainer
		}{
			{"sinc", sinc, 3, 0.5, 1, 0, 0.1, svc.SVR{C: 1, Epsilon: 0.1, Tolerance: tol}},
			{"friedman1", friedman, 3, 0.5, 1, 0, 0.1, svc.SVR{C: 1, Epsilon: 0.1, Tolerance: tol}},
			{"sinc", sinc, 4, 0.5, 1, 0.3, 0, svc.NuSVR{C: 1, Nu: 0.3, Tolerance: tol}},
			{"friedman1", friedman, 4, 0.5, 1, 0.3, 0, svc.NuSVR{C: 1, Nu: 0.3, Tolerance: tol}},
			{"ringnorm", ringnorm, 1, 0.025, 1, 0.1, 0, svc.NuSVC{Nu: 0.1, Tolerance: tol}},
			{"twonorm", twonorm, 1, 0.025, 1, 0.1, 0, svc.NuSVC{Nu: 0.1, Tolerance: tol}},
			{"ringnorm", ringnorm, 2, 0.025, 1, 0.1, 0, svc.OneClass{Nu: 0.1, Tolerance: tol}},
			{"twonorm", twonorm, 2, 0.025, 1, 0.1, 0, svc.OneClass{Nu: 0.1, Tolerance: tol}},
		} {
			ours, r, err := e.processor(ctx, k.train, kindProblem(k.set, k.kind, k.gamma))
			if err != nil {
				return err
			}
			theirs, err := e.libsvmKind(bin, k.set, k.c, k.gamma, tol, k.kind, k.nu, k.eps)
			if err != nil {
				return err
			}
			harness.Row(k.name, k.train.Name(), fmt.Sprint(tol), ms(ours), ms(theirs["processor"]),
				fmt.Sprintf("%.1f", theirs["processor"]/ours), strconv.Itoa(len(r.Coef)), fmt.Sprint(theirs["sv"]),
				r.Report.Status.String())
		}
	}
	return nil
}

// kindProblem is the set as svm-train's -s takes it.
func kindProblem(set *dataset.Set, kind int, gamma float64) *learn.Problem {
	p := &learn.Problem{X: set.X, N: set.N, D: set.D, Kernel: gram.RBF(gamma)}
	switch kind {
	case 3, 4:
		p.Task, p.Y = learn.Regress, set.Targets
	case 2:
		p.Task = learn.OneClass
	default:
		p.Y = set.RestSigns(1)
	}
	return p
}

// libsvmKind times LIBSVM; nothing without the program.
func (e *env) libsvmKind(bin string, set *dataset.Set, c, gamma, tol float64, kind int, nu,
	eps float64) (map[string]float64, error) {
	if bin == "" {
		return nil, nil
	}
	path := filepath.Join(e.Tmp, "kind.libsvm")
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	if err = set.WriteLIBSVM(f); err == nil {
		err = f.Close()
	}
	if err != nil {
		return nil, err
	}
	args := []string{path}
	for _, v := range []float64{c, gamma, tol, float64(e.Reps), 0, float64(kind), nu, eps} {
		args = append(args, fmt.Sprint(v))
	}
	out, err := exec.CommandContext(context.Background(), bin, args...).Output()
	return figures(string(out), err), nil
}
