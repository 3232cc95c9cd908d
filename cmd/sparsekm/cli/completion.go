package cli

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"One of ${enum}."`
}

func (c *completionCmd) Run(s *session.Session, k *kong.Context) error {
	write := map[string]func([]word) string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}[c.Shell]
	_, err := fmt.Fprint(s.Stdout, write(words(k.Model)))
	return err
}

// word is a command, in the terms of every shell.
type word struct {
	name, help string
	flags      []option
	args       []option
}

// option is a flag or an argument of a command.
type option struct {
	name, short string // of a flag, without hyphens
	help        string
	value       bool     // it takes a value
	choices     []string // the value is one of them
	file        bool     // the value is a file's name
}

// words reads the commands from the declarations that parse the command line.
func words(app *kong.Application) []word {
	var list []word
	for _, node := range app.Leaves(true) {
		w := word{name: node.Name, help: node.Help}
		for _, level := range node.AllFlags(true) {
			for _, f := range level {
				o := newOption(app, f.Value)
				o.value = !f.IsBool()
				if f.Short != 0 {
					o.short = string(f.Short)
				}
				w.flags = append(w.flags, o)
			}
		}
		for _, p := range node.Positional {
			o := newOption(app, p)
			o.value = true
			o.file = len(o.choices) == 0
			w.args = append(w.args, o)
		}
		list = append(list, w)
	}
	return list
}

func newOption(app *kong.Application, v *kong.Value) option {
	o := option{name: v.Name, help: v.Help, choices: choices(app, v)}
	if v.Flag != nil {
		switch v.Flag.PlaceHolder {
		case "FILE", "MODEL", "DATA", "DIR":
			o.file = true
		}
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

// flagWords are the spellings of a flag on a command line.
func (o option) flagWords() []string {
	if o.short == "" {
		return []string{"--" + o.name}
	}
	return []string{"-" + o.short, "--" + o.name}
}

func names(list []word) (names []string) {
	for _, w := range list {
		names = append(names, w.name)
	}
	return names
}

// firstSentence is the beginning of a help text, for a line next to a choice.
func firstSentence(help string) string {
	for i := range len(help) - 1 {
		if help[i] == '.' && help[i+1] == ' ' {
			return help[:i]
		}
	}
	return strings.TrimSuffix(help, ".")
}
