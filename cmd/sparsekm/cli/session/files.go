package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/sparsekm/sparsekm/internal/fileformat"
)

// Standard stands for standard input or output where the name of a file is wanted.
const Standard = "-"

// file is a file of the command line.
type file struct {
	what     string // names it: a flag, or the argument's role
	name     string
	standard any // the stream that - stands for
}

// files returns the files of the flags and arguments with a tag, which is reads or writes.
func (l *line) files(tag string, standard any) (files []file) {
	for _, f := range slices.Concat(l.args, l.flags) {
		text, ok := f.tag.Lookup(tag)
		if !ok {
			continue
		}
		what := "--" + f.Name
		if f.Arg {
			what = text
		}
		for _, name := range namesIn(f.value) {
			if name == "" && text == Standard {
				name = Standard
			}
			if name != "" {
				files = append(files, file{what, name, standard})
			}
		}
	}
	return files
}

// namesIn are the names of files in a field: of a text, of several, or what its method File returns.
func namesIn(field reflect.Value) (names []string) {
	if field.Kind() == reflect.Slice {
		for i := range field.Len() {
			names = append(names, namesIn(field.Index(i))...)
		}
		return names
	}
	if field.Kind() == reflect.Pointer && field.IsNil() {
		return nil
	}
	if f, ok := field.Interface().(interface{ File() string }); ok {
		return []string{f.File()}
	}
	return []string{field.String()}
}

// checkFiles looks at the files of a command before anything is read: each that is written can be
// written, and is neither one that is read nor one that is written too, through links or
// by another name. So nobody loses data, or learns that after hours of work.
func (s *Session) checkFiles(l *line) error {
	in, out := l.files("reads", s.Stdin), l.files("writes", s.Stdout)
	for _, f := range in {
		if info, err := os.Stat(f.name); err == nil && info.IsDir() {
			return fmt.Errorf("%s: %s is a folder, want a file", f.what, f.name)
		}
	}
	for i, o := range out {
		to := o.identify()
		if to == nil {
			continue
		}
		for _, f := range slices.Concat(in, out[:i]) {
			if to.same(f.identify()) {
				return Usagef("%s: %s is the file of %s: name another one", o.what, to, f.what)
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
	path string      // its folder without links, and its name
}

func (i *identity) String() string { return i.name }

// identify returns nil for what is no regular file. The standard streams may be files too.
func (f file) identify() *identity {
	name := f.name
	var info os.FileInfo
	var err error
	if name == "" || name == "-" {
		standard := f.standard
		if c, checked := standard.(*CheckedWriter); checked {
			standard = c.W
		}
		stream, ok := standard.(*os.File)
		if !ok {
			return nil
		}
		name = stream.Name()
		info, err = stream.Stat()
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
	return &identity{name: name, path: filepath.Join(dir, base)}
}

func (i *identity) same(o *identity) bool {
	switch {
	case o == nil:
		return false
	case i.info != nil && o.info != nil:
		return os.SameFile(i.info, o.info)
	}
	return i.info == nil && o.info == nil && i.path == o.path
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
	err := fileformat.Writable(name)
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", name, err)
	}
	return nil
}
