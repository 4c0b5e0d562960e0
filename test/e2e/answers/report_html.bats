#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# bats file_tags=needs:answers
# jobtrail-report --html as headless Chromium sees it: test/browser/look.
# shellcheck disable=SC2154 # the fixtures set variables

bats_require_minimum_version 1.5.0
load ../fixture/site
load ../fixture/browser

setup_file() {
    export TZ=UTC STORE=sqlite:$BATS_FILE_TMPDIR/store.db PAGE=$BATS_FILE_TMPDIR/page.html
    site_records "$BATS_FILE_TMPDIR/site"
    hostile >>"$SITE/records"
    printf '/opt/evil %s\n' '<script>owned=1</script>' >>"$SITE/modules"
    printf 'alice\t<img/src=x/onerror=owned=1>\tD\n' >>"$SITE/accounts"
    site_load "$STORE"
    "$JOBTRAIL_SOURCE/contrib/jobtrail-report" --store "$STORE" -S 2024-11-01 -E 2024-11-30 --html -o "$PAGE"
}

# what a user can put anywhere, as HTML, as an attribute's end, as an end of the script, as a control
hostile() {
    # shellcheck disable=SC2016 # variables of jq
    site_run 019a9f00-8888-7000-8000-000000000000 x 1 '
        "<script>owned=1</script>" as $script | "\"><img src=x onerror=owned=1>" as $image |
        "</script><svg onload=owned=1>\u001b[31m\u202e\u0000" as $tail |
        .userT += {exec_path: "/opt/evil/\($tail)", user: $image, account: "alice", syshost: $script} |
        .libA = [["/opt/evil/lib\($image).so", "0"]] | .xaltLinkT = {Build_User: $script,
            Build_compiler: $script, Build_UUID: "x", Build_Epoch: "1732010400"} |
        .slurmT += {job_id: 98} | .userT.job_id = "98"'
    site_run 019a9f00-8888-7000-8000-000000000001 'zz top' 1 '.userDT += {run_time: 7200000} |
        .slurmT += {job_id: 97} | .userT.job_id = "97"'
}

# look SCRIPT OPTION...: what Chromium says of the page, and the script's result as JSON in $result
look() {
    echo "$1" >"$BATS_TEST_TMPDIR/script.js"
    "$JOBTRAIL_SOURCE/test/browser/look" "$PAGE" --script "$BATS_TEST_TMPDIR/script.js" "${@:2}" \
        >"$BATS_TEST_TMPDIR/seen.json"
    cat "$BATS_TEST_TMPDIR/seen.json"
    [ "$(jq -c '[.requests, .messages]' "$BATS_TEST_TMPDIR/seen.json")" = '[[],[]]' ]
    result=$(jq -c .result "$BATS_TEST_TMPDIR/seen.json")
}

unfold='document.querySelectorAll("main details").forEach(d => d.open = true); '

# bats test_tags=needs:routines,needs:profile,needs:witness
@test "the page is whole: every section, days and coverage once, and no message, no request" {
    look '[...document.querySelectorAll("section")].map(s => [s.id, s.querySelectorAll("section > details[open]").length,
        s.querySelector(".coverage")?.textContent, s.querySelectorAll(".scroll > table").length])'
    [ "$(jq -r 'map(.[0]) | join(" ")' <<<"$result")" = "overview families executables libraries system modules compilers users accounts fields weekdays months trends last others endings failures efficiency mpi packages together allocation coverage links changes routines uncalled" ]
    jq -e '.[0][2] | startswith("Allocation: not known (no coverage records)Not included: ") and
        endswith("2024-11-01 to 2024-11-30, days of UTC")' <<<"$result"
    jq -e '.[1][1] == 1 and (.[2:] | all(.[1] == 0 and .[2] == null))' <<<"$result"
    [ "$(jq -c 'map(.[3]) | unique' <<<"$result")" = '[0,1]' ]
}

@test "the pages stand in groups, and each link inside the page leads to something" {
    look '[[...document.querySelectorAll("nav p")].map(p => p.textContent),
        [...document.querySelectorAll("a")].every(a => a.hash.length > 1 && document.getElementById(a.hash.slice(1))),
        new Set([...document.querySelectorAll("nav a")].map(a => a.hash)).size,
        document.querySelectorAll("section").length]'
    [ "$result" = "[[\"Overview\",\"What\",\"Who\",\"When\",\"The site's libraries\",\"Endings\",\"Efficiency\",\"Coverage\"],true,27,27]" ]
}

