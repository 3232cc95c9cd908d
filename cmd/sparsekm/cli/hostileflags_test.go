package cli

import (
	"strings"

	"github.com/sparsekm/sparsekm/cmd/sparsekm/cli/session"
)

// flagCases are command lines that mean nothing, or two things at once.
func flagCases() (cases []hostile) {
	for _, line := range []string{
		// command line | what is said
		"train -m svc DATA -o|--out", "train -m svc DATA -o --force|--out", "predict MODEL DATA -o -q|--out", "train -m svc -o OUT|<data>", "train -m svc DATA DATA -o OUT|unexpected",
		"train -m svc DATA --out OUT --frob|--frob", "train -m magic DATA -o OUT|no method", "train -m svc --c x DATA|--c",
		"train -m svc --c 0 DATA -o OUT|--c", "train -m svc --c -1 DATA -o OUT|--c", "train -m svc --c nan DATA|--c",
		"train -m svc --c +Inf DATA|--c", "train -m svc --c 1e999 DATA|--c", "train -m svc --sigma 0 DATA|--sigma",
		"train -m svc --sigma nan DATA|--sigma", "train -m svc --gamma -1 DATA|--gamma", "train -m svc --gamma 1e400 DATA|--gamma",
		"train -m svc --gamma 1 --sigma 1 DATA|--sigma", "train -m svc --kernel magic DATA|--kernel",
		"train -m svc --kernel linear --gamma 1 DATA|no gamma", "train -m svc --kernel rbf --param degree=3 DATA|--param degree",
		"train -m svc --kernel linear --param coef0=1 DATA|--param coef0", "train -m svc --kernel poly --param degree=0 DATA|--param degree",
		"train -m svc --kernel poly --param degree=-3 DATA|--param degree", "train -m svc --kernel poly --param degree=2.5 DATA|--param degree",
		"train -m svc --scale magic DATA|--scale", "train -m svc --multiclass magic DATA|--multiclass",
		"train -m svc --threads 0 DATA|--threads", "train -m svc --features 0 DATA|--features",
		"fit --max-sv 0 DATA|--max-sv", "lp --max-iter 0 -|--max-iter", "train -m svc --threads -1 DATA|--threads", "train -m svc --threads x DATA|--threads",
		"train -m svc --mem 0 DATA|--mem", "train -m svc --mem -5 DATA|--mem", "train -m svc --mem lots DATA|--mem",
		"train -m svc --mem 1e400 DATA|--mem", "train -m svc --time-limit -1s DATA|--time-limit",
		"train -m svc --time-limit 0s DATA|--time-limit", "lp --time-limit 0s -|--time-limit", "train -m svc --time-limit soon DATA|--time-limit", "train -m svc --features -1 DATA|--features",
		"train -m svc --features 1e3 DATA|--features", "train -m svc --class-weight x DATA|--class-weight",
		"train -m svc --class-weight 1=x DATA|weight", "train -m svc --class-weight 1=nan DATA|weight",
		"train -m svc --class-weight 1=inf DATA|weight", "train -m svc --class-weight 1=-1 DATA|weight",
		"train -m svc --class-weight 1=2,1=3 DATA|--class-weight", "train -m svc --class-weight =2 DATA|--class-weight",
		"train -m svc --max-iter 0 DATA|--max-iter", "train -m svc --max-iter -1 DATA|--max-iter",
		"train -m svc --tolerance 0 DATA|--tolerance", "train -m svc --tolerance nan DATA|--tolerance",
		"train -m svc --max-sv 3 DATA|--max-sv", "train -m ssvc-a --path DATA|--path", "train -m lpsvc --path --c 1 DATA|--c",
		"train -m lpsvc --path-steps 4 DATA|--path", "train -m lpsvc --path=1..2:0 DATA|--path",
		"train -m lpsvc --path 5..1 DATA|--path", "train -m lpsvc --path=nan..1 DATA|--path",
		"train -m svc --val DATA DATA|--val", "train -m svc --dump-lp OUT DATA|--dump-lp", "train -m svc -o - DATA|--out",
		"train -m svc --label-column kind DATA|--label-column", "train -m svc --header yes DATA|--header",
		"train -m svc --drop 0 DATA|--drop", "train -m svc --select 0 DATA|--select", "train -m svc --missing mean DATA|--missing",
		"train -m svc --categorical 0 DATA|--categorical", "train -m svc --decimal , DATA|--decimal",
		"train -m svc --decimal x TEXT|--decimal", "train -m svc --header maybe TEXT|--header",
		"train -m svc --missing magic TEXT|--missing", "train -m svc --format magic DATA|--format",
		"train -m svc --zero-based TEXT|--zero-based", "train -m svc --unlabelled DATA|label",
		"predict MODEL|<data>", "predict MODEL DATA --threads -1|--threads", "predict MODEL DATA --to xml|--to",
		"predict --json --to csv MODEL DATA|--to", "predict MODEL DATA --frob|--frob",
		"predict MODEL DATA --header yes -o OUT|--header", "predict MODEL DATA --missing mean|--missing",
		"predict --explain -1 MODEL DATA|--explain",
		"predict --explain x MODEL DATA|--explain", "predict --explain 1 --top 0 MODEL DATA|--top", "predict --top 3 MODEL DATA|--top",
		"predict --explain 1 --decisions MODEL DATA|--decisions", "predict --explain 1 -o OUT MODEL DATA|--out",
		"reduce MODEL|--train", "reduce MODEL --max-sv 0|--max-sv", "reduce MODEL --max-sv -1|--max-sv",
		"reduce MODEL --max-sv x|--max-sv", "reduce MODEL --tau nan --train DATA|--tau", "reduce MODEL --tau -1 --train DATA|--tau",
		"reduce MODEL --max-loss 200% --train DATA|--max-loss", "reduce MODEL --max-loss -1 --train DATA|--max-loss",
		"reduce MODEL --max-loss nan% --train DATA|--max-loss", "reduce MODEL --max-loss 1|--max-loss",
		"reduce MODEL --target-latency -1us|--target-latency", "reduce MODEL --lambda nan --max-sv 2|--lambda",
		"reduce MODEL --lambda -1 --max-sv 2|--lambda", "reduce MODEL --method magic|--method",
		"reduce MODEL --method downs --max-sv 2|downs", "reduce MODEL --tolerance 1 --max-sv 2|--tolerance",
		"reduce MODEL --plot OUT.gif --max-sv 2 --val DATA|--plot", "reduce MODEL --curve OUT --max-sv 2|--curve",
		"reduce MODEL --calibrate --max-sv 2|--calibrate", "reduce MODEL -o - --max-sv 2|--out",
		"reduce MODEL --move --tau 0.1 --train DATA|--move", "reduce MODEL --threads -2 --max-sv 2|--threads",
		"convert MODEL --to bread -o OUT|--to", "convert MODEL --to json|--out", "convert MODEL -o OUT|--to",
		"convert --json MODEL --to json -o -|--json", "verify MODEL DATA|--against",
		"verify MODEL --against LABELS --tolerance -1 DATA|--tolerance",
		"verify MODEL --against LABELS --tolerance nan DATA|--tolerance", "lp --tolerance 0 -|--tolerance",
		"lp --tolerance nan -|--tolerance", "lp --max-iter -1 -|--max-iter", "lp --time-limit -1s -|--time-limit",
		"lp --method magic -|--method", "lp|<model>", "lp --mem 0 -|--mem", "info|<model>", "info MODEL MODEL|unexpected",
		"gen ringnorm -n 0|-n", "gen ringnorm -n -5|-n", "gen magic|magic", "gen gaussians --param mean=nan|--param mean",
		"gen ringnorm -n 1e9|-n", "gen ringnorm --param flip=2|--param flip", "help frob|frob", "frob|frob", "--frob|--frob",
		"completion frob|frob", "methods x|no method", "version x|unexpected", "cpu --c 1|--c",
	} {
		args, says, _ := strings.Cut(line, "|")
		cases = append(cases, hostile{what: line, args: strings.Fields(args), says: says, code: session.Usage})
	}
	for _, args := range [][]string{ // an unset variable of a shell
		{"train", "-m", "svc", "--out", "", "DATA"}, {"train", "-m", "svc", "--test", "", "DATA"},
		{"train", "-m", "lssvm-prune", "--val", "", "DATA"}, {"train", "-m", "", "DATA"}, {"train", "-m", "svc", ""},
		{"predict", "", "DATA"}, {"predict", "MODEL", ""}, {"predict", "MODEL", "DATA", "-o", ""},
		{"reduce", "", "--max-sv", "2"}, {"reduce", "MODEL", "--train", "", "--max-sv", "2"},
		{"reduce", "MODEL", "--val", "", "--max-sv", "2"}, {"reduce", "MODEL", "--max-sv", "2", "--out", ""},
		{"convert", "MODEL", "--to", "json", "--out", ""}, {"convert", "", "--to", "json", "--out", "OUT"},
		{"verify", "MODEL", "--against", "", "DATA"}, {"lp", ""}, {"info", ""}, {"train", "--profile", "", "DATA"},
	} {
		cases = append(cases, hostile{what: "an empty name", args: args, says: "empty", code: session.Usage})
	}
	return cases
}

