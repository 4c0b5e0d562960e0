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
#include "conf/base/process.h"
#include "conf/base/whole_file.h"
#include "ldwrap/string_list.h"

enum { ARGV_MAX = 8 << 20 };

static int read_proc(int pid, const char *name, char **text, size_t *size)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
    CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd < 0 ? -errno : whole_file_read(fd, ARGV_MAX, text, size);
}

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

/* Of "bash /usr/bin/mpicc -o a", /usr/bin/mpicc. */
static const char *script_of(const struct ancestor *process)
{
    size_t length = strnlen(process->argv, process->argv_size);
    const char *second = process->argv + length + 1;
    if (length + 1 >= process->argv_size || second[0] != '/')
        return NULL;
    return second;
}

static int read_process(int pid, struct ancestor *process)
{
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/%d/exe", pid);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length <= 0 || read_proc(pid, "cmdline", &process->argv, &process->argv_size) != 0)
        return -ENOENT;
    path[length] = '\0';
    const char *script = is_interpreter(basename(path)) ? script_of(process) : NULL;
    process->path = strdup(script == NULL ? path : script);
    if (process->path == NULL) {
        free(process->argv);
        return -ENOMEM;
    }
    process->name =
        basename(script != NULL || process->argv_size == 0 ? process->path : process->argv);
    return 0;
}

void ancestors_read(struct ancestors *ancestors)
{
    *ancestors = (struct ancestors){.count = 0};
    for (int pid = getppid(); pid > 1 && ancestors->count < ANCESTORS_MAX;
         pid = process_parent(pid)) {
        if (read_process(pid, &ancestors->process[ancestors->count]) != 0)
            break;
        ancestors->count++;
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

/* Whether it is the name of a compiler of some language, or of a driver of one. */
static bool is_compiler(const char *name)
{
    static const char names[] = "cc c++ gcc g++ gfortran gnat gnatlink gnatmake gdc gccgo clang "
                                "clang++ flang rustc link go "
                                "nvcc nvc nvc++ nvfortran pgcc pgc++ pgfortran hipcc icc icpc "
                                "ifort icx icpx ifx dpcpp CC ftn "
                                "craycc crayCC crayftn xlc xlf armclang armflang amdclang amdflang "
                                "mpicc mpicxx mpic++ mpiCC "
                                "mpif77 mpif90 mpifort mpiicc mpiicpc mpiifort mpiicx mpiicpx "
                                "mpiifx opal_wrapper oshcc ghc "
                                "ocamlfind ocamlopt swiftc ldc zig tcc h5cc h5fc h5pcc h5pfc";
    char plain[64];
    plain_name(name, plain, sizeof plain);
    return words_have(names, plain) || words_have(names, name);
}

/* Whether it is the name of a program that compilers call to call another compiler or the linker.
 */
static bool is_between(const char *name)
{
    return words_have("collect2 ccache sccache distcc icecc lto-wrapper ld ld.* jobtrail-ld", name);
}

const struct ancestor *ancestors_compiler(const struct ancestors *ancestors)
{
    const struct ancestor *compiler = NULL;
    for (size_t i = 0; i < ancestors->count; i++) {
        const struct ancestor *process = &ancestors->process[i];
        if (is_compiler(process->name))
            compiler = process;
        else if (!is_between(process->name) && !is_interpreter(process->name))
            break;
    }
    return compiler;
}
