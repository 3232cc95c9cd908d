//go:build nointerior

package kernellp

import "context"

// crowded is false: the library is built without interior points, which hundreds of thousands of points want.
func (*sift) crowded(Costs, int) bool { return false }

// approach is never asked for.
func (*sift) approach(context.Context, Costs, *Solution) error { return nil }
