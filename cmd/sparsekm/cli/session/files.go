package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/alecthomas/kong"

	"github.com/sparsekm/sparsekm/internal/atomicfile"
)

// File is a file of the command line, and what names it: a flag, or the argument's role.
type File struct{ What, Name string }

// Standard stands for standard input or output where the name of a file is wanted.
const Standard = "-"

// HasFiles is a command that reads or writes files.
type HasFiles interface{ Files() (in, out []File) }

// Files returns files from pairs of what and name, without those whose name is empty.
func Files(pairs ...string) (files []File) {
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			files = append(files, File{pairs[i], pairs[i+1]})
		}
	}
	return files
}

// checkFiles looks at the files of a command before anything is read: each that is written can be
// written, and is neither one that is read nor one that is written too, through links or
// by another name. So nobody loses data, or learns that after hours of work.
func (s *Session) checkFiles(command *kong.Node, out []File) error {
	var in []File
	if c, ok := command.Target.Addr().Interface().(HasFiles); ok {
		var more []File
		in, more = c.Files()
		out = append(out, more...)
	}
	for _, f := range in {
		if info, err := os.Stat(f.Name); err == nil && info.IsDir() {
			return fmt.Errorf("%s: %s is a folder, want a file", f.What, f.Name)
		}
	}
	for i, o := range out {
		to := s.identify(o.Name, s.Stdout)
		if to == nil {
			continue
		}
		for _, f := range in {
			if to.same(s.identify(f.Name, s.Stdin)) {
				return Usagef("%s: %s is the file of %s: name another one", o.What, to, f.What)
			}
		}
		for _, f := range out[:i] {
			if to.same(s.identify(f.Name, s.Stdout)) {
				return Usagef("%s: %s is the file of %s: name another one", o.What, to, f.What)
			}
		}
	}
	for _, o := range out {
		if err := checkOutput(o.Name); err != nil {
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
func (s *Session) identify(name string, standard any) *identity {
	var info os.FileInfo
	var err error
	if name == "" || name == "-" {
		if c, checked := standard.(*CheckedWriter); checked {
			standard = c.W
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
