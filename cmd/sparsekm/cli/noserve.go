//go:build noserve

package cli

import "github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"

// serveCmd says that there is no server. A command for small places leaves it out, with HTTP and TLS: 3.5 MB.
type serveCmd struct {
	Args []string `arg:"" optional:"" passthrough:"" help:"Nothing: this command was built without its server (-tags noserve)."`
}

func (c *serveCmd) Run(*session.Session) error {
	return usagef("this command was built without its server (-tags noserve)")
}
