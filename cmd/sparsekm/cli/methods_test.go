package cli

import (
	"context"
	"strings"
	"testing"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/status"
)

// guest is a method of another package: it keeps the first sample with the parameters as coefficients.
type guest struct {
	Pull  float64
	Grid  []float64
	Steps int
	Flip  bool
}

const guestName = "zz-guest"

func init() {
	learn.Register(guest{Pull: 2}, learn.Method{
		Name: guestName, About: "a guest", Paper: "none",
		Own: []learn.Param{
			{Name: "zz_pull", Field: "Pull", Range: learn.NonNegative, Doc: "Coefficient; 0 is of use."},
			{Name: "zz_grid", Field: "Grid", Range: learn.Positive, Doc: "Numbers."},
			{Name: "zz_steps", Field: "Steps", Range: learn.Count, Doc: "Limit."},
			{Name: "zz_flip", Field: "Flip", Doc: "The other way round."},
		},
	})
}

func (guest) Name() string                  { return guestName }
func (guest) EstimateMemory(n, d int) int64 { return 0 }
func (t guest) Train(_ context.Context, p *learn.Problem) (*learn.Result, error) {
	if err := learn.Complete(&t); err != nil {
		return nil, err
	}
	e := learn.Expansion{Support: []int{0}, Coef: []float64{t.Pull}, Bias: float64(t.Steps)}
	for _, v := range t.Grid {
		e.Bias += v
	}
	if t.Flip {
		e.Bias = -e.Bias
	}
	return &learn.Result{Expansion: e, Report: learn.Report{Status: status.Optimal}}, nil
}

// A method that another package registers is a --method, and its parameters are flags.
func TestGuestMethod(t *testing.T) {
	for _, row := range []struct {
		args       string
		coef, bias float64
	}{
		{"", 2, 0},
		{"--param zz-pull=0", 0, 0},
		{"--param zz-pull=1e-3 --param zz-grid=0.5,1.5 --param zz-steps=3 --param zz-flip", 1e-3, -5},
	} {
		o := object(t, append([]string{"train", "--method", guestName, ripley(t)}, strings.Fields(row.args)...)...)
		if o["coef"].([]any)[0] != row.coef || o["bias"] != row.bias {
			t.Errorf("%q: coefficient %v, bias %v", row.args, o["coef"], o["bias"])
		}
		if o["gap"] != nil || o["kkt"] != nil || o["dual_objective"] != nil || o["residual"] != nil {
			t.Errorf("%q: figures that nobody computed: %v", row.args, o)
		}
	}
	for args, want := range map[string]string{
		"--param zz-pull=-1":               "--param zz-pull: found -1, want a finite number >= 0",
		"--param zz-grid=1,0":              "--param zz-grid: found [1 0], want a finite number > 0",
		"--param zz-steps=0":               "--param zz-steps: found 0, want a whole number >= 1",
		"--c 1":                            "--c: zz-guest has no such parameter, only --param zz-pull, --param zz-grid, --param zz-steps, --param zz-flip",
		"--val x":                          "--val: zz-guest does not read validation samples, only direct, lssvm-prune",
		"--dump-lp x":                      "--dump-lp: zz-guest solves no linear programs, only l0svm,",
		"--method svc --param zz-pull=0.5": "--param zz-pull: svc has no such parameter, only --c, --tolerance, --max-iter",
	} {
		r := command(t, "", append([]string{"train", ripley(t), "--method", guestName}, strings.Fields(args)...)...)
		if r.code != session.Usage || !strings.Contains(r.stderr, want) || r.stdout != "" {
			t.Errorf("%s: status %d, %q, want %q", args, r.code, r.stderr, want)
		}
	}
	// A seed may be named whether or not the method draws anything.
	must(t, "train", "--method", guestName, "--seed", "7", ripley(t))
}
