#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Executables that the loader treats in another way, or that it never sees: other C libraries, static
# ones, privileged ones; symbols, TLS and objects of unusual kind or number.
# shellcheck disable=SC2016 # for other shells and languages to expand

load ../fixture/job

setup() {
    new_job
}

teardown() {
    [[ -z ${place-} ]] || rm -rf "$place"
}

# build COMPILER OPTION...: the program "guest", which prints "hello" and ends with status argv[1]
build() {
    "$1" -O1 "${@:2}" -o "$BATS_TEST_TMPDIR/guest" "$JOBTRAIL_SOURCE/test/programs/say_hello.c"
}

@test "PIE and fixed-address, old and new hash tables, prelinked order: all are tracked" {
    local options
    for options in -pie -no-pie -Wl,--hash-style=sysv -Wl,-z,lazy "-Wl,-z,now -Wl,-z,relro" \
        -Wl,-z,execstack -Wl,-z,noseparate-code -Wl,-z,max-page-size=2097152 -s; do
        # shellcheck disable=SC2086 # words
        build gcc -no-pie $options
        unnoticed "$BATS_TEST_TMPDIR/guest" 3
    done
    leaves "$(repeated 9 "guest fini")"
}

@test "programs that lld linked are tracked" {
    build clang -fuse-ld=lld
    unnoticed "$BATS_TEST_TMPDIR/guest" 3
    leaves "guest fini"
}

@test "static programs, also position-independent ones, leave no record and no message" {
    build gcc -static
    unnoticed "$BATS_TEST_TMPDIR/guest" 3
    build gcc -static-pie
    unnoticed "$BATS_TEST_TMPDIR/guest" 3
    build musl-gcc -static
    unnoticed "$BATS_TEST_TMPDIR/guest" 3
    leaves
}

@test "a musl program runs as ever" {
    build musl-gcc
    readelf -l "$BATS_TEST_TMPDIR/guest" | grep -q 'interpreter: .*musl'
    unnoticed "$BATS_TEST_TMPDIR/guest" 3
    unnoticed "$PROGRAMS/vfork_child" "$BATS_TEST_TMPDIR/guest" 3
    flush
    [[ $(endings | grep -v '^guest') == "vfork_child fini" ]]
    (($(endings | grep -c '^guest' || true) <= 2))
}

@test "a program without any library but the loader's runs as ever" {
    printf 'int main(void);\nvoid _start(void) { __asm__("mov $60, %%eax\\n mov $3, %%edi\\n syscall"); }\n' |
        gcc -x c - -nostdlib -o "$BATS_TEST_TMPDIR/guest" -Wl,-dynamic-linker,/lib64/ld-linux-x86-64.so.2 -pie
    unnoticed "$BATS_TEST_TMPDIR/guest"
    leaves "guest epilog"
}

@test "a program that the loader is asked to run is recorded as itself" {
    local loader id
    build gcc -Wl,--build-id
    loader=$(readelf -lW "$BATS_TEST_TMPDIR/guest" | sed -n 's/.*interpreter: \(.*\)\]/\1/p')
    id=$(readelf -n "$BATS_TEST_TMPDIR/guest" | sed -n 's/.*Build ID: //p')
    cd "$BATS_TEST_TMPDIR"
    unnoticed "$loader" "$BATS_TEST_TMPDIR/guest" 3
    unnoticed "$loader" --argv0 other ./guest 3
    ln -s guest link
    unnoticed "$loader" --library-path "$BATS_TEST_TMPDIR" ./link 3
    flush
    [[ $(records | jq -r '.[] | "\(.userT.exec_path) \(.slurmT.build_id)"') == "$(repeated 3 "$BATS_TEST_TMPDIR/guest $id")" ]]
    [[ $(records | jq -c 'map(.cmdlineA[0] | split("/")[-1]) | sort') == '["guest","link","other"]' ]]
}

@test "scripts are recorded as their interpreter" {
    printf '#!%s\nexit 3\n' /usr/bin/perl >"$BATS_TEST_TMPDIR/script"
    chmod +x "$BATS_TEST_TMPDIR/script"
    unnoticed "$BATS_TEST_TMPDIR/script"
    leaves "perl fini"
    [[ $(records | jq -r '.[0].cmdlineA[1]') == "$BATS_TEST_TMPDIR/script" ]]
}

