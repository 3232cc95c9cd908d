package check

import (
	"fmt"
	"hash/crc32"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// LinearProgram is min cᵀx + Offset subject to RowLo ≤ Ax ≤ RowUp and Lo ≤ x ≤ Up, with ½xᵀQx where there is a Q.
type LinearProgram struct {
	C, Lo, Up, RowLo, RowUp []float64
	A, Q                    [][]float64 // by columns
	Offset                  float64
	RowNames, ColNames      []string
}

// LPProof is a proof as its file has it: see docs/reference/proof.md.
type LPProof struct {
	Status    string
	Objective *big.Rat
	vectors   map[string]map[string]*big.Rat // x, y and ray by names
}

// ReadLPProof reads a proof and checks it against the program, whose rows and columns have names, with fractions and
// nothing of the prover. It says why it refuses one.
func ReadLPProof(m *LinearProgram, text string) (*LPProof, error) {
	pos := strings.LastIndex(text, "\nend ") + 1
	if body := text[:pos]; text[pos:] != fmt.Sprintf("end %08x\n", crc32.ChecksumIEEE([]byte(body))) {
		return nil, fmt.Errorf("the checksum is wrong")
	}
	lines := strings.Split(strings.TrimSuffix(text[:pos], "\n"), "\n")
	p := &LPProof{vectors: map[string]map[string]*big.Rat{"x": {}, "y": {}, "ray": {}}}
	size := fmt.Sprintf("program %d rows %d columns", len(m.RowLo), len(m.C))
	if len(lines) < 3 || lines[0] != "sparsekm-proof 1" || lines[2] != size {
		return nil, fmt.Errorf("the first lines are wrong")
	}
	p.Status = strings.TrimPrefix(lines[1], "status ")
	names := map[string]map[string]bool{"x": {}, "y": {}}
	for _, name := range m.ColNames {
		names["x"][name] = true
	}
	for _, name := range m.RowNames {
		names["y"][name] = true
	}
	names["ray"] = names["x"]
	den := new(big.Rat)
	for k, line := range lines[3:] {
		if err := p.line(line, den, names); err != nil {
			return nil, fmt.Errorf("line %d: %w", k+4, err)
		}
	}
	return p, p.holds(m)
}

func (p *LPProof) line(line string, den *big.Rat, names map[string]map[string]bool) error {
	f := strings.SplitN(line, " ", 3)
	if len(f) == 2 && f[0] == "denominator" {
		if n, ok := new(big.Int).SetString(f[1], 16); ok && n.Sign() > 0 {
			den.SetFrac(big.NewInt(1), n)
			return nil
		}
	}
	if len(f) < 2 || den.Sign() == 0 {
		return fmt.Errorf("%q", line)
	}
	digits, exp, scaled := strings.Cut(f[1], "p")
	num, ok := new(big.Int).SetString(digits, 16)
	if !ok {
		return fmt.Errorf("number %q", digits)
	}
	v := new(big.Rat).SetInt(num)
	v.Mul(v, den)
	if scaled {
		e, err := strconv.Atoi(exp)
		if err != nil || e < -1<<24 || e > 1<<24 {
			return fmt.Errorf("exponent %q", exp)
		}
		power := new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(max(e, -e))))
		if e < 0 {
			power.Inv(power)
		}
		v.Mul(v, power)
	}
	switch {
	case f[0] == "objective" && len(f) == 2 && p.Objective == nil:
		p.Objective = v
	case len(f) == 3 && names[f[0]][f[2]] && p.vectors[f[0]][f[2]] == nil:
		p.vectors[f[0]][f[2]] = v
	default:
		return fmt.Errorf("%q", line)
	}
	return nil
}

// exactLP is a program in fractions, nil for infinite bounds.
type exactLP struct {
	c, lo, up, rlo, rup []*big.Rat
	offset              *big.Rat
	a, q                [][]*big.Rat // by columns, nil for 0
}

func newExactLP(m *LinearProgram) *exactLP {
	q := &exactLP{c: rats(m.C), lo: rats(m.Lo), up: rats(m.Up), rlo: rats(m.RowLo), rup: rats(m.RowUp),
		offset: new(big.Rat).SetFloat64(m.Offset)}
	q.a, q.q = columns(m.A), columns(m.Q)
	return q
}

