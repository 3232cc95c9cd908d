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
	"strings"

	"github.com/alecthomas/kong"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/svmtools"
	"github.com/sparsekm/sparsekm/export"
	"github.com/sparsekm/sparsekm/model"
)

// globalFlags are the flags of every command; kong reads the tags.
type globalFlags struct {
	Show versionFlag `name:"version" help:"Show the version."`
	session.Flags
}

// subcommand is a command of the command line: what it does, and a new struct of its flags and arguments.
type subcommand struct {
	name, help string
	flags      func() any
}

// aboutCommands are the commands that show the flags of others.
var aboutCommands = []string{"completion", "man", "help"}

// commands lists every command in the order of the help.
var commands = []subcommand{
	{"train", "Train a classifier.", func() any { return newTrainCmd() }},
	{"fit", "Choose method and parameters, and train the smallest model near the best.", func() any { return new(fitCmd) }},
	{"cv", "Estimate a method's error by cross-validation.", func() any { return newCVCmd() }},
	{"tune", "Choose a method's parameters by cross-validation.", func() any { return &tuneCmd{Learner: newLearner()} }},
	{"compare", "Compare methods over sets and splits, each with its parameters chosen.", func() any { return new(compareCmd) }},
	{"report", "Make a table of runs.", func() any { return new(reportCmd) }},
	{"plot", "Draw a model, or runs.", func() any { return new(plotCmd) }},
	{"predict", "Classify samples with a model.", func() any { return new(predictCmd) }},
	{"info", "Show what a model is made of.", func() any { return new(infoCmd) }},
	{"reduce", "Shrink a model: fewer vectors, almost the same decisions.", func() any { return new(reduceCmd) }},
	{"distill", "Train a small model that follows another one.", func() any { return new(distillCmd) }},
	{"convert", "Write a model in another format.", func() any { return new(convertCmd) }},
	{"verify", "Compare a model's predictions with those of another program.", func() any { return new(verifyCmd) }},
	{"lp", "Solve a linear program.", func() any { return new(lpCmd) }},
	{"qp", "Solve a convex quadratic program.", func() any { return new(qpCmd) }},
	{"gen", "Draw the samples of a known problem.", func() any { return new(genCmd) }},
	{"methods", "List the methods that train knows, with their parameters.", func() any { return new(methodsCmd) }},
	{"svm-train", "Train as LIBSVM's svm-train does, with its flags.", func() any { return new(svmCmd) }},
	{"svm-predict", "Predict as LIBSVM's svm-predict does, with its flags.", func() any { return new(svmCmd) }},
	{"svm-scale", "Scale as LIBSVM's svm-scale does, with its flags.", func() any { return new(svmCmd) }},
	{"cpu", "Show the processor's features and the kernels chosen for them.", func() any { return new(cpuCmd) }},
	{"bench", "Measure kernels and solvers as shares of what this processor can do.", func() any { return new(benchCmd) }},
	{"version", "Show which sparsekm this is.", func() any { return new(versionCmd) }},
	{"completion", "Write what completes this command's words in a shell.", func() any { return new(completionCmd) }},
	{"man", "Write the manual page.", func() any { return new(manCmd) }},
	{"help", "Show the help of a command.", func() any { return new(helpCmd) }},
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

// vars are the lists that declarations of a command refer to, or of all for an empty name. The parser reads them again
// for each flag.
func vars(command string) kong.Vars {
	v := kong.Vars{"kernels": kernelNames()}
	if command == "" || command == "convert" {
		v["formats"], v["targets"] = strings.Join(model.FormatNames(), ","), strings.Join(export.Names(), ",")
	}
	return v
}

// versionFlag shows the version instead of running a command.
type versionFlag bool

// Show is called where the flag is there.
func (versionFlag) Show(w io.Writer) error {
	info, _ := debug.ReadBuildInfo()
	_, err := fmt.Fprintln(w, newVersionReport(info).Version)
	return err
}

// newParser returns the parser of a command line. Building the flags of all commands takes longer than many a training:
// where args begin with the name of a command, the parser knows no other, unless it shows the flags of others.
func newParser(c *globalFlags, args []string, options ...kong.Option) (*kong.Kong, error) {
	chosen, command := slices.IndexFunc(commands, func(k subcommand) bool {
		return len(args) > 0 && k.name == args[0] && !slices.Contains(aboutCommands, k.name)
	}), ""
	if chosen >= 0 {
		command = commands[chosen].name
	}
	options = append(options,
		kong.Name("sparsekm"),
		kong.Description("Kernel classifiers with very few support vectors: train them, use them, shrink the ones you have."),
		kong.WithHyphenPrefixedParameters(true), // --label-column -1
		vars(command),
		kong.ExplicitGroups([]kong.Group{
			{Key: "method", Title: "Parameters of the method (each has its own; see sparsekm methods):"},
			{Key: "search", Title: "Search:"},
			{Key: "split", Title: "Splits:"},
			{Key: "stop", Title: "Where to stop (quality comes before size):"},
			{Key: "kernel", Title: "Kernel:"},
			{Key: "data", Title: "Files of samples:"},
			{Key: "path", Title: "Sparsity path (ssvc-b, ssvc-w, l1svm, lpsvc, skm, ssvr-b, l1svr):"},
			{Key: "limit", Title: "Resources:"},
			{Key: "profile", Title: "Profiles:"},
		}),
		kong.ValueFormatter(helpOf),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 110}),
	)
	for i, k := range commands {
		if chosen < 0 || i == chosen {
			options = append(options, kong.DynamicCommand(k.name, k.help, "", k.flags()))
		}
	}
	k, err := kong.New(c, options...)
	if err != nil {
		return nil, err
	}
	for _, node := range k.Model.Leaves(true) {
		node.Detail = examplesOf(node.Name)
	}
	return k, nil
}

// run is the command without the process around it. It returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	// Building a parser takes longer than many a training of LIBSVM's scripts.
	if len(args) > 0 && slices.Contains(svmtools.Names(), args[0]) && !slices.Contains(args, "--help") {
		return runSVM(ctx, args, stdout, stderr)
	}
	switch {
	case len(args) == 0:
		args = []string{"--help"}
	case args[0] == "serve":
		fmt.Fprintln(stderr, "sparsekm: the server is a program of its own, sparsekm-serve, of the same release")
		return session.Usage
	}
	var flags globalFlags
	return session.Run(ctx, args, session.Streams{Stdin: stdin, Stdout: stdout, Stderr: stderr}, &flags.Flags,
		func(options ...kong.Option) (*kong.Kong, error) { return newParser(&flags, args, options...) })
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
