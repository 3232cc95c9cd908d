package export

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// fixedWriter writes the C of a model in fixed point.
type fixedWriter struct {
	*cWriter
	of *fixed
}

func newFixedWriter(p *fixed) *fixedWriter {
	c := &fixedWriter{newCWriter(p.program, "float", "int16_t"), p}
	c.words["$real"], c.words["$int"], c.words["$place"] = "int32_t", "int32_t", "(int)SPARSEKM_INT"
	c.words["$one"], c.words["$most"] = strconv.Itoa(p.One), strconv.Itoa(p.Row.Most)
	c.words["$bound"] = threeDigits(p.bound())
	if p.Odds != nil {
		c.words["$odd"] = threeDigits(p.Odds.Bound)
	}
	return c
}

func (c *fixedWriter) write() {
	c.head()
	c.tables()
	c.feature()
	if c.Values != nil {
		c.put(cValue, "$count", strconv.Itoa(len(c.Values.Feature)), "$real", "float")
	}
	if c.of.Near != nil {
		c.put(fixedPower)
	}
	if c.of.Rises != nil || c.of.Odds != nil {
		c.put(fixedFall, "$end", strconv.Itoa(int(fallEnd*(1<<fallBits))))
	}
	c.decide()
	if c.Task.Real() {
		c.put(fixedValue)
	} else {
		c.class()
		c.put(fixedPredict)
	}
	if c.of.Odds != nil {
		c.odds()
	}
	c.put("\n\n#endif")
}

// head writes the comment, the macros, the sizes and the labels.
func (c *fixedWriter) head() {
	c.put(`
/* $name.h: $what.
 * Written by sparsekm. C99 or C++, in integers of 16 and 32 bits. Include it where it is used: everything is static.
 *
 * int16_t $_feature(int k, float v)   feature k, from 0, of the raw value v: the only floating point`)
	if c.Values != nil {
		c.put(` * float $_value(int k, int c)   the raw value of feature k of a row of category c`)
	}
	if c.Task.Real() {
		c.put(` * int32_t $_steps(const int16_t *features)   the prediction, in steps of $_SCALE
 * float $_predict(const int16_t *features, int32_t features_length)   the prediction, or NAN where the length
 *     is not $features: as the models that emlearn writes`)
	} else {
		c.put(`
 * int32_t $_predict(const int16_t *features, int32_t features_length)   the class, an index into
 *     $_labels, or -1 where the length is not $features: as the models that emlearn writes`)
	}
	if c.of.Odds != nil {
		c.put(` * int $_predict_proba(const int16_t *features, int32_t features_length, float *out, int out_length)   0, and
 *     the probabilities of the classes, or 1 where a length is another one: as the models that emlearn writes
 * void $_probabilities(const int16_t *features, uint16_t *p)   the same, in steps of 1/32768`)
	}
	names, rows := c.rangeLines()
	c.put(` * void $_decide(const int16_t *features, int32_t *f)   the decision values, in steps of $_SCALE
 *
 * A decision value differs from that of the model in double precision by at most $bound, for every row`+
		` of floats$rows.$names`, "$names", names, "$rows", rows)
	if c.of.Odds != nil {
		sum := ""
		if !c.binary {
			sum = " before it is divided by their sum"
		}
		c.put(` * A probability differs by at most $odd$sum.`, "$sum", sum)
	}
	c.put(` *
 * Tables: $bytes bytes (in flash on AVR). Stack: $stack bytes in arrays at most.
 */
#ifndef $guard
#define $guard
#include <stdint.h>`)
	if c.Task.Real() {
		c.put(`#include <math.h> /* NAN */`)
	}
	c.put(cMacros, "$flash", "tables stay in flash")
	c.put(`
#ifndef SPARSEKM_LONG
#ifdef __AVR__
#define SPARSEKM_LONG(p) pgm_read_dword(p)
#else
#define SPARSEKM_LONG(p) (*(p))
#endif
#endif

#define $_SCALE $scale
#define $_BOUND $bound`, "$scale", strconv.FormatFloat(c.of.Scale, 'e', -1, 64))
	if c.of.Odds != nil {
		c.put(`#define $_PROBABILITY_BOUND $odd`)
	}
	c.sizes()
}

