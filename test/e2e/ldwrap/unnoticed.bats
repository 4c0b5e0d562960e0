#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The linker wrapper is never in the way: with it, everything is as without.

load ../fixture/job
load ../fixture/links

setup() {
    new_links
    plain gcc -c hello.c
}

W=wrapped P=plain # where `both` leaves what was made, in $BATS_TEST_TMPDIR

@test "--version, --help, -v, -V and no arguments say what the linker says, for each linker" {
    for linker in ld ld.bfd ld.gold ld.lld ld.mold lld mold x86_64-linux-gnu-ld x86_64-linux-gnu-ld.gold; do
        both "$linker"
        for option in --version --help -v -V; do
            both "$linker" "$option" || { echo "$linker $option"; return 1; }
            both "/usr/bin/env" "$linker" "$option"
        done
    done
    [[ ! -e $RECORDS ]]
}

@test "a link that fails says what it says without the wrapper, once, with the same status" {
    echo 'int missing(void); int main(void) { return missing(); }' | plain gcc -x c -c - -o bad.o
    for linker in "${LINKERS[@]}"; do
        both gcc -fuse-ld="$linker" bad.o -o bad
        [[ $(cat "$SAID/status") == 1 && $(grep -c missing "$SAID/stderr") -ge 1 ]]
        [[ ! -e ../$W/bad ]]
        both gcc -fuse-ld="$linker" hello.o -lnowhere -o bad
        both gcc -fuse-ld="$linker" hello.o -Wl,--no-such-option -o bad
        both gcc -fuse-ld="$linker" hello.o nowhere.o -o bad
        both gcc -fuse-ld="$linker" hello.o -Wl,-m,elf_nonsense -o worse
        [[ $linker == mold ]] || # says a random name
            both gcc -fuse-ld="$linker" hello.o -o nowhere/bad
    done
    [[ $(links | jq 'map(select(.resultT.exec_path | endswith("bad"))) | length') == 0 ]]
}

@test "the warnings of a link that succeeds are there, once, in their order" {
    cat >warned.c <<'C'
int warned(void) { return 0; }
static const char text[] __attribute__((used, section(".gnu.warning.warned"))) = "better not";
C
    echo 'int warned(void); int main(void) { return warned(); }' >main.c
    plain gcc -c warned.c main.c
    for linker in bfd gold; do
        both gcc -fuse-ld="$linker" main.o warned.o -o warned
        grep -q 'better not' "$SAID/stderr"
        is_marked "../$W/warned"
        # both streams into one file
        both bash -c "gcc -fuse-ld=$linker main.o warned.o -o warned 2>&1"
    done
    both gcc -fuse-ld=lld main.o warned.o -Wl,-z,nonsense -o warned
    grep -q warning "$SAID/stderr"
}

@test "what the user asks the linker to report is byte for byte the same" {
    for linker in "${LINKERS[@]}"; do
        for report in -Wl,-M -Wl,--print-map -Wl,-Map=report -Wl,-Map,report -Wl,-t -Wl,--trace -Wl,--cref \
            "-Wl,-Map=report,--cref" -Wl,--print-memory-usage -Wl,--print-output-format -Wl,--verbose -Wl,-V \
            -Wl,--stats -Wl,--print-gc-sections,--gc-sections -Wl,-y,main -Wl,--trace-symbol=main; do
            # shellcheck disable=SC2094
            case "$linker$report" in
            *--stats | mold*--print-gc-sections* | mold*-y,main | mold*--trace-symbol*) continue ;; # never the same twice
            esac
            both gcc -fuse-ld="$linker" "$report" hello.o -o hello || { echo "$linker $report"; return 1; }
            [[ ! -e ../$P/hello ]] || cmp "../$P/hello" "../$W/hello" ||
                { echo "$linker $report: the program"; return 1; }
            [[ ! -e ../$P/report ]] || cmp "../$P/report" "../$W/report" ||
                { echo "$linker $report: the report"; return 1; }
        done
    done
    # They are recorded, and say that there is no mark.
    [[ $(links | jq 'length > 40 and all(.[]; .jobtrailT.marked == false)') == true ]]
}

