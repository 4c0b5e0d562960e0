#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# jobtrail-alldoc: an index over documentation that lies on the host, on trees as sites and Debian have them.
# shellcheck disable=SC2154,SC2016,SC2030,SC2031 # bats sets stderr, and runs each test in a subshell; texts of others have dollars

# bats file_tags=needs:libraries

bats_require_minimum_version 1.5.0
load ../fixture/killed
load ../../wait

setup() {
    PATH=$JOBTRAIL_BIN:$PATH
    export LC_ALL=C.UTF-8 MANPATH=/nothing MODULEPATH="" PAGER=cat
    umask 022
    cd "$BATS_TEST_TMPDIR" || return
    # what not everybody can come to is not indexed
    local above=$PWD
    while [[ $above == "$BATS_RUN_TMPDIR"* ]]; do
        chmod 755 "$above"
        above=$(dirname "$above")
    done
    export JOBTRAIL_ALLDOC=$PWD/alldoc.db
    mkdir -p man/man3 man/man1 man/de/man3 doc/fftw-3.3.10 module/fftw header/nag pc
    cat >man/man3/dgemm.3 <<'PAGE'
.\" a comment with the word unfindable
.TH DGEMM 3 "May 1995" "LAPACK 3.11.0" "BLAS"
.SH NAME
dgemm, sgemm \- multiply general ma\%trices
.SH SYNOPSIS
.B "subroutine dgemm(character transa, integer m)"
.SH DESCRIPTION
\fBdgemm\fP performs one of the matrix\-matrix operations. Link with \-lblas.
PAGE
    cp man/man3/dgemm.3 man/de/man3/german.3
    cat >header/nag/nag_blas.h <<'HEADER'
/* Interfaces of a numerical library. */
#ifdef __cplusplus
extern "C" {
#endif
/**
 * Multiplies two matrices and adds a third.
 */
extern void dgemm_(const char *transa, int *m) __attribute__((nonnull(1)));
int plain_one(int x), *pointer;
NAG_EXPORT double OF_TIME OF((int when));
/* Tells the time from shadows */

DECLARE_THINGS(shadow)
DECLARE_MORE(shadow, int)
struct shadow *behind_macros(int when);
#ifdef __cplusplus
}
#endif
HEADER
    printf 'prefix=/usr\nName: fftw3\nDescription: fast Fourier transform\nVersion: 3.3.10\nLibs: -lfftw3 -lm\n' >pc/fftw3.pc
    printf 'whatis("Description: Fourier transforms of any size")\nhelp([==[\nLoads the wisdom of ]] FFTW.\n]==])\nos.execute("touch ran")\n' \
        >module/fftw/3.3.10.lua
    printf '#%%Module\nproc ModulesHelp { } {\n puts stderr "Older {wisdom} of FFTW"\n}\nmodule-whatis "Name: fftw"\nexec touch ran\n' >module/fftw/2.1
    printf 'Planner flags decide how long a plan may take.\n' >doc/fftw-3.3.10/README
}

teardown() {
    exec 5<&- 6<&-
    ! mountpoint -q doc/mounted || umount -l doc/mounted
    ! mountpoint -q disk || umount -l disk
}

index() {
    run --separate-stderr jobtrail-alldoc index --man "$PWD/man" --doc "$PWD/doc" --module "$PWD/module" --pkgconfig "$PWD/pc" \
        --header "$PWD/header" "$@"
}

alldoc() {
    run --separate-stderr jobtrail-alldoc "$@"
}

# values KEY: of the JSON of the last answer, one a line
values() {
    python3 -c 'import json, sys
for found in json.load(sys.stdin)["documents"]: print(found[sys.argv[1]])' "$1" <<<"$output"
}

