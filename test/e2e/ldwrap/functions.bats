#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Which functions a program takes from the libraries of the site's modules, found in the one link.

load ../fixture/job
load ../fixture/links

setup() {
    new_links
    APPS=$BATS_TEST_TMPDIR/apps
    mkdir -p "$APPS"/{fft/3.3/lib,blas/1.0/lib,other/lib}
    plain gcc -shared -fPIC -x c - -o "$APPS/fft/3.3/lib/libfft.so" <<'C'
int fft_data;
int fft_plan(void) { return fft_data; }
int fft_execute(void) { return 0; }
int fft_unused(void) { return 0; }
C
    for name in dgemm dgemv unused; do
        printf 'int helper_%s(void) { return 0; } int %s(void) { return helper_%s(); } int data_%s;\n' $name $name $name $name >$name.c
        plain gcc -O0 -ffunction-sections -c $name.c
    done
    ar rc "$APPS/blas/1.0/lib/libblas.a" dgemm.o dgemv.o unused.o
    plain gcc -shared -fPIC -x c - -o "$APPS/other/lib/libother.so" <<<'int other(void) { return 0; }'
    echo 'int fft_plan(void), fft_execute(void), dgemm(void), other(void);
        int main(void) { return fft_plan() + fft_execute() + dgemm() + other(); }' >main.c
    plain gcc -c main.c
    printf '# the site\n\n%s fft/3.3\n%s\tblas/1.0\n/nowhere none/1\n' "$APPS/fft/3.3" "$APPS/blas/1.0/lib" >"$BATS_TEST_TMPDIR/map"
    echo "modules = $BATS_TEST_TMPDIR/map" >>"$CONF"
    LIBRARIES=(-L"$APPS/fft/3.3/lib" -lfft -L"$APPS/blas/1.0/lib" -lblas -L../apps/other/lib -lother)
}

functions() { # of the one record, "NAME..." and what each module gave
    links | jq -c '.[0] | [.function, .jobtrailT.moduleT]'
}

ALL='[["dgemm","fft_execute","fft_plan","helper_dgemm"],{"blas/1.0":["dgemm","helper_dgemm"],"fft/3.3":["fft_execute","fft_plan"]}]'

@test "shared libraries and archives, with each linker, and nothing else changes" {
    for linker in "${LINKERS[@]}"; do
        rm -rf "$RECORDS"
        both gcc -fuse-ld="$linker" main.o "${LIBRARIES[@]}" -o made
        same_but_for_the_note ../plain/made ../wrapped/made
        [[ $(functions) == "$ALL" ]] || { echo "$linker: $(functions)"; return 1; }
        [[ $(jq -c '[.[] | .linkA | map(.[0]) | any(endswith("/libother.so"))]' <<<"$(links)") == '[true]' ]]
    done
}

@test "the map that Lmod's spider writes" {
    # As of Lmod 8.6.19 for two modulefiles with prepend_path("LD_LIBRARY_PATH", ...).
    spider_says() { # FORM
        local fft=${APPS//\//\\/}\\/fft\\/3.3\\/lib blas=${APPS//\//\\/}\\/blas\\/1.0\\/lib
        case $1 in
        jsonReverseMapT)
            printf '{"timestampFn":false,"xlibmap":["libblas.a"],"reverseMapT":{"%s":{"flavor":["default"],"pkg":"fft\\/3.3","kind":"lib","moduleFn":"\\/m\\/fft\\/3.3.lua"},"%s":{"flavor":["default"],"pkg":"blas\\/1.0","kind":"lib","moduleFn":"\\/m\\/blas\\/1.0.lua"}}}\n' "$fft" "$blas"
            ;;
        xalt_rmapT) printf '{"reverseMapT":{"%s":"fft\\/3.3","%s":"blas\\/1.0"},"xlibmap":[]}\n' "$fft" "$blas" ;;
        esac
    }
    for form in jsonReverseMapT xalt_rmapT; do
        rm -rf "$RECORDS"
        spider_says "$form" >"$BATS_TEST_TMPDIR/map"
        jq . "$BATS_TEST_TMPDIR/map" >/dev/null
        wrapped gcc main.o "${LIBRARIES[@]}" -o made
        [[ $(functions) == "$ALL" ]] || { cat "$BATS_TEST_TMPDIR/map"; functions; return 1; }
    done
}

