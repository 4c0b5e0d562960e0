#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Which routines of designated libraries a run calls: how programs are linked, and in which languages.

load ../fixture/job

setup_file() {
    cd "$BATS_FILE_TMPDIR" || return
    cat >library.c <<'END'
double one(double x) { return x + 1; }
double two(double x) { return x + 2; }
double three(double x) { return one(x) + 3; }
int sum(int count, ...)
{
    __builtin_va_list list;
    int all = 0;
    __builtin_va_start(list, count);
    for (int i = 0; i < count; i++)
        all += (int)__builtin_va_arg(list, double);
    __builtin_va_end(list);
    return all;
}
END
    cat >main.c <<'END'
#include <signal.h>
#include <stdio.h>
double one(double), two(double), three(double);
int sum(int, ...);
int main(int count, char **words)
{
    double all = 0;
    (void)words;
    for (int i = 0; i < 5; i++)
        all += one(i);
    all += three(1);
    if (count > 5)
        all += two(3);
    printf("%g %d\n", all, sum(3, 1.0, 2.0, 3.0));
    fflush(stdout);
    if (count > 1)
        raise(SIGKILL);
    return 0;
}
END
    cc -O2 -fPIC -shared -Wl,-soname,libdesignated.so.1 library.c -o libdesignated.so
    ln -s libdesignated.so libdesignated.so.1
}

setup() {
    LIBRARIES=$BATS_FILE_TMPDIR
    RULES=$KEEP_ALL$'\n[routines]\nkeep = soname:libdesignated\\.so\\..*\n'
    new_job
}

# linked NAME OPTION...: main.c, linked with these
linked() {
    cc -O2 "${@:2}" "$LIBRARIES/main.c" -o "$BATS_TEST_TMPDIR/$1" -L"$LIBRARIES" -ldesignated -Wl,-rpath,"$LIBRARIES"
}

# called: the routines of the first run, of which there is one record, in order, with one blank between
called() {
    records | jq -r '.[0].routineT.routineA | map(.[1]) | join(" ")'
}

@test "first calls are noted, however the program is linked, and what is not called is not" {
    local kind
    for kind in "-Wl,-z,lazy" "-Wl,-z,now" "-fno-plt -Wl,-z,now" "-fno-plt -Wl,-z,lazy" "-no-pie -Wl,-z,lazy" \
        "-no-pie -Wl,-z,now" "-fcf-protection=full -Wl,-z,lazy" "-fcf-protection=full -Wl,-z,now"; do
        # shellcheck disable=SC2086 # they are several options
        linked main $kind
        rm -rf "$RECORDS" "$SPOOL"
        new_job
        [[ $(tracked "$BATS_TEST_TMPDIR/main") == "20 6" ]]
        leaves "main fini"
        [[ $(called) == "one sum three" || $(called) == "one three sum" ]] || {
            echo "$kind: $(called)"
            return 1
        }
    done
}