@test "a routine is found in its man page and in its header, in either case and with Fortran's underscore" {
    index
    [[ $status == 0 && $output == *" 6 new, 0 changed, 0 removed, 0 unchanged"* && ! $stderr ]]
    for name in dgemm DGEMM dgemm_ "dg*m*"; do
        alldoc --json --routine "$name"
        [[ $status == 0 && $(values kind | sort) == $'header\nman' ]]
    done
    [[ $(values path) == *"$PWD/man/man3/dgemm.3"* && $(values section) == *3* && $(values version) == *3.11.0* ]]
    [[ $(values snippet) == *"void dgemm_"* && $(values line) == *8* ]]
    alldoc --json --routine sgemm
    [[ $(values name) == dgemm && $(values libraries) == "['blas']" && $(values summary) == "multiply general matrices" ]]
    alldoc --json -r plain_one
    [[ $(values name) == nag_blas.h && $(values line) == 9 ]]
    alldoc --json -r behind_macros
    [[ $(values name) == nag_blas.h ]]
    alldoc -r OF_TIME
    [[ $status == 0 && $output == *"Tells the time"* ]] || alldoc shadows
    alldoc --json shadows
    [[ $(values name) == OF_TIME ]]
}

@test "words, library, version and kind narrow it down, and nothing found is 1 with a hint" {
    index
    alldoc --json wisdom
    [[ $(values name | sort) == $'fftw/2.1\nfftw/3.3.10' && $(values snippet) == *"Loads the wisdom of ]] FFTW."* ]]
    [[ ! -e ran ]]
    alldoc --json wisdom --library fftw --library-version 3.3
    [[ $(values name) == fftw/3.3.10 ]]
    alldoc --json --library libfftw3.so.3
    [[ $(values kind) == pkgconfig && $(values version) == 3.3.10 ]]
    alldoc --json --kind doc,man 'plan*'
    [[ $(values name) == README && $(values libraries) == "['fftw']" ]]
    alldoc --json "matrix-matrix operations"
    [[ $(values name) == dgemm ]]
    alldoc unfindable
    [[ $status == 1 && ! $output && $stderr == *"nothing was found"* ]]
    alldoc german
    [[ $status == 1 ]]
    alldoc --routine dgmem
    [[ $status == 1 && $stderr == *"did you mean dgemm"* ]]
    alldoc --kind manual x
    [[ $status == 2 && $stderr == *"did you mean man"* ]]
    alldoc --libary x
    [[ $status == 2 && $stderr == *"did you mean --library"* ]]
    alldoc
    [[ $status == 2 ]]
    alldoc --version
    [[ $status == 0 && $output == "jobtrail-alldoc "* ]]
    alldoc --index "$PWD/none.db" x
    [[ $status == 2 && $stderr == *"jobtrail-alldoc index"* ]]
}

@test "compressed files are read as they are, and the index has no text" {
    python3 - <<'END'
import random
random.seed(19)
words = ["".join(random.choice("abcdefghiklmnoprstu") for _ in range(random.randint(3, 11))) for _ in range(3000)]
with open("doc/fftw-3.3.10/manual", "w") as file:
    file.write("A manual\nThe sentence about twiddle factors\n")
    for _ in range(30000):
        file.write(" ".join(random.choice(words) for _ in range(10)) + "\n")
END
    cp doc/fftw-3.3.10/manual text
    for name in one.gz two.xz three.bz2; do
        { printf '.TH X 3\n.SH NAME\n%s \\- compressed\n' "${name%.*}"; } >"man/man3/${name%.*}.3"
    done
    gzip man/man3/one.3 && xz man/man3/two.3 && bzip2 man/man3/three.3
    gzip doc/fftw-3.3.10/manual
    index
    [[ $status == 0 ]]
    alldoc --json compressed
    [[ $(values name | sort | paste -sd ' ') == "one three two" ]]
    alldoc twiddle factors
    [[ $output == *"manual.gz"*"The sentence about twiddle factors"* ]]
    run ! grep -qF "sentence about" alldoc.db
    size=$(stat -c %s alldoc.db) of_text=$(stat -c %s text)
    [[ $size -lt $((of_text * 3 / 4)) ]]
    [[ $(ls alldoc.db*) == $'alldoc.db\nalldoc.db.lock' ]]
    # damaged, cut off, and larger than the limit
    head -c 100 doc/fftw-3.3.10/manual.gz >doc/fftw-3.3.10/cut.gz
    printf 'BZh9 no' >doc/fftw-3.3.10/damaged.bz2
    index --text-size 1M --rebuild
    [[ $status == 0 && $output == *"1 cut at the limit"* && $output == *"1 damaged"* && $output == *"1 cut off"* ]]
}

