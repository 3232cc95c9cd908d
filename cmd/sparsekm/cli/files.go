package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/sparsekm/sparsekm"
	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
	"github.com/sparsekm/sparsekm/model"
)

// modelArg is the model that a command reads.
type modelArg struct {
	Model string `arg:"" reads:"the model" help:"Model: ours, JSON, or of LIBSVM, LIBLINEAR, skops or a Gaussian process (.npz)."`
}

// forceFlag allows a model to take the place of another kind of file.
type forceFlag struct {
	Force bool `help:"Replace a file that is no model, or one of another method or number of features."`
}

// replaces fails when a model of a method and a number of features would replace a file
// that is something else, which is rarely meant. A name that is free, or an empty file, is fine.
// The method is empty where it is not known yet.
func (f *forceFlag) replaces(s *session.Session, name, method string, features int) error {
	info, err := os.Stat(name)
	if f.Force || name == "" || err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil
	}
	const force = "; --force replaces it"
	old, _, err := loadClassifier(s, name, max(s.Memory, minMemory))
	switch {
	case s.Context.Err() != nil:
		return err
	case err != nil:
		return fmt.Errorf("%s is there and is no model that can be read (%w)"+force, name, err)
	}
	switch known := old.TrainedFeatures(); {
	case method != "" && old.Method() != method:
		return fmt.Errorf("%s is there and is a model of %s, not of %s"+force, name, methodOf(old.Method()), methodOf(method))
	case known != 0 && features != 0 && known != features:
		return fmt.Errorf("%s is there and is a model of %d features, not of %d"+force, name, known, features)
	}
	return nil
}

// minMemory is for a look at a model that is there, whatever the budget.
const minMemory = 16 << 20

func methodOf(name string) string {
	if name == "" {
		return "an unknown method"
	}
	return name
}

// replacesPath is replaces for the models of a path, which are called MODEL-3.skm and so on.
func (f *forceFlag) replacesPath(s *session.Session, name, method string, features int) error {
	dir, base := filepath.Split(name)
	ext := filepath.Ext(base)
	stem := strings.TrimSuffix(base, ext)
	entries, err := os.ReadDir(filepath.Clean(dir))
	if name == "" || err != nil {
		return nil // a folder that cannot be listed may be written to
	}
	for _, e := range entries {
		number, before := strings.CutPrefix(e.Name(), stem+"-")
		number, behind := strings.CutSuffix(number, ext)
		if before && behind && number != "" && strings.Trim(number, "0123456789") == "" {
			if err := f.replaces(s, dir+e.Name(), method, features); err != nil {
				return err
			}
		}
	}
	return nil
}

// pathModel is the name of the model of sv vectors of a path.
func pathModel(name string, sv int) string {
	ext := filepath.Ext(name)
	return fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, ext), sv, ext)
}

// trainedFormat is the format that the name of a new model asks for.
func trainedFormat(name string) model.Format {
	if filepath.Ext(name) == ".json" {
		return model.JSON
	}
	return model.SKM
}

// save writes a new model under a name; nothing without one.
func save(clf *sparsekm.Classifier, name string) error {
	if name == "" {
		return nil
	}
	return clf.Save(name, trainedFormat(name))
}
