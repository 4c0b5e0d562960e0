#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# jobtrail stays as large as one person can read: test/rules/ceilings has the ceilings.

# holds WHAT NUMBER: the number is at most the ceiling
holds() {
    local ceiling
    ceiling=$(sed -nE "s/^$1 ([0-9]+).*/\1/p" "$JOBTRAIL_SOURCE/test/rules/ceilings")
    echo "$1: $2 of at most $ceiling"
    [[ -n $ceiling ]] && ((0 < $2 && $2 <= ceiling))
}

words_of() { # WHAT
    sed -nE "s/^$1 [0-9]+ ?//p" "$JOBTRAIL_SOURCE/test/rules/ceilings" | tr ' ' '\n'
}

folders() { # WHAT: those that count, one a line
    words_of "$1" | sed -n 's|^[^-]|./&|p'
}

left_out() { # WHAT: folders that do not
    words_of "$1" | sed -n 's|^-|./|p'
}

# files WHAT [FIND'S WORD...]: those of its folders that these words choose, each with a NUL
files() {
    local prune=(-path ./.git -o -path ./build -o -name __pycache__) places each
    mapfile -t places < <(folders "$1")
    while read -r each; do prune+=(-o -path "$each"); done < <(left_out "$1")
    (cd "$JOBTRAIL_SOURCE" && find "${places[@]:-.}" \( "${prune[@]}" \) -prune -o -type f "${@:2}" -print0)
}

count() { # LETTER of wc WHAT [FIND'S WORD...]
    (cd "$JOBTRAIL_SOURCE" && files "${@:2}" | xargs -0 cat | wc "-$1")
}

product=(-not -path './test/*' -not -path './docs/*' -not -path './debian/*' -not -name '*.md' -not -name '*.scd'
    -not -name '*.png' -not -name '*.svg')

@test "product, core and tests have no more lines than the ceilings" {
    holds product "$(count l product "${product[@]}")"
    holds core "$(count l core "${product[@]}")"
    holds tests "$(count l tests)"
}

@test "the configuration has no more keys, jobtrail-acct no more options" {
    holds keys "$(sed -n 's/^#define CONF_KEYS //p' "$JOBTRAIL_SOURCE/conf/conf.h")"
    holds options "$(PYTHONPATH=$JOBTRAIL_SOURCE/contrib python3 -c 'import argparse, jobtrail.acct.main as acct
print(sum(action.help != argparse.SUPPRESS for action in acct.parser()._actions))')"
}

@test "no program explains itself in more lines than the ceiling" {
    local program
    for program in "$JOBTRAIL_BIN"/jobtrail-* "$JOBTRAIL_BIN/jobtrail-alldoc index" "$JOBTRAIL_BIN/jobtrail-submit outbox"; do
        [[ -x ${program% *} ]] || continue # an extension that is not built
        echo "$program"
        # shellcheck disable=SC2086 # a program and its subcommand
        holds help "$($program --help | wc -l)"
    done
}

@test "no decision has more words" {
    local file
    for file in "$JOBTRAIL_SOURCE"/docs/decisions/0*.md; do
        echo "${file##*/}"
        holds decision "$(wc -w <"$file")"
    done
}

@test "README, ARCHITECTURE and each man page have no more words than the ceilings" {
    local page
    cd "$JOBTRAIL_SOURCE"
    holds readme "$(wc -w <README.md)"
    holds architecture "$(wc -w <ARCHITECTURE.md)"
    while IFS= read -r -d '' page; do
        echo "$page"
        holds page "$(wc -w <"$page")"
    done < <(files page -name '*.scd')
    holds documents "$(count w documents \( -name '*.md' -o -name '*.scd' \))"
}
