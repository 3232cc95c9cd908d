package gram

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// registered holds the kernel functions by name.
var registered = struct {
	sync.RWMutex
	of map[string]func(x, z []float64) float64
}{of: make(map[string]func(x, z []float64) float64)}

// Register names a kernel function of the caller's own and returns the kernel. A model file holds the name. So every
// program that reads the file must register the same function first, for instance in an init function. A changed
// function needs a new name. It panics if the name is empty or taken.
func Register(name string, f func(x, z []float64) float64) Kernel {
	registered.Lock()
	defer registered.Unlock()
	switch {
	case name == "" || f == nil:
		panic("gram: Register wants a name and a function")
	case registered.of[name] != nil:
		panic(fmt.Sprintf("gram: kernel function %q is registered twice", name))
	}
	registered.of[name] = f
	return Kernel{Kind: KindCustom, Func: f, Name: name}
}

// Registered returns the kernel that [Register] stored under a name, or an [*UnregisteredError].
func Registered(name string) (Kernel, error) {
	registered.RLock()
	defer registered.RUnlock()
	f := registered.of[name]
	if f == nil {
		return Kernel{}, &UnregisteredError{Name: name, Have: slices.Sorted(maps.Keys(registered.of))}
	}
	return Kernel{Kind: KindCustom, Func: f, Name: name}, nil
}

// UnregisteredError says that this program has not registered a kernel function that a model needs.
type UnregisteredError struct {
	Name string
	Have []string // registered names, ascending
}

func (e *UnregisteredError) Error() string {
	have := "none"
	if len(e.Have) > 0 {
		have = strings.Join(e.Have, ", ")
	}
	return fmt.Sprintf("gram: kernel function %q is not registered in this program (registered: %s); "+
		"call gram.Register first", e.Name, have)
}
