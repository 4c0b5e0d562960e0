#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Records against the schemas in submit/definition/schema, which jobtrail-record(5) explains.

bats_require_minimum_version 1.5.0
load ../fixture/job
load ../fixture/links

CHECK=$JOBTRAIL_SOURCE/test/collectors/check_records

check_all() {
    mapfile -t files < <(find "$RECORDS" -type f)
    ((${#files[@]}))
    "$CHECK" "${files[@]}"
}

@test "records of runs of every kind are what the schema says" {
    new_job
    sed -i '/^\[submit\]/a hash_objects = yes' "$CONF"
    tracked "$PROGRAMS/exit_with"
    tracked "$PROGRAMS/exit_with" 3 || true
    tracked "$PROGRAMS/kill_self" 9 || true
    tracked "$PROGRAMS/exit_with" 0 $'\xff\xfe' "ä€𝄞" $'a\nb\t\x01' ""
    env "${TRACKED[@]}" PMI_RANK=0 PMI_SIZE=4 OMP_NUM_THREADS=8 "$PROGRAMS/exit_with"
    env -C / "${TRACKED[@]}" PATH=$'/bin:\xff' "$PROGRAMS/exit_with"
    (cp "$PROGRAMS/exit_with" "$BATS_TEST_TMPDIR/$(printf 'gone\xff')" && cd "$BATS_TEST_TMPDIR" &&
        tracked "./$(printf 'gone\xff')" && rm "$(printf 'gone\xff')")
    flush
    [[ $(find "$RECORDS" -type f | wc -l) == 7 ]]
    check_all
}

@test "a start record is what the schema says" {
    RULES=$'[sampling]\nalways_ranks = 2' new_job
    env "${TRACKED[@]}" PMI_RANK=0 PMI_SIZE=4 "$PROGRAMS/spin" 600 >/dev/null 3>&- &
    spinning=$!
    "$JOBTRAIL_BIN/jobtrail-submit" watch --conf "$CONF" --node e2e --detach
    started() { [[ $(find "$RECORDS" -name 'run.*.aaa.*.json' 2>/dev/null | wc -l) == 1 ]]; }
    wait_for started || status=1
    "$JOBTRAIL_BIN/jobtrail-submit" watch --conf "$CONF" --node e2e --stop
    kill "$spinning"
    [[ ${status-} == "" ]]
    check_all
}

@test "the schemas refuse what is wrong" {
    new_job
    tracked "$PROGRAMS/exit_with"
    flush
    file=$(find "$RECORDS" -type f)
    cp "$file" "$BATS_TEST_TMPDIR/sound"
    for change in 'del(.hash_id)' '.userDT.num_tasks = "1"' '.userT.more = "x"' '.slurmT.signal = 300' \
        '.libA[0] = ["x"]' '.userT.run_uuid = "x"' '.ptA[0].pid = "1"' '.slurmT.end_source = "magic"'; do
        jq -c "$change" "$BATS_TEST_TMPDIR/sound" >"$file"
        run "$CHECK" "$file"
        echo "$change: $output"
        [[ $status == 1 && $output == *': $'* ]]
    done
    sed 's/exit_with/exit_wish/' "$BATS_TEST_TMPDIR/sound" >"$file"
    run "$CHECK" "$file"
    [[ $status == 1 && $output == *"crc is "* ]]
}

@test "link and package records of XALT's documentation are what the schemas say" {
    uuid=1a8bc989-0592-43f4-952c-6b5514ad1a8a name=tiny.2024_11_20_10_00_00_0001.alice
    pkg=$BATS_TEST_TMPDIR/pkg.$name.$uuid.0123456789ab.json
    link=$BATS_TEST_TMPDIR/link.$name.$uuid.json
    echo '{"package_name":"bar","package_path":"/A/B/bar/3.0","package_version":"3.0","program":"R","xalt_run_uuid":"'$uuid'"}' >"$pkg"
    echo '{"crc":"0x80B7","resultT":{"build_epoch":"1569439459.7851","build_syshost":"tiny","build_host":"login1","build_user":"alice","exec_path":"/home/alice/a.out","hash_id":"f1f2510ce9007728218ba39a63fcd5209defb5ca","link_path":"/usr/bin/gcc","link_program":"gcc","uuid":"'$uuid'","wd":"/home/alice"},"linkA":[["/usr/lib/crt1.o","0"]],"link_line":["gcc","a.c"],"function":["pow"]}' >"$link"
    "$CHECK" "$pkg"
    run "$CHECK" "$link"
    [[ $(wc -l <<<"$output") == 1 && $output == *"crc is 0x80B7, the text's "* ]]
    sed -i "s/0x80B7/${output##* }/" "$link"
    "$CHECK" "$link"
    sed -i 's/"R"/"Fortran"/' "$pkg"
    run -1 "$CHECK" "$pkg"
}

@test "link records that jobtrail-ld writes are what the schema says" {
    LINK="hash_objects = yes"$'\n'"modules = $BATS_TEST_TMPDIR/map" new_links
    echo "$WORK fft/3.3" >"$BATS_TEST_TMPDIR/map"
    plain gcc -shared -fPIC -x c - -o libfft.so <<<'int fft_plan(void) { return 0; }'
    echo 'int fft_plan(void); int main(void) { return fft_plan(); }' >main.c
    wrapped gcc main.c -L. -lfft -o main
    wrapped gcc -Wl,--build-id=none hello.c -o $'h\xff "lo"'
    [[ $(links | jq -c 'map([.jobtrailT.build_id == "0", .jobtrailT.moduleT, .function])') == \
        '[[false,{"fft/3.3":["fft_plan"]},["fft_plan"]],[true,{},[]]]' ]]
    check_all
}

@test "jobtrail-record(5) tells every key of the schemas" {
    page=$(man -l --nh --nj "$JOBTRAIL_STAGE"/share/man/man5/jobtrail-record.5 | col -b)
    for kind in run link pkg coverage; do
        while read -r key; do
            grep -qw -- "$key" <<<"$page" || missing+=" $kind:$key"
        done < <("$CHECK" --keys "$kind")
    done
    echo "missing:${missing-}"
    [[ ${missing-} == "" ]]
}
