package cli

import (
	"runtime/debug"
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
	return fill(s.Stdout, "sparsekm.1", map[string]any{"App": k.Model, "Version": newVersionReport(info).Version,
		"Methods": sparsekm.Methods(), "Exit": exitMeanings, "Level": cpu.EnvVar})
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
