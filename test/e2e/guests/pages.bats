#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Kernels with pages of 4, 16 and 64 KiB. None with larger ones is here, so a library says so to ours: it changes
# AT_PAGESZ in the auxiliary vector before our constructor reads it. Programs of this machine run that way. Those for
# aarch64 run under qemu-user, whose -p tells it to the whole program (up to its release 9). Neither refuses a
# mapping at another multiple of 4 KiB, so the system calls are looked at (fixture/check_mappings).
#
# What qemu-user cannot show: it refuses seccomp's modes, makes a fork of a vfork, has no list of robust futexes, and
# waits for ever where the main thread has ended before the others. A process begins when its qemu does: so no capture
# is of the same process as the one before an exec, whose end is then that of the job. There is no C library but
# glibc for aarch64.

load ../fixture/job
load ../fixture/packages

setup_file() {
    export PAGES=$BATS_FILE_TMPDIR
    cat >"$PAGES/pages.c" <<'C'
#include <link.h>
#include <stdlib.h>
extern char **environ;
__attribute__((constructor)) static void change(void)
{
    char **end = environ;
    while (*end != 0)
        end++;
    for (ElfW(auxv_t) *aux = (void *)(end + 1); aux->a_type != AT_NULL && getenv("TEST_PAGE"); aux++)
        if (aux->a_type == AT_PAGESZ)
            aux->a_un.a_val = strtoul(getenv("TEST_PAGE"), 0, 10);
}
C
    gcc -shared -fPIC -o "$PAGES/pages.so" "$PAGES/pages.c"
    # run PROGRAM [ARGUMENT...]: under qemu-user, with the variables that are for the program. It is static, so
    # that what they preload is not for it, and programs can exec it in the place of a program for aarch64.
    cat >"$PAGES/run.c" <<'C'
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    char log[256], preload[1024], *line[64] = {"qemu-aarch64", "-p", getenv("TEST_PAGE"), "-L", "/usr/aarch64-linux-gnu"};
    int at = 5, fd = -1;
    for (int i = 0; i < 100 && fd < 0; i++) {
        snprintf(log, sizeof log, "%s/log.%d.%d", getenv("TEST_LOGS"), (int)getpid(), i);
        fd = open(log, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    }
    if (getenv("LD_PRELOAD") != NULL) {
        snprintf(preload, sizeof preload, "LD_PRELOAD=%s", getenv("LD_PRELOAD"));
        unsetenv("LD_PRELOAD");
        line[at++] = "-E";
        line[at++] = preload;
    }
    line[at++] = "-strace";
    line[at++] = "-D";
    line[at++] = log;
    memcpy(line + at, argv + 1, (size_t)argc * sizeof *argv);
    execvp(line[0], line);
    return 126;
}
C
    gcc -static -o "$PAGES/run" "$PAGES/run.c" 2>"$PAGES/warnings"
    # preload/ as the project builds it, for another machine
    cat >"$PAGES/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(arm C)
include(GNUInstallDirs)
set(CMAKE_C_STANDARD 17)
foreach(extension LIBRARIES ROUTINES PROFILE WITNESS ANSWERS)
    set(JOBTRAIL_${extension} ON)
endforeach()
configure_file(${JOBTRAIL_SOURCE}/conf/base/extensions.h.in extensions.h)
include_directories(${JOBTRAIL_SOURCE} ${CMAKE_BINARY_DIR})
add_library(jobtrail_warnings INTERFACE)
target_compile_options(jobtrail_warnings INTERFACE -Wall -Wextra -Wconversion -Werror)
function(jobtrail_sources out)
    file(GLOB sources RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} *.c)
    set(${out} ${sources} PARENT_SCOPE)
