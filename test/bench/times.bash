# shellcheck shell=bash disable=SC2154 # benches set work
# SPDX-License-Identifier: LGPL-2.1-or-later
# What benches of bash share: times, in files of their directory $work.

# timed FILE COMMAND...: adds the seconds of a program or a function to FILE; what it has printed is $work/said
timed() {
    local begun=$EPOCHREALTIME
    "${@:2}" >"$work/said"
    awk -v begun="$begun" -v ended="$EPOCHREALTIME" 'BEGIN { printf "%.6f\n", ended - begun }' >>"$work/$1"
}

# measured FILE PROGRAM...: the same with its peak memory in MiB and its seconds of processor
measured() {
    /usr/bin/env time -f '%e %M %U %S' -o "$work/time" "${@:2}" >"$work/said"
    awk '{ printf "%s %.1f %.2f\n", $1, $2 / 1024, $3 + $4 }' "$work/time" >>"$work/$1"
}

median() { # FILE [COLUMN]
    awk -v at="${2:-1}" '{ print $at }' "$work/$1" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# row UNIT FACTOR WHAT FILE OTHER: the medians, which FACTOR makes of UNIT, and the first in relation to the other
row() {
    awk -v unit="$1" -v factor="$2" -v what="$3" -v own="$(median "$4")" -v name="$5" -v other="$(median "$5")" 'BEGIN {
        printf "%-28s %10.2f %s   %-10s %10.2f %s   ratio %.4f\n", what, own * factor, unit, name, other * factor, unit, own / other }'
}