@test "only what has changed is read again, and a tree that is away stays known" {
    index
    before=$(stat -c %i alldoc.db)
    index
    [[ $output == *" 0 new, 0 changed, 0 removed, 6 unchanged" && $(stat -c %i alldoc.db) == "$before" ]]
    sed -i 's/Planner flags/Planner options and flags/' doc/fftw-3.3.10/README
    mv man/man3/dgemm.3 away
    printf 'new words\n' >doc/fftw-3.3.10/NEWER
    index
    [[ $output == *" 1 new, 1 changed, 1 removed, 4 unchanged"* && $status == 0 ]]
    alldoc --json planner options
    [[ $(values name) == README ]]
    alldoc -k man dgemm
    [[ $status == 1 ]]
    mv doc gone && mkdir doc
    index
    [[ $status == 4 && $stderr == *"doc: is empty; its documents are kept"* && $output == *" 0 removed"* ]]
    rmdir doc
    index
    [[ $status == 4 && $stderr == *"doc: No such file or directory; its documents are kept"* ]]
    alldoc planner
    [[ $status == 0 ]]
    mv gone doc && rm -r doc/fftw-3.3.10
    printf 'other\n' >doc/other
    index
    [[ $status == 0 && $output == *" 2 removed"* ]]
    # more rows of removed documents than the index bears
    printf '/* c */\n' >header/many.h
    for round in a b c; do
        for number in {1..700}; do printf '/* Has %s%d. */\nint f%d(void);\n' "$round" "$number" "$number"; done >header/many.h
        index
        [[ $status == 0 ]]
    done
    index
    alldoc --json c700
    [[ $(values name) == f700 ]]
    alldoc a700
    [[ $status == 1 ]]
}

# bats test_tags=needs:root
@test "what was mounted below a tree stays known, and what was removed does not" {
    mkdir doc/pack && mkdir disk && mount -t tmpfs -o mode=755 disk disk
    mkdir doc/mounted && mount --bind disk doc/mounted
    mkdir doc/mounted/below
    printf 'sigma words\n' >doc/mounted/below/one
    printf 'tau words\n' >doc/pack/two
    index
    umount doc/mounted
    index
    [[ $status == 4 && $stderr == *"/doc/mounted/: another file system was here; its documents are kept" && $output == *" 0 removed"* ]]
    alldoc sigma
    [[ $status == 0 ]]
    mount --bind disk doc/mounted
    rm -r doc/mounted/below doc/pack/two
    index
    [[ $status == 0 && $output == *" 2 removed"* ]]
    umount doc/mounted
}

# blocked: a run that has read all trees, and is in a command that waits to be told
blocked() {
    mkfifo ready go && chmod 666 ready go
    printf 'command objects /bin/sh -c "echo >%s; read line <%s; echo words"\n' "$PWD/ready" "$PWD/go" >sources
    exec 5<>ready
    index_alone=(jobtrail-alldoc index --sources "$PWD/sources" --man "$PWD/man" --doc "$PWD/doc" --module none --pkgconfig none
        --header "$PWD/header" --command-time 1000)
    "${index_alone[@]}" 5<&- >run.log 2>&1 &
    running=$!
    read -r -u 5
}

