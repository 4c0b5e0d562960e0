#!/usr/bin/env bats
# SPDX-License-Identifier: LGPL-2.1-or-later
# Programs that load and unload designated libraries compute what they compute without.

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
