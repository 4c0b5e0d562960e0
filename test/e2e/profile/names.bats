#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Names of functions in profiles: of C++, of separate debug information, and where there are none.

# bats file_tags=needs:profile

bats_require_minimum_version 1.5.0

load ../fixture/job
load ../fixture/profile

setup() {
    new_profiled_job
    cat >names.cc <<'C'
namespace site {
template <typename T> struct box {
    T value;
    __attribute__((noinline)) box &operator+=(T more) { value += more; return *this; }
};
__attribute__((noinline)) double twice(double x) { return 2 * x; }
}
static __attribute__((noinline)) int local(int x) { __asm__ volatile("" : "+r"(x)); return x; }
int main()
{
    site::box<int> box = {1};
    box += 2;
    return box.value == 3 && site::twice(2) == 4 && local(1) == 1 ? 0 : 1;
}
C
    g++ -g -O1 -finstrument-functions -Wl,--build-id names.cc -o names
    NAMES=("local(int)<main<init" "main<init" "site::box<int>::operator+=(int)<main<init" "site::twice(double)<main<init")
}

# dumped_names OPTION... FILE: the stacks, sorted
dumped_names() {
    "$JOBTRAIL_BIN/jobtrail-profile" dump "$@" | tail -n +2 | cut -f 10 | grep -v '^init$' | LC_ALL=C sort
}

# strip_names: what they are is in $1/.build-id alone
strip_names() {
    local id
    id=$(readelf -n names | sed -n 's/.*Build ID: //p')
    mkdir -p "$1/.build-id/${id:0:2}"
    objcopy --only-keep-debug names "$1/.build-id/${id:0:2}/${id:2}.debug"
    strip names
}

@test "functions of C++ have the names of the source, and the ids of the linker's names" {
    profiled ./names
    [[ $(dumped_names "$PROFILE_FILE") == "$(printf '%s\n' "${NAMES[@]}")" ]]
    run "$JOBTRAIL_BIN/jobtrail-profile" show --linker-names "$PROFILE_FILE"
    [[ $output == *" _ZN4site3boxIiEpLEi<main<init"* && $output == *" _ZN4site5twiceEd<main<init"* && $output == *" _ZL5locali<main<init"* ]]
    "$JOBTRAIL_BIN/jobtrail-profile" show --json --group function "$PROFILE_FILE" |
        jq -e '[.rows[].function] | sort == ["local(int)", "main", "site::box<int>::operator+=(int)", "site::twice(double)"]'
    # what is merged keeps the linker's: ids are the same for all who read it
    "$JOBTRAIL_BIN/jobtrail-profile" merge -o merged "$PROFILE_FILE"
    [[ $(dumped_names merged) == "$(printf '%s\n' "${NAMES[@]}")" ]]
    grep -aq _ZN4site3boxIiEpLEi merged
    diff <("$JOBTRAIL_BIN/jobtrail-profile" dump merged | cut -f 1-9,11) \
        <("$JOBTRAIL_BIN/jobtrail-profile" dump --linker-names merged | cut -f 1-9,11)
}

@test "a short name that stands for an endless text costs a bounded time, and stays as it is" {
    python3 - >endless.c <<'PY'
digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
name = "_Z1fSt4pairIiiE"
for i in range(30):
    name += f"S_IS{digits[i]}_S{digits[i]}_E"
print(f'void f(void) __asm__("{name}"); void f(void) {{}} int main(void) {{ f(); return 0; }}')
PY
    gcc -O0 -finstrument-functions endless.c -o endless
    profiled ./endless
    run -0 timeout $((60 * SLOW)) "$JOBTRAIL_BIN/jobtrail-profile" show "$PROFILE_FILE"
    [[ $output == *" _Z1fSt4pair"*"<main<init"* ]]
}

