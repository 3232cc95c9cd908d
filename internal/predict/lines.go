package predict

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strconv"
)

// Lines writes predictions, a line a sample: "text" and "csv" have the label or the value and then numbers, "csv" with
// a header, "jsonl" has an object. A prediction set is a 0 or 1 for each class, in an object a list of labels. A Lines
// writes batch after batch of one model, each with the same kinds of numbers.
type Lines struct {
	Form      string
	Decisions bool // decision values too

	labels [][]byte // of the classes, as the form writes them; nil before the first batch
	text   []byte
	name   string // of what is predicted: label or value
	number []byte // a value
}

// Of returns the lines of a batch, which are valid until the next call. Its first row has the number first.
func (l *Lines) Of(p *Predictions, first int) ([]byte, error) {
	l.text = l.text[:0]
	if l.labels == nil {
		if err := l.begin(p); err != nil {
			return nil, err
		}
	}
	m, k := p.Model.NumSubmodels(), p.Model.NumClasses()
	for i := range p.N {
		var o others
		if l.Decisions {
			o.decisions = p.Decisions[i*m : (i+1)*m]
		}
		if p.Probabilities != nil {
			o.probabilities = p.Probabilities[i*k : (i+1)*k]
		}
		if p.Variances != nil {
			o.variance = p.Variances[i : i+1]
		}
		if p.Sets != nil {
			o.set = p.Sets[i*k : (i+1)*k]
		}
		if p.Intervals != nil {
			o.interval = p.Intervals[2*i : 2*i+2]
		}
		if l.Form == "jsonl" {
			l.object(first+i, l.label(p, i), &o)
		} else {
			l.row(l.label(p, i), &o)
		}
	}
	return l.text, nil
}

// others are what a line has after the label; what nobody asked for is nil.
type others struct {
	decisions, probabilities, variance, interval []float64
	set                                          []bool
}

// label is what is predicted for row i, as the form writes it.
func (l *Lines) label(p *Predictions, i int) []byte {
	if p.Classes != nil {
		return l.labels[p.Classes[i]]
	}
	l.number = strconv.AppendFloat(l.number[:0], p.Decisions[i], 'g', -1, 64)
	return l.number
}

// begin writes the labels once, and the header of a CSV file.
func (l *Lines) begin(p *Predictions) (err error) {
	clf := p.Model
	if l.name = "label"; clf.Task().Real() {
		l.name = "value"
	}
	l.labels = make([][]byte, clf.NumClasses())
	for c, label := range clf.Labels() {
		switch l.Form {
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
	if l.Form != "csv" {
		return nil
	}
	header := []string{l.name}
	if l.Decisions { // those of a submodel are positive for a label
		for m := range clf.NumSubmodels() {
			header = append(header, fmt.Sprintf("decision %d for %s", m, clf.PositiveLabel(m)))
		}
	}
	if p.Probabilities != nil {
		for _, label := range clf.Labels() {
			header = append(header, "probability of "+label)
		}
	}
	if p.Variances != nil {
		header = append(header, "variance")
	}
	if p.Intervals != nil {
		header = append(header, "low", "high")
	}
	if p.Sets != nil {
		for _, label := range clf.Labels() {
			header = append(header, "set has "+label)
		}
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

// object writes a row.
func (l *Lines) object(row int, label []byte, o *others) {
	l.text = strconv.AppendInt(append(l.text, `{"row":`...), int64(row), 10)
	l.text = append(append(append(append(l.text, `,"`...), l.name...), `":`...), label...)
	l.list("decisions", o.decisions)
	if o.variance != nil {
		l.text = strconv.AppendFloat(append(l.text, `,"variance":`...), o.variance[0], 'g', -1, 64)
	}
	if o.probabilities != nil {
		l.text = append(l.text, `,"probabilities":`...)
		before := byte('{')
		for k, v := range o.probabilities {
			l.text = append(append(append(l.text, before), l.labels[k]...), ':')
			l.text = strconv.AppendFloat(l.text, v, 'g', -1, 64)
			before = ','
		}
		l.text = append(l.text, '}')
	}
	l.list("interval", o.interval)
	if o.set != nil {
		l.text = append(l.text, `,"set":[`...)
		some := false
		for k, in := range o.set {
			if in && some {
				l.text = append(l.text, ',')
			}
			if in {
				l.text = append(l.text, l.labels[k]...)
				some = true
			}
		}
		l.text = append(l.text, ']')
	}
	l.text = append(l.text, "}\n"...)
}

// list writes numbers under a name; nothing for nil.
func (l *Lines) list(name string, numbers []float64) {
	if numbers == nil {
		return
	}
	l.text = append(append(append(l.text, `,"`...), name...), `":`...)
	before := byte('[')
	for _, v := range numbers {
		l.text = strconv.AppendFloat(append(l.text, before), v, 'g', -1, 64)
		before = ','
	}
	l.text = append(l.text, ']')
}

func (l *Lines) row(label []byte, o *others) {
	separator := byte(' ')
	if l.Form == "csv" {
		separator = ','
	}
	l.text = append(l.text, label...)
	for _, numbers := range [][]float64{o.decisions, o.probabilities, o.variance, o.interval} {
		for _, v := range numbers {
			l.text = strconv.AppendFloat(append(l.text, separator), v, 'g', -1, 64)
		}
	}
	for _, in := range o.set {
		digit := byte('0')
		if in {
			digit = '1'
		}
		l.text = append(append(l.text, separator), digit)
	}
	l.text = append(l.text, '\n')
}
