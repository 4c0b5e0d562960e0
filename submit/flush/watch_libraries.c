/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/watch_libraries.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/program_place.h"
#include "extensions.h"
#include "submit/flush/kept_child.h"

static bool is_wanted(const struct conf *conf)
{
    return conf->library_watch && conf->library_trees.count > 0;
}

/* From the directory of this program. Returns whether it is there. */
static bool find_program(char path[PATH_MAX])
{
    return program_place(LIBMON_FROM_BIN, path, PATH_MAX) && access(path, X_OK) == 0;
}

void watch_libraries_keep(const char *path, const struct conf *conf)
{
    static struct kept_child child;
    static bool is_told;
    char program[PATH_MAX];
    if (kept_child_runs(&child) || !is_wanted(conf))
        return;
    if (find_program(program)) {
        is_told = false;
        kept_child_start(
            &child, program,
            (char *[]){program, "watch", "--background", "--conf", (char *)path, NULL});
    } else if (!is_told) {
        is_told = true;
        fprintf(stderr, "jobtrail-submit: watch: %s, which [libraries] of jobtrail.conf asks for\n",
                JOBTRAIL_LIBRARIES ? "there is no jobtrail-libmon"
                                   : "this jobtrail is built without libraries");
    }
}
