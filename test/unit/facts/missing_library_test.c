/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is told of libraries, beside what the dynamic loader does.
 */
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "submit/facts/missing_library.h"
#include "test/unit/fixture/cases.h"

#define FIRST   LOADED "/first"
#define SECOND  LOADED "/second"
#define BETWEEN LOADED "/between"

/* Linked with the library in SECOND, which has a version that that in FIRST lacks. */
#define NEEDS LOADED "/call-needed"
/* Linked with one in BETWEEN, which needs that. */
#define NEEDS_BY LOADED "/call-needs"

static const struct search_case {
    const char *program, *library_path, *preload;
    bool passes_over_cwd;
    enum loader_verdict does, told; /* the loader, and what is told of it */
    const char *name;               /* of the library, as the loader's message has it */
} cases[] = {
    {NEEDS, "", "", false, LOADER_MISSING, LOADER_MISSING, "libneeded.so"},
    {NEEDS, SECOND, "", false, LOADER_STARTS, LOADER_STARTS, NULL},
    {NEEDS, "/nonexistent:" SECOND, "", false, LOADER_STARTS, LOADER_STARTS, NULL},
    {NEEDS, "/nonexistent", "", false, LOADER_MISSING, LOADER_MISSING, "libneeded.so"},
    {NEEDS, "$ORIGIN/second", "", false, LOADER_STARTS, LOADER_STARTS, NULL},
    {NEEDS, "$ORIGIN/third", "", false, LOADER_MISSING, LOADER_MISSING, "libneeded.so"},
    {NEEDS, FIRST, "", false, LOADER_OLD, LOADER_OLD, "libneeded.so"}, /* without the version */
    {NEEDS, FIRST ":" SECOND, "", false, LOADER_OLD, LOADER_STARTS,
     NULL}, /* the loader takes the first one */
    {NEEDS, "/nonexistent:", "", false, LOADER_MISSING, LOADER_STARTS,
     NULL}, /* it may be in the working directory */
    {NEEDS, "/nonexistent:", "", true, LOADER_MISSING, LOADER_MISSING, "libneeded.so"},
    {NEEDS, "lib", "", false, LOADER_MISSING, LOADER_STARTS, NULL},
    {NEEDS, "$ORIGIN/$LIB", "", false, LOADER_MISSING, LOADER_STARTS, NULL},
    {NEEDS, "", SECOND "/libneeded.so", false, LOADER_STARTS, LOADER_STARTS, NULL},
    {NEEDS_BY, SECOND, "", false, LOADER_MISSING, LOADER_MISSING, "libneeds.so"},
    {NEEDS_BY, BETWEEN, "", false, LOADER_MISSING, LOADER_MISSING, "libneeded.so"},
    {NEEDS_BY, BETWEEN ":" SECOND, "", false, LOADER_STARTS, LOADER_STARTS, NULL},
    {LOADED "/call-other-loader", "", "", false, LOADER_MISSING, LOADER_STARTS,
     NULL}, /* musl's, if it is there, has rules of its own */
    {"/bin/true", "", "", false, LOADER_STARTS, LOADER_STARTS, NULL},
    {"/nonexistent", "", "", false, LOADER_MISSING, LOADER_STARTS, NULL},
    {"/etc/passwd", "", "", false, LOADER_MISSING, LOADER_STARTS, NULL},
};

/* As a task is started: with these two variables alone. */
static enum loader_verdict start(const struct search_case *which)
{
    char path[4096], preload[4096];
    char *environment[] = {path, preload, NULL};
    char *arguments[] = {(char *)(uintptr_t)which->program, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status;
    snprintf(path, sizeof path, "LD_LIBRARY_PATH=%s", which->library_path);
    snprintf(preload, sizeof preload, "LD_PRELOAD=%s", which->preload);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addclose(&actions, STDERR_FILENO);
    int error = posix_spawn(&child, which->program, &actions, NULL, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0)
        return LOADER_MISSING;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return (enum loader_verdict)WEXITSTATUS(status);
}

TEST(only_what_the_loader_lacks_is_missing)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct search_case *which = &cases[i];
        const struct loader_places places = {which->library_path, which->preload,
                                             which->passes_over_cwd};
        unsigned looks = LOADER_LOOKS_MAX;
        enum loader_verdict does = start(which);
        char name[LIBRARY_NAME_SIZE];
        enum loader_verdict told = missing_library(which->program, &places, &looks, name);
        assert_string_equal(name, told == LOADER_STARTS ? "" : which->name);
        if (does != which->does || told != which->told)
            fail_msg("case %zu: %s with %s: %d, and %d is told", i, which->program,
                     which->library_path, (int)does, (int)told);
    }
}

TEST(too_few_looks_tell_nothing)
{
    const struct loader_places places = {"", "", false};
    enum loader_verdict last = LOADER_STARTS; /* none are too few */
    for (unsigned most = 0; most <= 1000; most += 50) {
        unsigned looks = most;
        char name[LIBRARY_NAME_SIZE];
        enum loader_verdict told = missing_library(NEEDS, &places, &looks, name);
        if (last == LOADER_MISSING || looks > 0)
            assert_int_equal(told, LOADER_MISSING);
        else if (told != LOADER_MISSING || most == 0)
            assert_int_equal(told, LOADER_STARTS);
        last = told;
    }
    assert_int_equal(last, LOADER_MISSING);
}
