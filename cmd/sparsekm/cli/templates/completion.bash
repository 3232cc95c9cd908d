# bash completion for sparsekm
_sparsekm_files() {
	local IFS=$'\n'
	compopt -o filenames 2>/dev/null
	COMPREPLY=($(compgen -f -- "$1"))
}
_sparsekm() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command= words= i
	if [[ $cur == "=" ]]; then
		cur=
	elif [[ $prev == "=" ]]; then
		prev=${COMP_WORDS[COMP_CWORD-2]}
	fi
	for ((i = 1; i < COMP_CWORD; i++)); do
		case ${COMP_WORDS[i]} in
		{{join (names .) " | "}})
			command=${COMP_WORDS[i]}
			break
			;;
		esac
	done
	COMPREPLY=()
	case $command in
	'') words={{join (names .) " " | printf "%q"}} ;;
{{- define "value"}}
{{- if .Choices}}COMPREPLY=($(compgen -W {{join .Choices " " | printf "%q"}} -- "$cur"))
{{- else if .File}}_sparsekm_files "$cur"
{{- else}}:
{{- end}}
{{- end}}
{{- range .}}
	{{.Name}})
		case $prev in
	{{- range .Flags}}{{if .Value}}
		{{join .Words " | "}})
			{{template "value" .}}
			return
			;;
	{{- end}}{{end}}
		esac
		if [[ $cur == -* ]]; then
			words="{{range $i, $f := .Flags}}{{if $i}} {{end}}{{join $f.Words " "}}{{end}}"
	{{- if .Args}}
		else
			{{template "value" index .Args 0}}
			return
	{{- end}}
		fi
		;;
{{- end}}
	esac
	COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _sparsekm sparsekm
