package reduce

import (
	"github.com/sparsekm/sparsekm/model"

	"github.com/sparsekm/sparsekm/learn"
)

// plain returns the classifier of points that are scaled already.
func plain(c *model.Classifier) *model.Classifier {
	c, _ = c.WithoutScaling()
	return c
}

// compare predicts with both classifiers.
func compare(before, after *model.Classifier, e evaluated, threads int) *Comparison {
	a, b := make([]int, e.n), make([]int, e.n)
	plain(before).PredictBatch(a, e.x, e.n, threads)
	plain(after).PredictBatch(b, e.x, e.n, threads)
	c := &Comparison{N: e.n, Labelled: e.y != nil}
	want := e.y
	if want == nil {
		want = a
	}
	var agree, wrongBefore, wrongAfter int
	for i, w := range want {
		if a[i] == b[i] {
			agree++
		}
		if a[i] != w {
			wrongBefore++
		}
		if b[i] != w {
			wrongAfter++
		}
		switch {
		case a[i] == w && b[i] != w:
			c.Broken++
		case a[i] != w && b[i] == w:
			c.Fixed++
		}
	}
	total := float64(e.n)
	c.Agreement = float64(agree) / total
	c.ErrorBefore, c.ErrorAfter = float64(wrongBefore)/total, float64(wrongAfter)/total
	c.interval()
	return c
}

// hinge is the mean hinge loss of c on the data, eq. (9); unlabelled points have the classes that given predicts.
func hinge(c, given *model.Classifier, e evaluated, threads int) float64 {
	machines := c.Parts().Machines
	y := e.y
	if y == nil {
		y = make([]int, e.n)
		plain(given).PredictBatch(y, e.x, e.n, threads)
	}
	f := make([]float64, e.n*len(machines))
	plain(c).DecideBatch(f, e.x, e.n, threads)
	var sum float64
	terms := 0
	for q, class := range y {
		for i, m := range machines {
			if g := side(&m, class); g != 0 {
				sum += max(0, 1-g*f[q*len(machines)+i])
				terms++
			}
		}
	}
	if terms == 0 {
		return 0
	}
	return sum / float64(terms)
}

// side returns +1 for the machine's positive class, −1 for its negative one, 0 for others.
func side(m *learn.Machine, class int) float64 {
	switch {
	case m.Pos == class:
		return 1
	case m.Neg == class || m.Neg == learn.Rest:
		return -1
	}
	return 0
}
