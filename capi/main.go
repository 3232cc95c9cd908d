// Command capi is the library as a C library: training, loading, deciding, shrinking. sparsekm.h says what there is.
//
//	go build -buildmode=c-shared -o libsparsekm.so ./capi
//
// sparsekm.h declares the functions, the exports here define them; the C compiler sees both and reports differences.
// types.h has names for C types with a const, which Go types cannot have.
package main

// #include "types.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"unsafe"

	"github.com/sparsekm/sparsekm/learn"
	"github.com/sparsekm/sparsekm/model"
)

func main() {}

// errArgument is in the chain of errors for invalid arguments.
var errArgument = errors.New("sparsekm")

// argument is the error of an invalid argument.
func argument(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{errArgument}, args...)...)
}

// maxBytes bounds what a call takes for n samples, without what a training counts. A count that no memory can have
// is refused before anything of its size is taken.
const maxBytes = 16 << 30

// room returns an error if n samples of d features would take more than maxBytes, each of them so many.
func room(n, d int, each int64) error {
	if int64(n) > maxBytes/max(1, each) {
		return &learn.BudgetError{Method: "sparsekm", N: n, D: d, Need: int64(min(float64(n)*float64(each), 1<<62)),
			Have: maxBytes}
	}
	return nil
}

// call runs a function of the library for C. An error becomes a code and a text, and so does a panic, which must not
// reach C.
func call(text **C.char, f func() error) (code C.int) {
	if text != nil {
		*text = nil
	}
	defer func() {
		if r := recover(); r != nil {
			code = C.SKM_INTERNAL
			giveText(text, fmt.Sprintf("sparsekm: a defect of the library: %v\n%s", r, debug.Stack()))
		}
	}()
	err := f()
	if err != nil {
		giveText(text, err.Error())
	}
	return codeOf(err)
}

func giveText(text **C.char, what string) {
	if text != nil {
		*text = C.CString(what)
	}
}

// codeOf is the code of an error.
func codeOf(err error) C.int {
	var budget *learn.BudgetError
	var version *model.VersionError
	switch {
	case err == nil:
		return C.SKM_OK
	case errors.As(err, &budget):
		return C.SKM_MEMORY
	case errors.Is(err, model.ErrCorrupt), errors.As(err, &version), errors.Is(err, errModel):
		return C.SKM_MODEL
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return C.SKM_STOPPED
	}
	return C.SKM_INVALID
}

// version is the module's version. The text lives as long as the program.
var version = C.CString(versionOf(debug.ReadBuildInfo()))

func versionOf(info *debug.BuildInfo, ok bool) string {
	if !ok {
		return "unknown"
	}
	for _, m := range info.Deps {
		if m.Path == "github.com/sparsekm/sparsekm" && m.Replace == nil {
			return m.Version
		}
	}
	return info.Main.Version
}

//export skm_version
func skm_version() *C.skm_text { return version }

//export skm_free_text
func skm_free_text(text unsafe.Pointer) { C.free(text) }

// free frees a text, which may be nil.
func free(text *C.char) {
	C.free(unsafe.Pointer(text)) // Rule 1 of package unsafe: C's free takes any pointer of malloc
}
