package model

// Votes turns decision values that were computed elsewhere into classes, by the scheme of the parts. It is not safe for
// concurrent use.
type Votes struct {
	c      Classifier
	scores []float64
}

// Votes returns a Votes for classifiers made of p.
func (p *Parts) Votes() *Votes {
	return &Votes{c: Classifier{parts: *p}, scores: make([]float64, len(p.Labels))}
}

// Class returns the class for one decision value of each submodel.
func (v *Votes) Class(decisions []float64) int { return v.c.classOf(decisions, v.scores) }
