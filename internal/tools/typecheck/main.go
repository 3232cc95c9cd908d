// Command typecheck checks the types of packages for the system that GOOS and GOARCH name, from source: nothing is
// compiled, neither the packages nor the standard library for that system.
//
//	GOOS=windows GOARCH=amd64 typecheck ./...
package main

import (
	"fmt"
	"os"

	"golang.org/x/tools/go/packages"
)

func main() {
	// Dependencies are needed with their syntax, or the loader compiles them.
	config := &packages.Config{Mode: packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles |
		packages.NeedImports | packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo |
		packages.NeedTypesSizes}
	found, err := packages.Load(config, os.Args[1:]...)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if packages.PrintErrors(found) > 0 {
		os.Exit(1)
	}
	if len(found) == 0 {
		fmt.Fprintln(os.Stderr, "no packages")
		os.Exit(1)
	}
	fmt.Println(len(found), "packages")
}
