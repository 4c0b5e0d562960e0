/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/flush/watch_libraries.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t running;

static bool is_running(void)
{
    return running > 0 && waitpid(running, NULL, WNOHANG) == 0;
}

static bool is_wanted(const struct conf *conf)
{
    return (conf->library_watch && conf->library_trees.count > 0) ||
           conf->library_log_dir[0] != '\0';
}

/* From the directory of this program. Returns whether it is there. */
static bool find_program(char path[PATH_MAX])
{
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length < 0 ? 0 : length] = '\0';
    char *slash = strrchr(self, '/');
    if (slash == NULL)
        return false;
    *slash = '\0';
    return snprintf(path, PATH_MAX, "%s/" LIBMON_FROM_BIN, self) < PATH_MAX &&
           access(path, X_OK) == 0;
}

static void start(const char *program, const char *conf)
{
    const pid_t parent = getpid();
    pid_t pid = fork();
    if (pid > 0)
        running = pid;
    if (pid != 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(127);
    execl(program, program, "watch", "--background", "--conf", conf, (char *)NULL);
    _exit(127);
}

void watch_libraries_keep(const char *path, const struct conf *conf)
{
    static bool is_told;
    char program[PATH_MAX];
    if (is_running())
        return;
    running = 0;
    if (!is_wanted(conf))
        return;
    if (find_program(program)) {
        is_told = false;
        start(program, path);
    } else if (!is_told) {
        is_told = true;
        fprintf(stderr, "jobtrail-submit: watch: there is no jobtrail-libmon, which [libraries] of "
                        "jobtrail.conf asks for\n");
    }
}