func columns(a [][]float64) (all [][]*big.Rat) {
	for _, column := range a {
		exact := make([]*big.Rat, len(column))
		for i, v := range column {
			if v != 0 {
				exact[i] = new(big.Rat).SetFloat64(v)
			}
		}
		all = append(all, exact)
	}
	return all
}

func rats(v []float64) []*big.Rat {
	r := make([]*big.Rat, len(v))
	for i, f := range v {
		if !math.IsInf(f, 0) {
			r[i] = new(big.Rat).SetFloat64(f)
		}
	}
	return r
}

// named returns the numbers of a vector in the order of names.
func (p *LPProof) named(kind string, names []string) []*big.Rat {
	v := make([]*big.Rat, len(names))
	for i, name := range names {
		v[i] = new(big.Rat)
		if e := p.vectors[kind][name]; e != nil {
			v[i] = e
		}
	}
	return v
}

// times returns A·x.
func (q *exactLP) times(x []*big.Rat) []*big.Rat {
	s := make([]*big.Rat, len(q.rlo))
	for i := range s {
		s[i] = new(big.Rat)
		for j, column := range q.a {
			if column[i] != nil && x[j].Sign() != 0 {
				s[i].Add(s[i], new(big.Rat).Mul(column[i], x[j]))
			}
		}
	}
	return s
}

// transposed returns Aᵀ·y.
func (q *exactLP) transposed(y []*big.Rat) []*big.Rat {
	z := make([]*big.Rat, len(q.a))
	for j, column := range q.a {
		z[j] = product(column, y)
	}
	return z
}

func product(x, y []*big.Rat) *big.Rat {
	s := new(big.Rat)
	for i, v := range x {
		if v != nil && y[i].Sign() != 0 {
			s.Add(s, new(big.Rat).Mul(v, y[i]))
		}
	}
	return s
}

// holds says why the numbers prove nothing.
func (p *LPProof) holds(m *LinearProgram) error {
	q := newExactLP(m)
	x, y, ray := p.named("x", m.ColNames), p.named("y", m.RowNames), p.named("ray", m.ColNames)
	switch p.Status {
	case "optimal":
		if len(p.vectors["ray"]) > 0 || p.Objective == nil {
			return fmt.Errorf("a ray of an optimum, or no objective")
		}
		return q.optimal(x, y, p.Objective)
	case "infeasible":
		if len(p.vectors["ray"])+len(p.vectors["x"]) > 0 || p.Objective != nil {
			return fmt.Errorf("a point of an infeasible program")
		}
		return q.infeasible(y)
	case "unbounded":
		if len(p.vectors["y"]) > 0 || p.Objective != nil {
			return fmt.Errorf("dual values of an unbounded program")
		}
		return q.unbounded(x, ray)
	}
	return fmt.Errorf("status %q", p.Status)
}

func within(what string, v, lo, up []*big.Rat) error {
	for i, e := range v {
		if e == nil {
			continue
		}
		if lo[i] != nil && e.Cmp(lo[i]) < 0 || up[i] != nil && e.Cmp(up[i]) > 0 {
			return fmt.Errorf("%s %d is outside of its bounds", what, i)
		}
	}
	return nil
}

