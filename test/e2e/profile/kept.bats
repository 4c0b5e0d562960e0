#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Profiles that a flush has kept: how much of them, who finds them, and the pictures that are made of them.
# shellcheck disable=SC2154 # bats sets variables

# bats file_tags=needs:profile

bats_require_minimum_version 1.5.0

load ../fixture/job
load ../fixture/profile

setup() {
    new_profiled_job
    keep_profiles
    KEPT=$BATS_TEST_TMPDIR/kept/$(id -u)
}

# build_calls NAME...: a program whose functions of these names call nothing, each for some ms, or for $NS
build_calls() {
    local name number=0 options=()
    {
        printf '#include <time.h>\n__attribute__((no_instrument_function)) static void burn(void)\n{\n'
        printf '    struct timespec time = {0, %d};\n    nanosleep(&time, 0);\n}\n' "${NS:-3000000}"
        for name in "$@"; do
            printf 'void f%d(void) { burn(); }\n' "$((++number))"
            options+=("f$number $name")
        done
        printf 'int main(void)\n{\n'
        for ((; number > 0; number--)); do printf '    f%d();\n' "$number"; done
        printf '    return 0;\n}\n'
    } >calls.c
    printf '%s\n' "${options[@]}" >names
    gcc -c -O0 -finstrument-functions calls.c
    objcopy --redefine-syms=names calls.o
    gcc calls.o -o calls
}

profile_records() {
    find "$RECORDS" -name 'profile.*.json' -exec cat {} + | jq --slurp .
}

@test "a record tells which step has a profile, and where its file is" {
    build_calls foo
    profiled env JOBTRAIL_TASK=4294967291.0.1 ./calls
    flush
    [[ $(echo kept/*/*) == "kept/$(id -u)/$JOB.0.batch.e2e.profile" ]]
    [[ $(stat -c %a kept/*) == 710 ]]
    profile_records | jq -e --arg path "$KEPT/$JOB.0.batch.e2e.profile" --argjson bytes "$(stat -c %s "$KEPT"/*.profile)" 'length == 1 and
        (.[0].profileT | .path == $path and .bytes == $bytes and .step_id == "batch" and .job_id == 4711 and .node == "e2e" and
        .ranks == 1 and .mpi_ranks == 0 and .mpi_time == null and .mpi_routines == "" and
        .joined == false and .program == "" and .programs == 1 and .runs == 0 and .run_uuids == "" and .mpi_outside_rank == null)'
}

@test "the newest profiles of a user are kept, up to their size" {
    build_calls foo
    profiled ./calls
    mkdir -m 711 "$KEPT"
    truncate -s 600K "$KEPT/older" "$KEPT/newer"
    touch -d @1 "$KEPT/older"
    touch -d @2 "$KEPT/newer"
    printf 'user_size = 1M\n' >>"$CONF"
    cp -r "$SPOOL" spool.before
    flush
    [[ $(cd "$KEPT" && echo *) == "$JOB.0.unknown.e2e.profile newer" ]]
    cp -r spool.before/. "$SPOOL" # it takes its own place
    truncate -s 1000K "$KEPT/newer"
    flush
    [[ $(cd "$KEPT" && echo *) == "$JOB.0.unknown.e2e.profile newer" ]]
}

# bats test_tags=needs:root
@test "a directory that is another user's is not written to" {
    build_calls foo
    profiled ./calls
    mkdir -m 711 "$KEPT"
    chown 12345 "$KEPT"
    run flush
    [[ $output == *"its profiles cannot be kept: Operation not permitted"* && -z $(ls "$KEPT") ]]
}

# bats test_tags=needs:root
@test "a profile that cannot be written where it is to be kept goes to the quarantine, and from there to its place" {
    build_calls foo
    profiled ./calls
    mount -t tmpfs -o size=64k,mode=711 none kept
    head -c 64K /dev/zero >kept/filler || true
    run flush
    umount kept
    [[ $output == *"its profiles cannot be kept: No space left on device"* && $output == *"cannot be written to [profile] directory: kept in "* ]]
    [[ -z $(ls "$SPOOL") ]]
    mv "state/quarantine/$JOB.0" "$SPOOL"
    flush
    [[ $(echo kept/*/*) == "kept/$(id -u)/$JOB.0.unknown.e2e.profile" && -z $(ls "$SPOOL") ]]
    [[ $(profile_records | jq length) == 1 ]]
}

# on_node NODE FUNCTION: a flush there, of a step of two nodes whose program calls this function
on_node() {
    build_calls "$2"
    new_profile
    sed -i "s/step=4294967291/step=0 nodes=2/; s/node=e2e/node=$1/" "$SPOOL/$JOB.0/journal"
    profiled ./calls
    "$JOBTRAIL_BIN/jobtrail-submit" flush --job "$JOB" --conf "$CONF" --node "$1"
}

