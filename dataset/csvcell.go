package dataset

import (
	"bytes"
	"fmt"
	"math"
	"strings"
)

// cell reads the cell of column j; false drops the row.
func (p *csvParser) cell(j int, f csvField, x []float64) (keep bool, bad error) {
	tok := bytes.TrimSpace(f.tok)
	switch k := p.place[j]; {
	case j == p.label:
		return p.labelCell(tok, f)
	case j == p.group:
		if len(tok) == 0 {
			return false, p.fail(f, j, "nothing", "the name of a group")
		}
		p.member = string(tok)
		return true, nil
	case p.seen[j] != nil || p.known[j] != nil:
		return p.category(j, tok, f, x)
	case isMissing(tok):
		return p.missing(j, tok, f, x)
	default:
		v, found := p.number(tok)
		if found != "" {
			e := p.fail(f, j, found, "a finite number")
			e.Text = true
			return false, e
		}
		x[k] = v
		return true, nil
	}
}

// number is parseFloat with the file's decimal mark.
func (p *csvParser) number(tok []byte) (float64, string) {
	if p.Decimal != ',' || bytes.IndexByte(tok, ',') < 0 {
		return parseFloat(tok)
	}
	if bytes.Count(tok, []byte{','}) > 1 || bytes.IndexByte(tok, '.') >= 0 {
		return 0, quote(tok)
	}
	v, found := parseFloat(bytes.Replace(tok, []byte{','}, []byte{'.'}, 1))
	if found != "" {
		found = quote(tok)
	}
	return v, found
}

func (p *csvParser) labelCell(tok []byte, f csvField) (keep bool, bad error) {
	if len(tok) == 0 && p.Missing == MissingDrop {
		return false, nil
	}
	l, found, want := p.targets.read(tok, p.labelKind(nameLabel), p.Decimal == ',')
	if found != "" {
		e := p.fail(f, p.label, found, want)
		e.Label = isNumber(tok)
		return false, e
	}
	p.target = l
	return true, nil
}

// isMissing reports whether a cell in a column of numbers is missing.
func isMissing(tok []byte) bool {
	if len(tok) > 4 {
		return false
	}
	switch strings.ToLower(string(tok)) {
	case "", "?", "na", "n/a", "nan", "null", "none", "-":
		return true
	}
	return false
}

// missing reads a missing cell by the given columns or by the rule.
func (p *csvParser) missing(j int, tok []byte, f csvField, x []float64) (keep bool, bad error) {
	k := p.place[j]
	switch c := &p.layout[p.of(j)]; {
	case c.Filled:
		x[k] = c.Fill
		return true, nil
	case p.Missing == MissingDrop:
		return false, nil
	case p.Missing == MissingError || p.Options.Columns != nil:
		found := "nothing"
		if len(tok) > 0 {
			found = quote(tok)
		}
		e := p.fail(f, j, found, "a finite number")
		if c.Role == RoleCategory {
			e.Want = "a category"
		}
		e.Missing = true
		return false, e
	}
	x[k], p.hollow = math.NaN(), true
	return true, nil
}

// category reads text; "" and "?" are missing, other words are names of categories.
func (p *csvParser) category(j int, tok []byte, f csvField, x []float64) (keep bool, bad error) {
	if len(tok) == 0 || string(tok) == "?" {
		return p.missing(j, tok, f, x)
	}
	if given := p.known[j]; given != nil {
		i, ok := given.index[string(tok)]
		if !ok {
			return false, p.fail(f, j, "the unknown category "+quote(tok), "one of "+list(given.names))
		}
		x[p.place[j]] = float64(i)
		return true, nil
	}
	seen := p.seen[j]
	i, ok := seen.index[string(tok)]
	if !ok {
		if i = seen.of(string(tok)); i == maxCategories {
			return false, p.fail(f, j, fmt.Sprintf("more than %d categories", maxCategories), "a column of few different words")
		}
	}
	x[p.place[j]] = float64(i)
	return true, nil
}

// maxCategories bounds the features of one column.
const maxCategories = 1000