// rangeLines are lines of a comment with the names and the ranges of features, and what they say of rows.
func (c *fixedWriter) rangeLines() (lines, rows string) {
	row := &c.of.Row
	names, places := c.featureLines(), places(row.Used, c.D)
	var all []string
	for k := range c.D {
		line := strconv.Itoa(k)
		if names != nil {
			line = names[k]
		}
		if at := places[k]; at >= 0 && row.Limited[k].closed {
			largest := float64(row.Most) / row.Factor[at]
			line += fmt.Sprintf(" from %v to %v", float32(row.Center[at]-largest), float32(row.Center[at]+largest))
			rows = ", after its\n * features are moved into their ranges"
		} else if names == nil {
			continue
		}
		all = append(all, line)
	}
	if all == nil {
		return "", ""
	}
	return " Features:\n *  " + strings.Join(all, "\n *  "), rows
}

func (c *fixedWriter) tables() {
	p := c.of
	c.reals("center", "", p.Row.Center)
	c.reals("factor", "", p.Row.Factor)
	if len(p.Row.Used) < p.D {
		c.ints("used", "", p.Row.Used)
	}
	list := func(name string, used []int) {
		if p.listed(used) > 0 {
			c.ints(name, "", used)
		}
	}
	if n := p.Near; n != nil {
		list("near", n.Used)
		c.ints("vectors", "", n.Units)
	}
	if r := p.Rises; r != nil {
		list("turned", r.Used)
		if r.Feature != nil {
			c.ints("step_feature", "", r.Feature)
		}
		c.ints("slopes", "", r.Slopes)
		c.longs("step_offset", r.Offset)
		if r.shifts() > 0 {
			shifts := make([]int, r.N)
			for i, v := range r.Power {
				shifts[i] = v - fallBits
			}
			c.ints("step_shift", "", shifts)
		}
	}
	if w := p.Planes; w != nil {
		list("flat", w.Used)
		c.ints("planes", "", w.Weights)
	}
	c.schemeTables()
	if n := p.Near; n != nil {
		c.table("uint16_t", "octave", len(n.Table), lay(n.Table, c.whole))
	}
	if p.Rises != nil || p.Odds != nil {
		fall := make([]int, int(falls)+1)
		for i := range fall {
			fall[i] = int(math.Round(valueOne / (1 + math.Exp(float64(i)/fallCells))))
		}
		c.table("uint16_t", "fall", len(fall), lay(fall, c.whole))
	}
}

// schemeTables writes what all kinds of units share: weights, biases, classes, and what callers need.
func (c *fixedWriter) schemeTables() {
	p := c.of
	if len(p.Weights) > 0 {
		c.ints("weights", "", p.Weights)
	}
	if len(p.Offsets) > 1 {
		c.longs("bias", p.Offsets)
	}
	if !c.ordered() {
		c.ints("pos", "", c.Pos)
	}
	if c.pairs {
		c.ints("neg", "", c.Neg)
	}
	if q := p.Odds; q != nil && len(q.Limits) > 1 {
		c.longs("odds_limit", q.Limits)
		c.longs("odds_offset", q.Offsets)
		c.ints("odds_slope", "", q.Slopes)
	}
	if v := p.Values; v != nil {
		c.ints("level_feature", "", v.Feature)
		c.ints("level_first", "", v.First)
		c.reals("level", "", v.Table)
	}
}

// longs writes a table of 32-bit integers.
func (c *fixedWriter) longs(name string, v []int) {
	c.table("int32_t", name, len(v), lay(v, strconv.Itoa))
}