endfunction()
add_subdirectory(${JOBTRAIL_SOURCE}/preload arm)
CMAKE
    cmake -S "$PAGES" -B "$PAGES" -G Ninja -DJOBTRAIL_SOURCE="$JOBTRAIL_SOURCE" -DCMAKE_SYSTEM_NAME=Linux \
        -DCMAKE_SYSTEM_PROCESSOR=aarch64 -DJOBTRAIL_RUNTIME_LIBDIR=lib -DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc \
        -DCMAKE_OBJCOPY="$(command -v aarch64-linux-gnu-objcopy)" >"$PAGES/configured"
    cmake --build "$PAGES" >"$PAGES/built"
    cd "$JOBTRAIL_SOURCE" || return 1
    aarch64-linux-gnu-gcc -shared -fPIC -o "$PAGES/arm/pages.so" "$PAGES/pages.c"
    for program in exit_with _exit_with exec_to fork_child vfork_child kill_self end_by exit_in_handler thread_exit threads_exit \
        close_all clear_environ dlopen_one seccomp_exit say_hello; do
        aarch64-linux-gnu-gcc -D_GNU_SOURCE -I. -o "$PAGES/arm/$program" "test/programs/$program.c" -pthread -ldl
    done
    aarch64-linux-gnu-gcc -o "$PAGES/arm/page_bytes" -xc - \
        <<<$'#include <stdio.h>\n#include <sys/auxv.h>\nint main(void) { printf("%lu\\n", getauxval(AT_PAGESZ)); return 0; }'
    aarch64-linux-gnu-gcc -static -D_GNU_SOURCE -I. -o "$PAGES/arm/static" test/programs/say_hello.c \
        "$PAGES/arm/startup/aarch64.o"
}

# The C library and qemu-user agree with ours on the size of pages where -p works.
has_page_option() {
    [[ $(qemu-aarch64 -p 65536 -L /usr/aarch64-linux-gnu "$PAGES/arm/page_bytes" 2>/dev/null) == 65536 ]]
}

setup() {
    new_job
}

# of_pages BYTES: what tracked() and unnoticed() start from here on says that its pages are so large
of_pages() {
    export TEST_PAGE=$1 TEST_LOGS=$BATS_TEST_TMPDIR/logs.$1
    rm -rf "$SPOOL" "$RECORDS" "$TEST_LOGS"
    mkdir "$TEST_LOGS"
    new_job
    TRACKED[-1]="LD_PRELOAD=$LIBRARY:$PAGES/pages.so"
}

# for_arm: the same for programs of aarch64
for_arm() {
    of_pages "$1"
    TRACKED[-1]="LD_PRELOAD=$PAGES/arm/libjobtrail.so"
    has_page_option || TRACKED[-1]+=":$PAGES/arm/pages.so"
}

