#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The linker wrapper: which links it sees, what it writes into the file, and what it records.

load ../fixture/job
load ../fixture/links

setup() {
    new_links
}

# expect_marked COMPILER LINKED [WRAPPER]: the one record since is this compiler's, called by this wrapper,
# and has the mark of LINKED
expect_marked() {
    local uuid
    uuid=$(mark "$2" Build_UUID)
    [[ $(links | jq -c --arg uuid "$uuid" 'map([.resultT.uuid == $uuid, .resultT.link_program, .jobtrailT.wrapper])') == "[[true,\"$1\",\"${3-}\"]]" ]] ||
        { echo "$2: $uuid"; links | jq -c '.[] | [.resultT, .link_line]'; return 1; }
    rm -rf "$RECORDS"
}

@test "every way to ask for a linker leads to the wrapper: gcc" {
    for linker in "" -fuse-ld=bfd -fuse-ld=gold -fuse-ld=lld -fuse-ld=mold -flto -m32 "-shared -fPIC"; do
        # shellcheck disable=SC2086
        wrapped gcc $linker hello.c -o made
        expect_marked gcc made
    done
    # by PATH alone, by COMPILER_PATH alone, by -B
    wrapped env -u COMPILER_PATH gcc hello.c -o made
    expect_marked gcc made
    wrapped PATH="$PATH" gcc hello.c -o made
    expect_marked gcc made
    wrapped env -u COMPILER_PATH PATH="$PATH" gcc -B"$LD_DIRECTORY" hello.c -o made
    expect_marked gcc made
}

@test "every way to ask for a linker leads to the wrapper: clang" {
    for linker in "" -fuse-ld=lld -fuse-ld=gold -fuse-ld=mold -fuse-ld=bfd; do
        # shellcheck disable=SC2086
        wrapped clang $linker hello.c -o made
        expect_marked clang made
    done
    wrapped env -u COMPILER_PATH PATH="$PATH" clang --ld-path="$LD_DIRECTORY/ld.lld" hello.c -o made
    expect_marked clang made
    wrapped env -u COMPILER_PATH PATH="$PATH" clang -B"$LD_DIRECTORY" hello.c -o made
    expect_marked clang made
    # another target: the linker that clang would take is GNU's for it
    both clang --target=aarch64-linux-gnu hello.c -o made
    same_but_for_the_note ../plain/made ../wrapped/made
}

@test "every way to ask for a linker leads to the wrapper: C++, Fortran, MPI, Rust, Go, a cross compiler" {
    echo 'int main() { throw 1; }' >throw.cc
    printf '      program p\n      print *, 1\n      end\n' >p.f
    printf 'fn main() { println!("hello"); }\n' >main.rs
    mkdir go
    printf 'package main\n\n// #include <stdlib.h>\nimport "C"\n\nfunc main() { println(C.abs(-3)) }\n' >go/main.go
    wrapped g++ throw.cc -o made
    expect_marked g++ made
    wrapped gfortran p.f -o made
    expect_marked gfortran made
    wrapped mpicc.openmpi hello.c -o made
    expect_marked gcc made mpicc.openmpi
    wrapped mpicc.mpich hello.c -o made # a shell script
    expect_marked gcc made mpicc.mpich
    wrapped /usr/bin/rustc main.rs -o made
    expect_marked rustc made
    wrapped /usr/bin/rustc -C link-arg=-fuse-ld=lld main.rs -o made
    expect_marked rustc made
    (cd go && wrapped GO111MODULE=off GOCACHE="$PWD/cache" GOFLAGS=-p=1 go build -o ../made main.go)
    [[ $(links | jq -r '.[].resultT.link_program' | sort -u) == go ]]
    recorded_as "$(mark made Build_UUID)"
    rm -rf "$RECORDS"
    wrapped aarch64-linux-gnu-gcc hello.c -o made
    expect_marked aarch64-linux-gnu-gcc made
    wrapped make -s hello CC=cc
    expect_marked cc hello
    wrapped ld -shared hello.o -o made 2>/dev/null || wrapped gcc -c hello.c
    rm -rf "$RECORDS"
    wrapped ld -shared hello.o -o made
    expect_marked ld made
}

# compiled_by NAME WRAPPER: the one record since names the compiler, its file and the command line that it
# was called by, as XALT 3.2.4 does, and the wrapper by itself; so does the mark
compiled_by() {
    local file
    file=$(readlink -f "$(command -v "$1")")
    [[ $(links | jq -c 'map([.resultT.link_program, .resultT.link_path, (.link_line[0] | split("/")[-1]), .jobtrailT.wrapper])') == \
        "[[\"$1\",\"$file\",\"$1\",\"$2\"]]" ]] || { links | jq -c '.[] | [.resultT, .jobtrailT, .link_line]'; return 1; }
    [[ $(mark made Build_compiler) == "$1" && $(mark made Build_compilerPath) == "$file" ]]
    rm -rf "$RECORDS"
}

