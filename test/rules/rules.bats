#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# What must be true of our files as they are, without running them.

# Scripts of the source tree, by first line or name; builds and .git are not ours to judge.
shell_scripts() {
    local file line
    while IFS= read -r -d '' file; do
        case $file in
        *.sh | *.bash | *.bats) echo "$file" ;;
        *.*[A-Za-z]) ;;
        *)
            line=
            IFS= read -r line <"$file" 2>/dev/null || true
            [[ $line =~ ^'#!'.*[/\ ](ba|da)?sh( |$) ]] && echo "$file"
            ;;
        esac
    done < <(find "$JOBTRAIL_SOURCE" \( -name .git -o -path "$JOBTRAIL_SOURCE/build" -o -path "$JOBTRAIL_BUILD" \) \
        -prune -o -type f -print0)
}

@test "shellcheck finds nothing to say about our shell scripts" {
    mapfile -t scripts < <(shell_scripts)
    ((${#scripts[@]} > 0))
    cd "$JOBTRAIL_SOURCE"
    test/rules/scripts "$JOBTRAIL_BUILD" "${scripts[@]#"$JOBTRAIL_SOURCE/"}"
}

@test "no path of the machine it was written on is in the sources" {
    cd "$JOBTRAIL_SOURCE"
    run grep -rnE --exclude-dir=.git --exclude-dir=build --exclude-dir=__pycache__ "$(printf '(^|[^A-Za-z0-9_.$}/])/%s/' 'work')" .
    echo "$output"
    ((status == 1))
}

@test "paths have quotes where CMake starts a shell: a checkout's may have a blank" {
    run grep -rnE --include=CMakeLists.txt --exclude-dir=build "sh -c \"([^\"]*[^\"'])?[$][{]" "$JOBTRAIL_SOURCE"
    echo "$output"
    ((status == 1))
}
