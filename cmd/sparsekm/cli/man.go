package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/internal/cpu"
)

type manCmd struct{}

// exitMeanings are the exit statuses in words; docs/reference/exit.md has what ends with which.
var exitMeanings = map[int]string{
	session.Done:        "Done: a training ended as asked, a program solved and verified, predictions agree.",
	session.Failed:      "Failed: bad data, a result that is worth nothing, a difference found by verify.",
	session.Usage:       "Wrong usage.",
	session.Limit:       "A limit or an interrupt ended the work; the result is the best so far.",
	session.Interrupted: "A second interrupt.",
}

func (c *manCmd) Run(s *session.Session) error {
	_, err := io.WriteString(s.Stdout, manual(program.Version()))
	return err
}

// manual is the page in the macros of man.
func manual(version string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH \"SPARSEKM\" \"1\" \"\" %s \"User Commands\"\n", roffArgument("sparsekm "+version))
	fmt.Fprintf(&b, ".SH \"NAME\"\n%s\n", roffText("sparsekm - kernel classifiers with very few support vectors"))
	b.WriteString(".SH \"SYNOPSIS\"\n.B \"sparsekm\"\nCOMMAND [flags] [arguments]\n")
	fmt.Fprintf(&b, ".SH \"DESCRIPTION\"\n%s\n.SH \"COMMANDS\"\n", roffText(program.Help))
	for i := range commands {
		c := &commands[i]
		flags, args := program.Table(c)
		usage := "sparsekm " + c.Name
		for _, f := range args {
			usage += " " + f.String()
		}
		fmt.Fprintf(&b, ".SS %s\n%s\n", roffArgument(usage), roffText(c.Help))
		for _, f := range slices.Concat(args, flags) {
			manualEntry(&b, f.String(), f.Text())
		}
		if lines := strings.Join(examplesOf(c.Name), "\n    "); lines != "" {
			fmt.Fprintf(&b, ".PP\nExamples:\n.PP\n.EX\n    %s\n.EE\n", roffText(lines))
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