@test "a killed run loses nothing, and the index before it stays whole" {
    index
    printf 'After the index\n' >doc/fftw-3.3.10/LATER
    blocked
    kill -9 $running
    wait $running || true
    exec 6<>go
    echo >&6
    [[ -e alldoc.db.new ]]
    alldoc dgemm
    [[ $status == 0 ]]
    alldoc after
    [[ $status == 1 ]]
    rm sources
    index
    [[ $status == 0 && $output == *" 0 new, 0 changed, 0 removed, 7 unchanged"* && ! -e alldoc.db.new ]] || { echo "$output" && false; }
    alldoc after
    [[ $status == 0 ]]
    # what is no index is no hindrance
    printf 'no database' >alldoc.db.new
    printf 'no database' >alldoc.db
    alldoc after
    [[ $status == 2 && $stderr == *"alldoc.db: "* ]]
    index
    [[ $status == 0 && $output == *" 7 new"* ]]
}

# told FILE: what an index has, without the numbers of its documents
told() {
    sqlite3 "file:$1?mode=ro&immutable=1" "PRAGMA quick_check;
        SELECT kind, path, signature FROM file ORDER BY 1, 2;
        SELECT path, name, version, line FROM document JOIN file ON file.id = document.file ORDER BY 1, 2, 4;
        SELECT path, routine.name FROM routine JOIN document ON document.id = document JOIN file ON file.id = file ORDER BY 1, 2;
        SELECT path, library.name FROM library JOIN document ON document.id = document JOIN file ON file.id = file ORDER BY 1, 2;
        SELECT word, path, document.name FROM (SELECT value AS word FROM json_each('[\"planner\", \"options\", \"after\",
            \"matrices\", \"wisdom\", \"shadows\", \"transform\"]')) CROSS JOIN words ON words MATCH word
            JOIN document ON document.id = words.rowid JOIN file ON file.id = document.file ORDER BY 1, 2, 3"
}

# bats test_tags=needs:root
@test "a run that is killed at any system call is completed by the next, and the index is the old one or the new one" {
    local before after call number
    export PYTHONDONTWRITEBYTECODE=1
    local -a all=(jobtrail-alldoc index --quiet --man "$PWD/man" --doc "$PWD/doc" --module "$PWD/module" --pkgconfig "$PWD/pc"
        --header "$PWD/header")
    # in memory: a kill is no loss of power
    mkdir disk && mount -t tmpfs -o mode=755 disk disk
    export JOBTRAIL_ALLDOC=$PWD/disk/alldoc.db
    "${all[@]}"
    cp disk/alldoc.db saved
    sed -i 's/Planner flags/Planner options and flags/' doc/fftw-3.3.10/README
    printf 'After the index\n' >doc/fftw-3.3.10/LATER
    rm man/man3/dgemm.3 && printf 'other\n' >man/man3/other.3
    strace -o trace "${all[@]}"
    before=$(told saved) after=$(told disk/alldoc.db)
    [[ $before != "$after" && $after == *"after|fftw-3.3.10/LATER"* && $after == ok* ]]
    calls_that_change trace alldoc.db.lock >calls
    (($(wc -l <calls) > 20))
    while read -r call number; do
        rm -f disk/*
        cp saved disk/alldoc.db
        killed_at "$call" "$number" "${all[@]}" >/dev/null 2>&1 3>&- && {
            echo "not killed at $call $number"
            return 1
        }
        cmp -s saved disk/alldoc.db || diff <(echo "$after") <(told disk/alldoc.db) || {
            echo "neither old nor new after $call $number"
            return 1
        }
        "${all[@]}"
        diff <(echo "$after") <(told disk/alldoc.db) && [[ $(ls disk) == $'alldoc.db\nalldoc.db.lock' ]] || {
            echo "killed at $call $number"
            return 1
        }
    done <calls
    # the same where there was none before
    rm -f disk/*
    strace -o trace "${all[@]}"
    calls_that_change trace alldoc.db.lock | awk -v all="${JOBTRAIL_SOAK:-0}" 'all || !/pwrite64/ || NR % 4 == 0' >calls
    while read -r call number; do
        rm -f disk/*
        killed_at "$call" "$number" "${all[@]}" >/dev/null 2>&1 3>&- && return 1
        [[ ! -e disk/alldoc.db ]] || diff <(echo "$after") <(told disk/alldoc.db)
        "${all[@]}"
        diff <(echo "$after") <(told disk/alldoc.db)
    done <calls
}

@test "of two runs at once the second ends with 3" {
    blocked
    index
    [[ $status == 3 && ! $output && $stderr == *"another run"* ]]
    exec 6<>go
    echo >&6
    wait $running
    alldoc --json words
    [[ $(values kind) == command ]]
}

# bats test_tags=needs:root
@test "names, contents and questions of others break nothing" {
    printf 'secret of the administrator\n' >outside
    ln -s "$PWD/outside" doc/link
    ln -s "$PWD" doc/directory
    ln -s ../../outside man/man3/link.3
    ln -s dgemm.3 man/man3/sgemm.3
    mkfifo doc/fifo
    printf 'secret too\n' >doc/private && chmod 600 doc/private
    mkdir doc/closed && printf 'secret three\n' >doc/closed/file && chmod 700 doc/closed
    printf 'binary\0secret\n' >doc/binary
    printf 'hostile \e]0;title\a words\n' >"doc/$(printf 'a\nb\e[31m\377')"
    printf '%s' "$(printf '<%.0s' {1..5000})" >doc/marks.html
    printf '<script>hidden</script><b>visible</b> &lt;marks' >doc/page.html
    printf '\\[%.0s' {1..5000} >man/man3/roff.3
    printf 'help([====[ no end' >module/fftw/endless.lua
    printf 'a=${b}${b}\nb=${a}${a}\nName: ${a}\nVersion: ${a}\n' >pc/loop.pc
    printf '"unended /* \x27 { ( ( (\n#define \\\n' >header/odd.h
    index
    [[ $status == 0 && $output == *"2 not readable for all"* && $output == *"1 no text"* ]]
    alldoc secret
    [[ $status == 1 ]]
    alldoc hidden
    [[ $status == 1 ]]
    alldoc visible
    [[ $status == 0 ]]
    alldoc hostile
    [[ $status == 0 && $output == *'doc/a\nb\x1b[31m\xff'* && $output == *'\x1b]0;title\x07'* && $output != *$'\e'* ]]
    alldoc --show "$(awk 'NR == 1 { print $1 }' <<<"$output")"
    [[ $status == 0 && $output == 'hostile \x1b]0;title\x07 words' ]]
    alldoc --json sgemm
    [[ $(values summary) == *"see dgemm.3"* ]]
    for question in '"' 'name:dgemm' 'a" OR "b' 'NEAR(a b)' '^dgemm' "x'; DROP TABLE file" '- dgemm AND'; do
        alldoc "$question"
        [[ $status == [01] || $stderr == *"there is no word"* ]]
        [[ $stderr != *Traceback* && $stderr != *syntax* ]]
    done
    # others cannot make root read or write elsewhere
    if ((EUID == 0)); then
        mkdir users && chown nobody users
        index --index "$PWD/users/alldoc.db"
        [[ $status == 2 && $stderr == *"root writes nothing"* ]]
        printf 'command x /bin/sh\n' >theirs && chown nobody theirs
        index --sources "$PWD/theirs"
        [[ $status == 2 && $stderr == *"root does not read it"* ]]
    fi
}

@test "what not everybody may read or come to is in no index, and no line of it is shown" {
    printf 'alpha of the group\n' >doc/group && chmod 604 doc/group
    mkdir closed closed/doc && printf 'beta behind a door\n' >closed/doc/file && chmod 700 closed
    ln -s closed/doc byway
    index --doc "$PWD/byway"
    [[ $status == 4 && $stderr == *"/byway: left out, as not everybody can read or reach it"* ]]
    [[ $output == *"2 not readable for all"* ]]
    for word in alpha beta; do
        alldoc $word
        [[ $status == 1 ]]
    done
    # a link to a tree that is open is followed, since the site has named it
    printf 'gamma for all\n' >doc/file
    ln -s doc way
    index --doc none
    index --doc "$PWD/way"
    alldoc gamma
    [[ $status == 0 ]]
    # closed since: its line is not shown, and with the next run its words are gone
    index
    chmod 600 doc/file
    alldoc --json gamma
    [[ $status == 0 && $(values snippet) == None && $(values summary) == None ]]
    chmod 644 doc/file && chmod 750 doc
    alldoc --json gamma
    [[ $(values snippet) == None ]]
    chmod 755 doc && chmod 600 doc/file
    index
    [[ $status == 0 && $output == *"rebuilt, since some documents are no longer readable for all" ]]
    [[ $(sqlite3 alldoc.db "CREATE VIRTUAL TABLE temp.term USING fts5vocab('main', 'words', 'row');
        SELECT count(*) FROM temp.term WHERE term = 'gamma'") == 0 ]]
    index
    [[ $output != *rebuilt* ]]
    # a file that has become a link
    printf 'delta for all\n' >doc/delta && printf 'delta for me\n' >outside && chmod 600 outside
    index
    ln -sf ../outside doc/delta
    alldoc delta
    [[ $output == *"delta for all"* && $output != *"for me"* ]]
}

@test "texts that are made to break readers, and old encodings, are read or counted" {
    printf 'x &#%05000d; <b>many</b> digits' 9 >doc/digits.html
    printf 'before the first mark <b>x</b>' >doc/begin.html
    printf 'caf\xe9 and \xc3\xa9t\xc3\xa9 in one\n' >doc/latin
    printf '%0300d a' 1 | tr 01 ab >long && { printf '.SH SYNOPSIS\n' && cat long; } >man/man3/long.3
    { for number in {1..6000}; do printf '/*m%d*/int g%d(void);\n' "$number" "$number"; done; } >header/many.h
    head -c 3M /dev/zero | tr '\0' a | gzip >doc/bomb.gz
    index --text-size 1M
    [[ $status == 0 && $output == *"1 cut at the limit"* ]]
    for word in "many digits" "before the first mark" café été; do
        alldoc "$word"
        [[ $status == 0 ]] || { echo "$word" && false; }
    done
    alldoc --json -n 6000 'm*' -k header
    [[ $(values name | grep -c '^g') == 5000 ]]
    alldoc -r g6000
    [[ $status == 0 ]]
    # definitions of macros: what stands behind them is text
    printf '.de Vb \\" Begin\n.nf\nhiddenone\n..\n.ig zz\nhiddentwo\n.zz\n.de Ve end\nhiddenthree\n.end \\" Ve\n.if x \\{\\\n.  am URL\nhiddenfour\n.  .\n.\\}\nvisibleone\n.am X\nvisibletwo\n' \
        >man/man3/macros.3
    index --text-size 1M
    for word in visibleone visibletwo; do
        alldoc $word
        [[ $status == 0 ]] || { echo "$word" && false; }
    done
    alldoc "hidden*" -k man
    [[ $status == 1 ]]
    # a character that the limit divides
    printf '%01023dé' 0 >doc/divided
    index --text-size 1K --rebuild
    [[ $status == 0 ]]
}

# bats test_tags=needs:root
@test "what is no index, or cannot be read or written, is said" {
    alldoc --index "$PWD" x
    [[ $status == 2 && $stderr == *"is no index of jobtrail-alldoc" ]]
    mkfifo fifo
    alldoc --index "$PWD/fifo" x
    [[ $status == 2 && $stderr == *"is no index of jobtrail-alldoc" ]]
    index
    # an index of others can have anything in it
    cp alldoc.db theirs
    python3 -c 'import sqlite3, sys
base = sqlite3.connect("theirs")
base.execute("UPDATE file SET argv = ?, path = 1 WHERE kind = \"doc\"", ["{"])
base.execute("UPDATE file SET tree = ? WHERE kind = \"man\"", ["-Ptouch escaped;"])
base.commit()'
    alldoc --index "$PWD/theirs" planner
    [[ $status == 2 && $stderr == *"theirs: "* && $stderr != *Traceback* ]]
    mkdir -p -- "-Ptouch escaped;/man3" && cp man/man3/dgemm.3 -- "-Ptouch escaped;/man3"
    alldoc --index "$PWD/theirs" --json -k man dgemm
    alldoc --index "$PWD/theirs" --show "$(values id)"
    [[ $status == 2 && $stderr == *"is no absolute path" && ! -e escaped ]]
    # words without end
    mapfile -t words < <(seq 3000)
    alldoc "${words[@]}"
    [[ $status == [12] && $stderr != *Traceback* ]]
    if ((EUID == 0)); then
        chmod 600 alldoc.db
        run --separate-stderr setpriv --reuid nobody --regid nogroup --clear-groups "$JOBTRAIL_BIN/jobtrail-alldoc" dgemm
        [[ $status == 2 && $stderr == *"alldoc.db: Permission denied" ]]
        # root makes no directory in a user's
        mkdir users && chown nobody users
        index --index "$PWD/users/below/alldoc.db"
        [[ $status == 2 && $stderr == *"root writes nothing"* && ! -e users/below ]]
    fi
    # read by all, written by nobody
    chmod 644 alldoc.db
    mkdir place && mv alldoc.db place && chmod 555 place
    alldoc --index "$PWD/place/alldoc.db" dgemm
    [[ $status == 0 ]]
}

# bats test_tags=needs:root
@test "a full disk leaves the index as it was, and gets back what the next one took" {
    mkdir disk && mount -t tmpfs -o size=1M,mode=755 disk disk
    export JOBTRAIL_ALLDOC=$PWD/disk/alldoc.db
    index
    [[ $status == 0 ]]
    sum=$(sha1sum <disk/alldoc.db)
    seq -f 'word%.0f' 200000 >doc/large
    index
    [[ $status == 2 && $stderr == *"disk/alldoc.db: "*" full; the index stays as it was" && $stderr != *Traceback* ]]
    [[ $(sha1sum <disk/alldoc.db) == "$sum" && $(ls disk) == $'alldoc.db\nalldoc.db.lock' ]]
    # no room for the copy
    fallocate -l "$(($(df --output=avail -B1 disk | tail -1) - 8192))" disk/other
    index
    [[ $status == 2 && $stderr == *"disk/alldoc.db: No space left on device; the index stays as it was" ]]
    [[ $(ls disk) == $'alldoc.db\nalldoc.db.lock\nother' ]]
    alldoc dgemm
    [[ $status == 0 ]]
    mount -o remount,ro disk
    index
    [[ $status == 2 && $stderr == *"Read-only file system"* ]]
    alldoc dgemm
    [[ $status == 0 ]]
}

@test "commands that the site names run with bounds, as nobody, and what they say is found and not kept" {
    cat >sources <<'SOURCES'
# LIBRARY and program
command imsl /bin/sh -c "echo user $(id -u) of imsl; echo 'QDAGS(f, a, b) intEgratEs' | tr E e"
command slow /bin/sh -c "echo slow; sleep 1000"
command left /bin/sh -c "sleep 1000 & echo left behind"
command endless /usr/bin/yes endless
command failing /bin/false
command absent /nonexistent/program
command silent /bin/true
SOURCES
    index --sources "$PWD/sources" --command-time "$SLOW" --text-size 64K
    [[ $status == 4 && $output == *"1 cut at the limit"* && $output == *"5 with errors"* ]]
    [[ $stderr == *"slow"*"has not ended after $SLOW seconds"* && $stderr == *"/bin/false: ended with 1"* ]]
    [[ $stderr == *"/nonexistent/program: No such file or directory"* && $stderr == *"/bin/true: has written nothing"* ]]
    alldoc --json --routine qdags
    [[ $(values kind) == command && $(values libraries) == "['imsl']" ]]
    alldoc --json endless
    [[ $(values kind) == command ]]
    if ((EUID == 0)); then
        alldoc "user $(id -u nobody) of imsl"
        [[ $status == 0 ]]
        index --sources "$PWD/sources" --user root
        [[ $status == 2 ]]
    fi
    run ! grep -qF integrates alldoc.db
    alldoc --json -r QDAGS
    alldoc --show "$(values id)"
    [[ $status == 0 && $output == "user $EUID of imsl"* ]]
    # a command that fails once is not forgotten
    printf 'command imsl /bin/sh -c "exit 3"\n' >sources
    index --sources "$PWD/sources"
    [[ $status == 4 ]]
    printf 'comand x /bin/true\n' >sources
    index --sources "$PWD/sources"
    [[ $status == 2 && $stderr == *"sources:1: there is no comand; did you mean command"* ]]
    printf '\n\ncommand x true\n' >sources
    index --sources "$PWD/sources"
    [[ $status == 2 && $stderr == *"sources:3: a command is:"* ]]
}

@test "a document is opened where it lies" {
    index
    alldoc --json -k man dgemm
    alldoc --show "$(values id)"
    [[ $status == 0 && $output == *"matrix-matrix operations"* ]]
    alldoc --json plain_one
    alldoc --show "$(values id)"
    [[ $output == "$(cat header/nag/nag_blas.h)" ]]
    rm header/nag/nag_blas.h
    alldoc plain_one
    [[ $status == 0 ]]
    alldoc --json plain_one
    alldoc --show "$(values id)"
    [[ $status == 2 && $stderr == *"is not there any more"* ]]
    alldoc --show 1000000
    [[ $status == 2 ]]
}

@test "headers and man pages of Debian's packages are understood" {
    mkdir system && cp -R /usr/include/json-c /usr/include/zlib.h system/
    pc=$(pkg-config --variable pcfiledir zlib)
    page=$(dpkg -L man-db | grep '/man/man1/man\.1\.gz$')
    zlib=$(dpkg -L zlib1g-dev | grep '/man3/zlib\.3\.gz$')
    # JOBTRAIL_SOAK: all pages
    man=$(dirname "$(dirname "$page")")
    if [[ -z ${JOBTRAIL_SOAK-} ]]; then
        mkdir -p "system$man"
        dpkg -L man-db zlib1g-dev | grep '/man/man.*[.]gz$' | xargs cp --parents -t system || [[ ! -e $page ]]
        man=$PWD/system$man
    fi
    run --separate-stderr jobtrail-alldoc index --man "$man" --doc none --module none --pkgconfig "$pc" \
        --header "$PWD/system"
    [[ $status == 0 ]]
    alldoc --json -r json_object_get -k header
    [[ $(values libraries) == "['json-c']" && $(values version) == "$(pkg-config --modversion json-c)" ]]
    [[ $(values snippet) == *"json_object_get("* ]]
    alldoc --json --library z -r inflateInit2_
    [[ $status == 0 && $(values version) == "$(pkg-config --modversion zlib)" ]]
    for routine in deflate inflate crc32 gzopen compress; do
        alldoc --json -k header -r $routine
        [[ $(values path) == *"/zlib.h"* ]]
    done
    [[ ! -e $page ]] || { alldoc --json -k man "manual pager" && [[ $(values path) == *"$page"* ]]; }
    [[ ! -e $zlib ]] || { alldoc --json -k man -l z && [[ $(values path) == *"$zlib"* ]]; } || alldoc -k man zlib
    [[ $status == 0 ]]
}
