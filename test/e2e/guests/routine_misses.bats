#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Where routines cannot be watched: the program does what it does without the library, and the record says how
# much was missed.
# bats file_tags=needs:routines

load ../fixture/job
load ../fixture/routines

DESIGNATED=$'\n[routines]\nkeep = soname:libdesignated\\.so\\..*\nkeep = archive:lib(designated|other)\\.a\n'

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    # shellcheck disable=SC2034 # new_job uses it
    RULES=$KEEP_ALL$DESIGNATED
    new_job
}

# made COUNT NAME OPTION...: a library with so many routines of that name, and `main`, linked with these options,
# which calls all of them
made() {
    seq -f "int $2%.0f(int x) { return x + 1; }" 0 $(($1 - 1)) >library.c
    {
        echo '#include <stdio.h>'
        seq -f "int $2%.0f(int);" 0 $(($1 - 1))
        echo 'int main(void) { int all = 0;'
        seq -f "all = $2%.0f(all);" 0 $(($1 - 1))
        echo 'puts(all < 0 ? "less" : "more"); return all % 7; }'
    } >main.c
    cc -fPIC -shared -Wl,-soname,libdesignated.so.1 library.c -o libdesignated.so.1
    cc main.c -o main ./libdesignated.so.1 -Wl,-rpath,"$PWD" "${@:3}"
}

# same PROGRAM: it does the same, and leaves one record
same() {
    unnoticed "./$1"
    leaves "$1 fini"
}

# refusing CONDITION: in `refuse.so`, whose constructor runs before the library's: calls for which this holds fail.
# `number` is the call's, `word[]` are its arguments.
refusing() {
    cat >refuse.c <<END
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define UNLESS(compare, value, jump) BPF_JUMP(BPF_JMP | compare | BPF_K, value, 0, jump)
__attribute__((constructor)) static void refuse(void)
{
    struct sock_filter filter[] = {
        $1
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOMEM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof filter / sizeof filter[0], filter};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}
END
    cc -shared -fPIC refuse.c -o refuse.so
    # shellcheck disable=SC2034 # tracked uses it
    TRACKED[-1]="LD_PRELOAD=$LIBRARY:$PWD/refuse.so"
}

misses() { # PROGRAM: "WATCHED MISSED CALLED"
    of_run "$1" '[.watched, .missed, (.routineA | length)] | join(" ")'
}

# the mapping of what is watched is larger than any other of the start
NO_MEMORY='LOAD(nr), UNLESS(BPF_JEQ, SYS_mmap, 5), LOAD(args[4]), UNLESS(BPF_JEQ, 0xffffffff, 3),
    LOAD(args[1]), UNLESS(BPF_JGT, 300 << 10, 1),'

@test "without memory for it a library is a miss" {
    made 3 routine
    refusing "$NO_MEMORY"
    same main
    [[ $(misses main) == "0 1 0" ]]
}

# prepared NAME ROUTINE...: libNAME.a, of which each call is to be noted
prepared() {
    local routine
    for routine in "${@:2}"; do echo "int $routine(int x) { return x + 1; }"; done | cc -c -xc - -o prepared.o
    ar rc plain.a prepared.o
    "$JOBTRAIL_BIN/jobtrail-robj" -m plain.a >entries
    "$JOBTRAIL_BIN/jobtrail-robj" -w -a -e entries -i "lib$1.a" -o "lib$1.a" plain.a
    rm plain.a
}

@test "without memory for it each archive that is linked in is a miss, and each shared library" {
    made 3 routine
    prepared designated one two
    prepared other three
    prepared undesignated four
    sed -i '1i int one(int), two(int), three(int), four(int);
        s/all % 7/one(two(three(four(all)))) % 7/' main.c
    cc main.c -o main ./libdesignated.so.1 -Wl,-rpath,"$PWD" libdesignated.a libother.a libundesignated.a
    same main
    [[ $(misses main) == "6 0 6" ]]
    another_job
    refusing "$NO_MEMORY"
    same main
    [[ $(misses main) == "0 3 0" ]]
}

