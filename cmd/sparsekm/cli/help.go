package cli

import (
	_ "embed"
	"strings"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
)

type helpCmd struct {
	Command string `arg:"" optional:"" values:"commands" help:"The command; none for all."`
	All     bool   `help:"Show the flags that are rarely used too."`
}

func (c *helpCmd) Run(s *session.Session) error { return program.WriteHelp(s.Stdout, c.Command, c.All) }

//go:embed examples.sh
var exampleLines string

// examplesOf are the lines of examples.sh that call a command.
func examplesOf(command string) (lines []string) {
	for line := range strings.Lines(exampleLines) {
		_, call, _ := strings.Cut(line, "sparsekm ")
		if words := strings.Fields(call); len(words) > 0 && words[0] == command {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}
