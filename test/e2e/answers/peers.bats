#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Holes that others have published, by class, tried here: names of users that are nearly another's, names in the place of
# values, keys that are none and one's page as another's. Needs
# root. Of paths by names see flush/attacks.bats.
# bats file_tags=needs:root,needs:answers
# shellcheck disable=SC2016,SC2153,SC2154,SC2030,SC2031 # names; fixtures set STORE, bats stderr, and it runs each test in a subshell

bats_require_minimum_version 1.5.0
load ../fixture/site
load ../fixture/mariadb
load ../fixture/munge
load ../fixture/askers

PERIOD='from=2024-11-01&to=2024-11-30'

# Users whose names others may take for alice's (uid 6101) or bob's, and for root's.
NEARLY=(ALICE 'alice ' 6101 a%40b 'alice,bob' "alice' OR '1'='1" 'alice%' ROOT alice123456789012345678901234567890)

setup_file() {
    export TZ=UTC ETC=$BATS_FILE_TMPDIR/etc PLACE=$BATS_FILE_TMPDIR
    chmod 755 "$PLACE" "${PLACE%/*}" "$BATS_RUN_TMPDIR"
    site_records "$PLACE/site"
    others_secrets >>"$SITE/records"
    private_etc
    local id=6110 name
    for name in jtproxy "${NEARLY[@]}"; do
        echo "$name:x:$id:$id::/nowhere:/bin/sh" >>"$ETC/passwd"
        echo "$name:x:$id:" >>"$ETC/group"
        id=$((id + 1))
    done
    answer_stores
    export WEB=$MUNGE/web/socket
    install -d -m 755 -o 6100 -g 6100 "$MUNGE/web"
}

teardown_file() {
    munge_stop
    mariadb_stop
}

teardown() {
    answer_stop
    [ -n "${BATS_TEST_COMPLETED-}" ] || cat "$MUNGE/answer.err" >&2
}

serve() { # KEY=VALUE...: the service as the user jobtrail
    : >"$MUNGE/answer.err"
    answer_conf user=jobtrail "web_socket=$WEB" web_proxy_user=jtproxy "$@"
    # shellcheck disable=SC2016 # of the shell that is started
    answer_start env JOBTRAIL_CREDENTIALS="$MUNGE/credentials" unshare --mount sh -c \
        'mount --bind "$ETC" /etc && cd / && exec setpriv --reuid jobtrail --regid jobtrail --clear-groups "$@"' sh
}

ASK() { # USER PROGRAM ARGUMENT...: by the service
    run --separate-stderr as "$1" env JOBTRAIL_CONF="$MUNGE/jobtrail.conf" "$JOBTRAIL_STAGE/bin/jobtrail-$2" "${@:3}"
}

FETCH() { # USER TARGET: what the proxy gets for this user; $stderr has status and fields
    run --separate-stderr as jtproxy /usr/bin/python3 -IS "$JOBTRAIL_SOURCE/test/e2e/answers/web_client.py" fetch "$WEB" "$2" "X-Remote-User: $1"
}

status_is() {
    [[ $stderr == "HTTP/1.1 $1 "* ]] || { echo "$stderr" && false; }
}

alice_sees_hers() {
    ASK alice acct -a -S 2024-11-01 -n -P -o user
    [ "$(sort -u <<<"$output")" = alice ] || return
    FETCH alice "/runs.csv?$PERIOD"
    status_is 200 || return
    [ "$(tail -n +2 <<<"$output" | cut -d, -f2 | sort -u)" = alice ]
}

nobody_is_another() {
    local id=6111 name
    alice_sees_hers
    for name in "${NEARLY[@]}"; do
        echo "$name"
        ASK "$id" acct -a -S 2024-11-01 -n -P -o user,exec
        [[ $status == 0 && $output == "" && $stderr == "jobtrail-acct: no runs "* ]]
        ASK "$id" report users --json -S 2024-11-01 -E 2024-11-30
        [ "$(jq -c '.pages[0].rows' <<<"$output")" = '[]' ]
        # blanks around a field are no part of it (RFC 9110): then it is alice's
        [[ $name == *" " ]] || FETCH "$name" "/runs.csv?$PERIOD"
        [[ $stderr != *"HTTP/1.1 200"* || $(wc -l <<<"$output") == 1 ]]
        [[ $output != *flow* && $output != *SECRET* ]]
        id=$((id + 1))
    done
    # no account has these
    for name in "" 6102 %61lice $'alice\tx' alice/../bob Alice -1 4294967295 0; do
        FETCH "$name" "/runs.csv?$PERIOD"
        [[ $stderr == "HTTP/1.1 4"* && $output != *flow* && $output != *SECRET* ]]
    done
    alice_sees_hers
}

@test "a user is nobody else, however alike their names are, from SQLite" {
    serve see=own "store=$STORE"
    nobody_is_another
}

@test "a user is nobody else, however alike their names are, from MariaDB" {
    serve see=own "store=$MARIADB_STORE"
    nobody_is_another
}

# Names in the place of values: the ends of strings, names, statements and comments of SQL.
EVIL=("user'\"\`];DROP TABLE run;-- " "elapsed) UNION SELECT * FROM run --" "(SELECT user FROM run)" '${jndi:x}' "../../../etc/passwd")

