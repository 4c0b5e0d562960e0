#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What records say is true: their uuids, their hashes, their measures.

bats_require_minimum_version 1.5.0
load ../fixture/job

setup() {
    new_job
    sed -i '/^\[submit\]/a hash_objects = yes' "$CONF"
}

# next_job: another one, in the same state directory
next_job() {
    rm -rf "$RECORDS"
    "$PROGRAMS/make_spool" "$SPOOL" "$JOB"
}

# traced_flush: "PATH" of each file that a flush, or a child of it, has read, but for what the loader reads
# of libraries
traced_flush() {
    strace -f -qq -yy -o "$BATS_TEST_TMPDIR/trace" -e trace=read "$JOBTRAIL_BIN/jobtrail-submit" flush --job "$JOB" \
        --conf "$CONF" --node e2e >/dev/null
    sed -n '/, 832)/d; s/.*read([0-9]*<\(\/[^>]*\)>, .*/\1/p' "$BATS_TEST_TMPDIR/trace" | sort -u
}

@test "a run's uuid is of version 7 and tells the millisecond of its start" {
    for _ in 1 2 3; do tracked "$PROGRAMS/exit_with"; done
    flush
    [[ $(records | jq length) == 3 ]]
    while read -r uuid start; do
        [[ ${uuid:14:1} == 7 && ${uuid:19:1} == [89ab] ]]
        uuid_ms=$((0x${uuid:0:8}${uuid:9:4}))
        ((uuid_ms == start || uuid_ms + 1 == start)) # the record's time is rounded
    done < <(records | jq -r '.[] | "\(.userT.run_uuid) \(.userDT.start_time * 1000 | floor)"')
}

# bats test_tags=needs:root
@test "each file is hashed once on a node, by the sha1 that it has, and again when the table is gone" {
    local libc
    libc=$(realpath /lib/x86_64-linux-gnu/libc.so.6)
    settled() { (($(date +%s) - $(stat -c %Z "$PROGRAMS/exit_with") > 3)); }
    wait_for settled
    tracked "$PROGRAMS/exit_with"
    traced_flush >"$BATS_TEST_TMPDIR/first"
    grep -qx "$PROGRAMS/exit_with" "$BATS_TEST_TMPDIR/first"
    grep -qx "$libc" "$BATS_TEST_TMPDIR/first"
    records >"$BATS_TEST_TMPDIR/before"
    next_job
    tracked "$PROGRAMS/exit_with"
    traced_flush >"$BATS_TEST_TMPDIR/second"
    ! grep -qx "$PROGRAMS/exit_with" "$BATS_TEST_TMPDIR/second" || false
    ! grep -qx "$libc" "$BATS_TEST_TMPDIR/second" || false
    [[ $(records | jq -r '.[0].hash_id') == "$(sha1sum "$PROGRAMS/exit_with" | cut -d' ' -f1)" ]]
    [[ $(records | jq -r --arg libc "$libc" '.[0].libA[] | select(.[0] == $libc)[1]') == "$(sha1sum "$libc" | cut -d' ' -f1)" ]]
    [[ $(records | jq -c '.[0].libA | sort') == "$(jq -c '.[0].libA | sort' "$BATS_TEST_TMPDIR/before")" ]]
    rm "$BATS_TEST_TMPDIR/state/hashes"
    next_job
    tracked "$PROGRAMS/exit_with"
    traced_flush >"$BATS_TEST_TMPDIR/third"
    grep -qx "$PROGRAMS/exit_with" "$BATS_TEST_TMPDIR/third"
}

@test "paths are the files' own, whatever links led there" {
    mkdir "$BATS_TEST_TMPDIR/real"
    cp "$PROGRAMS/exit_with" "$BATS_TEST_TMPDIR/real/program"
    cp /lib/x86_64-linux-gnu/libm.so.6 "$BATS_TEST_TMPDIR/real/libm-1.so"
    ln -s real "$BATS_TEST_TMPDIR/link"
    ln -s libm-1.so "$BATS_TEST_TMPDIR/real/libm.so.6"
    cd "$BATS_TEST_TMPDIR/link"
    PRELOADED=("${TRACKED[@]:0:4}" "${TRACKED[4]}:$BATS_TEST_TMPDIR/link/../link/libm.so.6")
    env "${PRELOADED[@]}" ../link/./program
    flush
    [[ $(records | jq -r '.[0].userT.exec_path') == "$BATS_TEST_TMPDIR/real/program" ]]
    [[ $(records | jq -r '.[0].userT.cwd') == "$BATS_TEST_TMPDIR/real" ]]
    records | jq -e --arg libm "$BATS_TEST_TMPDIR/real/libm-1.so" '.[0].libA | map(.[0]) | index($libm) != null'
}