// feature writes the conversion of a raw value.
func (c *fixedWriter) feature() {
	c.put(`

/* Feature k of a raw value, rounded to a step and cut at both ends of its range. */
static inline int16_t $_feature(int k, float v)
{
	float q;`)
	if len(c.of.Row.Used) < c.D {
		c.put(`
	int i = k < $last ? k : $last; /* no feature stands behind its number */
	while (i >= 0 && (int)SPARSEKM_INT(&$_used[i]) > k)
		i--;
	if (i < 0 || (int)SPARSEKM_INT(&$_used[i]) != k)
		return 0; /* it changes nothing */
	k = i;`, "$last", strconv.Itoa(len(c.of.Row.Used)-1))
	}
	c.put(`
	q = (v - SPARSEKM_REAL(&$_center[k])) * SPARSEKM_REAL(&$_factor[k]);
	if (!(q > -$most.0f)) /* NaN too */
		return -$most;
	if (q > $most.0f)
		return $most;
	return (int16_t)(q < 0 ? q - 0.5f : q + 0.5f);
}`)
}

const fixedPower = `

/* 2 to the power -e, in steps of 2^-15, for e < 16 in steps of 2^-13. */
static inline uint16_t $_power(uint32_t e)
{
	uint8_t n = (uint8_t)(e >> 13), i = (uint8_t)(e >> 7) & 63;
	uint16_t a = SPARSEKM_INT(&$_octave[i]), b = SPARSEKM_INT(&$_octave[i + 1]);
	a = (uint16_t)(a - (uint16_t)(((uint16_t)(a - b) * (uint16_t)(e & 127) + 64) >> 7));
	return n ? (uint16_t)((uint16_t)(a >> (n - 1)) + 1) >> 1 : a;
}`

const fixedFall = `

/* 1/(1 + exp(-s)), in steps of 2^-15, for s in steps of 2^-11-shift. */
static inline uint16_t $_rise(int32_t s, uint8_t shift)
{
	uint32_t e = (uint32_t)(s < 0 ? -s : s);
	uint16_t a = 0;
	e = (e + (((uint32_t)1 << shift) >> 1)) >> shift;
	if (e < $end) {
		uint8_t i = (uint8_t)(e >> 7);
		uint16_t b = SPARSEKM_INT(&$_fall[i + 1]);
		a = SPARSEKM_INT(&$_fall[i]);
		a = (uint16_t)(a - (uint16_t)(((uint16_t)(a - b) * (uint16_t)(e & 127) + 64) >> 7));
	}
	return s > 0 ? (uint16_t)(32768U - a) : a;
}`

// at is the expression of feature k of a list.
func (c *fixedWriter) at(name string, used []int) string {
	switch {
	case len(used) == c.D:
		return "k"
	case slices.Equal(used, c.of.Row.Used):
		name = "used"
	}
	return "SPARSEKM_INT(&" + c.Name + "_" + name + "[k])"
}

// decide writes the function of decision values.
func (c *fixedWriter) decide() {
	p := c.of
	variables, numbers := "i", "1 integer"
	if p.Near != nil || p.Planes != nil || len(p.Offsets) > 1 || p.Rises != nil && p.Rises.Feature == nil {
		if variables = "i, k"; p.Near == nil && p.Rises == nil && (p.Planes == nil || len(p.Offsets) == 1) {
			variables = "k"
		}
	}
	if len(p.Offsets) > 1 {
		numbers = c.words["$machines"] + " integers"
	}
	c.put(`

/* The decision value of each submodel for the features of a row: $numbers. */
static inline void $_decide(const int16_t *features, int32_t *f)
{
	int $variables;`, "$variables", variables, "$numbers", numbers)
	if len(p.Offsets) > 1 {
		c.put(`
	for (k = 0; k < $machines; k++)
		f[k] = (int32_t)SPARSEKM_LONG(&$_bias[k]);`)
	} else {
		c.put(`	f[0] = $bias;`, "$bias", strconv.Itoa(p.Offsets[0]))
	}
	if p.Planes != nil {
		c.planes()
	}
	if p.Near != nil {
		c.near()
	}
	if p.Rises != nil {
		c.rises()
	}
	c.put("}")
}

