package cli

import (
	"errors"

	"github.com/alecthomas/kong"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/model"
)

// trainingFlags say how to train: what train, cv and tune have in common.
type trainingFlags struct {
	Method string `short:"m" placeholder:"NAME" help:"Method; see sparsekm methods. Default: ${defaultMethods}."`
	taskFlags
	Scale       string   `enum:"auto,none,zscore,minmax" default:"auto" help:"Scaling of the features, fitted on the samples that are trained on and kept in the model; auto takes zscore if the features' ranges differ by more than a factor of 30, else none: ${enum}."`
	Multiclass  string   `enum:"ovr,ovo,pairwise-fuzzy" default:"ovr" help:"More than two classes: one model for each against the rest, or for each pair with votes or fuzzy decisions: ${enum}."`
	ClassWeight weighing `placeholder:"LABEL=W,..." help:"Multiply the weight of a class's samples; balanced: so that every class weighs the same."`

	// Method's parameters: a flag for each that some method declares.
	Parameters kong.Plugins `embed:"" group:"method"`

	KernelFlags kernelFlags        `embed:""`
	RefitFlag   refitFlag          `embed:""`
	DataFlags   dataFlags          `embed:""`
	ColumnFlags columnFlags        `embed:""`
	LimitFlags  session.LimitFlags `embed:""`

	flags *flags // what is in Parameters
}

// newTrainingFlags prepares what kong fills in.
func newTrainingFlags() trainingFlags {
	f := newFlags()
	return trainingFlags{Parameters: f.plugins(), flags: f}
}

// options turns the flags into the method and the options of a training. A scaling that is auto, and balanced
// weights, are settled with the samples.
func (f *trainingFlags) options(g session.SetFlags) (o sparsekm.Options, method sparsekm.Method, err error) {
	if method, err = f.method(g); err != nil {
		return o, method, err
	}
	if o.Trainer, err = f.flags.trainer(method); err != nil {
		return o, method, err
	}
	if err = errors.Join(f.DataFlags.validate(), f.LimitFlags.Validate(g), f.KernelFlags.apply(g, &o),
		ownKernel(method, g, &o)); err != nil {
		return o, method, err
	}
	if f.Scale != "auto" {
		if o.Scale, err = dataset.ParseScaleKind(f.Scale); err != nil {
			return o, method, session.AsUsage(err)
		}
	}
	if o.Scheme, err = model.ParseScheme(f.Multiclass); err != nil {
		return o, method, session.AsUsage(err)
	}
	return o, method, f.RefitFlag.apply(method, &o)
}

// reading returns how the training samples are read.
func (f *trainingFlags) reading(o *sparsekm.Options, memory int64) reading {
	r := f.DataFlags.reading()
	r.choose, r.maxBytes, r.sparse, r.zeroBased = f.ColumnFlags, memory, true, o.Kernel.Indexed()
	if m, err := sparsekm.Lookup(o.Trainer.Name()); err == nil {
		r.expect(m, &f.taskFlags)
	}
	return r
}

// narrow is the kernel for which samples of few features may stay sparse too, nil where the training needs those that
// are 0.
func (f *trainingFlags) narrow(o *sparsekm.Options) *gram.Kernel {
	if f.Scale != "auto" && o.Scale != dataset.ScaleNone || f.flags.candidates() != "" {
		return nil
	}
	m, err := sparsekm.Lookup(o.Trainer.Name())
	if err != nil || !m.KernelOnly || !o.Kernel.Sparse() || o.KernelOf != nil || o.LearnWidths || o.Refit {
		return nil
	}
	return &o.Kernel
}
