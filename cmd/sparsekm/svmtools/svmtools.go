// Package svmtools is LIBSVM's commands svm-train, svm-predict and svm-scale: their flags, what they print, their
// files and their exit status, so that scripts written for them (grid.py, easy.py and others) run unchanged.
package svmtools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// streams is where a command writes.
type streams struct{ stdout, stderr io.Writer }

// say writes to standard output.
func (s streams) say(format string, args ...any) { fmt.Fprintf(s.stdout, format, args...) }

// tool is one of the commands.
type tool struct {
	name  string
	alone string // flags that have no value
	pairs string // flags that have two
	valid string // flags that have one
	files [2]int // how many files it takes, least and most
	usage string
	run   func(ctx context.Context, o *options, s streams) error
}

var tools = []tool{
	{name: "svm-train", alone: "q", valid: "stdgrcnpmehbvw", files: [2]int{1, 2}, usage: trainUsage, run: train},
	{name: "svm-predict", alone: "q", valid: "b", files: [2]int{3, 3}, usage: predictUsage, run: predictFile},
	{name: "svm-scale", valid: "lusr", pairs: "y", files: [2]int{1, 1}, usage: scaleUsage, run: scale},
}

// Names lists the commands.
func Names() []string {
	var names []string
	for _, t := range tools {
		names = append(names, t.name)
	}
	return names
}

// Called returns which command the program is called as, "" for none: by the name of the file or of a link to it.
func Called(program string) string {
	base := strings.TrimSuffix(filepath.Base(program), ".exe")
	if slices.Contains(Names(), base) {
		return base
	}
	return ""
}

// Run runs the command of that name and returns its exit status, 0 or 1 as LIBSVM's.
func Run(ctx context.Context, name string, args []string, stdout, stderr io.Writer) int {
	t := tools[slices.Index(Names(), name)]
	o, err := t.parse(args)
	if err != nil {
		if err != errUsage {
			fmt.Fprintf(stderr, "%v\n", err)
		}
		fmt.Fprint(stdout, t.usage)
		return 1
	}
	if err = t.run(ctx, o, streams{stdout, stderr}); err != nil {
		if errors.Is(err, context.Canceled) {
			err = errors.New("interrupted")
		}
		fmt.Fprintf(stderr, "%s: %v\n", name, err)
		return 1
	}
	return 0
}
