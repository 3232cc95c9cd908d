package export

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

// cWriter writes a C header. Its words are $_ for the prefix of names, $real for the type of numbers, and $exp and the
// like for functions of <math.h>; while a group is written also $g for the prefix of its tables, $d for the features
// of its vectors.
type cWriter struct {
	*program
	writer
	number string // the type of tables of numbers
	index  string // of integers
}

func newCWriter(p *program, number, index string) *cWriter {
	c := &cWriter{program: p, number: number, index: index}
	c.words = map[string]string{"$_": p.Name + "_", "$name": p.Name, "$guard": strings.ToUpper(p.Name) + "_H",
		"$real": number, "$int": "int", "$one": "1", "$place": "SPARSEKM_INT",
		"$what": p.What, "$features": strconv.Itoa(p.Parts.D), "$machines": strconv.Itoa(len(p.Submodels)),
		"$classes": strconv.Itoa(len(p.Labels)), "$bytes": strconv.Itoa(p.Bytes), "$stack": strconv.Itoa(p.Stack),
		"$positive": strconv.Itoa(p.Pos[0]), "$negative": strconv.Itoa(p.Neg[0]),
	}
	if p.Sets != nil {
		c.words["$percent"], c.words["$noun"] = p.Sets.Percent, p.Sets.Noun
	}
	c.words["$room"] = strconv.Itoa(p.room())
	switch {
	case p.Variance != nil:
		c.words["$phi"] = strconv.Itoa(p.Variance.N)
	case p.Process != nil:
		c.words["$phi"] = strconv.Itoa(p.Process.N)
	}
	suffix := ""
	if c.float = number == "float"; c.float {
		suffix = "f"
	}
	for _, f := range []string{"exp", "fabs", "log1p", "sqrt", "tanh"} {
		c.words["$"+f] = f + suffix
	}
	return c
}

// writeC writes a C header.
func writeC(w io.Writer, f *flat, o Options) error {
	number := "double"
	if o.Float {
		number = "float"
	} else if f.Conformal == nil { // the variance is a difference that single precision may lose
		f.keepProcess()
	}
	c := newCWriter(newProgram(f, o), number, "unsigned short")
	c.head()
	c.eachTable(c.reals, c.ints)
	if c.Values != nil {
		c.put(cValue, "$count", strconv.Itoa(len(c.Values.Feature)))
	}
	c.decide()
	if c.Task.Real() {
		c.put(cPrediction)
	} else {
		c.class()
		c.put(cPredict)
	}
	if c.Probable {
		c.probabilities()
	}
	if c.Process != nil {
		c.variance()
	}
	switch {
	case c.Sets == nil:
	case c.Task.Real():
		c.interval()
	default:
		c.set()
	}
	c.put("\n\n#endif")
	return c.flush(w)
}

// head writes the comment, the macros, the sizes and the labels.
func (c *cWriter) head() {
	c.put(`
/* $name.h: $what.
 * Written by sparsekm. C99 or C++, needs <math.h> only. Include it where it is used: everything is static.
 *`)
	if c.Task.Real() {
		c.put(` * $real $_predict(const $real *x)   the prediction`)
	} else {
		c.put(`
 * int  $_predict(const $real *x)            the class, an index into $_labels
 * void $_decide(const $real *x, $real *f)   the decision values of the submodels`)
	}
	if c.Process != nil {
		c.put(` * $real $_variance(const $real *x, $real *mean)   its variance, with the noise's`)
	}
	if c.Probable {
		c.put(` * void $_probabilities(const $real *x, $real *p)   of the classes`)
	}
	switch {
	case c.Sets == nil:
	case c.Task.Real():
		c.put(` * void $_interval(const $real *x, $real *ends)   two ends, with a coverage of $percent %`)
	default:
		c.put(` * int  $_set(const $real *x, unsigned char *in)   the prediction set, with a coverage of $percent %`)
	}
	if c.Values != nil {
		c.put(` * $real $_value(int k, int c)   feature k of a row of category c`)
	}
	eight := " where a double has 8"
	if c.float {
		eight = ""
	}
	c.put(`
 *
 * x is a row of raw features, without scaling.$names
 *
 * Tables: $bytes bytes$eight (in flash on AVR). Stack: $stack bytes in arrays at most.
 */
#ifndef $guard
#define $guard
#include <math.h>`, "$names", c.featureNames(), "$eight", eight)
	if c.Odds != nil {
		c.put(`
#ifdef __AVR__
#error "a double is a float on AVR, and loses the digits of these probabilities"
#endif`)
	}
	c.put(cMacros, "$flash", "tables stay in flash; a double is a float there")
	c.put("")
	c.sizes()
}

