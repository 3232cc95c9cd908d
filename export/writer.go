package export

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// writer collects the text of a program in C or Go. A word that begins with $ stands for what differs from program to
// program, as $_ for the prefix of names in C: neither C nor Go has such words. What programs do is written once, in
// the part of Go that is nearly C ([writer.code]).
type writer struct {
	*program
	c     bool              // C instead of Go
	float bool              // numbers are floats
	words map[string]string // the meanings of words in every text
	kinds map[string]kind   // of tables, and of parameters that are tables
	text  strings.Builder
	depth int   // braces that are open
	err   error // the first number that the program cannot have
}

func newWriter(p *program, c, float bool) *writer {
	w := &writer{program: p, c: c, float: float, kinds: map[string]kind{"lower": reals, "spread": reals}}
	for _, t := range p.tables() {
		w.kinds[t.name] = t.kind
	}
	w.words = map[string]string{"$_": p.Name + "_", "$name": p.Name, "$what": p.What, "$one": "1",
		"$submodels": strconv.Itoa(len(p.Submodels)), "$bytes": strconv.Itoa(p.Bytes),
		"$stack": strconv.Itoa(p.Stack), "$guard": strings.ToUpper(p.Name) + "_H",
		"$positive": strconv.Itoa(p.Pos[0]), "$negative": strconv.Itoa(p.Neg[0]), "$room": strconv.Itoa(p.room()),
		"$real": "double", "$int": "int"}
	if q := p.Conformal; q != nil {
		w.words["$percent"] = strconv.FormatFloat(100*q.Coverage, 'g', 6, 64)
		if w.words["$noun"] = "samples that the training did not see"; q.Folds > 0 {
			w.words["$noun"] = fmt.Sprintf("a cross-validation of %d folds", q.Folds)
		}
	}
	for _, name := range []string{"Features", "Models", "Classes"} {
		w.words["$"+strings.ToLower(name)] = w.either(name, p.Name+"_"+strings.ToUpper(name))
	}
	suffix := ""
	if float {
		w.words["$real"], suffix = "float", "f"
	}
	for word, name := range map[string]string{"exp": "Exp", "fabs": "Abs", "log1p": "Log1p", "sqrt": "Sqrt", "tanh": "Tanh",
		"erf": "Erf", "log": "Log"} {
		w.words["$"+word] = w.either("math."+name, word+suffix)
	}
	w.words["$infinity"] = w.either("math.Inf(1)", "INFINITY")
	w.words["$decide"] = w.either("Decide(&f, x)", p.Name+"_decide(x, f)")
	w.words["$sigmoid"] = w.either("sigmoid", p.Name+"_sigmoid")
	return w
}

// either is the text of the writer's language.
func (w *writer) either(golang, c string) string {
	if w.c {
		return c
	}
	return golang
}

// put writes lines as they are, with the meanings of words in their places. A line break at the begin is none, so that
// a text may stand by itself in the source.
func (w *writer) put(text string, pairs ...string) {
	w.text.WriteString(w.replaced(text, pairs) + "\n")
}

// putIf is put where the condition holds.
func (w *writer) putIf(holds bool, text string, pairs ...string) {
	if holds {
		w.put(text, pairs...)
	}
}

// replaced is a text with the meanings of words: those of pairs, a word and its meaning, and those of every text.
func (w *writer) replaced(text string, pairs []string) string {
	var b strings.Builder
	text = strings.TrimPrefix(text, "\n")
	for {
		before, rest, found := strings.Cut(text, "$")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		n := len(rest) - len(strings.TrimLeft(rest, "abcdefghijklmnopqrstuvwxyz0123456789"))
		if strings.HasPrefix(rest, "_") {
			n = 1
		}
		word := "$" + rest[:n]
		meaning, known := w.words[word]
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == word {
				meaning, known = pairs[i+1], true
			}
		}
		if !known {
			panic("export: no meaning of " + word)
		}
		b.WriteString(meaning)
		text = rest[n:]
	}
}

// function writes the comment of a function, a sentence that begins with its verb, and its head in the writer's
// language. [writer.code] has its body.
func (w *writer) function(comment, golang, c string) {
	name, _, _ := strings.Cut(golang, "(")
	w.put("\n\n" + w.either("// "+name+" "+strings.ToLower(comment[:1])+strings.ReplaceAll(comment[1:], "\n", "\n// ")+
		"\nfunc "+golang+" {", "/* "+strings.ReplaceAll(comment, "\n", "\n * ")+" */\nstatic inline "+c+"\n{"))
	w.depth = 1
}

// code writes statements of Go: loops over ranges of integers or with three parts, conditions, assignments to one
// variable, declarations of arrays, and of variables that are integers where their first value is written as one.
// Formatting is Go's, without the indentation.
func (w *writer) code(text string, pairs ...string) {
	for line := range strings.Lines(w.replaced(text, pairs)) {
		line = strings.TrimSpace(line)
		if w.c {
			line = w.statement(line)
		}
		if strings.HasPrefix(line, "}") {
			w.depth--
		}
		w.text.WriteString(strings.Repeat("\t", w.depth) + line + "\n")
		if strings.HasSuffix(line, "{") {
			w.depth++
		}
	}
}

