package cli

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/internal/cpu"
)

type manCmd struct{}

// exitMeanings are the exit statuses in words; docs/reference/exit.md has what ends with which.
var exitMeanings = []struct {
	status  int
	meaning string
}{
	{session.Done, "Done: a training is optimal, a program solved and verified, predictions agree."},
	{session.Failed, "Failed: bad data, a result that is worth nothing, a difference found by verify."},
	{session.Usage, "Wrong usage."},
	{session.Limit, "A limit or an interrupt ended the work; the result is the best so far."},
	{session.Interrupted, "A second interrupt."},
}

func (c *manCmd) Run(s *session.Session, k *kong.Context) error {
	info, _ := debug.ReadBuildInfo()
	m := &manual{}
	m.page(k.Model, newVersionReport(info).Version)
	_, err := s.Stdout.Write([]byte(m.String()))
	return err
}

// manual is a page in the macros of man(7).
type manual struct{ strings.Builder }

// request writes a line of a macro and its arguments.
func (m *manual) request(name string, args ...string) {
	m.WriteString("." + name)
	for _, a := range args {
		m.WriteString(` "` + strings.ReplaceAll(roff(a), `"`, `\(dq`) + `"`)
	}
	m.WriteByte('\n')
}

// text writes lines that are no requests.
func (m *manual) text(s string) {
	for line := range strings.Lines(s) {
		line = roff(strings.TrimRight(line, "\n"))
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			line = `\&` + line
		}
		m.WriteString(line + "\n")
	}
}

// roff is s with what roff takes for more than text escaped. A hyphen is one that can be pasted.
func roff(s string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(s)
}

func (m *manual) page(app *kong.Application, version string) {
	m.request("TH", "SPARSEKM", "1", "", "sparsekm "+version, "User Commands")
	m.request("SH", "NAME")
	m.text("sparsekm - kernel classifiers with very few support vectors")
	m.request("SH", "SYNOPSIS")
	m.request("B", "sparsekm")
	m.text("COMMAND [flags] [arguments]")
	m.request("SH", "DESCRIPTION")
	m.text(app.Help)
	m.request("SH", "FLAGS OF EVERY COMMAND")
	m.flags(app.Flags)
	m.request("SH", "COMMANDS")
	for _, node := range app.Leaves(true) {
		m.command(node)
	}
	m.request("SH", "METHODS")
	for _, method := range sparsekm.Methods() {
		m.entry(method.Name, fmt.Sprintf("%s. %s.\nParameters: %s.", method.About, method.Paper, usage(method)))
	}
	m.request("SH", "EXIT STATUS")
	for _, e := range exitMeanings {
		m.entry(fmt.Sprint(e.status), e.meaning)
	}
	m.request("SH", "ENVIRONMENT")
	m.entry(cpu.EnvVar, "The level of SIMD to use, one of those that sparsekm cpu --levels prints.")
}

// entry is a term and what it means.
func (m *manual) entry(term, meaning string) {
	m.request("TP")
	m.request("B", term)
	m.text(meaning)
}

func (m *manual) command(node *kong.Node) {
	m.request("SS", "sparsekm "+node.Summary())
	m.text(node.Help)
	for _, p := range node.Positional {
		m.entry(p.Summary(), p.Help)
	}
	m.flags(node.Flags)
	if node.Detail == "" {
		return
	}
	title, lines, _ := strings.Cut(node.Detail, "\n")
	m.request("PP")
	m.text(title)
	m.request("PP")
	m.request("EX")
	m.text(strings.ReplaceAll(strings.TrimLeft(lines, "\n"), "\t", "    "))
	m.request("EE")
}

func (m *manual) flags(flags []*kong.Flag) {
	for _, f := range flags {
		if !f.Hidden {
			m.entry(f.String(), f.Help)
		}
	}
}
