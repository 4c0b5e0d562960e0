#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Real projects from Debian, built without and with the wrapper: what the build says and makes is the
# same, but for the notes.

load ../fixture/job
load ../fixture/links

setup_file() {
    "$JOBTRAIL_SOURCE/test/debian-source" "$JOBTRAIL_BUILD/test/debian-source" minpack tinyxml2 zlib lz4 seabios
}

setup() {
    new_links
}

# project NAME: its sources are the current directory
project() {
    rm -rf "$WORK"
    cp -a "$JOBTRAIL_BUILD/test/debian-source/$1" "$WORK"
    cd "$WORK" || return
}

is_linked() { # ELF FILE: an executable or a shared library
    [[ $(readelf -hW "$1" | sed -n 's/^ *Type: *\([A-Z]*\) .*/\1/p') == @(EXEC|DYN) ]]
}

# compare_builds FILE...: all files are there on both sides; objects and archives are the same, what was
# linked is but for the note, which it has; these files have a record
compare_builds() {
    local file
    diff <(cd ../plain && find . -type f | sort) <(cd ../wrapped && find . -type f | sort)
    while IFS= read -r file; do
        case $(head -c 8 "../plain/$file" | tr -d '\0') in
        $'\177ELF'*) ;;
        '!<arch>'*) cmp "../plain/$file" "../wrapped/$file" || return 1 ;;
        *) continue ;;
        esac
        if is_marked "../wrapped/$file"; then
            same_but_for_the_note "../plain/$file" "../wrapped/$file" || { echo "$file"; return 1; }
        else
            # CMake keeps one of its probes.
            ! is_linked "../wrapped/$file" || [[ $file == */CMakeDetermineCompilerABI_*.bin ]] || {
                echo "$file is not marked"
                return 1
            }
            cmp "../plain/$file" "../wrapped/$file" || return 1
        fi
    done < <(cd ../plain && find . -type f ! -name '*.tmp')
    for file; do
        recorded_as "$(mark "../wrapped/$file" Build_UUID)" || { echo "$file"; return 1; }
    done
}

@test "autotools, libtool and Fortran: minpack" {
    project minpack
    both sh -c 'sh ./configure F77=gfortran >configure.said 2>&1 && make FFLAGS="-O1 -g"'
    compare_builds .libs/libminpack.so
    # The probes were left alone.
    diff <(grep '^checking' ../plain/configure.said) \
        <(grep '^checking' ../wrapped/configure.said | sed "s,$LD_DIRECTORY/\(x86_64-linux-gnu-\)*ld,/usr/bin/ld,g")
    [[ $(links | jq -c '[.[] | select(.resultT.exec_path | test("/libminpack[.]so[.0-9]*$")) | .jobtrailT.objects > 20]') == '[true]' ]]
}

@test "CMake: tinyxml2" {
    project tinyxml2
    both sh -c 'cmake -G "Unix Makefiles" -B made -D BUILD_SHARED_LIBS=ON -D CMAKE_BUILD_TYPE=Release >cmake.said 2>&1 &&
        cmake --build made -j1 >build.said 2>&1 && cd made && ./xmltest >/dev/null'
    # CMake's first look at each compiler stays in the build directory.
    compare_builds made/libtinyxml2.so made/xmltest
    diff <(sed 's/([0-9.]*s)//' ../plain/cmake.said) <(sed 's/([0-9.]*s)//' ../wrapped/cmake.said)
    # Nothing is to be done again: the linker's dependency files name nothing that is gone.
    rm -rf "$WORK"
    cp -a ../wrapped "$WORK"
    cd "$WORK"
    wrapped cmake --build made -j1 >again
    [[ $(cat again) != *Linking* ]] || { cat again; return 1; }
}

@test "a version script and programs that are run by the build: zlib" {
    project zlib
    both sh -c './configure >configure.said 2>&1 && make CFLAGS="-O1 -fPIC -D_LARGEFILE64_SOURCE=1 -DHAVE_HIDDEN" SFLAGS="-O1 -fPIC -D_LARGEFILE64_SOURCE=1 -DHAVE_HIDDEN" all && make test >test.said 2>&1'
    compare_builds libz.so example minigzip
    diff ../plain/test.said ../wrapped/test.said
    [[ $(readelf --dyn-syms -W ../wrapped/libz.so) == *deflate*@@* || $(readelf -VW ../wrapped/libz.so) == *ZLIB_1.2.9* ]]
}

@test "LTO: lz4" {
    project lz4
    both make CFLAGS="-O1 -flto=1 -frandom-seed=1" lib lz4
    compare_builds lib/liblz4.so programs/lz4
    echo text | ../wrapped/programs/lz4 | ../wrapped/programs/lz4 -d | grep -x text
}

@test "Go with cgo: go-sqlite3" {
    mkdir -p src
    cp -RL /usr/share/gocode/src/github.com src/
    cat >main.go <<'GO'
package main

import (
	"database/sql"
	"fmt"

	_ "github.com/mattn/go-sqlite3"
)

func main() {
	db, _ := sql.Open("sqlite3", ":memory:")
	var version string
	fmt.Println(db.QueryRow("select sqlite_version()").Scan(&version), version != "")
}
GO
    both env GO111MODULE=off GOPATH="$WORK" GOCACHE="$JOBTRAIL_BUILD/test/go-cache" GOFLAGS=-trimpath \
        go build -tags libsqlite3 -ldflags=-linkmode=external -o made main.go
    [[ $(../wrapped/made) == "<nil> true" ]]
    recorded_as "$(mark ../wrapped/made Build_UUID)"
    same_but_for_the_note ../plain/made ../wrapped/made
    [[ $(links | jq '[.[].linkA[][0] | select(contains("/libsqlite3.so"))] | length > 0') == true ]]
}

@test "Rust: a crate of Debian's, and a program that uses it" {
    cp -R /usr/share/cargo/registry/itoa-*/src itoa
    echo 'fn main() { println!("{}", itoa::Buffer::new().format(4711)); }' >main.rs
    echo '#[no_mangle] pub extern "C" fn digits(n: u64) -> usize { itoa::Buffer::new().format(n).len() }' >digits.rs
    both sh -c '/usr/bin/rustc -O --edition=2018 --crate-type lib --crate-name itoa itoa/lib.rs -o libitoa.rlib &&
        /usr/bin/rustc -O --edition=2018 --extern itoa=libitoa.rlib --crate-type cdylib digits.rs -o libdigits.so &&
        /usr/bin/rustc -O --edition=2018 --extern itoa=libitoa.rlib main.rs -o made && ./made'
    for made in made libdigits.so; do
        same_but_for_the_note "../plain/$made" "../wrapped/$made"
        is_marked "../wrapped/$made"
    done
}

@test "linker scripts of its own: SeaBIOS" {
    project seabios
    mkdir out
    printf 'CONFIG_%s=y\n' QEMU BUILD_VGABIOS VGA_STANDARD_VGA >out/.config
    # shellcheck disable=SC2016
    both sh -c 'for target in oldnoconfig out/vgabios.bin; do
        make PYTHON=python3 OUT=out/ EXTRAVERSION=test KCONFIG_CONFIG=$PWD/out/.config $target || exit
    done >said 2>&1'
    for made in vgabios.bin vgaccode16.o vgaentry.o; do
        cmp "../plain/out/$made" "../wrapped/out/$made"
    done
    # Its last link, with -T, is recorded and not marked.
    [[ $(links | jq -c '[.[] | select(.resultT.exec_path | endswith("/vgarom.o")) | .jobtrailT.marked]') == '[false]' ]]
}
