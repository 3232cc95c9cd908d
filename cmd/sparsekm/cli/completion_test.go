package cli

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/internal/testing/testutil"
)

// completionCases are words on a command line, the last one to be completed, and some of what must come and
// must not.
var completionCases = []struct {
	line      []string
	some, not []string
}{
	{[]string{"tr"}, []string{"train"}, []string{"predict"}},
	{[]string{""}, []string{"train", "version", "man"}, []string{"--scale"}},
	{[]string{"train", "--sc"}, []string{"--scale"}, []string{"--seed"}},
	{[]string{"train", "--scale", ""}, []string{"none", "zscore", "minmax"}, []string{"samples.csv"}},
	{[]string{"train", "--method", "ss"}, []string{"ssvc-a", "ssvc-b"}, []string{"svc"}},
	{[]string{"train", "-m", "lssvm-p"}, []string{"lssvm-prune", "lssvm-primal"}, nil},
	{[]string{"train", "--out", "sa"}, []string{"samples.csv"}, []string{"train"}},
	{[]string{"train", "sa"}, []string{"samples.csv", "samples two.csv"}, nil},
	{[]string{"train", "--c", ""}, nil, []string{"samples.csv"}},
	{[]string{"gen", "ring"}, []string{"ringnorm"}, []string{"samples.csv"}},
	{[]string{"completion", ""}, []string{"bash", "zsh", "fish"}, nil},
	{[]string{"help", "ver"}, []string{"verify", "version"}, []string{"train"}},
	{[]string{"methods", "sk"}, []string{"skm"}, nil},
}

// In bash a line goes through the script as readline hands it over: --flag=value in three words.
func TestCompletionBash(t *testing.T) {
	t.Parallel() // processes of their own
	folder := completionFolder(t, "bash")
	split := []struct {
		line      []string
		some, not []string
	}{
		{[]string{"train", "--scale", "=", "z"}, []string{"zscore"}, []string{"none"}},
		{[]string{"train", "--scale", "="}, []string{"zscore", "none"}, nil},
	}
	for _, c := range slices.Concat(completionCases, split) {
		words := append([]string{"./sparsekm"}, c.line...)
		for i := range words {
			words[i] = quoted(words[i])
		}
		out := shell(t, folder, "bash", "--norc", "-c", "source ./script; COMP_WORDS=("+strings.Join(words, " ")+
			"); COMP_CWORD=$((${#COMP_WORDS[@]}-1)); _sparsekm; printf '%s\\n' \"${COMPREPLY[@]}\"")
		checkCompletion(t, c.line, strings.Split(out, "\n"), c.some, c.not)
	}
}

func TestCompletionFish(t *testing.T) {
	t.Parallel() // processes of their own
	folder := completionFolder(t, "fish")
	for _, c := range completionCases {
		line := "./sparsekm " + strings.Join(c.line, " ")
		out := shell(t, folder, "fish", "--no-config", "-c", "source ./script; complete -C "+quoted(line))
		var words []string
		for word := range strings.Lines(out) {
			word, _, _ = strings.Cut(strings.TrimSpace(word), "\t")
			words = append(words, strings.ReplaceAll(word, `\ `, " "))
		}
		checkCompletion(t, c.line, words, c.some, c.not)
	}
}

// zsh completes in its line editor alone; that it reads the script, asks and describes is looked at.
func TestCompletionZsh(t *testing.T) {
	t.Parallel() // processes of their own
	folder := completionFolder(t, "zsh")
	shell(t, folder, "zsh", "-f", "-n", "./script")
	out := shell(t, folder, "zsh", "-f", "-c", `compdef() { print "compdef $@"; }
_describe() { print -rl -- "$found[@]"; }
_files() { print files; }
source ./script
CURRENT=2; words=(./sparsekm ""); _sparsekm
CURRENT=3; words=(./sparsekm train "--sc"); _sparsekm
CURRENT=3; words=(./sparsekm train ""); _sparsekm`)
	for _, want := range []string{"compdef _sparsekm sparsekm\n", "\ntrain:Train a classifier\n", "\n--scale:", "\nfiles\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// TestCompletionChild is the command for a shell.
func TestCompletionChild(t *testing.T) {
	line := os.Getenv("SPARSEKM_COMPLETION")
	if line == "" {
		t.Skip("what a shell runs")
	}
	os.Exit(run(t.Context(), flag.Args(), nil, os.Stdout, os.Stderr))
}

// completionFolder has the script of a shell and two files; the test skips where the shell is not installed.
func completionFolder(t *testing.T, name string) string {
	t.Helper()
	testutil.Program(t, name)
	folder := t.TempDir()
	script := must(t, "completion", name).stdout
	child := "#!/bin/sh\nSPARSEKM_COMPLETION=1 exec " + quoted(os.Args[0]) + " -test.run=^TestCompletionChild$ -- \"$@\"\n"
	for file, text := range map[string]string{"script": script, "samples.csv": "", "samples two.csv": "", "sparsekm": child} {
		if err := os.WriteFile(filepath.Join(folder, file), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// quoted is s in the single quotes of a shell.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func shell(t *testing.T, folder, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "HOME="+folder)
	var errors strings.Builder
	cmd.Stderr = &errors
	out, err := cmd.Output()
	if err != nil || errors.Len() > 0 {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, errors.String())
	}
	return string(out)
}

func checkCompletion(t *testing.T, line, got, some, not []string) {
	t.Helper()
	for _, w := range some {
		if !slices.Contains(got, w) {
			t.Errorf("%q: no %q in %q", line, w, got)
		}
	}
	for _, w := range not {
		if slices.Contains(got, w) {
			t.Errorf("%q: %q in %q", line, w, got)
		}
	}
}
