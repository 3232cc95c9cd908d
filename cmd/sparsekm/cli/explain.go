package cli

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/jedib0t/go-pretty/v6/table"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
	"github.com/sparsekm/sparsekm/model/predict"
)

// explainFlags ask for one decision, taken apart.
type explainFlags struct {
	Explain *int `placeholder:"ROW" help:"Show what each vector adds to the decision for this sample (from 0), the bias, and their sum, instead of labels."`
	Top     int  `default:"10" placeholder:"N" help:"--explain: how many vectors to show, those that add most first."`
}

// explainJSON is what `sparsekm predict --explain ROW --json` prints.
type explainJSON struct {
	Row      int                    `json:"row"`
	Label    string                 `json:"label"`           // predicted
	Given    string                 `json:"given,omitempty"` // in the file
	Machines []explainedMachineJSON `json:"machines"`
}

type explainedMachineJSON struct {
	Positive string        `json:"positive"`
	Negative string        `json:"negative"` // empty for all other classes
	Decision float64       `json:"decision"` // bias + the shares + rest
	Bias     float64       `json:"bias"`
	Vectors  []model.Share `json:"vectors"`
	Omitted  int           `json:"omitted"` // vectors
	Rest     float64       `json:"rest"`    // the sum of their shares
}

// errExplained ends the reading of samples.
var errExplained = errors.New("the sample has been explained")

func (f *explainFlags) validate(g session.SetFlags) error {
	other := g.First("out", "decisions", "probability", "variance", "write")
	switch {
	case f.Explain == nil && g.First("top") != "":
		return usagef("--top: only --explain has it")
	case f.Explain == nil:
	case *f.Explain < 0:
		return usagef("--explain: found %d, want a sample, from 0", *f.Explain)
	case f.Top < 1:
		return usagef("--top: found %d, want at least 1", f.Top)
	case other != "":
		return usagef("--%s: --explain writes no predictions", other)
	}
	return nil
}

// of explains the sample if it is one of a batch's.
func (f *explainFlags) of(b *predict.Predictions, set *dataset.Set, first int) *explainJSON {
	at := *f.Explain - first
	if at < 0 || at >= b.N {
		return nil
	}
	j := &explainJSON{Row: *f.Explain, Label: b.Label(at)}
	switch {
	case set.Y != nil:
		j.Given = set.Labels[set.Y[at]]
	case set.Targets != nil:
		j.Given = strconv.FormatFloat(set.Targets[at], 'g', -1, 64)
	}
	for _, e := range b.Model.Explain(set.Row(at)) {
		m := explainedMachineJSON{Positive: "value", Decision: e.Decision, Bias: e.Bias,
			Vectors: nonNil(e.Shares[:min(f.Top, len(e.Shares))])}
		if b.Classes != nil {
			m.Positive = b.Model.Label(e.Pos)
		}
		if e.Neg != learn.Rest {
			m.Negative = b.Model.Label(e.Neg)
		}
		for _, s := range e.Shares[len(m.Vectors):] {
			m.Omitted++
			m.Rest += s.Share
		}
		j.Machines = append(j.Machines, m)
	}
	return j
}

// explain reads as far as the sample, and shows what its decision is made of.
func (p *predictor) explain(f *explainFlags) error {
	var j *explainJSON
	p.take = func(b *predict.Predictions, set *dataset.Set, first int) error {
		if j = f.of(b, set, first); j != nil {
			return errExplained
		}
		return nil
	}
	switch err := p.read(); {
	case err == nil:
		return fmt.Errorf("--explain: %s has %d samples, and none of row %d (from 0)", inputName(p.name), p.json.N,
			*f.Explain)
	case !errors.Is(err, errExplained):
		return err
	case p.s.JSON:
		return p.s.WriteJSON(j)
	}
	j.print(p.s.Stdout)
	return nil
}

// print shows the models that have a say about the predicted class.
func (j *explainJSON) print(w io.Writer) {
	values := len(j.Machines) == 1 && j.Machines[0].Positive == "value" && j.Machines[0].Negative == ""
	if values {
		fmt.Fprintf(w, "row %d: value %s", j.Row, j.Label)
	} else {
		fmt.Fprintf(w, "row %d: class %s", j.Row, j.Label)
	}
	if j.Given != "" {
		fmt.Fprintf(w, ", labelled %s", j.Given)
	}
	fmt.Fprintln(w)
	for _, m := range j.Machines {
		negative := m.Negative
		switch {
		case j.Label != m.Positive && j.Label != m.Negative && len(j.Machines) > 1:
			continue
		case negative == "":
			negative = "the rest"
		}
		fmt.Fprintf(w, "decision %.6g: above 0 for %s, else for %s\n", m.Decision, m.Positive, negative)
		t := newTable("vector", "row", "kernel", "coefficient", "adds", "for")
		for _, v := range m.Vectors {
			row, side := "", m.Positive
			if v.Row != nil {
				row = fmt.Sprint(*v.Row)
			}
			if math.Signbit(v.Share) {
				side = negative
			}
			t.AppendRow(table.Row{v.Vector, row, fmt.Sprintf("%.4g", v.Kernel), fmt.Sprintf("%+.4g", v.Coef),
				fmt.Sprintf("%+.4g", v.Share), side})
		}
		if m.Omitted > 0 {
			t.AppendRow(table.Row{fmt.Sprintf("%d more", m.Omitted), "", "", "", fmt.Sprintf("%+.4g", m.Rest), ""})
		}
		t.AppendRow(table.Row{"bias", "", "", "", fmt.Sprintf("%+.4g", m.Bias), ""})
		fmt.Fprintln(w, t.Render())
	}
}
