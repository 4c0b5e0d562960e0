#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# jobtrail-conf doctor about rules of [routines] that no library of this machine matches.

load ../fixture/job

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    new_job
    mkdir -p sw/lib64 deep/1.0/lib
    touch sw/lib64/libdesignated.so.1 deep/1.0/lib/libdeep.so.2
    echo "$PWD/sw designated/1.0" >map
}

# said RULE [ROLE [MAP]]: "STATE FOUND: MEND" of what is found of that rule; the last line is of all rules
said() {
    sed -n '/^\[routines\]/q; p' "$CONF" >designating.conf
    printf '[routines]\nkeep = %s\n' "$1" >>designating.conf
    [[ -z ${3-map} ]] || printf '[link]\nmodules = %s\n' "$PWD/map" >>designating.conf
    "$JOBTRAIL_BIN/jobtrail-conf" doctor --conf designating.conf --role "${2-node}" --json >found || true
    jq -r '.[] | select(.check == "routines") | "\(.state) \(.found): \(.mend)"' found
}

GOOD="ok calls of routines of designated libraries are noted: "

@test "a mistyped soname is a warning with the one that may be meant, on nodes alone" {
    [[ $(said 'soname:libdesignatde\.so\.1') == "warning no library here matches 'keep = soname:libdesignatde\\.so\\.1': did you mean libdesignated.so.1? mend line "*"; then: jobtrail-conf compile"$'\n'"$GOOD" ]]
    [[ $(said 'soname:libdesignatde\.so\.1' login) == "$GOOD" ]]
    # of ldconfig's cache, without a map
    [[ $(said 'soname:libstcd\+\+\.so\..*' node "") == "warning no library that ldconfig(8) has found matches "*"did you mean libstdc++.so.6? "*$'\n'"$GOOD" ]]
}

@test "a soname that nothing is like is a warning where the map should have it, else it is only said" {
    [[ $(said 'soname:libnothing_like_it\.so.*') == "warning no library here matches "*": mend or remove line "*", unless it is for other nodes"$'\n'"$GOOD" ]]
    [[ $(said 'soname:libnothing_like_it\.so.*' node "") == "ok no library that ldconfig(8) has found matches 'keep = soname:libnothing_like_it\\.so.*': "$'\n'"$GOOD" ]]
}

@test "sonames of libraries that are there, and paths that may be, are no finding" {
    local rule
    for rule in 'soname:libc\.so\.6' 'soname:libdesignated\.so\..*' 'soname:.*' "path:$PWD/sw/lib64/libdesignated.*" \
        "path:$PWD/deep/.*/libdeep\\.so\\..*" "path:$PWD/deep/[0-9.]+/lib/libother\\.so" 'path:.*/libsomewhere\.so' \
        "path:($PWD/none|/opt/none)/.*" 'archive:libnone\.a'; do
        [[ $(said "$rule") == "$GOOD" ]] || { echo "$rule: $(said "$rule")"; return 1; }
    done
}

@test "a path of which nothing is there is a warning" {
    local rule
    for rule in "path:$PWD/sw/lib64/libdesignatde\\.so.*" "path:$PWD/none/lib/.*"; do
        [[ $(said "$rule") == "warning no library here matches "*": mend or remove line "*$'\n'"$GOOD" ]] || { echo "$rule: $(said "$rule")"; return 1; }
    done
}

@test "a path that the loader spells otherwise is a warning with the loader's" {
    local loaders real
    loaders=$(/sbin/ldconfig -p | sed -n 's/^\tlibz\.so\.1 .*=> //p' | head -n 1)
    real=$(realpath "$loaders")
    [[ $loaders != "$real" ]]
    [[ $(said "path:${real//./\\.}") == "warning the loader has no library by the path of 'keep = path:$real', but by another of the same file: did you mean path:$loaders? mend line "*$'\n'"$GOOD" ]] ||
        [[ $(said "path:${real//./\\.}") == "warning the loader has no library by the path of "*": did you mean path:$loaders? mend line "* ]]
    [[ $(said "path:${loaders//./\\.}") == "$GOOD" ]]
    # a directory by another name
    [[ $(said "path:$(realpath "${loaders%/*}")/libz\\.so\\.1") == *"did you mean path:$loaders? "* || ${loaders%/*} == "$(realpath "${loaders%/*}")" ]]
}

# more LINE...: as said, of more lines behind a library
more() {
    said 'soname:libz\.so\.1' "$ROLE" "" >/dev/null
    printf '%s\n' "$@" >>designating.conf
    "$JOBTRAIL_BIN/jobtrail-conf" doctor --conf designating.conf --role node --json >found || true
    jq -r '.[] | select(.check == "routines") | "\(.state) \(.found): \(.mend)"' found
}

@test "rules about routines that have no effect are warnings with the reason" {
    ROLE=node
    [[ $(more 'keep = routine:crc32') == "warning 'keep = routine:crc32' has no effect: it is about no routine: these are routine:LIBRARY:NAME: mend or remove line "* ]]
    [[ $(more 'skip = routine:libz:crc32') == "warning 'skip = routine:libz:crc32' has no effect: no rule keeps a library with the soname libz, or such an archive: did you mean routine:libz.so.1:...? mend line "* ]]
    [[ $(more 'keep = routine:libz\.so\.1:crc32') == "warning "*"has no effect: routines are kept unless a rule skips them, and none behind it does: mend or remove line "* ]]
    [[ $(more 'keep = routine:libz\.so\.1:crc32' 'skip = routine:libz\.so\.1:.*') == "$GOOD" ]]
    [[ $(more 'skip = routine:.*:inflate.*') == "$GOOD" ]]
    # by its path a library may have any soname
    [[ $(more 'keep = path:/opt/.*' 'skip = routine:libany:x') == *"$GOOD" && $(<found) != *"has no effect"* ]]
}

@test "where not all of the map is looked at, no rule is found fault with" {
    local i
    mkdir -p many/{1..257}
    for ((i = 1; i <= 256; i++)); do echo "$PWD/many/$i many/$i"; done >map
    [[ $(said 'soname:libnothing_like_it\.so.*') == "warning no library here matches "* ]]
    echo "$PWD/many/257 many/257" >>map
    [[ $(said 'soname:libnothing_like_it\.so.*') == "$GOOD" ]]
}