# A job of nobody, who can reach neither our build nor bats' files: all of it in $place.
nobodys_job() {
    place=$(mktemp -d)
    chmod 755 "$place"
    cp "$JOBTRAIL_STAGE/lib/libjobtrail.so" "$PROGRAMS/exit_with" "$PROGRAMS/list_fds" "$place"
    PLACE=$place LIBRARY=$place/libjobtrail.so OWNER=nobody new_job
    cd "$place" || return
}

AS_NOBODY=(setpriv --reuid nobody --regid nogroup --clear-groups)

# bats test_tags=needs:root
@test "a set-user-id or set-group-id program leaves no record and no message" {
    nobodys_job
    cp exit_with setuid
    cp exit_with setgid
    chmod 4755 setuid
    chmod 2755 setgid
    unnoticed "${AS_NOBODY[@]}" "$place/exit_with" 3
    unnoticed "${AS_NOBODY[@]}" "$place/setuid" 3
    unnoticed "${AS_NOBODY[@]}" "$place/setgid" 3
    flush
    [[ $(endings | grep -v setpriv) == "exit_with fini" ]]
}

# bats test_tags=needs:root
@test "a program with file capabilities leaves no record and no message" {
    nobodys_job
    cp exit_with capable
    setcap cap_net_raw+ep capable
    unnoticed "${AS_NOBODY[@]}" "$place/exit_with" 3
    unnoticed "${AS_NOBODY[@]}" "$place/capable" 3
    flush
    [[ $(endings | grep -v setpriv) == "exit_with fini" ]]
}

# bats test_tags=needs:root
@test "another user's process in the job leaves no record and no message" {
    nobodys_job
    unnoticed setpriv --reuid daemon --regid daemon --clear-groups "$place/exit_with" 3
    flush
    [[ $(endings | grep -v setpriv) == "" ]]
}

@test "a program keeps its symbols, whatever their names" {
    unnoticed "$PROGRAMS/own_symbols"
    [[ $(<"$BATS_TEST_TMPDIR/with/stdout") == ours ]]
    leaves "own_symbols fini"
}

@test "libraries that a program brings with it under well-known names are not touched" {
    local name
    mkdir "$BATS_TEST_TMPDIR/own"
    for name in libz.so.1 libcrypto.so.3 libuuid.so.1 libpthread.so.0 libdl.so.2 librt.so.1; do
        echo '__attribute__((constructor)) static void start(void) { __builtin_trap(); }' |
            gcc -x c - -shared -fPIC -nostdlib -Wl,-soname,"$name" -o "$BATS_TEST_TMPDIR/own/$name"
    done
    unnoticed env LD_LIBRARY_PATH="$BATS_TEST_TMPDIR/own" "$PROGRAMS/exit_with" 3
    flush
    [[ $(endings | grep exit_with) == "exit_with fini" ]]
}

@test "libraries that want static TLS find as much of it as ever" {
    local size loaded=0 refused=0
    for size in 64 512 1024 1280 1408 1472 1536 1600 1664 1728 1792 2048 4096 65536; do
        echo "__attribute__((tls_model(\"initial-exec\"))) __thread char room[$size]; char *at(void) { return room; }" |
            gcc -x c - -shared -fPIC -o "$BATS_TEST_TMPDIR/tls.so"
        unnoticed "$PROGRAMS/dlopen_one" "$BATS_TEST_TMPDIR/tls.so"
        if [[ $(<"$BATS_TEST_TMPDIR/with/status") == 0 ]]; then loaded=$((loaded + 1)); else refused=$((refused + 1)); fi
    done
    ((loaded > 0 && refused > 0))
    leaves "$(repeated 14 "dlopen_one fini")"
}

@test "a program with 200 libraries runs as ever and all of them are in its record" {
    local i libraries=()
    cd "$BATS_TEST_TMPDIR"
    echo 'int counted(void) { return 0; }' | gcc -x c - -shared -fPIC -o lib0.so
    for i in {1..200}; do
        cp lib0.so "libnumber$i.so"
        libraries+=("-lnumber$i")
    done
    build gcc -L. -Wl,--no-as-needed -Wl,-rpath,"$BATS_TEST_TMPDIR" "${libraries[@]}"
    unnoticed "$BATS_TEST_TMPDIR/guest" 3
    leaves "guest fini"
    [[ $(records | jq '.[0].libA | map(.[0] | select(test("/libnumber[0-9]+.so$"))) | unique | length') == 200 ]]
}

