#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Programs that load and unload designated libraries compute what they compute without.
# bats file_tags=needs:routines

load ../fixture/job
load ../fixture/routines

setup() {
    cd "$BATS_TEST_TMPDIR" || return
    # shellcheck disable=SC2034 # new_job uses it
    RULES=$KEEP_ALL$'\n[routines]\nkeep = soname:libdesignated.*\n'
    new_job
    echo 'char large[4 << 20] = {1}; double one(double x) { return x + 1; }' >one.c
    cc -O2 -fPIC -shared -Wl,-soname,libdesignated_one.so.1 one.c -o libone.so
    echo 'double other(double x) { return x + 1; }' | cc -O2 -fPIC -shared -xc - -o libxyz.so
    printf '#include <math.h>\ndouble use(double x) { return cos(x); }\n' |
        cc -O2 -fPIC -shared -xc - -o user.so -lm
}

@test "an object may get the link map entry of a designated library that was unloaded" {
    cat >load.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
    void *(*open)(const char *, int) = (void *(*)(const char *, int))dlsym(RTLD_DEFAULT, "dlopen");
    void *one = dlopen("./libone.so", RTLD_NOW);
    if (one == NULL)
        return puts(dlerror()), 1;
    double all = ((double (*)(double))dlsym(one, "one"))(1);
    dlclose(one);
    void *two = open("./libxyz.so", RTLD_NOW); /* not seen by its slot */
    printf("%s ", two == one ? "again" : "another");
    void *user = dlopen("./user.so", RTLD_NOW);
    if (user == NULL)
        return puts(dlerror()), 1;
    all += ((double (*)(double))dlsym(user, "use"))(0);
    return printf("%g\n", all) < 0;
}
END
    cc -O2 load.c -o load
    [[ $(./load) == "again 3" ]]
    [[ $(tracked ./load) == "again 3" ]]
}

@test "dlsym reads nothing of a library that a call of dlclose without a slot has unloaded" {
    cat >close.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
int main(void)
{
    int (*close)(void *) = (int (*)(void *))dlsym(RTLD_DEFAULT, "dlclose");
    void *one = dlopen("./libone.so", RTLD_NOW);
    return one == 0 || dlsym(one, "none") || close(one) || dlsym(RTLD_DEFAULT, "one");
}
END
    cc -O2 close.c -o close
    unnoticed ./close
    [[ $(cat with/status) == 0 ]]
}

@test "threads load, call and unload plugins of designated libraries, and no run fails" {
    local i run
    for i in 0 1 2 3 4 5 6 7; do
        echo 'double one(double x) { return x + 1; }' |
            cc -O2 -fPIC -shared -Wl,-soname,"libdesignated$i.so" -xc - -o "libdesignated$i.so"
        echo 'double one(double); double plug(double x) { return one(x); }' |
            cc -O2 -fPIC -shared -xc - -o "plug$i.so" -L. -l"designated$i" -Wl,-rpath,"$PWD"
    done
    cat >storm.c <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static void *storm(void *number)
{
    char name[32];
    double all = 0;
    snprintf(name, sizeof name, "./plug%ld.so", (long)number);
    for (int i = 0; i < 300; i++) {
        void *plugin = dlopen(name, RTLD_NOW);
        if (plugin == NULL)
            exit(3);
        all += ((double (*)(double))dlsym(plugin, "plug"))(i);
        dlclose(plugin);
    }
    return all == 45150 ? NULL : number;
}
int main(void)
{
    pthread_t thread[8];
    for (long i = 0; i < 8; i++)
        pthread_create(&thread[i], NULL, storm, (void *)(i % 8));
    for (int i = 0; i < 8; i++) {
        void *wrong;
        pthread_join(thread[i], &wrong);
        if (wrong != NULL)
            return 1;
    }
    return 0;
}
END
    cc -O2 storm.c -o storm -pthread
    for ((run = 0; run < 12; run++)); do
        tracked ./storm
    done
}

