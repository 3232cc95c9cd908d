package modelselect_test

import (
	"fmt"
	"log"

	"github.com/sparsekm/sparsekm/modelselect"
)

// What Fit compares with trained centres, for classes.
func ExampleBaselines() {
	settings, err := modelselect.Baselines(3, 1, false)
	if err != nil {
		log.Fatal(err)
	}
	for _, s := range settings {
		fmt.Println(s.Name, len(s.Search.Settings))
	}
	// Output:
	// linear 4
	// svc 16
	// ssvc-b 9
	// l0svm 9
	// lpsvc 9
}
