package cli

import (
	"fmt"
	"io"
	"math"
	"strconv"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/dataset"
)

type genCmd struct {
	Problem string `arg:"" enum:"ringnorm,twonorm,waveform,gaussians,pelegmeir,sinc,friedman1,friedman2,friedman3" help:"The problem; sinc and friedman are of real numbers."`

	N     int          `name:"n" short:"n" default:"1000" min:"1" help:"Number of samples."`
	Seed  uint64       `default:"1" placeholder:"N" help:"Seed of whatever is drawn at random."`
	Param []assignment `sep:"none" placeholder:"NAME=VALUE" help:"gaussians: mean (0.5, and minus that), variance (0.25), flips (labels, 0); pelegmeir: flip (share, 0.2); sinc and friedman: noise (deviation)."`
	Out   string       `short:"o" placeholder:"FILE" writes:"-" help:"Write the samples here. Default: standard output."`
	To    string       `enum:"libsvm,csv" help:"Text format."`
}

func (c *genCmd) Run(s *session.Session) error {
	if s.JSON && (c.Out == "" || c.Out == "-") {
		return usagef("--json: the samples go to standard output already; name a file with --out")
	}
	params, err := c.params()
	if err != nil {
		return err
	}
	have := session.ByteSize(0).Bytes()
	if d := c.draw(1, params).D; int64(c.N) > have/8/int64(d+1) {
		return fmt.Errorf("-n: %d samples of %d features are more than the memory budget of %d bytes", c.N, d, have)
	}
	set, err := session.InBackground(s, func() (*dataset.Set, error) { return c.draw(c.N, params), nil })
	if err != nil {
		return err
	}
	err = s.WriteFile(c.Out, func(w io.Writer) error {
		w = s.Stopping(w)
		if c.To == "csv" {
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

// problemParams are the parameters of problems.
var problemParams = []string{"noise", "flip", "flips", "mean", "variance"}

// params are the parameters of the problem, with their defaults.
func (c *genCmd) params() (map[string]float64, error) {
	own := map[string]map[string]float64{
		"sinc": {"noise": 0.1}, "friedman1": {"noise": 1}, "friedman2": {"noise": 125}, "friedman3": {"noise": 0.1},
		"pelegmeir": {"flip": 0.2}, "gaussians": {"mean": 0.5, "variance": 0.25, "flips": 0},
	}[c.Problem]
	for _, a := range c.Param {
		if _, ok := own[a.name]; !ok {
			return nil, usagef("--param %s: %s has no such parameter", a.name, c.Problem)
		}
		v, err := strconv.ParseFloat(a.text, 64)
		ok := map[string]bool{"noise": v >= 0, "flip": v >= 0 && v <= 1, "mean": true, "variance": v > 0,
			"flips": v >= 0 && v <= float64(c.N) && v == math.Trunc(v)}[a.name]
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) || !ok {
			return nil, usagef("--param %s: found %q, which is none for %d samples", a.name, a.text, c.N)
		}
		own[a.name] = v
	}
	return own, nil
}

func (c *genCmd) draw(n int, params map[string]float64) *dataset.Set {
	switch c.Problem {
	case "sinc":
		return dataset.Sinc(n, params["noise"], c.Seed)
	case "friedman1", "friedman2", "friedman3":
		return dataset.Friedman(int(c.Problem[len(c.Problem)-1]-'0'), n, params["noise"], c.Seed)
	case "ringnorm":
		return dataset.Ringnorm(n, c.Seed)
	case "twonorm":
		return dataset.Twonorm(n, c.Seed)
	case "waveform":
		return dataset.Waveform(n, c.Seed)
	case "gaussians":
		return dataset.TwoGaussians(n, params["mean"], params["variance"], min(n, int(params["flips"])), c.Seed)
	}
	return dataset.PelegMeir(n, params["flip"], c.Seed)
}
