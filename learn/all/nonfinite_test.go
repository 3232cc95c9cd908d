package all

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/ref"
	"github.com/sparsekm/sparsekm/internal/testing/testutil"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

var notFinite = []float64{math.NaN(), math.Inf(1), math.Inf(-1)}

// problemOf is a small problem of a task, with weights and held-out data.
func problemOf(task learn.Task) *learn.Problem {
	p := ref.Clouds(3, 24, 2)
	p.Task = task
	p.Weight = ref.Ones(p.N)
	p.Kernel = gram.WeightedRBF(0.5, ref.Ones(p.D))
	held := ref.Clouds(4, 12, 2)
	p.Validation = &learn.Validation{X: held.X, Y: held.Y, N: held.N}
	switch {
	case task.Blind():
		p.Y, p.Validation = nil, nil
	case task == learn.Regress:
		for i := range p.Y {
			p.Y[i] += 0.3 * math.Sin(float64(i))
		}
	}
	return p
}

// change puts a number into a problem; it reports whether the problem has the field.
var changes = map[string]func(p *learn.Problem, k int, v float64) bool{
	"features": func(p *learn.Problem, k int, v float64) bool { return put(p.X, k, v) },
	"targets":  func(p *learn.Problem, k int, v float64) bool { return put(p.Y, k, v) },
	"weights":  func(p *learn.Problem, k int, v float64) bool { return put(p.Weight, k, v) },
	"held-out features": func(p *learn.Problem, k int, v float64) bool {
		return p.Validation != nil && put(p.Validation.X, k, v)
	},
	"held-out targets": func(p *learn.Problem, k int, v float64) bool {
		return p.Validation != nil && put(p.Validation.Y, k, v)
	},
	"γ":                  func(p *learn.Problem, _ int, v float64) bool { p.Kernel.Gamma = v; return true },
	"weight of a kernel": func(p *learn.Problem, k int, v float64) bool { return put(p.Kernel.Weights, k, v) },
	"γ of a polynomial":  func(p *learn.Problem, _ int, v float64) bool { p.Kernel = gram.Poly(2, v, 1); return true },
	"c0":                 func(p *learn.Problem, _ int, v float64) bool { p.Kernel = gram.Poly(2, 1, v); return true },
	"γ of a Laplacian":   func(p *learn.Problem, _ int, v float64) bool { p.Kernel = gram.Laplacian(v); return true },
	"kernel matrix": func(p *learn.Problem, k int, v float64) bool {
		p.Kernel, p.X, p.Validation = gram.Precomputed(), matrixOf(p), nil
		p.D = p.N
		return put(p.X, k, v)
	},
}

// ofKernel reports whether a field is one of the kernel.
func ofKernel(field string) bool {
	return strings.HasPrefix(field, "γ") || strings.Contains(field, "kernel") || field == "c0"
}

// put puts v at one of three places of a list.
func put(list []float64, k int, v float64) bool {
	if len(list) == 0 {
		return false
	}
	list[k*(len(list)-1)/2] = v
	return true
}

// matrixOf is the kernel matrix.
func matrixOf(p *learn.Problem) []float64 { return slices.Concat(ref.KernelMatrix(p)...) }

// TestNotFinite gives every method NaN and ±Inf in every number of a problem and in every parameter: an error.
func TestNotFinite(t *testing.T) {
	for _, m := range learn.Methods() {
		for _, task := range m.TasksOf() {
			t.Run(fmt.Sprintf("%s %v", m.Name, task), func(t *testing.T) {
				for field, change := range changes {
					for _, bad := range notFinite {
						for k := range 3 {
							p := problemOf(task)
							if !change(p, k, bad) || strings.HasPrefix(field, "held") && !m.Validation || m.OwnKernel && ofKernel(field) {
								continue
							}
							what := fmt.Sprintf("%v as %s", bad, field)
							r, err := trainOn(t, trainerOf(t, m).Interface().(learn.Trainer), p, what)
							refused(t, what, r, err, false)
						}
					}
				}
				for k, name := range parameters(trainerOf(t, m)) {
					for _, bad := range notFinite {
						v := trainerOf(t, m)
						if field := v.Type().FieldByIndex(name).Name; field == "Norm" && math.IsInf(bad, 1) {
							continue // the infinity norm
						}
						at := v.FieldByIndex(name)
						if at.Kind() == reflect.Float64 {
							at.SetFloat(bad)
						} else {
							at.Set(reflect.ValueOf([]float64{1, bad}))
						}
						what := fmt.Sprintf("%v as parameter %d of %v", bad, k, v.Type())
						r, err := trainOn(t, v.Interface().(learn.Trainer), problemOf(task), what)
						refused(t, what, r, err, true)
					}
				}
			})
		}
	}
}