// planes writes the sums of planes.
func (c *fixedWriter) planes() {
	w := c.of.Planes
	words := []string{"$k", c.at("flat", w.Used), "$count", strconv.Itoa(len(w.Used)), "$sum", "s"}
	if w.Shift > 0 {
		words[5] = fmt.Sprintf("(s + %d) >> %d", 1<<(w.Shift-1), w.Shift)
	}
	if len(c.of.Offsets) > 1 {
		c.put(`
	for (i = 0; i < $machines; i++) {
		int32_t s = 0;
		for (k = 0; k < $count; k++)
			s += (int32_t)(int16_t)SPARSEKM_INT(&$_planes[i * $count + k]) * features[$k];
		f[i] += $sum;
	}`, words...)
		return
	}
	c.put(`
	{
		int32_t s = 0;
		for (k = 0; k < $count; k++)
			s += (int32_t)(int16_t)SPARSEKM_INT(&$_planes[k]) * features[$k];
		f[0] += $sum;
	}`, words...)
}

// near writes the loop over vectors.
func (c *fixedWriter) near() {
	n := c.of.Near
	c.put(`
	for (i = 0; i < $n; i++) {
		uint32_t s = 0;
		uint16_t value;
		for (k = 0; k < $count; k++) {
			int16_t t = (int16_t)(features[$k] - (int16_t)SPARSEKM_INT(&$_vectors[i * $count + k]));
			s += (uint32_t)((int32_t)t * t)$drop;
		}
		if (s >= $limitUL)
			continue;
		value = $_power($exponent);`, "$n", strconv.Itoa(c.N), "$k", c.at("near", n.Used), "$drop", shiftRight(n.Drop),
		"$count", strconv.Itoa(len(n.Used)), "$limit", strconv.FormatUint(n.Limit, 10), "$exponent", n.exponent())
	c.add("i")
	c.put(`	}`)
}

// rises writes the loop over steps.
func (c *fixedWriter) rises() {
	r := c.of.Rises
	shift := strconv.Itoa(r.Power[0] - fallBits)
	if r.shifts() > 0 {
		shift = "(uint8_t)SPARSEKM_INT(&" + c.Name + "_step_shift[i])"
	}
	words := []string{"$n", strconv.Itoa(r.N), "$k", c.at("turned", r.Used), "$count", strconv.Itoa(len(r.Used)), "$shift", shift}
	c.put(`
	for (i = 0; i < $n; i++) {
		int32_t s = (int32_t)SPARSEKM_LONG(&$_step_offset[i]);
		uint16_t value;`, words...)
	if r.Feature != nil {
		c.put(`		s += (int32_t)(int16_t)SPARSEKM_INT(&$_slopes[i]) * features[SPARSEKM_INT(&$_step_feature[i])];`)
	} else {
		c.put(`
		for (k = 0; k < $count; k++)
			s += (int32_t)(int16_t)SPARSEKM_INT(&$_slopes[i * $count + k]) * features[$k];`, words...)
	}
	c.put(`		value = $_rise(s, $shift);`, words...)
	at := "i"
	if c.of.Near != nil {
		at = "(i + " + strconv.Itoa(c.N) + ")"
		if len(c.of.Offsets) == 1 {
			at = "i + " + strconv.Itoa(c.N)
		}
	}
	c.add(at)
	c.put(`	}`)
}

// add writes what adds the value of a unit to the decision values.
func (c *fixedWriter) add(unit string) {
	if len(c.of.Offsets) > 1 {
		c.put(`
		for (k = 0; k < $machines; k++)
			f[k] += (int32_t)(int16_t)SPARSEKM_INT(&$_weights[$unit * $machines + k]) * (int32_t)value$less;`,
			"$less", shiftRight(c.of.Less), "$unit", unit)
		return
	}
	c.put(`		f[0] += (int32_t)(int16_t)SPARSEKM_INT(&$_weights[$unit]) * (int32_t)value$less;`,
		"$less", shiftRight(c.of.Less), "$unit", unit)
}

// shiftRight is what drops some bits of the expression before it.
func shiftRight(bits int) string {
	if bits == 0 {
		return ""
	}
	return fmt.Sprintf(" >> %d", bits)
}

// exponent is the expression of an exponent with expBits bits, from the square s of a distance.
func (n *fixedNear) exponent() string {
	switch {
	case n.Shift < 0:
		return fmt.Sprintf("s << %d", -n.Shift)
	case n.Shift > 0:
		return fmt.Sprintf("(s + (uint32_t)%dUL) >> %d", 1<<(n.Shift-1), n.Shift) // rounded
	}
	return "s"
}