# bats test_tags=needs:root
@test "a flush finds the separate debug information of the build-id where systems have it" {
    local directory
    strip_names debug
    profiled ./names
    keep_profiles
    cp -r "$SPOOL" before
    flush
    [[ $(dumped_names kept/*/*.profile | grep -c '^names+0x[0-9a-f]*<names+0x[0-9a-f]*<init$') == 3 ]]
    cp -r before/. "$SPOOL"
    directory=/usr/lib/debug
    [[ -d $directory ]] || skip "there is no $directory"
    # shellcheck disable=SC2016 # they are the inner shell's
    unshare --mount bash -c 'mount --bind debug "$1" && "$2" flush --job "$3" --conf "$4" --node e2e' _ \
        "$directory" "$JOBTRAIL_BIN/jobtrail-submit" "$JOB" "$CONF"
    [[ $(dumped_names kept/*/*.profile) == "$(printf '%s\n' "${NAMES[@]}")" ]]
}

@test "stripped: the same offsets on all ranks, wherever the loader has put the program" {
    strip_names debug
    local i
    for i in 0 1 2; do
        profiled env JOBTRAIL_TASK="0.$i.1" OMPI_COMM_WORLD_RANK="$i" OMPI_COMM_WORLD_SIZE=3 ./names
    done
    "$JOBTRAIL_BIN/jobtrail-profile" show --json "$PROFILE_FILE" |
        jq -e '([.rows[].stack] | length) == 4 and all(.rows[]; .ranks == 3) and all(.rows[]; .function | startswith("names+0x"))'
    [[ $(dumped_names --debug debug "$PROFILE_FILE" | sort -u) == "$(printf '%s\n' "${NAMES[@]}")" ]]
}

@test "functions of a plugin that was opened by a relative path have names, each one row" {
    mkdir -p part elsewhere
    gcc -O1 -shared -fPIC -finstrument-functions -xc - -o part/plug.so <<<'void plugged(void) { __asm__ volatile(""); } __attribute__((constructor)) static void starts(void) { plugged(); }'
    gcc -O1 -finstrument-functions -xc - -o opens <<'C'
#include <dlfcn.h>
#include <unistd.h>
int main(void)
{
    void *plug = dlopen("part/plug.so", RTLD_NOW);
    void (*plugged)(void) = (void (*)(void))dlsym(plug, "plugged");
    plugged();
    if (chdir("elsewhere") != 0)
        return 1;
    plugged();
    return dlopen("../part/plug.so", RTLD_NOW) != plug;
}
C
    profiled ./opens
    [[ $(dumped_names "$PROFILE_FILE") == $'main<init\nplugged<main<init\nplugged<starts<main<init\nstarts<main<init' ]]
    [[ $("$JOBTRAIL_BIN/jobtrail-profile" show --json "$PROFILE_FILE" | jq '.rows[] | select(.stack == "plugged<main<init").calls') == 2 ]]
}

@test "a function that calls itself is one row with its depth, and what it calls is below it" {
    gcc -O1 -finstrument-functions -xc - -o deep <<'C'
__attribute__((noinline)) static int leaf(int x) { for (int i = 0; i < 100000; i++) __asm__ volatile("" : "+r"(x)); return x; }
__attribute__((noinline)) static int down(int n) { int x = leaf(n) + (n == 1 ? 0 : down(n - 1)); __asm__ volatile("" : "+r"(x)); return x; }
int main(void) { return down(50) + down(7) != 1303; }
C
    profiled ./deep
    "$JOBTRAIL_BIN/jobtrail-profile" show --json "$PROFILE_FILE" >shown
    [[ $(jq -c '[.rows[] | [.stack, .calls, .depth]] | sort' shown) == '[["down<main<init",57,50],["leaf<down<main<init",57,1],["main<init",1,1]]' ]]
    # leaf() took the time of the outermost calls
    jq -e '[.rows[] | {key: .function, value: .inclusive_seconds}] | from_entries | .leaf <= .down and .down <= .main' shown
    [[ $("$JOBTRAIL_BIN/jobtrail-profile" show "$PROFILE_FILE") == *" down<main<init (50 deep)"$'\n'* ]]
    [[ $("$JOBTRAIL_BIN/jobtrail-profile" dump "$PROFILE_FILE" | awk -F '\t' '$10 == "down<main<init" { print $6, $13 }') == "57 50" ]]
}
