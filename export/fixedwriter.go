package export

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// fixedWriter writes the C of a model in fixed point, which is Lowered.
type fixedWriter struct{ *writer }

func (c *fixedWriter) write() {
	for word, meaning := range map[string]string{"$real": "int32_t", "$int": "int32_t", "$one": strconv.Itoa(c.Lowered.One),
		"$decide": c.Name + "_decide(features, f)", "$largest": strconv.Itoa(c.Lowered.Row.Largest),
		"$bound": threeDigits(slices.Max(c.Lowered.Bounds))} {
		c.words[word] = meaning
	}
	if c.Lowered.Odds != nil {
		c.words["$odd"] = threeDigits(c.Lowered.Odds.Bound)
	}
	c.head()
	for _, t := range c.tables() {
		c.table(t)
	}
	c.feature()
	c.value("float")
	c.putIf(c.Lowered.Near != nil, fixedPower)
	c.putIf(c.Lowered.Rises != nil || c.Lowered.Odds != nil, fixedFall, "$end", strconv.Itoa(int(fallEnd*(1<<fallBits))))
	c.decide()
	if c.Task.Real() {
		c.put(fixedValue)
	} else {
		c.class()
		c.put(fixedPredict)
	}
	if c.Lowered.Odds != nil {
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
	c.putIf(c.Values != nil, ` * float $_value(int k, int c)   the raw value of feature k of a row of category c`)
	if c.Task.Real() {
		c.put(` * int32_t $_steps(const int16_t *features)   the prediction, in steps of $_SCALE
 * float $_predict(const int16_t *features, int32_t features_length)   the prediction, or NAN where the length
 *     is not $features: as the models that emlearn writes`)
	} else {
		c.put(`
 * int32_t $_predict(const int16_t *features, int32_t features_length)   the class, an index into
 *     $_labels, or -1 where the length is not $features: as the models that emlearn writes`)
	}
	c.putIf(c.Lowered.Odds != nil, `
 * int $_predict_proba(const int16_t *features, int32_t features_length, float *out, int out_length)   0, and
 *     the probabilities of the classes, or 1 where a length is another one: as the models that emlearn writes
 * void $_probabilities(const int16_t *features, uint16_t *p)   the same, in steps of 1/32768`)
	names, rows := c.rangeLines()
	c.put(` * void $_decide(const int16_t *features, int32_t *f)   the decision values, in steps of $_SCALE
 *
 * A decision value differs from that of the model in double precision by at most $bound, for every row`+
		` of floats$rows.$names`, "$names", names, "$rows", rows)
	odds := c.Lowered.Odds != nil
	c.putIf(odds && c.binary, ` * A probability differs by at most $odd.`)
	c.putIf(odds && !c.binary, ` * A probability differs by at most $odd before it is divided by their sum.`)
	includes := "#include <stdint.h>"
	if c.Task.Real() {
		includes += "\n#include <math.h> /* NAN */"
	}
	c.cGuard("", includes, "tables stay in flash")
	c.put(`
#ifndef SPARSEKM_LONG
#ifdef __AVR__
#define SPARSEKM_LONG(p) pgm_read_dword(p)
#else
#define SPARSEKM_LONG(p) (*(p))
#endif
#endif

#define $_SCALE $scale
#define $_BOUND $bound`, "$scale", strconv.FormatFloat(c.Lowered.Scale, 'e', -1, 64))
	c.putIf(c.Lowered.Odds != nil, `#define $_PROBABILITY_BOUND $odd`)
	c.cSizes()
}

// rangeLines are lines of a comment with the names and the ranges of features, and what they say of rows.
func (c *fixedWriter) rangeLines() (lines, rows string) {
	row := &c.Lowered.Row
	names, places := c.featureLines(), places(row.Used, c.D)
	var all []string
	for k := range c.D {
		line := strconv.Itoa(k)
		if names != nil {
			line = names[k]
		}
		if place := places[k]; place >= 0 && row.Limited[k].closed {
			largest := float64(row.Largest) / row.Factor[place]
			line += fmt.Sprintf(" from %v to %v", float32(row.Center[place]-largest), float32(row.Center[place]+largest))
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

// feature writes the conversion of a raw value.
func (c *fixedWriter) feature() {
	c.put(`

/* Feature k of a raw value, rounded to a step and cut at both ends of its range. */
static inline int16_t $_feature(int k, float v)
{
	float q;`)
	if len(c.Lowered.Row.Used) < c.D {
		c.put(`
	int i = k < $last ? k : $last; /* no feature stands behind its number */
	while (i >= 0 && (int)SPARSEKM_INT(&$_used[i]) > k)
		i--;
	if (i < 0 || (int)SPARSEKM_INT(&$_used[i]) != k)
		return 0; /* it changes nothing */
	k = i;`, "$last", strconv.Itoa(len(c.Lowered.Row.Used)-1))
	}
	c.put(`
	q = (v - SPARSEKM_REAL(&$_center[k])) * SPARSEKM_REAL(&$_factor[k]);
	if (!(q > -$largest.0f)) /* NaN too */
		return -$largest;
	if (q > $largest.0f)
		return $largest;
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

// feature k of a list, as an expression.
func (c *fixedWriter) featureOf(name string, used []int) string {
	switch {
	case len(used) == c.D:
		return "features[k]"
	case slices.Equal(used, c.Lowered.Row.Used):
		name = "used"
	}
	return "features[" + name + "[k]]"
}

// decide writes the function of decision values.
func (c *fixedWriter) decide() {
	p := c.Lowered
	c.function("Writes the decision value of each submodel for the features of a row.", "",
		"void $_decide(const int16_t *features, int32_t *f)")
	if len(p.Offsets) > 1 {
		c.code(`
		for k := range $models {
			f[k] = bias[k]
		}`)
	} else {
		c.code(`f[0] = $bias`, "$bias", strconv.Itoa(p.Offsets[0]))
	}
	if w := p.Planes; w != nil {
		c.code(`
		for i := range $models {
			s := int32(0)
			for k := range $count {
				s += int32(planes[i*$count+k]) * $feature
			}
			f[i] += $sum
		}`, "$count", strconv.Itoa(len(w.Used)), "$feature", c.featureOf("flat", w.Used), "$sum", rounded("s", w.Shift))
	}
	if p.Near != nil {
		c.near()
	}
	if p.Rises != nil {
		c.rises()
	}
	c.code("}")
}

// near writes the loop over vectors.
func (c *fixedWriter) near() {
	n := c.Lowered.Near
	exponent := rounded("s", n.Shift)
	if n.Shift < 0 {
		exponent = fmt.Sprintf("s << %d", -n.Shift)
	}
	c.code(`
	for i := range $n {
		s := uint32(0)
		for k := range $count {
			t := int16($feature - vectors[i*$count+k])
			s += uint32(int32(t)*t)$drop
		}
		if s >= $limit {
			continue
		}
		value := uint16($_power($exponent))`, "$n", strconv.Itoa(c.N), "$count", strconv.Itoa(len(n.Used)),
		"$feature", c.featureOf("near", n.Used), "$drop", shiftRight(n.Drop),
		"$limit", strconv.FormatUint(n.Limit, 10)+"UL", "$exponent", exponent)
	c.add("i")
}

// rises writes the loop over steps.
func (c *fixedWriter) rises() {
	r := c.Lowered.Rises
	shift, unit := strconv.Itoa(r.Power[0]-fallBits), "i"
	if r.shifts() != nil {
		shift = "(uint8_t)stepshift[i]"
	}
	if c.Lowered.Near != nil {
		unit = fmt.Sprintf("(i + %d)", c.N)
	}
	c.code("for i := range $n {\ns := int32(stepoffset[i])", "$n", strconv.Itoa(len(r.Power)))
	if r.Feature != nil {
		c.code(`s += int32(slopes[i]) * features[stepfeature[i]]`)
	} else {
		c.code(`
		for k := range $count {
			s += int32(slopes[i*$count+k]) * $feature
		}`, "$count", strconv.Itoa(len(r.Used)), "$feature", c.featureOf("turned", r.Used))
	}
	c.code(`value := uint16($_rise(s, $shift))`, "$shift", shift)
	c.add(unit)
}

// add writes the end of a loop over units: what adds a value to the decision values.
func (c *fixedWriter) add(unit string) {
	c.code(`
		for k := range $models {
			f[k] += int32(weights[$unit*$models+k]) * int32(value)$less
		}
	}`, "$less", shiftRight(c.Lowered.Less), "$unit", unit)
}

// shiftRight is what drops some bits of the expression before it.
func shiftRight(bits int) string {
	if bits == 0 {
		return ""
	}
	return fmt.Sprintf(" >> %d", bits)
}

// rounded is the expression of a sum without some bits.
func rounded(sum string, bits int) string {
	if bits <= 0 {
		return sum
	}
	return fmt.Sprintf("(%s + %d) >> %d", sum, 1<<(bits-1), bits)
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
	int32_t f[$_MODELS];
	if (features_length != $_FEATURES)
		return -1;
	$_decide(features, f);
	return $_class(f);
}`

// odds writes the functions of probabilities.
func (c *fixedWriter) odds() {
	q := c.Lowered.Odds
	limit, slope, offset := "oddlimit[m]", "oddslope[m]", "oddoffset[m]"
	c.function("Returns the probability of submodel m's positive class (Platt 2000), in steps of 2^-15.",
		"", "uint16_t $_sigmoid(int m, int32_t f)")
	if len(q.Limits) == 1 {
		limit, slope, offset = strconv.Itoa(q.Limits[0]), strconv.Itoa(q.Slopes[0]), strconv.Itoa(q.Offsets[0])
		c.code("(void)m")
	}
	c.code(`
	limit := int32($limit)
	if f > limit {
		f = limit
	}
	if f < -limit {
		f = -limit
	}
	f = (f >> $drop) * $slope
	return $_rise((f >> $shift) + $offset, 0)
	}`, "$limit", limit, "$slope", slope, "$offset", offset, "$drop", strconv.Itoa(q.Drop),
		"$shift", strconv.Itoa(q.Shift))
	c.function("Writes the probability of each class, in steps of 2^-15.\n"+
		"The most probable class may differ from the predicted one.",
		"", "void $_probabilities(const int16_t *features, uint16_t *p)")
	c.code("int32_t f[$models]\n$decide")
	if c.binary {
		c.code(`
		p[$positive] = $_sigmoid(0, f[0])
		p[$negative] = uint16(32768U - p[$positive])
		}`)
	} else {
		c.code(`
		sum := uint32(0)
		for i := range $classes {
			p[$class] = $_sigmoid(i, f[i])
			sum += p[$class]
		}
		for i := range $classes {
			p[i] = uint16(sum > 0 ? (p[i]*uint32(32768) + sum/2) / sum : 32768 / $classes)
		}
		}`, "$class", c.classOf())
	}
	c.put(fixedProba)
}

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
