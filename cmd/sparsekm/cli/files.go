package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/sparsekm/sparsekm/internal/atomicfile"
)

// named is a file of the command line with what names it: a flag, or the argument's role.
type named struct{ what, name string }

// filing is a subcommand that reads or writes files; the empty name and - stand for the standard streams.
type filing interface{ files() (in, out []named) }

// askedFor leaves out the files that were not asked for.
func askedFor(files ...named) (asked []named) {
	for _, f := range files {
		if f.name != "" {
			asked = append(asked, f)
		}
	}
	return asked
}

// checkFiles looks at the files of a command before anything is read: each that is written can be
// written, and is neither one that is read nor one that is written too, through links or
// by another name. So nobody loses data, or learns that after hours of work.
func (s *session) checkFiles(command any, out []named) error {
	var in []named
	if c, ok := command.(filing); ok {
		var more []named
		in, more = c.files()
		out = append(out, more...)
	}
	for _, f := range in {
		if info, err := os.Stat(f.name); err == nil && info.IsDir() {
			return fmt.Errorf("%s: %s is a folder, want a file", f.what, f.name)
		}
	}
	for i, o := range out {
		to := s.identify(o.name, s.stdout)
		if to == nil {
			continue
		}
		for _, f := range in {
			if to.same(s.identify(f.name, s.stdin)) {
				return usagef("%s: %s is the file of %s: name another one", o.what, to, f.what)
			}
		}
		for _, f := range out[:i] {
			if to.same(s.identify(f.name, s.stdout)) {
				return usagef("%s: %s is the file of %s: name another one", o.what, to, f.what)
			}
		}
	}
	for _, o := range out {
		if err := checkOutput(o.name); err != nil {
			return err
		}
	}
	return nil
}

// identity is a regular file: one that is there, or the place where it would be.
type identity struct {
	name string
	info os.FileInfo // nil for a file that is not there yet
	at   string      // its folder without links, and its name
}

func (i *identity) String() string { return i.name }

// identify returns nil for what is no regular file. The standard streams may be files too.
func (s *session) identify(name string, standard any) *identity {
	var info os.FileInfo
	var err error
	if name == "" || name == "-" {
		if c, checked := standard.(*checkedWriter); checked {
			standard = c.w
		}
		f, ok := standard.(*os.File)
		if !ok {
			return nil
		}
		name = f.Name()
		info, err = f.Stat()
	} else {
		info, err = os.Stat(name)
	}
	switch {
	case err == nil && info.Mode().IsRegular():
		return &identity{name: name, info: info}
	case !errors.Is(err, fs.ErrNotExist):
		return nil
	}
	dir, base := filepath.Split(name)
	if dir, err = filepath.EvalSymlinks(filepath.Clean(dir)); err != nil {
		return nil // checkOutput has the words for a folder that is not there
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil
	}
	return &identity{name: name, at: filepath.Join(dir, base)}
}

func (i *identity) same(o *identity) bool {
	switch {
	case o == nil:
		return false
	case i.info != nil && o.info != nil:
		return os.SameFile(i.info, o.info)
	}
	return i.info == nil && o.info == nil && i.at == o.at
}

// checkOutput fails when name cannot be written.
func checkOutput(name string) error {
	if name == "" || name == "-" {
		return nil
	}
	switch info, err := os.Stat(name); {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s is a folder, want the name of a file", name)
	case err == nil && !info.Mode().IsRegular():
		return nil // a device or a pipe
	}
	err := atomicfile.Writable(name)
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", name, err)
	}
	return nil
}

// forceFlag allows a model to take the place of another kind of file.
type forceFlag struct {
	Force bool `help:"Replace an existing file that is no model, or a model of another method or number of features."`
}

// replaces fails when a model of a method and a number of features would replace a file
// that is something else, which is rarely meant. A name that is free, or an empty file, is fine.
// The method is empty where it is not known yet.
func (f *forceFlag) replaces(s *session, name, method string, features int) error {
	info, err := os.Stat(name)
	if f.Force || name == "" || err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return nil
	}
	const force = "; --force replaces it"
	old, err := s.loadClassifier(name)
	switch {
	case s.ctx.Err() != nil:
		return err
	case err != nil:
		return fmt.Errorf("%s is there and is no model that can be read (%w)"+force, name, err)
	}
	switch p := old.Parts(); {
	case method != "" && p.Method != method:
		return fmt.Errorf("%s is there and is a model of %s, not of %s"+force, name, methodOf(p.Method), methodOf(method))
	case p.Features != 0 && features != 0 && p.Features != features:
		return fmt.Errorf("%s is there and is a model of %d features, not of %d"+force, name, p.Features, features)
	}
	return nil
}

func methodOf(name string) string {
	if name == "" {
		return "an unknown method"
	}
	return name
}

// replacesPath is replaces for the models of a path, which are called MODEL-3.skm and so on.
func (f *forceFlag) replacesPath(s *session, name, method string, features int) error {
	dir, base := filepath.Split(name)
	ext := filepath.Ext(base)
	stem := strings.TrimSuffix(base, ext)
	ours := regexp.MustCompile("^" + regexp.QuoteMeta(stem) + "-[0-9]+" + regexp.QuoteMeta(ext) + "$")
	entries, err := os.ReadDir(filepath.Clean(dir))
	if name == "" || err != nil {
		return nil // a folder that cannot be listed may be written to
	}
	for _, e := range entries {
		if ours.MatchString(e.Name()) {
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