# has_functions NAMES: those that the step's joined file has
has_functions() {
    [[ $("$JOBTRAIL_BIN/jobtrail-profile" show --json "$KEPT/$JOB.0.0.profile" |
        jq -r '[.rows[].function | select(. != "init" and . != "main")] | sort | join(" ")') == "$1" ]]
}

@test "files of a job that had the number before are not joined with those of another one" {
    on_node n1 old
    on_node n3 old
    has_functions old
    touch -d '1 day ago' "$KEPT"/*
    on_node n1 new
    [[ ! -e $KEPT/$JOB.0.0.profile ]]
    on_node n2 new
    has_functions new
    # the last node's flush has told of the whole, without what the others tell
    profile_records | jq -e --arg path "$KEPT/$JOB.0.0.profile" --argjson bytes "$(stat -c %s "$KEPT/$JOB.0.0.profile")" \
        'map(.profileT | select(.joined and .node == "n2")) | length == 1 and
        (.[0] | .path == $path and .bytes == $bytes and .step_id == "0" and .step_nodes == 2 and .ranks == 0 and .programs == 0)'
    [[ $(profile_records | jq -c 'map(.profileT | select(.joined).node) | sort') == '["n2","n3"]' ]]
}

@test "a file that its user writes over before it is joined costs nothing more, and the flush says that there is no whole" {
    on_node n1 foo
    # a hole of names
    python3 - "$KEPT/$JOB.0.0.n1.profile" <<'PYTHON'
import struct, sys
with open(sys.argv[1], "r+b") as file:
    magic, size = file.read(8), 1 << 20
    file.truncate(0)
    file.seek(0)
    file.write(magic + struct.pack("<IIIIQQQQ", 1, size - 72, 0, 0, 0, 0, size - 72, 0))
    file.truncate(size)
PYTHON
    run "$JOBTRAIL_BIN/jobtrail-profile" show "$KEPT"/*.n1.profile
    ((status == 2))
    [[ $output == *"is no profile, or a damaged one" ]]
    run on_node n2 foo
    ((status == 0))
    [[ $output == *"$JOB.0.0.profile is not made of its nodes' files: reading them broke down; jobtrail-profile merge does it"* ]]
    [[ $(cd "$KEPT" && echo *) == "$JOB.0.0.n1.profile $JOB.0.0.n2.profile" ]]
}

@test "a flame graph has names of a hostile program as texts, and is the same each time" {
    build_calls '<script>alert(1)</script>' 'a&b"c'"'"'d' zeta alpha
    profiled ./calls
    # a raw file has times up to the moment at which it is read
    "$JOBTRAIL_BIN/jobtrail-profile" merge -o set "$PROFILE_FILE"
    "$JOBTRAIL_BIN/jobtrail-profile" flame --svg set >one.svg
    "$JOBTRAIL_BIN/jobtrail-profile" flame --svg set >two.svg
    cmp one.svg two.svg
    python3 - one.svg <<'PYTHON'
import sys
import xml.etree.ElementTree as tree
SVG = "{http://www.w3.org/2000/svg}"
root = tree.parse(sys.argv[1]).getroot()
assert {element.tag for element in root.iter()} == {SVG + tag for tag in ("svg", "g", "title", "rect", "text")}
boxes = [(group.find(SVG + "title").text, group.find(SVG + "rect").attrib) for group in root.iter(SVG + "g")]
names = [title.split(": ")[0] for title, _ in boxes]
assert names == ["init", "main", "<script>alert(1)</script>", "a&b\"c'd", "alpha", "zeta"], names
left = [float(box["x"]) for _, box in boxes]
assert left[:3] == [0, 0, 0] and left[2:] == sorted(left[2:]), left
assert all(float(box["x"]) + float(box["width"]) <= 1200.01 for _, box in boxes)
assert all(", of its own " in title and title.endswith(" 1 call") for title, _ in boxes[1:]), boxes
PYTHON
    run "$JOBTRAIL_BIN/jobtrail-profile" show --svg "$PROFILE_FILE"
    ((status == 2)) && [[ $output == *"show has no --svg"* ]]
}

@test "a flame graph of very many stacks has at most 4096 boxes, and says how many have none" {
    mapfile -t names < <(seq -f 'f_%g' 6000)
    NS=1000 build_calls "${names[@]}"
    profiled ./calls
    "$JOBTRAIL_BIN/jobtrail-profile" flame --svg "$PROFILE_FILE" >many.svg
    boxes=$(grep -c '<rect' many.svg)
    ((boxes > 1 && boxes <= 4096))
    [[ $(tail -n 2 many.svg) == *"; $((6002 - boxes)) stacks have no box: too narrow, or too deep</text>"* ]]
}

teardown() {
    [[ -z ${WEB_PID-} ]] || kill "$WEB_PID" || true
}

fetch() { # TARGET: the status, the fields and the body
    /usr/bin/python3 - "${ADDRESS%\?*}$1" "${COOKIE-}" <<'PYTHON'
import sys, urllib.error, urllib.request
class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None
request = urllib.request.Request(sys.argv[1], headers={"Cookie": "jobtrail=" + sys.argv[2]})
try:
    answer = urllib.request.build_opener(Stay).open(request)
except urllib.error.HTTPError as error:
    answer = error
sys.stdout.buffer.write(b"%d\n%s%s" % (answer.status, answer.headers.as_bytes(), answer.read()))
PYTHON
}

# the service of the store, for fetch
start_web() {
    mkfifo said
    "$JOBTRAIL_BIN/jobtrail-web" --store "sqlite:$PWD/store.db" >said 2>err 3>&- &
    WEB_PID=$!
    read -r ADDRESS <said
    COOKIE=$(fetch "?secret=${ADDRESS#*secret=}" | sed -n 's/^Set-Cookie: jobtrail=\([0-9a-f]*\);.*/\1/p')
}

