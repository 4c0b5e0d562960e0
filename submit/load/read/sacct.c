/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/read/sacct.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/clocks.h"
#include "conf/base/process.h"
#include "conf/base/text.h"

enum { ARGUMENTS_MAX = 16, READ_BYTES = 65536, LOOK_MS = 200, REAP_MS = 10000 };

/* A sacct that runs. */
struct sacct {
    pid_t pid;    /* and that of its process group; 0: it has been waited for */
    int out, err; /* to read from */
};

/* ---- The command ---------------------------------------------------------------------------- */

struct command {
    char delimiter[64], format[512], cluster[320], since[48], until[48];
    char *jobs; /* owned, or NULL */
    char *arguments[ARGUMENTS_MAX];
};

static void command_free(struct command *command)
{
    free(command->jobs);
}

/* Of a time zone that has every time once. */
static void write_time(char *text, size_t size, const char *option, double when)
{
    time_t seconds = (time_t)when;
    struct tm date;
    char written[24] = "";
    if (gmtime_r(&seconds, &date) != NULL)
        strftime(written, sizeof written, "%Y-%m-%dT%H:%M:%S", &date);
    snprintf(text, size, "--%s=%s", option, written);
}

/* No user can have put it into what sacct tells. */
static int write_delimiter(char *text, size_t size)
{
    unsigned char random[16];
    char hex[2 * sizeof random + 1];
    if (getrandom(random, sizeof random, 0) != sizeof random)
        return -errno;
    text_hex(random, sizeof random, hex);
    snprintf(text, size, "--delimiter=\x1f%s", hex);
    return 0;
}

static int make_command(const struct sacct_question *question, struct command *command)
{
    size_t count = 0;
    int error = write_delimiter(command->delimiter, sizeof command->delimiter);
    if (error != 0)
        return error;
    const char *const fixed[] = {"sacct", "--allocations", "--duplicates", "--allusers",
                                 "--parsable"};
    for (; count < sizeof fixed / sizeof fixed[0]; count++)
        command->arguments[count] = (char *)(uintptr_t)fixed[count];
    command->arguments[count++] = command->delimiter;
    snprintf(command->format, sizeof command->format, "--format=%s", question->format);
    command->arguments[count++] = command->format;
    snprintf(command->cluster, sizeof command->cluster, "--clusters=%s", question->cluster);
    if (question->cluster[0] != '\0')
        command->arguments[count++] = command->cluster;
    if (question->jobs != NULL) {
        if (asprintf(&command->jobs, "--jobs=%s", question->jobs) < 0) {
            command->jobs = NULL;
            return -ENOMEM;
        }
        command->arguments[count++] = command->jobs;
        return 0;
    }
    write_time(command->since, sizeof command->since, "starttime", question->since);
    write_time(command->until, sizeof command->until, "endtime", question->until);
    command->arguments[count++] = command->since;
    if (question->until > 0)
        command->arguments[count++] = command->until;
    return 0;
}

/* The caller's environment with what makes the output the same everywhere; to be freed, but for its
 * texts. */
static char **make_environment(void)
{
    static const char *const ours[] = {"LC_ALL=C", "SLURM_TIME_FORMAT=%s", "TZ=UTC0"};
    const size_t ours_count = sizeof ours / sizeof ours[0];
    size_t count = 0, kept = 0;
    while (environ[count] != NULL)
        count++;
    char **made = calloc(count + ours_count + 1, sizeof *made);
    for (; made != NULL && kept < ours_count; kept++)
        made[kept] = (char *)(uintptr_t)ours[kept];
    for (size_t i = 0; made != NULL && i < count; i++) {
        bool is_ours = strncmp(environ[i], "SACCT_", 6) == 0;
        for (size_t at = 0; at < ours_count; at++)
            is_ours |= strncmp(environ[i], ours[at], strcspn(ours[at], "=") + 1) == 0;
        if (!is_ours)
            made[kept++] = environ[i];
    }
    return made;
}

/* ---- The process ---------------------------------------------------------------------------- */

