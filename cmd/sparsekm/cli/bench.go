package cli

import (
	"time"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/bench"
)

type benchCmd struct {
	Time time.Duration `default:"15s" placeholder:"TIME" help:"About how long to measure: everything is measured at least once, up to four times."`
	Out  string        `short:"o" placeholder:"FILE" help:"Write the figures here too, in the format of go test -bench, for benchstat."`
}

func (c *benchCmd) files() (in, out []named) { return nil, askedFor(named{"--out", c.Out}) }

func (c *benchCmd) Run(s *session) error {
	if c.Time <= 0 {
		return usagef("--time: found %v, want more than 0", c.Time)
	}
	r, err := bench.Run(s.ctx, c.Time)
	if err != nil {
		return stopped(err)
	}
	if c.Out != "" {
		if err = s.writeFile(c.Out, r.Format); err != nil {
			return err
		}
	}
	if s.json {
		return s.writeJSON(r)
	}
	return r.Print(s.stdout)
}