@test "the user's dependency file is byte for byte the same, and the program marked" {
    for linker in "${LINKERS[@]}"; do
        for options in -Wl,--dependency-file=needs.d "-Wl,--dependency-file,needs.d -static"; do
            # shellcheck disable=SC2086
            both gcc -fuse-ld="$linker" $options hello.o -o hello
            [[ -s ../$W/needs.d ]]
            cmp "../$P/needs.d" "../$W/needs.d"
            is_marked "../$W/hello"
        done
    done
    [[ $(links | jq 'length == 8 and all(.[]; .jobtrailT.objects >= 6 and (.linkA | map(.[0]) | any(endswith("/libc.a") or endswith("/libc.so.6"))))') == true ]]
}

@test "but for the note a program and a library are the same, with each linker" {
    cat >lib.c <<'C'
int twice(int x) { switch (x) { case 1: return 7; case 2: return 5; case 3: return 1; case 9: return 0; } return 2 * x; }
C
    plain gcc -g -O2 -fPIC -fcf-protection=full -ffunction-sections -c hello.c lib.c
    for linker in "${LINKERS[@]}"; do
        for options in "" "-s" "-no-pie" "-Wl,--gc-sections" "-shared" "-Wl,-z,now,-z,relro" "-pthread -lm" \
            "-Wl,-z,noseparate-code" "-Wl,--build-id=none" "-Wl,--emit-relocs" "-nostartfiles -Wl,-e,main"; do
            # shellcheck disable=SC2086
            both gcc -fuse-ld="$linker" $options hello.o lib.o -o made
            [[ "$linker$options" != gold*noseparate-code ]] || continue # gold has no such option
            same_but_for_the_note "../$P/made" "../$W/made" || { echo "$linker $options"; return 1; }
            is_marked "../$W/made"
            is_unmarked "../$P/made"
        done
        done
}

# The real linker, which keeps a copy of what it is given by descriptor.
keeping_linker() { # NAME
    mkdir -p "$BATS_TEST_TMPDIR/keep"
    cat >"$BATS_TEST_TMPDIR/keep/$1" <<SH
#!/bin/bash
for argument; do
    case \$argument in /proc/self/fd/*) cat "\$argument" >"$BATS_TEST_TMPDIR/kept.o" ;; esac
done
exec /usr/bin/$1 "\$@"
SH
    chmod +x "$BATS_TEST_TMPDIR/keep/$1"
}

@test "the output is byte for byte that of the linker with the note's object behind its arguments" {
    for linker in "${LINKERS[@]}"; do
        keeping_linker "ld.$linker"
        link_line "$linker"
        wrapped PATH="$LD_DIRECTORY:$BATS_TEST_TMPDIR/keep:$PATH" "${LINK_LINE[@]}"
        mv hello by-wrapper
        plain "${LINK_LINE[@]}" "$BATS_TEST_TMPDIR/kept.o"
        cmp hello by-wrapper
        [[ $(readelf -SW "$BATS_TEST_TMPDIR/kept.o") == *.note.GNU-stack* ]]
    done
}

@test "response files are read as the linker reads them" {
    mkdir 'a dir'
    cp hello.o 'a dir/it'\''s.o'
    printf '%s\n' "'a dir/it'\\''s.o'" '-o "a dir/out"' >inner
    sed -i "s/'a dir\/it'.*/a\\\\ dir\/it\\\\'s.o/" inner
    echo "@inner -Wl,--gc-sections" >outer
    both gcc @outer
    is_marked "../$W/a dir/out"
    link_line bfd
    printf '%s\n' "${LINK_LINE[@]:1}" >all
    both ld.bfd @all
    same_but_for_the_note "../$P/hello" "../$W/hello"
    is_marked "../$W/hello"
    echo "-r hello.o -o partial.o" >relocatable
    both ld @relocatable
    cmp "../$P/partial.o" "../$W/partial.o"
    both ld @nowhere
    echo "@circle" >circle
    both ld @circle hello.o
}