@test "the compiler is the compiler, and the MPI wrapper around it by itself: Open MPI and MPICH" {
    local mpi
    printf '#include <mpi.h>\nint main(void) { return MPI_Init(0, 0); }\n' >mpi.c
    cp mpi.c mpi.cc
    printf '      program p\n      include "mpif.h"\n      integer e\n      call mpi_init(e)\n      end\n' >mpi.f
    for mpi in openmpi mpich; do
        wrapped mpicc.$mpi mpi.c -o made
        compiled_by gcc mpicc.$mpi
        wrapped mpicxx.$mpi mpi.cc -o made
        compiled_by g++ mpicxx.$mpi
        wrapped mpif90.$mpi mpi.f -o made
        compiled_by gfortran mpif90.$mpi
        wrapped env OMPI_CC=clang MPICH_CC=clang mpicc.$mpi mpi.c -o made
        compiled_by clang mpicc.$mpi
        # by make, and by a script that is called by a path of its own, as a relative one and with options
        printf 'made: mpi.c; mpicc.%s $< -o $@\n' $mpi >Makefile
        wrapped make -s -B made
        compiled_by gcc mpicc.$mpi
        mkdir -p bin
        printf '#!/bin/bash -e\nmpicc.%s "$@"\n' $mpi >bin/mpicc
        printf '#!/bin/sh\nmpicc.%s "$@"\n' $mpi >bin/h5cc
        chmod +x bin/*
        wrapped ./bin/mpicc mpi.c -o made
        compiled_by gcc mpicc
        wrapped bin/h5cc mpi.c -o made
        compiled_by gcc h5cc
        wrapped PATH="$LD_DIRECTORY:$PWD/bin:$PATH" mpicc mpi.c -o made
        compiled_by gcc mpicc
    done
}

@test "what build tools remember of a link to the wrapper holds when an upgrade moves it" {
    local kept=(env "${WRAPPED[@]}" PATH="$WORK/kept:$PATH" COMPILER_PATH="$WORK/kept") linker
    ln -s "$LD_DIRECTORY" kept
    linker=$("${kept[@]}" gcc -print-prog-name=ld)
    [[ $linker == "$WORK/kept/"*ld ]]
    cp -R "$JOBTRAIL_STAGE" upgraded
    ln -sfn upgraded/libexec/jobtrail/ld kept
    gcc -c hello.c
    "${kept[@]}" "$linker" -r hello.o -o partial.o
    ld -r hello.o -o plain.o
    cmp partial.o plain.o
    "${kept[@]}" gcc hello.c -o made
    recorded_as "$(mark made Build_UUID)"
}

@test "a link of before 1970 is of 1970, and expires" {
    gcc -shared -fPIC -x c - -o then.so <<'C'
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec *now)
{
    int failed = (int)syscall(SYS_clock_gettime, clock, now);
    if (clock == CLOCK_REALTIME)
        now->tv_sec = -315619200;
    return failed;
}
C
    wrapped LD_PRELOAD="$WORK/then.so" gcc hello.c -o made
    [[ $(links | jq -c 'map(.jobtrailT.start_time)') == '[0]' ]]
}

@test "the compiler is the compiler in a shell, by make, by CMake and by a script as libtool's" {
    echo 'int main() { return 0; }' >empty.cc
    wrapped gcc hello.c -o made
    compiled_by gcc ""
    wrapped sh -c 'clang++ empty.cc -o made; true'
    compiled_by clang++ ""
    # shellcheck disable=SC2016 # the Makefile's
    printf 'made: hello.c; $(CC) $< -o $@\n' >Makefile
    wrapped make -s -B made CC='bash -c "gcc hello.c -o made; true"'
    compiled_by gcc ""
    # libtool's own name is no compiler's, and what its script calls is
    printf '#! /bin/bash\nshift\n"$@"\n' >libtool
    chmod +x libtool
    wrapped ./libtool --mode=link gcc hello.c -o made
    compiled_by gcc ""
    wrapped ./libtool --mode=link mpicc.openmpi hello.c -o made
    compiled_by gcc mpicc.openmpi
    printf 'cmake_minimum_required(VERSION 3.20)\nproject(p C)\nadd_executable(made hello.c)\n' >CMakeLists.txt
    wrapped cmake -G "Unix Makefiles" -S . -B build -D CMAKE_C_COMPILER=gcc >/dev/null
    wrapped cmake --build build >/dev/null
    [[ $(links | jq -c 'map([.resultT.link_program, .jobtrailT.wrapper]) | unique') == '[["gcc",""]]' ]]
    rm -rf "$RECORDS"
    # an executable of a compiler's name that leads to ccache
    mkdir bin
    cp "$(command -v env)" bin/ccache
    ln -s ccache bin/gcc
    wrapped bin/gcc bash -c 'cc hello.c -o made; true'
    compiled_by cc ""
}

@test "the store has the compiler and the wrapper" {
    wrapped mpicc.openmpi hello.c -o made
    wrapped gcc hello.c -o made2
    "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$BATS_TEST_TMPDIR/store" "$RECORDS"
    [[ $(sqlite3 "$BATS_TEST_TMPDIR/store" 'SELECT link_program, wrapper FROM link ORDER BY wrapper') == $'gcc|\ngcc|mpicc.openmpi' ]]
    [[ $(sqlite3 "$BATS_TEST_TMPDIR/store" 'SELECT DISTINCT link_program FROM xalt_link') == gcc ]]
}

# libraries: the base names in linkA of the one record, and how many other files went in
libraries() {
    links | jq -r '.[0] | "\([.linkA[][0] | split("/")[-1]] | sort | join(" ")) and \(.jobtrailT.objects)"'
    rm -rf "$RECORDS"
}

@test "linkA has libraries and no objects, as XALT's: whatever the objects are called and however they are named" {
    local linker libc="ld-linux-x86-64.so.2 libc.so.6 libc_nonshared.a libgcc.a libgcc_s.so.1"
    # What XALT 3.2.4 writes for this link, without its own libz, libm and libdl, and without linker scripts.
    wrapped gcc hello.c -o made
    [[ $(libraries) == "$libc and 6" ]] # crt1.o, crti.o, crtbegin.o, crtend.o, crtn.o and the temporary one
    mkdir libx.o.d sub
    echo 'int x(void) { return 1; }' | plain gcc -c -x c - -o x.lo
    cp x.lo x.obj
    cp x.lo libx.o.d/x.o
    echo 'int x(void); int main(void) { return x(); }' | plain gcc -c -x c - -o main.o
    plain gcc -shared -fPIC -x c - -o libx.o.d/libx.so <<<'int x(void) { return 1; }'
    ar rcsT thin.a libx.o.d/x.o
    ar rcs fat.a x.lo
    printf '%s\n' main.o libx.o.d/x.o >response
    echo 'INPUT(x.obj)' >script.ld
    for linker in "${LINKERS[@]}"; do
        wrapped gcc -fuse-ld="$linker" main.o x.lo -nostdlib -e main -o made
        [[ $(libraries) == " and 2" ]]
        wrapped gcc -fuse-ld="$linker" main.o x.obj -nostdlib -e main -o made
        [[ $(libraries) == " and 2" ]]
        wrapped gcc -fuse-ld="$linker" @response -nostdlib -e main -o made
        [[ $(libraries) == " and 2" ]]
        wrapped gcc -fuse-ld="$linker" main.o libx.o.d/libx.so -nostdlib -e main -o made
        [[ $(libraries) == "libx.so and 1" ]]
        wrapped gcc -fuse-ld="$linker" main.o fat.a -nostdlib -e main -o made
        [[ $(libraries) == "fat.a and 1" ]]
        wrapped gcc -fuse-ld="$linker" main.o thin.a -nostdlib -e main -o made
        [[ $(libraries) == "thin.a and "[12] ]] # some name the member's file too
        wrapped gcc -fuse-ld="$linker" main.o script.ld -nostdlib -e main -o made
        [[ $(libraries) == " and 2" ]]
        wrapped gcc -fuse-ld="$linker" hello.c -o made
        [[ $(libraries) != *.o\ * ]]
    done
    for linker in bfd gold; do
        wrapped gcc -fuse-ld="$linker" -O1 -flto hello.c -o made
        [[ $(links | jq '[.[0].linkA[][0] | select(endswith(".o"))] | length') == 0 ]]
        rm -rf "$RECORDS"
    done
    wrapped clang -fuse-ld=lld -flto hello.c -o made
    [[ $(links | jq '[.[0].linkA[][0] | select(endswith(".o"))] | length') == 0 ]]
}

@test "what the linker is given by a path below /tmp is not named, as XALT has it, but is counted" {
    local directory
    directory=$(mktemp -d /tmp/jobtrail-links-XXXXXX)
    plain gcc -shared -fPIC -x c - -o "$directory/libtemporary.so" <<<'int x(void) { return 1; }'
    echo 'int x(void); int main(void) { return x(); }' | plain gcc -c -x c - -o main.o
    wrapped gcc main.o -nostdlib -e main -L"$directory" -ltemporary -o made
    rm -r "$directory"
    [[ $(libraries) == " and 2" ]]
}

@test "compiling again adds no row to the store's objects" {
    local before store="$BATS_TEST_TMPDIR/store"
    wrapped gcc hello.c -o made
    "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$store" "$RECORDS"
    before=$(sqlite3 "$store" 'SELECT count(*) FROM object')
    for _ in 1 2 3; do wrapped gcc hello.c -o made; done
    "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$store" "$RECORDS"
    [[ $(sqlite3 "$store" 'SELECT count(*) FROM link') == 4 ]]
    [[ $before -gt 3 && $(sqlite3 "$store" 'SELECT count(*) FROM object') == "$before" ]]
}

@test "objects of links that a store has from before expire with their links" {
    local store="$BATS_TEST_TMPDIR/store" uuid=0e6a6fb6-6d2f-4a2b-9f0f-0d5a0a9f0001
    wrapped gcc hello.c -o made
    links | jq -ac --arg uuid $uuid '.[0] | del(.crc, .jobtrailT) | .linkA += [["/tmp/ccOlder.o", "0"]]
        | .resultT.uuid = $uuid | .resultT.build_epoch = "1700000000.0"' >"$RECORDS/link.lab.x.builder.$uuid.json"
    "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$store" "$RECORDS"
    [[ $(sqlite3 "$store" 'SELECT count(*), sum(path LIKE "%.o") FROM object') == "6|1" ]]
    "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$store" --expire 30
    [[ $(sqlite3 "$store" 'SELECT count(*), sum(path LIKE "%.o") FROM object') == "5|0" ]]
}

@test "the note is a note, allocated, and with it the stack is not executable" {
    for compiler in gcc "gcc -m32" aarch64-linux-gnu-gcc; do
        # shellcheck disable=SC2086
        wrapped $compiler hello.c -o made
        readelf -SW made | grep -E '\.note\.xalt\.info +NOTE .* A +0 '
        [[ $(readelf -lW made | awk '/GNU_STACK/ { print $7 }') == RW ]]
        readelf -nW made | grep -E 'XALT +0x[0-9a-f]+'
        readelf -nW made | grep '(0x746c6158)'
    done
    readelf -h made | grep AArch64
}

@test "the note survives garbage collection, LTO, strip and a copy without sections" {
    for linker in "${LINKERS[@]}"; do
        compiler=gcc
        [[ $linker != lld ]] || compiler=clang # lld reads clang's intermediate code, not gcc's
        wrapped $compiler -fuse-ld="$linker" -O2 -flto -ffunction-sections -Wl,--gc-sections hello.c -o made
        uuid=$(mark made Build_UUID)
        [[ -n $uuid ]]
        strip --strip-all made
        [[ $(mark made Build_UUID) == "$uuid" ]]
        llvm-objcopy --strip-sections made bare
        [[ $(mark bare Build_UUID) == "$uuid" ]]
        ./made
    done
}

@test "a program that allows control-flow protection still does" {
    plain gcc -fcf-protection=full -ffreestanding -nostdlib -c -x c - -o crt1.o <<<'void _start(void) { __builtin_trap(); }'
    for linker in "${LINKERS[@]}"; do
        wrapped "ld.$linker" crt1.o -o made
        is_marked made
        readelf -n made | grep 'IBT, SHSTK'
    done
}

@test "the watermark says who built it, where, when, with what" {
    before=$(date +%s)
    wrapped USER=builder LOADEDMODULES=gcc/12:fftw/3.3 _LMFILES_=/m/gcc/12.lua gcc hello.c -o 'made here'
    after=$(date +%s)
    [[ $(mark 'made here' Build_User) == builder && $(mark 'made here' Build_CWD) == "$WORK" ]]
    [[ $(mark 'made here' Build_compiler) == gcc && $(mark 'made here' Build_compilerPath) == /usr/bin/*gcc* ]]
    [[ $(mark 'made here' Build_host) == "$(hostname)" && $(mark 'made here' Build_Syshost) == lab ]]
    [[ $(mark 'made here' Build_LOADEDMODULES) == gcc/12:fftw/3.3 && $(mark 'made here' Build_LMFILES) == /m/gcc/12.lua ]]
    [[ $(mark 'made here' Build_OS) == "$(uname -sr)" && $(mark 'made here' Build_Year) == "$(date +%Y)" ]]
    [[ $(mark 'made here' XALT_Version) == jobtrail-* ]]
    then=$(mark 'made here' Build_Epoch)
    ((before <= ${then%.*} && ${then%.*} <= after))
    [[ $(mark 'made here' Build_date) == "$(LC_ALL=C date -d "@${then%.*}" '+%a %b %d %H:%M:%S %Y')" ]]
}

@test "--show reads XALT's own marks: the note of version 3, the section of older ones" {
    cat >xalt.s <<'S'
.section .xalt
.asciz "XALT_Link_Info"
.byte 0, 0, 0, 0, 0, 0, 0
.asciz "<XALT_Version>%%2.0%%"
.asciz "<Build.UUID>%%fd4fb90a-ca3c-4b22-8ff8-e62a%%"
.asciz "<Build.date>%%Mon_%_%_Oct_%_%_1%%"
.byte 0, 0, 0, 0, 0, 0, 0
.asciz "XALT_Link_Info_End"
S
    plain gcc hello.c xalt.s -o old
    [[ $(mark old) == $'XALT_Version = 2.0\nBuild_UUID = fd4fb90a-ca3c-4b22-8ff8-e62a\nBuild_date = Mon Oct 1' ]]
    cat >note.s <<'S'
.section .note.xalt.info,"a"
.p2align 2
.long 1f - 0f
.long 3f - 2f
.long 0x746c6158
0: .asciz "XALT"
1: .p2align 2
2: .byte 2
.asciz "XALT_Link_Info"
.asciz "Build_UUID%%c0ffee%%"
.asciz "XALT_Link_Info_End"
3: .p2align 2
S
    plain gcc hello.c note.s -o new
    [[ $(mark new) == "Build_UUID = c0ffee" ]]
    run -1 --separate-stderr "$JOBTRAIL_BIN/jobtrail-ld" --show new hello.c /nowhere old
    [[ $output == $'new:\nBuild_UUID = c0ffee\n\nhello.c:\n\n/nowhere:\n\nold:\nXALT_Version'* ]]
    # shellcheck disable=SC2154 # bats
    [[ $stderr == $'jobtrail-ld: hello.c: no ELF file\njobtrail-ld: /nowhere: No such file or directory' ]]
    run -1 "$JOBTRAIL_BIN/jobtrail-ld" --show /bin/true
    [[ $output == "jobtrail-ld: /bin/true: no watermark" ]]
    run -2 "$JOBTRAIL_BIN/jobtrail-ld"
    run -2 "$JOBTRAIL_BIN/jobtrail-ld" --nonsense
    run -0 "$JOBTRAIL_BIN/jobtrail-ld" --help
    [[ $output == Usage:* ]]
}

@test "a SOURCE_DATE_EPOCH that is no time makes a mark of none" {
    local epoch
    plain gcc -c hello.c
    for epoch in nan -nan inf 1e400 1e300 -1 soon; do
        SOURCE_DATE_EPOCH=$epoch wrapped ld -shared hello.o -o made
        [[ $(mark made Build_Epoch) == 0.0000 ]]
    done
}

@test "with SOURCE_DATE_EPOCH, who builds, where and when makes no difference to the file" {
    for linker in "${LINKERS[@]}"; do
        rm -rf "$RECORDS" a bb
        mkdir a bb
        cp hello.c a
        cp hello.c bb
        plain gcc -c hello.c # without a path in it
        (cd a && cp ../hello.o . && SOURCE_DATE_EPOCH=1700000000 wrapped gcc -fuse-ld="$linker" hello.o -o made)
        (cd bb && cp ../hello.o . && SOURCE_DATE_EPOCH=1700000000 wrapped USER=other LOADEDMODULES=x TZ=Asia/Tokyo \
            TMPDIR="$PWD" gcc -fuse-ld="$linker" "$PWD/hello.o" -o "$PWD/made")
        cmp a/made bb/made
        [[ $(mark a/made | sed 's/ = .*//' | sort | tr '\n' ' ') == "Build_Epoch Build_UUID Build_Year Build_compiler Build_date XALT_Version " ]]
        [[ $(mark a/made Build_Epoch) == 1700000000.0000 && $(mark a/made Build_date) == "Tue Nov 14 22:13:20 2023" ]]
        uuid=$(mark a/made Build_UUID)
        [[ ${uuid:14:1} == 5 ]]
        [[ $(links | jq -r '.[].resultT | .uuid, .build_user' | sort -u | tr '\n' ' ') == *"$uuid"* ]]
        [[ $(links | jq -r '[.[].resultT.build_user] | sort | join(" ")') == "builder other" ]]
        SOURCE_DATE_EPOCH=1700000001 wrapped gcc -fuse-ld="$linker" hello.o -o made
        [[ $(mark made Build_UUID) != "$uuid" ]]
        SOURCE_DATE_EPOCH=1700000000 wrapped gcc -fuse-ld="$linker" hello.o -o made2
        [[ $(mark made2 Build_UUID) != "$uuid" ]]
    done
}

