# fish completion for sparsekm
complete -c sparsekm -f
{{- range $command := .}}
complete -c sparsekm -n __fish_use_subcommand -a {{.Name}} -d {{brief .Help | quoteFish}}
	{{- range .Flags}}
complete -c sparsekm -n '__fish_seen_subcommand_from {{$command.Name}}' -l {{.Name}}
		{{- with .Short}} -s {{.}}{{end}}
		{{- if .Choices}}{{if .Value}} -x -a {{join .Choices " " | quoteFish}}{{end}}
		{{- else if .File}} -r -F
		{{- else if .Value}} -x
		{{- end}} -d {{brief .Help | quoteFish}}
	{{- end}}
	{{- range .Args}}
complete -c sparsekm -n '__fish_seen_subcommand_from {{$command.Name}}'
		{{- if .File}} -F{{else}} -a {{join .Choices " " | quoteFish}}{{end}}
	{{- end}}
{{- end}}