@test "linker scripts: the libraries' own, those that add, and those that replace" {
    cp hello.o real.o
    echo 'INPUT(real.o)' >libreal.so
    both gcc -L. -lreal -o hello
    same_but_for_the_note "../$P/hello" "../$W/hello"
    is_marked "../$W/hello"
    echo 'SECTIONS { .mine : { *(.mine) } } INSERT AFTER .rodata;' >adds.ld
    for linker in bfd lld; do
        both gcc -fuse-ld="$linker" hello.o -Wl,-T,adds.ld -o hello
        is_marked "../$W/hello"
    done
    echo 'VERS_1 { global: main; local: *; };' >versions
    both gcc -shared hello.o -Wl,--version-script,versions -o libhello.so
    same_but_for_the_note "../$P/libhello.so" "../$W/libhello.so"
    is_marked "../$W/libhello.so"
    ld --verbose | sed '1,/^=====/d; /^=====/,$d' >whole.ld
    for option in -Wl,-Twhole.ld -Wl,-T,whole.ld -Wl,--script=whole.ld; do
        both gcc hello.o "$option" -o hello
        cmp "../$P/hello" "../$W/hello"
    done
    echo '.globl _start; _start: hlt' | as - -o boot.o
    echo 'SECTIONS { . = 0x7c00; .text : { *(.text) } }' >boot.ld
    for linker in ld.bfd ld.gold ld.lld; do # mold knows no SECTIONS
        for options in "-T boot.ld" boot.ld ""; do
            # shellcheck disable=SC2086
            both "$linker" $options boot.o -o boot
            cmp "../$P/boot" "../$W/boot"
        done
    done
    for options in "-Ttext=0x7c00" "-Ttext 0x7c00" "--section-start=.text=0x7c00" -N --oformat=binary "--oformat binary"; do
        # shellcheck disable=SC2086
        both ld $options boot.o -o boot
        cmp "../$P/boot" "../$W/boot"
    done
}

# bats test_tags=needs:root
@test "probes of autoconf and CMake, -r, -b binary and /dev/null are left alone" {
    both gcc hello.o -o conftest
    cmp "../$P/conftest" "../$W/conftest"
    both gcc hello.o -o cmTC_0123a
    cmp "../$P/cmTC_0123a" "../$W/cmTC_0123a"
    both gcc -shared -fPIC hello.o -o libcmTC_0123a.so
    cmp "../$P/libcmTC_0123a.so" "../$W/libcmTC_0123a.so"
    both ld -r hello.o -o partial.o
    cmp "../$P/partial.o" "../$W/partial.o"
    both ld -r -b binary hello.c -o embedded.o
    cmp "../$P/embedded.o" "../$W/embedded.o"
    both setpriv --reuid 65534 --clear-groups gcc "$WORK/hello.o" -o /dev/null
    [[ -c /dev/null && ! -e $RECORDS ]]
}

