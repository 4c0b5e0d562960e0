#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# The list of a run's libraries is complete, or the record says how many it lacks: compared with /proc/self/maps over
# the whole life of the program.

load ../fixture/job

setup() {
    new_job
    cd "$BATS_TEST_TMPDIR" || return
    mkdir lib other
    ln -s lib linux-lib
    echo 'int f(void) { return 0; }' >f.c
    gcc -shared -fPIC f.c -o lib/libf.so
    cat >loads.c <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#ifdef LINKED
int f(void);
#else
#define f() 0
#endif

static void show(FILE *to)
{
    char line[8192];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps) != NULL)
        if (strchr(line, '/') != NULL)
            fputs(strchr(line, '/'), to);
    fclose(maps);
}

static void *waits(void *nothing)
{
    pause();
    return nothing;
}

int main(int argc, char **argv)
{
    FILE *to = fopen(argv[1], "w");
    void *last = NULL;
    int bad = f();
    show(to);
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], "close") == 0)
            bad |= dlclose(last) != 0;
        else if (strcmp(argv[i], "kill") == 0)
            raise(SIGKILL);
        else if (strcmp(argv[i], "thread") == 0)
            bad |= pthread_create(&(pthread_t){0}, NULL, waits, NULL) != 0;
        else if (strncmp(argv[i], "cd:", 3) == 0)
            bad |= chdir(argv[i] + 3) != 0;
        else
            last = strncmp(argv[i], "space:", 6) == 0 ? dlmopen(LM_ID_NEWLM, argv[i] + 6, RTLD_NOW) : dlopen(argv[i], RTLD_NOW);
        bad |= last == NULL && strncmp(argv[i], "cd:", 3) != 0;
        show(to);
    }
    return bad | fclose(to);
}
C
    gcc -DLINKED loads.c -Llib -lf -o linked
    gcc -DLINKED loads.c -Llib -lf -Wl,-rpath,lib -o by_rpath
    # shellcheck disable=SC2016 # the loader's word
    gcc -DLINKED loads.c -Llib -lf -Wl,-rpath,'$ORIGIN/lib' -o by_origin
    gcc -DLINKED loads.c lib/libf.so -o by_path
    gcc loads.c -o loads
}

# missing COMMAND...: of the files that the program had mapped, those that its record does not have; $UNLISTED: how many
# the record says it lacks
missing() {
    rm -rf "$RECORDS"
    tracked "$@" || true
    flush >"$BATS_TEST_TMPDIR/flushed"
    records | jq '.[] | select(.userT.exec_path | endswith("/env") | not)' >"$BATS_TEST_TMPDIR/run"
    UNLISTED=$(jq -r .slurmT.unlisted "$BATS_TEST_TMPDIR/run")
    [[ $(jq -r .XALT_qaT.JOBTRAIL_CAPTURE_CUT "$BATS_TEST_TMPDIR/run") == "$([[ $UNLISTED == [1-9]* ]] && echo yes || echo no)" ]]
    comm -23 <(grep -E '[.]so' "$BATS_TEST_TMPDIR/maps" | grep -v /libjobtrail | sort -u) \
        <(jq -r '.libA[][0]' "$BATS_TEST_TMPDIR/run" | xargs readlink -f | sort -u)
    new_job
}

@test "libraries that the loader finds by a relative path have their whole path" {
    for way in "env LD_LIBRARY_PATH=lib ./linked" "env LD_LIBRARY_PATH=.//lib/../lib ./linked" \
        "env LD_LIBRARY_PATH=linux-lib ./linked" ./by_rpath ./by_origin ./by_path; do
        # shellcheck disable=SC2086
        missing $way "$BATS_TEST_TMPDIR/maps" >missed
        [[ ! -s missed && $UNLISTED == 0 ]] || { echo "$way: $UNLISTED $(cat missed)"; false; }
    done
    cd lib
    for path in : . ::/nowhere; do
        missing env LD_LIBRARY_PATH="$path" ../linked "$BATS_TEST_TMPDIR/maps" >../missed
        [[ ! -s ../missed && $UNLISTED == 0 ]]
    done
}