@test "where the table of offsets may not be written to, its imports are misses" {
    made 3 routine -Wl,-z,now
    refusing 'LOAD(nr), UNLESS(BPF_JEQ, SYS_mprotect, 1),'
    same main
    [[ $(misses main) == "0 3 0" ]]
}

@test "a library without a table of hashes is a miss; one without section headers and names of its own is not" {
    made 3 routine
    cc -fPIC -shared -Wl,-soname,libdesignated.so.1 -Wl,--hash-style=sysv library.c -o libdesignated.so.1
    same main
    [[ $(misses main) == "0 1 0" ]]
    another_job
    cc -fPIC -shared -Wl,-soname,libdesignated.so.1 -s library.c -o libdesignated.so.1
    # no section headers: e_shoff, e_shnum and e_shstrndx are 0
    printf '\0\0\0\0\0\0\0\0' | dd of=libdesignated.so.1 bs=1 seek=40 conv=notrunc status=none
    printf '\0\0\0\0' | dd of=libdesignated.so.1 bs=1 seek=60 conv=notrunc status=none
    same main
    [[ $(misses main) == "3 0 3" ]]
}

# ledger_bytes LINE: what three runs of perl, which imports dlopen(3), take of the ledger if [routines] has this line
ledger_bytes() {
    RULES=$KEEP_ALL$'\n[routines]\n'$1$'\n' another_job
    for _ in 1 2 3; do tracked perl -e 1; done
    # used_bytes of struct ledger_header, without what is before the first slot
    echo $(($(od -An -t u8 -j 24 -N 8 "$SPOOL/$JOB.0/user/ledger") - 9 * 4096))
}

@test "a program that may load libraries takes little of the ledger for it, and nothing where archives alone are designated" {
    local none
    none=$(ledger_bytes "")
    [[ $(ledger_bytes 'keep = archive:libnone\.a') == "$none" ]]
    [[ $(ledger_bytes 'keep = soname:libnone\.so') -le $((2 * none)) ]]
}

@test "a routine whose slot addresses are taken from is a miss, in a program that has other slots for calls, unless it is skipped" {
    made 3 routine
    echo 'int rand(void); int other(void) { return rand() * 0; }' >other.c
    sed -i '1i int other(void);
        s/int all = 0;/int all = other();/' main.c
    cc -c other.c
    cc -fno-plt -c main.c
    cc main.o other.o -o main ./libdesignated.so.1 -Wl,-rpath,"$PWD"
    same main
    [[ $(misses main) == "0 3 0" ]]
    RULES+=$'skip = routine:libdesignated\\.so\\.1:routine[01]\n' another_job
    same main
    [[ $(misses main) == "0 1 0" ]]
    # beside a call of another
    echo 'int routine0(int), routine2(int); int main(void) { return routine0((int)(long)routine2) == 0; }' >main.c
    cc main.c -o main ./libdesignated.so.1 -Wl,-rpath,"$PWD"
    another_job
    same main
    [[ $(misses main) == "1 1 1" ]]
}

@test "a list that is full counts what it has no room for" {
    made 600 "a_routine_with_a_name_of_some_sixty_bytes_as_those_of_templates_"
    same main
    read -r watched missed called <<<"$(misses main)"
    [[ $watched == 600 && $called -gt 100 && $((called + missed)) == 600 ]]
}

@test "imports beyond the stubs that there are, are misses" {
    made 4200 r
    same main
    read -r watched missed called <<<"$(misses main)"
    [[ $watched == 4096 && $((called + missed)) == 4200 ]]
}

@test "libraries beyond the thirty-second are misses, and so are names of a convention with arguments in r11" {
    local i libraries=()
    for ((i = 0; i < 33; i++)); do
        cc -fPIC -shared "-Wl,-soname,libdesignated.so.$i" -xc - -o "libdesignated.so.$i" <<<"int f$i(void) { return 1; }"
        libraries+=("./libdesignated.so.$i")
    done
    {
        seq -f "int f%.0f(void);" 0 32
        echo 'int main(void) { return 33'
        seq -f "- f%.0f()" 0 32
        echo '; }'
    } >many.c
    cc many.c -o many "${libraries[@]}" -Wl,-rpath,"$PWD"
    same many
    [[ $(misses many) == "32 1 32" ]]
    another_job
    made 2 __regcall3__
    same main
    [[ $(misses main) == "0 2 0" ]]
}