# tracked PROGRAM: a run of the batch script's step, with a profile
tracked() {
    env "${TRACKED[@]}" JOBTRAIL_PROFILE=exact LD_PRELOAD="$LIBRARY:$PROFILE_LIBRARY" JOBTRAIL_TASK=4294967291.0.$$ "$@"
}

acct() { # FIELDS: of all runs
    "$JOBTRAIL_BIN/jobtrail-load" --store sqlite:store.db "$RECORDS" &&
        "$JOBTRAIL_STAGE/bin/jobtrail-acct" --store sqlite:store.db --no-sacct -a -nP -o "$1"
}

# bats test_tags=needs:answers
@test "a program of MPI that was not built for profiles has its time in MPI on its page, no empty picture, and how to build for more" {
    cat >plain.c <<'C'
#include <mpi.h>
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Finalize();
}
C
    mpicc.mpich plain.c -o plain
    tracked ./plain
    tracked "$(command -v sleep)" 0
    flush
    run --separate-stderr acct UUID,Exec,Profile,MPIRanks
    # of the other run in the step there is none
    [[ $output == *"|sleep||"* ]]
    [[ $(grep '|plain|' <<<"$output") == *"|$KEPT/$JOB.0.batch.e2e.profile|1 of "* ]]
    start_web
    run fetch "run?id=$(sed -n 's/|plain|.*//p' <<<"$output" | tail -n 1)"
    [[ ${lines[0]} == 200 && $output == *"They have no call stacks."*"with -finstrument-functions"* ]]
    [[ $output == *"jobtrail-profile show --mpi $KEPT/$JOB.0.batch.e2e.profile"* ]]
    [[ $output == *"Time in MPI of its program"*"MPI_Barrier"* && $output != *"Where its time went"* ]]
}

