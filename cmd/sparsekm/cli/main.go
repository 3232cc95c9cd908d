// Package cli is the command sparsekm. Each subcommand is a file.
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
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/svmtools"
	"github.com/sparsekm/sparsekm/export"
	"github.com/sparsekm/sparsekm/internal/cpu"
	"github.com/sparsekm/sparsekm/model"
)

// cli is the command line; kong reads the tags.
type cli struct {
	Show      kong.VersionFlag `name:"version" help:"Show the version."`
	JSON      bool             `name:"json" help:"Print one JSON object on standard output and nothing else there."`
	Profiling `embed:""`

	Train   trainCmd   `cmd:"" help:"Train a classifier."`
	Fit     fitCmd     `cmd:"" help:"Choose method and parameters, and train the smallest model near the best."`
	CV      cvCmd      `cmd:"" name:"cv" help:"Estimate a method's error by cross-validation."`
	Tune    tuneCmd    `cmd:"" help:"Choose a method's parameters by cross-validation."`
	Compare compareCmd `cmd:"" help:"Compare methods over sets and splits, each with its parameters chosen."`
	Report  reportCmd  `cmd:"" help:"Make a table of runs."`
	Plot    plotCmd    `cmd:"" help:"Draw a model, or runs."`

	Reproduce reproduceCmd `cmd:"" help:"Make the tables and figures of the papers, beside what they print."`

	Predict    predictCmd    `cmd:"" help:"Classify samples with a model."`
	Serve      serveCmd      `cmd:"" help:"Answer HTTP requests with the predictions of models."`
	Info       infoCmd       `cmd:"" help:"Show what a model is made of."`
	Reduce     reduceCmd     `cmd:"" help:"Shrink a model: fewer vectors, almost the same decisions."`
	Convert    convertCmd    `cmd:"" help:"Write a model in another format."`
	Verify     verifyCmd     `cmd:"" help:"Compare a model's predictions with those of another program."`
	LP         lpCmd         `cmd:"" name:"lp" help:"Solve a linear program."`
	Gen        genCmd        `cmd:"" help:"Draw the samples of a known problem."`
	Methods    methodsCmd    `cmd:"" help:"List the methods that train knows, with their parameters."`
	SVMTrain   svmTrainCmd   `cmd:"" name:"svm-train" help:"Train as LIBSVM's svm-train does, with its flags."`
	SVMPredict svmPredictCmd `cmd:"" name:"svm-predict" help:"Predict as LIBSVM's svm-predict does, with its flags."`
	SVMScale   svmScaleCmd   `cmd:"" name:"svm-scale" help:"Scale as LIBSVM's svm-scale does, with its flags."`

	CPU   cpuCmd   `cmd:"" name:"cpu" help:"Show the processor's features and the kernels chosen for them."`
	Bench benchCmd `cmd:"" help:"Measure kernels and solvers as shares of what this processor can do."`

	Version    versionCmd    `cmd:"" help:"Show which sparsekm this is."`
	Completion completionCmd `cmd:"" help:"Write what completes this command's words in a shell."`
	Man        manCmd        `cmd:"" help:"Write the manual page."`
	Help       helpCmd       `cmd:"" help:"Show the help of a command."`
}

// session is what every subcommand gets: where to read and write, and when to stop.
type session struct {
	ctx            context.Context // done after the first interrupt
	start          time.Time       // when the command began: time limits count from here
	stdin          io.Reader
	stdout, stderr io.Writer
	json           bool
	given          givenFlags
	log            *slog.Logger // of what goes to standard error; nil for text
}

// timed returns the session with a time limit that counts from the start of the command; 0 means none.
func (s *session) timed(limit time.Duration) (*session, context.CancelFunc) {
	if limit <= 0 {
		return s, func() {}
	}
	t := *s
	var cancel context.CancelFunc
	t.ctx, cancel = context.WithDeadline(s.ctx, s.start.Add(limit))
	return &t, cancel
}

