package all

import (
	"fmt"
	"testing"

	"github.com/sparsekm/sparsekm/learn"
)

// shapes makes one length of a problem a wrong one; it reports whether the problem has the field.
var shapes = map[string]func(p *learn.Problem) bool{
	"no samples":           func(p *learn.Problem) bool { p.N = 0; return true },
	"fewer than none":      func(p *learn.Problem) bool { p.N = -1; return true },
	"fewer features":       func(p *learn.Problem) bool { p.X = p.X[:len(p.X)-1]; return true },
	"no features":          func(p *learn.Problem) bool { p.X = nil; return true },
	"features below none":  func(p *learn.Problem) bool { p.D = -1; return true },
	"fewer targets":        func(p *learn.Problem) bool { return cut(&p.Y) },
	"targets of none":      func(p *learn.Problem) bool { p.Y = append(p.Y, 1); return true },
	"fewer weights":        func(p *learn.Problem) bool { return cut(&p.Weight) },
	"fewer groups":         func(p *learn.Problem) bool { p.Group = make([]int, p.N-1); return true },
	"a feature of levels":  func(p *learn.Problem) bool { p.Coded = []learn.Coded{{Feature: p.D, Levels: 2}}; return true },
	"a candidate of none":  func(p *learn.Problem) bool { p.Candidates = []int{1, p.N}; return true },
	"descending ones":      func(p *learn.Problem) bool { p.Candidates = []int{3, 1}; return true },
	"uneven probabilities": func(p *learn.Problem) bool { p.Soft = make([]float64, p.N+1); return true },
}

func cut(list *[]float64) bool {
	if len(*list) == 0 {
		return false
	}
	*list = (*list)[:len(*list)-1]
	return true
}

// TestShapes gives every method problems whose lists have wrong lengths: an error.
func TestShapes(t *testing.T) {
	for _, m := range learn.Methods() {
		for _, task := range m.TasksOf() {
			t.Run(fmt.Sprintf("%s %v", m.Name, task), func(t *testing.T) {
				for what, change := range shapes {
					p := problemOf(task)
					if !change(p) {
						continue
					}
					r, err := trainOn(t, trainerOf(t, m).Interface().(learn.Trainer), p, what)
					refused(t, what, r, err, false)
				}
			})
		}
	}
}
