package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/svmtools"
)

// runSVM runs one of LIBSVM's commands.
func runSVM(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	out := &session.CheckedWriter{W: stdout}
	code := svmtools.Run(ctx, args[0], args[1:], out, stderr)
	if err := out.Failed(); err != nil {
		fmt.Fprintln(stderr, "sparsekm:", err)
		return session.Failed
	}
	return code
}

// svmCmd declares a command of LIBSVM's to the parser, for help, completion and the manual page: run hands its words to
// package svmtools before the parser sees them.
type svmCmd struct {
	Args []string `arg:"" optional:"" help:"What LIBSVM's command takes; nothing shows its usage."`
}

// Run is called where flags of ours come before the command's name.
func (c *svmCmd) Run() error {
	return usagef("LIBSVM's commands take no flags of sparsekm: their name comes first")
}