@test "a click on a column's title sorts by it, numbers as numbers, and once more the other way" {
    look '
        const section = document.getElementById("executables");
        if (section.querySelectorAll("th")[2].getAttribute("aria-sort") !== "descending") throw "not by hours at first";
        const column = at => [...section.querySelectorAll(".scroll tbody tr")].map(tr => tr.cells[at]);
        const click = at => { section.querySelectorAll("th button")[at].click();
            return [section.querySelectorAll("th")[at].getAttribute("aria-sort"),
                column(at).map(td => td.dataset.v ?? td.textContent)]; };
        [click(2), click(2), click(0), click(0)]'
    [ "$(jq -c 'map(.[0])' <<<"$result")" = '["ascending","descending","ascending","descending"]' ]
    jq -e '.[1][1] | map(tonumber) | . == (sort | reverse)' <<<"$result"
    jq -e '.[0][1] | map(tonumber) | . == sort' <<<"$result"
    jq -e '.[0][1] != .[1][1] and .[2][1] == (.[3][1] | reverse)' <<<"$result"
    [ "$(jq -r '.[3][1][0]' <<<"$result")" = "zz top" ]
}

@test "the keyboard sorts too" {
    look "$unfold"'
        const button = document.querySelector("#users th button");
        button.focus();
        button.matches(":focus") && button.tagName === "BUTTON" && button.tabIndex === 0'
    [ "$result" = true ]
}

@test "the filter hides what does not fit" {
    look '
        const input = document.querySelector("#executables .find input");
        input.value = "FLOW";
        input.dispatchEvent(new Event("input"));
        [[...document.querySelectorAll("#executables tbody tr")].filter(tr => !tr.hidden).map(tr => tr.cells[0].textContent),
         document.querySelector("#executables output").textContent.replace(/[0-9]+ rows/, "N rows")]'
    [ "$result" = '[["flow.mpi"],"1 of N rows"]' ]
}

@test "what users call their things is text, and runs nothing" {
    look "$unfold"'[typeof owned, document.images.length, document.querySelectorAll("[onerror], [onload]").length,
        document.scripts.length, document.body.innerText.includes("<script>owned=1</script>"),
        document.body.innerText.includes("<img src=x onerror=owned=1>"),
        /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/.test(document.body.textContent.replace(/[\n\t]/g, ""))]'
    [ "$result" = '["undefined",0,0,1,true,true,false]' ]
}

@test "a script that got into the page all the same would not run" {
    sed 's|</main>|<script>owned = 1</script><img src=x onerror="owned = 1"></main>|' "$PAGE" >"$BATS_TEST_TMPDIR/page.html"
    echo 'typeof owned' >"$BATS_TEST_TMPDIR/script.js"
    run "$JOBTRAIL_SOURCE/test/browser/look" "$BATS_TEST_TMPDIR/page.html" --script "$BATS_TEST_TMPDIR/script.js"
    [ "$(jq -r .result <<<"$output")" = undefined ]
    [ "$(jq -r '.messages | length' <<<"$output")" -gt 0 ]
}

@test "light and dark, desktop and phone: readable, and nothing sticks out" {
    local measure="$colours$unfold"'
        const style = e => getComputedStyle(e);
        const card = behind(document.querySelector("section"));
        [luminance(behind(document.body)) < 0.2,
         ratio(rgb(style(document.querySelector("td")).color), card) >= 7,
         ratio(rgb(style(document.querySelector(".coverage")).color), card) >= 4.5,
         ratio(rgb(style(document.querySelector("th")).color), card) >= 4.5,
         ratio(rgb(style(document.querySelector(".bars .bar")).fill), card) >= 3,
         document.documentElement.scrollWidth <= innerWidth,
         [...document.querySelectorAll(".scroll")].every(e => e.getBoundingClientRect().right <= innerWidth + 1),
         parseFloat(style(document.querySelector("td")).fontSize) >= 13,
         [...document.querySelectorAll("section figure :is(span:not(.spoken), text)")].every(e =>
             e.getBoundingClientRect().right <= innerWidth + 1 && parseFloat(style(e).fontSize) >= 13),
         [...document.querySelectorAll("section .bars svg.plot")].every(e => e.getBoundingClientRect().width >= 60)]'
    look "$measure"
    [ "$result" = '[false,true,true,true,true,true,true,true,true,true]' ]
    look "$measure" --dark
    [ "$result" = '[true,true,true,true,true,true,true,true,true,true]' ]
    look "$measure" --width 360 --height 740
    [ "$result" = '[false,true,true,true,true,true,true,true,true,true]' ]
    look "$measure" --width 360 --height 740 --dark
    [ "$result" = '[true,true,true,true,true,true,true,true,true,true]' ]
}

