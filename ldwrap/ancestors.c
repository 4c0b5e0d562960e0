/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "ldwrap/ancestors.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/io.h"
#include "conf/base/process.h"
#include "ldwrap/string_list.h"

enum { ARGV_MAX = 8 << 20 };

/* A version may follow the name, as in python3.11. */
static bool is_interpreter(const char *name)
{
    char plain[16];
    size_t length = strlen(name);
    while (length > 0 && strchr("0123456789.", name[length - 1]) != NULL)
        length--;
    snprintf(plain, sizeof plain, "%.*s", (int)length, name);
    return words_have("sh bash dash ksh perl python", plain);
}

/* Of "bash -e /usr/bin/mpicc -o a", /usr/bin/mpicc; NULL where the interpreter runs no file. */
static const char *script_of(const struct ancestor *process)
{
    const char *end = process->argv + process->argv_size;
    const char *at = process->argv + strnlen(process->argv, process->argv_size) + 1;
    while (at < end && at[0] == '-' && strchr(at, 'c') == NULL)
        at += strlen(at) + 1;
    return at >= end || at[0] == '\0' || at[0] == '-' ? NULL : at;
}

/* Removes a target before the name and a version or a vendor after it: "x86_64-linux-gnu-gcc-12"
 * becomes "gcc", "mpicc.openmpi" becomes "mpicc". Writes `size` bytes at `plain`. */
static void plain_name(const char *name, char *plain, size_t size)
{
    snprintf(plain, size, "%.*s", (int)strcspn(name, "."), name);
    size_t length = strlen(plain);
    while (length > 1 && strchr("0123456789-", plain[length - 1]) != NULL)
        plain[--length] = '\0';
    const char *dash = strrchr(plain, '-');
    if (dash != NULL)
        memmove(plain, dash + 1, strlen(dash));
}

/* The names of each kind. */
/* clang-format off */
static const struct {
    enum ancestor_kind kind;
    const char *names;
} kinds[] = {
    {ANCESTOR_WRAPPER, "mpicc mpicxx mpic++ mpiCC mpifc mpif77 mpif90 mpif08 mpifort mpigcc mpigxx mpig++"
                       " mpiicc mpiicpc mpiifort mpiicx mpiicpx mpiifx mpipgicc mpipgic++ mpipgifort"
                       " mpixlc mpixlC mpixlf mpifcc mpiFCC mpifrt opal_wrapper ortecc"
                       " oshcc oshc++ oshcxx oshCC oshfort h5cc h5c++ h5fc h5pcc h5pfc nvcc hipcc CC ftn"
                       " scorep*"},
    {ANCESTOR_LANGUAGE, "rustc go link ghc chpl nim gnat gnatlink gnatmake gdc ldc ldc2 ocamlfind ocamlopt"
                        " swiftc zig"},
    {ANCESTOR_COMPILER, "cc c++ gcc g++ gfortran gccgo clang clang++ flang flang-new tcc"
                        " nvc nvc++ nvfortran pgcc pgc++ pgfortran"
                        " icc icpc ifort icx icpx ifx dpcpp craycc crayCC crayftn xlc xlf"
                        " armclang armclang++ armflang amdclang amdclang++ amdflang"},
    {ANCESTOR_BETWEEN, "collect2 ccache sccache distcc icecc lto-wrapper ld ld.* jobtrail-ld"},
};
/* clang-format on */

/* "mpif90" and "mpif90.openmpi" are names as they are, others without target, version, vendor. */
static enum ancestor_kind kind_of(const char *name)
{
    char short_name[64], plain[64];
    snprintf(short_name, sizeof short_name, "%.*s", (int)strcspn(name, "."), name);
    plain_name(name, plain, sizeof plain);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const char *names = kinds[i].names;
        if (words_have(names, name) || words_have(names, short_name) || words_have(names, plain))
            return kinds[i].kind;
    }
    return is_interpreter(name) ? ANCESTOR_BETWEEN : ANCESTOR_OTHER;
}

/* A compiler's name that leads to ccache is ccache. */
static enum ancestor_kind kind_of_process(const char *name, const char *program)
{
    enum ancestor_kind kind = kind_of(name);
    return kind == ANCESTOR_COMPILER && kind_of(program) == ANCESTOR_BETWEEN ? ANCESTOR_BETWEEN
                                                                             : kind;
}

static int read_process(int pid, struct ancestor *process)
{
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/%d/exe", pid);
    ssize_t length = readlink(link, path, sizeof path - 1);
    snprintf(link, sizeof link, "/proc/%d/cmdline", pid);
    CLEANUP_CLOSE int fd = open(link, O_RDONLY | O_CLOEXEC);
    if (length <= 0 || fd < 0 ||
        whole_file_read(fd, ARGV_MAX, &process->argv, &process->argv_size) != 0)
        return -ENOENT;
    path[length] = '\0';
    const char *program = basename(path);
    const char *script = is_interpreter(program) ? script_of(process) : NULL;
    process->path = strdup(script == NULL ? path : script);
    if (process->path == NULL) {
        free(process->argv);
        return -ENOMEM;
    }
    process->name =
        basename(script != NULL || process->argv_size == 0 ? process->path : process->argv);
    process->kind = kind_of_process(process->name, script == NULL ? program : process->name);
    return 0;
}

void ancestors_read(struct ancestors *ancestors)
{
    *ancestors = (struct ancestors){.count = 0};
    for (int pid = getppid(); pid > 1 && ancestors->count < ANCESTORS_MAX;
         pid = process_parent(pid)) {
        if (read_process(pid, &ancestors->process[ancestors->count]) != 0)
            break;
        if (ancestors->process[ancestors->count++].kind == ANCESTOR_OTHER)
            break;
    }
}

void ancestors_free(struct ancestors *ancestors)
{
    for (size_t i = 0; i < ancestors->count; i++) {
        free(ancestors->process[i].path);
        free(ancestors->process[i].argv);
    }
    ancestors->count = 0;
}

const struct ancestor *ancestors_caller(const struct ancestors *ancestors)
{
    return ancestors->count == 0 ? NULL : &ancestors->process[0];
}

/* The nearest one of this kind, or the outermost one; NULL: none. */
static const struct ancestor *find_kind(const struct ancestors *ancestors, enum ancestor_kind kind,
                                        bool is_nearest)
{
    const struct ancestor *found = NULL;
    for (size_t i = 0; i < ancestors->count; i++) {
        if (ancestors->process[i].kind == kind && (found == NULL || !is_nearest))
            found = &ancestors->process[i];
    }
    return found;
}

const struct ancestor *ancestors_compiler(const struct ancestors *ancestors)
{
    const struct ancestor *found = find_kind(ancestors, ANCESTOR_LANGUAGE, false);
    if (found == NULL)
        found = find_kind(ancestors, ANCESTOR_COMPILER, true);
    return found == NULL ? find_kind(ancestors, ANCESTOR_WRAPPER, true) : found;
}

const struct ancestor *ancestors_wrapper(const struct ancestors *ancestors)
{
    const struct ancestor *compiler = ancestors_compiler(ancestors);
    const struct ancestor *found = find_kind(ancestors, ANCESTOR_WRAPPER, false);
    if (found == NULL && compiler != NULL && compiler->kind == ANCESTOR_COMPILER)
        found = find_kind(ancestors, ANCESTOR_COMPILER, false);
    return found == compiler ? NULL : found;
}