@test "what is loaded later, closed, in another name space, or too much, is in the list or counted" {
    local plugins=() i
    missing ./loads maps "$PWD/lib/libf.so" >missed
    [[ ! -s missed && $UNLISTED == 0 ]]
    missing ./loads maps "$PWD/lib/libf.so" close >missed
    [[ $(cat missed) == */lib/libf.so && $UNLISTED == 1 ]]
    missing ./loads maps ./lib/libf.so cd:other >missed
    [[ $(cat missed) == */lib/libf.so && $UNLISTED == 1 ]]
    missing ./loads maps "space:$PWD/lib/libf.so" >missed
    [[ $(cat missed) == */lib/libf.so && $UNLISTED -ge 1 ]]
    missing ./loads maps kill >missed
    [[ ! -s missed && $UNLISTED == null ]]
    for ((i = 0; i < 200; i++)); do
        ln lib/libf.so "lib/plugin$i.so"
        cp --remove-destination lib/libf.so "lib/plugin$i.so"
        plugins+=("$PWD/lib/plugin$i.so")
    done
    missing ./loads maps "${plugins[@]}" >missed
    (($(wc -l <missed) > 0 && $(wc -l <missed) == UNLISTED))
}

@test "each file that a real program maps is in the lists of its runs, or counted" {
    local line missed unlisted tried=0 whole=0
    echo 'int main(void) { return 0; }' >hello.c
    while IFS= read -r line; do
        rm -rf "$RECORDS"
        RULES=$KEEP_ALL new_job
        eval 'strace -f -y -qq -e trace=mmap -o mapped env "${TRACKED[@]}" '"$line" >said 2>&1 </dev/null || { cat said; false; }
        flush >said
        records >runs
        missed=$(comm -23 <(grep PROT_EXEC mapped | grep -o '<[^>]*[.]so[^>]*>' | tr -d '<>' | grep -v /libjobtrail | sort -u) \
            <(jq -r '.[].libA[][0]' runs | xargs -r -d '\n' readlink -f | sort -u) | wc -l)
        unlisted=$(jq 'map(.slurmT.unlisted) | if any(. == null) then 999999 else add end' runs)
        echo "$line: $missed missed, $unlisted unlisted"
        ((missed <= unlisted, tried += 1, whole += missed == 0 && unlisted == 0))
    done <<'END'
python3 -c 'import ctypes, ssl, sqlite3, lzma, decimal'
python3 -c 'import numpy.linalg, scipy.optimize'
perl -MPOSIX -MEncode -MSocket -e 1
Rscript -e 'library(stats4)'
octave-cli --eval 'svd(1);'
java -version
gcc hello.c -o hello
clang -c hello.c
gfortran --version
git --version
sqlite3 :memory: 'SELECT 1'
openssl list -providers
curl --version
gdb -batch -ex 'print 1'
cmake --version
make --version
ninja --version
xz --version
lua5.3 -e 'print(1)'
tclsh8.6 /dev/null
node -e 1
bc -v
xmllint --version
file hello.c
jq -n 1
rsync --version
gpg --version
psql --version
mariadb --version
objdump -p hello
gawk 'BEGIN { exit 0 }'
vim --version
redis-server --version
as --version
mpirun --allow-run-as-root -n 1 ./hello
END
    ((tried >= 30 && whole >= 25))
}

@test "a capture that fills its slot says how many libraries it lacks" {
    local deep i
    deep=$PWD/$(printf 'directory%.0s' {1..20})
    mkdir "$deep"
    for ((i = 0; i < 700; i++)); do
        cp lib/libf.so "$deep/l$i.so"
    done
    gcc loads.c -Wl,--no-as-needed "$deep"/l*.so -o wide
    missing ./wide maps >missed
    (($(wc -l <missed) > 0 && $(wc -l <missed) == UNLISTED))
}

@test "of a program that has threads at its end the number of libraries that the list lacks is unknown" {
    tracked ./loads maps ./lib/libf.so thread
    flush
    # what is known to lack is the least that lacks
    [[ $(records | jq -r '.[] | "\(.slurmT.unlisted) \(.XALT_qaT.JOBTRAIL_CAPTURE_CUT)"') == "null yes" ]]
    rm -rf "$RECORDS"
    new_job
    cat >hello.c <<'C'
#include <mpi.h>
int main(int argc, char **argv) { MPI_Init(&argc, &argv); return MPI_Finalize(); }
C
    mpicc hello.c -o hello
    tracked mpirun --allow-run-as-root -n 1 ./hello
    flush
    [[ $(records | jq -r '.[] | select(.userT.exec_path | endswith("/hello")) | .slurmT.unlisted') == null ]]
}
