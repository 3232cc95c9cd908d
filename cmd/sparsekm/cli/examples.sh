# Examples of every command, which its help shows. A test runs them all, in this order, where
# train.libsvm, test.libsvm, data.csv, small.mps and small.qps are.
sparsekm train --scale zscore -o model.skm --test test.libsvm train.libsvm
sparsekm train -m skm --kernel linear --scale minmax data.csv
sparsekm train -m svc --c 10 --calibrate -o svc.skm train.libsvm
sparsekm train -m ssvc-b --refit -o refitted.skm train.libsvm
sparsekm train -m ssvc-b --path -o path.skm train.libsvm
sparsekm fit --time-limit 5s -o fitted.skm --test test.libsvm train.libsvm
sparsekm fit --time-limit 5s --max-sv 4 data.csv
sparsekm cv -m svc --c 10 train.libsvm
sparsekm cv -m ssvc-a --sigma 0.5 --folds 5 --repeat 3 train.libsvm
sparsekm tune -m ssvc-b --folds 5 -o tuned.skm train.libsvm
sparsekm tune -m svc --grid c=2^-5..2^15:4 --search halving train.libsvm
sparsekm tune -m skm --metric auc --ledger runs.jsonl train.libsvm
sparsekm compare -m svc,ssvc-b --ledger compared.jsonl train.libsvm
sparsekm report compared.jsonl
sparsekm report --baseline svc -o table.tex compared.jsonl
sparsekm plot model.skm --data train.libsvm -o boundary.svg
sparsekm plot model.skm --kind roc --data test.libsvm -o roc.svg
sparsekm plot svc.skm --kind reliability --data test.libsvm -o sure.svg
sparsekm plot compared.jsonl --kind front -o front.svg
sparsekm plot data.csv --kind learning --method svc,skm -o more.svg
sparsekm predict model.skm test.libsvm
sparsekm predict --decisions -o labels.txt model.skm test.libsvm
sparsekm predict --probability --to jsonl svc.skm test.libsvm
sparsekm predict --explain 0 model.skm test.libsvm
sparsekm info model.skm
sparsekm info --json model.skm
sparsekm reduce --train train.libsvm -o fewer.skm svc.skm
sparsekm reduce --max-sv 20 --train train.libsvm -o 20.skm svc.skm
sparsekm distill --max-sv 8 -o student.skm svc.skm train.libsvm
sparsekm distill --max-bytes 1kB --ask ./teacher train.libsvm
sparsekm convert --to json -o model.json model.skm
sparsekm convert --to libsvm -o model.txt svc.skm
sparsekm convert --to c-float -o model.h model.skm
sparsekm convert --to onnx -o model.onnx model.skm
sparsekm convert --to onnx-svmclassifier -o op.onnx svc.skm
sparsekm verify --against labels.txt model.skm test.libsvm
sparsekm svm-train -c 10 -g 0.5 train.libsvm svm.model
sparsekm svm-train -v 5 -q train.libsvm
sparsekm svm-predict test.libsvm svm.model labels.txt
sparsekm svm-scale -l 0 -s scale.range train.libsvm > scaled.libsvm
sparsekm lp --values small.mps
sparsekm lp --method dual --json small.mps
sparsekm lp --ranging small.mps
sparsekm qp --values small.qps
sparsekm qp --json --time-limit 5s small.qps
sparsekm gen ringnorm -n 400 --seed 7 -o ringnorm.libsvm
sparsekm gen gaussians --param flips=10 --to csv
sparsekm methods
sparsekm methods skm
sparsekm methods --json
sparsekm cpu
sparsekm cpu --levels
sparsekm bench --time 1s
sparsekm bench --time 1s -o bench.txt
sparsekm version
sparsekm version --json
source <(sparsekm completion bash)
sparsekm completion zsh > _sparsekm
sparsekm completion fish > sparsekm.fish
sparsekm man > sparsekm.1
sparsekm help
sparsekm help train
