package cli

import (
	"fmt"
	"strings"
)

// bashCompletion is for bash, and reads "--flag=value" as bash splits it: in three words.
func bashCompletion(list []word) string {
	var b strings.Builder
	all := strings.Join(names(list), " ")
	fmt.Fprintf(&b, `# bash completion for sparsekm
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
`, strings.Join(names(list), " | "), all)
	for _, w := range list {
		fmt.Fprintf(&b, "\t%s)\n\t\tcase $prev in\n", w.name)
		var flags []string
		for _, o := range w.flags {
			flags = append(flags, o.flagWords()...)
			if o.value {
				fmt.Fprintf(&b, "\t\t%s)\n\t\t\t%s\n\t\t\treturn\n\t\t\t;;\n", strings.Join(o.flagWords(), " | "), bashValue(o))
			}
		}
		fmt.Fprintf(&b, "\t\tesac\n\t\tif [[ $cur == -* ]]; then\n\t\t\twords=%q\n", strings.Join(flags, " "))
		if len(w.args) > 0 {
			fmt.Fprintf(&b, "\t\telse\n\t\t\t%s\n\t\t\treturn\n", bashValue(w.args[0]))
		}
		b.WriteString("\t\tfi\n\t\t;;\n")
	}
	b.WriteString("\tesac\n\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n}\ncomplete -F _sparsekm sparsekm\n")
	return b.String()
}

// bashValue completes a value.
func bashValue(o option) string {
	switch {
	case len(o.choices) > 0:
		return fmt.Sprintf(`COMPREPLY=($(compgen -W %q -- "$cur"))`, strings.Join(o.choices, " "))
	case o.file:
		return `_sparsekm_files "$cur"`
	}
	return ":"
}

// zshCompletion is for zsh, to be sourced or to be a file of fpath.
func zshCompletion(list []word) string {
	var b strings.Builder
	b.WriteString("#compdef sparsekm\n# zsh completion for sparsekm\n_sparsekm() {\n\tlocal -a commands\n\tcommands=(\n")
	for _, w := range list {
		fmt.Fprintf(&b, "\t\t%s\n", quoted(w.name+":"+firstSentence(w.help)))
	}
	b.WriteString("\t)\n\tif ((CURRENT == 2)); then\n\t\t_describe command commands\n\t\treturn\n\tfi\n" +
		"\tshift words\n\t((CURRENT--))\n\tcase $words[1] in\n")
	for _, w := range list {
		fmt.Fprintf(&b, "\t%s)\n\t\t_arguments -s", w.name)
		for _, o := range w.flags {
			help := "[" + zshEscape(firstSentence(o.help)) + "]"
			if o.short != "" {
				fmt.Fprintf(&b, " \\\n\t\t\t%s", quoted("-"+o.short+help+zshValue(o)))
			}
			name := "--" + o.name
			if o.value {
				name += "="
			}
			fmt.Fprintf(&b, " \\\n\t\t\t%s", quoted(name+help+zshValue(o)))
		}
		for _, o := range w.args {
			fmt.Fprintf(&b, " \\\n\t\t\t%s", quoted(":"+strings.TrimPrefix(zshValue(o), ":")))
		}
		b.WriteString("\n\t\t;;\n")
	}
	b.WriteString("\tesac\n}\n" +
		"if [[ $funcstack[1] == _sparsekm ]]; then\n\t_sparsekm \"$@\"\nelse\n\tcompdef _sparsekm sparsekm\nfi\n")
	return b.String()
}

// zshValue is the part of an argument's specification that says what its value is.
func zshValue(o option) string {
	switch {
	case !o.value:
		return ""
	case len(o.choices) > 0:
		return ":" + o.name + ":(" + strings.Join(o.choices, " ") + ")"
	case o.file:
		return ":" + o.name + ":_files"
	}
	return ":" + o.name + ": "
}

var zshSpecial = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, ":", `\:`)

func zshEscape(s string) string { return zshSpecial.Replace(s) }

// fishCompletion is for fish, to be sourced or to be a file of its completions.
func fishCompletion(list []word) string {
	var b strings.Builder
	b.WriteString("# fish completion for sparsekm\ncomplete -c sparsekm -f\n")
	for _, w := range list {
		fmt.Fprintf(&b, "complete -c sparsekm -n __fish_use_subcommand -a %s -d %s\n", w.name,
			fishQuoted(firstSentence(w.help)))
		seen := "complete -c sparsekm -n '__fish_seen_subcommand_from " + w.name + "'"
		for _, o := range w.flags {
			short := ""
			if o.short != "" {
				short = " -s " + o.short
			}
			fmt.Fprintf(&b, "%s -l %s%s%s -d %s\n", seen, o.name, short, fishValue(o), fishQuoted(firstSentence(o.help)))
		}
		for _, o := range w.args {
			switch {
			case o.file:
				fmt.Fprintf(&b, "%s -F\n", seen)
			default:
				fmt.Fprintf(&b, "%s -a %s\n", seen, fishQuoted(strings.Join(o.choices, " ")))
			}
		}
	}
	return b.String()
}

func fishValue(o option) string {
	switch {
	case !o.value:
		return ""
	case len(o.choices) > 0:
		return " -x -a " + fishQuoted(strings.Join(o.choices, " "))
	case o.file:
		return " -r -F"
	}
	return " -x"
}

// quoted is s in the single quotes of bash and zsh.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func fishQuoted(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'"
}
