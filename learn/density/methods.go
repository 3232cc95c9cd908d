package density

import "github.com/sparsekm/sparsekm/learn"

func init() {
	learn.Register(SKDE{C: 1, MaxIter: 1000, Starts: 1}, learn.Method{
		Name: "skde", Paper: "Huang et al. (2010), eq. (18)-(20)", Tasks: []learn.Task{learn.Density},
		About: "sparse kernel density: few weighted Gaussians, by reweighting",
	})
}
