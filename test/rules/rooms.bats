#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Which room may include which: the tables in ARCHITECTURE.md and the extensions' README.md, and what keeps to them.

@test "includes, header names and libraries keep to the table of rooms" {
    "$JOBTRAIL_SOURCE/test/rules/check_rooms" "$JOBTRAIL_SOURCE"
}

# copy_sources DIRECTORY: what check_rooms looks at
copy_sources() {
    mkdir "$1"
    (cd "$JOBTRAIL_SOURCE" && find . \( -name .git -o -path ./build \) -prune -o -type f \
        \( -name '*.[ch]' -o -name '*.def' -o -name '*.h.in' -o -name '*.py' -o -name '*.sql' -o -name CMakeLists.txt -o -name ARCHITECTURE.md \
        -o -path './contrib/*/README.md' \) -print0 |
        tar --null -cf - -T -) | tar -C "$1" -xf -
}

include() { # HEADER FILE
    printf '#include "%s"\n' "$1" >>"$2"
}

# breach MESSAGE COMMAND...: after the command, in a copy of the sources, check_rooms says this too
breach() {
    local copy=$BATS_TEST_TMPDIR/copy breaches
    rm -rf "$copy"
    cp -R "$BATS_FILE_TMPDIR/sources" "$copy"
    (cd "$copy" && "${@:2}")
    breaches=$("$JOBTRAIL_SOURCE/test/rules/check_rooms" "$copy" || true)
    [[ $breaches == *"$1"* ]] || {
        echo "not said: $1; but: $breaches"
        return 1
    }
}

@test "each breach of the rule is found" {
    copy_sources "$BATS_FILE_TMPDIR/sources"
    breach "submit/job/quarantine.c: submit/job may not include submit/flush (submit/flush/flush.h)" \
        include submit/flush/flush.h submit/job/quarantine.c
    breach "submit/load/parse/json_parse.c: submit/load/parse may not include submit/job" \
        include submit/job/journal_read.h submit/load/parse/json_parse.c
    breach "test/unit/job/journal_test.c: submit/job may not include submit/flush" \
        include submit/flush/flush.h test/unit/job/journal_test.c
    breach "spank/prolog.h is no header of the library jobtrail_spool" \
        include spank/prolog.h submit/command/command_session.c
    breach 'submit/job/quarantine.c: no header "quarantine.h"' include quarantine.h submit/job/quarantine.c
    for extension in libraries/who_socket.h routines/load/store_routines.h profile/chunk_read.h witness/witness_jobs.h; do
        breach "submit/job/quarantine.c: submit/job may not include contrib/$extension, which is an extension's" \
            include contrib/$extension submit/job/quarantine.c
    done
    breach "submit/job/quarantine.c: submit/job may not include preload/profile/profile_file.h, which is an extension's" \
        include preload/profile/profile_file.h submit/job/quarantine.c
    breach "contrib/witness/flush may not include contrib/profile/chunk_read.h, which is an extension's" \
        include contrib/profile/chunk_read.h contrib/witness/flush/witness_part.c
    # shellcheck disable=SC2016 # the backquotes are the table's
    breach "ARCHITECTURE.md: submit/flush may include contrib/witness, which is an extension's" \
        sed -i 's/^| `submit\/flush` |\(.*\)|$/| `submit\/flush` |\1, `contrib\/witness` |/' ARCHITECTURE.md
    # shellcheck disable=SC2016 # likewise
    breach "ARCHITECTURE.md: submit/outbox may include contrib/witness, which is an extension's" \
        sed -i 's/^| `submit\/record` |\(.*\)|$/| `submit\/record` |\1, `contrib\/witness` |/' ARCHITECTURE.md
    # shellcheck disable=SC2016 # likewise
    breach "contrib/witness/README.md: contrib/profile/load is in several tables, or not of this extension or the core" \
        tee -a contrib/witness/README.md <<<'| `contrib/profile/load` | what | – |'
    breach "one header name, several headers: submit/flush/quarantine.h, submit/job/quarantine.h" \
        cp submit/job/quarantine.h submit/flush
    breach "journal in several files: submit/job/job_journal.h, submit/job/quarantine.h" \
        tee -a submit/job/quarantine.h <<<"struct journal {"
    breach "submit_command in several files: ldwrap/wrap.c, submit/command/submit_command.h" \
        tee -a ldwrap/wrap.c <<<"enum submit_command { ONE };"
    breach "overflow_add() in several files: spank/journal.h, submit/job/quarantine.h" \
        tee -a spank/journal.h <<<"int overflow_add(int directory);"
    breach "submit/new/quarantine.c: its folder is no room" cp -R submit/job submit/new
    breach "submit/job may not link jobtrail_flush" \
        sed -i 's/jobtrail_conf/jobtrail_conf jobtrail_flush/' submit/job/CMakeLists.txt
    breach "submit/job: 2 libraries, not one" \
        tee -a submit/job/CMakeLists.txt <<<"jobtrail_room(more SOURCES quarantine.c)"
    # shellcheck disable=SC2016 # the backquotes are the table's
    breach "ARCHITECTURE.md: a circle of rooms" \
        sed -i 's/^| `submit\/job` |\(.*\)|$/| `submit\/job` |\1, `submit\/evidence` |/' ARCHITECTURE.md
    in_a_circle() {
        printf 'int one_calls(void)\n{\n    return two_calls();\n}\n' >submit/job/one.c
        printf 'int two_calls(void)\n{\n    return one_calls();\n}\n' >submit/job/two.c
    }
    breach "submit/job: a circle of modules: one -> two -> one" in_a_circle
    breach "submit/job/quarantine.c: asks which extensions are built" \
        tee -a submit/job/quarantine.c <<<$'#if JOBTRAIL_PROFILE\n#endif'
    breach "submit/flush/flush_part.c: is one of the DOORS of check_rooms, and asks for no extension" \
        sed -i '/JOBTRAIL_/d' submit/flush/flush_part.c
    breach "ldwrap/link_job.c: asks which extensions are built" \
        tee -a ldwrap/link_job.c <<<'static int built = JOBTRAIL_PROFILE;'
    breach "submit/load/store/store_expire.c: names the table ranks, which is an extension's" \
        tee -a submit/load/store/store_expire.c <<<'static const char more[] = "DELETE FROM ranks WHERE end_time < ?";'
    breach "a circle of Python modules: jobtrail." \
        tee -a contrib/jobtrail/hints.py <<<$'def late():\n    from . import program'
    breach "jobtrail.text may not import jobtrail.answers.service.munge, which is an extension's" \
        tee -a contrib/jobtrail/text.py <<<"from .answers.service import munge"
}

# calls_at_most NUMBER FUNCTION...: so many calls lead from the first function by way of the others to the last one
calls_at_most() {
    local calls
    calls=$("$JOBTRAIL_SOURCE/test/rules/call_depth" "$JOBTRAIL_SOURCE" "${@:2}") || return
    echo "$calls"
    (($(wc -l <<<"$calls") <= $1))
}

@test "from the flush of a job a reader comes to its first record in a few calls" {
    local way=(flush_run flush_job job_read reading_run worker_run ledger_send_ends send_run run_record_build)
    calls_at_most 10 "${way[@]}"
    calls_at_most 14 jobtrail_submit.c:main "${way[@]}"
}

@test "the flush and the way of a profile have no more modules" {
    (($(find "$JOBTRAIL_SOURCE/submit/flush" -name '*.c' | wc -l) <= 20))
    (($(find "$JOBTRAIL_SOURCE/contrib/profile/flush" -name '*.c' | wc -l) <= 4))
}
