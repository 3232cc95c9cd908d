// Package svmtools is LIBSVM's commands svm-train, svm-predict and svm-scale: their flags, what they print, their
// files and their exit status, so that scripts written for them (grid.py, easy.py and others) run unchanged.
package svmtools

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// streams is where a command writes.
type streams struct {
	stdout, stderr io.Writer
	memory         int64 // budget of what is read
}

// reading bounds the samples of a file.
func (s streams) reading() int64 { return min(8<<30, s.memory) }

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
func Run(ctx context.Context, name string, args []string, memory int64, stdout, stderr io.Writer) int {
	t := tools[slices.Index(Names(), name)]
	o, err := t.parse(args)
	if err != nil {
		if err != errUsage {
			fmt.Fprintf(stderr, "%v\n", err)
		}
		fmt.Fprint(stdout, t.usage)
		return 1
	}
	if err = t.run(ctx, o, streams{stdout, stderr, memory}); err != nil {
		if errors.Is(err, context.Canceled) {
			err = errors.New("interrupted")
		}
		if _, worded := errors.AsType[parameterError](err); !worded {
			name += ": "
		} else {
			name = ""
		}
		fmt.Fprintf(stderr, "%s%v\n", name, err)
		return 1
	}
	return 0
}

// options is a command line of LIBSVM's: "-x value" and so on, then files.
type options struct {
	values  map[byte]string
	pairs   map[byte][2]string
	weights map[string]float64 // -wLABEL WEIGHT; several of one label multiply
	files   []string
}

// errUsage asks for the usage and no more.
var errUsage = errors.New("usage")

// parse takes a command line apart. A flag is what begins with -, up to the first word that does not.
func (t *tool) parse(args []string) (*options, error) {
	o := &options{values: make(map[byte]string), pairs: make(map[byte][2]string), weights: make(map[string]float64)}
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		flag, need := args[0], 1
		name := flag[1]
		switch {
		case strings.IndexByte(t.alone, name) >= 0:
			need = 0
		case strings.IndexByte(t.pairs, name) >= 0:
			need = 2
		case strings.IndexByte(t.valid, name) < 0:
			return nil, fmt.Errorf("unknown option: %s", flag)
		}
		if (name == 'w') == (len(flag) == 2) {
			return nil, fmt.Errorf("unknown option: %s", flag)
		}
		if len(args) <= need {
			return nil, errUsage
		}
		switch need {
		case 0:
			o.values[name] = "1"
		case 1:
			if name == 'w' {
				w, err := strconv.ParseFloat(args[1], 64)
				if err != nil {
					return nil, fmt.Errorf("%s: found %q, want a number", flag, args[1])
				}
				label, err := strconv.Atoi(flag[2:])
				if err != nil {
					return nil, fmt.Errorf("%s: found %q, want a label, an integer", flag, flag[2:])
				}
				key := strconv.Itoa(label)
				if before, again := o.weights[key]; again {
					w *= before
				}
				o.weights[key] = w
			}
			o.values[name] = args[1]
		case 2:
			o.pairs[name] = [2]string{args[1], args[2]}
		}
		args = args[1+need:]
	}
	if len(args) < t.files[0] || len(args) > t.files[1] {
		return nil, errUsage
	}
	o.files = args
	return o, nil
}

// integers reads several flags into their places, which hold the defaults.
func (o *options) integers(places map[byte]*int) error {
	return read(o, "stdhbv", places, "an integer", strconv.Atoi)
}

// numbers reads several flags into their places, which hold the defaults.
func (o *options) numbers(places map[byte]*float64) error {
	return read(o, "grcnpemlu", places, "a number", func(text string) (float64, error) {
		v, err := strconv.ParseFloat(text, 64)
		if err == nil && (math.IsNaN(v) || math.IsInf(v, 0)) {
			err = strconv.ErrRange
		}
		return v, err
	})
}

// read reads those of the flags, in their order, that have places.
func read[T any](o *options, flags string, places map[byte]*T, want string, parse func(string) (T, error)) error {
	for _, flag := range []byte(flags) {
		text, ok := o.values[flag]
		place := places[flag]
		if place == nil || !ok {
			continue
		}
		v, err := parse(text)
		if err != nil {
			return fmt.Errorf("-%c: found %q, want %s", flag, text, want)
		}
		*place = v
	}
	return nil
}