// beside runs f, which cannot be stopped, beside the session, and waits for its end or the
// session's, whose error it returns. The end of the process, which is near then, ends f.
func beside[T any](s *session, f func() (T, error)) (v T, err error) {
	if s.ctx.Err() != nil {
		return v, stopped(s.ctx.Err())
	}
	type result struct {
		v   T
		err error
	}
	done := make(chan result, 1)
	go func() {
		r, failed := f()
		done <- result{r, failed}
	}()
	select {
	case r := <-done:
		return r.v, r.err
	case <-s.ctx.Done():
		return v, stopped(s.ctx.Err())
	}
}

// serve checks what every command line is held to, and runs the command.
func (s *session) serve(parsed *kong.Context, p *Profiling) (err error) {
	if s.given, err = newGiven(parsed); err != nil {
		return err
	}
	if err = s.checkFiles(parsed.Selected().Target.Addr().Interface(), p.files()); err != nil {
		return err
	}
	return p.around(func() error { return parsed.Run(s) })
}

// complain says what went wrong.
func (s *session) complain(err error) {
	text := strings.TrimPrefix(err.Error(), "sparsekm: ")
	if s.log != nil {
		s.log.Error(text)
		return
	}
	fmt.Fprintln(s.stderr, "sparsekm:", text)
}

// usageError is a mistake on the command line.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// Main runs the command with the arguments of the process, and ends the process; under the name of one of LIBSVM's
// commands it is that one. The first
// interrupt stops the work, which keeps its best result; a second one ends everything.
func Main() {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		cancel() // the work stops and keeps its best result
		<-signals
		os.Exit(exitInterrupted)
	}()
	args := os.Args[1:]
	if name := svmtools.Called(os.Args[0]); name != "" {
		args = append([]string{name}, args...)
	}
	os.Exit(run(ctx, args, os.Stdin, os.Stdout, os.Stderr))
}

// vars are the lists that declarations refer to.
func vars() kong.Vars {
	info, _ := debug.ReadBuildInfo()
	return kong.Vars{"version": newVersionReport(info).Version, "formats": strings.Join(model.FormatNames(), ","),
		"targets": strings.Join(export.Names(), ","), "kernels": kernelNames(),
		"defaultMethods": defaultMethodsText()}
}

// run is the command without the process around it. It returns the exit status.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	start, out := time.Now(), &checkedWriter{w: stdout}
	// The parser's start takes longer than many a training of LIBSVM's scripts.
	if len(args) > 0 && slices.Contains(svmtools.Names(), args[0]) && !slices.Contains(args, "--help") {
		return runSVM(ctx, args, out, stderr)
	}
	c := cli{Train: newTrainCmd(), CV: cvCmd{Learner: newLearner()}, Tune: tuneCmd{Learner: newLearner()}}
	helped := false
	parser, err := kong.New(&c,
		kong.Name("sparsekm"),
		kong.Description("Kernel classifiers with very few support vectors: train them, use them, shrink the ones you have."),
		kong.Writers(out, stderr),
		kong.Exit(func(int) { helped = true }),  // after --help
		kong.WithHyphenPrefixedParameters(true), // --label-column -1
		vars(),
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
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 110}),
	)
	if err != nil {
		panic(err) // a tag of cli is wrong
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err := parser.Parse(args)
	switch {
	case out.err != nil: // of --help
		fmt.Fprintln(stderr, "sparsekm:", out.failed())
		return exitFailed
	case helped:
		return exitDone
	case err != nil:
		fmt.Fprintf(stderr, "sparsekm: %v (see sparsekm --help)\n", err)
		return exitUsage
	}
	if cpu.Ignored() != "" {
		fmt.Fprintf(stderr, "sparsekm: warning: %s is ignored: %s\n", cpu.EnvVar, cpu.Ignored())
	}
	s := &session{ctx: ctx, start: start, stdin: stdin, stdout: out, stderr: stderr, json: c.JSON}
	err = s.serve(parsed, &c.Profiling)
	if err == nil || errors.Is(err, errLimit) {
		err = cmp.Or(out.failed(), err)
	}
	if errors.Is(err, errLimit) {
		return exitLimit
	}
	if err != nil {
		s.complain(err)
		if errors.As(err, new(usageError)) {
			return exitUsage
		}
		return exitFailed
	}
	return exitDone
}