@test "a coverage stands for itself only where the allocation is known of most core hours" {
    run python3 -c '
import sys
sys.path.insert(0, sys.argv[1])
from jobtrail.answers.page.html_output import in_proportion
for allocation, inclusive in ((0.03, 25800000.0), (400.0, 1000.0), (1000.0, 10.0), (1000.0, 0.0)):
    print(": ".join(in_proportion({"coverage": 0.968, "allocation": allocation, "inclusive": inclusive, "not_allocated": 0.0})))
' "$JOBTRAIL_SOURCE/contrib"
    [ "${lines[0]}" = "not known: coverage: the allocation of 25.8 M core hours is not known" ]
    [ "${lines[1]}" = "not known: coverage: the allocation of 1,000 core hours is not known; 96.8 % of the other 400" ]
    [ "${lines[2]}" = "96.8 %: coverage of 1,000 core hours; the allocation of 10 more is not known" ]
    [ "${lines[3]}" = "96.8 %: coverage of 1,000 core hours" ]
}

@test "each text has contrast, light and dark, with the pages unfolded" {
    local scheme
    for scheme in --width=1200 --dark; do
        look "$colours document.querySelectorAll('details').forEach(d => d.open = true); $contrast" "$scheme"
        jq -e 'length > 300 and all(.[0])' <<<"$result" >/dev/null
    done
}

@test "screen readers: names, heads of rows and columns, an order of headings, and nothing hidden that takes the focus" {
    look "[$readers, document.querySelectorAll('[aria-sort=descending]').length > 5]"
    [ "$result" = "[$readers_want,true]" ]
}

@test "charts have an axis from 0 to a round value that is not less than the largest, and their values as text" {
    look '[...document.querySelectorAll("section .bars:not(.trends)")].map(figure => {
        const ends = [...figure.querySelectorAll(".axis text")].map(e => e.textContent);
        const bars = [...figure.querySelectorAll("li .bar")].map(e => parseFloat(e.getAttribute("width")));
        return [ends[0], ends.length > 1, Math.max(...bars) <= 100, Math.max(...bars) > 30,
            figure.querySelector("figcaption").textContent,
            [...figure.querySelectorAll("li")].every(e => /[0-9]/.test(e.lastElementChild.textContent))]; })'
    jq -e 'length > 5 and all(.[0] == "0" and .[1] and .[2] and .[3] and .[5]) and
        any(.[4] | startswith("Inclusive core hours"))' <<<"$result"
}

@test "print: a table's heads stand on each page that has a part of it, and no page is nearly empty" {
    look "$unfold"'
        const body = document.querySelector("#executables tbody");
        for (let at = body.rows.length; at < 90; at++) body.append(body.rows[0].cloneNode(true));
        '"$printed_marks"'
        [...document.querySelectorAll("nav, .find, .things")].every(e => !e.checkVisibility())' --print --pdf "$BATS_TEST_TMPDIR/pdf"
    [ "$result" = true ]
    jq -c '.printed[] | [.texts, (.colours | contains(["3 2 1"])), (.colours | contains(["1 2 3"]))]' "$BATS_TEST_TMPDIR/seen.json"
    heads_stand "$BATS_TEST_TMPDIR/seen.json"
    jq -e '.printed | length > 4 and ([.[] | select(.colours | contains(["3 2 1"]))] | length) > 3 and (.[:-1] | all(.texts >= 40))' "$BATS_TEST_TMPDIR/seen.json"
}