// fileCases are outputs that are inputs or cannot be written, and inputs that are no files.
func fileCases() (cases []hostile) {
	for _, line := range []string{
		// command line | status | what is said; the input is sound data or a sound model
		"train -m svc IN -o IN|2|another one", "train -m svc --test IN DATA -o IN|2|another one",
		"train -m svc --force IN -o IN|2|another one", "train -m lssvm-prune --val IN DATA -o IN|2|another one",
		"train -m svc DATA -o OUT --profile cpu=OUT|2|another one", "train -m svc IN --profile mem=IN|2|another one",
		"train -m svc IN --profile trace=IN|2|another one", "predict MODEL IN -o IN|2|another one",
		"reduce MODEL --max-sv 2 --train IN -o IN|2|another one", "reduce MODEL --train IN --curve IN|2|another one",
		"reduce MODEL --train DATA --curve OUT.svg --plot OUT.svg|2|another one",
		"train -m svc DATA -o IN|1|no model", "reduce MODEL --max-sv 2 -o IN|1|no model",
		"convert MODEL --to json -o IN|1|no model", "train -m svc DATA -o IN/x|1|cannot be written",
		"predict MODEL DATA -o IN/x|1|cannot be written", "reduce MODEL --max-sv 2 -o nowhere/x|1|cannot be written",
		"convert MODEL --to json -o nowhere/x|1|cannot be written", "train -m svc nowhere|1|nowhere", "predict nowhere IN|1|nowhere", "predict --explain 24 MODEL IN|1|none of row 24",
		"predict MODEL nowhere|1|nowhere", "reduce nowhere --max-sv 2|1|nowhere", "info nowhere|1|nowhere",
		"convert nowhere --to json -o OUT|1|nowhere", "verify MODEL --against nowhere DATA|1|nowhere", "lp nowhere|1|nowhere",
		"train -m svc .|1|folder", "predict MODEL .|1|folder", "predict . DATA|1|folder", "info .|1|folder", "lp .|1|folder",
		"verify MODEL --against . DATA|1|folder", "train -m svc IN/x|1|not a directory", "train -m svc MODEL|1|found a model", "predict DATA MODEL|1|model",
		"verify MODEL --against MODEL DATA|1|MODEL", "info DATA|1|want a model",
		"train -m svc DATA --test TEXT -o OUT|0|does not know", "predict MODEL TEXT -o OUT|0|does not know",
		"predict NAMED DATA -o OUT|0|does not know",
	} {
		part := strings.Split(line, "|")
		h := hostile{what: line, file: "a.libsvm", text: plainData, args: strings.Fields(part[0]), code: int(part[1][0] - '0')}
		if strings.ToUpper(part[2]) != part[2] { // else the name of a file, which the test makes
			h.says = part[2]
		}
		cases = append(cases, h)
	}
	return cases
}
