package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"One of ${enum}."`
}

func (c *completionCmd) Run(s *session.Session, k *kong.Context) error {
	list := words(k.Model)
	var text string
	switch c.Shell {
	case "bash":
		text = bashCompletion(list)
	case "zsh":
		text = zshCompletion(list)
	case "fish":
		text = fishCompletion(list)
	}
	_, err := io.WriteString(s.Stdout, text)
	return err
}

const bashBegin = `# bash completion for sparsekm
_sparsekm_files() {
	local IFS=$'\n'
	compopt -o filenames 2>/dev/null
	COMPREPLY=($(compgen -f -- "$1"))
}
_sparsekm() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command= words= i
	if [[ $cur == "=" ]]; then
		cur=
	elif [[ $prev == "=" ]]; then
		prev=${COMP_WORDS[COMP_CWORD-2]}
	fi
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		%s)
			command=${COMP_WORDS[i]}
			break
			;;
		esac
	done
	COMPREPLY=()
	case $command in
	'') words=%q ;;
`

const bashEnd = `	esac
	COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _sparsekm sparsekm
`

func bashCompletion(list []word) string {
	var b strings.Builder
	names := names(list)
	fmt.Fprintf(&b, bashBegin, strings.Join(names, " | "), strings.Join(names, " "))
	for _, w := range list {
		fmt.Fprintf(&b, "\t%s)\n\t\tcase $prev in\n", w.Name)
		var flags []string
		for _, f := range w.Flags {
			flags = append(flags, f.Words()...)
			if f.Value {
				const value = "\t\t%s)\n\t\t\t%s\n\t\t\treturn\n\t\t\t;;\n"
				fmt.Fprintf(&b, value, strings.Join(f.Words(), " | "), f.bashValue())
			}
		}
		fmt.Fprintf(&b, "\t\tesac\n\t\tif [[ $cur == -* ]]; then\n\t\t\twords=\"%s\"\n", strings.Join(flags, " "))
		if len(w.Args) > 0 {
			fmt.Fprintf(&b, "\t\telse\n\t\t\t%s\n\t\t\treturn\n", w.Args[0].bashValue())
		}
		b.WriteString("\t\tfi\n\t\t;;\n")
	}
	b.WriteString(bashEnd)
	return b.String()
}

// bashValue is the command that completes a value.
func (o option) bashValue() string {
	switch {
	case len(o.Choices) > 0:
		return fmt.Sprintf(`COMPREPLY=($(compgen -W %q -- "$cur"))`, strings.Join(o.Choices, " "))
	case o.File:
		return `_sparsekm_files "$cur"`
	}
	return ":"
}

const zshBegin = `	)
	if ((CURRENT == 2)); then
		_describe command commands
		return
	fi
	shift words
	((CURRENT--))
	case $words[1] in
`

const zshEnd = `	esac
}
if [[ $funcstack[1] == _sparsekm ]]; then
	_sparsekm "$@"
else
	compdef _sparsekm sparsekm
fi
`

// zshEscape keeps a text from ending the part of a specification that it stands in.
var zshEscape = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, ":", `\:`).Replace

func zshCompletion(list []word) string {
	var b strings.Builder
	b.WriteString("#compdef sparsekm\n# zsh completion for sparsekm\n_sparsekm() {\n\tlocal -a commands\n\tcommands=(\n")
	for _, w := range list {
		fmt.Fprintf(&b, "\t\t%s\n", quoted(w.Name+":"+firstSentence(w.Help)))
	}
	b.WriteString(zshBegin)
	for _, w := range list {
		fmt.Fprintf(&b, "\t%s)\n\t\t_arguments -s", w.Name)
		for _, f := range w.Flags {
			help, equals := zshEscape(firstSentence(f.Help)), ""
			if f.Value {
				equals = "="
			}
			if f.Short != "" {
				fmt.Fprintf(&b, " \\\n\t\t\t%s", quoted("-"+f.Short+"["+help+"]"+f.zshValue()))
			}
			fmt.Fprintf(&b, " \\\n\t\t\t%s", quoted("--"+f.Name+equals+"["+help+"]"+f.zshValue()))
		}
		for _, a := range w.Args {
			fmt.Fprintf(&b, " \\\n\t\t\t%s", quoted(a.zshValue()))
		}
		b.WriteString("\n\t\t;;\n")
	}
	b.WriteString(zshEnd)
	return b.String()
}

// zshValue is the part of an argument's specification that says what its value is.
func (o option) zshValue() string {
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

func fishCompletion(list []word) string {
	var b strings.Builder
	b.WriteString("# fish completion for sparsekm\ncomplete -c sparsekm -f\n")
	for _, w := range list {
		const command = "complete -c sparsekm -n __fish_use_subcommand -a %s -d %s\n"
		fmt.Fprintf(&b, command, w.Name, fishQuoted(firstSentence(w.Help)))
		const within = "complete -c sparsekm -n '__fish_seen_subcommand_from %s'"
		for _, f := range w.Flags {
			fmt.Fprintf(&b, within+" -l %s", w.Name, f.Name)
			if f.Short != "" {
				fmt.Fprintf(&b, " -s %s", f.Short)
			}
			switch {
			case f.Value && len(f.Choices) > 0:
				fmt.Fprintf(&b, " -x -a %s", fishQuoted(strings.Join(f.Choices, " ")))
			case f.File:
				b.WriteString(" -r -F")
			case f.Value:
				b.WriteString(" -x")
			}
			fmt.Fprintf(&b, " -d %s\n", fishQuoted(firstSentence(f.Help)))
		}
		for _, a := range w.Args {
			fmt.Fprintf(&b, within, w.Name)
			if a.File {
				b.WriteString(" -F\n")
			} else {
				fmt.Fprintf(&b, " -a %s\n", fishQuoted(strings.Join(a.Choices, " ")))
			}
		}
	}
	return b.String()
}

// quoted is s in the single quotes of bash and zsh.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func fishQuoted(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
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
