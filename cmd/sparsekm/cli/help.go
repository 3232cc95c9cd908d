package cli

import (
	_ "embed"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
)

type helpCmd struct {
	Command string `arg:"" optional:"" values:"commands" help:"The command; none for all."`
}

func (c *helpCmd) Run(_ *session.Session, k *kong.Context) error {
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
