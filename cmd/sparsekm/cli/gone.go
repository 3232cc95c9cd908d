package cli

import (
	"slices"
	"strings"

	"github.com/sparsekm/sparsekm/learn"
)

// moved says what took the place of a flag, of one command where its name comes first.
var moved = map[string]string{
	"path-from": "write --path FROM..TO:STEPS", "path-to": "write --path FROM..TO:STEPS",
	"path-steps": "write --path FROM..TO:STEPS", "path-exact": "write --path FROM..TO:exact",
	"bound-settings": "write --bound CONFIDENCE/N", "holdout-seed": "--seed draws what is held out",
	"max-us": "write --target-latency TIME", "max-ns": "write --target-latency TIME",
	"fit time": "write --time-limit", "distill time": "write --time-limit", "methods": "write --method",
	"predict write": "write --to", "lp write": "write --out", "gen format": "write --to",
	"compare out": "write --ledger", "compare o": "write --ledger", "float": "write --to c-float", "fixed": "write --to c-fixed",
	"onnx":       "write --to onnx-svmclassifier",
	"cpuprofile": "write --profile cpu=FILE", "memprofile": "write --profile mem=FILE", "trace": "write --profile trace=FILE",
}

// gone says what took the place of a flag that a command had, "" for no such flag.
func gone(command, flag string) string {
	instead := moved[command+" "+flag]
	if instead == "" {
		instead = moved[flag]
	}
	name := strings.ReplaceAll(flag, "-", "_")
	known := slices.Contains([]string{"train", "cv", "tune"}, command) && (slices.Contains(kernelParams, name) ||
		slices.ContainsFunc(parameters(), func(p learn.Param) bool { return p.Name == name })) ||
		command == "gen" && slices.Contains(problemParams, name)
	if instead == "" && known {
		instead = "write --param " + flag + "=VALUE"
	}
	return instead
}
