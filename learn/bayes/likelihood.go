package bayes

import "math"

// likelihood is ln p(targets | f), a sum over samples, with its derivatives with respect to each sample's f.
type likelihood interface {
	// eval returns the value and writes the slopes ∂/∂f and the curvatures −∂²/∂f², which are not negative.
	eval(f, slope, curvature []float64) float64
}

// chances is a likelihood of classes.
type chances interface {
	likelihood
	// average is the probability of the positive class for a decision of mean f and variance v.
	average(f, v float64) float64
}

// bending is a likelihood whose curvatures depend on f.
type bending interface {
	likelihood
	bend(f, dst []float64) // writes the derivatives of the curvatures with respect to f
}

// logistic is Σ pos ln σ(f) + neg ln σ(−f): the Bernoulli likelihood of Tipping (2001), eq. (23), with weights.
type logistic struct{ pos, neg []float64 }

func (l logistic) eval(f, slope, curvature []float64) (value float64) {
	for i, v := range f {
		e := math.Exp(-math.Abs(v))
		p := 1 / (1 + e) // σ(|v|)
		q := e * p       // and σ(−|v|)
		lost, sure := l.neg[i], l.pos[i]
		if v < 0 {
			lost, sure = sure, lost
		}
		value -= (lost+sure)*math.Log1p(e) + lost*math.Abs(v)
		slope[i] = math.Copysign(1, v) * (sure*q - lost*p)
		curvature[i] = (lost + sure) * p * q
	}
	return value
}

func (l logistic) bend(f, dst []float64) {
	for i, v := range f {
		e := math.Exp(-math.Abs(v))
		p := 1 / (1 + e)
		dst[i] = math.Copysign((l.pos[i]+l.neg[i])*p*p*e*(1-e)*p, -v)
	}
}

// average is the moderated output σ(κ(v) f), MacKay (1992).
func (logistic) average(f, v float64) float64 { return sigmoid(f / math.Sqrt(1+math.Pi*v/8)) }

func sigmoid(x float64) float64 {
	if x < 0 {
		e := math.Exp(x)
		return e / (1 + e)
	}
	return 1 / (1 + math.Exp(-x))
}

// probit is Σ pos ln Φ(f) + neg ln Φ(−f), Figueiredo (2003), eq. (9), with weights.
type probit struct{ pos, neg []float64 }

func (l probit) eval(f, slope, curvature []float64) (value float64) {
	for i, v := range f {
		up, up1 := logPhi(v)
		down, down1 := logPhi(-v)
		slope[i] = weighed(l.pos[i], up1) - weighed(l.neg[i], down1)
		curvature[i] = weighed(l.pos[i], up1*(up1+v)) + weighed(l.neg[i], down1*(down1-v))
		value += weighed(l.pos[i], up) + weighed(l.neg[i], down)
	}
	return value
}

// average is Φ(f/√(1+v)).
func (probit) average(f, v float64) float64 { return math.Erfc(-f/math.Sqrt(2+2*v)) / 2 }

// weighed is w·v; 0 if w is 0, even where v is infinite.
func weighed(w, v float64) float64 {
	if w == 0 {
		return 0
	}
	return w * v
}

// logPhi returns ln Φ(x) and its derivative φ(x)/Φ(x). Below −6 they come from the continued
// fraction of Mills' ratio, (1−Φ(t))/φ(t) = 1/(t + 1/(t + 2/(t + 3/(t + ...)))) for t = −x.
func logPhi(x float64) (value, slope float64) {
	const (
		logRoot = 0.91893853320467274178 // ln √(2π)
		terms   = 60
	)
	if x > -6 {
		p := math.Erfc(-x/math.Sqrt2) / 2
		return math.Log(p), math.Exp(-x*x/2-logRoot) / p
	}
	t := -x
	for k := terms; k > 0; k-- {
		t = -x + float64(k)/t
	}
	return -x*x/2 - logRoot - math.Log(t), t
}
