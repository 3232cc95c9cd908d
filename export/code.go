package export

import (
	"fmt"
	"strconv"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

// write writes the tables and the functions of a program, after its head.
func (w *writer) write() {
	for _, t := range w.tables() {
		w.table(t)
	}
	w.value("$real")
	w.decide()
	w.predict()
	w.probabilities()
	w.variance()
	switch {
	case w.Conformal == nil:
	case w.Task.Real():
		w.interval()
	default:
		w.set()
	}
}

// value writes the function of learnt values of categories, which has this type in C.
func (w *writer) value(real string) {
	if w.Values == nil {
		return
	}
	w.function("Returns feature k of a row that has category c of it, from 0; 0 where there is no such category.",
		"Value(k, c int) float64", real+" $_value(int k, int c)")
	w.code(`
	for i := range $count {
		place := int(starts[i]) + c
		if k == int(coded[i]) && c >= 0 && place < int(starts[i+1]) {
			return levels[place]
		}
	}
	return 0
	}`, "$count", strconv.Itoa(len(w.Values.Feature)))
}

// keepsValues reports whether a function with all kernel values is wanted, for variances.
func (p *program) keepsValues() bool { return p.Variance != nil || p.processes() != nil }

const (
	decides  = "Writes the decision value of each submodel for a row of raw features to f"
	goDecide = "Decide(f *[Models]float64, x *[Features]float64)"
	cDecide  = "void $_decide(const $real *x, $real *f)"
)

// decide writes the function of decision values, and that with all kernel values.
func (w *writer) decide() {
	if w.keepsValues() {
		w.function("Writes the decision values, or their means, to f, and the kernel values of all vectors to phi.\n"+
			"Those of composite kernels may have k(x, x) after them.",
			"values(f *[Models]float64, x *[Features]float64, phi *[$room]float64)",
			"void $_values(const $real *x, $real *f, $real *phi)")
	} else {
		w.function(decides+".", goDecide, cDecide)
	}
	if len(w.Submodels) > 1 {
		w.code(`
		for m := range $models {
			f[m] = bias[m]
		}`)
	} else {
		w.code(`f[0] = $bias`, "$bias", w.num(w.Bias[0]))
	}
	if w.c && len(w.Groups) == 0 {
		w.code(`(void)x`)
		if w.keepsValues() {
			w.code(`(void)phi`)
		}
	}
	for i := range w.Groups {
		w.group(&w.Groups[i])
	}
	w.code("}")
	switch {
	case w.Odds != nil:
		w.odds()
	case w.keepsValues():
		w.function(decides+".", goDecide, cDecide)
		w.code(`
		var phi [$room]float64
		$call
		}`, "$call", w.values("f"))
	}
}

// values is a call of the function of kernel values.
func (w *writer) values(f string) string {
	return w.either("values("+f+", x, &phi)", w.Name+"_values(x, f, phi)")
}

// group writes the loop over the vectors of a group.
func (w *writer) group(g *group) {
	w.code("{")
	for _, factor := range g.factors() {
		if factor.transformed() {
			w.about(g, factor)
			w.code(`
			var $q [$d]float64
			for k := range $d {
				$q[k] = ` + factor.query() + `
			}`)
		}
	}
	if g.Self {
		w.code("{")
		w.terms(g, true)
		w.code("phi[$place] = total\n}", "$place", strconv.Itoa(g.At+g.N))
	}
	w.about(g, g)
	w.code(`for i := range $n {`, "$n", strconv.Itoa(g.N))
	if g.Sum == composed {
		w.terms(g, false)
		w.code(`s := total`)
	} else {
		w.kernelSum(g)
		w.kernelValue(g)
	}
	w.about(g, g)
	if w.keepsValues() {
		w.code(`phi[` + g.place() + `] = s`)
	}
	w.addValue(g)
	w.code("}\n}")
}

// about sets the words of a group, or of a factor of one.
func (w *writer) about(g, factor *group) {
	w.words["$g"], w.words["$d"] = strconv.Itoa(factor.Index), strconv.Itoa(factor.D)
	w.words["$q"] = factor.features(factor != g)
}

// terms writes the value of a composite kernel, total: for a vector, or k(x, x) for the sample itself.
func (w *writer) terms(g *group, itself bool) {
	w.code(`total := 0.0`)
	for _, t := range g.Terms {
		w.code("{\nproduct := $scale", "$scale", w.num(t.Scale))
		for _, factor := range t.Factors {
			if itself && factor.Sum != products { // it is 1
				continue
			}
			w.about(g, factor)
			w.code(`{`)
			if itself {
				w.code(`
				s := 0.0
				for k := range $d {
					s += $q[k] * $q[k]
				}
				s *= $width`, "$width", w.num(factor.Width))
			} else {
				w.kernelSum(factor)
			}
			w.kernelValue(factor)
			w.code("product *= s\n}")
		}
		w.code("total += product\n}")
	}
}

// kernelSum writes the first step of a kernel value s.
func (w *writer) kernelSum(g *group) {
	if g.Feature != nil {
		w.code(`s := x[feature$g[i]] * vectors$g[i]`)
		return
	}
	w.code(`s := 0.0`)
	w.eachElement("v", "vectors"+w.words["$g"], w.words["$d"])
	switch g.Sum {
	case squares:
		w.code("t := $q[k] - v\ns += t * t")
	case differences:
		w.code("t := $q[k] - v\ns += $fabs(t)")
	default:
		w.code("s += $q[k] * v")
	}
	w.code("}")
}

// kernelValue writes the second step, from the sum s.
func (w *writer) kernelValue(g *group) {
	switch {
	case g.Value == decay && g.Gamma == 1:
		w.code(`s = $exp(-s)`)
	case g.Value == decay:
		w.code(`s = $exp($factor * s)`, "$factor", w.num(-g.Gamma))
	case g.Value == power:
		w.code(`
		base := s + $coef0
		s = 1
		for n := $degree; n > 0; n /= 2 {
			if n%2 == 1 {
				s *= base
			}
			base *= base
		}`, "$coef0", w.num(g.Coef0), "$degree", strconv.Itoa(g.Degree))
	case g.Value == ratio:
		w.code(`s = $exp($alpha * $log1p($times))`, "$alpha", w.num(-g.Coef0), "$times", g.times("s", w.num))
	case g.Value.bell():
		w.code(`
		s *= $gamma
		s = $sqrt(s)
		if s > 1000 {
			s = 0
		} else {
			s = $bell
		}`, "$gamma", w.num(g.Gamma), "$bell", g.Value.ofBell(w.words["$exp"]))
	case g.Value == tanh:
		w.code(`s = $tanh(s + $coef0)`, "$coef0", w.num(g.Coef0))
	case g.Value == rise:
		w.code(`s = 1 / (1 + $exp(-(s + offset$g[i])))`)
	}
}

// addValue writes what adds the value s of vector i to the decision values.
func (w *writer) addValue(g *group) {
	switch {
	case g.First != nil:
		w.code(`
		for k := first$g[i]; k < first$g[i+1]; k++ {
			f[target$g[k]] += list$g[k] * s
		}`)
	case g.Sum == weights:
		w.code(`f[` + g.submodel("i") + `] += s`)
	case len(g.Submodels) == 1:
		w.code(`f[$only] += coef$g[i] * s`, "$only", strconv.Itoa(g.Submodels[0]))
	default:
		w.eachElement("c", "coef"+w.words["$g"], strconv.Itoa(len(g.Submodels)))
		w.code(`f[` + g.submodel("k") + "] += c * s\n}")
	}
}

// predict writes the functions from decision values to a class, and from a row to a prediction.
func (w *writer) predict() {
	result, real, value := "prediction for a row of raw features.", w.either("float64", "$real"), "f[0]"
	if !w.Task.Real() {
		w.class()
		result, real = "class of a row of raw features, an index into "+w.either("Labels.", "$_labels."), "int"
		value = w.either("Class(&f)", w.Name+"_class(f)")
	}
	w.function("Returns the "+result, "Predict(x *[Features]float64) "+real, real+" $_predict(const $real *x)")
	w.code(`
	var f [$models]float64
	$decide
	return $value
	}`, "$value", value)
}

// class writes the function from decision values to a class. Fixed point has it too, where $real is an integer and $one
// is 1 as a decision value.
func (w *writer) class() {
	w.function("Returns the class of decision values, an index into "+w.either("Labels.", "$_labels."),
		"Class(f *[Models]float64) int", "$int $_class(const $real *f)")
	better := "score[i] > score[best]"
	switch {
	case w.binary:
		w.code(`
		if f[0] > 0 {
			return $positive
		}
		return $negative
		}`)
		return
	case w.rest && w.ordered():
		better = "f[i] > f[best]"
	case w.rest:
		better = "f[i] > f[best] || (f[i] == f[best] && pos[i] < pos[best])"
	default:
		first := "0"
		if !w.votes {
			first = "$one"
		}
		w.code(`
		var score [$classes]float64
		for i := range $classes {
			score[i] = ` + first + `
		}
		for i := range $models {`)
		if w.votes {
			w.code(`
			if f[i] > 0 {
				score[pos[i]]++
			} else {
				score[neg[i]]++
			}
			}`)
		} else {
			w.minScores("f[i]")
		}
	}
	w.code(`
	best := 0
	for i := range $classes {
		if ` + better + ` {
			best = i
		}
	}`)
	if w.rest && !w.ordered() {
		w.code("return int(pos[best])\n}")
		return
	}
	w.code("return best\n}")
}

// minScores writes the end of a loop over pairs: what makes a class's score the smallest of its decision values v.
func (w *writer) minScores(v string) {
	w.code(`
	if $v < score[pos[i]] {
		score[pos[i]] = $v
	}
	if -$v < score[neg[i]] {
		score[neg[i]] = -$v
	}
	}`, "$v", v)
}

// odds writes the function of decision values of a classifier of Gaussian processes.
func (w *writer) odds() {
	why := ""
	if w.Scheme != model.OneVsRest {
		why = " The sign is the mean's."
	}
	w.function(`Returns the log odds of a probability, the mean of 1/(1+exp(-t)) for a normal t of this mean and variance.
The logistic function is a sum of error functions here (Williams and Barber 1998, appendix A).`+why,
		"odds(mean, v float64) float64", "$real $_odds($real mean, $real v)")
	w.code(`
	p := 0.0
	for i := range $terms {
		s := mixscale[i]
		p += mixweight[i] * (1 + $erf(s*mean/$sqrt(1+2*v*s*s))) / 2
	}
	if !(p > $least) {
		p = $least
	}
	p = $log(p / (1 - p))`, "$terms", strconv.Itoa(len(model.Logistic.Terms)),
		"$least", w.num(model.Logistic.MinProbability))
	if w.Scheme != model.OneVsRest {
		w.code(`
		if mean > 0 && !(p > 0) {
			return $least
		}
		if !(mean > 0) && !(p < 0) {
			return 0
		}`, "$least", w.num(model.Logistic.MinOdds))
	}
	w.code("return p\n}")
	w.remaining()
	w.function(decides+", the log odds of its class.", goDecide, cDecide)
	w.code("var phi [$room]float64\n$call", "$call", w.values("f"))
	for i := range w.Odds {
		call := w.either("odds", w.Name+"_odds")
		w.code(`f[$i] = $call(f[$i], $variance)`, "$call", call, "$variance", w.leftVariance(i), "$i", strconv.Itoa(i))
	}
	w.code(`}`)
}

// remaining writes the function of the variance that the vectors of a Gaussian process leave.
func (w *writer) remaining() {
	w.function("Returns what the vectors leave of the variance v, given their kernel values; spread may be absent.",
		"rest(lower, spread, phi []float64, v float64) float64",
		"$real $_rest(const $real *lower, const $real *spread, const $real *phi, $real v)")
	w.code(`
	var w [$n]float64
	place := 0
	for i := range $n {
		w[i] = 0
		for j := range i + 1 {
			w[i] += lower[place] * phi[j]
			place++
		}
		v -= w[i] * w[i]
	}
	for j := 0; spread != $nil && j < $n; j++ {
		s := 0.0
		place = j * (j + 3) / 2
		for i := j; i < $n; i++ {
			s += spread[place] * w[i]
			place += i + 1
		}
		v += s * s
	}
	if v > 0 {
		return v
	}
	return 0
	}`, "$n", strconv.Itoa(w.N), "$nil", w.either("nil", "0"))
}

// leftVariance is the expression of the variance of process i, with the noise.
func (w *writer) leftVariance(i int) string {
	p := w.processes()[i]
	prior, spread := w.num(p.Prior), w.either("nil", "0")
	phi := w.either("phi[:]", "phi")
	if p.Self {
		prior += "*phi[" + strconv.Itoa(p.At+p.N) + "]"
	}
	if p.At > 0 {
		phi = w.either(fmt.Sprintf("phi[%d:]", p.At), fmt.Sprint("phi + ", p.At))
	}
	slice := w.either("[:]", "")
	if p.Spread != nil {
		spread = fmt.Sprint("spread", i, slice)
	}
	text := fmt.Sprintf("%s(lower%d%s, %s, %s, %s)", w.either("rest", w.Name+"_rest"), i, slice, spread, phi, prior)
	if p.Noise > 0 {
		text = w.num(p.Noise) + "+" + text
	}
	return text
}

// variance writes the function of a Gaussian process's variance.
func (w *writer) variance() {
	if w.Process == nil {
		return
	}
	w.remaining()
	w.function("Returns the variance of the value for a row of raw features, with the noise's, and writes its mean.",
		"", "$real $_variance(const $real *x, $real *mean)")
	w.code(`
	var phi [$room]float64
	$_values(x, mean, phi)
	return $variance
	}`, "$variance", w.leftVariance(0))
}

// probabilities writes the sigmoid of a submodel and the function of the probabilities of all classes.
func (w *writer) probabilities() {
	if !w.Probable {
		return
	}
	w.function("Returns the probability of submodel m's positive class, from its decision value (Platt 2000).",
		"sigmoid(m int, f float64) float64", "$real $_sigmoid(int m, $real f)")
	w.code(`
	z := platta[m]*f + plattb[m]
	e := $exp(-$fabs(z))
	if z >= 0 {
		return e / (1 + e)
	}
	return 1 / (1 + e)
	}`)
	how := ""
	if w.pairs {
		how = ", from those of pairs\nby the second method of Wu, Lin and Weng (2004)"
	}
	w.function("Writes the probability of each class for a row of raw features to p"+how+
		".\nThe most probable class may differ from the predicted one.",
		"Probabilities(p *[Classes]float64, x *[Features]float64)", "void $_probabilities(const $real *x, $real *p)")
	w.code("var f [$models]float64\n$decide")
	switch {
	case w.binary:
		w.code(`
		p[$positive] = $sigmoid(0, f[0])
		p[$negative] = 1 - p[$positive]
		}`)
	case w.rest:
		w.code(`
		sum := 0.0
		for i := range $models {
			v := $sigmoid(i, f[i])
			p[$class] = v
			sum += v
		}
		for i := range $classes {
			if sum > 0 {
				p[i] /= sum
			} else {
				p[i] = $unit / $classes
			}
		}
		}`, "$class", w.classOf(), "$unit", w.num(1))
	default:
		w.code(codePairs, "$tiny", w.num(1e-7))
		w.code(codeSolve)
	}
}

// classOf is the expression of the class of submodel i, one against the rest.
func (w *writer) classOf() string {
	if w.ordered() {
		return "i"
	}
	return "pos[i]"
}

const codePairs = `
	var r [$classes][$classes]float64
	for i := range $models {
		v := $sigmoid(i, f[i])
		if v < $tiny {
			v = $tiny
		}
		if v > 1-$tiny {
			v = 1 - $tiny
		}
		r[pos[i]][neg[i]] = v
		r[neg[i]][pos[i]] = 1 - v
	}`

const codeSolve = `
	// (Q + e e') p = e by a Cholesky factorization, then p / sum p
	var q [$classes][$classes]float64
	for i := range $classes {
		p[i] = 1
		q[i][i] = 1
		for j := range $classes {
			if j != i {
				q[i][i] += r[j][i] * r[j][i]
			}
			if j < i {
				q[i][j] = 1 - r[j][i]*r[i][j]
			}
		}
	}
	for i := range $classes {
		for j := range i + 1 {
			v := q[i][j]
			for k := range j {
				v -= q[i][k] * q[j][k]
			}
			if j < i {
				q[i][j] = v / q[j][j]
			} else {
				q[i][i] = $sqrt(v)
			}
		}
		for k := range i {
			p[i] -= q[i][k] * p[k]
		}
		p[i] /= q[i][i]
	}
	sum := 0.0
	for i := $classes - 1; i >= 0; i-- {
		for k := i + 1; k < $classes; k++ {
			p[i] -= q[k][i] * p[k]
		}
		p[i] /= q[i][i]
	}
	for i := range $classes {
		if !(p[i] > 0) {
			p[i] = 0
		}
		sum += p[i]
	}
	for i := range $classes {
		p[i] /= sum
	}
	}`

// interval writes the function of the ends of an interval.
func (w *writer) interval() {
	w.function("Finds the ends of the interval of a row of raw features.\nIt contains $percent % of new values, by $noun.",
		"Interval(x *[Features]float64) (low, high float64)", "void $_interval(const $real *x, $real *ends)")
	w.code("var f [1]float64\nhalf := $half", "$half", w.num(w.Conformal.Thresholds[0]))
	if w.Variance != nil {
		w.code(`
		var phi [$room]float64
		$call
		phi[$room-1] = 1
		v := $noise
		place := 0
		for i := range $room {
			s := 0.0
			for j := range i {
				s += covariance[place] * phi[j]
				place++
			}
			v += phi[i] * (2*s + covariance[place]*phi[i])
			place++
		}
		half *= $sqrt(v)`, "$noise", w.num(w.Variance.Noise), "$call", w.values("&f"))
	} else {
		w.code(`$decide`)
	}
	w.code(w.either("return f[0] - half, f[0] + half", "ends[0] = f[0] - half\nends[1] = f[0] + half") + "\n}")
}

// set writes the function of a prediction set.
func (w *writer) set() {
	w.function(`Writes whether each class is in the prediction set of a row of raw features, and returns how many are:
none and all are answers too. Sets contain the class of $percent % of new samples, by $noun.`,
		"Set(in *[Classes]bool, x *[Features]float64) int", "int $_set(const $real *x, unsigned char *in)")
	w.code("var f [$models]float64\nvar score [$classes]float64\n$decide")
	switch {
	case w.binary:
		w.code("score[$positive] = f[0]\nscore[$negative] = -f[0]")
	case w.rest:
		w.code(`
		for i := range $models {
			s := $infinity
			for j := range $models {
				if j != i && f[i]-f[j] < s {
					s = f[i] - f[j]
				}
			}
			score[$class] = s
		}`, "$class", w.classOf())
	default:
		w.code(`
		for i := range $classes {
			score[i] = $infinity
		}
		for i := range $models {`)
		w.minScores("f[i]")
	}
	smallest := "least[i]"
	if len(w.Conformal.Thresholds) == 1 {
		smallest = w.num(w.Conformal.Thresholds[0])
	}
	if w.Task == learn.OneClass {
		smallest += " && i == 1" // outliers have the empty set
	}
	w.code(`
	n := 0
	for i := range $classes {
		in[i] = score[i] >= ` + smallest + `
		if in[i] {
			n++
		}
	}
	return n
	}`)
}
