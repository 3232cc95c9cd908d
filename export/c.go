package export

import (
	"fmt"
	"io"
	"strings"

	_ "embed"
)

//go:embed c.tmpl
var cText string

// writeC writes a C header.
func writeC(w io.Writer, f *flat, o Options) error {
	if !o.Float && f.Conformal == nil { // a difference that single precision may lose
		f.keepProcess()
	}
	p := newProgram(f, o)
	p.Guard = strings.ToUpper(o.Name) + "_H"
	p.Number = "double"
	if o.Float {
		p.Number = "float"
	}
	if p.Task.Real() {
		p.Doc = append(p.Doc, fmt.Sprintf("%s %s_predict(const %[1]s *x)   the prediction", p.Number, o.Name))
	} else {
		p.Doc = append(p.Doc,
			fmt.Sprintf("int  %s_predict(const %s *x)            the class, an index into %[1]s_labels", o.Name, p.Number),
			fmt.Sprintf("void %s_decide(const %s *x, %[2]s *f)   the decision values of the submodels", o.Name, p.Number))
	}
	if f.Process != nil {
		p.Doc = append(p.Doc, fmt.Sprintf("%s %s_variance(const %[1]s *x, %[1]s *mean)   its variance, with the noise's",
			p.Number, o.Name))
	}
	if f.Probable {
		p.Doc = append(p.Doc, fmt.Sprintf("void %s_probabilities(const %s *x, %[2]s *p)   of the classes", o.Name, p.Number))
	}
	switch {
	case p.Sets != nil && p.Task.Real():
		p.Doc = append(p.Doc, fmt.Sprintf("void %s_interval(const %s *x, %[2]s *ends)   two ends, with a coverage of "+
			"%[3]s %%", o.Name, p.Number, p.Sets.Percent))
	case p.Sets != nil:
		p.Doc = append(p.Doc, fmt.Sprintf("int  %s_set(const %s *x, unsigned char *in)   the prediction set, with a "+
			"coverage of %s %%", o.Name, p.Number, p.Sets.Percent))
	}
	if p.Values != nil {
		p.Doc = append(p.Doc, fmt.Sprintf("%s %s_value(int k, int c)   feature k of a row of category c", p.Number, o.Name))
	}
	p.Doc = append(p.Doc, "", "x is a row of raw features, without scaling."+p.featureList(" *"))
	e := emitter{float: o.Float, open: "{", end: "};", decl: func(name string, n int, integer bool) string {
		kind := p.Number
		if integer {
			kind = "unsigned short"
		}
		return fmt.Sprintf("static const %s %s[%d] SPARSEKM_TABLE = ", kind, name, n)
	}}
	e.element = func(name, table, index string, integer bool) string {
		read := "SPARSEKM_REAL"
		if integer {
			read = "SPARSEKM_INT"
		}
		return fmt.Sprintf("%s(&%s_%s[%s])", read, name, table, index)
	}
	return e.run(w, cText, p)
}

// quoteC returns a C string literal. A question mark is escaped since two begin a trigraph of C99.
func quoteC(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(s) {
		switch {
		case c == '"' || c == '\\' || c == '?' || c < ' ' || c > '~':
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