@test "a library that is loaded later and cannot be watched is a miss once, however often it is loaded" {
    local i
    for ((i = 0; i < 35; i++)); do
        cc -fPIC -shared "-Wl,-soname,libdesignated.so.$i" -xc - -o "libdesignated.so.$i" <<<"int f$i(void) { return 1; }"
    done
    cc -fPIC -shared -Wl,-soname,libdesignated.so.99,--hash-style=sysv -xc - -o libdesignated.so.99 <<<'int silent(void) { return 1; }'
    cc -O2 -xc - -o opener <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
    char name[32];
    void *last = dlopen("./libdesignated.so.99", RTLD_NOW);
    for (int i = 0; i < 35; i++) {
        snprintf(name, sizeof name, "./libdesignated.so.%d", i);
        if (last == 0 || (last = dlopen(name, RTLD_NOW)) == 0)
            return 1;
    }
    for (int i = 0; i < 3; i++) /* the last ones are looked at again */
        if (dlclose(last) || (last = dlopen(name, RTLD_NOW)) == 0 || dlsym(last, "none") != 0)
            return 1;
    return 0;
}
END
    same opener
    [[ $(misses opener) == "0 5 0" ]] # the silent one, and four for which there is no room
}

@test "what a plugin calls is a miss by name where the stubs are used up by loading it again" {
    made 1 routine
    cc -O2 -fPIC -shared -xc - -xnone ./libdesignated.so.1 -Wl,-rpath,"$PWD" -o plugin.so \
        <<<'int routine0(int); int plug(int x) { return routine0(x); }'
    cc -O2 -xc - -o again <<'END'
#include <dlfcn.h>
int main(void)
{
    for (int i = 0; i < 4100; i++) {
        void *plugin = dlopen("./plugin.so", RTLD_NOW);
        if (plugin == 0 || ((int (*)(int))dlsym(plugin, "plug"))(i) != i + 1 || dlclose(plugin))
            return 1;
    }
    return 0;
}
END
    RULES=$'[tracking]\nroutine_counts = yes\n'$RULES another_job
    same again
    [[ $(misses again) == "4096 1 1" && $(of_run again '.missedA[0][1]') == routine0 ]]
}

@test "libraries that are opened by the address of dlopen(3), or looked up by threads, are seen" {
    made 3 routine
    cc -O2 -fPIC -shared -xc - -xnone ./libdesignated.so.1 -Wl,-rpath,"$PWD" -o plugin.so \
        <<<'int routine0(int); int plug(int x) { return routine0(x); }'
    cc -O2 -xc - -xnone -o taker ./libdesignated.so.1 -Wl,-rpath,"$PWD" -pthread <<'END'
#include <dlfcn.h>
#include <pthread.h>
int routine1(int);
static void *thread(void *handle) { return dlsym(handle, "routine2"); }
int main(void)
{
    void *(*volatile opens)(const char *, int) = dlopen, *found;
    int (*plug)(int) = (int (*)(int))dlsym(opens("./plugin.so", RTLD_NOW), "plug");
    pthread_t other;
    if (pthread_create(&other, 0, thread, RTLD_DEFAULT) || pthread_join(other, &found))
        return 1;
    return found == 0 || plug(routine1(1)) != 3;
}
END
    same taker
    # the first may have been called before, and what the thread did not look at may be anything
    [[ $(misses taker) == "2 3 2" && $(of_run taker '.missedA | map(.[1]) | join(" ")') == "routine0 routine2" ]]
}

@test "a program may make its table of offsets read-only once all of it is bound" {
    made 2 routine -Wl,-z,lazy
    sed -i '1i #define _GNU_SOURCE\n#include <link.h>\n#include <sys/mman.h>
        s/int all = 0;/int all = 0;\
        for (const ElfW(Dyn) *at = _r_debug.r_map->l_ld; at->d_tag != DT_NULL; at++)\
            if (at->d_tag == DT_PLTGOT)\
                all += mprotect((void *)(at->d_un.d_ptr \& -4096ul), 4096, PROT_READ);/' main.c
    cc main.c -o main ./libdesignated.so.1 -Wl,-rpath,"$PWD" -Wl,-z,lazy
    LD_BIND_NOW=1 same main
    [[ $(misses main) == "2 0 2" ]]
}

