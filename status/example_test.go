package status_test

import (
	"context"
	"fmt"

	"github.com/sparsekm/sparsekm/status"
)

// A solver that a context ends has a status, and its best iterate.
func ExampleFromContext() {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s := status.FromContext(ctx)
	fmt.Println(s, s.Done(), s.Limit())
	fmt.Println(status.Optimal, status.Optimal.Done(), status.Optimal.Limit())
	// Output:
	// cancelled false true
	// optimal true false
}
