#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# jobtrail-load takes what XALT 2 and 3 write, however it came.
# shellcheck disable=SC2154 # bats sets stderr

bats_require_minimum_version 1.5.0

setup() {
    PATH=$JOBTRAIL_BIN:$PATH
    export TZ=UTC
    cd "$BATS_TEST_TMPDIR" || return
}

# stored DATABASE: what is in XALT's views
stored() {
    sqlite3 "$1" "SELECT r.*, o.object_path, n.env_name, e.env_value, p.program, p.pkg_name, p.pkg_version, p.pkg_path
            FROM xalt_run r JOIN join_run_object j USING (run_id) JOIN xalt_object o USING (obj_id)
            JOIN join_run_env e USING (run_id) JOIN xalt_env_name n USING (env_id)
            JOIN xalt_pkg p USING (run_id) ORDER BY object_path, env_name, pkg_name" \
        "SELECT l.*, o.object_path, f.function_name FROM xalt_link l JOIN join_link_object j USING (link_id)
            JOIN xalt_object o USING (obj_id) JOIN join_link_function k USING (link_id)
            JOIN xalt_function f USING (func_id) ORDER BY object_path" |
        sed 's/^1|12/|12/' # ids may differ
}

# takes VERSION STYLE: all of it, and it is what came as files
takes() {
    rm -rf written store.db
    "$JOBTRAIL_SOURCE/test/collectors/write_as_xalt" "$1" "$2" written
    run --separate-stderr jobtrail-load --json --store sqlite:store.db written/lines
    [[ $2 != file* ]] || run --separate-stderr jobtrail-load --json --store sqlite:store.db written
    echo "XALT $1, $2: $output $stderr"
    [ "$status" -eq 0 ]
    [ "$(jq -c '[.read, .damaged, .incomplete]' <<<"$output")" = "[5,0,0]" ]
    stored store.db >now
    [ -e "as_$1" ] || cp now "as_$1"
    diff "as_$1" now
}

@test "XALT 3: files and syslog lines make the same rows" {
    for style in file file_separate_dirs syslog4 syslogv1; do
        takes 3 $style
    done
    [ "$(wc -l <as_3)" -eq 10 ]
    [ "$(sqlite3 store.db 'SELECT job_id, num_cores, run_time, uuid, queue, exec_path FROM xalt_run')" = \
        '12[3]|4|30.4877|5468e07b-0c8a-49a1-8010-3c9a11fce259|normal|/home/alice/flow' ]
    [ "$(sqlite3 store.db "SELECT json_extract(cmdline, '\$[2]'), length(json_extract(cmdline, '\$[3]')) FROM xalt_run")" = 'ä€😀|300' ]
}

@test "XALT 2: files and syslog lines of each version make the same rows" {
    for style in file file_separate_dirs syslog3 logger3 syslogv1; do
        takes 2 $style
    done
    diff <(cut -d'|' -f 2- as_2) <("$JOBTRAIL_SOURCE/test/collectors/write_as_xalt" 3 file new &&
        jobtrail-load --store sqlite:new.db new >/dev/null && stored new.db | cut -d'|' -f 2-)
}

@test "blocks of version 3 that are left over can be added again" {
    rm -rf written store.db left
    "$JOBTRAIL_SOURCE/test/collectors/write_as_xalt" 2 logger3 written
    sed -i 1d written/lines
    run --separate-stderr jobtrail-load --json --store sqlite:store.db --quarantine left written/lines
    [ "$status" -eq 1 ]
    [ "$(jq -c '[.new, .incomplete]' <<<"$output")" = "[4,1]" ]
    rm -rf written
    "$JOBTRAIL_SOURCE/test/collectors/write_as_xalt" 2 logger3 written
    run --separate-stderr jobtrail-load --json --store sqlite:store.db left/record.*[0-9] <(head -n 1 written/lines)
    [ "$status" -eq 0 ]
}

@test "what only XALT 2 has packed is set aside, and XALT's own complaints are passed by" {
    cat >lines <<'LINES'
Nov 20 10:00:00 n1 XALT_LOGGING_tiny: run:bm90IGEgcmVjb3Jk
Nov 20 10:00:00 n1 XALT_LOGGING_tiny: run:!!
Nov 20 10:00:00 n1 XALT_LOGGING_tiny: V:2 kind:run idx:0 nb:2 syshost:tiny key:k value:eJ
Nov 20 10:00:00 n1 XALT_LOGGING_ERROR_tiny[7]: waitpid() returned -1: error with xalt_curl_transmit
LINES
    run --separate-stderr jobtrail-load --json --store sqlite:store.db --quarantine bad lines
    [ "$status" -eq 1 ]
    [ "$(jq -c '[.damaged, .quarantined]' <<<"$output")" = '[3,3]' ]
    [ "$(grep -c 'is packed as only XALT 2 did' <<<"$stderr")" -eq 2 ]
    [ "$(grep -c 'is a syslog line of another version than 1, 3 and 4' <<<"$stderr")" -eq 1 ]
}
