//go:build !js

package cli

import (
	"os"
	"syscall"
)

// hangup are the signals at which a server reads its models again.
var hangup = []os.Signal{syscall.SIGHUP}
