package scsvc

import "github.com/sparsekm/sparsekm/learn"

func init() {
	learn.Register(Trainer{C: 1, Lambda: 1, MaxIter: 200}, learn.Method{
		Name: "sc-svc", Paper: "Drezet & Harrison (2001)", KernelOnly: true,
		About: "support vector classifier with a penalty on its coefficients, by an interior-point method",
		Own: []learn.Param{{Name: "lambda", Range: learn.Positive,
			Doc: "Cost of a unit of the sum of absolute coefficients."}},
	})
}