@test "only what is still in the program: garbage collection, LTO, stripped symbols" {
    wrapped gcc -Wl,--gc-sections main.o "${LIBRARIES[@]}" -o made
    [[ $(functions) == "$ALL" ]]
    rm -rf "$RECORDS"
    # Stripped: all functions of the members that were linked in, but of no other member.
    wrapped gcc -s main.o "${LIBRARIES[@]}" -o made
    [[ $(functions) == "$ALL" ]]
    rm -rf "$RECORDS"
    # LTO: what was not inlined. The archive's index tells which functions its members have.
    plain gcc -O1 -fno-inline -flto -c main.c dgemm.c dgemv.c
    gcc-ar rcs "$APPS/blas/1.0/lib/libblas.a" dgemm.o dgemv.o
    wrapped gcc -O1 -fno-inline -flto main.o "${LIBRARIES[@]}" -o made
    [[ $(links | jq -c '.[0].function') == *'"fft_execute","fft_plan"'* ]]
    [[ $(links | jq -c '.[0].function') != *dgemv* ]]
    [[ $(links | jq -c '.[0].function | index("dgemm") != null') == "$(nm made | grep -qi ' t dgemm$' && echo true || echo false)" ]]
}

@test "static programs" {
    plain gcc -c -x c - -o fft.o <<<'int fft_plan(void) { return 0; } int fft_execute(void) { return 0; }'
    rm "$APPS/fft/3.3/lib/libfft.so"
    ar rc "$APPS/fft/3.3/lib/libfft.a" fft.o
    echo 'int fft_plan(void), dgemm(void); int main(void) { return fft_plan() + dgemm(); }' | plain gcc -c -x c - -o main.o
    wrapped gcc -static main.o -L"$APPS/fft/3.3/lib" -lfft -L"$APPS/blas/1.0/lib" -lblas -o made
    [[ $(functions) == "$ALL" ]]
}

@test "the user's own map is as ever, and is read" {
    for linker in "${LINKERS[@]}"; do
        rm -rf "$RECORDS"
        both gcc -fuse-ld="$linker" main.o "${LIBRARIES[@]}" -Wl,-Map=my.map -o made
        cmp ../plain/my.map ../wrapped/my.map
        [[ $(functions) == "$ALL" ]]
    done
    rm -rf "$RECORDS"
    # A map on stdout is not looked at: of shared libraries it is known all the same.
    both gcc main.o "${LIBRARIES[@]}" -Wl,-M -o made
    [[ $(functions) == '[["fft_execute","fft_plan"],{"fft/3.3":["fft_execute","fft_plan"]}]' ]]
}

@test "off: by the user, by the site, without a map, with a bad one" {
    none='[[],{}]'
    wrapped XALT_FUNCTION_TRACKING=no gcc main.o "${LIBRARIES[@]}" -o made
    [[ $(functions) == "$none" ]]
    for map in '{"reverseMapT": 3}' '{ nonsense' ''; do
        rm -rf "$RECORDS"
        echo "$map" >"$BATS_TEST_TMPDIR/map"
        wrapped gcc main.o "${LIBRARIES[@]}" -o made >said 2>&1
        [[ $(functions) == "$none" && ! -s said ]]
        is_marked made
    done
    rm -rf "$RECORDS" "$BATS_TEST_TMPDIR/map"
    wrapped gcc main.o "${LIBRARIES[@]}" -o made
    [[ $(functions) == "$none" ]]
}

@test "the linker runs once" {
    mkdir counting
    # shellcheck disable=SC2016
    printf '#!/bin/bash\necho >>"%s/runs"\nexec /usr/bin/ld "$@"\n' "$PWD" >counting/ld
    chmod +x counting/ld
    wrapped PATH="$LD_DIRECTORY:$PWD/counting:$PATH" gcc main.o "${LIBRARIES[@]}" -o made
    [[ $(wc -l <runs) == 1 && $(functions) == "$ALL" ]]
}
