package distill_test

import (
	"context"
	"fmt"
	"math"

	"github.com/sparsekm/sparsekm/dataset"
	"github.com/sparsekm/sparsekm/distill"
)

// A slow function teaches a model of a few vectors and steps.
func ExampleDistill() {
	slow := func(_ context.Context, x []float64, n int) (odds []float64, err error) {
		for i := range n {
			odds = append(odds, 4*math.Hypot(x[2*i], x[2*i+1])-4)
		}
		return odds, nil
	}
	samples := dataset.TwoGaussians(300, 0.5, 0.5, 0, 1)
	samples.Y, samples.Labels = nil, nil // it needs no labels
	r, err := distill.Distill(context.Background(), samples, distill.Options{
		Kind: distill.Logits, Labels: []string{"inside", "outside"}, Ask: slow, MaxUnits: 8, Rounds: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Units, r.HeldOut.Agreement.Value > 0.95)
	fmt.Println(r.Classifier.Label(r.Classifier.Predict([]float64{0.1, 0.1})))
	// Output:
	// 8 true
	// inside
}
