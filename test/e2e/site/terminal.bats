#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Text of others on a terminal: what drives it, hides, or turns round what is beside it is printed as \x.. by each program.

bats_require_minimum_version 1.5.0

# What programs make by default, as a store, is not the machine's.
setup_file() {
    [[ $EUID != 0 ]] || for place in /var/lib /var/spool; do mount -t tmpfs none "$place"; done
}

teardown_file() {
    [[ $EUID != 0 ]] || umount -l /var/lib /var/spool
}

setup() {
    EVIL=$'/nowhere/\e]0;title\a\u202eleft\u200b'
    cd "$BATS_TEST_TMPDIR" || return
}

# is_plain FILE...: no byte that drives a terminal, but newlines and tabs, and nothing that is not seen
is_plain() {
    LC_ALL=C.UTF-8 run ! grep -anP '[\x00-\x08\x0b-\x1f\x7f]|\x{202e}|\x{200b}' "$@"
    [[ $output == "" ]]
}

# words PROGRAM: its options; "" is none
words() {
    echo
    timeout 60 "$1" --help 2>&1 | grep -oE -- '--[a-z][a-z-]+' | sort -u | grep -vxE -- '--(help|version|background)'
}

# getopt(3) says itself that there is no such option, or that it takes no value
@test "no program prints what it was given as it is" {
    local program word said=0
    for program in "$JOBTRAIL_BIN"/jobtrail-*; do
        case $program in *-answer | *-web) continue ;; esac
        while read -r word; do
            timeout 60 "$program" ${word:+"$word"} "$EVIL" >said 2>&1 </dev/null || true
            timeout 60 "$program" "${word:-flush}=$EVIL" >>said 2>&1 </dev/null || true
            sed -i "/: unrecognized option '\\|doesn't allow an argument/d" said
            said=$((said + $(grep -ac 'nowhere/[\]' said || true)))
            is_plain said
        done < <(words "$program")
    done
    # most say what they could not use
    ((said > 30))
}

@test "what a program's mark says of who built it is plain text" {
    cat >mark.s <<S
.section .xalt
.asciz "XALT_Link_Info"
.byte 0, 0, 0, 0, 0, 0, 0
.asciz "<XALT_Version>%%2.0%%"
.asciz "<Build_User>%%$EVIL\\nmore%%"
.byte 0, 0, 0, 0, 0, 0, 0
.asciz "XALT_Link_Info_End"
S
    as -o mark.o mark.s
    cp mark.o $'mark\e.o'
    "$JOBTRAIL_BIN/jobtrail-ld" --show mark.o $'mark\e.o' >said
    grep -q 'Build_User = .*title' said
    grep -q 'mark.x1b.o:' said
    is_plain said
    [[ $(grep -c title said) == 2 ]]
}