// optimal: x is feasible, and the dual objective of y is that of x.
func (q *exactLP) optimal(x, y []*big.Rat, claimed *big.Rat) error {
	if err := within("column", x, q.lo, q.up); err != nil {
		return err
	}
	if err := within("row", q.times(x), q.rlo, q.rup); err != nil {
		return err
	}
	c, half := q.c, new(big.Rat) // for the gradient at x, and ½xᵀQx
	if q.q != nil {
		c = nil
		for j, column := range q.q {
			z := product(column, x)
			half.Add(half, new(big.Rat).Mul(z, x[j]))
			c = append(c, z.Add(z, q.c[j]))
		}
		half.Quo(half, big.NewRat(2, 1))
		if !semidefinite(q.q) {
			return fmt.Errorf("the matrix Q is not positive semidefinite")
		}
	}
	primal := new(big.Rat).Add(product(c, x), q.offset)
	dual := new(big.Rat).Set(q.offset)
	for j, z := range q.transposed(y) {
		if err := addEnd(dual, new(big.Rat).Sub(c[j], z), q.lo[j], q.up[j]); err != nil {
			return fmt.Errorf("reduced cost of column %d: %w", j, err)
		}
	}
	for i, e := range y {
		if err := addEnd(dual, e, q.rlo[i], q.rup[i]); err != nil {
			return fmt.Errorf("dual value of row %d: %w", i, err)
		}
	}
	if primal.Cmp(dual) != 0 || primal.Cmp(half.Add(half, claimed)) != 0 {
		return fmt.Errorf("objectives %v, %v, %v", primal.FloatString(9), dual.FloatString(9), claimed.FloatString(9))
	}
	return nil
}

// addEnd adds the least of d·v, lo ≤ v ≤ up.
func addEnd(sum, d, lo, up *big.Rat) error {
	end := lo
	if d.Sign() < 0 {
		end = up
	}
	switch {
	case d.Sign() == 0:
		return nil
	case end == nil:
		return fmt.Errorf("its sign asks for a bound that is infinite")
	}
	sum.Add(sum, new(big.Rat).Mul(d, end))
	return nil
}

// infeasible: the least of yᵀs − yᵀAx is above 0.
func (q *exactLP) infeasible(y []*big.Rat) error {
	if within("column", q.lo, q.lo, q.up) != nil || within("row", q.rlo, q.rlo, q.rup) != nil {
		return nil // bounds cross
	}
	smallest := new(big.Rat)
	for j, z := range q.transposed(y) {
		if err := addEnd(smallest, z.Neg(z), q.lo[j], q.up[j]); err != nil {
			return fmt.Errorf("column %d: %w", j, err)
		}
	}
	for i, e := range y {
		if err := addEnd(smallest, e, q.rlo[i], q.rup[i]); err != nil {
			return fmt.Errorf("row %d: %w", i, err)
		}
	}
	if smallest.Sign() <= 0 {
		return fmt.Errorf("the multipliers contradict nothing")
	}
	return nil
}

// unbounded: x is feasible and stays so along the ray, where the cost falls.
func (q *exactLP) unbounded(x, ray []*big.Rat) error {
	if err := within("column", x, q.lo, q.up); err != nil {
		return err
	}
	if err := within("row", q.times(x), q.rlo, q.rup); err != nil {
		return err
	}
	stays := func(v, lo, up []*big.Rat) bool {
		for i, e := range v {
			if e.Sign() < 0 && lo[i] != nil || e.Sign() > 0 && up[i] != nil {
				return false
			}
		}
		return true
	}
	if !stays(ray, q.lo, q.up) || !stays(q.times(ray), q.rlo, q.rup) || product(q.c, ray).Sign() >= 0 {
		return fmt.Errorf("the ray leaves the bounds, or its cost does not fall")
	}
	for j, column := range q.q {
		if product(column, ray).Sign() != 0 {
			return fmt.Errorf("the objective curves along the ray, at column %d", j)
		}
	}
	return nil
}

// semidefinite reports whether a symmetric matrix is positive semidefinite, by elimination in the order of its rows.
func semidefinite(q [][]*big.Rat) bool {
	n := len(q)
	a := make([][]*big.Rat, n)
	for j, column := range q {
		a[j] = make([]*big.Rat, n)
		for i, v := range column {
			if a[j][i] = new(big.Rat); v != nil {
				a[j][i].Set(v)
			}
		}
	}
	for k := range n {
		for j := k + 1; j < n; j++ {
			if a[k][k].Sign() == 0 && a[j][k].Sign() != 0 {
				return false
			}
			if a[j][k].Sign() == 0 {
				continue
			}
			factor := new(big.Rat).Quo(a[j][k], a[k][k])
			for i := k; i < n; i++ {
				a[j][i].Sub(a[j][i], new(big.Rat).Mul(factor, a[k][i]))
			}
		}
		if a[k][k].Sign() < 0 {
			return false
		}
	}
	return true
}
