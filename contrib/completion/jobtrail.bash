# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Completion of jobtrail-acct(1), jobtrail-alldoc(1), jobtrail-job(1), jobtrail-libq(1) and jobtrail-report(1) for bash. Options and fields are what the program itself lists.

# those of jobtrail-acct -s
_jobtrail_states="BOOT_FAIL CANCELLED COMPLETED DEADLINE EXECED EXITED FAILED KILLED NODE_FAIL NOT_STARTED OUTLIVED
    OUT_OF_MEMORY PREEMPTED REQUEUED REVOKED RUNNING TIMEOUT UNKNOWN"

# _jobtrail_options PROGRAM: its long options
_jobtrail_options() {
    "$1" --help 2>/dev/null | grep -oE -e '--[a-z][a-z0-9-]+' | sort -u
}

# _jobtrail_fields PROGRAM WORD...: of runs, or of what the words of the command line ask for
_jobtrail_fields() {
    local kind=() word
    for word in "${@:2}"; do
        [[ ! $word =~ ^--(coverage|links|changes|events|routines)$ ]] || kind=("$word")
    done
    "$1" "${kind[@]}" --helpformat 2>/dev/null
}

# _jobtrail_list CURRENT WORD...: completes the last name of a list, in upper or lower case
_jobtrail_list() {
    local current=$1 before="" last word
    [[ $current != *,* ]] || before=${current%,*},
    last=${current##*,}
    if [[ $last == [-+]* ]]; then
        before+=${last:0:1}
        last=${last:1}
    fi
    COMPREPLY=()
    for word in "${@:2}"; do
        [[ ${word,,} != "${last,,}"* ]] || COMPREPLY+=("$before$word")
    done
    compopt -o nospace 2>/dev/null || true
}

_jobtrail() {
    local program=$1 current=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} words
    # --sort=NAME is three words
    if [[ $current == "=" ]]; then
        current=""
    elif [[ $option == "=" ]]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    [[ $program == *-acct ]] || option="" # short options of others mean something else
    case $option in
        -s | --state) read -ra words -d '' <<<"$_jobtrail_states" || true ;;
        -o | --format | --sort) mapfile -t words < <(_jobtrail_fields "$program" "${COMP_WORDS[@]}" | tr -s ' ' '\n') ;;
        -u | --user | --uid | --built-by) mapfile -t words < <(compgen -u) ;;
        -r | --partition) mapfile -t words < <(sinfo -h -o %R 2>/dev/null) ;;
        -N | -w | --node | --nodelist) mapfile -t words < <(sinfo -h -N -o %N 2>/dev/null | sort -u) ;;
        --units) words=(K M G T P) ;;
        *)
            [[ $current == -* ]] || return 0
            mapfile -t words < <(_jobtrail_options "$program")
            mapfile -t COMPREPLY < <(compgen -W "${words[*]}" -- "$current")
            return 0
            ;;
    esac
    _jobtrail_list "$current" "${words[@]}"
}

complete -F _jobtrail -o default jobtrail-acct jobtrail-alldoc jobtrail-job jobtrail-libq jobtrail-report
