#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# jobtrail-report --html as headless Chromium sees it: test/browser/look.

bats_require_minimum_version 1.5.0
load ../fixture/site

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

@test "the page is whole: every section, with its coverage, and no message, no request" {
    look '[...document.querySelectorAll("section")].map(s =>
        [s.id, s.querySelectorAll("table").length, s.querySelector(".coverage").textContent])'
    [ "$(jq -r '[.[] | select(.[2] | startswith("Allocation: not known (no coverage records)Beside them: ") and
        endswith("2024-11-01 to 2024-11-30, days of UTC"))] | length' <<<"$result")" -eq "$(jq length <<<"$result")" ]
    [ "$(jq -r 'map(.[0]) | join(" ")' <<<"$result")" = "executables families libraries modules compilers users accounts fields weekdays months last others endings failures packages together allocation coverage" ]
}

@test "a click on a column's title sorts by it, numbers as numbers, and once more the other way" {
    look '
        const section = document.getElementById("executables");
        const column = at => [...section.querySelectorAll("tbody tr")].map(tr => tr.cells[at]);
        const click = at => { section.querySelectorAll("th button")[at].click();
            return [section.querySelectorAll("th")[at].getAttribute("aria-sort"),
                column(at).map(td => td.dataset.v ?? td.textContent)]; };
        [click(2), click(2), click(0), click(0)]'
    [ "$(jq -c 'map(.[0])' <<<"$result")" = '["descending","ascending","ascending","descending"]' ]
    jq -e '.[0][1] | map(tonumber) | . == (sort | reverse)' <<<"$result"
    jq -e '.[1][1] | map(tonumber) | . == sort' <<<"$result"
    jq -e '.[0][1] != .[1][1] and .[2][1] == (.[3][1] | reverse)' <<<"$result"
    [ "$(jq -r '.[3][1][0]' <<<"$result")" = "zz top" ]
}

@test "the keyboard sorts too" {
    look '
        const button = document.querySelector("#users th button");
        button.focus();
        button.matches(":focus") && button.tagName === "BUTTON" && button.tabIndex === 0'
    [ "$result" = true ]
}

@test "the filter hides what does not fit" {
    look '
        const input = document.querySelector("#executables input.filter");
        input.value = "FLOW";
        input.dispatchEvent(new Event("input"));
        [...document.querySelectorAll("#executables tbody tr")].filter(tr => !tr.hidden).map(tr => tr.cells[0].textContent)'
    [ "$result" = '["flow.mpi"]' ]
}

@test "what users call their things is text, and runs nothing" {
    look '[typeof owned, document.images.length, document.querySelectorAll("[onerror], [onload]").length,
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
    local measure='
        const luminance = rgb => { const [r, g, b] = rgb.match(/[\d.]+/g).map(x => x / 255)
            .map(x => x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
            return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
        const ratio = (a, b) => { const [x, y] = [luminance(a), luminance(b)].sort((m, n) => n - m);
            return (x + 0.05) / (y + 0.05); };
        const style = e => getComputedStyle(e);
        const card = style(document.querySelector("section")).backgroundColor;
        [luminance(style(document.body).backgroundColor) < 0.2,
         ratio(style(document.querySelector("td")).color, card) >= 7,
         ratio(style(document.querySelector(".coverage")).color, card) >= 4.5,
         ratio(style(document.querySelector("th")).color, card) >= 4.5,
         ratio(style(document.querySelector(".bars rect")).fill, card) >= 3,
         document.documentElement.scrollWidth <= innerWidth,
         [...document.querySelectorAll(".scroll")].every(e => e.getBoundingClientRect().right <= innerWidth + 1),
         parseFloat(style(document.querySelector("td")).fontSize) >= 13,
         [...document.querySelectorAll(".bars span, .history p")].every(e =>
             e.getBoundingClientRect().right <= innerWidth && parseFloat(style(e).fontSize) >= 13),
         [...document.querySelectorAll(".bars svg")].every(e => e.getBoundingClientRect().width >= 60)]'
    look "$measure"
    [ "$result" = '[false,true,true,true,true,true,true,true,true,true]' ]
    look "$measure" --dark
    [ "$result" = '[true,true,true,true,true,true,true,true,true,true]' ]
    look "$measure" --width 360 --height 740
    [ "$result" = '[false,true,true,true,true,true,true,true,true,true]' ]
    look "$measure" --width 360 --height 740 --dark
    [ "$result" = '[true,true,true,true,true,true,true,true,true,true]' ]
}

@test "the page is one file that names no other" {
    run grep -nEi '(src|href|action)="[^#d]|url\(|@import|https?://' "$PAGE"
    echo "$output"
    [ "$status" -eq 1 ]
}