@test "dlsym and dlclose wait for no other thread, and not in its forked child; what is looked at late is a miss" {
    cat >wait.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static sem_t is_within;
/* has the loader's lock of dl_iterate_phdr(3), and waits for main() */
static int within(struct dl_phdr_info *info, size_t size, void *data)
{
    (void)info, (void)size, (void)data;
    sem_post(&is_within);
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return 1;
}
static void *walk(void *unused) { return dl_iterate_phdr(within, NULL), unused; }
int main(int count, char **words)
{
    int status;
    pthread_t thread;
    void *other = dlopen("libc.so.6", RTLD_NOW), *plugin = dlopen(words[1], RTLD_NOW);
    sem_init(&is_within, 0, 0);
    pthread_mutex_lock(&mutex);
    pthread_create(&thread, NULL, walk, NULL);
    sem_wait(&is_within);
    dlclose(other);
    double (*call)(double) = (double (*)(double))dlsym(plugin, words[2]);
    if (fork() == 0)
        _exit(dlsym(plugin, words[2]) == (void *)call ? 3 : 4);
    wait(&status);
    double all = call(0);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    if (count > 3)
        all += dlopen("./libxyz.so", RTLD_NOW) == NULL ? 100 : call(0);
    return printf("%g %d\n", all, WEXITSTATUS(status)) < 0;
}
END
    cc -O2 wait.c -o wait -pthread
    ln -s libone.so libdesignated_one.so.1
    echo 'double one(double); double plug(double x) { return one(x); }' |
        cc -O2 -fPIC -shared -xc - -o plugin.so -L. -lone "-Wl,-rpath,$PWD"
    local words said=()
    for words in "./plugin.so plug" "./plugin.so plug more" "./user.so use" "./user.so use more"; do
        another_job
        # shellcheck disable=SC2086 # several
        unnoticed timeout $((60 * SLOW)) ./wait $words
        flush
        said+=("$(records | jq -r '.[] | select(.userT.exec_path | endswith("/wait")) | .routineT
            | if . then "\(.missed) \(.routineA | map(.[1]) | join(" "))" else "none" end')")
    done
    [[ "${said[*]/%/,}" == "1 , 1 one, 1 , none," ]]
}

@test "a program that puts a function of its own into its slot of dlopen keeps it there" {
    cat >hook.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
static void *(*old)(const char *, int);
static int hooked;
static void *hook(const char *name, int flags) { hooked++; return old(name, flags); }
int main(void)
{
    const struct link_map *map = _r_debug.r_map;
    uintptr_t value[DT_JMPREL + 1] = {0};
    for (const ElfW(Dyn) *at = map->l_ld; at->d_tag != DT_NULL; at++)
        if (at->d_tag >= 0 && at->d_tag <= DT_JMPREL)
            value[at->d_tag] = at->d_un.d_val;
    for (size_t i = 0; i < value[DT_PLTRELSZ] / sizeof(ElfW(Rela)); i++) {
        const ElfW(Rela) *call = (const ElfW(Rela) *)value[DT_JMPREL] + i;
        const ElfW(Sym) *symbol = (const ElfW(Sym) *)value[DT_SYMTAB] + ELF64_R_SYM(call->r_info);
        void **slot = (void **)(map->l_addr + call->r_offset);
        if (strcmp((const char *)value[DT_STRTAB] + symbol->st_name, "dlopen") == 0) {
            memcpy(&old, slot, sizeof old);
            *slot = (void *)hook;
        }
    }
    double all = 0;
    for (int i = 0; i < 3; i++)
        all += ((double (*)(double))dlsym(dlopen("./user.so", RTLD_NOW), "use"))(0);
    return printf("%g %d\n", all, hooked) < 0;
}
END
    cc -O2 hook.c -o hook -Wl,-z,norelro,-z,now
    unnoticed timeout $((60 * SLOW)) ./hook
    [[ $(cat with/stdout) == "3 3" ]]
    cc -O2 hook.c -o hook -Wl,-z,lazy
    [[ $(tracked ./hook) == "3 "[13] ]] # the loader writes over it, unless a stub has found dlopen before
}

@test "whose routine a plugin calls is not said where the loader has not bound it, and several have the name" {
    cat >both.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
int main(void)
{
    if (dlopen("./first.so", RTLD_LAZY) == NULL)
        return puts(dlerror()), 1;
    double (*plug)(double) = (double (*)(double))dlsym(dlopen("./second.so", RTLD_LAZY), "plug");
    return printf("%g\n", plug(1)) < 0;
}
END
    cc -O2 both.c -o both
    ln -s libone.so libdesignated_one.so.1
    echo 'double one(double x) { return x + 10; }' | cc -O2 -fPIC -shared -xc - -o libten.so
    echo 'double one(double); double plug(double x) { return one(x); }' >plug.c
    cc -O2 -fPIC -shared plug.c -o first.so -L. -lone "-Wl,-rpath,$PWD,-z,lazy"
    cc -O2 -fPIC -shared plug.c -o second.so -L. -lten -Wl,--no-as-needed -lone "-Wl,-rpath,$PWD,-z,lazy"
    unnoticed ./both
    [[ $(cat with/stdout) == 11 ]]
    flush
    [[ $(of_run both '.routineA | map(.[1]) | join(" ")') == "" && $(of_run both .missed) -ge 1 ]]
}

@test "in the strictest sandbox dlsym makes no system call, and what would take one is a miss" {
    cat >box.c <<'END'
#include <dlfcn.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(void)
{
    char text[] = "0\n";
    void *plugin = dlopen("./plugin.so", RTLD_LAZY);
    if (plugin == NULL)
        return 1;
    prctl(PR_SET_SECCOMP, 1); /* read, write, exit and sigreturn alone */
    double (*plug)(double) = (double (*)(double))dlsym(plugin, "plug");
    text[0] += (char)plug(1);
    syscall(SYS_write, 1, text, 2);
    syscall(SYS_exit, 0);
}
END
    ln -s libone.so libdesignated_one.so.1
    local kind
    for kind in lazy now; do
        echo 'double one(double); double plug(double x) { return one(x); }' |
            cc -O2 -fPIC -shared -xc - -o plugin.so -L. -lone "-Wl,-rpath,$PWD,-z,$kind"
        cc -O2 box.c -o "box_$kind" "-Wl,-z,$kind"
        [[ $(tracked "./box_$kind") == 2 ]]
    done
    flush
    [[ $(of_run box_lazy '[.missed, (.routineA | map(.[1]) | join(" "))] | @csv') == '0,"one"' ]]
    [[ $(of_run box_now '[.missed, (.routineA | map(.[1]) | join(" "))] | @csv') == '1,""' ]]
}

@test "a sandbox that the last of many libraries enters is noticed" {
    local i libraries=()
    echo '#include <sys/prctl.h>
        int name(void) { return prctl(PR_SET_NAME, "named"); }' | cc -O2 -fPIC -shared -xc - -o named.so
    for ((i = 0; i < 130; i++)); do
        cp named.so "named$i.so"
        libraries+=("./named$i.so")
    done
    echo '#include <sys/prctl.h>
        int enter(void) { return prctl(PR_SET_SECCOMP, 1); }' | cc -O2 -fPIC -shared -xc - -o enter.so
    cc -O2 -xc - -xnone -o box -Wl,--no-as-needed "${libraries[@]}" ./enter.so <<'END'
#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>
int enter(void);
int main(void)
{
    char text[] = "0\n";
    void *plugin = dlopen("./plugin.so", RTLD_LAZY);
    if (plugin == NULL || enter())
        return 1;
    text[0] += (char)((double (*)(double))dlsym(plugin, "plug"))(1);
    syscall(SYS_write, 1, text, 2);
    syscall(SYS_exit, 0);
}
END
    ln -s libone.so libdesignated_one.so.1
    echo 'double one(double); double plug(double x) { return one(x); }' |
        cc -O2 -fPIC -shared -xc - -o plugin.so -L. -lone "-Wl,-rpath,$PWD"
    unnoticed ./box
    [[ $(cat with/stdout) == 2 ]]
}

@test "a sandbox that syscall(2) has entered is noticed; of another, a library that was looked at before is as ever" {
    cat >box.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int count, char **words)
{
    char text[] = "0\n";
    (void)words;
    void *plugin = dlopen("./plugin.so", RTLD_LAZY);
    if (plugin == NULL || syscall(SYS_gettid) != getpid())
        return 1;
    double (*plug)(double) = count > 2 ? (double (*)(double))dlsym(plugin, "plug") : NULL;
    if (count == 1)
        syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, NULL); /* read, write, exit and sigreturn alone */
    else if (count == 2)
        syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    else
        __asm__ volatile("syscall" : "=a"(count)
            : "a"(SYS_seccomp), "D"(SECCOMP_SET_MODE_STRICT), "S"(0), "d"(0) : "rcx", "r11", "memory");
    plug = (double (*)(double))dlsym(plugin, "plug");
    text[0] += (char)plug(1);
    syscall(SYS_write, 1, text, 2);
    syscall(SYS_exit, 0);
}
END
    ln -s libone.so libdesignated_one.so.1
    local kind how words
    for kind in lazy now; do
        echo 'double one(double); double plug(double x) { return one(x); }' |
            cc -O2 -fPIC -shared -xc - -o plugin.so -L. -lone "-Wl,-rpath,$PWD,-z,$kind"
        for words in "" "1" "1 2"; do
            for how in "-Wl,-z,lazy" "-Wl,-z,now" "-fno-plt"; do
                cc -O2 box.c -o "box_$kind" $how
                # shellcheck disable=SC2086 # none, one or two
                unnoticed "./box_$kind" $words
                [[ $(cat with/stdout) == 2 ]]
            done
        done
    done
    flush
    # what was looked at before, or can be stored to, is noted; else it is a miss
    [[ $(records | jq -c '[.[] | select(.userT.exec_path | endswith("box_lazy")) | .routineT | [.missed, (.routineA | length)]] | unique') == "[[0,1]]" ]]
    [[ $(records | jq -c '[.[] | select(.userT.exec_path | endswith("box_now")) | .routineT | [.missed, (.routineA | length)]] | unique') == "[[0,1],[1,0]]" ]]
}