@test "the first screen answers: sentences of the numbers, families with their shares, and links unfold what they lead to" {
    look '
        location.hash = "#users";
        dispatchEvent(new Event("hashchange"));
        [[...document.querySelectorAll("header .findings li")].map(e => e.textContent),
         [...document.querySelectorAll("#families th")].some(e => e.textContent.startsWith("Share")),
         document.querySelector("#users details").open, document.querySelector("#accounts details").open]'
    jq -e '(.[0] | length >= 1 and (.[0] | test("^.+: [0-9]+ % of the inclusive core hours$"))) and .[1:] == [true, true, false]' <<<"$result"
    look "$printed_marks true" --print --pdf "$BATS_TEST_TMPDIR/pdf"
    jq -e '.printed | length <= 8' "$BATS_TEST_TMPDIR/seen.json"
}

# published OPTION...: a report that names nobody, in $BATS_TEST_TMPDIR/page.html
published() {
    "$JOBTRAIL_SOURCE/contrib/jobtrail-report" --store "$STORE" -S 2024-11-01 -E 2024-11-30 --top 0 --html --pseudonyms \
        -o "$BATS_TEST_TMPDIR/page.html" "$@"
}

@test "a page with pseudonyms has no user's, builder's or account's name anywhere, and no path" {
    # also as parts of other names: /home/alice is the module flow/2, carol runs programs of her own
    local name names
    names=$(jq -r '(.userT | .user?, .account?), (.xaltLinkT.Build_User? // empty), (.resultT.build_user? // empty)' \
        "$SITE/records" | sort -u | grep -Ev '[<>"]' | grep -v unknown)
    [[ $names == *alice* && $names == *climate* && $names == *bob* ]]
    site_run 019a9f00-8888-7000-8000-000000000002 my_Alice_solver 1 '.slurmT += {job_id: 96} | .userT.job_id = "96" |
        .libA += [["/home/carol/libcarols.so.1", "0"], ["/opt/own/libsecret.so.1", "0"]]' >"$BATS_TEST_TMPDIR/more"
    jq -c '.package_name = "alice_tools" | .package_version = "1+carol"' <(site_package x 1) >>"$BATS_TEST_TMPDIR/more"
    "$JOBTRAIL_BIN/jobtrail-load" --store "$STORE" "$BATS_TEST_TMPDIR/more"
    published
    for name in $names alice_solver libcarols secret 'zz top' /home/ /opt/ "$BATS_FILE_TMPDIR"; do
        run grep -ciF -- "$name" <(sed -E '/<style>/,/<\/style>/d; /<script>/,/<\/script>/d; s/\b(user|account|program|library|name)-[a-z2-7]{10}\b//g' "$BATS_TEST_TMPDIR/page.html") # letters of pseudonyms are random
        echo "$name: $output"
        [ "$output" = 0 ]
    done
    # of the system and of modules the names are public
    grep -F 'hdf5 1.14.3' "$BATS_TEST_TMPDIR/page.html" >/dev/null
    PAGE=$BATS_TEST_TMPDIR/page.html look '[
        [...document.querySelectorAll("#users tbody tr")].every(r => /^user-[a-z2-7]{10}$/.test(r.cells[0].textContent) ||
            r.cells[0].textContent === "(unknown)"),
        new Set([...document.querySelectorAll("#users tbody tr")].map(r => r.cells[0].textContent)).size ===
            document.querySelectorAll("#users tbody tr").length,
        [...document.querySelectorAll("#others tbody tr")].some(r => [...document.querySelectorAll("#users tbody th")]
            .some(u => u.textContent === r.cells[2].textContent)),
        document.body.innerText.includes("have pseudonyms")]'
    [ "$result" = '[true,true,true,true]' ]
}