@test "the record has XALT's keys, the files that were linked, and how it was called" {
    plain gcc -shared -fPIC -x c - -o libmine.so <<<'int mine(void) { return 0; }'
    plain gcc -c -x c - -o member.o <<<'int member(void) { return 0; }'
    ar rc libarchive.a member.o
    echo 'int mine(void), member(void); int main(void) { return mine() + member(); }' >main.c
    plain gcc -c main.c
    ln -s libmine.so libalias.so
    before=$(date +%s)
    wrapped gcc -O2 main.o -L. -lalias -larchive -lm -o 'my program'
    after=$(date +%s)
    record=$(links)
    [[ $(jq -c '.[0] | keys' <<<"$record") == '["crc","function","jobtrailT","linkA","link_line","resultT"]' ]]
    [[ $(jq -c '.[0].resultT | keys' <<<"$record") == '["build_epoch","build_host","build_syshost","build_user","exec_path","hash_id","link_path","link_program","uuid","wd"]' ]]
    [[ $(jq -c '.[0].link_line' <<<"$record") == '["gcc","-O2","main.o","-L.","-lalias","-larchive","-lm","-o","my program"]' ]]
    [[ $(jq -r '.[0].resultT.hash_id' <<<"$record") == "$(sha1sum 'my program' | cut -d' ' -f1)" ]]
    [[ $(jq -r '.[0].jobtrailT.build_id' <<<"$record") == "$(readelf -n 'my program' | sed -n 's/.*Build ID: //p')" ]]
    [[ $(jq -r '.[0].resultT.exec_path' <<<"$record") == "$WORK/my program" && $(jq -r '.[0].resultT.wd' <<<"$record") == "$WORK" ]]
    jq -e --argjson before "$before" --argjson after "$after" \
        '.[0] | (.resultT.build_epoch | tonumber) >= $before and .jobtrailT.start_time <= .jobtrailT.end_time and .jobtrailT.end_time < $after + 1' <<<"$record"
    # real paths, each once, none hashed
    jq -e --arg work "$WORK" '.[0].linkA | map(.[0]) as $paths | ($paths | length) == ($paths | unique | length)
        and ([$work + "/libmine.so", $work + "/libarchive.a"] - $paths) == []
        and any($paths[]; endswith("/libc.so.6")) and all($paths[]; endswith(".o") | not)
        and all($paths[]; startswith("/") and (contains("/../") | not) and (startswith("/proc") | not))' <<<"$record"
    [[ $(jq -c '[.[0].linkA[][1]] | unique' <<<"$record") == '["0"]' ]]
    name=$(basename "$(find "$RECORDS" -name 'link.*')")
    [[ $name =~ ^link\.lab\.[0-9]{4}_[0-9]{2}_[0-9]{2}_[0-9]{2}_[0-9]{2}_[0-9]{2}_[0-9]{4}\.builder\.$(mark 'my program' Build_UUID)\.json$ ]]
    rm -rf "$RECORDS"
    echo 'hash_objects = yes' >>"$CONF"
    wrapped gcc -O2 main.o -L. -lalias -larchive -o 'my program'
    [[ $(links | jq -r --arg path "$WORK/libarchive.a" '.[0].linkA[] | select(.[0] == $path)[1]') == "$(sha1sum libarchive.a | cut -d' ' -f1)" ]]
}

