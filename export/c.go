package export

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// writeC writes a C header.
func writeC(to io.Writer, f *flat, o Options) error {
	if !o.Float && f.Conformal == nil { // the variance is a difference that single precision may lose
		f.keepProcess()
	}
	w := newWriter(newProgram(f, o), true, o.Float)
	w.cHead()
	w.write()
	w.put("\n\n#endif")
	return w.flush(to)
}

// cHead writes the comment, the macros, the sizes and the labels.
func (w *writer) cHead() {
	w.put(`
/* $name.h: $what.
 * Written by sparsekm. C99 or C++, needs <math.h> only. Include it where it is used: everything is static.
 *`)
	if w.Task.Real() {
		w.put(` * $real $_predict(const $real *x)   the prediction`)
	} else {
		w.put(`
 * int  $_predict(const $real *x)            the class, an index into $_labels
 * void $_decide(const $real *x, $real *f)   the decision values of the submodels`)
	}
	w.putIf(w.Process != nil, ` * $real $_variance(const $real *x, $real *mean)   its variance, with the noise's`)
	w.putIf(w.Probable, ` * void $_probabilities(const $real *x, $real *p)   of the classes`)
	w.putIf(w.Conformal != nil && w.Task.Real(),
		` * void $_interval(const $real *x, $real *ends)   two ends, with a coverage of $percent %`)
	w.putIf(w.Conformal != nil && !w.Task.Real(),
		` * int  $_set(const $real *x, unsigned char *in)   the prediction set, with a coverage of $percent %`)
	w.putIf(w.Values != nil, ` * $real $_value(int k, int c)   feature k of a row of category c`)
	eight, includes := " where a double has 8", "#include <math.h>"
	if w.float {
		eight = ""
	}
	if w.Odds != nil {
		includes += "\n#ifdef __AVR__\n" +
			"#error \"a double is a float on AVR, and loses the digits of these probabilities\"\n#endif"
	}
	w.put(` *
 * x is a row of raw features, without scaling.$names`, "$names", w.featureNames())
	w.cGuard(eight, includes, "tables stay in flash; a double is a float there")
	w.put("")
	w.cSizes()
}

// cGuard writes the end of the comment, what a header includes, and the macros.
func (w *writer) cGuard(eight, includes, flash string) {
	w.put(` *
 * Tables: $bytes bytes$eight (in flash on AVR). Stack: $stack bytes in arrays at most.
 */
#ifndef $guard
#define $guard
$includes
`+cMacros, "$eight", eight, "$includes", includes, "$flash", flash)
}

// featureNames is the end of a comment's line, and the lines below it, with the names of the features.
func (w *writer) featureNames() string {
	lines := w.featureLines()
	if lines == nil {
		return ""
	}
	begin := w.either("\n//\t", "\n *  ")
	return " They are, in this order:" + w.either("\n//", "") + begin + strings.Join(lines, begin)
}

// labelTexts is the labels as texts of the language.
func (w *writer) labelTexts(quote func(string) string) string {
	quoted := make([]string, len(w.Labels))
	for i, l := range w.Labels {
		quoted[i] = quote(l)
	}
	return strings.Join(quoted, ", ")
}

// On AVR, tables stay in flash, and are read by functions.
const cMacros = `#ifndef SPARSEKM_TABLE
#ifdef __AVR__ /* $flash */
#include <avr/pgmspace.h>
#define SPARSEKM_TABLE PROGMEM
#define SPARSEKM_REAL(p) pgm_read_float(p)
#define SPARSEKM_INT(p) pgm_read_word(p)
#else
#define SPARSEKM_TABLE
#define SPARSEKM_REAL(p) (*(p))
#define SPARSEKM_INT(p) (*(p))
#endif
#endif`

// cSizes writes the sizes and the labels.
func (w *writer) cSizes() {
	classes, labels := "", ""
	if !w.Task.Real() {
		classes = fmt.Sprintf(", %s_CLASSES = %d", w.Name, len(w.Labels))
		labels = fmt.Sprintf("\n\nstatic const char *const %s_labels[] = { %s };", w.Name, w.labelTexts(quoteC))
	}
	w.put("enum { $_FEATURES = $d, $_MODELS = $submodels$more };$labels", "$d", strconv.Itoa(w.Parts.D), "$more", classes,
		"$labels", labels)
}

// quoteC returns a C string literal. A question mark is escaped since two begin a trigraph of C99.
func quoteC(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, c := range []byte(s) {
		if c == '"' || c == '\\' || c == '?' || c < ' ' || c > '~' {
			fmt.Fprintf(&b, `\%03o`, c)
		} else {
			b.WriteByte(c)
		}
	}
	b.WriteByte('"')
	return b.String()
}
