/// Scripts that let a shell complete calls of the tool. They ask the tool for the candidates.
enum CompletionScripts {
    static let shells = ["bash": bash, "zsh": zsh, "fish": fish]

    /// The part before the last `:` or `=` is omitted from the replies, because bash replaces only the text after it.
    private static let bash = #"""
        # bash completion for muniment
        _muniment() {
            local words current candidate breaks= before=
            read -a words <<<"${COMP_LINE:0:COMP_POINT}"
            [[ ${COMP_LINE:0:COMP_POINT} == *[[:space:]] ]] && words+=("")
            current=${words[${#words[@]}-1]}
            [[ $COMP_WORDBREAKS == *:* ]] && breaks+=:
            [[ $COMP_WORDBREAKS == *=* ]] && breaks+==
            [[ -n $breaks ]] && before=${current%"${current##*["$breaks"]}"}
            COMPREPLY=()
            while IFS= read -r candidate; do
                [[ $candidate == *[:/=] ]] && compopt -o nospace 2>/dev/null
                printf -v candidate %q "${candidate#"$before"}"
                COMPREPLY+=("$candidate")
            done < <("${words[0]}" complete -- "${words[@]:1}" 2>/dev/null)
        }
        complete -F _muniment muniment
        """#

    private static let zsh = #"""
        #compdef muniment
        # zsh completion for muniment
        _muniment() {
            local -a candidates
            candidates=("${(@f)$("${words[1]}" complete -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
            compadd -S '' -- ${(M)candidates:#*[:/=]}
            compadd -- ${candidates:#*[:/=]}
        }
        if [ "$funcstack[1]" = _muniment ]; then _muniment "$@"; else compdef _muniment muniment; fi
        """#

    private static let fish = #"""
        # fish completion for muniment
        function __muniment_complete
            set -l words (commandline -opc) (commandline -ct)
            command $words[1] complete -- $words[2..-1] 2>/dev/null
        end
        complete -c muniment -f -k -a '(__muniment_complete)'
        """#
}
