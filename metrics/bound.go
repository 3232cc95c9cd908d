package metrics

import (
	"fmt"
	"math"
)

// bisections is how often the brackets of this file are halved: their ends are then neighbours in float64.
const bisections = 64

// MaxRate is the largest error rate of a classifier at which so few errors on n independent samples still have the
// probability e^logDelta: the binomial tail inversion of Langford ("Tutorial on practical prediction theory for
// classification", Journal of Machine Learning Research 6, 2005, definition 3.2), the upper end of the interval of
// Clopper and Pearson. With probability 1 − e^logDelta over the samples the error rate is not above it. It is 1 if
// there are errors only. The bound is exact for every n and logDelta <= 0; e^logDelta may be below the smallest
// float64.
func MaxRate(errors, n int, logDelta float64) float64 {
	if errors < 0 || errors > n || !(logDelta <= 0) {
		panic(fmt.Sprintf("metrics: the largest rate of %d errors of %d, log δ = %v", errors, n, logDelta))
	}
	if errors == n {
		return 1
	}
	return bisect(float64(errors)/float64(n), 1, func(p float64) bool { return logTail(p, errors, n) <= logDelta })
}

// bisect returns the upper end of where over, which is false at low and true at high, changes.
func bisect(low, high float64, over func(float64) bool) float64 {
	for range bisections {
		middle := low + (high-low)/2
		if over(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// logTail is ln P(Bin(n, p) ≤ e) for e/n ≤ p < 1. The terms descend from that of e, which is factored out.
func logTail(p float64, e, n int) float64 {
	if p >= 1 {
		return math.Inf(-1)
	}
	sum, term, odds := 1.0, 1.0, (1-p)/p
	for i := e; i > 0 && term > sum*1e-17; i-- {
		term *= float64(i) / float64(n-i+1) * odds
		sum += term
	}
	first := logChoose(n, e) + float64(n-e)*math.Log1p(-p)
	if e > 0 {
		first += float64(e) * math.Log(p)
	}
	return first + math.Log(sum)
}

// logChoose is ln C(n, k).
func logChoose(n, k int) float64 {
	gamma := func(v int) float64 { g, _ := math.Lgamma(float64(v + 1)); return g }
	return max(0, gamma(n)-gamma(k)-gamma(n-k))
}

// CountBits is the length, −log₂ of its probability, of a natural number i with the probability 1/((i+1)(i+2)),
// the sum of which is 1.
func CountBits(i int) float64 { return math.Log2(float64(i)+1) + math.Log2(float64(i)+2) }

// IntegerBits is the length of an integer: the number of its binary digits by [CountBits], the digits behind the
// first one, and the sign.
func IntegerBits(v int64) float64 {
	digits := 0
	for u := v; u != 0; u /= 2 {
		digits++
	}
	return CountBits(digits) + float64(digits)
}

// StepBits is the length of an integer that is near 0 as a rule: its size by a geometric distribution, and the sign.
func StepBits(v int64) float64 {
	if v == 0 {
		return 1
	}
	return math.Abs(float64(v)) + 2
}

// Compression describes a classifier that k of n independent samples and a message determine, by rules which do not
// depend on the samples. How the k samples and the message were found does not matter.
type Compression struct {
	Samples int     // n
	Vectors int     // k
	Errors  int     // on the n − k other samples
	Bits    float64 // of the message, −log₂ of its probability before the samples are known
}

// Bound is a bound of the classifier's error rate: with a probability of at least 1 − e^logDelta over the samples,
// it holds for all subsets of them and all messages at once (Littlestone and Warmuth, "Relating data compression
// and learnability", 1986; with messages Graepel, Herbrich and Shawe-Taylor, "PAC-Bayesian compression bounds on
// the prediction error of learning algorithms for classification", Machine Learning 59, 2005; by the exact tail
// Langford 2005, theorem 3.1). A fixed subset with a fixed message is a classifier that the other samples test. It
// gets the share 2^−Bits / ((k+1)(k+2) C(n, k)) of δ, and all shares sum to 1 at most.
func (c Compression) Bound(logDelta float64) float64 {
	share := (CountBits(c.Vectors)+c.Bits)*math.Ln2 + logChoose(c.Samples, c.Vectors)
	return MaxRate(c.Errors, c.Samples-c.Vectors, logDelta-share)
}