@test "a plugin that is loaded again and again is in the list once" {
    cat >again.c <<'END'
#include <dlfcn.h>
int main(void)
{
    double all = 0;
    for (int i = 0; i < 5000; i++) {
        void *plugin = dlopen("./plugin.so", RTLD_NOW);
        if (!plugin)
            return 1;
        all += ((double (*)(double))dlsym(plugin, "plug"))(i);
        dlclose(plugin);
    }
    return all != 12502500;
}
END
    cc -O2 again.c -o again
    ln -s libone.so libdesignated_one.so.1
    echo 'double one(double); double plug(double x) { return one(x); }' |
        cc -O2 -fPIC -shared -xc - -o plugin.so -L. -lone "-Wl,-rpath,$PWD"
    tracked ./again
    flush
    [[ $(of_run again '[.watched, .missed, (.libraryA | length), (.routineA | map(.[1]) | join(" "))] | @csv') == '1,0,1,"one"' ]]
}

@test "addresses of routines are alike but in objects without a procedure linkage table" {
    cat >taker.c <<'END'
double one(double);
void *taken(void) { return (void *)one; }
#ifdef CALLS
double called(double x);
double use(double x) { return called(x); }
#endif
END
    cat >main.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
double one(double);
void *taken(void);
double called(double x) { return x; }
int main(void)
{
    double got = one(1);
    return printf("%d %g\n", taken() == dlsym(RTLD_DEFAULT, "one"), got) < 0;
}
END
    ln -s libone.so libdesignated_one.so.1
    local kind
    for kind in lazy now; do
        cc -O2 -fPIC -shared -DCALLS taker.c -o libtaker.so -L. -lone "-Wl,-z,$kind"
        cc -O2 -rdynamic main.c -o alike -L. -ltaker -lone "-Wl,-rpath,$PWD,-z,$kind"
        [[ $(./alike) == "1 2" && $(tracked ./alike) == "1 2" ]]
        cc -O2 -fPIC -shared taker.c -o libtaker.so -L. -lone "-Wl,-z,$kind"
        [[ $(./alike) == "1 2" && $(tracked ./alike) == "0 2" ]]
        cc -O2 -fPIC -fno-plt -shared -DCALLS taker.c -o libtaker.so -L. -lone "-Wl,-z,$kind"
        [[ $(./alike) == "1 2" && $(tracked ./alike) == "0 2" ]]
    done
}

@test "a library without DT_SONAME that was linked by its path is watched" {
    echo 'double one(double); int main(void) { return one(1) != 2; }' >main.c
    cc -O2 -fPIC -shared one.c -o libdesignated_path.so
    cc -O2 main.c -o by_path "$PWD/libdesignated_path.so"
    tracked ./by_path
    flush
    [[ $(of_run by_path '[.missed, (.routineA | map(.[1]) | join(" "))] | @csv') == '0,"one"' ]]
}
