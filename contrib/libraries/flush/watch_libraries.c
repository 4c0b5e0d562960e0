/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The watch of the site's libraries (jobtrail-libmon watch, see jobtrail-libmon(8)) as a child of
 * the process watch. It ends by itself where it is not asked for any more.
 */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#include "conf/base/program_run.h"
#include "submit/flush/watch_child.h"

static struct kept_child child;

/* Nothing is blind without it: a turn later is soon enough for another one. */
static int watch_libraries_ended(void)
{
    return -1;
}

/* That it cannot be started is said once. */
static void watch_libraries_keep(const char *path, const char *node, const struct conf *conf)
{
    static bool is_told;
    char program[PATH_MAX];
    (void)node;
    if (kept_child_runs(&child) || !conf->library_watch || conf->library_trees.count == 0)
        return;
    if (program_place(LIBMON_FROM_BIN, program, PATH_MAX) && access(program, X_OK) == 0) {
        is_told = false;
        kept_child_start(
            &child, program,
            (char *[]){program, "watch", "--background", "--conf", (char *)path, NULL});
    } else if (!is_told) {
        is_told = true;
        fputs("jobtrail-submit: watch: there is no jobtrail-libmon, which [libraries] of "
              "jobtrail.conf asks for\n",
              stderr);
    }
}

const struct watch_child watch_child_libraries = {watch_libraries_keep, watch_libraries_ended};