// featureNames is the end of a comment's line, and the lines below it, with the names of the features.
func (c *cWriter) featureNames() string {
	lines := c.featureLines()
	if lines == nil {
		return ""
	}
	return " They are, in this order:\n *  " + strings.Join(lines, "\n *  ")
}

// On AVR, tables stay in flash, and are read by functions.
const cMacros = `
#ifndef SPARSEKM_TABLE
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

func (c *cWriter) sizes() {
	if c.Task.Real() {
		c.put(`enum { $_FEATURES = $features, $_MACHINES = $machines };`)
		return
	}
	labels := make([]string, len(c.Labels))
	for i, l := range c.Labels {
		labels[i] = quoteC(l)
	}
	c.put(`
enum { $_FEATURES = $features, $_MACHINES = $machines, $_CLASSES = $classes };

static const char *const $_labels[] = { $labels };`, "$labels", strings.Join(labels, ", "))
}

func (c *cWriter) reals(name, _ string, v []float64) { c.table(c.number, name, len(v), lay(v, c.num)) }

func (c *cWriter) ints(name, _ string, v []int) { c.table(c.index, name, len(v), lay(v, c.whole)) }

// table writes a table of n elements; C has no empty ones.
func (c *cWriter) table(kind, name string, n int, elements string) {
	if n == 0 {
		n, elements = 1, "0"
	}
	c.put(`
static const $kind $_$table[$n] SPARSEKM_TABLE = {$elements
};`, "$kind", kind, "$table", name, "$n", strconv.Itoa(n), "$elements", elements)
}

const cValue = `

/* Feature k of a row that has category c of it, from 0; 0 where there is no such category. */
static inline $real $_value(int k, int c)
{
	int i;
	for (i = 0; i < $count; i++) {
		int at = (int)SPARSEKM_INT(&$_level_first[i]) + c;
		if (k == (int)SPARSEKM_INT(&$_level_feature[i]) && c >= 0 && at < (int)SPARSEKM_INT(&$_level_first[i + 1]))
			return SPARSEKM_REAL(&$_level[at]);
	}
	return 0;
}`

// keepsValues reports whether a function with all kernel values is wanted, for variances.
func (c *cWriter) keepsValues() bool { return c.Variance != nil || c.Process != nil || c.Odds != nil }

// triangles writes the tables of variances.
func (c *cWriter) triangles() {
	all := c.Odds
	switch {
	case c.Variance != nil:
		c.reals("covariance", "", c.Variance.Lower)
	case c.Process != nil:
		all = []process{*c.Process}
	}
	for i := range all {
		end := ""
		if c.Odds != nil {
			end = fmt.Sprintf("_%d", i)
		}
		c.reals("triangle"+end, "", all[i].Triangle)
		if s := all[i].Spread; s != nil {
			c.reals("spread"+end, "", s)
		}
	}
}

// decide writes the function of decision values, and that with all kernel values.
func (c *cWriter) decide() {
	plural := "s"
	if len(c.Submodels) == 1 {
		plural = ""
	}
	c.triangles()
	if c.keepsValues() {
		self := ""
		if slices.ContainsFunc(c.Groups, func(g group) bool { return g.Self }) {
			self = ", and k(x, x) after them"
		}
		as := "As $_decide,"
		if c.Odds != nil {
			as = "The mean of each submodel for the raw features x,"
		}
		c.put(`

