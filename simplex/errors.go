package simplex

import (
	"errors"
	"fmt"

	"github.com/sparsekm/sparsekm/simplex/prove"
)

// Sentinels that errors.Is finds in the errors of this package.
var (
	// ErrInvalid: a program, a change or a basis is refused; nothing has changed.
	ErrInvalid = errors.New("simplex: invalid program")
	// ErrCertificate: [Check] found that a result does not prove what it claims, or [Prove] found no proof.
	ErrCertificate = prove.ErrCertificate
)

// refusal is an error whose text says all and which is one of the sentinels.
type refusal struct {
	text string
	is   error
}

func (e *refusal) Error() string        { return "simplex: " + e.text }
func (e *refusal) Is(target error) bool { return target == e.is }

func invalid(format string, args ...any) error {
	return &refusal{fmt.Sprintf(format, args...), ErrInvalid}
}

func unproven(format string, args ...any) error {
	return &refusal{fmt.Sprintf(format, args...), ErrCertificate}
}