@test "through ccache the compiler is the one that was called" {
    mkdir bin
    ln -s /bin/bash bin/ccache-shell
    cp "$(command -v env)" bin/ccache # a program of this name between
    wrapped bin/ccache bash -c 'gcc hello.c -o made; exit $?'
    expect_marked gcc made
}

# bats test_tags=needs:root
@test "a record that cannot be sent goes to the user's outbox, and the link succeeds" {
    chmod 755 "$BATS_TEST_TMPDIR" "$BATS_RUN_TMPDIR" "$BATS_TEST_TMPDIR/.."
    mkdir "$BATS_TEST_TMPDIR/users"
    chown 65534 "$BATS_TEST_TMPDIR/users"
    chmod 700 "$BATS_TEST_TMPDIR/users"
    mkdir -m 700 "$RECORDS"
    plain gcc -c hello.c
    chmod -R a+rX "$WORK"
    cd "$BATS_TEST_TMPDIR/users"
    setpriv --reuid 65534 --clear-groups env "${WRAPPED[@]}" HOME="$PWD" "ld" -shared "$WORK/hello.o" -o made >said 2>&1
    [[ ! -s said ]]
    outbox=$PWD/.local/state/jobtrail/outbox
    [[ $(basename "$outbox"/link.lab.*.json) == *".$(mark made Build_UUID).json" && -z $(ls -A "$RECORDS") ]]
    [[ $(stat -c %a "$outbox") == 750 ]]
    setpriv --reuid 65534 --clear-groups env "${WRAPPED[@]}" HOME=/nowhere XDG_STATE_HOME="$PWD/state" \
        ld -shared "$WORK/hello.o" -o made
    [[ -e $(echo "$PWD"/state/jobtrail/outbox/link.*) ]]
    printf '[transport]\nuse = none\n' >>"$CONF"
    rm -rf "$PWD/state"
    wrapped XDG_STATE_HOME="$PWD/state" ld -shared "$WORK/hello.o" -o made
    is_marked made
    [[ ! -e $PWD/state && -z $(ls -A "$RECORDS") ]]
}

