package cli

import (
	"embed"
	"io"
	"runtime/debug"
	"strings"
	"text/template"

	"github.com/alecthomas/kong"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/internal/cpu"
)

type helpCmd struct {
	Command string `arg:"" optional:"" values:"commands" help:"The command; none for all."`
}

func (c *helpCmd) Run(k *kong.Context) error {
	var args []string
	if c.Command != "" {
		args = []string{c.Command}
	}
	of, err := kong.Trace(k.Kong, args)
	if err != nil {
		return err
	}
	if of.Error != nil {
		return usagef("%w (see sparsekm --help)", of.Error)
	}
	return of.PrintUsage(false)
}

//go:embed examples.sh
var exampleLines string

// examplesOf is the text below a command's help: the lines of examples.sh that call it.
func examplesOf(command string) string {
	text := "Examples:\n"
	for line := range strings.Lines(exampleLines) {
		_, call, _ := strings.Cut(line, "sparsekm ")
		if words := strings.Fields(call); len(words) > 0 && words[0] == command {
			text += "\n\t" + strings.TrimSpace(line) // go/doc, by which kong formats it, takes these for lines as they are
		}
	}
	return text
}

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"One of ${enum}."`
}

func (c *completionCmd) Run(s *session.Session, k *kong.Context) error {
	return fill(s.Stdout, "completion."+c.Shell, words(k.Model))
}

// templateFiles are the texts whose form is another program's: a shell, a page of the manual, a table.
//
//go:embed templates
var templateFiles embed.FS

// fill writes one of them about v.
func fill(w io.Writer, name string, v any) error {
	t := template.Must(template.New(name).Funcs(template.FuncMap{
		"join":      strings.Join,
		"names":     names,
		"brief":     firstSentence,
		"help":      helpOf,
		"escape":    strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, ":", `\:`).Replace,
		"quote":     quoted,
		"quoteFish": fishQuoted,
		"zshValue":  zshValue,
		"argument":  roffArgument,
		"text":      roffText,
		"indented":  roffExamples,
		"usage":     usage,
		"tex": strings.NewReplacer("&", `\&`, "%", `\%`, "_", `\_`, "#", `\#`, "±", `$\pm$`, "µ", `$\mu$`, `\`,
			`\textbackslash{}`).Replace,
	}).ParseFS(templateFiles, "templates/"+name))
	return t.Execute(w, v)
}

// quoted is s in the single quotes of bash and zsh.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func fishQuoted(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
}

// zshValue is the part of an argument's specification that says what its value is.
func zshValue(o option) string {
	switch {
	case !o.Value:
		return ""
	case len(o.Choices) > 0:
		return ":" + o.Name + ":(" + strings.Join(o.Choices, " ") + ")"
	case o.File:
		return ":" + o.Name + ":_files"
	}
	return ":" + o.Name + ": "
}

// word is a command, in the terms of every shell.
type word struct {
	Name, Help  string
	Flags, Args []option
}

// option is a flag or an argument of a command.
type option struct {
	Name, Short string // of a flag, without hyphens
	Help        string
	Value       bool     // it takes a value
	Choices     []string // the value is one of them
	File        bool     // the value is a file's name
}

// words reads the commands from the declarations that parse the command line.
func words(app *kong.Application) []word {
	var list []word
	for _, node := range app.Leaves(true) {
		w := word{Name: node.Name, Help: node.Help}
		for _, level := range node.AllFlags(true) {
			for _, f := range level {
				w.Flags = append(w.Flags, newOption(app, f.Value))
			}
		}
		for _, p := range node.Positional {
			w.Args = append(w.Args, newOption(app, p))
		}
		list = append(list, w)
	}
	return list
}

func newOption(app *kong.Application, v *kong.Value) option {
	o := option{Name: v.Name, Help: helpOf(v), Value: !v.IsBool(), Choices: choices(app, v)}
	if v.Flag == nil {
		o.File = len(o.Choices) == 0
		return o
	}
	if v.Flag.Short != 0 {
		o.Short = string(v.Flag.Short)
	}
	switch v.Flag.PlaceHolder {
	case "FILE", "MODEL", "DATA", "DIR":
		o.File = true
	}
	return o
}

// choices are the values that v can have, where they are few: its enum, or those that a tag "values" names.
// A --method without an enum takes the methods that are linked into the command.
func choices(app *kong.Application, v *kong.Value) (list []string) {
	of := v.Tag.Get("values")
	switch {
	case v.Enum != "":
		return v.EnumSlice()
	case of == "commands":
		for _, node := range app.Leaves(true) {
			list = append(list, node.Name)
		}
	case of == "methods" || v.Flag != nil && v.Name == "method":
		for _, m := range sparsekm.Methods() {
			list = append(list, m.Name)
		}
	}
	return list
}

// Words are the spellings of a flag on a command line.
func (o option) Words() []string {
	if o.Short == "" {
		return []string{"--" + o.Name}
	}
	return []string{"-" + o.Short, "--" + o.Name}
}

func names(list []word) (names []string) {
	for _, w := range list {
		names = append(names, w.Name)
	}
	return names
}

// firstSentence is the beginning of a help text, for a line next to a choice.
func firstSentence(help string) string {
	first, _, _ := strings.Cut(help, ". ")
	return strings.TrimSuffix(first, ".")
}

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
