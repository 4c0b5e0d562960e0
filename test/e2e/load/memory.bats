#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# How much memory jobtrail-load takes, whatever is in the records: a batch is bounded by what it takes and not
# by the number of records alone, and so is what waits for missing blocks.
# shellcheck disable=SC2154 # bats sets stderr

bats_require_minimum_version 1.5.0

BOUND_MB=400

setup() {
    PATH=$JOBTRAIL_BIN:$PATH
    cd "$BATS_TEST_TMPDIR" || return
}

# load_bounded FILE: its summary is in the file summary
load_bounded() {
    python3 - "$BOUND_MB" jobtrail-load --json --store sqlite:store.db "$1" <<'PY'
import resource, subprocess, sys
with open("summary", "w") as summary, open("said", "w") as said:
    subprocess.run(sys.argv[2:], stdout=summary, stderr=said)
used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
print(used, "MB")
sys.exit(used > int(sys.argv[1]))
PY
    cat summary
}

@test "records of a megabyte with forty thousand variables each" {
    python3 - >records <<'PY'
for i in range(80):
    uuid = "00000000-0000-7000-8000-%012d" % i
    variables = ['"NUMBER%d":"%d"' % (i, i)] + ['"VARIABLE%05d":"value"' % k for k in range(40000)]
    print('{"userT":{"run_uuid":"%s"},"envT":{%s}}' % (uuid, ",".join(variables)))
PY
    load_bounded records
    [ "$(jq .new summary)" -eq 80 ]
    [ "$(sqlite3 store.db 'SELECT count(*) FROM environment_member')" -eq $((80 * 40001)) ]
}

@test "a record of which each byte would become a hundred is set aside" {
    python3 - >records <<'PY'
uuid = "00000000-0000-7000-8000-%012d"
many = 16_000_000
start = '{"userT":{"run_uuid":"' + uuid + '"},'
print(start % 1 + '"libA":[' + ",".join(["[]"] * (many // 3)) + "]}")
print(start % 2 + '"ptA":[' + ",".join(["{}"] * (many // 3)) + "]}")
print(start % 3 + '"cmdlineA":[' + ",".join(["1"] * (many // 2)) + "]}")
print(start % 4 + '"other":{' + ",".join(['"a":{}'] * (many // 7)) + "}}")
print(start % 5 + ",".join('"k%d":[%s]' % (k, ",".join(["[]"] * 50000)) for k in range(many // 150000)) + "}")
print(start % 6 + '"cmdlineA":["' + "," * many + '"]}') # this one is good
PY
    load_bounded records
    [ "$(grep -c 'has too many values' said)" -eq 5 ]
    [ "$(jq -c '[.new, .damaged]' summary)" = '[1,5]' ]
}

@test "syslog records that are never whole" {
    python3 - >lines <<'PY'
head = "Nov 20 08:40:00 n1 XALT_LOGGING_tiny: V:4 kind:run syshost:tiny key:%s crcStr:0x0000 nb:%d idx:%d value:%s"
for i in range(15000): # room for many blocks, and one
    print(head % (i, 9999, 0, "x"))
for i in range(300):
    print(head % ("large%d" % i, 2, 0, "x" * 1_000_000))
for i in range(9999): # a wide block and narrow ones
    print(head % ("blanks", 9999, i, "x" * (1_000_000 if i == 0 else 1)))
PY
    load_bounded lines
    [ "$(jq -c '[.new, .incomplete, .damaged]' summary)" = '[0,15300,15301]' ]
}
