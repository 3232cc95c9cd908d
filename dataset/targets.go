package dataset

import (
	"bytes"
	"slices"
	"strconv"
)

// TargetKind says what the label of a row is.
type TargetKind uint8

const (
	TargetClasses TargetKind = iota // the name of a class
	TargetValues                    // a regression target
	// TargetGuess is TargetValues if a file declares numbers, or every label is a number and they look like amounts; else
	// TargetClasses. [Set.Guess] says why.
	TargetGuess
)

// classes numbers labels in order of appearance while a file is read.
type classes struct {
	index map[string]int
	names []string
}

func (c *classes) of(label string) int {
	i, ok := c.index[label]
	if !ok {
		if c.index == nil {
			c.index = make(map[string]int)
		}
		i = len(c.names)
		c.index[label] = i
		c.names = append(c.names, label)
	}
	return i
}

// finish sorts the labels and renumbers y to match.
func (c *classes) finish(y []int) []string {
	sorted := slices.Clone(c.names)
	sortLabels(sorted)
	to := make([]int, len(sorted))
	for i, l := range sorted {
		to[c.index[l]] = i
	}
	for i := range y {
		y[i] = to[y[i]]
	}
	return sorted
}

// targets collects the labels of rows while a file is read: classes or regression targets.
type targets struct {
	guess   bool // classes so far, values from the first fraction on
	real    bool
	y       pieces[int32]
	values  pieces[float64]
	classes classes
	raw     map[string]int32 // label in the file → class, for the first labels

	declared string // how a file declares the labels, where that decides
}

func newTargets(kind TargetKind) targets {
	return targets{guess: kind == TargetGuess, real: kind == TargetValues, raw: make(map[string]int32)}
}

// declare decides a guess.
func (t *targets) declare(what string) {
	if t.guess {
		t.guess, t.real, t.declared = false, what == "numeric", "declared "+what
	}
}

// forget begins the next set. A guess that was made remains.
func (t *targets) forget() {
	*t = targets{guess: t.guess, real: t.real, declared: t.declared, raw: make(map[string]int32)}
}

// label is a row's target before it is added.
type label struct {
	class int32  // -1 for a new class:
	text  string // in the file
	fresh string // its label
	value float64

	absent bool // there is none: "" or NaN
}

// read reads the label of a row; comma means a decimal comma. After a failure found and want describe it.
func (t *targets) read(tok []byte, kind labelKind, comma bool) (l label, found, want string) {
	if class := t.known(tok); class >= 0 {
		return label{class: class}, "", ""
	}
	text := tok
	if comma && bytes.Count(tok, []byte{','}) == 1 && bytes.IndexByte(tok, '.') < 0 {
		if number := bytes.Replace(tok, []byte{','}, []byte{'.'}, 1); isNumber(number) {
			text = number
		}
	}
	if t.guess && !t.real && isNumber(text) {
		if _, fraction := parseLabel(text, integerLabel); fraction != "" && t.numeric() {
			t.turn()
		}
	}
	if t.real {
		v, bad := parseFloat(text)
		return label{value: v}, bad, "a finite number, the target"
	}
	name, found := parseLabel(text, kind)
	want = "a label, an integer or a name"
	if kind == integerLabel {
		want = "an integer label"
	}
	return label{class: -1, text: string(tok), fresh: name}, found, want
}

// known returns the class of a label that is among the first ones, else -1.
func (t *targets) known(tok []byte) int32 {
	if !t.real {
		if class, ok := t.raw[string(tok)]; ok {
			return class
		}
	}
	return -1
}

func isNumber(tok []byte) bool {
	_, found := parseFloat(tok)
	return found == ""
}

// numeric reports whether every label so far is a number.
func (t *targets) numeric() bool {
	return !slices.ContainsFunc(t.classes.names, func(name string) bool { return !isNumber([]byte(name)) })
}

// turn makes regression targets of the classes so far.
func (t *targets) turn() {
	row := make([]float64, len(t.classes.names))
	for c, name := range t.classes.names {
		row[c], _ = strconv.ParseFloat(name, 64)
	}
	for c := range t.y.all {
		t.values.add(row[c])
	}
	t.y, t.classes, t.real = pieces[int32]{}, classes{}, true
}

// add adds the label that was read last.
func (t *targets) add(l label) {
	if t.real {
		t.values.add(l.value)
		return
	}
	if l.class < 0 {
		l.class = int32(t.classes.of(l.fresh))
		if len(t.raw) < 1000 && !l.absent { // labels are usually few
			t.raw[l.text] = l.class
		}
	}
	t.y.add(l.class)
}

// room returns the bytes of the targets, including room to grow.
func (t *targets) room() int64 { return 4*int64(t.y.room) + 8*int64(t.values.room) }

// finish gives the set of n rows its targets.
func (t *targets) finish(s *Set) {
	if s.Guess = t.declared; t.real {
		s.Targets = t.values.join(1)[:s.N] // without a bad row's
	} else {
		s.Y = make([]int, 0, s.N)
		for c := range t.y.all {
			s.Y = append(s.Y, int(c))
		}
		s.Y = s.Y[:s.N]
		s.Labels = t.classes.finish(s.Y)
	}
	if t.guess && s.N > 0 {
		t.settle(s)
	}
}