static int spawn_with(struct command *command, const int out[2], const int err[2], pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t signals;
    CLEANUP_FREE char **environment = make_environment();
    if (environment == NULL)
        return -ENOMEM;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    sigemptyset(&signals);
    sigaddset(&signals, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    int error = posix_spawnp(pid, "sacct", &actions, &attributes, command->arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return -error;
}

static int start(const struct sacct_question *question, struct sacct *sacct)
{
    struct command command = {.jobs = NULL};
    int out[2] = {-1, -1}, err[2] = {-1, -1};
    int error = make_command(question, &command);
    if (error == 0 && (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0))
        error = -errno;
    if (error == 0)
        error = spawn_with(&command, out, err, &sacct->pid);
    command_free(&command);
    cleanup_close(&out[1]);
    cleanup_close(&err[1]);
    sacct->out = out[0];
    sacct->err = err[0];
    return error;
}

/* ---- What it says --------------------------------------------------------------------------- */

/* Keeps the last line, in which sacct says why it gives up. */
static void note_trouble(struct sacct_answer *answer, const char *bytes, size_t size)
{
    size_t used = strlen(answer->said);
    for (size_t i = 0; i < size; i++) {
        bool is_end = used > 0 && answer->said[used - 1] == '\n';
        if (is_end)
            used = 0;
        if (used + 2 > sizeof answer->said)
            continue;
        bool is_plain = (bytes[i] >= ' ' && bytes[i] <= '~') || bytes[i] == '\n';
        answer->said[used++] = (char)(is_plain ? bytes[i] : '?');
        answer->said[used] = '\0';
    }
}

/* Returns 1 with something read, 0 at the end, -errno. */
static int read_some(struct pollfd *from, struct sacct_answer *answer, bool is_output)
{
    char bytes[READ_BYTES];
    if (from->revents == 0)
        return 1;
    ssize_t size = read(from->fd, bytes, sizeof bytes);
    if (size < 0)
        return errno == EINTR ? 1 : -errno;
    if (size == 0) {
        from->fd = -1;
        return 0;
    }
    if (!is_output) {
        note_trouble(answer, bytes, (size_t)size);
        return 1;
    }
    int error = answer->take(answer->context, bytes, (size_t)size);
    return error == 0 ? 1 : error;
}

static int read_all(const struct sacct *sacct, const struct sacct_question *question,
                    struct sacct_answer *answer)
{
    const double end = clock_seconds(CLOCK_MONOTONIC) + question->seconds;
    struct pollfd from[] = {{sacct->out, POLLIN, 0}, {sacct->err, POLLIN, 0}};
    while (from[0].fd >= 0 || from[1].fd >= 0) {
        if (*question->stop != 0)
            return -EINTR;
        if (clock_seconds(CLOCK_MONOTONIC) > end)
            return -ETIMEDOUT;
        if (poll(from, 2, LOOK_MS) <= 0)
            continue;
        for (int i = 0; i < 2; i++) {
            int more = from[i].fd < 0 ? 1 : read_some(&from[i], answer, i == 0);
            if (more < 0)
                return more;
        }
    }
    return 0;
}

/* Waits for its end, after ending it where `error` says that nothing more is wanted of it. */
static int finish(struct sacct *sacct, const struct sacct_question *question,
                  struct sacct_answer *answer, int error)
{
    int status = 0;
    if (error == 0 && !process_reap(sacct->pid, REAP_MS, &status))
        error = -ETIMEDOUT;
    if (error != 0) {
        kill(-sacct->pid, SIGKILL);
        while (waitpid(sacct->pid, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    answer->said[strcspn(answer->said, "\n")] = '\0';
    if (error == -ETIMEDOUT)
        snprintf(answer->said, sizeof answer->said, "sacct took more than %u s", question->seconds);
    if (error != 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 0))
        return error;
    if (answer->said[0] == '\0')
        snprintf(answer->said, sizeof answer->said, "sacct ended with status %d", status);
    return -EPROTO;
}

int sacct_ask(const struct sacct_question *question, struct sacct_answer *answer)
{
    struct sacct sacct = {.pid = 0, .out = -1, .err = -1};
    answer->said[0] = '\0';
    int error = start(question, &sacct);
    if (error == -ENOENT)
        snprintf(answer->said, sizeof answer->said, "there is no sacct here");
    else if (error != 0)
        snprintf(answer->said, sizeof answer->said, "sacct: %s", strerror(-error));
    else
        error = finish(&sacct, question, answer, read_all(&sacct, question, answer));
    cleanup_close(&sacct.out);
    cleanup_close(&sacct.err);
    return error;
}
