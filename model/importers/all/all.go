// Package all imports the readers of other programs' models.
package all

import (
	_ "github.com/sparsekm/sparsekm/model/importers/libsvm"
	_ "github.com/sparsekm/sparsekm/model/importers/numpy"
)