names_are_no_text_of_sql() {
    local option word field
    for option in -o --sort --state --group --by --exec --cluster --partition --qos --node --account --job --library --module --package \
        --routine --hash --cwd --changed -S -M -A -N -q -r; do
        for word in "${EVIL[@]}"; do
            ASK alice acct -a -n -P "$option" "$word"
            [[ $output$stderr != *SECRET* && $output$stderr != *bob* && $output$stderr != *root:* ]] || { echo "$option $word: $output" && false; }
        done
    done
    for field in sort find page rows table use of paths lib module program id restart owner cluster compare words routine library version \
        kind name path account user from to x; do
        for word in "${EVIL[@]}"; do
            word=$(jq -rn --arg word "$word" '$word | @uri')
            echo "/runs?$PERIOD&$field=$word"
            echo "/executable.csv?name=flow.mpi&table=runs&$field=$word"
            echo "/$word?$field=$word"
        done
    done >"$BATS_TEST_TMPDIR/targets"
    FETCH alice - <"$BATS_TEST_TMPDIR/targets"
    [ "$(grep -c '^HTTP/1.1 ' <<<"$stderr")" -eq "$(wc -l <"$BATS_TEST_TMPDIR/targets")" ]
    [[ $stderr != *"HTTP/1.1 5"* ]] || { grep -n "HTTP/1.1 5" <<<"$stderr" | head -3 && false; }
    [[ $output != *SECRETprogram* && $output != *root:x:* ]]
    ! grep -iE 'Traceback|syntax|no such column|OperationalError|ProgrammingError' "$MUNGE/answer.err" <<<"$output" || false
    alice_sees_hers
}

@test "a name of a field, key, column, table or cluster is none of SQL's, in SQLite" {
    serve see=own "store=$STORE"
    names_are_no_text_of_sql
}

@test "a name of a field, key, column, table or cluster is none of SQL's, in MariaDB" {
    serve see=own "store=$MARIADB_STORE"
    names_are_no_text_of_sql
}

@test "a key that is none admits no record, whoever has signed with nothing" {
    local key=$BATS_TEST_TMPDIR/key store=sqlite:$BATS_TEST_TMPDIR/store.db fault
    "$JOBTRAIL_BIN/jobtrail-conf" make-key "$key"
    # signed by the HMAC of no byte, as whoever finds a service without a key would
    python3 -c '
import hashlib, hmac, sys
for line in open(sys.argv[1]):
    name = hmac.new(b"", b"jobtrail key id", hashlib.sha256).hexdigest()[:16]
    text = line.rstrip()
    sign = hmac.new(b"", text.encode(), hashlib.sha256).hexdigest()
    print(text[:-1] + ",\"signature\":\"hmac-sha256:%s:%s\"}" % (name, sign))' "$PLACE/bobs" >"$BATS_TEST_TMPDIR/records"
    for fault in ": >" "echo >" "echo '  ' >" "printf '%063d' 0 >" "chmod 640" "rm" "mkdir" "mkfifo" "ln -s /dev/null"; do
        rm -rf "$key"
        [[ $fault == rm || $fault == mk* || $fault == ln* ]] || "$JOBTRAIL_BIN/jobtrail-conf" make-key "$key"
        [[ $fault == rm ]] || eval "$fault '$key'"
        run timeout 60 "$JOBTRAIL_BIN/jobtrail-load" -r -k "$key" --store "$store" "$BATS_TEST_TMPDIR/records"
        echo "$fault: $status $output"
        [[ $status == 2 && $output == *"$key"* && ! -e $BATS_TEST_TMPDIR/store.db ]]
    done
    rm -rf "$key"
    "$JOBTRAIL_BIN/jobtrail-conf" make-key "$key"
    run "$JOBTRAIL_BIN/jobtrail-load" -r -k "$key" --store "$store" "$BATS_TEST_TMPDIR/records"
    [[ $status == 1 && $(sqlite3 "$BATS_TEST_TMPDIR/store.db" "SELECT count(*) FROM run") == 0 ]]
    run timeout 60 "$JOBTRAIL_BIN/jobtrail-load" -r --store "$store" "$BATS_TEST_TMPDIR/records"
    [[ $status == 2 ]]
    # nor does a service for pages without a proxy's user, or with nobody's name
    for fault in "web_proxy_user=" "web_proxy_user= " "web_proxy_user=nosuchuser"; do
        run ! serve see=own "$fault" "store=$STORE"
        [[ ! -S $WEB ]] || { ls -l "$WEB" && false; }
    done
}

@test "what one asker gets is kept for no other, and rights that are gone are gone" {
    local target
    serve see=own operators=carol "store=$STORE"
    for target in "/runs.csv?$PERIOD" "/users?$PERIOD" "/users.json?$PERIOD" "/run?id=019a9f00-7777-7000-8000-000000000001" "/job?id=77"; do
        FETCH carol "$target"
        status_is 200
        [[ $output == *bob* && $stderr == *"Cache-Control: no-store"* ]]
        [[ ${stderr,,} != *etag* && ${stderr,,} != *last-modified* && ${stderr,,} != *set-cookie* ]]
        FETCH alice "$target"
        [[ $output != *SECRET* && $output != *bob* && $stderr == *"Cache-Control: no-store"* ]]
    done
    answer_stop
    serve see=own "store=$STORE" # carol is no operator any more
    FETCH carol "/users.csv?$PERIOD"
    [[ $output != *alice* && $output != *bob* ]]
}
