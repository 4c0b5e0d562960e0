#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The linker wrapper: which links it sees, what it writes into the file, and what it records.

load ../fixture/job
load ../fixture/links

setup() {
    new_links
}

# expect_marked COMPILER LINKED: the one record since is this compiler's and has the mark of LINKED
expect_marked() {
    local uuid
    uuid=$(mark "$2" Build_UUID)
    [[ $(links | jq -c --arg uuid "$uuid" 'map([.resultT.uuid == $uuid, .resultT.link_program])') == "[[true,\"$1\"]]" ]] ||
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
    expect_marked mpicc.openmpi made
    wrapped mpicc.mpich hello.c -o made # a shell script
    expect_marked mpicc.mpich made
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
        objcopy --strip-sections made bare 2>/dev/null || llvm-objcopy-14 --strip-sections made bare
        [[ $(mark bare Build_UUID) == "$uuid" ]]
        ./made
    done
}

@test "a program that allows control-flow protection still does" {
    plain gcc -fcf-protection=full -ffreestanding -nostdlib -c -x c - -o start.o <<<'void _start(void) { __builtin_trap(); }'
    for linker in "${LINKERS[@]}"; do
        wrapped "ld.$linker" start.o -o made
        is_marked made
        readelf -n made | grep 'IBT, SHSTK'
    done
}

@test "the watermark says who built it, where, when, with what" {
    wrapped USER=builder LOADEDMODULES=gcc/12:fftw/3.3 _LMFILES_=/m/gcc/12.lua gcc hello.c -o 'made here'
    [[ $(mark 'made here' Build_User) == builder && $(mark 'made here' Build_CWD) == "$WORK" ]]
    [[ $(mark 'made here' Build_compiler) == gcc && $(mark 'made here' Build_compilerPath) == /usr/bin/*gcc* ]]
    [[ $(mark 'made here' Build_host) == "$(hostname)" && $(mark 'made here' Build_Syshost) == lab ]]
    [[ $(mark 'made here' Build_LOADEDMODULES) == gcc/12:fftw/3.3 && $(mark 'made here' Build_LMFILES) == /m/gcc/12.lua ]]
    [[ $(mark 'made here' Build_OS) == "$(uname -sr)" && $(mark 'made here' Build_Year) == "$(date +%Y)" ]]
    [[ $(mark 'made here' XALT_Version) == jobtrail-* ]]
    now=$(date +%s) then=$(mark 'made here' Build_Epoch)
    ((now - ${then%.*} >= 0 && now - ${then%.*} < 600))
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
        and ([$work + "/main.o", $work + "/libmine.so", $work + "/libarchive.a"] - $paths) == []
        and any($paths[]; endswith("/libc.so.6")) and any($paths[]; endswith("crt1.o"))
        and all($paths[]; startswith("/") and (contains("/../") | not) and (startswith("/proc") | not))' <<<"$record"
    [[ $(jq -c '[.[0].linkA[][1]] | unique' <<<"$record") == '["0"]' ]]
    name=$(basename "$(find "$RECORDS" -name 'link.*')")
    [[ $name =~ ^link\.lab\.[0-9]{4}_[0-9]{2}_[0-9]{2}_[0-9]{2}_[0-9]{2}_[0-9]{2}_[0-9]{4}\.builder\.$(mark 'my program' Build_UUID)\.json$ ]]
    rm -rf "$RECORDS"
    echo 'hash_objects = yes' >>"$CONF"
    wrapped gcc -O2 main.o -L. -lalias -larchive -o 'my program'
    [[ $(links | jq -r --arg path "$WORK/main.o" '.[0].linkA[] | select(.[0] == $path)[1]') == "$(sha1sum main.o | cut -d' ' -f1)" ]]
}

@test "through ccache the compiler is the one that was called" {
    mkdir bin
    ln -s /bin/bash bin/ccache-shell
    cp "$(command -v env)" bin/ccache # a program of this name between
    wrapped bin/ccache bash -c 'gcc hello.c -o made; exit $?'
    expect_marked gcc made
}

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

@test "it starts with every link: it needs few libraries, and none that reaches the network" {
    [[ $(readelf -dW "$JOBTRAIL_BIN/jobtrail-ld" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort | tr '\n' ' ') == "libc.so.6 libcrypto.so.3 libelf.so.1 libinih.so.1 libjson-c.so.5 libuuid.so.1 " ]]
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