@test "the times that making a record took are measured" {
    # a file of 64 MiB takes longer to hash than the others take for all they do
    cp "$PROGRAMS/exit_with" "$BATS_TEST_TMPDIR/large"
    truncate -s 64M "$BATS_TEST_TMPDIR/large"
    tracked "$PROGRAMS/exit_with"
    tracked "$BATS_TEST_TMPDIR/large"
    before=$(date +%s%N)
    flush
    after=$(date +%s%N)
    records | jq -e --argjson most "$((after - before))" 'map(.XALT_measureT) as $measures
        | ($measures | all(to_entries | (map(select(.key | startswith("08_") | not).value) | add) <= .[-1].value + 0.00001
            and .[-1].key == "08____total______" and .[-1].value * 1e9 <= $most))
        and (.[] | select(.userT.exec_path | endswith("/large")).XALT_measureT["02_Sha1_exec_____"])
            > (.[] | select(.userT.exec_path | endswith("/exit_with")).XALT_measureT["02_Sha1_exec_____"])'
}

# Each secret of these tests has this word in it.
SECRET=hunter2

# without_secrets: no file that the node hands over has one in it
without_secrets() {
    ! grep -rqa "$SECRET" "$RECORDS" "$BATS_TEST_TMPDIR/state"
}

@test "secrets in arguments, in ancestors' arguments and in kept variables do not leave the node" {
    RULES=$'[paths]\nkeep = .*\n[environment]\nkeep = MY_.*|SLURM_.*' new_job
    MY_TOKEN=$SECRET MY_PROXY=http://me:$SECRET@proxy:3128 MY_PATH=/opt/key:/opt SLURM_SUBMIT_DIR="/x?token=$SECRET" \
        tracked bash -c '"$@"; true' --password=$SECRET "$PROGRAMS/exit_with" 0 --api-key "$SECRET x" \
        "Authorization: Bearer $SECRET" -n 5 "https://me:$SECRET@host/path" "DB_PASSWORD=$SECRET"
    grep -qa "$SECRET" "$SPOOL/$JOB.0/user/ledger" # which is the user's
    flush
    without_secrets
    records | jq -e 'map(select(.userT.exec_path | endswith("/exit_with"))) | .[0]
        | .cmdlineA[1:] == ["0", "--api-key", "[redacted]", "Authorization: [redacted]", "-n", "5",
            "https://me:[redacted]@host/path", "DB_PASSWORD=[redacted]"]
        and .ptA[0].cmdlineA[1:4] == ["-c", "\"$@\"; true", "--password=[redacted]"]
        and (.envT | [.MY_TOKEN, .MY_PROXY, .MY_PATH, .SLURM_SUBMIT_DIR])
            == ["[redacted]", "http://me:[redacted]@proxy:3128", "/opt/key:/opt", "/x?token=[redacted]"]'
}

@test "what [redact] says holds: a site's own names and words, exemptions, and nothing" {
    RULES=$'[redact]\nhide = name:pin|word:lab-.*\nkeep = name:token' new_job
    tracked "$PROGRAMS/exit_with" 0 --pin 5 lab-7 --token=7 --secret=8
    flush
    [[ $(records | jq -c '.[0].cmdlineA[2:]') == '["--pin","[redacted]","[redacted]","--token=7","--secret=[redacted]"]' ]]
    rm -rf "$RECORDS"
    RULES=$'[tracking]\nredact_default = no' new_job
    tracked "$PROGRAMS/exit_with" 0 --password=5
    flush
    [[ $(records | jq -c '.[0].cmdlineA[2:]') == '["--password=5"]' ]]
}

@test "a ledger that has more than the site wants gives no more than that" {
    tracked "$PROGRAMS/exit_with" 0 argument
    sed -i 's/^\[site\]/[tracking]\ncommand_line = program\n\n[site]/' "$CONF" # and the job was captured before
    flush
    [[ $(records | jq -c '.[0] | [(.cmdlineA | length), (.ptA | map(.cmdlineA | length) | max // 0)]') == '[1,'[01]']' ]]
}
