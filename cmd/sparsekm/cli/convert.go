package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/export"
	"github.com/sparsekm/sparsekm/model"
)

type convertCmd struct {
	Model        string `arg:"" reads:"the model" help:"Model: ours, JSON, LIBSVM's, LIBLINEAR's, one of scikit-learn by skops or a Gaussian process (.npz)."`
	To           string `required:"" enum:"${formats},${targets}" help:"What to write: a model in the format ${formats}, or a program in the language ${targets}. A program decides about raw features and needs nothing of ours: C99 in one header, Go that imports only math, ONNX of plain operators in double precision. It cannot be read back."`
	Out          string `short:"o" required:"" placeholder:"FILE" writes:"-" help:"Where to write it; - for standard output."`
	SplitScaling string `placeholder:"FILE" writes:"" help:"Write the model's scaling here, as a range file for svm-scale -r, and the model without it. Otherwise LIBSVM's format, which has none, gets it in the vectors where the kernel allows that: linear, or RBF with one factor for all features."`
	Float        bool   `help:"C: tables and arithmetic of float instead of double."`
	Fixed        bool   `help:"C: integers instead of floating point, for processors without it: of vectors of one RBF kernel, linear kernels, planes and steps. The header says by how much its decisions can differ."`
	ONNX         string `enum:"plain,svmclassifier" default:"plain" help:"ONNX: plain operators of double precision, or, for converters that look for it, the operator SVMClassifier (SVMRegressor of values), which is of single precision and has two classes or votes of pairs: ${enum}."`
	Name         string `placeholder:"NAME" help:"Program: prefix of its names in C, package in Go, graph in ONNX. Default: of --out."`
	forceFlag
	session.MemFlag
}

func (c *convertCmd) Run(s *session.Session) error {
	if s.JSON && c.Out == "-" {
		return usagef("--json: the model goes to standard output already; name a file with --out")
	}
	if err := c.checkProgram(s.Set); err != nil {
		return err
	}
	memory := c.Mem.Bytes()
	defer session.LimitMemory(memory)()
	clf, err := loadClassifier(s, c.Model, memory)
	if err != nil {
		return err
	}
	if need := c.written() * clf.Bytes(); need > memory {
		return fmt.Errorf("%s: to write it as %s takes about %d bytes, want a memory budget of more than %d (--mem)", c.Model,
			c.To, need, memory)
	}
	if c.program() {
		err = c.replacesProgram(c.Out)
	} else {
		err = c.replaces(s, c.Out, clf.Method(), clf.TrainedFeatures(), memory)
	}
	if err != nil {
		return err
	}
	var scaling *dataset.Scaling
	if c.SplitScaling != "" {
		if clf, scaling = clf.WithoutScaling(); scaling == nil {
			return fmt.Errorf("--split-scaling: %s has no scaling", c.Model)
		}
	}
	if c.To == model.LIBSVM.String() {
		if clf, err = clf.FoldScaling(); err != nil {
			return fmt.Errorf("%w (--split-scaling FILE writes it to a file for svm-scale)", err)
		}
	}
	if err = s.WriteFile(c.Out, func(w io.Writer) error { return c.write(s.Stopping(w), clf) }); err != nil {
		return err
	}
	if scaling != nil { // behind the model, which not every format can hold
		if err = s.WriteFile(c.SplitScaling, scaling.WriteRange); err != nil {
			return err
		}
	}
	if c.dropsVariance(clf) {
		s.Note("%s has no variances: --to %s keeps the means alone; .skm, JSON and, for Gaussian processes, C have both",
			c.Out, c.To)
	}
	if s.JSON {
		return s.WriteJSON(map[string]any{"model": c.Model, "to": c.To, "out": c.Out, "sv": clf.NumVectors()})
	}
	return nil
}

// dropsVariance reports whether what is written lacks the variances that the model has.
func (c *convertCmd) dropsVariance(clf *model.Classifier) bool {
	if clf.Uncertain() != nil || c.To == model.SKM.String() || c.To == model.JSON.String() {
		return false
	}
	p := clf.Parts()
	return c.To != "c" || c.Float || c.Fixed || p.Posterior.Process == nil || p.Conformal != nil
}

// write writes the classifier in the format or the language of --to.
func (c *convertCmd) write(w io.Writer, clf *model.Classifier) error {
	if c.program() {
		name := c.Name
		if name == "" {
			name = export.NameOf(c.Out)
		}
		err := export.Write(w, clf, c.To, export.Options{Name: name, Float: c.Float, Fixed: c.Fixed, SVM: c.ONNX == "svmclassifier"})
		switch {
		case errors.Is(err, export.ErrNoOperator):
			return fmt.Errorf("%w (--onnx plain has every classifier)", err)
		case errors.Is(err, export.ErrNoFixed):
			return fmt.Errorf("%w (--float has every classifier)", err)
		}
		return err
	}
	format, err := model.ParseFormat(c.To)
	if err != nil {
		return session.AsUsage(err)
	}
	return clf.Write(w, format)
}

// written is how many times the memory of the model it takes to write it: copies, and text that a buffer holds.
func (c *convertCmd) written() int64 {
	switch c.To {
	case model.SKM.String():
		return 4
	case model.LIBSVM.String():
		return 3
	}
	return 10
}

// program reports whether a program is written, and no model.
func (c *convertCmd) program() bool { return slices.Contains(export.Names(), c.To) }

// checkProgram refuses flags of programs that have no effect on what is written.
func (c *convertCmd) checkProgram(g session.SetFlags) error {
	switch {
	case g.First("onnx") != "" && c.To != "onnx":
		return usagef("--onnx has no effect on --to %s", c.To)
	case c.Float && !export.TakesFloat(c.To):
		return usagef("--float has no effect on --to %s: its numbers are of double precision", c.To)
	case c.Fixed && c.To != "c":
		return usagef("--fixed has no effect on --to %s: only C is written in integers", c.To)
	case c.Fixed && c.Float:
		return usagef("--fixed goes without --float: its numbers are integers")
	case c.Name != "" && !c.program():
		return usagef("--name has no effect on --to %s: only programs have a name", c.To)
	}
	return nil
}

// replacesProgram fails when a program would replace a file that is something else than one that we wrote.
func (f *forceFlag) replacesProgram(name string) error {
	info, err := os.Stat(name)
	if f.Force || err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil
	}
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	head := make([]byte, 1000)
	n, err := io.ReadFull(file, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("%s: %w", name, err)
	}
	if !export.Written(head[:n]) {
		return fmt.Errorf("%s is there and is no program of sparsekm convert; --force replaces it", name)
	}
	return nil
}