@test "odd names: blanks, quotes, newlines, bytes that are no UTF-8" {
    odd=$'blank \' quote " $dollar \\ back # hash : colon \xff\xc3( caf\xc3\xa9'
    mkdir "$odd"
    cp hello.o "$odd/$odd.o"
    ar rcs "$odd/$odd.a" hello.o
    for linker in "${LINKERS[@]}"; do
        both gcc -fuse-ld="$linker" "$odd/$odd.o" "$odd/$odd.a" -o "$odd/$odd"
        is_marked "../$W/$odd/$odd"
        same_but_for_the_note "../$P/$odd/$odd" "../$W/$odd/$odd"
    done
    [[ $(links | jq 'length == 4 and all(.[]; .resultT.exec_path | contains("blank '\'' quote \" $dollar \\ back # hash : colon"))') == true ]]
    # the archive is among the libraries, with each linker
    [[ $(links | jq 'all(.[]; .linkA | map(.[0]) | any(contains("blank '\'' quote \" $dollar \\ back # hash : colon") and endswith(".a")))') == true ]]
}

@test "a pipe among the arguments is opened by the linker alone, once" {
    mkfifo pipe pipe.o
    # shellcheck disable=SC2016
    piped='cat "$0" >"$1" & timeout '$((60 * SLOW))' "${@:2}"; status=$?; kill $! 2>/dev/null; exit $status'
    for linker in "${LINKERS[@]}"; do
        both bash -c "$piped" hello.o pipe gcc -fuse-ld="$linker" pipe -o made
        [[ $(cat "$SAID/status") != 124 ]]
        [[ ! -e ../$P/made ]] || cmp "../$P/made" "../$W/made" # lld alone takes a pipe
        both bash -c "$piped" hello.o pipe gcc -fuse-ld="$linker" hello.o pipe -lnowhere -o made
        [[ $(cat "$SAID/status") == 1 ]]
    done
    [[ ! -e $RECORDS ]]
    # One that is named as an object is found when the link has failed.
    for linker in "${LINKERS[@]}"; do
        for more in "" -lnowhere; do
            # shellcheck disable=SC2086
            both bash -c "$piped" hello.o pipe.o gcc -fuse-ld="$linker" pipe.o $more -o made
            [[ $(cat "$SAID/status") != 124 ]]
        done
    done
    rm -rf "$RECORDS"
    echo '{ global: main; local: *; };' >versions
    for more in "" -lnowhere; do
        # shellcheck disable=SC2086
        both bash -c "$piped" versions pipe gcc -shared -fPIC hello.o -Wl,--version-script,pipe $more -o libhello.so
        # shellcheck disable=SC2016,SC2086
        both bash -c 'gcc hello.o -Wl,--version-script=<(cat versions) "$@"' bash $more -o hello
    done
    link_line bfd
    printf '%s\n' "${LINK_LINE[@]:1}" >all
    both bash -c "$piped" all pipe ld.bfd @pipe
    [[ ! -e $RECORDS ]]
}

@test "a linker that takes neither our object nor our option is asked again without them" {
    mkdir refuse
    cat >refuse/ld <<'SH'
#!/bin/bash
for argument; do
    case $argument in
    /proc/*) echo "rejected" >&2; exit 1 ;;
    esac
done
exec /usr/bin/ld "$@"
SH
    cat >refuse/ld.bfd <<'SH'
#!/bin/bash
for argument; do
    case $argument in --dependency-file*) echo "unrecognized option '$argument'" >&2; exit 1 ;; esac
done
exec /usr/bin/ld.bfd "$@"
SH
    chmod +x refuse/*
    wrapped PATH="$LD_DIRECTORY:$WORK/refuse:$PATH" gcc hello.o -o refused >said 2>&1
    [[ ! -s said ]]
    ./refused
    is_unmarked refused
    # An older GNU ld: marked, and recorded with what the command line names.
    wrapped PATH="$LD_DIRECTORY:$WORK/refuse:$PATH" gcc -fuse-ld=bfd hello.o -o older >said 2>&1
    [[ ! -s said ]]
    recorded_as "$(mark older Build_UUID)"
    [[ $(links | jq -c '[.[].jobtrailT.objects]') == '[6]' ]]
}

# bats test_tags=needs:root
@test "a read-only, full, or missing temporary directory, home and record directory" {
    mkdir full
    mount -t tmpfs -o size=64k none full
    dd if=/dev/zero of=full/zero bs=4k count=100 2>/dev/null || true
    link_line bfd
    for place in /nowhere /proc "$PWD/full"; do
        wrapped TMPDIR="$place" HOME="$place" "${LINK_LINE[@]}" >said 2>&1
        [[ ! -s said ]]
        is_marked hello
    done
    rm -rf "$RECORDS"
    sed -i "s,^dir = .*,dir = $PWD/full/records," "$CONF"
    rm hello
    wrapped HOME=/proc "${LINK_LINE[@]}" >said 2>&1
    umount full
    [[ ! -s said ]]
    is_marked hello
    # no home at all, a configuration that is bad, and none
    wrapped env -u HOME "${LINK_LINE[@]}"
    echo nonsense >>"$CONF"
    wrapped "${LINK_LINE[@]}" >said 2>&1
    rm "$CONF"
    wrapped "${LINK_LINE[@]}" >>said 2>&1
    [[ ! -s said ]]
    is_unmarked hello
}

# bats test_tags=needs:root
@test "few descriptors, little memory, no /proc: the link is made" {
    link_line bfd
    (
        ulimit -n 50
        wrapped "${LINK_LINE[@]}" >said 2>&1
    )
    [[ ! -s said ]]
    ./hello
    is_unmarked hello
    # The least memory that the plain link can do with, in steps of 2 MiB, and 16 MiB for us.
    least=2
    until (ulimit -v $((least * 1024)) && plain "${LINK_LINE[@]}" >/dev/null 2>&1); do
        least=$((least + 2))
        ((least < 500))
    done
    for more in 16 18 20 24 32; do
        rm -f hello
        (
            ulimit -v $(((least + more) * 1024))
            wrapped "${LINK_LINE[@]}"
        )
        ./hello
    done
    rm hello
    unshare --mount bash -c 'mount -t tmpfs none /proc && "$@"' bash env "${WRAPPED[@]}" "${LINK_LINE[@]}" >said 2>&1
    [[ ! -s said ]]
    ./hello
}

@test "switched off: by the user, by the site" {
    wrapped XALT_EXECUTABLE_TRACKING=no gcc hello.o -o hello
    is_unmarked hello
    wrapped env -u XALT_EXECUTABLE_TRACKING gcc hello.o -o hello
    is_unmarked hello
    echo 'tracking = no' >>"$CONF"
    wrapped gcc hello.o -o hello
    is_unmarked hello
    [[ ! -e $RECORDS ]]
}

@test "XALT_TRACING says what was done, where it was asked to" {
    wrapped XALT_TRACING=link gcc hello.o -o hello 2>said
    [[ $(cat said) == "jobtrail-ld: hello: marked, recorded as $(mark hello Build_UUID)" ]]
    wrapped XALT_TRACING=link:"$PWD/trace" gcc hello.o -o conftest 2>said
    [[ ! -s said && $(cat trace) == "jobtrail-ld: conftest: plain link: a probe of autoconf or CMake" ]]
    wrapped XALT_TRACING=run gcc hello.o -o hello 2>said
    [[ ! -s said ]]
}

@test "a parallel build: each link is marked and recorded, and make's job server works" {
    for i in {1..40}; do echo "program$i: hello.o; gcc hello.o -o program$i"; done >Makefile
    echo "all: $(echo program{1..40})" >>Makefile
    wrapped make -s -j8 all >said 2>&1
    [[ ! -s said ]]
    for i in {1..40}; do mark "program$i" Build_UUID; done | sort -u >uuids
    [[ $(wc -l <uuids) == 40 ]]
    diff uuids <(links | jq -r '.[].resultT.uuid' | sort)
    # gcc asks the job server through descriptors that make has handed on.
    printf 'lto: ; +gcc -O2 -flto=jobserver hello.c -o lto\nclosed: ; gcc -O2 -flto=jobserver hello.c -o lto\n' >Makefile
    both make -s -j4 lto
    both make -s -j4 closed
    is_marked "../$W/lto"
}

# A linker that says that it runs, and ends when it is ended.
patient_linker() {
    mkdir -p patient
    cat >patient/ld <<SH
#!/bin/bash
ls -l /proc/self/fd >"$WORK/descriptors"
echo \$\$ >"$WORK/pid.new"
mv "$WORK/pid.new" "$WORK/pid"
exec tail -f /dev/null
SH
    chmod +x patient/ld
}

@test "an interrupted build: Ctrl-C, a signal to the wrapper alone, and SIGKILL leave nothing behind" {
    patient_linker
    mkdir tmp
    for signal in INT TERM HUP QUIT; do
        for target in group wrapper; do
            rm -f pid
            # A process group of its own, as a terminal has it.
            TMPDIR=$PWD/tmp setsid env "${WRAPPED[@]}" PATH="$LD_DIRECTORY:$PWD/patient:$PATH" \
                python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
signal.signal(signal.SIGQUIT, signal.SIG_DFL)
os.execvp("ld", ["ld", "hello.o", "-o", "never"])' &
            wrapper=$!
            wait_for test -e pid
            pid=$(cat pid)
            if [[ $target == group ]]; then
                kill -"$signal" -- "-$wrapper"
            else
                kill -"$signal" "$wrapper"
            fi
            status=0
            wait "$wrapper" || status=$?
            ((status == 128 + $(kill -l "$signal"))) || { echo "$signal $target: $status"; return 1; }
            wait_for process_ended "$pid"
        done
    done
    rm -f pid
    TMPDIR=$PWD/tmp setsid env "${WRAPPED[@]}" PATH="$LD_DIRECTORY:$PWD/patient:$PATH" ld hello.o -o never &
    wait_for test -e pid
    kill -KILL $!
    wait_for process_ended "$(cat pid)"
    [[ -z $(ls -A tmp) && ! -e never && ! -e $RECORDS ]]
}

@test "the linker inherits what it would, and ours under high numbers" {
    patient_linker
    mv hello.o crt1.o
    sed -i 's/^exec tail.*/exit 3/' patient/ld
    wrapped PATH="$LD_DIRECTORY:$PWD/patient:$PATH" ld crt1.o -o never 7</dev/null && return 1
    # The second try is the plain link: nothing of ours is open in it.
    [[ $(grep -c -- '->' descriptors) -ge 4 && $(grep -c jobtrail descriptors) == 0 ]]
    # and the first one, which has them
    sed -i 's/^ls /[[ $* != *proc* ]] || ls /' patient/ld
    wrapped PATH="$LD_DIRECTORY:$PWD/patient:$PATH" ld crt1.o -o never 7</dev/null && return 1
    [[ $(awk '/memfd:jobtrail/ && $9 >= 200' descriptors | wc -l) == 2 ]]
    [[ $(awk '/memfd:jobtrail/ && $9 < 200' descriptors) == "" ]]
}

@test "wrappers that call each other: XALT's way of looking, and another jobtrail" {
    mkdir other xalt
    cp "$JOBTRAIL_BIN/jobtrail-ld" other/ld
    cat >xalt/ld <<'SH'
#!/bin/bash
# the first ld of PATH that is not this file
here=$(dirname "$(readlink -f "$0")")
while IFS= read -r directory; do
    [[ $directory != "$here" && -x $directory/ld ]] && exec "$directory/ld" "$@"
done < <(tr : '\n' <<<"$PATH")
SH
    chmod +x xalt/ld
    link_line bfd
    LINK_LINE[0]=ld
    for order in "$LD_DIRECTORY:$PWD/xalt" "$PWD/xalt:$LD_DIRECTORY" "$LD_DIRECTORY:$PWD/other" \
        "$PWD/other:$LD_DIRECTORY:$PWD/xalt" "$PWD/xalt:$PWD/other:$LD_DIRECTORY"; do
        rm -rf hello "$RECORDS"
        timeout $((60 * SLOW)) env "${WRAPPED[@]}" COMPILER_PATH= PATH="$order:$PATH" "${LINK_LINE[@]}" >said 2>&1
        [[ ! -s said ]]
        ./hello
        [[ $(links | jq length) == 1 ]] || { echo "$order: $(links | jq length) records"; return 1; }
        recorded_as "$(mark hello Build_UUID)"
    done
    # alone in the world: a clear word
    run -127 env "${WRAPPED[@]}" PATH="$LD_DIRECTORY" ld hello.o
    [[ $output == "jobtrail-ld: no other ld than this one"* ]]
}

@test "very much that the linker says goes through, also when it fails" {
    mkdir loud
    cat >loud/ld <<'SH'
#!/bin/bash
yes 'a line of thirty-two characters!' | head -c 40000000 >&2
echo end
exit 5
SH
    chmod +x loud/ld
    status=0
    wrapped PATH="$LD_DIRECTORY:$PWD/loud:$PATH" ld hello.o -o never 2>errors >output || status=$?
    ((status == 5))
    [[ $(stat -c %s errors) == 40000000 && $(cat output) == end ]]
}