/* `+as+` with the kernel values of all vectors in phi$self. */
static inline void $_values(const $real *x, $real *f, $real *phi)
{`, "$self", self)
		if len(c.Groups) == 0 {
			c.put(`	(void)phi;`)
		}
	} else {
		c.put(`

/* The decision value of each submodel for the raw features x: $machines number$s. */
static inline void $_decide(const $real *x, $real *f)
{`, "$s", plural)
	}
	if len(c.Submodels) > 1 {
		c.put(`
	int m;
	for (m = 0; m < $_MACHINES; m++)
		f[m] = SPARSEKM_REAL(&$_bias[m]);`)
	} else {
		c.put(`	f[0] = $bias;`, "$bias", c.num(c.Bias[0]))
	}
	if len(c.Groups) == 0 {
		c.put(`	(void)x;`)
	}
	for i := range c.Groups {
		c.group(&c.Groups[i])
	}
	c.put("}")
	switch {
	case c.Odds != nil:
		c.odds()
	case c.keepsValues():
		c.put(`

/* The decision value for the raw features x. */
static inline void $_decide(const $real *x, $real *f)
{
	$real phi[$room];
	$_values(x, f, phi);
}`)
	}
}

// group writes the loop over the vectors of a group.
func (c *cWriter) group(g *group) {
	c.about(g, g)
	c.words["$outputs"] = strconv.Itoa(len(g.Submodels))
	c.put("\t{")
	if g.Feature != nil && g.Coef != nil && len(g.Submodels) == 1 {
		c.put(`		int i;`)
	} else {
		c.put(`		int i, k;`)
	}
	for _, factor := range g.factors() {
		if factor.transformed() {
			c.about(g, factor)
			c.put(`
		$real $q[$d];
		for (k = 0; k < $d; k++)
			$q[k] = ` + factor.query("SPARSEKM_INT(&$g_used[k])", "SPARSEKM_REAL(&$g_center[k])",
				"SPARSEKM_REAL(&$g_factor[k])") + ";")
		}
	}
	if g.Self {
		c.self(g)
	}
	c.about(g, g)
	c.put(`		for (i = 0; i < $n; i++) {`, "$n", strconv.Itoa(g.N))
	if g.Sum == composed {
		c.terms(g)
	} else {
		c.kernelSum(g)
		c.kernelValue(g)
	}
	c.about(g, g)
	if c.keepsValues() {
		c.put(`			phi[` + g.place("i") + `] = s;`)
	}
	c.addValue(g)
	c.put(`
		}
	}`)
}

// about sets the words of a group, or of a factor of one.
func (c *cWriter) about(g, factor *group) {
	c.words["$g"], c.words["$d"] = fmt.Sprintf("%s_%d", c.Name, factor.Index), strconv.Itoa(factor.D)
	c.words["$q"] = factor.features(factor != g)
}

// terms writes the value s of a composite kernel.
func (c *cWriter) terms(g *group) {
	c.put(`			$real total = 0, product, s;`)
	for _, t := range g.Terms {
		c.put(`			product = $scale;`, "$scale", c.num(t.Scale))
		for _, factor := range t.Factors {
			c.about(g, factor)
			c.put(`			{`)
			c.deeper(func() {
				c.kernelSum(factor)
				c.kernelValue(factor)
				c.put(`			product *= s;`)
			})
			c.put(`			}`)
		}
		c.put(`			total += product;`)
	}
	c.put(`			s = total;`)
}

// self writes the value k(x, x) of a composite kernel, after those of the vectors.
func (c *cWriter) self(g *group) {
	c.words["$self"] = strconv.Itoa(g.At + g.N)
	c.put(`		phi[$self] = 0;`)
	for _, t := range g.Terms {
		c.put(`
		{
			$real product = $scale;`, "$scale", c.num(t.Scale))
		for _, factor := range t.Factors {
			if factor.Sum != products { // it is 1
				continue
			}
			c.about(g, factor)
			c.put(`
			{
				$real s = 0;
				for (k = 0; k < $d; k++)
					s += $q[k] * $q[k];
				s *= $width;`, "$width", c.num(factor.Width))
			c.deeper(func() {
				c.kernelValue(factor)
				c.put(`			product *= s;`)
			})
			c.put(`			}`)
		}
		c.put(`
			phi[$self] += product;
		}`)
	}
}

// kernelSum writes the first step of a kernel value s.
func (c *cWriter) kernelSum(g *group) {
	if g.Feature != nil {
		c.put(`			$real s = x[SPARSEKM_INT(&$g_feature[i])] * SPARSEKM_REAL(&$g_vectors[i]);`)
		return
	}
	c.put(`
			$real s = 0;
			for (k = 0; k < $d; k++) {`)
	switch g.Sum {
	case squares:
		c.put(`
				$real t = $q[k] - SPARSEKM_REAL(&$g_vectors[i * $d + k]);
				s += t * t;`)
	case differences:
		c.put(`
				$real t = $q[k] - SPARSEKM_REAL(&$g_vectors[i * $d + k]);
				s += $fabs(t);`)
	default:
		c.put(`				s += $q[k] * SPARSEKM_REAL(&$g_vectors[i * $d + k]);`)
	}
	c.put(`			}`)
}

// kernelValue writes the second step, from the sum s.
func (c *cWriter) kernelValue(g *group) {
	switch {
	case g.Value == decay && g.Gamma == 1:
		c.put(`			s = $exp(-s);`)
	case g.Value == decay:
		c.put(`			s = $exp($factor * s);`, "$factor", c.num(-g.Gamma))
	case g.Value == power:
		c.put(`
			s += $coef0;
			{
				$real base = s;
				int n;
				for (s = 1, n = $degree; n > 0; n /= 2, base *= base)
					if (n % 2 == 1)
						s *= base;
			}`, "$coef0", c.num(g.Coef0), "$degree", strconv.Itoa(g.Degree))
	case g.Value == ratio:
		c.put(`			s = $exp($alpha * $log1p($times));`, "$alpha", c.num(-g.Coef0), "$times", g.times("s", c.num))
	case g.Value.bell():
		c.put(`
			s = $sqrt($times);
			s = s > 1000 ? 0 : $bell;`, "$times", g.times("s", c.num), "$bell", g.Value.ofBell(c.words["$exp"]))
	case g.Value == tanh:
		c.put(`			s = $tanh(s + $coef0);`, "$coef0", c.num(g.Coef0))
	case g.Value == rise:
		c.put(`			s = 1 / (1 + $exp(-(s + SPARSEKM_REAL(&$g_offset[i]))));`)
	}
}

// addValue writes what adds the value s of vector i to the decision values.
func (c *cWriter) addValue(g *group) {
	submodel := func(output string) string {
		return g.submodel("SPARSEKM_INT(&$g_machine["+output+"])", " + ", output)
	}
	switch {
	case g.First != nil:
		c.put(`
			for (k = SPARSEKM_INT(&$g_first[i]); k < (int)SPARSEKM_INT(&$g_first[i + 1]); k++)
				f[SPARSEKM_INT(&$g_target[k])] += SPARSEKM_REAL(&$g_value[k]) * s;`)
	case g.Sum == weights:
		c.put(`			f[` + submodel("i") + `] += s;`)
	case len(g.Submodels) == 1:
		c.put(`			f[$only] += SPARSEKM_REAL(&$g_coef[i]) * s;`, "$only", strconv.Itoa(g.Submodels[0]))
	default:
		c.put(`
			for (k = 0; k < $outputs; k++)
				f[` + submodel("k") + `] += SPARSEKM_REAL(&$g_coef[i * $outputs + k]) * s;`)
	}
}

const cPrediction = `

/* The prediction for the raw features x. */
static inline $real $_predict(const $real *x)
{
	$real f[1];
	$_decide(x, f);
	return f[0];
}`

// class writes the function from decision values to a class. Fixed point has it too, where $real is an integer and $one
// is 1 as a decision value.
func (c *cWriter) class() {
	c.put(`

/* The class of decision values, an index into $_labels. */
static inline $int $_class(const $real *f)
{`)
	switch {
	case c.binary:
		c.put(`	return f[0] > 0 ? $positive : $negative;`)
	case c.rest && c.ordered():
		c.put(`
	int i, best = 0;
	for (i = 1; i < $_CLASSES; i++)
		if (f[i] > f[best])
			best = i;
	return best;`)
	case c.rest:
		c.put(`
	int i, best = 0;
	for (i = 1; i < $_CLASSES; i++)
		if (f[i] > f[best] || (f[i] == f[best] && SPARSEKM_INT(&$_pos[i]) < SPARSEKM_INT(&$_pos[best])))
			best = i;
	best = $place(&$_pos[best]);
	return best;`)
	case c.votes:
		c.put(cVotes)
	default:
		c.put(cFuzzy)
	}
	c.put(`}`)
}

const cVotes = `
	int i, best = 0;
	int votes[$_CLASSES] = {0};
	for (i = 0; i < $_MACHINES; i++)
		votes[f[i] > 0 ? SPARSEKM_INT(&$_pos[i]) : SPARSEKM_INT(&$_neg[i])]++;
	for (i = 1; i < $_CLASSES; i++)
		if (votes[i] > votes[best])
			best = i;
	return best;`

const cFuzzy = `
	int i, best = 0;
	$real score[$_CLASSES];
	for (i = 0; i < $_CLASSES; i++)
		score[i] = $one;
	for (i = 0; i < $_MACHINES; i++) {
		$real *p = score + SPARSEKM_INT(&$_pos[i]), *n = score + SPARSEKM_INT(&$_neg[i]);
		if (f[i] < *p)
			*p = f[i];
		if (-f[i] < *n)
			*n = -f[i];
	}
	for (i = 1; i < $_CLASSES; i++)
		if (score[i] > score[best])
			best = i;
	return best;`

const cPredict = `

/* The class of the raw features x, an index into $_labels. */
static inline int $_predict(const $real *x)
{
	$real f[$_MACHINES];
	$_decide(x, f);
	return $_class(f);
}`

// variance writes the function of a Gaussian process's variance.
func (c *cWriter) variance() {
	self := ""
	if c.Process.Self {
		self = "\n\tv *= w[" + c.words["$phi"] + "];"
	}
	c.put(`

/* The variance of the value for the raw features x, with the noise's, and its mean, which $_predict returns. */
static inline $real $_variance(const $real *x, $real *mean)
{
	$real w[$room], v = $prior;
	int i, j, at = $triangle;
	$_values(x, mean, w);$self
	for (i = $phi - 1; i >= 0; i--) {
		$real s = 0;
		at -= i + 1;
		for (j = 0; j <= i; j++)
			s += SPARSEKM_REAL(&$_triangle[at + j]) * w[j];
		w[i] = s;
		v -= s * s;
	}`, "$prior", c.num(c.Process.Prior), "$self", self, "$triangle", strconv.Itoa(len(c.Process.Triangle)))
	if c.Process.Spread != nil {
		c.put(`
	for (j = 0; j < $phi; j++) {
		$real s = 0;
		for (i = j, at = j * (j + 1) / 2; i < $phi; at += ++i)
			s += SPARSEKM_REAL(&$_spread[at + j]) * w[i];
		v += s * s;
	}`)
	}
	c.put(`
	return $noise + (v > 0 ? v : 0);
}`, "$noise", c.num(c.Process.Noise))
}

// odds writes the function of decision values of a classifier of Gaussian processes.
func (c *cWriter) odds() {
	why := " The sign is the mean's."
	signed := "mean > 0 ? (p > 0 ? p : " + c.num(model.LeastLatentOdds) + ") : (p < 0 ? p : 0)"
	if c.Scheme == model.OneVsRest {
		why, signed = "", "p"
	}
	c.put(`

/* The log odds of a probability, the mean of 1/(1 + exp(-t)) for a normal t of this mean and variance. The logistic
 * function is a sum of error functions here (Williams and Barber 1998, appendix A).$why */
static inline $real $_odds($real mean, $real v)
{
	static const $real scale[] = {$scales}, weight[] = {$weights};
	$real p = 0;
	int i;
	for (i = 0; i < $terms; i++)
		p += weight[i] * (1 + erf(scale[i] * mean / sqrt(1 + 2 * v * scale[i] * scale[i]))) / 2;
	p = p > $least ? p : $least;
	p = log(p / (1 - p));
	return $signed;
}

/* What the vectors leave of the variance v, given their kernel values; spread may be 0. */
static inline $real $_rest(const $real *triangle, const $real *spread, const $real *phi, $real v)
{
	$real w[$n];
	int i, j, at = 0;
	for (i = 0; i < $n; i++) {
		w[i] = 0;
		for (j = 0; j <= i; j++)
			w[i] += SPARSEKM_REAL(&triangle[at++]) * phi[j];
		v -= w[i] * w[i];
	}
	for (j = 0; spread && j < $n; j++) {
		$real s = 0;
		for (i = j, at = j * (j + 1) / 2; i < $n; at += ++i)
			s += SPARSEKM_REAL(&spread[at + j]) * w[i];
		v += s * s;
	}
	return v > 0 ? v : 0;
}

/* The decision value of each submodel for the raw features x, the log odds of its class. */
static inline void $_decide(const $real *x, $real *f)
{
	$real phi[$room];
	$_values(x, f, phi);`, "$scales", listed(0, c.num), "$weights", listed(1, c.num),
		"$terms", strconv.Itoa(len(model.LatentMixture)), "$n", strconv.Itoa(c.N),
		"$least", c.num(model.LeastLatent), "$why", why, "$signed", signed)
	for i := range c.Odds {
		c.put(`	f[$i] = $_odds(f[$i], $variance);`, "$variance", c.oddsVariance(i), "$i", strconv.Itoa(i))
	}
	c.put(`}`)
}

// listed is a column of the mixture as elements of a list.
func listed(column int, num func(float64) string) string {
	var texts []string
	for _, m := range model.LatentMixture {
		texts = append(texts, num(m[column]))
	}
	return strings.Join(texts, ", ")
}

// oddsVariance is the expression of the variance of submodel i.
func (c *cWriter) oddsVariance(i int) string {
	p, prefix := &c.Odds[i], c.words["$_"]
	prior, at, spread := c.num(p.Prior), "", "0"
	if p.Self {
		prior += " * phi[" + strconv.Itoa(p.At+p.N) + "]"
	}
	if p.At > 0 {
		at = " + " + strconv.Itoa(p.At)
	}
	if p.Spread != nil {
		spread = fmt.Sprintf("%sspread_%d", prefix, i)
	}
	text := fmt.Sprintf("%srest(%striangle_%d, %s, phi%s, %s)", prefix, prefix, i, spread, at, prior)
	if p.Noise > 0 {
		text = c.num(p.Noise) + " + " + text
	}
	return text
}

// probabilities writes the sigmoid of a submodel and the function of the probabilities of all classes.
func (c *cWriter) probabilities() {
	c.put(`

/* The probability of submodel m's positive class, from its decision value (Platt 2000). */
static inline $real $_sigmoid(int m, $real f)
{
	$real e, z = SPARSEKM_REAL(&$_platt_a[m]) * f + SPARSEKM_REAL(&$_platt_b[m]);
	e = $exp(-$fabs(z));
	return z >= 0 ? e / (1 + e) : 1 / (1 + e);
}`)
	switch {
	case c.binary:
		c.put(cProbabilitiesBinary)
	case c.rest:
		at := "SPARSEKM_INT(&" + c.Name + "_pos[i])"
		if c.ordered() {
			at = "i"
		}
		c.put(cProbabilitiesRest, "$at", at, "$unit", c.num(1))
	default:
		c.put(cProbabilitiesPairs, "$tiny", c.num(1e-7))
		c.put(cProbabilitiesSolve)
	}
}

const cProbabilitiesBinary = `

/* The probability of each class for the raw features x. The most probable class may differ from the predicted one. */
static inline void $_probabilities(const $real *x, $real *p)
{
	$real f[$_MACHINES];
	$_decide(x, f);
	p[$positive] = $_sigmoid(0, f[0]);
	p[$negative] = 1 - p[$positive];
}`

const cProbabilitiesRest = `

/* The probability of each class for the raw features x. The most probable class may differ from the predicted one. */
static inline void $_probabilities(const $real *x, $real *p)
{
	$real f[$_MACHINES];
	$real sum = 0;
	int i;
	$_decide(x, f);
	for (i = 0; i < $_CLASSES; i++)
		sum += p[$at] = $_sigmoid(i, f[i]);
	for (i = 0; i < $_CLASSES; i++)
		p[i] = sum > 0 ? p[i] / sum : $unit / $_CLASSES;
}`

const cProbabilitiesPairs = `

/* The probability of each class for the raw features x, from the probabilities of pairs by the second method of
 * Wu, Lin and Weng (2004). The most probable class may differ from the predicted one. */
static inline void $_probabilities(const $real *x, $real *p)
{
	$real f[$_MACHINES];
	$real sum = 0;
	int i, j, k;
	$real r[$_CLASSES][$_CLASSES], q[$_CLASSES][$_CLASSES];
	$_decide(x, f);
	for (i = 0; i < $_MACHINES; i++) {
		int s = SPARSEKM_INT(&$_pos[i]), t = SPARSEKM_INT(&$_neg[i]);
		$real v = $_sigmoid(i, f[i]);
		v = v < $tiny ? $tiny : v > 1 - $tiny ? 1 - $tiny : v;
		r[s][t] = v;
		r[t][s] = 1 - v;
	}`

const cProbabilitiesSolve = `
	/* (Q + e e') p = e by a Cholesky factorization, then p / sum p */
	for (i = 0; i < $_CLASSES; i++) {
		p[i] = q[i][i] = 1;
		for (j = 0; j < $_CLASSES; j++) {
			if (j != i)
				q[i][i] += r[j][i] * r[j][i];
			if (j < i)
				q[i][j] = 1 - r[j][i] * r[i][j];
		}
	}
	for (i = 0; i < $_CLASSES; i++) {
		for (j = 0; j <= i; j++) {
			$real v = q[i][j];
			for (k = 0; k < j; k++)
				v -= q[i][k] * q[j][k];
			q[i][j] = j < i ? v / q[j][j] : $sqrt(v);
		}
		for (k = 0; k < i; k++)
			p[i] -= q[i][k] * p[k];
		p[i] /= q[i][i];
	}
	for (i = $_CLASSES - 1; i >= 0; i--) {
		for (k = i + 1; k < $_CLASSES; k++)
			p[i] -= q[k][i] * p[k];
		p[i] /= q[i][i];
	}
	for (i = 0; i < $_CLASSES; i++)
		sum += p[i] = p[i] > 0 ? p[i] : 0;
	for (i = 0; i < $_CLASSES; i++)
		p[i] /= sum;
}`

// interval writes the function of the ends of an interval.
func (c *cWriter) interval() {
	c.put(`

/* The ends of the interval of the raw features x, which contains $percent % of new values, by $noun. */
static inline void $_interval(const $real *x, $real *ends)
{
	$real f[1], half = $half;`, "$half", c.num(c.Sets.At[0]))
	if c.Variance != nil {
		c.put(`
	$real phi[$phi], v = $noise;
	int i, j, at = 0;
	$_values(x, f, phi);
	phi[$phi - 1] = 1;
	for (i = 0; i < $phi; i++) {
		$real s = 0;
		for (j = 0; j < i; j++)
			s += SPARSEKM_REAL(&$_covariance[at++]) * phi[j];
		v += phi[i] * (2 * s + SPARSEKM_REAL(&$_covariance[at++]) * phi[i]);
	}
	half *= $sqrt(v);`, "$noise", c.num(c.Variance.Noise))
	} else {
		c.put(`	$_decide(x, f);`)
	}
	c.put(`
	ends[0] = f[0] - half;
	ends[1] = f[0] + half;
}`)
}

// set writes the function of the prediction set.
func (c *cWriter) set() {
	c.put(`

/* Writes whether each class is in the prediction set of the raw features x, 1 or 0, and returns how many are: none and
 * all are answers too. Sets contain the class of $percent % of new samples, by $noun. */
static inline int $_set(const $real *x, unsigned char *in)
{
	$real f[$_MACHINES], score[$_CLASSES];`)
	switch {
	case c.binary:
		c.put(`
	int i, n = 0;
	$_decide(x, f);
	score[$positive] = f[0];
	score[$negative] = -f[0];`)
	case c.rest && c.ordered():
		c.put(cScoresRest, "$at", "i")
	case c.rest:
		c.put(cScoresRest, "$at", "SPARSEKM_INT(&"+c.Name+"_pos[i])")
	default:
		c.put(cScoresPairs)
	}
	smallest := "SPARSEKM_REAL(&" + c.Name + "_least[i])"
	if c.Sets.single() {
		smallest = c.num(c.Sets.At[0])
	}
	c.put(`
	for (i = 0; i < $_CLASSES; i++)
		n += in[i] = score[i] >= $least;`, "$least", smallest)
	if c.Task == learn.OneClass {
		c.put(`
	n -= in[0];
	in[0] = 0; /* outliers have the empty set */`)
	}
	c.put(`
	return n;
}`)
}

const cScoresRest = `
	int i, j, n = 0;
	$_decide(x, f);
	for (i = 0; i < $_MACHINES; i++) {
		$real s = f[i] - f[i == 0];
		for (j = 0; j < $_MACHINES; j++)
			if (j != i && f[i] - f[j] < s)
				s = f[i] - f[j];
		score[$at] = s;
	}`

const cScoresPairs = `
	int i, j, n = 0;
	$_decide(x, f);
	for (i = 0; i < $_CLASSES; i++) {
		int first = 1;
		for (j = 0; j < $_MACHINES; j++) {
			$real v = SPARSEKM_INT(&$_pos[j]) == i ? f[j] : -f[j];
			if (SPARSEKM_INT(&$_pos[j]) != i && SPARSEKM_INT(&$_neg[j]) != i)
				continue;
			if (first || v < score[i])
				score[i] = v;
			first = 0;
		}
	}`

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
