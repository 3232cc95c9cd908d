package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
)

// scale settles --scale auto by the training samples, and says so where it scales them.
// Kernels whose features are no measurements, or that weigh them by themselves, get no scaling.
func (c *trainCmd) scale(s *session.Session, o *sparsekm.Options, train *dataset.Set) error {
	if o.Kernel.Indexed() || o.KernelOf != nil {
		return nil
	}
	kind, ratio, err := dataset.AutoScale(s.Context, c.present(train))
	if err != nil {
		return stopped(err)
	}
	if c.auto = kind; c.Scale != "auto" {
		return nil
	}
	if kind != dataset.ScaleNone {
		s.Note("the features' ranges differ by a factor of %.3g: scaled by %v (--scale none trains on them as they are)",
			ratio, kind)
	}
	o.Scale = kind
	return nil
}

// present returns the samples without those whose class has the weight 0.
func (c *trainCmd) present(train *dataset.Set) *dataset.Set {
	absent := make([]bool, len(train.Labels))
	for i, label := range train.Labels {
		w, ok := c.ClassWeight.of[label]
		absent[i] = ok && w == 0
	}
	if !slices.Contains(absent, true) {
		return train
	}
	var rows []int
	for i, class := range train.Y {
		if !absent[class] {
			rows = append(rows, i)
		}
	}
	return train.Subset(rows)
}

// advice says what to try when a classifier is no better on its training samples than
// the largest class alone, by the weights of the training; empty when it is.
func (c *trainCmd) advice(of *judged, o *sparsekm.Options) string {
	if of.clf.Task().Blind() {
		return ""
	}
	found, majority := of.weighted(c.ClassWeight.of)
	if found < majority {
		return ""
	}
	var try []string
	if o.Scale == dataset.ScaleNone && c.auto != o.Scale {
		try = append(try, "--scale "+c.auto.String())
	}
	if m, err := sparsekm.Lookup(o.Trainer.Name()); err == nil && hasParameter(m, "c") {
		try = append(try, "a larger --c")
	}
	if of.clf.Kernel().HasGamma() {
		try = append(try, "another --gamma (median) or --sigma")
	}
	try = append(try, "another --method or --kernel")
	if of.value != nil {
		return fmt.Sprintf("no better than the mean of the targets alone (RMSE %.6g): try %s", majority,
			strings.Join(try, ", "))
	}
	return fmt.Sprintf("no better than its largest class alone (%s): try %s", percent(majority), strings.Join(try, ", "))
}

func hasParameter(m learn.Method, name string) bool {
	return slices.ContainsFunc(m.Params(), func(p learn.Param) bool { return p.Name == name })
}
