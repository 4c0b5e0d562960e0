# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# For the bats files about the linker wrapper, in front of which `load helper` stands too.
#
#   setup() { new_links; }
#
# new_links makes a configuration, to which $RULES is appended ($LINK: lines for its section [link]),
# and a directory $WORK to build in, which is the current one from then on.

# The linker of a call that looks like this: what gcc's collect2 runs.
# shellcheck disable=SC2034 # tests use it
LINKERS=(bfd gold lld mold)

new_links() {
    WORK=$BATS_TEST_TMPDIR/work
    RECORDS=$BATS_TEST_TMPDIR/records
    CONF=$BATS_TEST_TMPDIR/link.conf
    LD_DIRECTORY=$JOBTRAIL_STAGE/libexec/jobtrail/ld
    cat >"$CONF" <<EOF
[site]
cluster = lab
[spool]
dir = $BATS_TEST_TMPDIR/spool
sessions = $BATS_TEST_TMPDIR/sessions
[submit]
state = $BATS_TEST_TMPDIR/state
[file]
dir = $RECORDS
[link]
${LINK-}
${RULES-}
EOF
    WRAPPED=(JOBTRAIL_CONF="$CONF" XALT_EXECUTABLE_TRACKING=yes USER=builder HOME="$BATS_TEST_TMPDIR/home"
        PATH="$LD_DIRECTORY:$PATH" COMPILER_PATH="$LD_DIRECTORY")
    mkdir -p "$WORK"
    cd "$WORK" || return
    printf '#include <stdio.h>\nint main(void) { return puts("hello") < 0; }\n' >hello.c
}

# wrapped [VARIABLE=VALUE]... COMMAND...: as a user of the wrapper runs it
wrapped() {
    env "${WRAPPED[@]}" "$@"
}

# links: all link records, one JSON array, the oldest first
links() {
    find "$RECORDS" -type f -name 'link.*.json' -exec cat {} + 2>/dev/null |
        jq --slurp 'sort_by(.jobtrailT.start_time)'
}

# mark FILE [KEY]: its watermark, "KEY = VALUE" a line, or the value of one key
mark() {
    if (($# == 1)); then
        "$JOBTRAIL_BIN/jobtrail-ld" --show "$1"
    else
        "$JOBTRAIL_BIN/jobtrail-ld" --show "$1" | sed -n "s/^$2 = //p"
    fi
}

is_marked() { # FILE
    mark "$1" >/dev/null 2>&1
}

is_unmarked() { # FILE
    [[ -e $1 ]] && ! is_marked "$1"
}

# recorded_as UUID: the record of this link is there
recorded_as() {
    [[ $(links | jq --arg uuid "$1" 'map(select(.resultT.uuid == $uuid)) | length') == 1 ]]
}

# What an ELF file is but for addresses, which a note in front of everything moves: sections, program
# headers, symbols, relocations, dynamic entries, strings, code.
anatomy() { # FILE
    # Sections: name, type, size, entry size, flags, but the note's; the symbols are compared one by one.
    readelf -SW "$1" | sed -n 's/^ *\[ *[0-9]*\] //p' |
        awk '$1 !~ /^\.(note\.xalt\.info|shstrtab|relro_padding)$/ {
            print $1, $2, $1 == ".symtab" ? "" : $5, $6, $7 ~ /^[A-Z]+$/ ? $7 : "" }'
    readelf -lW "$1" | awk '/^  [A-Z]/ && $1 != "NOTE" && $1 != "Type" { print $1, $(NF - 1) ~ /^[RWE]+$/ ? $(NF - 1) : $7 }'
    readelf -sW "$1" | awk '$1 ~ /^[0-9]+:$/ && $8 != ".note.xalt.info" { print $3, $4, $5, $6, $8, $9 }' | sort
    readelf -rW "$1" | awk '$3 ~ /^R_/ { print $3, $5 }' | sort
    readelf -dW "$1" | sed -n 's/^ 0x[0-9a-f]* //p' | sed 's/0x[0-9a-f]*$/ADDRESS/'
    for section in .comment .interp .dynstr .gnu.version_r .gnu.version_d; do
        readelf -p "$section" "$1" 2>/dev/null
    done
    objdump -d --no-addresses --no-show-raw-insn "$1" 2>/dev/null |
        sed -E '/file format/d; s/#.*//; s/-?0x[0-9a-f]+/N/g; s/\b[0-9a-f]{3,16}\b/N/g; s/<[^>]*>//g; s/[ \t]+$//; /^\t(nop|data16|cs nop|xchg +%ax,%ax)/d'
}

# same_but_for_the_note PLAIN WRAPPED
same_but_for_the_note() {
    [[ -s $1 && -s $2 ]] || return 1
    diff <(anatomy "$1") <(anatomy "$2") | head -n 20
    ((PIPESTATUS[0] == 0))
}

# plain COMMAND...: as without the wrapper
plain() {
    env -u COMPILER_PATH "$@"
}

# both COMMAND...: runs it without and with the wrapper, each in $WORK as it is now; what it has made is
# in $BATS_TEST_TMPDIR/plain and .../wrapped then. True if stdout, stderr and exit status are the same.
both() {
    local way there=$BATS_TEST_TMPDIR
    rm -rf "$there/original" "$there/said"
    cp -a "$WORK" "$there/original"
    for way in plain wrapped; do
        local status=0
        mkdir -p "$there/said/$way"
        ("$way" "$@" >"$there/said/$way/stdout" 2>"$there/said/$way/stderr" </dev/null) || status=$?
        echo "$status" >"$there/said/$way/status"
        cd "$there" || return
        rm -rf "${there:?}/$way"
        mv "$WORK" "$there/$way"
        cp -a "$there/original" "$WORK"
        cd "$WORK" || return
    done
    SAID=$there/said/wrapped
    diff -r "$there/said/plain" "$there/said/wrapped"
}

# link_line LINKER [OPTION...]: what gcc runs to link hello.o into `hello` with this linker, word by word
# in $LINK_LINE, but for the plugin for LTO
link_line() {
    local line words word
    line=$(plain gcc "${@:2}" hello.o -o hello '-###' 2>&1 | grep collect2)
    eval "words=($line)"
    LINK_LINE=("ld.$1")
    for word in "${words[@]:1}"; do
        [[ $word == -plugin* || $word == *liblto_plugin.so ]] || LINK_LINE+=("$word")
    done
}
