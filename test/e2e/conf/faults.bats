#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# A configuration that a disk has damaged. Needs root: all but the test's own directory is read-only for
# the flush, which may be told to write anywhere.
# bats file_tags=needs:root

bats_require_minimum_version 1.5.0
load ../fixture/job
load ../fixture/read_only

setup() {
    PLACE=$BATS_TEST_TMPDIR/place
    mkdir "$PLACE"
    mount -t tmpfs -o size=64M conf_faults "$PLACE"
    new_job
    rm -rf "$SPOOL"
    printf '[transport]\nuse = file\n[sampling]\nenabled = no\n' >>"$CONF"
    cp "$CONF" "$PLACE/sound.conf"
    cp "${CONF%.conf}.policy" "$PLACE/sound.policy"
}

teardown() {
    umount -l "$PLACE"
}

restore() {
    cp "$PLACE/sound.conf" "$CONF"
    cp "$PLACE/sound.policy" "${CONF%.conf}.policy"
}

# flush_confined: 1, 2 and 3 are exit statuses that say so; a signal is none
flush_confined() {
    local status=0
    read_only_but "$PLACE" timeout $((60 * SLOW)) \
        "$JOBTRAIL_BIN/jobtrail-submit" flush --all --conf "$CONF" --node e2e >"$PLACE/said" 2>&1 || status=$?
    ((status <= 3)) || { cat "$PLACE/said"; return 1; }
}

# damage FILE SEED: flips a bit of it, or cuts it
damage() {
    perl -e 'my ($name, $seed) = @ARGV; srand $seed; open F, "+<", $name or die; binmode F;
        my $at = int rand -s $name;
        if ($seed % 3 == 0) { truncate F, $at; exit }
        seek F, $at, 0; read F, my $byte, 1; seek F, $at, 0;
        print F chr(ord($byte) ^ 1 << int rand 8)' "$1" "$2"
}

@test "a configuration or policy with a flipped bit, or cut, costs no record" {
    local i rounds=$((JOBTRAIL_SOAK ? 600 : 60)) seed=${SEED:-$RANDOM}
    echo "SEED=$seed"
    for ((i = 0; i < rounds; i++)); do
        JOB=$((1000 + i))
        "$PROGRAMS/make_spool" "$SPOOL" "$JOB"
        JOBTRAIL_SPOOL="$SPOOL/$JOB.0/user" JOBTRAIL_POLICY="${CONF%.conf}.policy" JOBTRAIL_TASK="4294967291.0.$$" \
            XALT_EXECUTABLE_TRACKING=yes LD_PRELOAD="$LIBRARY" "$PROGRAMS/exit_with" 0 "$JOB"
        if ((i % 2)); then damage "$CONF" $((seed + i)); else damage "${CONF%.conf}.policy" $((seed + i)); fi
        flush_confined
        restore
    done
    flush_confined
    "$JOBTRAIL_BIN/jobtrail-submit" outbox retry --conf "$CONF" # a damaged path has made it back off
    [[ -z $(ls "$SPOOL") ]]
    # each once, wherever a damaged line had it written to, or in the outbox of a damaged path
    diff <(seq 1000 $((999 + rounds))) \
        <({
            find "$PLACE" -name 'run.*.json' -exec cat {} +
            find "$PLACE" -path '*/outbox/*/[0-9]*' -exec sed -n 's/^.\{4\} run\.[^ ]* //p' {} +
        } | jq -r '.cmdlineA[2]' | sort -n)
}
