//go:build unix

package cli

import (
	"context"
	"os/exec"
	"syscall"
)

// shellCommand runs a line of the shell. The end of the context ends what the shell has started too.
func shellCommand(ctx context.Context, line string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return cmd
}
