#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Man pages render, and the pages that they refer to exist.

setup() {
    cd "$JOBTRAIL_SOURCE" || return
    mapfile -t PAGES < <(find . \( -name .git -o -path ./build \) -prune -o -name '*.scd' -print | sort)
    ((${#PAGES[@]} >= 20))
}

# scdoc writes paragraphs that are empty; mandoc leaves them out.
@test "man and mandoc render each man page without a warning" {
    local page name
    export LC_ALL=C.UTF-8 MANWIDTH=80
    for page in "${PAGES[@]}"; do
        name=$BATS_TEST_TMPDIR/$(basename "$page" .scd)
        scdoc <"$page" >"$name"
        man --warnings -E UTF-8 -l "$name" >/dev/null
        mandoc -T lint -W warning "$name" | grep -v 'skipping paragraph macro: PP' || true
    done >"$BATS_TEST_TMPDIR/said" 2>&1
    cat "$BATS_TEST_TMPDIR/said"
    [[ ! -s $BATS_TEST_TMPDIR/said ]]
}

# referred PAGE: NAME.SECTION of all pages of ours that it names, and of each one in SEE ALSO
referred() {
    sed -nE '/^# SEE ALSO$/,$p' "$1" | grep -oE '\*[^* ]+\*\([1-9]\)'
    grep -oE '\*(spank_)?jobtrail[a-z.-]*\*\([1-9]\)' "$1" || true
}

@test "each page that a man page refers to exists" {
    local page name missing=""
    for page in "${PAGES[@]}"; do
        while read -r name; do
            [[ " ${PAGES[*]##*/} " == *" $name.scd "* ]] ||
                { [[ $name != *jobtrail* ]] && man -w "${name##*.}" "${name%.*}" >/dev/null 2>&1; } || missing+="$page: $name"$'\n'
        done < <(referred "$page" | sed -E 's/^\*(.*)\*\((.)\)$/\1.\2/' | sort -u)
    done
    echo "$missing"
    [[ $missing == "" ]]
}
