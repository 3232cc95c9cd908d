package cli

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/export"
	"github.com/sparsekm/sparsekm/model"
)

type convertCmd struct {
	modelArg
	To           string `required:"" placeholder:"FORM" values:"targets" help:"A model format, skm, json or libsvm; or a program: c, c-float, c-fixed (integers alone), go, onnx, onnx-svmclassifier (that operator, of single precision)."`
	Out          string `short:"o" required:"" placeholder:"FILE" writes:"-" help:"Where to write it; - for standard output."`
	SplitScaling string `placeholder:"FILE" writes:"" help:"Write the scaling here, as a range file for svm-scale -r, and the model without it."`
	Name         string `placeholder:"NAME" help:"Program: prefix of its names in C, package in Go, graph in ONNX. Default: of --out."`
	forceFlag
	session.MemFlag
}

func (c *convertCmd) Run(s *session.Session) error {
	if s.JSON && c.Out == "-" {
		return usagef("--json: the model goes to standard output already; name a file with --out")
	}
	if !slices.Contains(targets(), c.To) {
		return usagef("--to: found %q, want one of %s", c.To, strings.Join(targets(), ", "))
	}
	if c.Name != "" && !c.program() {
		return usagef("--name has no effect on --to %s: only programs have a name", c.To)
	}
	clf, _, err := loadClassifier(s, c.Model, s.Memory)
	if err != nil {
		return err
	}
	if need := c.written() * clf.Bytes(); need > s.Memory {
		return fmt.Errorf("%s: to write it as %s takes about %d bytes, want a memory budget of more than %d (--mem)", c.Model,
			c.To, need, s.Memory)
	}
	if c.program() {
		err = c.replacesProgram(c.Out)
	} else {
		err = c.replaces(s, c.Out, clf.Method(), clf.TrainedFeatures())
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
	if c.To == string(model.LIBSVM) {
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
	if clf.Uncertain() != nil || c.To == string(model.SKM) || c.To == string(model.JSON) {
		return false
	}
	p := clf.Parts()
	return c.To != "c" || p.Posterior.Process == nil || p.Conformal != nil
}

// write writes the classifier in the format or the language of --to.
func (c *convertCmd) write(w io.Writer, clf *model.Classifier) error {
	if c.program() {
		name := c.Name
		if name == "" {
			name = export.NameOf(c.Out)
		}
		o := programs[c.To]
		o.Name = name
		err := export.Write(w, clf, o.language, o.Options)
		switch {
		case errors.Is(err, export.ErrNoOperator):
			return fmt.Errorf("%w (--to onnx has every classifier)", err)
		case errors.Is(err, export.ErrNoFixed):
			return fmt.Errorf("%w (--to c-float has every classifier)", err)
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
	case string(model.SKM):
		return 4
	case string(model.LIBSVM):
		return 3
	}
	return 10
}

// program reports whether a program is written, and no model.
func (c *convertCmd) program() bool { return programs[c.To].language != "" }

// targets are the values of --to.
func targets() []string { return append(model.FormatNames(), slices.Sorted(maps.Keys(programs))...) }

// programs are the values of --to that ask for a program: its language, and how it is written.
var programs = map[string]struct {
	language string
	export.Options
}{
	"c": {language: "c"}, "c-float": {"c", export.Options{Float: true}}, "c-fixed": {"c", export.Options{Fixed: true}},
	"go": {language: "go"}, "onnx": {language: "onnx"}, "onnx-svmclassifier": {"onnx", export.Options{SVM: true}},
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
