package learn

import (
	"fmt"
	"slices"
)

// Task says what the targets of a problem are, and what a model's decision values mean.
type Task uint8

const (
	Classify Task = iota // a label a sample, +1 or −1; the sign of f is the class
	Regress              // a regression target a sample; f predicts it
	OneClass             // no targets; f is positive for inliers
	Density              // no targets; f is the density
)

// Supervised are the tasks with targets.
var Supervised = []Task{Classify, Regress}

var taskNames = [...]string{"classify", "regress", "one-class", "density"}

func (t Task) String() string {
	if int(t) < len(taskNames) {
		return taskNames[t]
	}
	return fmt.Sprintf("Task(%d)", uint8(t))
}

// MarshalText writes the task's name.
func (t Task) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// ParseTask is the inverse of String.
func ParseTask(s string) (Task, error) {
	if i := slices.Index(taskNames[:], s); i >= 0 {
		return Task(i), nil
	}
	return 0, fmt.Errorf("learn: unknown task %q, want classify, regress, one-class or density", s)
}

// Known reports whether t is one of the tasks.
func (t Task) Known() bool { return int(t) < len(taskNames) }

// Blind reports whether the task has no targets.
func (t Task) Blind() bool { return t == OneClass || t == Density }

// Real reports whether a model predicts its value itself, and not its sign.
func (t Task) Real() bool { return t == Regress || t == Density }

// TasksOf lists the tasks that the method takes.
func (m Method) TasksOf() []Task {
	if m.Tasks == nil {
		return []Task{Classify}
	}
	return m.Tasks
}

// Takes reports whether the method takes problems of the task.
func (m Method) Takes(t Task) bool { return slices.Contains(m.TasksOf(), t) }
