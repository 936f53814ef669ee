/** Each asks `capstan __complete` with the words typed so far, the last of them unfinished. */
export const completionScripts: Readonly<Record<string, string>> = {
  bash: `# bash completion for capstan
_capstan() {
  local line candidates
  COMPREPLY=()
  candidates="$(capstan __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" || return
  while IFS= read -r line; do
    [[ -n $line ]] && COMPREPLY+=("\${line%%$'\\t'*}")
  done <<<"$candidates"
  [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
}
complete -o default -F _capstan capstan
`,
  zsh: `#compdef capstan
_capstan() {
  local -a candidates
  local line value
  while IFS= read -r line; do
    [[ -z $line ]] && continue
    value=\${line%%$'\\t'*}
    if [[ $line == *$'\\t'* ]]; then
      candidates+=("\${value//:/\\\\:}:\${line#*$'\\t'}")
    else
      candidates+=("\${value//:/\\\\:}")
    fi
  done < <(capstan __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#candidates} )); then
    _describe -t capstan capstan candidates
  else
    _files
  fi
}
compdef _capstan capstan
`,
  fish: `# fish completion for capstan
function __capstan_complete
  set -l words (commandline -opc) (commandline -ct)
  capstan __complete -- $words[2..-1] 2>/dev/null
end
complete -c capstan -f -a '(__capstan_complete)'
`,
};