# bats test_tags=needs:answers
@test "the page of a run has the way to times in designated libraries, and takes its own program of the files" {
    printf '[routines]\nkeep = soname:libm\\.so\\.6\n' >>"$CONF"
    "$JOBTRAIL_BIN/jobtrail-conf" compile --conf "$CONF"
    printf '#include <math.h>\nint main(int argc, char **argv) { (void)argv; return pow(argc + 1, .3) < 1; }\n' | gcc -O1 -xc - -o powers -lm
    printf '#include <mpi.h>\nint main(void) { MPI_Init(0, 0); return MPI_Finalize(); }\n' | mpicc.mpich -xc - -o plain
    tracked ./powers
    mpirun.mpich -n 2 env "${TRACKED[@]}" JOBTRAIL_PROFILE=exact LD_PRELOAD="$LIBRARY:$PROFILE_LIBRARY" ./plain
    flush
    run --separate-stderr acct UUID,Exec,Profile
    start_web
    run fetch "run?id=$(sed -n 's/|powers|.*//p' <<<"$output" | tail -n 1)"
    [[ $output == *"They have no call stacks."*"jobtrail-profile show --mpi --program - $KEPT/$JOB.0.batch.e2e.profile"* ]]
    "$JOBTRAIL_BIN/jobtrail-profile" show --mpi --program - kept/*/*.profile >told
    grep " pow$" told
    run ! grep MPI_Init told
}

# bats test_tags=needs:root,needs:answers
@test "the page of a run has a flame graph where it may read the user's own file, and jobtrail-acct names the file" {
    build_calls '<b>bold' foo
    tracked ./calls
    cp "$PROFILE_FILE" raw
    printf 'logs = summary\nsamples = all\n' >>"$CONF"
    flush
    file=$KEPT/$JOB.0.batch.e2e.profile
    run --separate-stderr acct UUID,Exec,Profile
    [[ $output == *"|calls|$file" ]]
    target="run?id=$(sed -n 's/|calls|.*//p' <<<"$output" | tail -n 1)"
    start_web
    run fetch "$target"
    [[ ${lines[0]} == 200 && $output == *"$file"* && $output == *'<svg xmlns="http://www.w3.org/2000/svg"'* ]]
    [[ $output == *"&#60;b&#62;bold: "* && $output != *"<b>bold"* && $output == *"call stacks of 1 of 1 file"* ]]
    run fetch "${target/run/run.json}&table=profile"
    jq -e --arg file "$file" '.tables[0].rows | length == 1 and .[0].file == $file and .[0].ranks == 1' < <(sed '1,/^\r*$/d' <<<"$output")

    [[ $output != *"<h2>Time in MPI"* ]]
    sqlite3 store.db "UPDATE profile SET mpi_ranks = 1, mpi_calls = 3, mpi_time = 1, mpi_elapsed = 4, mpi_outside_max = 3, mpi_outside_rank = 5, mpi_open = 1,
        mpi_routines = 'MPI_Wait=3:1.000000:1'"
    run fetch "${target/run/run.json}&table=mpi"
    jq -e '.tables[0] | (.note | test("25.0 % of their time is in MPI. Rank 5 on e2e has the most time outside of MPI: 0.0 % above the mean. Some ranks ran longer than is known")) and (.rows | length == 1) and
        (.rows[0] | .routine == "MPI_Wait" and .calls == 3 and .seconds == "1.000000" and .share == 0.25 and .open == 1)' \
        < <(sed '1,/^\r*$/d' <<<"$output")

    # a file of processes, which names objects to open, is not taken for a kept one
    cp "$file" whole
    cat raw >"$file"
    [[ $("$JOBTRAIL_BIN/jobtrail-profile" show "$file") == *foo* ]]
    run "$JOBTRAIL_BIN/jobtrail-profile" flame --kept "$file"
    ((status == 2))
    [[ $output == *"is no profile, or a damaged one" ]]
    run fetch "$target"
    [[ ${lines[0]} == 200 && $output == *"$file"* && $output != *'<svg xmlns="http'* ]]
    cat whole >"$file"

    # somebody else's, or what is no plain file, is not read
    chown 12345 "$file" "${file%.profile}"{.log,_0.vfd}
    run fetch "$target"
    [[ $output == *"$file"* && $output != *'<svg xmlns="http'* && $output == *"jobtrail-profile flame --svg $file"* ]]
    [[ $output != *"${file%.profile}.log"* && $output != *.vfd* ]]
    mv "$file" elsewhere
    chown "$(id -u)" elsewhere
    ln -s "$PWD/elsewhere" "$file"
    run fetch "$target"
    [[ ${lines[0]} == 200 && $output != *'<svg xmlns="http'* ]]
    rm "$file"
    run fetch "$target"
    [[ ${lines[0]} == 200 && $output == *"$file"* && $output != *'<svg xmlns="http'* ]]
    mv elsewhere "$file"
    sqlite3 store.db 'UPDATE profile SET proven = 0; UPDATE run_own SET proven = 0'
    run fetch "$target"
    [[ ${lines[0]} == 200 && $output == *"$file"* && $output != *'<svg xmlns="http'* ]]
}

@test "a picture is looked through in little memory, has nothing but boxes and texts, and is not taken where it has no end" {
    printf '#!/bin/sh\nexec yes "<g>"\n' >endless
    chmod 755 endless
    PYTHONPATH=$JOBTRAIL_SOURCE/contrib python3 -B - <<'PYTHON'
import resource
from jobtrail.profile import flame

resource.setrlimit(resource.RLIMIT_AS, (256 << 20, 256 << 20))
svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" width="9" height="9" font-family="monospace" font-size="12">%s</svg>'
assert flame.is_picture(svg % ('<g><title>%s</title><rect x="0" fill="#aa0000"/></g>' % ("x>" * flame.SIZE_MAX)))
for text in ("", "<p>", "</svg>", "<svgs>", "<svg", '<svg onload="a">', svg % "<script>", svg % '<g x="<g>">', svg % "<!-- -->", svg % "< g>", svg % '<text x="0" href="a">'):
    assert not flame.is_picture(text), text
flame.PROFILE_PROGRAM = "./endless"
assert flame.picture_of([], []) is None
PYTHON
}
