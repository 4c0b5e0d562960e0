# SPDX-License-Identifier: LGPL-2.1-or-later
# Reads `ctest --verbose`, whose entries print TAP, and counts single tests.
# Variables: title (said before each name); files: passed (a number, appended), failed (names, appended),
# details (output of what failed, appended), times ("wall processors name" of each entry in seconds, appended),
# late (names of entries that did not run, appended). The beginning of what explains a failure is also printed at once: a
# log that is cut at its end still has it.

function fail(what) {
    print title " " what >> failed
    print "not ok  " title " " what
}

function print_beginning(text,   part, n, i) {
    n = split(text, part, "\n")
    for (i = 1; i <= n && i <= 30; i++)
        if (part[i] != "")
            print part[i]
    if (n > 31)
        print "    ..."
}

function show(text) {
    print text >> details
}

# An entry's lines begin with its number: "12: ok 3 - name"
/^ *[0-9]+: / {
    id = $1 + 0
    line = $0
    sub(/^ *[0-9]+: /, "", line)
    last[id, lines[id]++] = line

    if (line ~ /^# took [0-9.]+ [0-9.]+$/) { # test/timed
        split(line, part, " ")
        wall[id] = part[3]
        processors[id] = part[4]
    } else if (line == "# late") { # test/timed
        is_late[id] = 1
    } else if (line ~ /^1\.\.[0-9]+/) {
        planned[id] += substr(line, 4) + 0
        plans[id]++
        place[id] = 0
    } else if (line ~ /^(not )?ok( |$)/) {
        showing[id] = 0
        ran[id]++
        place[id]++
        if (match(line, /^(not )?ok [0-9]+/) && substr(line, 1, RLENGTH) !~ (" " place[id] "$"))
            forged[id] = line
        if (line ~ /# *[Ss][Kk][Ii][Pp]/) {
            bad[id]++
            failure[id, bad[id]] = "skipped: " line
        } else if (line ~ /^not/) {
            bad[id]++
            failure[id, bad[id]] = line
            showing[id] = bad[id]
        } else {
            good[id]++
        }
    } else if (showing[id]) {
        explain[id, showing[id]] = explain[id, showing[id]] "    " line "\n"
    }
    next
}

# " 3/12 Test #12: unit.name ....   Passed    0.02 sec", the end of an entry
/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: / {
    match($0, /#[0-9]+: [^ ]+/)
    split(substr($0, RSTART + 1, RLENGTH - 1), part, ": ")
    id = part[1] + 0
    name = part[2]
    result = $0
    sub(/^.*: [^ ]+ [. ]*/, "", result)
    ok = result ~ /^Passed/
    entries++

    if (name ~ /^fixture\./) {
        if (!ok)
            whole(id, name, result)
        next
    }
    if (is_late[id] && ok && !plans[id] && !ran[id]) { # and not printed by a test
        print title, name >> late
        next
    }
    for (i = 1; i <= bad[id]; i++) {
        fail(name " - " failure[id, i])
        print_beginning(explain[id, i])
        show(title " " name " - " failure[id, i])
        show(explain[id, i])
    }
    if (!plans[id])
        whole(id, name, ok ? "no plan: not a TAP suite" : result)
    else if (ran[id] != planned[id])
        whole(id, name, "ran " ran[id] + 0 " of " planned[id] " tests: " result)
    else if (id in forged)
        whole(id, name, "this is not the next test: " forged[id])
    else if (!ok && !bad[id])
        whole(id, name, result)
    total += good[id]
    if (id in wall) {
        result = sprintf("%s%s s, processors %s s", ok ? "" : "failed, ", wall[id], processors[id])
        print wall[id], processors[id], title, name >> times
    }
    printf "%4d ok%s  %s %s  %s\n", good[id], bad[id] ? ", " bad[id] " failed" : "", title, name, result
    fflush()
    next
}

# A failure that is not of one test: the end of the output explains it.
function whole(id, name, why,   i, text) {
    fail(name ": " why)
    show(title " " name ": " why)
    for (i = lines[id] > 30 ? lines[id] - 30 : 0; i < lines[id]; i++)
        text = text "    " last[id, i] "\n"
    print_beginning(text)
    show(text)
}

/^(CMake Error|ctest: |No tests were found)/ {
    trouble = $0
}

END {
    if (!entries)
        fail("ctest ran nothing" (trouble ? ": " trouble : ""))
    print total + 0 >> passed
}
