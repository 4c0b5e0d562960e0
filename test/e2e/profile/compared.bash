# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# What the list of first calls and the profile have of a real program, compared with each other, and with breakpoints of
# gdb at each routine that the designated library exports.
#
#   load ../fixture/job
#   load ../fixture/profile
#   load compared
#   compared SONAMES [VARIABLE=VALUE]... PROGRAM ARGUMENT...
# shellcheck disable=SC2034 # fixtures read variables

OPENBLAS=$(echo /usr/lib/*/openblas-pthread)
BLAS='lib(blas|lapack)\.so\.3'

setup() {
    [[ -d $OPENBLAS ]]
    LEDGER=$((4 << 20))
    cd "$BATS_TEST_TMPDIR" || return
}

# objects: what the run had loaded
objects() {
    records | jq -r '.[] | .userT.exec_path, .libA[][0]' | grep '^/' | while read -r path; do [[ ! -f $path ]] || echo "$path"; done
}

# has_all NOTED MISSED TABLED: what gdb saw was noted, or is known to be missed, and nothing else was noted; prints numbers. Of more than
# sixteen that are missed not all have names: these lie in tables.
has_all() {
    awk -v noted="$1" -v missed="$2" -v tabled="$3" '
        function all(names, set, i, n, one) { n = split(names, one, " "); for (i = 1; i <= n; i++) if (one[i] in set) return 1; return 0 }
        function read(file, set, line) { while ((getline line < file) > 0) set[line] = 1; close(file) }
        BEGIN { read(noted, N); read(missed, M); read(tabled, T) }
        /^\?/ { sub(/^\?/, ""); split($0, some, " "); for (i in some) open[some[i]] = 1; next }
        { split($0, some, " "); for (i in some) called[some[i]] = 1
          if (all($0, N)) seen++
          else if (all($0, M) || all($0, T)) left++
          else { lost++; print "called, and neither noted nor missed: " $0 } }
        END { for (name in N) if (!(name in called) && !(name in open)) { print "noted, and not called: " name; wrong++ }
              print seen + 0, "noted,", left + 0, "missed,", lost + 0, "neither"
              exit lost + wrong > 0 || seen == 0 }' called
}

# compared SONAMES [VARIABLE=VALUE]... PROGRAM ARGUMENT...: of routines whose names match $ONLY
compared() {
    local sonames=$1 variables=()
    shift
    while [[ $1 == *=* ]]; do
        variables+=("$1")
        shift
    done
    RULES=$KEEP_ALL$'\n[routines]\nkeep = soname:'$sonames another_job
    with_rules
    env "${PROFILED[@]}" "${TRACKED[@]:1:3}" "${variables[@]}" LD_PRELOAD="$LIBRARY $PROFILE_LIBRARY" "$@" >plain || return
    routine_rows | cut -f 4 | LC_ALL=C sort -u >timed
    "$JOBTRAIL_BIN/jobtrail-profile" show --mpi --json "$PROFILE_FILE" >told || return
    jq -r '.missed_routines[]?.routine | select(startswith("(") | not)' told | LC_ALL=C sort -u >untimed
    flush || return
    records | jq -r '.[] | select(.routineT) | .routineT.routineA[][1]' | LC_ALL=C sort -u >noted
    records | jq -r '.[] | select(.routineT) | .routineT.missedA[][1]' | LC_ALL=C sort -u >missed
    sed -ni "/${ONLY-.}/p" noted
    diff noted timed || return
    env "${variables[@]}" ARGUMENTS="$(printf '%q ' "${@:2}") >printed" CALLED="$PWD/called" DESIGNATED="$sonames.*" \
        SHELL="$BASH" gdb -batch -nx -x "$JOBTRAIL_SOURCE/test/e2e/fixture/called_by_gdb.py" "$1" >gdb.log 2>&1 || return
    diff plain printed || return
    objects >loaded
    xargs -d '\n' readelf -rW <loaded >relocations 2>/dev/null
    awk '$3 ~ /^R_X86_64_(64|GLOB_DAT)$/ { sub(/@.*/, "", $5); print $5 }' relocations | LC_ALL=C sort -u >tabled
    sed -ni "/${ONLY-.}/p" called missed untimed
    diff missed untimed || return
    (($(wc -l <missed) == 16)) || : >tabled
    has_all noted missed tabled
}

# on each BLAS: COMMAND [VARIABLE=VALUE]... PROGRAM...
on_reference() {
    compared "$BLAS" "$@"
}
on_openblas() { # with one thread, and with several
    compared "$BLAS" LD_LIBRARY_PATH="$OPENBLAS" OPENBLAS_NUM_THREADS=1 "$@" || return
    compared "$BLAS" LD_LIBRARY_PATH="$OPENBLAS" OPENBLAS_NUM_THREADS=4 "$@"
}
