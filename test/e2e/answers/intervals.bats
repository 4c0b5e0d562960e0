#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The intervals of estimates from sampled runs.

bats_require_minimum_version 1.5.0

setup_file() {
    local status=0
    "$JOBTRAIL_SOURCE/test/bench/intervals" >"$BATS_FILE_TMPDIR/found" || status=$?
    export STATUS_OF_INTERVALS=$status
}

bounds() {
    python3 -c "
import sys
sys.path.insert(0, '$JOBTRAIL_SOURCE/contrib')
from jobtrail.report.bounds import *
runs = lambda kept, p=1e-4: Stratum(p, kept, kept, 1)
$1"
}

@test "they contain the truth in at least 94 % of 300 repetitions, on 30 000 and on 10^6 runs" {
    run cat "$BATS_FILE_TMPDIR/found"
    echo "$output"
    [ "$STATUS_OF_INTERVALS" -eq 0 ]
    [ "${#lines[@]}" -eq 13 ]
}

@test "twice the standard error does not, so the simulation can fail" {
    run awk 'NR > 1 && $(NF - 1) < 94 { failed++ } END { print failed + 0 }' "$BATS_FILE_TMPDIR/found"
    echo "$output"
    [ "$output" -ge 8 ]
}

@test "the upper bound of a number of runs is Garwood's" {
    run bounds '
for kept in 0, 1, 5, 10, 100:
    print("%.2f" % (greatest_mean(kept + 1.0)))'
    [ "$output" = $'3.69\n5.57\n11.67\n18.39\n121.63' ]
}

@test "the lower bound of a number that is shown since it is not 0 is below Garwood's, and the same for many" {
    run bounds '
for kept in 1, 2, 3, 10, 100:
    print("%.2f" % least_mean(kept))'
    [ "$output" = $'0.00\n0.05\n0.41\n4.79\n81.36' ]
}

@test "what is kept for sure is exact, and one of ten thousand says that there was one" {
    run bounds '
print(interval([]), interval([runs(50, 1)]))
print("%.0f %.0f" % interval([runs(1)]))
print("%.0f %.0f" % interval([runs(50, 1), runs(30, 0.01), runs(100)]))'
    [ "$output" = $'(0.0, 0.0) (50.0, 50.0)\n1 55712\n816706 1219300' ]
}

@test "there is no upper bound where no short run was kept, unless what was left out is known" {
    run bounds '
print(interval([runs(50, 1), runs(0)]))
print(interval([runs(50, 1), runs(0)], most=80))
print(interval([Stratum(0.5, 3.0, 3.0, None)])[1])
print(largest_possible(9, 2.5), largest_possible(10, 2.5))'
    [ "$output" = $'(50.0, None)\n(50.0, 80)\nNone\nNone 10.0' ]
}