const fixedValue = `

/* The prediction for the features of a row, in steps of $_SCALE. */
static inline int32_t $_steps(const int16_t *features)
{
	int32_t f[1];
	$_decide(features, f);
	return f[0];
}

/* The prediction for the features of a row, or NAN where their number is another one. */
static inline float $_predict(const int16_t *features, int32_t features_length)
{
	return features_length == $_FEATURES ? (float)$_SCALE * (float)$_steps(features) : NAN;
}`

const fixedPredict = `

/* The class of the features of a row, an index into $_labels, or -1 where their number is another one. */
static inline int32_t $_predict(const int16_t *features, int32_t features_length)
{
	int32_t f[$_MACHINES];
	if (features_length != $_FEATURES)
		return -1;
	$_decide(features, f);
	return $_class(f);
}`

// odds writes the functions of probabilities.
func (c *fixedWriter) odds() {
	q := c.of.Odds
	words := []string{"$drop", strconv.Itoa(q.Drop), "$shift", strconv.Itoa(q.Shift)}
	if len(q.Limits) == 1 {
		words = append(words, "$limit", strconv.Itoa(q.Limits[0]), "$slope", strconv.Itoa(q.Slopes[0]),
			"$offset", strconv.Itoa(q.Offsets[0]))
		c.put(`

/* The probability of the positive class, from its decision value (Platt 2000), in steps of 2^-15. */
static inline uint16_t $_sigmoid(int32_t f)
{
	f = f > $limit ? $limit : f < -$limit ? -$limit : f;
	return $_rise((((f >> $drop) * $slope) >> $shift) + $offset, 0);
}`, words...)
	} else {
		c.put(`

/* The probability of submodel m's positive class, from its decision value (Platt 2000), in steps of 2^-15. */
static inline uint16_t $_sigmoid(int m, int32_t f)
{
	int32_t limit = (int32_t)SPARSEKM_LONG(&$_odds_limit[m]);
	f = f > limit ? limit : f < -limit ? -limit : f;
	f = (f >> $drop) * (int16_t)SPARSEKM_INT(&$_odds_slope[m]);
	return $_rise((f >> $shift) + (int32_t)SPARSEKM_LONG(&$_odds_offset[m]), 0);
}`, words...)
	}
	if c.binary {
		c.put(fixedProbabilitiesBinary)
	} else {
		at := "SPARSEKM_INT(&" + c.Name + "_pos[i])"
		if c.ordered() {
			at = "i"
		}
		c.put(fixedProbabilitiesRest, "$at", at)
	}
	c.put(fixedProba)
}

const fixedProbabilitiesBinary = `

/* The probability of each class, in steps of 2^-15. The most probable class may differ from the predicted one. */
static inline void $_probabilities(const int16_t *features, uint16_t *p)
{
	int32_t f[1];
	$_decide(features, f);
	p[$positive] = $_sigmoid(f[0]);
	p[$negative] = (uint16_t)(32768U - p[$positive]);
}`

const fixedProbabilitiesRest = `

/* The probability of each class, in steps of 2^-15. The most probable class may differ from the predicted one. */
static inline void $_probabilities(const int16_t *features, uint16_t *p)
{
	int32_t f[$_MACHINES];
	uint32_t sum = 0;
	int i;
	$_decide(features, f);
	for (i = 0; i < $_CLASSES; i++)
		sum += p[$at] = $_sigmoid(i, f[i]);
	for (i = 0; i < $_CLASSES; i++)
		p[i] = (uint16_t)(sum > 0 ? (p[i] * (uint32_t)32768 + sum / 2) / sum : 32768 / $_CLASSES);
}`

const fixedProba = `

/* The probability of each class. 0, or 1 where a length is another one. */
static inline int $_predict_proba(const int16_t *features, int32_t features_length, float *out, int out_length)
{
	uint16_t p[$_CLASSES];
	int i;
	if (features_length != $_FEATURES || out_length != $_CLASSES)
		return 1;
	$_probabilities(features, p);
	for (i = 0; i < $_CLASSES; i++)
		out[i] = (float)p[i] * (1.0f / 32768);
	return 0;
}`
