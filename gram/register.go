package gram

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// registered are the kernel functions that have a name.
var registered = struct {
	sync.RWMutex
	of map[string]func(x, z []float64) float64
}{of: make(map[string]func(x, z []float64) float64)}

// Register names a kernel function of the caller's own and returns the kernel. A model file holds the name; every
// program that reads the file registers the same function, in an init for instance. A function that changes its values
// wants another name. It panics if the name is empty or taken.
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

// Registered returns the kernel that [Register] has under a name, or an [*UnregisteredError].
func Registered(name string) (Kernel, error) {
	registered.RLock()
	defer registered.RUnlock()
	f := registered.of[name]
	if f == nil {
		return Kernel{}, &UnregisteredError{Name: name, Have: slices.Sorted(maps.Keys(registered.of))}
	}
	return Kernel{Kind: KindCustom, Func: f, Name: name}, nil
}

// UnregisteredError is a kernel function that this program does not have.
type UnregisteredError struct {
	Name string
	Have []string // ascending
}

func (e *UnregisteredError) Error() string {
	have := "none"
	if len(e.Have) > 0 {
		have = strings.Join(e.Have, ", ")
	}
	return fmt.Sprintf("gram: kernel function %q is not registered in this program (registered: %s); "+
		"call gram.Register first", e.Name, have)
}
