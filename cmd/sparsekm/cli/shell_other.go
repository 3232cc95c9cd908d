//go:build !unix

package cli

import (
	"context"
	"os/exec"
	"runtime"
)

// shellCommand runs a line of the shell. The end of the context ends the shell.
func shellCommand(ctx context.Context, line string) *exec.Cmd {
	if runtime.GOOS == "windows" {
		return exec.CommandContext(ctx, "cmd", "/C", line)
	}
	return exec.CommandContext(ctx, "sh", "-c", line)
}