# as_user COMMAND...: as games, in a directory of his, which is his home
as_user() {
    setpriv --reuid 5 --regid 60 --clear-groups env "${WRAPPED[@]}" USER=games HOME="$PWD" "$@"
}

a_users_home() {
    chmod 755 "$BATS_TEST_TMPDIR" "$BATS_RUN_TMPDIR" "$BATS_TEST_TMPDIR/.."
    plain gcc -c hello.c
    chmod -R a+rX "$WORK"
    install -d -m 700 -o games "$BATS_TEST_TMPDIR/home"
    mkdir -m 700 "$RECORDS"
    cd "$BATS_TEST_TMPDIR/home" || return
    OUTBOX=$PWD/.local/state/jobtrail/outbox
}

# timer: what the unit runs
timer() {
    local command
    sed -n 's/^ExecStart=//p' "$JOBTRAIL_STAGE/share/jobtrail/jobtrail-send.service" >"$BATS_TEST_TMPDIR/commands"
    while read -r command; do
        bash -c "$JOBTRAIL_BIN/${command##*/bin/} --conf $CONF"
    done <"$BATS_TEST_TMPDIR/commands"
}

waiting() { # DIRECTORY
    find "$1" -name 'link.*.json' -type f 2>/dev/null | wc -l
}

# bats test_tags=needs:root
@test "what an ordinary user links reaches the site's records by the timer, with the defaults" {
    a_users_home
    timer # the first makes the directory
    [[ $(stat -c '%U %a' "$BATS_TEST_TMPDIR/sessions") == "root 1733" ]]
    as_user ld -shared "$WORK/hello.o" -o made
    [[ ! -e $OUTBOX && $(waiting "$BATS_TEST_TMPDIR/sessions/5/records") == 1 ]]
    timer
    [[ $(waiting "$BATS_TEST_TMPDIR/sessions/5/records") == 0 ]]
    [[ $(links | jq -r '.[0].resultT | "\(.build_user) \(.uuid)"') == "games $(mark made Build_UUID)" ]]
    "$JOBTRAIL_SOURCE/test/collectors/check_records" "$RECORDS"/link.*.json
}