@test "names of people are found beside signs, beyond ASCII, however they are composed, and without their realm" {
    local user at=0 copy=sqlite:$BATS_TEST_TMPDIR/copy.db
    : >"$BATS_TEST_TMPDIR/more"
    while read -r user library; do
        at=$((at + 1))
        site_run "019a9f00-8888-7000-8000-00000000010$at" prog 1 ".slurmT += {job_id: 9$at} | .userT.job_id = \"9$at\" |
            .userT.user = \"$user\" | .libA += [[\"/usr/lib/$library\", \"0\"]]" >>"$BATS_TEST_TMPDIR/more"
    done <<'TEXT'
j_d libof_j_d.x.so.1
a-b libq-a-b-c.so.1
m\u00fcller libof_mu\u0308ller.so.1
\u00dc\u00f6 libq-u\u0308o\u0308.so.1
erika@SITE.EXAMPLE liberikas.so.1
SITE\\egon libegons.so.1
xyz libhasxyzin.so.1
TEXT
    cp "${STORE#sqlite:}" "$BATS_TEST_TMPDIR/copy.db"
    "$JOBTRAIL_BIN/jobtrail-load" --store "$copy" "$BATS_TEST_TMPDIR/more"
    published --store "$copy"
    for name in j_d q-a-b $'mu\xcc\x88ller' $'u\xcc\x88o\xcc\x88' liberika libegon; do
        run grep -ciF -- "$name" "$BATS_TEST_TMPDIR/page.html"
        echo "$name: $output"
        [ "$output" = 0 ]
    done
    # within a word a short name tells of nobody
    grep -F hasxyzin "$BATS_TEST_TMPDIR/page.html" >/dev/null
}

@test "pseudonyms are others in each report, and the same with the same secret; a list of names does not give them" {
    local one two
    users() {
        published "$@"
        grep -oE 'user-[a-z2-7]{10}' "$BATS_TEST_TMPDIR/page.html" | sort -u
    }
    one=$(users) two=$(users)
    [ "$(comm -12 <(echo "$one") <(echo "$two"))" = "" ]
    head -c 32 /dev/urandom >"$BATS_TEST_TMPDIR/key"
    one=$(users --pseudonym-key "$BATS_TEST_TMPDIR/key") two=$(users --pseudonym-key "$BATS_TEST_TMPDIR/key")
    [ "$one" = "$two" ]
    # nor is an id of the page made of the name alone
    run grep -F "user-$(printf alice | sha256sum | cut -c 1-12)" "$BATS_TEST_TMPDIR/page.html"
    [ "$status" -eq 1 ]
    printf short >"$BATS_TEST_TMPDIR/key"
    run published --pseudonym-key "$BATS_TEST_TMPDIR/key"
    [[ "$status" -eq 1 && "$output" == *"a secret of at least 16 bytes is needed"* ]]
    run published --user alice
    [[ "$status" -eq 1 && "$output" == *"--user does not go with --pseudonyms"* ]]
    run published --full-paths
    [[ "$status" -eq 1 && "$output" == *"--full-paths does not go with --pseudonyms"* ]]
}

@test "--without leaves out pages, and what they are about on the others, and says so" {
    local without
    without=$BATS_TEST_TMPDIR/page.html
    "$JOBTRAIL_SOURCE/contrib/jobtrail-report" --store "$STORE" -S 2024-11-01 -E 2024-11-30 --html -o "$without" \
        --without users,modules,coverage
    PAGE=$without look '[["users", "others", "modules", "coverage"]
            .filter(id => document.getElementById(id)),
        ["executables", "accounts", "packages"].every(id => document.getElementById(id)),
        document.querySelector("header").textContent.includes("Left out: modules, users, others, coverage"),
        ["bob", "hdf5/1.14.3"].filter(name => document.body.textContent.split(/[^A-Za-z0-9.\/]+/).includes(name))]'
    [ "$result" = '[[],true,true,[]]' ]
    run "$JOBTRAIL_SOURCE/contrib/jobtrail-report" --store "$STORE" --without users others
    [[ "$status" -eq 1 && "$output" == *"the page others is left out by --without" ]]
    run "$JOBTRAIL_SOURCE/contrib/jobtrail-report" --store "$STORE" --without nobody
    [[ "$status" -eq 1 && "$output" == *"there is no page nobody to leave out"* ]]
}

@test "the page is one file that names no other" {
    run grep -nEi '(src|href|action)="[^#d]|url\([^#]|@import|https?://' "$PAGE"
    echo "$output"
    [ "$status" -eq 1 ]
}
