package cli

import (
	"fmt"
	"io"
	"maps"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/internal/cpu"
)

type manCmd struct{}

// exitMeanings are the exit statuses in words; docs/reference/exit.md has what ends with which.
var exitMeanings = map[int]string{
	session.Done:        "Done: a training is optimal, a program solved and verified, predictions agree.",
	session.Failed:      "Failed: bad data, a result that is worth nothing, a difference found by verify.",
	session.Usage:       "Wrong usage.",
	session.Limit:       "A limit or an interrupt ended the work; the result is the best so far.",
	session.Interrupted: "A second interrupt.",
}

func (c *manCmd) Run(s *session.Session, k *kong.Context) error {
	info, _ := debug.ReadBuildInfo()
	_, err := io.WriteString(s.Stdout, manual(k.Model, newVersionReport(info).Version))
	return err
}

// manual is the page in the macros of man.
func manual(app *kong.Application, version string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH \"SPARSEKM\" \"1\" \"\" %s \"User Commands\"\n", roffArgument("sparsekm "+version))
	fmt.Fprintf(&b, ".SH \"NAME\"\n%s\n", roffText("sparsekm - kernel classifiers with very few support vectors"))
	b.WriteString(".SH \"SYNOPSIS\"\n.B \"sparsekm\"\nCOMMAND [flags] [arguments]\n")
	fmt.Fprintf(&b, ".SH \"DESCRIPTION\"\n%s\n.SH \"FLAGS OF EVERY COMMAND\"\n", roffText(app.Help))
	manualFlags(&b, app.Flags)
	b.WriteString(".SH \"COMMANDS\"\n")
	for _, node := range app.Leaves(true) {
		fmt.Fprintf(&b, ".SS %s\n%s\n", roffArgument("sparsekm "+node.Summary()), roffText(node.Help))
		for _, p := range node.Positional {
			manualEntry(&b, p.Summary(), p.Help)
		}
		manualFlags(&b, node.Flags)
		if node.Detail != "" {
			fmt.Fprintf(&b, ".PP\nExamples:\n.PP\n.EX\n%s\n.EE\n", roffText(roffExamples(node.Detail)))
		}
	}
	b.WriteString(".SH \"METHODS\"\n")
	for _, m := range sparsekm.Methods() {
		manualEntry(&b, m.Name, fmt.Sprintf("%s. %s.\nParameters: %s.", m.About, m.Paper, usage(m)))
	}
	b.WriteString(".SH \"EXIT STATUS\"\n")
	for _, status := range slices.Sorted(maps.Keys(exitMeanings)) {
		manualEntry(&b, fmt.Sprint(status), exitMeanings[status])
	}
	b.WriteString(".SH \"ENVIRONMENT\"\n")
	manualEntry(&b, cpu.EnvVar, "The level of SIMD to use, one of those that sparsekm cpu --levels prints.")
	return b.String()
}

func manualFlags(b *strings.Builder, flags []*kong.Flag) {
	for _, f := range flags {
		if !f.Hidden {
			manualEntry(b, f.String(), helpOf(f.Value))
		}
	}
}

// manualEntry writes a name, and the text about it, indented.
func manualEntry(b *strings.Builder, name, text string) {
	fmt.Fprintf(b, ".TP\n.B %s\n%s\n", roffArgument(name), roffText(text))
}

// roff is s with what roff takes for more than text escaped. A hyphen is one that can be pasted.
var roff = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace

// roffArgument is s as an argument of a macro.
func roffArgument(s string) string { return `"` + strings.ReplaceAll(roff(s), `"`, `\(dq`) + `"` }

// roffText is s as lines that are no requests, which begin with a dot or an apostrophe.
func roffText(s string) string {
	return strings.NewReplacer("\n.", "\n\\&.", "\n'", "\n\\&'").Replace("\n" + roff(s))[1:]
}

// roffExamples are the lines of a command's examples.
func roffExamples(detail string) string {
	_, lines, _ := strings.Cut(detail, "\n\n")
	return strings.ReplaceAll(lines, "\t", "    ")
}
