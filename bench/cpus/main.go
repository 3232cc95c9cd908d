// Command cpus writes docs/performance/cpus.md from the files in its folder, one per processor, which
// `sparsekm bench --out` writes. With -check it compares a new file with the one of the same processor, by shares of
// limits and not by times.
//
//	go run ./bench/cpus > docs/performance/cpus.md
//	go run ./bench/cpus -check new.txt
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
)

func main() {
	dir := flag.String("dir", filepath.Join("bench", "cpus"), "folder of the files")
	news := flag.String("check", "", "compare the shares in this file with those of the same processor")
	flag.Parse()
	if err := run(os.Stdout, *dir, *news); err != nil {
		fmt.Fprintln(os.Stderr, "cpus:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, dir, news string) error {
	names, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		return err
	}
	slices.Sort(names)
	var files []*file
	for _, name := range names {
		var f *file
		if f, err = readFile(name); err != nil {
			return err
		}
		files = append(files, f)
	}
	if news == "" {
		return page(w, files)
	}
	f, err := readFile(news)
	if err != nil {
		return err
	}
	return check(w, files, f)
}

// check fails if a share is less than 70 % of the stored one.
func check(w io.Writer, files []*file, f *file) error {
	same := slices.IndexFunc(files, func(old *file) bool { return old.sameProcessor(f) })
	if same < 0 {
		_, err := fmt.Fprintf(w, "no file of %s: nothing to compare with\n", f.keys["cpu"])
		return err
	}
	const minShare = 0.7
	slower := 0
	for _, old := range files[same].results {
		share, found := f.share(old.name)
		if !found {
			return fmt.Errorf("%s has no %s", f.name, old.name)
		}
		if !(share >= minShare*old.share) {
			slower++
			if _, err := fmt.Fprintf(w, "%s: share %.2f, was %.2f\n", old.name, share, old.share); err != nil {
				return err
			}
		}
	}
	if slower > 0 {
		return fmt.Errorf("%d of %d shares fell by more than 30 %%", slower, len(files[same].results))
	}
	_, err := fmt.Fprintf(w, "%d shares as in %s\n", len(files[same].results), files[same].name)
	return err
}
