package cli

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/sparsekm/sparsekm"
)

// lineForm is the form of predictions: a line a point.
type lineForm struct {
	form          string // text, csv or jsonl
	decisions     bool
	probabilities bool
	variances     bool     // of values
	labels        [][]byte // of the classes, as the form writes them; nil before the first batch
	text          []byte
	name          string // of what is predicted: label or value
	number        []byte // a value
}

// of returns the lines of a batch, which are valid until the next call.
func (l *lineForm) of(p *predictions) ([]byte, error) {
	l.text = l.text[:0]
	if l.labels == nil {
		if err := l.begin(p.clf); err != nil {
			return nil, err
		}
	}
	for i, f := range p.rows() {
		label, probable := l.label(p, i), []float64(nil)
		if !l.decisions {
			f = nil
		}
		if l.probabilities {
			probable = p.probabilities(i)
		}
		if l.variances {
			probable = p.variances[i : i+1]
		}
		if l.form == "jsonl" {
			l.object(p.first+i, label, f, probable)
		} else {
			l.row(label, f, probable)
		}
	}
	return l.text, nil
}

// label is what is predicted for row i, as the form writes it.
func (l *lineForm) label(p *predictions, i int) []byte {
	if l.name == "label" {
		return l.labels[p.class[i]]
	}
	l.number = strconv.AppendFloat(l.number[:0], p.decisions[i], 'g', -1, 64)
	return l.number
}

// begin writes the labels once, and the header of a CSV file.
func (l *lineForm) begin(clf *sparsekm.Classifier) (err error) {
	if l.name = "label"; clf.Task().Real() {
		l.name = "value"
	}
	l.labels = make([][]byte, clf.NumClasses())
	for c, label := range clf.Labels() {
		switch l.form {
		case "jsonl":
			l.labels[c], err = json.Marshal(label)
		case "csv":
			l.labels[c], err = cells(label)
		default:
			l.labels[c] = []byte(label)
		}
		if err != nil {
			return err
		}
	}
	if l.form != "csv" {
		return nil
	}
	header := []string{l.name}
	if l.decisions {
		header = append(header, decisionNames(clf)...)
	}
	if l.probabilities {
		for _, label := range clf.Labels() {
			header = append(header, "probability of "+label)
		}
	}
	if l.variances {
		header = append(header, "variance")
	}
	names, err := cells(header...)
	l.text = append(append(l.text, names...), '\n')
	return err
}

// cells is a row of a CSV file, without its line end.
func cells(texts ...string) ([]byte, error) {
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	if err := w.Write(texts); err != nil {
		return nil, err
	}
	w.Flush()
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), w.Error()
}

// decisionNames tells the machines apart: by the label that a positive decision speaks for.
func decisionNames(clf *sparsekm.Classifier) []string {
	names := make([]string, clf.NumSubmodels())
	for m := range names {
		names[m] = fmt.Sprintf("decision %d for %s", m, clf.PositiveLabel(m))
	}
	return names
}

// object writes a row with the decisions, and the probabilities or the variance, that are not nil.
func (l *lineForm) object(row int, label []byte, f, probable []float64) {
	l.text = strconv.AppendInt(append(l.text, `{"row":`...), int64(row), 10)
	l.text = append(append(append(append(l.text, `,"`...), l.name...), `":`...), label...)
	if f != nil {
		l.text = append(l.text, `,"decisions":`...)
		before := byte('[')
		for _, v := range f {
			l.text = strconv.AppendFloat(append(l.text, before), v, 'g', -1, 64)
			before = ','
		}
		l.text = append(l.text, ']')
	}
	if l.variances {
		l.text = strconv.AppendFloat(append(l.text, `,"variance":`...), probable[0], 'g', -1, 64)
	} else if probable != nil {
		l.text = append(l.text, `,"probabilities":`...)
		before := byte('{')
		for k, v := range probable {
			l.text = append(append(append(l.text, before), l.labels[k]...), ':')
			l.text = strconv.AppendFloat(l.text, v, 'g', -1, 64)
			before = ','
		}
		l.text = append(l.text, '}')
	}
	l.text = append(l.text, "}\n"...)
}

func (l *lineForm) row(label []byte, f, probable []float64) {
	separator := byte(' ')
	if l.form == "csv" {
		separator = ','
	}
	l.text = append(l.text, label...)
	for _, numbers := range [][]float64{f, probable} {
		for _, v := range numbers {
			l.text = strconv.AppendFloat(append(l.text, separator), v, 'g', -1, 64)
		}
	}
	l.text = append(l.text, '\n')
}