# bats test_tags=needs:root
@test "a user's link is his whatever USER says, and no honest record is refused" {
    local name
    a_users_home
    timer
    for name in root GAMES 'a.b "c"' ''; do
        as_user env USER="$name" LOGNAME="$name" ld -shared "$WORK/hello.o" -o made
        timer
        [[ $(links | jq -c '[.[].resultT | [.build_user, .uuid]]') == "[[\"games\",\"$(mark made Build_UUID)\"]]" ]]
        [[ $(basename "$RECORDS"/link.*.json) == link.*.games.*.json && ! -e $BATS_TEST_TMPDIR/sessions/5/refused ]]
        "$JOBTRAIL_SOURCE/test/collectors/check_records" "$RECORDS"/link.*.json
        "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$BATS_TEST_TMPDIR/store" "$RECORDS"
        rm "$RECORDS"/link.*
    done
}

# bats test_tags=needs:root
@test "a link with any character in its paths and arguments is handed in, loaded and the same" {
    local name
    a_users_home
    timer
    for name in '😀' '𝠀' $'\U0002db00\U0010dfff' '𐀀􏿿' $'\xed\xa0\xbd\xed\xb8\x80' $'\xff' 'a"b\\u' ' V:4 value:x'; do
        as_user cp "$WORK/hello.o" "$name.o"
        as_user ld -shared "$name.o" -o "$name" --defsym="x$name=1" || as_user ld -shared "$name.o" -o "$name"
        timer
        [[ $(links | jq -c '[.[].resultT | [.build_user, .uuid]]') == "[[\"games\",\"$(mark "$name" Build_UUID)\"]]" ]]
        [[ ! -e $BATS_TEST_TMPDIR/sessions/5/refused ]]
        "$JOBTRAIL_SOURCE/test/collectors/check_records" "$RECORDS"/link.*.json
        "$JOBTRAIL_BIN/jobtrail-load" --store "sqlite:$BATS_TEST_TMPDIR/store" "$RECORDS"
        [[ $name != [😀𝠀]* || $(sqlite3 "$BATS_TEST_TMPDIR/store" 'SELECT exec_path FROM xalt_link ORDER BY link_id DESC LIMIT 1') == */$name ]]
        rm "$RECORDS"/link.*
    done
}

