package cli

import (
	"fmt"
	"io"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/model"
)

type convertCmd struct {
	Model        string `arg:"" help:"Model: ours, JSON or LIBSVM's."`
	To           string `required:"" enum:"${formats}" help:"Format of the result: ${enum}."`
	Out          string `short:"o" required:"" placeholder:"FILE" help:"Where to write it; - for standard output."`
	SplitScaling string `placeholder:"FILE" help:"Write the model's scaling here, as a range file for svm-scale -r, and the model without it. Otherwise LIBSVM's format, which has none, gets it in the vectors where the kernel allows that: linear, or RBF with one factor for all features."`
	forceFlag
}

func (c *convertCmd) files() (in, out []named) {
	return []named{{"the model", c.Model}}, append(askedFor(named{"--split-scaling", c.SplitScaling}), named{"--out", c.Out})
}

func (c *convertCmd) Run(s *session) error {
	if s.json && c.Out == "-" {
		return usagef("--json: the model goes to standard output already; name a file with --out")
	}
	format, err := model.ParseFormat(c.To)
	if err != nil {
		return usageError{err}
	}
	clf, err := s.loadClassifier(c.Model)
	if err != nil {
		return err
	}
	if err = c.replaces(s, c.Out, clf.Parts().Method, clf.Parts().Features); err != nil {
		return err
	}
	var scaling *dataset.Scaling
	if c.SplitScaling != "" {
		if clf, scaling = clf.WithoutScaling(); scaling == nil {
			return fmt.Errorf("--split-scaling: %s has no scaling", c.Model)
		}
	}
	if format == model.LIBSVM {
		if clf, err = clf.FoldScaling(); err != nil {
			return fmt.Errorf("%w (--split-scaling FILE writes it to a file for svm-scale)", err)
		}
	}
	if err = s.writeFile(c.Out, func(w io.Writer) error { return clf.Write(s.stopping(w), format) }); err != nil {
		return err
	}
	if scaling != nil { // behind the model, which not every format can hold
		if err = s.writeFile(c.SplitScaling, scaling.WriteRange); err != nil {
			return err
		}
	}
	if s.json {
		return s.writeJSON(map[string]any{"model": c.Model, "to": c.To, "out": c.Out, "sv": clf.NumVectors()})
	}
	return nil
}
