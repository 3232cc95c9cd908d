package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/modelselect"
)

// axis is a number that --grid varies; the command line takes "c=0.1,1,10" and "gamma=2^-7..2^3" with an optional
// step of the exponent, "c=2^-5..2^15:2".
type axis struct {
	name   string
	values []float64
}

func (a *axis) UnmarshalText(text []byte) error {
	name, list, ok := strings.Cut(string(text), "=")
	if !ok || name == "" || list == "" {
		return fmt.Errorf("%q is not NAME=VALUES", text)
	}
	a.name = strings.ReplaceAll(name, "-", "_")
	from, to, isRange := strings.Cut(list, "..")
	if isRange {
		return a.powers(from, to)
	}
	for word := range strings.SplitSeq(list, ",") {
		v, err := strconv.ParseFloat(word, 64)
		if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%s: %q is not a finite number", name, word)
		}
		a.values = append(a.values, v)
	}
	return nil
}

// powers reads 2^-5..2^15:2.
func (a *axis) powers(from, to string) error {
	to, stepText, stepped := strings.Cut(to, ":")
	step := 1.0
	var err error
	if stepped {
		if step, err = strconv.ParseFloat(stepText, 64); err != nil || !(step > 0) {
			return fmt.Errorf("%s: the step %q is not a number > 0", a.name, stepText)
		}
	}
	base, low, ok := power(from)
	other, high, okToo := power(to)
	if !ok || !okToo || base != other || low > high || (high-low)/step > 1000 {
		return fmt.Errorf("%s: %q is not such as 2^-5..2^15 with one base and 1000 powers at most", a.name, from+".."+to)
	}
	a.values = modelselect.Powers(base, low, high, step)
	return nil
}

func power(text string) (base, exponent float64, ok bool) {
	b, e, _ := strings.Cut(text, "^")
	base, errBase := strconv.ParseFloat(b, 64)
	exponent, errExponent := strconv.ParseFloat(e, 64)
	return base, exponent, errBase == nil && errExponent == nil && base > 1 && math.Abs(exponent) <= 100
}

// gridFlags say what a search tries.
type gridFlags struct {
	Grid   []axis `sep:"none" placeholder:"NAME=VALUES" group:"search" help:"Values of a parameter of the method, of gamma or of gamma-times (multiples of the rule's γ): c=0.1,1,10 or c=2^-5..2^15:2; once for each. Default: c=0.1,1,10,100,1000 and gamma-times=0.1,0.3,1,3,10, as far as there are such."`
	Search string `enum:"grid,random,halving" default:"grid" group:"search" help:"Every combination on every split; --trials of them, drawn by --seed; or, after a quarter and half of the splits, the better half and what is within two standard errors: ${enum}."`
	Trials int    `default:"30" placeholder:"N" group:"search" help:"Settings that a random search tries. Default: 30."`
}

// settings returns the combinations for the method.
func (f *gridFlags) settings(o sparsekm.Options, width bool, seed uint64) ([]modelselect.Setting, error) {
	if f.Trials < 1 {
		return nil, usagef("--trials: found %d, want at least 1", f.Trials)
	}
	axes := f.Grid
	if len(axes) == 0 {
		axes = defaultAxes(o, width)
	}
	var of []modelselect.Axis
	seen := make(map[string]bool)
	for _, a := range axes {
		if seen[a.name] {
			return nil, usagef("--grid: %s is there twice", a.name)
		}
		seen[a.name] = true
		switch a.name {
		case "gamma", "gamma_times":
			if seen["gamma"] && seen["gamma_times"] || !width {
				return nil, usagef("--grid %s: γ is given twice", a.name)
			}
			if !o.Kernel.HasGamma() || o.KernelOf != nil {
				return nil, usagef("--grid %s: the kernel has no γ", a.name)
			}
			for _, v := range a.values {
				if !(v > 0) {
					return nil, usagef("--grid %s: found %v, want numbers > 0", a.name, v)
				}
			}
		}
		switch a.name {
		case "gamma":
			of = append(of, modelselect.Gamma(a.values...))
		case "gamma_times":
			of = append(of, modelselect.GammaTimes(a.values...))
		default:
			of = append(of, modelselect.Param(a.name, a.values...))
		}
	}
	settings, err := modelselect.Grid(o, of...)
	if err != nil {
		return nil, asUsage(err)
	}
	if f.Search == "random" {
		settings = modelselect.Sample(settings, f.Trials, seed)
	}
	return settings, nil
}

// defaultAxes are C, where the method has one, and γ, where nothing else said what it is.
func defaultAxes(o sparsekm.Options, width bool) []axis {
	var axes []axis
	if m, err := sparsekm.Lookup(o.Trainer.Name()); err == nil && hasParameter(m, "c") {
		axes = append(axes, axis{"c", []float64{0.1, 1, 10, 100, 1000}})
	}
	if width && o.Kernel.HasGamma() && o.KernelOf == nil {
		axes = append(axes, axis{"gamma_times", []float64{0.1, 0.3, 1, 3, 10}})
	}
	return axes
}
