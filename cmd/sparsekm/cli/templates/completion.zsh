#compdef sparsekm
# zsh completion for sparsekm
_sparsekm() {
	local -a commands
	commands=(
{{- range .}}
		{{printf "%s:%s" .Name (brief .Help) | quote}}
{{- end}}
	)
	if ((CURRENT == 2)); then
		_describe command commands
		return
	fi
	shift words
	((CURRENT--))
	case $words[1] in
{{- range .}}
	{{.Name}})
		_arguments -s
	{{- range .Flags}}
		{{- $help := brief .Help | escape}}
		{{- $long := "--%s[%s]%s"}}{{if .Value}}{{$long = "--%s=[%s]%s"}}{{end}}
		{{- if .Short}} \
			{{printf "-%s[%s]%s" .Short $help (zshValue .) | quote}}
		{{- end}} \
			{{printf $long .Name $help (zshValue .) | quote}}
	{{- end}}
	{{- range .Args}} \
			{{zshValue . | quote}}
	{{- end}}
		;;
{{- end}}
	esac
}
if [[ $funcstack[1] == _sparsekm ]]; then
	_sparsekm "$@"
else
	compdef _sparsekm sparsekm
fi
