#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Chromium without a window: some ten processes that confine themselves by seccomp filters and
# namespaces, and that are killed for a system call that nobody expects of them.
# bats file_tags=needs:root

load ../fixture/job

# All in $place, and the job nobody's: chromium confines its processes only when it is not root.
setup() {
    place=$(mktemp -d)
    chmod 755 "$place"
    cp "$JOBTRAIL_STAGE/lib/libjobtrail.so" "$place"
    PLACE=$place LIBRARY=$place/libjobtrail.so OWNER=nobody new_job
    page
}

teardown() {
    rm -rf "$place"
}

# browse RUN VARIABLE=VALUE... -- OPTION...: as nobody; what the page's script has made of it goes
# to the file RUN. The profile is new each time, as two runs on one talk to each other.
browse() {
    local run=$1 environment=()
    shift
    while [[ $1 != -- ]]; do
        environment+=("$1")
        shift
    done
    install -d -o nobody "$place/$run"
    timeout $((60 * SLOW)) setpriv --reuid nobody --regid nogroup --clear-groups \
        env "${environment[@]}" HOME="$place/$run" /usr/lib/chromium/chromium --headless \
        --disable-gpu --disable-quic --no-first-run --disable-background-networking \
        --disable-component-update --disable-sync --disable-breakpad \
        --user-data-dir="$place/$run/profile" "${@:2}" --dump-dom "file://$place/page.html" \
        >"$BATS_TEST_TMPDIR/$run" 2>"$BATS_TEST_TMPDIR/messages" </dev/null
}

# browsed OPTION...: the same page with and without us, and a record of the browser's own
browsed() {
    browse without "${TRACKED[@]:0:4}" -- "$@"
    browse with "${TRACKED[@]}" -- "$@"
    diff "$BATS_TEST_TMPDIR/without" "$BATS_TEST_TMPDIR/with"
    grep -q 'sum 21065.833' "$BATS_TEST_TMPDIR/with"
    flush
    [[ $(records | jq -c 'map(select(.userT.exec_path == "/usr/lib/chromium/chromium" and (.cmdlineA | map(startswith("--type=")) | any | not)) | .slurmT.end_source)') == '["fini"]' ]]
}

page() {
    cat >"$place/page.html" <<'EOF'
<!DOCTYPE html><title>guest</title><p id="result">nothing</p>
<script>
const numbers = Array.from({ length: 1000 }, (_, i) => Math.sqrt(i));
document.getElementById('result').textContent = 'sum ' + numbers.reduce((a, b) => a + b).toFixed(3);
</script>
EOF
}

@test "chromium draws a page as ever, and is recorded" {
    browsed --no-sandbox
}

@test "chromium confines its renderers as ever, draws a page in them, and is recorded" {
    browsed
}
