package cli

import (
	"time"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/bench"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
)

type benchCmd struct {
	Time time.Duration `default:"15s" above:"0" placeholder:"TIME" help:"About how long to measure: everything at least once, up to four times."`
	Out  string        `short:"o" placeholder:"FILE" writes:"" help:"Write the figures here too, in the format of go test -bench, for benchstat."`
}

func (c *benchCmd) Run(s *session.Session) error {
	r, err := bench.Run(s.Context, c.Time)
	if err != nil {
		return stopped(err)
	}
	if c.Out != "" {
		if err = s.WriteFile(c.Out, r.Format); err != nil {
			return err
		}
	}
	if s.JSON {
		return s.WriteJSON(r)
	}
	return r.Print(s.Stdout)
}