// refused fails unless a training has ended with an error, of a parameter if one was wrong.
func refused(t *testing.T, what string, r *learn.Result, err error, parameter bool) {
	t.Helper()
	var wrong *learn.ParamError
	switch {
	case err == nil && r != nil:
		t.Errorf("%s: %v", what, r.Report.Status)
	case parameter && !errors.As(err, &wrong):
		t.Errorf("%s: error %v, want a ParamError", what, err)
	}
}

// trainerOf is a method's trainer with its defaults, a struct whose fields can be set.
func trainerOf(t *testing.T, m learn.Method) reflect.Value {
	t.Helper()
	trainer, err := m.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	v := reflect.New(reflect.TypeOf(trainer)).Elem()
	v.Set(reflect.ValueOf(trainer))
	return v
}

// parameters lists the fields of a trainer that are numbers or lists of numbers.
func parameters(v reflect.Value) (fields [][]int) {
	for _, f := range reflect.VisibleFields(v.Type()) {
		if f.IsExported() && (f.Type.Kind() == reflect.Float64 || f.Type == reflect.TypeFor[[]float64]()) {
			fields = append(fields, f.Index)
		}
	}
	return fields
}

// trainOn trains. A panic is an error of the test.
func trainOn(t *testing.T, trainer learn.Trainer, p *learn.Problem, what string) (r *learn.Result, err error) {
	t.Helper()
	defer func() {
		if e := recover(); e != nil {
			t.Errorf("%s: panic %v\n%s", what, e, debug.Stack())
		}
	}()
	return trainer.Train(context.Background(), p)
}

// TestKernelNotFinite trains with a kernel of the caller's own that is not finite for one pair of samples, or for all
// pairs with one sample. Checks before a training do not evaluate all pairs. A model is optimal only where it does not
// depend on such a pair: its decisions about all samples are finite.
func TestKernelNotFinite(t *testing.T) {
	testutil.EachLevel(t, func(t *testing.T) {
		for _, m := range learn.Methods() {
			for _, task := range m.TasksOf() {
				if m.OwnKernel {
					continue
				}
				t.Run(fmt.Sprintf("%s %v", m.Name, task), func(t *testing.T) {
					for _, bad := range notFinite {
						for k, pair := range [][2]int{{5, 17}, {1, 2}, {9, 9}, {22, 23}, {11, -1}} {
							if testing.Short() && k > 0 {
								break
							}
							kernelNotFinite(t, m, task, pair, bad)
						}
					}
				})
			}
		}
	})
}

func kernelNotFinite(t *testing.T, m learn.Method, task learn.Task, pair [2]int, bad float64) {
	t.Helper()
	p := problemOf(task)
	of, rbf := p.X, gram.RBF(0.5)
	is := func(x []float64, i int) bool { return i < 0 || x[0] == of[i*p.D] && x[1] == of[i*p.D+1] }
	p.Kernel = gram.Custom(func(x, z []float64) float64 {
		if is(x, pair[0]) && is(z, pair[1]) || is(z, pair[0]) && is(x, pair[1]) {
			return bad
		}
		return rbf.Eval(x, z)
	})
	what := fmt.Sprintf("%v for samples %v", bad, pair)
	r, err := trainOn(t, trainerOf(t, m).Interface().(learn.Trainer), p, what)
	if err != nil || r == nil {
		return
	}
	if r.Report.Status != status.Optimal {
		return
	}
	for s, c := range r.Coef {
		if c-c != 0 {
			t.Errorf("%s: optimal, coefficient %d is %v", what, s, c)
			return
		}
	}
	if r.Vectors != nil {
		return
	}
	for i, f := range ref.Decisions(p, r) {
		if f-f != 0 {
			t.Errorf("%s: optimal, but decides %v about sample %d; coefficients of %v", what, f, i, r.Support)
			return
		}
	}
}
