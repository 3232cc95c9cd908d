// Package cli is the command sparsekm. Each subcommand is a file: a struct of its flags, which does not change after
// the command line is parsed, a method Run, and a struct that --json prints and whose method print writes for people.
//
// What several subcommands share:
//
//   - data.go: flags of a file of samples, and how it is read;
//   - training.go and methodflags.go: flags of a training, and the request that they make;
//   - learner.go: what cv and tune add to that, splits above all;
//   - score.go, tests.go: what a trained model makes of its samples and of others, and whether it is worth keeping;
//   - trainreport.go: what train shows;
//   - files.go: which files a model may replace;
//   - session: streams, limits, progress and the exit status; plots: pictures.
//
// A program with methods of its own has them as `--method` when it is built with the
// packages that register them:
//
//	package main
//
//	import (
//		"github.com/sparsekm/sparsekm/cmd/sparsekm/cli"
//
//		_ "example.com/mine" // calls learn.Register
//	)
//
//	func main() { cli.Main() }
package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/svmtools"
	_ "github.com/sparsekm/sparsekm/model/importers/all"
)

// commands lists every command in the order of the help.
var commands = []session.Command{
	{Name: "train", Help: "Train a classifier.", New: empty[trainCmd]},
	{Name: "fit", Help: "Choose method and parameters, and train the smallest model near the best.", New: empty[fitCmd]},
	{Name: "cv", Help: "Estimate a method's error by cross-validation.", New: empty[cvCmd]},
	{Name: "tune", Help: "Choose a method's parameters by cross-validation.", New: empty[tuneCmd]},
	{Name: "compare", Help: "Compare methods over sets and splits, each with its parameters chosen.", New: empty[compareCmd]},
	{Name: "report", Help: "Make a table of runs.", New: empty[reportCmd]},
	{Name: "plot", Help: "Draw a model, or runs.", New: empty[plotCmd]},
	{Name: "predict", Help: "Classify samples with a model.", New: empty[predictCmd]},
	{Name: "info", Help: "Show what a model is made of.", New: empty[infoCmd]},
	{Name: "reduce", Help: "Shrink a model: fewer vectors, almost the same decisions.", New: empty[reduceCmd]},
	{Name: "distill", Help: "Train a small model that follows another one.", New: empty[distillCmd]},
	{Name: "convert", Help: "Write a model in another format.", New: empty[convertCmd]},
	{Name: "verify", Help: "Compare predictions of a model, or of LightGBM's or XGBoost's trees, with another program's.", New: empty[verifyCmd]},
	{Name: "lp", Help: "Solve a linear program.", New: empty[lpCmd]},
	{Name: "qp", Help: "Solve a convex quadratic program.", New: empty[qpCmd]},
	{Name: "gen", Help: "Draw the samples of a known problem.", New: empty[genCmd]},
	{Name: "methods", Help: "List the methods that train knows, with their parameters.", New: empty[methodsCmd]},
	{Name: "svm-train", Help: "Train as LIBSVM's svm-train does, with its flags.", New: empty[svmCmd]},
	{Name: "svm-predict", Help: "Predict as LIBSVM's svm-predict does, with its flags.", New: empty[svmCmd]},
	{Name: "svm-scale", Help: "Scale as LIBSVM's svm-scale does, with its flags.", New: empty[svmCmd]},
	{Name: "cpu", Help: "Show the processor's features and the kernels chosen for them.", New: empty[cpuCmd]},
	{Name: "bench", Help: "Measure kernels and solvers as shares of what this processor can do.", New: empty[benchCmd]},
	{Name: "version", Help: "Show which sparsekm this is.", New: empty[versionCmd]},
	{Name: "completion", Help: "Write what completes this command's words in a shell.", New: empty[completionCmd]},
	{Name: "man", Help: "Write the manual page.", New: empty[manCmd]},
	{Name: "help", Help: "Show the help of a command.", New: empty[helpCmd]},
}

// empty returns the flags of a command that begin with nothing.
func empty[C any, P interface {
	*C
	session.Runner
}]() session.Runner {
	return P(new(C))
}

// usagef returns an error for a mistake on the command line.
func usagef(format string, args ...any) error { return session.Usagef(format, args...) }

// Main runs the command with the arguments of the process, and ends the process. Under the name of one of LIBSVM's
// commands it is that command.
func Main() {
	args := os.Args[1:]
	if name := svmtools.Called(os.Args[0]); name != "" {
		args = append([]string{name}, args...)
	}
	session.Main(func(ctx context.Context) int { return run(ctx, args, os.Stdin, os.Stdout, os.Stderr) })
}

// program is the command line.
var program = &session.Program{
	Name:     "sparsekm",
	Help:     "Kernel classifiers with very few support vectors: train them, use them, shrink the ones you have.",
	Commands: commands,
	Examples: examplesOf,
	Values:   words,
	Version: func() string {
		info, _ := debug.ReadBuildInfo()
		return newVersionReport(info).Version
	},
	Groups: []session.Group{
		{Key: "method", Title: "Parameters of the method (each has its own; see sparsekm methods):"},
		{Key: "search", Title: "Search:"},
		{Key: "split", Title: "Splits:"},
		{Key: "stop", Title: "Where to stop (quality comes before size):"},
		{Key: "kernel", Title: "Kernel:"},
		{Key: "data", Title: "Files of samples:"},
		{Key: "limit", Title: "Resources:"},
	},
	Gone: gone,
}

// run is the command without the process around it. It returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if len(args) > 0 && slices.Contains(svmtools.Names(), args[0]) && !slices.Contains(args, "--help") {
		return runSVM(ctx, args, stdout, stderr)
	}
	switch {
	case len(args) == 0:
		args = []string{"--help"}
	case args[0] == "serve":
		fmt.Fprintln(stderr, "sparsekm: the server is a program of its own, sparsekm-serve, of the same release")
		return session.Usage
	case len(args) > 2 && args[0] == "completion" && args[1] == "words":
		return session.StatusOf(complete(stdout, args[2:]))
	}
	return session.Run(ctx, args, session.Streams{Stdin: stdin, Stdout: stdout, Stderr: stderr}, program)
}

// runSVM runs one of LIBSVM's commands.
func runSVM(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	if err := session.Room(); err != nil {
		fmt.Fprintln(stderr, "sparsekm:", err)
		return session.Failed
	}
	out := &session.CheckedWriter{W: stdout}
	code := svmtools.Run(ctx, args[0], args[1:], session.ByteSize(0).Bytes(), out, stderr)
	if err := out.Failed(); err != nil {
		fmt.Fprintln(stderr, "sparsekm:", err)
		return session.Failed
	}
	return code
}

// svmCmd declares a command of LIBSVM's to the parser, for help, completion and the manual page: run hands its words to
// package svmtools before the parser sees them.
type svmCmd struct {
	Args []string `arg:"" optional:"" help:"What LIBSVM's command takes; nothing shows its usage."`
}

// Run is called where flags of ours come before the command's name.
func (c *svmCmd) Run(*session.Session) error {
	return usagef("LIBSVM's commands take no flags of sparsekm: their name comes first")
}
