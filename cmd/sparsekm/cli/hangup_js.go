package cli

import "os"

// A browser has no signal for it. Notify with no signal at all would take every one.
var hangup = []os.Signal{noSignal{}}

type noSignal struct{}

func (noSignal) String() string { return "none" }
func (noSignal) Signal()        {}