# whole_pages: all of what the programs mapped, or ours alone where the C library knows another size
whole_pages() {
    local scope=(--shared)
    ! has_page_option || scope=()
    [[ $("$JOBTRAIL_SOURCE/test/e2e/fixture/check_mappings" "$TEST_PAGE" "${scope[@]}" "$TEST_LOGS"/*) -gt 0 ]]
}

# traced COMMAND...: of this machine, tracked
traced() {
    env "${TRACKED[@]:0:4}" strace -f -qq -E "${TRACKED[4]}" -o "$TEST_LOGS/log.$BASHPID.$RANDOM" \
        -e trace=mmap,munmap,mprotect,madvise,mremap "$@"
}

used_bytes() {
    od -An -t u8 -j 24 -N 8 "$SPOOL/$JOB.0/user/ledger" | tr -d ' '
}

@test "with pages of each size all is recorded, mappings are at their multiples, and the ledger is no larger" {
    local size used=""
    for size in 4096 16384 65536; do
        of_pages "$size"
        for _ in 1 2 3; do
            traced "$PROGRAMS/exit_with"
            traced "$PROGRAMS/kill_self" 9 || true
            traced "$PROGRAMS/fork_child"
            traced "$PROGRAMS/exec_to" "$PROGRAMS/vfork_child" "$PROGRAMS/exec_to" "$PROGRAMS/exit_with" 0
        done
        [[ $("$JOBTRAIL_SOURCE/test/e2e/fixture/check_mappings" "$size" --shared "$TEST_LOGS"/*) == 63 ]] # policy, head and slot
        [[ ${used:=$(used_bytes)} == "$(used_bytes)" ]]
        leaves "$(repeated 6 "exit_with fini")" "$(repeated 3 "kill_self epilog")" "$(repeated 3 "fork_child fini")" \
            "$(repeated 6 "exec_to exec")" "$(repeated 3 "vfork_child fini")"
    done
}

@test "a mapping at no multiple of the page's size is found" {
    of_pages 4096
    traced "$PROGRAMS/exit_with"
    run "$JOBTRAIL_SOURCE/test/e2e/fixture/check_mappings" 65536 --shared "$TEST_LOGS"/*
    [[ $status == 1 && $output == *"no multiple of 65536: "*MAP_SHARED* ]]
}

# RULES of fixture/packages: interpreters are recorded with their packages, and so are shells.
# shellcheck disable=SC2154 # hooks is of fixture/packages
@test "hooks find the run of their process among others in a large page" {
    make_module "$BATS_TEST_TMPDIR/lib" alpha
    mkdir "$BATS_TEST_TMPDIR/perl"
    echo '1;' >"$BATS_TEST_TMPDIR/perl/Beta.pm"
    of_pages 65536
    for _ in 1 2; do
        # shellcheck disable=SC2016
        hooked PYTHONPATH="$hooks/python:$BATS_TEST_TMPDIR/lib" bash -c '"$0/exit_with"; exec "$@"' "$PROGRAMS" \
            /usr/bin/python3 -c 'import alpha'
        # shellcheck disable=SC2016
        hooked bash -c '"$0/exec_to" "$@"; :' "$PROGRAMS" /usr/bin/perl -w -I"$BATS_TEST_TMPDIR/perl" -MBeta -e 'fork or exit'
    done
    # jobtrail-record-pkg looks for its parent's run, which has the pid of the shell before
    # shellcheck disable=SC2016
    hooked bash -c 'exec "$@"' shell /usr/bin/perl -e 'system @ARGV' "$hooks/xalt/libexec/xalt_record_pkg" \
        -u x program perl package_name gamma
    hooked R --no-save --quiet <<<'library(splines)' >/dev/null
    hooked octave-cli -q --eval 'x = 1;' >/dev/null
    flush
    # each package, and each hook, of the run that it was in; the machine's Python may load packages of its own
    [[ $(jq -n --slurpfile runs <(records) --slurpfile packages <(packages) -c '$packages[0] | map(. as $package
        | $runs[0][] | select(.userT.run_uuid == $package.xalt_run_uuid)
        | [$package.package_name, (.userT.exec_path | split("/")[-1] | sub("[0-9.]+$"; ""))]
        | select(.[0] == ("alpha", "Beta", "gamma"))) | sort') == \
        '[["Beta","perl"],["Beta","perl"],["alpha","python"],["alpha","python"],["gamma","perl"]]' ]]
    [[ $(records | jq -c 'map(select(.XALT_qaT.JOBTRAIL_PKGS_HOOK == "yes") | .userT.exec_path | split("/")[-1]
        | sub("[-0-9.].*"; "")) | sort') == '["R","octave","perl","perl","perl","python","python"]' ]]
}

@test "aarch64: the library imports and exports nothing, has no unwind tables, and is aligned to the largest pages" {
    [[ $(aarch64-linux-gnu-nm -D "$PAGES/arm/libjobtrail.so" 2>/dev/null) == "" ]]
    run aarch64-linux-gnu-readelf -dlW "$PAGES/arm/libjobtrail.so"
    [[ $output != *NEEDED* && $output != *TEXTREL* && $output != *TLS* && $output != *RWE* ]]
    [[ $(awk '$1 == "LOAD" { print $NF }' <<<"$output" | sort -u) == 0x10000 ]]
    [[ $(aarch64-linux-gnu-readelf -SW "$PAGES/arm/startup/aarch64.o") != *eh_frame* ]]
}

@test "aarch64: with pages of each size programs end as ever, are recorded, and map whole pages" {
    local size program=$PAGES/arm signal way
    for size in 4096 16384 65536; do
        for_arm "$size"
        unnoticed "$PAGES/run" "$program/exit_with" 3
        unnoticed "$PAGES/run" "$program/_exit_with" 3
        unnoticed "$PAGES/run" "$program/clear_environ" a-title
        unnoticed "$PAGES/run" "$program/close_all"
        unnoticed "$PAGES/run" "$program/dlopen_one" libm.so.6
        leaves "exit_with fini" "_exit_with epilog" "clear_environ fini" "close_all fini" "dlopen_one fini"
        whole_pages
    done
}

@test "aarch64: children, threads and programs one after the other" {
    local size program=$PAGES/arm
    for size in 4096 65536; do
        for_arm "$size"
        unnoticed "$PAGES/run" "$program/fork_child" 2
        unnoticed "$PAGES/run" "$program/vfork_child"
        unnoticed "$PAGES/run" "$program/vfork_child" "$PAGES/run" "$program/exit_with" 4
        unnoticed "$PAGES/run" "$program/thread_exit" 5
        unnoticed "$PAGES/run" "$program/threads_exit" 6
        unnoticed "$PAGES/run" "$program/exec_to" "$PAGES/run" "$program/exec_to" "$PAGES/run" "$program/exit_with" 4
        leaves "$(repeated 2 "exec_to epilog")" "$(repeated 2 "exit_with fini")" "fork_child fini" \
            "$(repeated 2 "vfork_child fini")" "thread_exit fini" "threads_exit fini"
        whole_pages
    done
}

@test "aarch64: signals, with our handlers and without" {
    local size program=$PAGES/arm signal way
    for size in 4096 65536; do
        for_arm "$size"
        for signal in 1 9 11 15; do
            unnoticed "$PAGES/run" "$program/kill_self" "$signal"
        done
        for way in abort _Exit quick_exit exit_group trap; do
            unnoticed "$PAGES/run" "$program/end_by" "$way"
        done
        unnoticed "$PAGES/run" "$program/exit_in_handler" 4
        leaves "$(repeated 4 "kill_self epilog")" "$(repeated 5 "end_by epilog")" "exit_in_handler fini"
        whole_pages
        for_arm "$size"
        for signal in 2 6 11 15; do
            XALT_SIGNAL_HANDLER=yes unnoticed "$PAGES/run" "$program/kill_self" "$signal"
        done
        leaves "$(repeated 4 "kill_self fini")"
        [[ $(records | jq -c 'map(.slurmT.signal) | sort') == '[2,6,11,15]' ]]
    done
}

@test "aarch64: a static program with the library in it, and programs that are sampled out or not recorded" {
    local size
    for size in 4096 65536; do
        for_arm "$size"
        unnoticed "$PAGES/run" "$PAGES/arm/static"
        leaves "static fini" "static fini" # it has the library without LD_PRELOAD, too
        whole_pages
        RULES=$'[paths]\nskip = .*/_exit_with\n[sampling]\nenabled = yes\nscalar = 0 1:100000000' for_arm "$size"
        unnoticed "$PAGES/run" "$PAGES/arm/exit_with" 3
        unnoticed "$PAGES/run" "$PAGES/arm/say_hello"
        unnoticed "$PAGES/run" "$PAGES/arm/_exit_with" 3
        unnoticed "$PAGES/run" "$PAGES/arm/seccomp_exit" strict
        [[ $("$PROGRAMS/list_ledger" "${TRACKED[0]#*=}/ledger" | grep -c '^stub') == 3 ]]
        leaves
        whole_pages
    done
}
