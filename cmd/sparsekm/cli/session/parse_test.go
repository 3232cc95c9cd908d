package session

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// everything has what commands declare: each tag that parse and validate know.
type everything struct {
	Version shownFlag `help:"Show it."`
	Flags

	One struct {
		File  string   `arg:""`
		To    string   `required:"" enum:"a,b"`
		Out   string   `short:"o" required:"" placeholder:"FILE"`
		Kind  string   `enum:"x,y" default:"x"`
		Kinds []string `enum:"x,y"`
		Left  bool     `xor:"side"`
		Right bool     `xor:"side"`
		N     int
	} `cmd:""`
	Two struct {
		From string `arg:"" enum:"a,b"`
		Size string `arg:""`
		More []int  `arg:"" optional:""`
	} `cmd:""`
	Three, Four, Five, Six struct{} `cmd:""`
}

// shownFlag is such a flag for parse and for kong.
type shownFlag bool

func (shownFlag) Show(w io.Writer) error {
	_, err := fmt.Fprintln(w, "shown")
	return err
}

func (f shownFlag) BeforeReset(k *kong.Kong) error {
	k.Exit(0)
	return f.Show(k.Stdout)
}

// TestParse compares with kong's own Parse: what is read, what is shown and every error.
func TestParse(t *testing.T) {
	words := []string{"", "one", "two", "three", "f", "a", "b", "7", "--to=a", "--to=c", "-o", "--out", "--kind=y", "--kind=z",
		"--kinds=x,y", "--kinds=x,z", "--left", "--right", "--n=1", "--n=one", "--nn", "--version", "--version=7", "-h", "--help", "--json", "--", "--kind", "-x"}
	lines := [][]string{{"one", "f", "--to=a", "-o", "g"}, {"one", "f", "--to=a", "-o", "g", "--left", "--right"}, {"two", "a", "7", "1", "2"},
		{"one", "f", "--to=c", "--kind=z"}, {"two", "c", "7"}, {"two", "a"}, {"two", "a", "7", "x"}, {"two", "--version", "--help"}}
	for _, a := range words {
		for _, b := range words {
			lines = append(lines, strings.Fields(a+" "+b), strings.Fields("one f --to=b -o g "+a+" "+b))
		}
	}
	failed := make(map[string]bool)
	for _, args := range lines {
		result := func(how func(k *kong.Kong) (shown bool, err error)) string {
			var read everything
			var out bytes.Buffer
			shown := false
			k, err := kong.New(&read, kong.Name("it"), kong.Writers(&out, &out), kong.Exit(func(int) { shown = true }))
			if err != nil {
				t.Fatal(err)
			}
			also, err := how(k)
			if shown || also {
				return "shown: " + out.String()
			}
			if err != nil {
				failed[err.Error()] = true
				return "error: " + err.Error()
			}
			return fmt.Sprintf("read: %+v", read)
		}
		want := result(func(k *kong.Kong) (bool, error) { _, err := k.Parse(args); return false, err })
		got := result(func(k *kong.Kong) (bool, error) { _, shown, err := parse(k, args); return shown, err })
		if got != want {
			t.Errorf("%q: %s, kong: %s", args, got, want)
		}
	}
	if len(failed) < 30 {
		t.Errorf("%d different errors", len(failed))
	}
}

// TestSuggested: a flag that begins with another letter is no suggestion.
func TestSuggested(t *testing.T) {
	for text, want := range map[string]string{
		`unknown flag --foo, did you mean "--log"?`: "unknown flag --foo",
		`unknown flag --otu, did you mean "--out"?`: `unknown flag --otu, did you mean "--out"?`,
		`unknown flag -x, did you mean "-y"?`:       "unknown flag -x",
		"missing flags: --out=FILE":                 "missing flags: --out=FILE",
	} {
		if got := suggested(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
