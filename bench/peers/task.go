package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/testing/mnist"
	"github.com/sparsekm/sparsekm/learn"
)

// task is one training: points on disk for the peers and in memory for us.
type task struct {
	name     string
	c, gamma float64
	p        *learn.Problem
	file     string
}

func bananaTask(c float64) func(*env) (*task, error) {
	return setTask("banana-5300", "banana.libsvm", false, c, 1)
}

// setTask reads a set of the shared data.
func setTask(name, file string, standardise bool, c, gamma float64) func(*env) (*task, error) {
	return func(e *env) (*task, error) {
		p, err := e.problem(file, standardise, gram.RBF(gamma))
		if err != nil {
			return nil, err
		}
		return e.task(name, c, p)
	}
}

// problem reads a set of the data, in units of its deviations if asked to.
func (e *env) problem(file string, standardise bool, k gram.Kernel) (*learn.Problem, error) {
	set, err := e.Set(file)
	if err != nil {
		return nil, err
	}
	if standardise {
		var s *dataset.Scaling
		s, err = dataset.FitZ(set)
		if err != nil {
			return nil, err
		}
		set = s.Apply(set)
	}
	y, err := set.Signs()
	return &learn.Problem{X: set.X, N: set.N, D: set.D, Y: y, Kernel: k}, err
}

func ringnormTask(n int) func(*env) (*task, error) {
	return func(e *env) (*task, error) {
		t, err := setTask("", "ringnorm.libsvm.gz", false, 1, 0.05)(e)
		if err != nil {
			return nil, err
		}
		p := t.p
		p.N, p.X, p.Y = n, p.X[:n*p.D], p.Y[:n]
		return e.task(fmt.Sprintf("ringnorm-%d", n), 1, p)
	}
}

// digitsTask is MNIST's "3 against the rest", the first n training images with pixels in [0, 1].
func digitsTask(n int) func(*env) (*task, error) {
	return func(e *env) (*task, error) {
		dir := filepath.Join(e.Data, "open", "mnist")
		d, err := mnist.Read(filepath.Join(dir, "train-images-idx3-ubyte.gz"),
			filepath.Join(dir, "train-labels-idx1-ubyte.gz"), n)
		if err != nil {
			return nil, err
		}
		return e.task(fmt.Sprintf("MNIST-%d", n), 10,
			&learn.Problem{X: d.X, N: n, D: mnist.Pixels, Y: d.Against(3), Kernel: gram.RBF(0.02)})
	}
}

// task writes the points for the peers, zeros left out.
func (e *env) task(name string, c float64, p *learn.Problem) (*task, error) {
	t := &task{name: name, c: c, gamma: p.Kernel.Gamma, p: p, file: filepath.Join(e.Tmp, "task.libsvm")}
	f, err := os.Create(t.file)
	if err != nil {
		return nil, err
	}
	set := &dataset.Set{X: p.X, N: p.N, D: p.D, Y: make([]int, p.N), Labels: []string{"-1", "1"}}
	for i, y := range p.Y {
		if y > 0 {
			set.Y[i] = 1
		}
	}
	if err := set.WriteLIBSVM(f); err != nil {
		f.Close()
		return nil, err
	}
	return t, f.Close()
}

func (t *task) args(tol float64, reps int) []string {
	return []string{t.file, fmt.Sprint(t.c), fmt.Sprint(t.gamma), fmt.Sprint(tol), strconv.Itoa(reps)}
}
