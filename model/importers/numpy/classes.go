package numpy

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm/gram"
	"github.com/sparsekm/sparsekm/internal/deal"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

// numberedArray splits a name such as kernel.2, of an array that each process of a classifier has.
func numberedArray(name string) (array string, number int, ok bool) {
	array, text, ok := strings.Cut(name, ".")
	if ok = ok && slices.Contains(numberedArrays, array); !ok {
		return name, 0, false
	}
	number, err := strconv.Atoi(text)
	if err != nil || number < 0 || strconv.Itoa(number) != text {
		return name, 0, false
	}
	return array, number, true
}

// numbered returns the names of arrays with a number, sorted.
func (f *processFile) numbered() (names []string) {
	for _, name := range slices.Sorted(maps.Keys(f.arrays)) {
		if _, _, ok := numberedArray(name); ok {
			names = append(names, name)
		}
	}
	return names
}

// unnumbered refuses what only files with classes have.
func (f *processFile) unnumbered() {
	for _, name := range append(f.numbered(), "scheme", "weights") {
		if f.arrays[name] != nil {
			f.fail(name, "the file has one, and no array classes, want both or none")
		}
	}
}

// classes makes the parts of a classifier; its error says that the memory budget is too small.
//
//	classes       k      texts, in the order of their indices
//	scheme        text   of three or more classes: ovr, a process for each class (if absent), or ovo, one for each pair
//
// Of two classes there is one process, which is positive for the second one. With cholesky, and the square roots of the
// likelihood's negative second derivatives at the mode as weights, the model has the probabilities of Rasmussen and
// Williams (2006), algorithm 3.2; without cholesky, classes alone.
//
// Of more classes, process i has arrays NAME.i of its own, as kernel.0; only vectors, center and scale are common. With
// ovr it separates class i from the others, and needs cholesky.i. With ovo the pairs are (0, 1), (0, 2), ..., (1,
// 2), ..., the second class is positive, a coefficient of 0 leaves a sample of another class out, and votes decide.
func (f *processFile) classes(b *model.Budget) (*model.Parts, error) {
	labels := f.arrays["classes"]
	k := len(labels.Texts)
	if k < 2 || len(labels.Shape) != 1 {
		f.fail("classes", "found %d texts and %d numbers of the shape %s, want at least two texts in a list", k,
			len(labels.Numbers), shapeText(labels.Shape))
		f.unnumberedWith(0)
		return f.whole(b)
	}
	scheme := f.scheme(k)
	all := &model.Parts{Task: learn.Classify, Labels: slices.Clone(labels.Texts), Scheme: scheme, Method: "gp"}
	if scheme == model.Binary {
		f.unnumberedWith(0)
		p, err := f.whole(b)
		if err == nil && len(f.problems) == 0 {
			join(all, p, 1, 0)
		}
		return all, err
	}
	count, pos, neg := k, 0, learn.Rest
	if scheme == model.OneVsOne {
		count, pos, neg = k*(k-1)/2, 1, 0
	}
	f.unnumberedWith(count)
	const maxProblems = 100 // problems after which the rest is not looked at
	for i := range count {
		f.number = fmt.Sprintf(".%d", i)
		if !slices.ContainsFunc(numberedArrays, func(name string) bool { return f.array(name) != nil }) {
			// A file of many classes and nothing else takes no time.
			f.fail("kernel", "the file has no array of process %d, want %d processes, from 0, of %d classes", i,
				count, k)
			break
		}
		switch there := f.array("cholesky") != nil; {
		case there && scheme == model.OneVsOne:
			f.fail("cholesky", "the file has one, want none with scheme ovo")
		case !there && scheme == model.OneVsRest:
			f.fail("cholesky", "the file has none, want one for each class with scheme ovr")
		}
		p, err := f.whole(b)
		if err != nil {
			return nil, err
		}
		if f.common == nil {
			f.common = p
		}
		if len(f.problems) == 0 {
			join(all, p, pos, neg)
		} else if len(f.problems) > maxProblems {
			break
		}
		if pos++; scheme == model.OneVsOne && pos == k {
			neg++
			pos = neg + 1
		}
	}
	return all, nil
}

// scheme returns the scheme of k classes.
func (f *processFile) scheme(k int) model.Scheme {
	a := f.arrays["scheme"]
	switch {
	case a == nil && k == 2:
		return model.Binary
	case a == nil || len(a.Texts) == 1 && a.Texts[0] == model.OneVsRest.String() && k > 2:
		return model.OneVsRest
	case len(a.Texts) == 1 && a.Texts[0] == model.OneVsOne.String() && k > 2:
		return model.OneVsOne
	}
	f.fail("scheme", "found %q of %d classes, want ovr or ovo of more than two", a.Texts, k)
	return model.OneVsRest
}

// unnumberedWith refuses arrays that do not go with this many numbered processes, 0 for one without a number.
func (f *processFile) unnumberedWith(count int) {
	want := fmt.Sprintf("%d with numbers, from 0", count)
	if count == 0 {
		want = "none with a number: two classes have one process"
	}
	for _, name := range f.numbered() {
		if _, i, _ := numberedArray(name); i >= count {
			f.fail(name, "found an array of process %d, want %s", i, want)
		}
	}
	for _, name := range numberedArrays {
		if count > 0 && f.arrays[name] != nil {
			f.fail(name, "found one for all processes, want %s.0 to %s.%d", name, name, count-1)
		}
	}
}

// join makes a submodel of a process's parts. Those that have the classifier's kernel share it, and with it its values.
func join(p, q *model.Parts, pos, neg int) {
	m := q.Submodels[0]
	m.Pos, m.Neg = pos, neg
	if len(p.Submodels) == 0 {
		p.Kernel, p.Vectors, p.N, p.D, p.Features, p.Scaling = q.Kernel, q.Vectors, q.N, q.D, q.Features, q.Scaling
	} else if !sameKernel(p.Kernel, q.Kernel) {
		m.Kernel = &q.Kernel
	}
	if q.Posterior != nil {
		p.Latent = append(p.Latent, *q.Posterior)
		p.Platt = append(p.Platt, model.Platt{A: -1})
	} else {
		dropZeros(&m)
	}
	p.Submodels = append(p.Submodels, m)
}

// sameKernel compares texts: deep equality would link 6 kB.
func sameKernel(p, q gram.Kernel) bool {
	a, bad := p.MarshalJSON()
	b, failed := q.MarshalJSON()
	return bad == nil && failed == nil && bytes.Equal(a, b)
}

// dropZeros leaves vectors without a coefficient out of a submodel with a coefficient for each vector.
func dropZeros(m *learn.Submodel) {
	m.Support = slices.DeleteFunc(deal.All(len(m.Coef)), func(i int) bool { return m.Coef[i] == 0 })
	m.Coef = slices.DeleteFunc(m.Coef, func(v float64) bool { return v == 0 })
}
