/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/decide.h"

#include <limits.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "preload/memory.h"
#include "preload/proc.h"
#include "preload/system.h"

/* ---- Files that arguments name --------------------------------------------------------------- */

/* Where a relative name begins; returns the address behind it. */
static char *append_directory(char *at, const char *end, int32_t pid)
{
    char number[24];
    text_decimal(number, (uint64_t)pid);
    at = text_append(at, end, "/proc/");
    at = text_append(at, end, number);
    return text_append(at, end, "/cwd/");
}

/* Not inline: its buffer lies on pages of the stack that other processes do not touch. */
__attribute__((noinline)) uint32_t argument_walk(const struct policy_files *files,
                                                 const struct policy_table *table, uint32_t state,
                                                 const char *argument)
{
    char path[PATH_MAX];
    const char *end = path + sizeof path;
    char *at =
        files->pid != 0 && argument[0] != '/' ? append_directory(path, end, files->pid) : path;
    if (text_append(at, end, argument) == NULL)
        return POLICY_NO_FILE;
    size_t length = proc_real_path(path, path, sizeof path);
    return length == 0 ? POLICY_NO_FILE : policy_walk(table, state, path, length);
}

static struct decision decide_skip(const char *why)
{
    return (struct decision){.why = why};
}

struct decision decide_by_switches(const struct switches *switches)
{
    if (switches->executable != SWITCH_YES)
        return decide_skip("not tracked: XALT_EXECUTABLE_TRACKING is not yes");
    if (switches->rank != switches->leader)
        return decide_skip("not tracked: another rank records for this executable");
    return (struct decision){.track = 1, .why = ""};
}

enum { OVERFLOW_UID = 65534 };

/* In a user namespace other than the first one, a process may see root's files as nobody's. The
 * kernel's number for the first one is fixed (PROC_USER_INIT_INO). */
static int is_in_user_namespace(void)
{
    static const char first[] = "user:[4026531837]";
    char name[64];
    long length = system_readlink("/proc/self/ns/user", name, sizeof name);
    return length > 0 &&
           !((size_t)length == sizeof first - 1 && memcmp(name, first, sizeof first - 1) == 0);
}

/* The environment names the file, and may come from another user (sudo -E). The directories above
 * the file were checked by the plugin, which has set the variable. */
static int is_safe(const struct stat *status, uint32_t user)
{
    return S_ISREG(status->st_mode) && (status->st_mode & (S_IWGRP | S_IWOTH)) == 0 &&
           (status->st_uid == 0 || status->st_uid == user ||
            (status->st_uid == OVERFLOW_UID && is_in_user_namespace()));
}

int decide_map(const char *path, uint32_t user, struct decide_policy *policy)
{
    struct stat status;
    int fd = system_open(path, O_RDONLY | O_NONBLOCK);
    if (fd < 0)
        return 0;
    void *base = NULL;
    if (system_stat(fd, &status) == 0 && is_safe(&status, user) && status.st_size > 0 &&
        status.st_size <= POLICY_MAX_BYTES)
        base = system_map((size_t)status.st_size, PROT_READ, fd, 0);
    system_close(fd);
    if (base == NULL)
        return 0;
    *policy = (struct decide_policy){
        .base = base,
        .size = (size_t)status.st_size,
        .identity = status.st_ino ^ (uint64_t)status.st_ctim.tv_sec << 32 ^
                    (uint64_t)status.st_ctim.tv_nsec,
    };
    return policy_usable(base, policy->size);
}

static struct decision by_host(const void *policy)
{
    struct utsname name;
    uint32_t rules;
    if (policy_rules(policy, POLICY_HOST, &rules) == NULL || rules == 0 ||
        system_call6(SYS_uname, (long)&name, 0, 0, 0, 0, 0) != 0)
        return (struct decision){.track = 1, .why = ""};
    const struct policy_rule *rule =
        policy_match(policy, POLICY_HOST, name.nodename, text_length(name.nodename));
    if (rule == NULL || rule->action != POLICY_SKIP)
        return (struct decision){.track = 1, .why = ""};
    return (struct decision){.line = rule->line, .why = "not tracked: this host is skipped"};
}

static int is_switched_on(enum switch_state state, uint32_t site)
{
    return state == SWITCH_UNSET ? site != 0 : state == SWITCH_YES;
}

static struct decision by_kind(const void *policy, const struct switches *switches)
{
    const struct policy_header *header = policy;
    if (switches->size > 1) {
        if (!is_switched_on(switches->mpi, header->switches & POLICY_TRACK_MPI))
            return decide_skip("not tracked: MPI programs are not (XALT_MPI_TRACKING)");
    } else if (!is_switched_on(switches->scalar, header->switches & POLICY_TRACK_SCALAR)) {
        return decide_skip("not tracked: programs without MPI are not (XALT_SCALAR_TRACKING)");
    }
    return (struct decision){.track = 1, .why = ""};
}

/* slurmstepd executes itself to start the task's prolog (spank/slurm_release.h). */
static struct decision by_daemon(const struct switches *switches, const struct exec_path *path)
{
    if (switches->stepd != NULL && path->length == text_length(switches->stepd) &&
        memcmp(path->text, switches->stepd, path->length) == 0)
        return decide_skip("not tracked: it is slurmstepd");
    return (struct decision){.track = 1, .why = ""};
}

static struct decision by_path(const void *policy, const struct image *image,
                               const struct exec_path *path, const struct policy_files *files)
{
    struct policy_decision answer =
        policy_decide(policy, path->text, path->length, image->argc, image->argv, files);
    return (struct decision){
        .track = answer.action != POLICY_SKIP,
        .pkgs = answer.action == POLICY_PKGS,
        .runtime = answer.action == POLICY_RUNTIME,
        .line = answer.line,
        .why = answer.action == POLICY_SKIP ? "not tracked: a path rule skips it"
               : answer.path == NULL        ? "tracked: no path rule matches"
                                            : "tracked: a path rule keeps it",
    };
}

struct decision decide_by_policy(const struct decide_policy *policy,
                                 const struct switches *switches, const struct image *image,
                                 const struct exec_path *path)
{
    const struct policy_files files = {argument_walk, 0};
    struct decision decision = decide_by_switches(switches);
    if (decision.track)
        decision = by_host(policy->base);
    if (decision.track)
        decision = by_kind(policy->base, switches);
    if (decision.track)
        decision = by_daemon(switches, path);
    if (decision.track)
        return by_path(policy->base, image, path, &files);
    /* what its arguments name is not looked for: all ranks would do so */
    decision.runtime = by_path(policy->base, image, path, NULL).runtime;
    return decision;
}