// statement is a line of Go as one of C.
func (w *writer) statement(line string) string {
	line, opens := strings.CutSuffix(w.access(line), " {")
	before, condition, branches := strings.Cut(line, "if ")
	name, value, defines := strings.Cut(line, " := ")
	count, ranges := strings.CutPrefix(value, "range ")
	switch {
	case opens && ranges:
		name = strings.TrimPrefix(name, "for ")
		return fmt.Sprintf("for (int %s = 0; %[1]s < %s; %[1]s++) {", name, count)
	case opens && defines:
		return "for (int " + strings.TrimPrefix(name, "for ") + " = " + value + ") {"
	case opens && branches:
		return before + "if (" + condition + ") {"
	case opens:
		return line + " {"
	case line == "{" || line == "}":
		return line
	case strings.HasPrefix(line, "// "):
		return "/* " + line[3:] + " */"
	case defines:
		return w.typeOf(value) + " " + name + " = " + value + ";"
	case strings.HasPrefix(line, "var "):
		name, kind, _ := strings.Cut(line[4:], " ")
		end := strings.LastIndexByte(kind, ']') + 1
		return map[string]string{"int": "int", "float64": w.words["$real"]}[kind[end:]] + " " + name + kind[:end] + ";"
	}
	return line + ";"
}

// casts are the types of integers in C.
var casts = map[string]string{"int": "int", "int16": "int16_t", "uint16": "uint16_t", "int32": "int32_t", "uint32": "uint32_t"}

// typeOf is the type of a variable whose first value is an expression of C.
func (w *writer) typeOf(value string) string {
	if strings.Trim(value, "0123456789") == "" {
		return "int"
	}
	for _, t := range casts {
		if strings.HasPrefix(value, "("+t+")(") {
			return t
		}
	}
	return w.words["$real"]
}

// access makes C of the names in an expression: tables are read by macros, and have the program's prefix.
func (w *writer) access(s string) string {
	var b strings.Builder
	for len(s) > 0 {
		n := strings.IndexFunc(s, isOther)
		if n < 0 {
			n = len(s)
		}
		name := s[:n]
		kind, table := w.kinds[name]
		switch s = s[n:]; {
		case table && strings.HasPrefix(s, "["):
			end := closing(s)
			fmt.Fprintf(&b, kinds[kind].read, w.tableName(name)+"["+w.access(s[1:end])+"]")
			s = s[end+1:]
		case table:
			b.WriteString(w.tableName(name))
		case casts[name] != "" && strings.HasPrefix(s, "("):
			b.WriteString("(" + casts[name] + ")")
		default:
			b.WriteString(name)
		}
		if len(s) > 0 && isOther(rune(s[0])) {
			b.WriteByte(s[0])
			s = s[1:]
		}
	}
	return b.String()
}

// tableName is the name of a table in C; parameters of functions keep their own.
func (w *writer) tableName(name string) string {
	if name == "lower" || name == "spread" {
		return name
	}
	return w.Name + "_" + name
}

// closing is the place of the bracket that closes the first one.
func closing(s string) int {
	depth := 0
	for i, c := range s {
		switch c {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	panic("export: an open bracket in " + s)
}

// eachElement begins a loop over row i of a table with rows of n elements: k is the number of element v.
func (w *writer) eachElement(v, table, n string) {
	w.code(w.either(`for k, $v := range $table[i*$n : (i+1)*$n] {`, "for k := range $n {\n$v := $table[i*$n+k]"),
		"$v", v, "$table", table, "$n", n)
}

// table writes a table. An empty one has a 0: C has no empty ones.
func (w *writer) table(t table) {
	n, elements := len(t.reals)+len(t.whole), lines(t.reals, w.num)
	switch t.kind {
	case reals:
	case int32s:
		elements = lines(t.whole, strconv.Itoa)
	default:
		elements = lines(t.whole, w.whole)
	}
	if n == 0 {
		n, elements = 1, "\n\t0,"
	}
	kind := kinds[t.kind].c
	switch {
	case !w.c && t.kind == reals:
		kind = "float64"
	case !w.c:
		kind = "uint16"
	case t.kind == reals && w.float:
		kind = "float"
	}
	w.put(w.either("\n\nvar $table = [$n]$kind{$elements\n}",
		"\n\nstatic const $kind $_$table[$n] SPARSEKM_TABLE = {$elements\n};"),
		"$kind", kind, "$table", t.name, "$n", strconv.Itoa(n), "$elements", elements)
}

// flush writes the program; it writes nothing if the program cannot have a number.
func (w *writer) flush(to io.Writer) error {
	if w.err != nil {
		return w.err
	}
	_, err := io.WriteString(to, w.text.String())
	return err
}

// num is a number that reads back to the same one.
func (w *writer) num(v float64) string {
	bits, suffix := 64, ""
	if w.float {
		bits, suffix = 32, "f"
		if w.err == nil && math.IsInf(float64(float32(v)), 0) {
			w.err = fmt.Errorf("export: %v is beyond the range of float", v)
		}
	}
	s := strconv.FormatFloat(v, 'g', -1, bits)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s + suffix
}

// whole is a number of a table of integers.
func (w *writer) whole(v int) string {
	if w.err == nil && v > math.MaxUint16 {
		w.err = fmt.Errorf("export: %d is beyond the range of a table of 16-bit integers", v)
	}
	return strconv.Itoa(v)
}

// lines lays out the elements of a table, up to ten a line.
func lines[T any](v []T, text func(T) string) string {
	var b strings.Builder
	for i, e := range v {
		if i%10 == 0 {
			b.WriteString("\n\t")
		} else {
			b.WriteByte(' ')
		}
		b.WriteString(text(e) + ",")
	}
	return b.String()
}