@test "the default configuration takes links in" {
    sed -i '/^sessions = /d' "$CONF"
    [[ $("$JOBTRAIL_BIN/jobtrail-conf" show --json --conf "$CONF" | jq -r .spool.sessions.value) == \
        /var/spool/jobtrail/sessions ]]
}

# bats test_tags=needs:root
@test "what waits in a user's outbox goes on with his next link, and by hand-in" {
    local i uuids=()
    a_users_home
    for ((i = 0; i < 12; i++)); do
        as_user ld -shared "$WORK/hello.o" -o "made$i"
        uuids+=("$(mark "made$i" Build_UUID)")
    done
    [[ $(waiting "$OUTBOX") == 12 ]]
    # root, with this HOME, leaves it alone
    run env HOME="$PWD" "$JOBTRAIL_BIN/jobtrail-submit" hand-in --conf "$CONF"
    [[ $status == 0 && $output == *"handed in 0, waiting 0"* && $(waiting "$OUTBOX") == 12 ]]
    run as_user "$JOBTRAIL_BIN/jobtrail-submit" hand-in --conf "$CONF"
    [[ $status == 1 && $output == *"not handed in: No such file or directory"*"handed in 0, waiting 12"* ]]
    : >"$OUTBOX/notes.txt"
    mkfifo "$OUTBOX/link.lab.a.games.${uuids[0]}.json"
    timer
    [[ $(links | jq length) == 0 ]]
    as_user ld -shared "$WORK/hello.o" -o last
    uuids+=("$(mark last Build_UUID)")
    ((${#uuids[@]} == 13 && $(waiting "$OUTBOX") >= 4 && $(waiting "$OUTBOX") <= 5))
    run as_user "$JOBTRAIL_BIN/jobtrail-submit" hand-in --conf "$CONF"
    [[ $status == 0 && $output == *"waiting 1" ]] # the FIFO
    [[ $(waiting "$OUTBOX") == 0 && -e $OUTBOX/notes.txt ]]
    timer
    diff <(printf '%s\n' "${uuids[@]}" | sort) <(links | jq -r '.[].resultT.uuid' | sort)
}

# bats test_tags=needs:root
@test "a user whose directory somebody else has taken keeps his records, and gets his place back" {
    a_users_home
    timer
    install -d -m 777 -o man "$BATS_TEST_TMPDIR/sessions/5"
    as_user ld -shared "$WORK/hello.o" -o made
    [[ $(waiting "$OUTBOX") == 1 && -z $(ls "$BATS_TEST_TMPDIR/sessions/5") ]]
    run timer
    [[ $output == *"sessions/5: was no directory of this user's, and is one now; what was there is gone"* ]]
    as_user "$JOBTRAIL_BIN/jobtrail-submit" hand-in --conf "$CONF"
    timer
    recorded_as "$(mark made Build_UUID)"
}

# bats test_tags=needs:root
@test "a home that cannot be written to, and a full one, keep no link from its end" {
    a_users_home
    mkdir "$BATS_TEST_TMPDIR/output"
    chmod 777 "$BATS_TEST_TMPDIR/output"
    chown root .
    as_user ld -shared "$WORK/hello.o" -o "$BATS_TEST_TMPDIR/output/made" >"$BATS_TEST_TMPDIR/said" 2>&1
    is_marked "$BATS_TEST_TMPDIR/output/made"
    [[ ! -s $BATS_TEST_TMPDIR/said ]]
}

@test "the preload library finds the watermark in memory" {
    wrapped gcc hello.c -o marked
    uuid=$(mark marked Build_UUID)
    new_job
    tracked "$WORK/marked"
    flush
    [[ $(records | jq -r '.[0].xaltLinkT.Build_UUID') == "$uuid" ]]
    [[ $(records | jq -r '.[0].hash_id') == "$(links | jq -r '.[0].resultT.hash_id')" ]]
}

@test "it starts with every link, in any environment: it needs libc alone" {
    # and its loader, which libuuid.a calls
    ! readelf -dW "$JOBTRAIL_BIN/jobtrail-ld" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -v '^libc\.so\|^ld-linux' || false
}

# bats test_tags=needs:root
@test "a user who is uid 0 in a namespace links, with a home that is not theirs there" {
    a_users_home
    timer
    local uuids=() way
    for way in "" "unshare --map-root-user" "unshare --map-root-user --mount"; do
        # shellcheck disable=SC2086
        as_user env HOME=/ $way ld -shared "$WORK/hello.o" -o made
        uuids+=("$(mark made Build_UUID)")
    done
    timer
    [[ $(links | jq -r '.[] | "\(.resultT.build_user) \(.jobtrailT.uid)"' | sort | uniq -c) == *" 3 games 5" ]]
    diff <(printf '%s\n' "${uuids[@]}" | sort) <(links | jq -r '.[].resultT.uuid' | sort)
}

# said WORD...: whether some link's record has the word in it
said() {
    links | grep -qa "$@"
}

@test "a link's command line is recorded as the site wants, without secrets" {
    wrapped gcc -DDB_PASSWORD=hunter2 -DAPI_KEY='"hunter2 x"' -DSAFE=plain hello.c -o made
    said -- -DSAFE=plain
    ! said hunter2 || false
    [[ $(links | jq -c '.[0].link_line | map(select(startswith("-D")))') == '["-DDB_PASSWORD=[redacted]","-DAPI_KEY=[redacted]","-DSAFE=plain"]' ]]
    rm -rf "$RECORDS"
    RULES=$'[redact]\nkeep = name:ddb_password' new_links
    wrapped gcc -DDB_PASSWORD=hunter2 hello.c -o made
    said -- -DDB_PASSWORD=hunter2
    rm -rf "$RECORDS"
    RULES=$'[tracking]\ncommand_line = program' new_links
    wrapped gcc -DSAFE=plain hello.c -o made
    [[ $(links | jq -c 'map(.link_line | [length, (.[0] | split("/")[-1])])') == '[[1,"gcc"]]' ]]
    rm -rf "$RECORDS"
    RULES=$'[tracking]\ncommand_line = no' new_links
    wrapped gcc -DSAFE=plain hello.c -o made
    [[ $(links | jq -c 'map(.link_line)') == '[[]]' ]]
    rm -rf "$RECORDS"
    RULES='' new_links
    wrapped XALT_CMDLINE_RECORD=no gcc -DSAFE=plain hello.c -o made
    [[ $(links | jq -c 'map(.link_line)') == '[[]]' ]]
}

@test "with rules that do not compile a link's record has its program only" {
    RULES=$'[redact]\nhide = name:(' new_links
    wrapped gcc -DDB_PASSWORD=hunter2 hello.c -o made
    [[ $(links | jq -c 'map(.link_line | length)') == '[1]' ]]
}

@test "what a watermark tells of its program goes into runs' records without secrets" {
    wrapped LOADEDMODULES="gcc/12:x https://me:hunter2@host/y" gcc hello.c -o made
    [[ $(mark made Build_LOADEDMODULES) == *hunter2* ]] # which is in the user's file
    new_job
    tracked ./made
    flush
    [[ $(records | jq -r '.[0].xaltLinkT.Build_LOADEDMODULES') == "gcc/12:x https://me:[redacted]@host/y" ]]
}
