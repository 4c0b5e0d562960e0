#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The library in other people's programs: they do as they would without it, and leave one record.

load ../fixture/job

setup() {
    new_job
}

@test "output, errors and exit status are the same with and without the library" {
    unnoticed "$PROGRAMS/exit_with" 42
    unnoticed ls -la "$BATS_TEST_DIRNAME" /does-not-exist
    unnoticed "$PROGRAMS/kill_self" 15
    flush
    [[ $(endings) == $'exit_with fini\nkill_self epilog\nls fini' ]]
}

@test "a program has the same open descriptors with and without the library" {
    unnoticed "$PROGRAMS/list_fds"
    unnoticed bash -c "exec 7</dev/null 9>/dev/null; exec '$PROGRAMS/list_fds'"
    unnoticed bash -c "exec <&- >/dev/null; exec '$PROGRAMS/list_fds'"
    flush
    [[ $(endings) == $'list_fds fini\nlist_fds fini\nlist_fds fini' ]]
}

@test "a record tells the objects that the loader mapped, with their real paths" {
    tracked ls / >/dev/null
    flush
    [[ $(records | jq -r '.[0].libA | map(.[0]) | sort | .[]') == "$(ldd /bin/ls | grep -o '/[^ ]*' | xargs -n1 realpath | sort)" ]]
}

@test "threads may end the program while others run" {
    unnoticed "$PROGRAMS/thread_exit" 9
    flush
    [[ $(endings) == "thread_exit fini" ]]
}

@test "a forked child signs nothing, and a vforked one leaves its parent's capture alone" {
    unnoticed "$PROGRAMS/fork_child"
    unnoticed "$PROGRAMS/vfork_child" "$PROGRAMS/exit_with" 3
    unnoticed "$PROGRAMS/vfork_child"
    flush
    [[ $(endings) == $'exit_with fini\nfork_child fini\nvfork_child fini\nvfork_child fini' ]]
}

@test "a program that has closed every descriptor has its end recorded" {
    unnoticed "$PROGRAMS/close_all"
    flush
    [[ $(endings) == "close_all fini" ]]
}

@test "without a spool the library does nothing" {
    rm -r "${SPOOL:?}"
    unnoticed "$PROGRAMS/exit_with" 1
}

@test "without a policy, or with a damaged one, the library does nothing" {
    rm "${CONF%.conf}.policy"
    unnoticed "$PROGRAMS/exit_with" 1
    head -c 100 /dev/urandom >"${CONF%.conf}.policy"
    unnoticed "$PROGRAMS/exit_with" 1
    flush
    [[ $(endings) == "" ]]
}

@test "a rank other than 0 leaves nothing" {
    PMI_RANK=1 PMI_SIZE=2 tracked "$PROGRAMS/exit_with"
    PMI_RANK=0 PMI_SIZE=2 tracked "$PROGRAMS/exit_with"
    flush
    [[ $(records | jq -c 'map(.userDT.num_tasks)') == '[2]' ]]
}

@test "captures that find no room are counted, and the program runs on" {
    rm -r "${SPOOL:?}"
    "$PROGRAMS/make_spool" "$SPOOL" "$JOB" 65536
    for ((i = 0; i < 20; i++)); do unnoticed "$PROGRAMS/exit_with"; done
    flush
    [[ $(records | jq 'length >= 3 and all(.[]; .slurmT.dropped > 0)') == true ]]
    [[ $(records | jq 'length + .[0].slurmT.dropped') == 20 ]]
}

# What bundles unpack or mount is gone when they end.
@test "runs of a bundle have the same paths, whatever directory it was unpacked in" {
    local top each
    cd "$BATS_TEST_TMPDIR"
    echo 'int f(void) { return 0; }' | gcc -shared -fPIC -Wl,-soname,libf.so -o libf.so -xc -
    # shellcheck disable=SC2016 # $ORIGIN is the loader's
    echo 'int f(void); int main(void) { return f(); }' | gcc -Wl,-rpath,'$ORIGIN' -o solver -xc - -L. -lf
    for each in _MEI _MEI .mount_solver .mount_solver; do
        top=$(mktemp -d "$PWD/${each}XXXXXX")
        cp solver libf.so "$top"
        tracked "$top/solver"
        rm -r "${top:?}"
    done
    flush
    [[ $(records | jq -r '.[] | .userT.exec_path' | sort | uniq -c | awk '{ print $1, $2 }') == \
        "2 $PWD/.mount_solver*/solver"$'\n'"2 $PWD/_MEI*/solver" ]]
    [[ $(records | jq -r '.[].libA[][0] | select(endswith("libf.so"))' | sort -u) == \
        "$PWD/.mount_solver*/libf.so"$'\n'"$PWD/_MEI*/libf.so" ]]
    [[ $(records | jq 'map(.libA | length) | unique | length') == 1 ]]
}