@test "an executable that is deleted, before its start or behind its end, has its record" {
    cp "$PROGRAMS/exit_with" "$BATS_TEST_TMPDIR/gone"
    tracked "$BATS_TEST_TMPDIR/gone" 3 || (($? == 3))
    rm "$BATS_TEST_TMPDIR/gone"
    unnoticed perl -MFile::Copy=cp -e 'my ($from, $to) = @ARGV; cp $from, $to; chmod 0755, $to;
        $^F = 99; open my $file, "<", $to; unlink $to; exec "/proc/self/fd/" . fileno $file, 4' \
        "$PROGRAMS/exit_with" "$BATS_TEST_TMPDIR/gone2"
    leaves "gone fini" "perl exec" "gone2 (deleted) fini"
}

# in_memory NAME ARGV0: a copy of the program
in_memory() {
    unnoticed /usr/bin/python3 -c '
import os, sys
fd = os.memfd_create(sys.argv[2])
os.write(fd, open(sys.argv[1], "rb").read())
os.execve(fd, [sys.argv[3], "4"], os.environ)' "$PROGRAMS/exit_with" "$@"
}

# paths: of all programs but Python
paths() {
    records | jq -r --arg python "/$PYTHON_NAME" '.[].userT.exec_path | select(endswith($python) | not)' | sort
}

@test "an executable that has no file, only memory, has its record, and the name of a program" {
    in_memory "in memory" other
    in_memory runc_cloned:/proc/self/exe runc
    in_memory runc_cloned:/proc/self/exe "$PROGRAMS/exit_with"
    leaves "$(repeated 3 "$PYTHON_NAME exec")" "in memory fini" "runc fini" "exit_with fini"
    [[ $(paths) == "$(printf '%s\n' "/memfd/in memory" /memfd/runc "$PROGRAMS/exit_with" | sort)" ]]
}

# As crun does it.
# bats test_tags=needs:root
@test "an executable in a mount that is attached nowhere has the name of its program" {
    local name
    for name in crun "$PROGRAMS/exit_with" /bin/ls; do
        unnoticed /usr/bin/python3 -c '
import ctypes, os, sys
open_tree, at_cwd, clone = 428, -100, 1
fd = ctypes.CDLL(None).syscall(open_tree, at_cwd, sys.argv[1].encode(), clone)
os.execve("/proc/self/fd/%d" % fd, [sys.argv[2], "4"], os.environ)' "$PROGRAMS/exit_with" "$name"
    done
    flush
    [[ $(paths) == "$(printf '%s\n' /crun "$PROGRAMS/exit_with" /ls | sort)" ]]
}

@test "an executable's path may be 4000 bytes long, and hold any byte" {
    local name deep=$BATS_TEST_TMPDIR
    name=$(printf '%0200d' 7)
    while ((${#deep} < 3800)); do deep+=/$name; done
    mkdir -p "$deep"
    cp "$PROGRAMS/exit_with" "$deep/exit_with"
    unnoticed "$deep/exit_with" 3
    name=$BATS_TEST_TMPDIR/$'new\nline \xff "quoted" \\ (deleted)'
    mkdir "$name"
    cp "$PROGRAMS/exit_with" "$name/exit_with"
    unnoticed "$name/exit_with" 4
    leaves "exit_with fini" "exit_with fini"
    [[ $(records | jq -r '.[].userT.exec_path | length' | sort -n | tail -n 1) == $((${#deep} + 10)) ]]
    [[ $(records | jq -r '.[].userT.exec_path | select(contains("new\nline \uefff \"quoted\" \\ (deleted)")) | length') -gt 0 ]]
}

@test "an executable too deep for a path has a record under the name it was called by" {
    unnoticed perl -MFile::Copy=cp -e 'my ($from, $to) = @ARGV; chdir $to or die;
        for (1 .. 30) { mkdir "x" x 200; chdir "x" x 200 or die }
        cp $from, "exit_with" or die; chmod 0755, "exit_with"; exec "./exit_with", 5' \
        "$PROGRAMS/exit_with" "$BATS_TEST_TMPDIR"
    flush
    [[ $(endings) == $'exit_with fini\nperl exec' ]]
    [[ $(records | jq -r '.[] | select(.cmdlineA[1] == "5") | .userT.exec_path') == ./exit_with ]]
}
