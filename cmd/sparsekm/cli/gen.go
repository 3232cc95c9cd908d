package cli

import (
	"fmt"
	"io"
	"math"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
)

type genCmd struct {
	Problem string `arg:"" enum:"ringnorm,twonorm,waveform,gaussians,pelegmeir,sinc,friedman1,friedman2,friedman3" help:"Of classes: ringnorm, twonorm, waveform, gaussians, pelegmeir. Of real numbers: sinc, friedman1, friedman2, friedman3."`

	N        int      `name:"n" short:"n" default:"1000" help:"Number of samples."`
	Seed     uint64   `default:"1" help:"Seed; the same seed gives the same samples everywhere."`
	Flip     float64  `default:"0.2" help:"pelegmeir: share of the labels that are flipped."`
	Flips    int      `default:"0" help:"gaussians: number of labels that are flipped."`
	Mean     float64  `default:"0.5" help:"gaussians: the classes' means are at plus and minus this in both features."`
	Noise    *float64 `placeholder:"X" help:"sinc, friedman1, friedman2, friedman3: standard deviation of the noise. Default: 0.1, 1, 125, 0.1."`
	Variance float64  `default:"0.25" help:"gaussians: variance of both features."`
	Out      string   `short:"o" placeholder:"FILE" writes:"-" help:"Write the samples here. Default: standard output."`
	Format   string   `enum:"libsvm,csv" default:"libsvm" help:"Text format: ${enum}."`
}

func (c *genCmd) Run(s *session.Session) error {
	switch {
	case c.N < 1:
		return usagef("-n: found %d, want at least 1", c.N)
	case !(c.Flip >= 0 && c.Flip <= 1):
		return usagef("--flip: found %v, want 0 to 1", c.Flip)
	case c.Flips < 0 || c.Flips > c.N:
		return usagef("--flips: found %d, want 0 to %d", c.Flips, c.N)
	case math.IsNaN(c.Mean) || math.IsInf(c.Mean, 0):
		return usagef("--mean: found %v, want a finite number", c.Mean)
	case !(c.Variance > 0) || math.IsInf(c.Variance, 0):
		return usagef("--variance: found %v, want a finite number > 0", c.Variance)
	case c.Problem != "gaussians" && s.Set.First("flips", "mean", "variance") != "":
		return usagef("--%s: only gaussians has it", s.Set.First("flips", "mean", "variance"))
	case c.Noise != nil && usualNoise[c.Problem] == 0:
		return usagef("--noise: only sinc and friedman1 to friedman3 have it")
	case c.Noise != nil && !(*c.Noise >= 0 && !math.IsInf(*c.Noise, 0)):
		return usagef("--noise: found %v, want a finite number >= 0", *c.Noise)
	case c.Problem != "pelegmeir" && s.Set.First("flip") != "":
		return usagef("--flip: only pelegmeir has it")
	case s.JSON && (c.Out == "" || c.Out == "-"):
		return usagef("--json: the samples go to standard output already; name a file with --out")
	}
	have := session.ByteSize(0).Bytes()
	if d := c.draw(1, 0).D; int64(c.N) > have/8/int64(d+1) {
		return fmt.Errorf("-n: %d samples of %d features are more than the memory budget of %d bytes", c.N, d, have)
	}
	set, err := session.InBackground(s, func() (*dataset.Set, error) { return c.draw(c.N, c.Flips), nil })
	if err != nil {
		return err
	}
	err = s.WriteFile(c.Out, func(w io.Writer) error {
		w = s.Stopping(w)
		if c.Format == "csv" {
			return set.WriteCSV(w)
		}
		return set.WriteLIBSVM(w)
	})
	if err == nil && s.JSON {
		return s.WriteJSON(map[string]any{"problem": c.Problem, "n": set.N, "d": set.D, "classes": nonNil(set.Labels),
			"seed": c.Seed})
	}
	return err
}

// usualNoise is the default of --noise, by the problems that have one.
var usualNoise = map[string]float64{"sinc": 0.1, "friedman1": 1, "friedman2": 125, "friedman3": 0.1}

func (c *genCmd) draw(n, flips int) *dataset.Set {
	noise := usualNoise[c.Problem]
	if c.Noise != nil {
		noise = *c.Noise
	}
	switch c.Problem {
	case "sinc":
		return dataset.Sinc(n, noise, c.Seed)
	case "friedman1", "friedman2", "friedman3":
		return dataset.Friedman(int(c.Problem[len(c.Problem)-1]-'0'), n, noise, c.Seed)
	case "ringnorm":
		return dataset.Ringnorm(n, c.Seed)
	case "twonorm":
		return dataset.Twonorm(n, c.Seed)
	case "waveform":
		return dataset.Waveform(n, c.Seed)
	case "gaussians":
		return dataset.TwoGaussians(n, c.Mean, c.Variance, flips, c.Seed)
	}
	return dataset.PelegMeir(n, c.Flip, c.Seed)
}
