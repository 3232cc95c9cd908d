package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
)

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell."`
}

func (c *completionCmd) Run(s *session.Session) error {
	_, err := io.WriteString(s.Stdout, "# "+c.Shell+" completion for sparsekm\n"+completions[c.Shell])
	return err
}

// completions are what makes a shell ask this command for the words that complete a line.
var completions = map[string]string{
	"bash": `_sparsekm() {
	local IFS=$'\n' cur=${COMP_WORDS[COMP_CWORD]} words
	words=($("${COMP_WORDS[0]}" completion words "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
	COMPREPLY=("${words[@]%%$'\t'*}")
	if [[ ${COMPREPLY[0]} == :files ]]; then
		compopt -o filenames 2>/dev/null
		COMPREPLY=($(compgen -f -- "${cur#=}"))
	fi
}
complete -F _sparsekm sparsekm
`,
	"zsh": `#compdef sparsekm
_sparsekm() {
	local -a found
	found=("${(@f)$("$words[1]" completion words "${(@)words[2,CURRENT]}" 2>/dev/null)}")
	if [[ $found[1] == :files ]]; then
		_files
		return
	fi
	found=("${(@)found//:/\\:}")
	_describe sparsekm found
}
if [[ $funcstack[1] == _sparsekm ]]; then
	_sparsekm "$@"
else
	compdef _sparsekm sparsekm
fi
`,
	"fish": `function __sparsekm
	set -l words (commandline -opc) (commandline -ct)
	set -l found ($words[1] completion words $words[2..] 2>/dev/null)
	if test "$found[1]" = :files
		__fish_complete_path (commandline -ct)
	else
		printf '%s\n' $found
	end
end
complete -c sparsekm -f -a '(__sparsekm)'
`,
}

// complete writes the words that complete a line, or :files. zsh has a colon between a word and what it is.
func complete(w io.Writer, line []string) error {
	found, files := program.Completions(line)
	if files && len(found) == 0 {
		found = []string{":files"}
	}
	_, err := fmt.Fprintln(w, strings.Join(found, "\n"))
	return err
}

// words are the values of an argument or a flag that its tag names.
func words(name string) (names []string) {
	switch name {
	case "commands":
		for _, c := range commands {
			names = append(names, c.Name)
		}
		return names
	case "kernels":
		return kernelNames()
	case "targets":
		return targets()
	}
	for _, m := range sparsekm.Methods() {
		names = append(names, m.Name)
	}
	return names
}
