package ssvc

import (
	"cmp"
	"math"
	"slices"

	"github.com/sparsekm/sparsekm/status"
)

// crossing is where a row's margin passes its edge on the way from the centre to the last solution.
type crossing struct {
	t    float64 // share of the way
	row  int
	jump float64 // of the objective's slope
}

// advance moves the centre to the least objective on the way to the image u with gradient g. It adds rows that are on
// the wrong side there, and reports whether there were any.
func (s *sieve) advance(u, g []float64) bool {
	wrong := s.wrong(g)
	if len(wrong) == 0 {
		if s.result.Status == status.Optimal {
			s.result.Status = status.Numerical
		}
		return false
	}
	t := s.search(u, g)
	for i, v := range s.u {
		s.u[i] = v + t*(u[i]-v)
	}
	for i, v := range s.g {
		s.g[i] = v + t*(g[i]-v)
	}
	inside := slices.Clone(s.inside)
	most := max(len(inside)/2, 1024)
	for _, c := range wrong[:min(most, len(wrong))] {
		inside = append(inside, c.row)
	}
	s.inside = s.trim(inside, len(s.inside))
	return true
}

// wrong lists the rows outside whose multipliers are at the bound of the other side, by the place of their crossing.
func (s *sieve) wrong(g []float64) (rows []crossing) {
	s.eachOutside(func(i int) {
		if s.b[i] == s.side(i, g[i]) || g[i] == 0 {
			return
		}
		c := crossing{row: i}
		if from := s.g[i]; (from < 0) != (g[i] < 0) {
			c.t = from / (from - g[i])
		}
		rows = append(rows, c)
	})
	slices.SortFunc(rows, soonest)
	return rows
}

func soonest(a, b crossing) int { return cmp.Or(cmp.Compare(a.t, b.t), cmp.Compare(a.row, b.row)) }

// search returns the share of the way to the image u with the gradient g at which the objective
// ½‖u‖² + Σ max{−b_i g_i : lo_i ≤ b_i ≤ hi_i} is least. It is convex, and quadratic between crossings.
func (s *sieve) search(u, g []float64) float64 {
	var slope, bend float64
	for i, v := range s.u {
		d := u[i] - v
		slope += v * d
		bend += d * d
	}
	var crossings []crossing
	for i, from := range s.g {
		d := g[i] - from
		at := from
		if from == 0 {
			at = d
		}
		slope -= s.side(i, at) * d
		if d != 0 && (at < 0) != (g[i] < 0) {
			crossings = append(crossings, crossing{from / -d, i, (s.q.Hi[i] - s.q.Lo[i]) * math.Abs(d)})
		}
	}
	slices.SortFunc(crossings, soonest)
	for _, c := range crossings {
		if slope+c.t*bend >= 0 {
			break
		}
		if slope += c.jump; slope+c.t*bend >= 0 {
			return c.t
		}
	}
	if slope >= 0 {
		return 0
	}
	return min(1, -slope/bend)
}

// trim drops rows if there is no room for all. It keeps the newest, which stand after the first old, those with free
// multipliers, and those closest to their edges. The dropped rows keep their multipliers.
func (s *sieve) trim(inside []int, old int) []int {
	if room := s.room(); len(inside) > room {
		kept := inside[:old]
		slices.SortFunc(kept, func(a, b int) int {
			if s.free(a) != s.free(b) {
				if s.free(a) {
					return -1
				}
				return 1
			}
			return cmp.Or(cmp.Compare(math.Abs(s.g[a]), math.Abs(s.g[b])), cmp.Compare(a, b))
		})
		cut := max(0, old-(len(inside)-room))
		for cut < old && s.free(kept[cut]) {
			cut++
		}
		inside = slices.Delete(inside, cut, old)
	}
	slices.Sort(inside)
	return inside
}
