package cli

import (
	"fmt"
	"strconv"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/learn"
)

// candidatesParam is the parameter whose flag takes the name of a file as well.
const candidatesParam = "candidates"

// candidates is the value of its flag: a number, or the file of the samples.
type candidates struct {
	n    int
	file string
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (c *candidates) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	switch {
	case len(text) == 0 || session.FlagLike(string(text)):
		return fmt.Errorf("found %s, want a number or a file", session.OrEmpty(string(text)))
	case err != nil:
		c.file = string(text)
	}
	c.n = n
	return nil
}

// File is the name of the file, "" for a number.
func (c *candidates) File() string { return c.file }

// candidates is the file that the flag names, "" for none.
func (f *flags) candidates() string {
	for i := range f.names {
		if c, ok := f.values.Elem().Field(i).Interface().(*candidates); ok && c != nil {
			return c.file
		}
	}
	return ""
}

// takesFile reports whether candidates of the method may be samples of a file.
func takesFile(m sparsekm.Method) bool { return m.Candidates != learn.NoSides }

// loadCandidates reads the file of --candidates, if there is one, with samples like those of the training.
func (f *trainingFlags) loadCandidates(s *session.Session, o *sparsekm.Options, train *dataset.Set,
	whose string) error {
	name := f.flags.candidates()
	if name == "" {
		return nil
	}
	r := f.reading(o, max(1, f.LimitFlags.Mem.Bytes()-setBytes(train)))
	r.columns, r.width = train.Columns, train.D
	m, err := sparsekm.Lookup(o.Trainer.Name())
	if err != nil {
		return err
	}
	task, err := sparsekm.TaskOf(m, train)
	switch {
	case err != nil:
		return err
	case m.Candidates == learn.AnySide:
		r.targets = dataset.TargetGuess // they are not looked at
	case task == learn.Regress:
		r.targets = dataset.TargetValues
	}
	set, err := load(s, name, r)
	switch {
	case err != nil:
		return err
	case set.D < train.D && set.Ragged:
		set = set.Widen(train.D)
	case set.D != train.D:
		return featuresError(name, set.D, train.D, whose)
	}
	if m.Candidates == learn.OwnSide {
		if !set.Targeted() {
			return fmt.Errorf("%s: found no labels, but coefficients of %s have the signs of their samples' classes",
				name, m.Name)
		}
		for i, c := range set.ClassOf(train.Labels) {
			if c < 0 {
				return fmt.Errorf("%s: sample %d: found class %q, want one of those of %s", name, i+1,
					set.Labels[set.Y[i]], whose)
			}
		}
	}
	o.Candidates = set
	return nil
}
