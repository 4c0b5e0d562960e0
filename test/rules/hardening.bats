#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What is installed and runs as root, or is loaded into a daemon of root's, is built so that a fault in
# it is hard to use. The library in users' processes, which imports nothing, is looked at in guests.bats.

# all ELF files that are installed, but for the preload libraries and their start-up objects
setup() {
    mapfile -t BINARIES < <(find "$JOBTRAIL_STAGE" -type f ! -name libjobtrail.so ! -name libjobtrail-profile.so \
        ! -path '*/jobtrail/startup/*' -exec grep -laP '^\x7fELF' {} +)
}

is_optimised() {
    ! grep -q '^CMAKE_BUILD_TYPE:.*=Debug$' "$JOBTRAIL_BUILD/CMakeCache.txt"
}

# bats test_tags=needs:libraries,needs:routines,needs:profile
@test "all that is installed is looked at" {
    local names
    names=$(for file in "${BINARIES[@]}"; do echo "${file##*/}"; done | sort | paste -sd ' ')
    [[ $names == "doctor-step jobtrail-conf jobtrail-ld jobtrail-libdate jobtrail-libmon jobtrail-libq jobtrail-libuse jobtrail-load jobtrail-profile jobtrail-ps jobtrail-record-pkg jobtrail-robj jobtrail-submit spank_jobtrail.so transport_http.so transport_kafka.so" ]]
}

@test "nothing that is installed runs as another user than who starts it (set-user-id, set-group-id)" {
    [[ -d $JOBTRAIL_STAGE/bin && $(find "$JOBTRAIL_STAGE" ! -type d -perm /6000) == "" ]]
}

@test "relocations are done at the start and read-only from then on (full RELRO)" {
    for file in "${BINARIES[@]}"; do
        [[ $(readelf -lW "$file") == *GNU_RELRO* && $(readelf -dW "$file") =~ FLAGS.*NOW ]] || { echo "$file"; false; }
    done
}

@test "programs are position-independent, no stack is executable, nothing is writable and executable" {
    for file in "${BINARIES[@]}"; do
        run readelf -lW "$file"
        [[ $output == *"Elf file type is DYN"* && $output =~ GNU_STACK[^$'\n']*' RW ' && $output != *RWE* ]] || { echo "$file"; false; }
        [[ $file == *.so || $(readelf -dW "$file") =~ FLAGS_1.*PIE ]] || { echo "$file"; false; }
    done
}

needs_more() { # WHAT READELF SAYS: more than libc
    sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' <<<"$1" | grep -qv '^libc\.so\|^ld-linux'
}

@test "no library is looked for where somebody may have put it: by programs where the system has them, before LD_LIBRARY_PATH" {
    local system
    system=$(dirname "$(readlink -f "$(ldconfig -p | sed -n '/libjson-c/{s/.*=> //p;q}')")")
    for file in "${BINARIES[@]}"; do
        run readelf -dW "$file"
        [[ $output != *RUNPATH* && $output != *TEXTREL* ]] || { echo "$file"; false; }
        # in what a process loads, that process's choice counts
        [[ $file == *.so ]] && [[ $output == *RPATH* ]] && { echo "$file"; false; }
        [[ $file == *.so ]] || ! needs_more "$output" || [[ $(readlink -f "$(sed -n 's/.*(RPATH).*\[\(.*\)\]/\1/p' <<<"$output")") == "$system" ]] || { echo "$file"; false; }
    done
}

@test "a program starts where LD_LIBRARY_PATH has other libraries of the names that it needs" {
    local name
    mkdir "$BATS_TEST_TMPDIR/other"
    for file in "${BINARIES[@]}"; do
        for name in $(readelf -dW "$file" | sed -n '/ld-linux\|libc\.so/d; s/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
            [[ -e $BATS_TEST_TMPDIR/other/$name ]] ||
                echo 'int nothing;' | gcc -x c - -shared -fPIC -Wl,-soname,"$name" -o "$BATS_TEST_TMPDIR/other/$name"
        done
    done
    for file in "${BINARIES[@]}"; do
        [[ $file == *.so || $file == */doctor-step ]] || LD_LIBRARY_PATH="$BATS_TEST_TMPDIR/other" "$file" --help >/dev/null || { echo "$file"; false; }
    done
    [[ $(find "$BATS_TEST_TMPDIR/other" -name '*.so*') == *libelf* ]]
}

@test "stacks have guards, and calls of libc know the sizes of what they fill" {
    for file in "${BINARIES[@]}"; do
        run nm -D --undefined-only "$file"
        [[ $output == *__stack_chk_fail* ]] || { echo "$file"; false; }
        ! is_optimised || [[ $output =~ __[a-z]+_chk@ ]] || { echo "$file"; false; }
    done
}

@test "each of our sources is compiled with these options, but for the preload library's" {
    # what a test or a fuzz target compiles is its own business; what it is made into is named from the build's directory
    jq -r --arg source "$JOBTRAIL_SOURCE/" --arg build "$JOBTRAIL_BUILD/" '.[]
        | select(.file | ltrimstr($build) | ltrimstr($source) | test("^(conf|contrib|ldwrap|spank|submit)/[a-z_/]*[.]c$"))
        | select(.output // (.command | capture(" -o (?<output>[^ ]+)").output) | ltrimstr($build) | startswith("test/") | not)
        | .command' "$JOBTRAIL_BUILD/compile_commands.json" \
        >"$BATS_TEST_TMPDIR/commands"
    (($(wc -l <"$BATS_TEST_TMPDIR/commands") > 100))
    for option in -fstack-protector-strong -fstack-clash-protection -fPI; do
        run grep -vF -e "$option" "$BATS_TEST_TMPDIR/commands"
        [[ $output == "" ]]
    done
    ! is_optimised || [[ $(grep -vcF -e -D_FORTIFY_SOURCE=3 "$BATS_TEST_TMPDIR/commands") == 0 ]]
}
