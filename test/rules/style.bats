#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What tools can keep of STYLE.md.

# files PATTERN...: those of the source tree with such names, each with a NUL; test/data is others' work
files() {
    local names=(-name "$1")
    for pattern in "${@:2}"; do names+=(-o -name "$pattern"); done
    find "$JOBTRAIL_SOURCE" \( -name .git -o -path "$JOBTRAIL_SOURCE/build" -o -path "$JOBTRAIL_BUILD" \
        -o -path "$JOBTRAIL_SOURCE/test/data" \) -prune -o \
        -type f \( "${names[@]}" \) -print0
}

# Releases of clang-format differ. That of Debian 12 judges.
# bats test_tags=needs:clang_format_14
@test "C is formatted as .clang-format has it" {
    files '*.[ch]' | xargs -0 clang-format --dry-run -Werror
}

@test "clang-tidy finds nothing in C that .clang-tidy asks for" {
    "$JOBTRAIL_SOURCE/test/rules/tidy" "$JOBTRAIL_BUILD" "$JOBTRAIL_SOURCE"
}

@test "what others have written is printed by terminal_text() or terminal_word() alone" {
    mkdir -p "$BATS_TEST_TMPDIR/conf"
    # shellcheck disable=SC2016
    printf '%s\n' 'static void a(const char *path)' '{' '    printf("%d %s", 1, path);' '    puts("path");' '}' '' \
        'static void b(const char *path, char **argv)' '{' '    terminal_text(path, 1, shown, 2);' \
        '    fprintf(stderr, "%s %s", path,' '            argv[1]);' '    fputs(getenv("X"), stdout);' '}' >"$BATS_TEST_TMPDIR/conf/made.c"
    run "$JOBTRAIL_SOURCE/test/rules/check_printed" "$BATS_TEST_TMPDIR"
    [[ $(cut -d: -f2 <<<"$output" | paste -sd ' ') == "3 10 12" ]]
    "$JOBTRAIL_SOURCE/test/rules/check_printed" "$JOBTRAIL_SOURCE"
}

# What a user has named may be a device or a FIFO, and opening one may do something: it is looked at by O_PATH first.
@test "rooms that read users' files open only regular ones" {
    run grep -nE '\b(open|openat)\(.*O_RDONLY' "$JOBTRAIL_SOURCE"/submit/{evidence,facts,hand_in,record}/*.c \
        "$JOBTRAIL_SOURCE"/contrib/profile/{,command/}*.c
    ! grep -v O_DIRECTORY <<<"$output" || false
}

@test "lists in CMake have one source a line, sorted" {
    # shellcheck disable=SC2016 # for awk to expand
    files CMakeLists.txt | xargs -0 awk '
        FNR == 1 { last = "" }
        /\.c[ )].*\.c\>/ { print FILENAME ":" FNR ": two sources in one line"; bad = 1 }
        {
            listed = $0 ~ /^ +[a-z_0-9]+\.c\)?$/ ? $1 : ""
            sub(/\)$/, "", listed)
            if (listed != "" && last > listed) { print FILENAME ":" FNR ": " listed " after " last; bad = 1 }
            last = listed
        }
        END { exit bad }'
}

@test "each file says its licence in its first lines" {
    local file bad="" head=()
    while IFS= read -r -d '' file; do
        mapfile -n 3 head <"$file"
        [[ ${head[*]} == *"SPDX-License-Identifier: LGPL-2.1-or-later"* ]] || bad+=" ${file#"$JOBTRAIL_SOURCE/"}"
    done < <(files '*.[ch]' '*.bats' '*.bash' '*.py' '*.sql' '*.pl' '*.cmake' CMakeLists.txt)
    echo "without:$bad"
    [[ $bad == "" ]]
}

# cmocka 1 lacks what cmocka 2 has instead.
@test "unit tests use nothing of cmocka's that its releases do not share" {
    run grep -rnE 'assert_(not_)?in_(range|set)\(' "$JOBTRAIL_SOURCE/test/unit" "$JOBTRAIL_SOURCE/test/e2e"
    echo "$output"
    ((status == 1))
}
