package cli

import (
	"github.com/alecthomas/kong"
)

type helpCmd struct {
	Command string `arg:"" optional:"" values:"commands" help:"The command; none for all."`
}

func (c *helpCmd) Run(k *kong.Context) error {
	var args []string
	if c.Command != "" {
		args = []string{c.Command}
	}
	of, err := kong.Trace(k.Kong, args)
	if err != nil {
		return err
	}
	if of.Error != nil {
		return usagef("%w (see sparsekm --help)", of.Error)
	}
	return of.PrintUsage(false)
}

// Examples, which kong shows before the flags. A test runs them all, in the order of the commands, where
// train.libsvm, test.libsvm, data.csv and small.mps are.

func (*trainCmd) Help() string {
	return examples(
		"sparsekm train --scale zscore -o model.skm --test test.libsvm train.libsvm",
		"sparsekm train -m skm --kernel linear --scale minmax data.csv",
		"sparsekm train -m svc --c 10 --calibrate -o svc.skm train.libsvm",
		"sparsekm train -m ssvc-b --refit -o refitted.skm train.libsvm",
		"sparsekm train -m ssvc-b --path -o path.skm train.libsvm",
	)
}

func (*fitCmd) Help() string {
	return examples(
		"sparsekm fit --time 5s -o fitted.skm --test test.libsvm train.libsvm",
		"sparsekm fit --time 5s --max-sv 4 data.csv",
	)
}

func (*cvCmd) Help() string {
	return examples(
		"sparsekm cv -m svc --c 10 train.libsvm",
		"sparsekm cv -m ssvc-a --sigma 0.5 --folds 5 --repeat 3 train.libsvm",
	)
}

func (*tuneCmd) Help() string {
	return examples(
		"sparsekm tune -m ssvc-b --folds 5 -o tuned.skm train.libsvm",
		"sparsekm tune -m svc --grid c=2^-5..2^15:4 --search halving train.libsvm",
		"sparsekm tune -m skm --metric auc --ledger runs.jsonl train.libsvm",
	)
}

func (*compareCmd) Help() string {
	return examples(
		"sparsekm compare -m svc,ssvc-b --folds 3 -o compared.jsonl train.libsvm",
	)
}

func (*reportCmd) Help() string {
	return examples(
		"sparsekm report compared.jsonl",
		"sparsekm report --baseline svc -o table.tex compared.jsonl",
	)
}

func (*plotCmd) Help() string {
	return examples(
		"sparsekm plot model.skm --data train.libsvm -o boundary.svg",
		"sparsekm plot model.skm --kind roc --data test.libsvm -o roc.png",
		"sparsekm plot svc.skm --kind reliability --data test.libsvm -o sure.svg",
		"sparsekm plot compared.jsonl --kind front -o front.svg",
		"sparsekm plot data.csv --kind learning --methods svc,skm -o more.svg",
	)
}

func (*predictCmd) Help() string {
	return examples(
		"sparsekm predict model.skm test.libsvm",
		"sparsekm predict --decisions -o labels.txt model.skm test.libsvm",
		"sparsekm predict --probability --write jsonl svc.skm test.libsvm",
		"sparsekm predict --explain 0 model.skm test.libsvm",
	)
}

func (*serveCmd) Help() string {
	return examples(
		"sparsekm serve model.skm",
		"sparsekm serve --addr 127.0.0.1:0 sparse=model.skm dense=svc.skm",
	)
}

func (*infoCmd) Help() string {
	return examples("sparsekm info model.skm", "sparsekm info --json model.skm")
}

func (*reduceCmd) Help() string {
	return examples(
		"sparsekm reduce --train train.libsvm -o fewer.skm svc.skm",
		"sparsekm reduce --max-sv 20 --train train.libsvm -o 20.skm svc.skm",
	)
}

func (*convertCmd) Help() string {
	return examples(
		"sparsekm convert --to json -o model.json model.skm",
		"sparsekm convert --to libsvm -o model.txt svc.skm",
		"sparsekm convert --to c --float -o model.h model.skm",
		"sparsekm convert --to onnx -o model.onnx model.skm",
		"sparsekm convert --to onnx --onnx svmclassifier -o op.onnx svc.skm",
	)
}

func (*verifyCmd) Help() string {
	return examples("sparsekm verify --against labels.txt model.skm test.libsvm")
}

func (*svmTrainCmd) Help() string {
	return examples("sparsekm svm-train -c 10 -g 0.5 train.libsvm svm.model", "sparsekm svm-train -v 5 -q train.libsvm")
}

func (*svmPredictCmd) Help() string {
	return examples("sparsekm svm-predict test.libsvm svm.model labels.txt")
}

func (*svmScaleCmd) Help() string {
	return examples("sparsekm svm-scale -l 0 -s scale.range train.libsvm > scaled.libsvm")
}

func (*lpCmd) Help() string {
	return examples("sparsekm lp --values small.mps", "sparsekm lp --method dual --json small.mps",
		"sparsekm lp --ranging small.mps")
}

func (*genCmd) Help() string {
	return examples(
		"sparsekm gen ringnorm -n 400 --seed 7 -o ringnorm.libsvm",
		"sparsekm gen gaussians --flips 10 --format csv",
	)
}

func (*methodsCmd) Help() string {
	return examples("sparsekm methods", "sparsekm methods skm", "sparsekm methods --json")
}

func (*cpuCmd) Help() string { return examples("sparsekm cpu", "sparsekm cpu --levels") }

func (*benchCmd) Help() string {
	return examples("sparsekm bench --time 1s", "sparsekm bench --time 1s -o bench.txt")
}

func (*versionCmd) Help() string { return examples("sparsekm version", "sparsekm version --json") }

func (*completionCmd) Help() string {
	return examples(
		"source <(sparsekm completion bash)",
		"sparsekm completion zsh > _sparsekm",
		"sparsekm completion fish > sparsekm.fish",
	)
}

func (*manCmd) Help() string { return examples("sparsekm man > sparsekm.1") }

func (*helpCmd) Help() string { return examples("sparsekm help", "sparsekm help train") }

// examples is what go/doc, by which kong formats it, takes for lines as they are.
func examples(lines ...string) string {
	text := "Examples:\n"
	for _, l := range lines {
		text += "\n\t" + l
	}
	return text
}