@test "addresses in tables, of dlsym(3) and of other name spaces are misses with names, and who imports prctl(2) ends no watch" {
    made 4 routine
    cc -O2 -fPIC -shared -xc - -o prctl.so <<<'#include <sys/prctl.h>
        __attribute__((constructor)) static void name(void) { prctl(PR_SET_NAME, "named"); }'
    cc -O2 -fPIC -shared -Wl,-z,now,-z,relro -xc - -xnone ./libdesignated.so.1 -o plugin.so \
        <<<'int routine3(int); int plug(int x) { return routine3(x); }'
    cc -O2 -D_GNU_SOURCE -xc - -xnone -o caller ./libdesignated.so.1 -Wl,-rpath,"$PWD" <<'END'
#include <dlfcn.h>
int routine0(int), routine1(int);
int (*const table[])(int) = {routine1};
int main(void)
{
    int (*volatile const *in)(int) = table, all = routine0(0) + (*in)(0), i;
    for (i = 0; i < 3; i++)
        all += ((int (*)(int))dlsym(RTLD_DEFAULT, "routine2"))(0);
    if (dlmopen(LM_ID_NEWLM, "./libdesignated.so.1", RTLD_NOW) == 0 || dlopen("./prctl.so", RTLD_NOW) == 0)
        return 1;
    return all + ((int (*)(int))dlsym(dlopen("./plugin.so", RTLD_NOW), "plug"))(0) != 6;
}
END
    same caller
    [[ $(misses caller) == "2 3 2" && $(of_run caller '.routineA | map(.[1]) | join(" ")') == "routine0 routine3" ]]
    [[ $(of_run caller '.missedA | map(.[1]) | join(" ")') == "routine1 routine2" ]]
}

# bats test_tags=needs:root
@test "a program with more rights than its caller notes nothing" {
    made 3 routine
    chmod 755 . "${BATS_TEST_TMPDIR%/*}" "$BATS_RUN_TMPDIR"
    chown nobody main
    chmod 4755 main
    unnoticed ./main
    leaves
    # the same file without the bit
    another_job
    chmod 755 main
    same main
    [[ $(misses main) == "3 0 3" ]]
}

@test "a call by which a library means a routine of its own is the first one's that has the name" {
    printf 'int twice(int x) { return 2 * x; }\n' | cc -fPIC -shared -xc - -Wl,-soname,libdesignated.so.1 -o libdesignated.so.1
    printf 'int twice(int x) { return x; } int own(int x) { return x; } int other(int x) { return twice(own(x)); }\n' |
        cc -O0 -fPIC -shared -xc - -Wl,-z,lazy -o libother.so
    printf 'int other(int); int main(void) { return other(3) - 6; }\n' |
        cc -xc - -xnone -Wl,--no-as-needed ./libdesignated.so.1 ./libother.so -Wl,-rpath,"$PWD" -o main
    same main
    [[ $(misses main) == "1 0 1" && $(called main) == twice ]]
}

@test "what a constructor has called before anything was watched is a miss with a name" {
    made 2 routine
    printf 'int routine1(int); int other; __attribute__((constructor)) void early(void) { other = routine1(1); } int last(void) { return other; }
        #include <unistd.h>
        int more(void) { return getpid(); }\n' |
        cc -fPIC -shared -xc - -xnone ./libdesignated.so.1 -Wl,-z,lazy -Wl,-rpath,"$PWD" -o libearly.so
    printf 'int routine0(int); int last(void); int main(void) { return routine0(last()) - 3; }\n' |
        cc -xc - -xnone ./libearly.so ./libdesignated.so.1 -Wl,-rpath,"$PWD" -o main
    same main
    [[ $(misses main) == "2 1 1" && $(of_run main '.missedA | map(.[1]) | join(" ")') == routine1 ]]
}
