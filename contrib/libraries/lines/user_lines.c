/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/lines/user_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/clocks.h"
#include "conf/base/directory.h"
#include "conf/base/io.h"
#include "conf/base/text.h"
#include "conf/base/trusted.h"
#include "contrib/libraries/conf_libraries.h"
#include "submit/hand_in/hand_in_part.h"

/* LOCK_MS: how long one waits for another who appends. OVERFLOW_UID: whom root's files belong to in
 * a user namespace that does not know root; library_log_open() looks again. */
enum { LOCK_MS = 5000, OVERFLOW_UID = 65534 };

static int fail(int error, const char *what, const char *why)
{
    fprintf(stderr, "%s: [libraries] log_dir: %s: %s\n", program_invocation_short_name, what, why);
    return error;
}

/* ---- Logs ------------------------------------------------------------------------------------ */

static void file_of(const char *name, char file[LOG_NAME_SIZE + sizeof ".log"])
{
    snprintf(file, LOG_NAME_SIZE + sizeof ".log", "%s.log", name);
}

int user_lines_find(int directory, const struct globs *names, const char *name)
{
    char file[LOG_NAME_SIZE + sizeof ".log"];
    file_of(name, file);
    struct stat status;
    if (fstatat(directory, file, &status, AT_SYMLINK_NOFOLLOW) == 0) {
        bool is_roots = status.st_uid == 0 || status.st_uid == OVERFLOW_UID;
        return S_ISREG(status.st_mode) && status.st_nlink == 1 && is_roots ? 0 : -EPERM;
    }
    return errno != ENOENT ? -errno : globs_match(names, name) ? 1 : -ENOENT;
}

/* Whether the first entry of the log is this user's. */
static bool has_begun(int directory, const char *file, const char *user)
{
    char text[LIBRARY_LOG_HEAD_MAX + LOG_LINE_SIZE], name[LIBRARY_USER_SIZE];
    CLEANUP_CLOSE int fd =
        openat(directory, file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    ssize_t size = fd < 0 ? -1 : io_read_at(fd, text, sizeof text - 1, 0);
    text[size < 0 ? 0 : size] = '\0';
    const char *entry = strchr(text, '\n');
    return entry != NULL && sscanf(entry, "%*s %63s", name) == 1 && strcmp(name, user) == 0;
}

/* Whether the user may begin one more. Returns 0 or -errno. */
static int check_logs(const struct user_lines *lines)
{
    CLEANUP_LISTING DIR *listing = NULL;
    int error = listing_open(lines->logs.directory, ".", &listing), all = 0, begun = 0;
    if (error != 0)
        return error;
    for (const char *name; (name = listing_next(listing)) != NULL;) {
        size_t length = strlen(name);
        if (length <= 4 || strcmp(name + length - 4, ".log") != 0)
            continue;
        all++;
        begun += has_begun(lines->logs.directory, name, lines->user);
    }
    return all >= USER_LINES_ALL_LOGS ||
                   (begun >= USER_LINES_LOGS && strcmp(lines->user, "root") != 0)
               ? -EMFILE
               : 0;
}

/* Who holds it may have been stopped, or be on another host. Returns 0 or -errno. */
static int take_lock(int lock)
{
    const struct timespec pause = {.tv_nsec = 50000000};
    const uint64_t end_ns = clock_deadline(LOCK_MS);
    while (flock(lock, LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK || clock_left_ms(end_ns) == 0)
            return -errno;
        nanosleep(&pause, NULL);
    }
    return 0;
}

int user_lines_open(const struct conf *conf, uid_t uid, struct user_lines *lines)
{
    const char *path = conf->library_log_dir, *shared;
    char culprit[PATH_MAX] = "";
    *lines = (struct user_lines){
        .logs = {-1, conf->library_log_bytes, conf->library_log_files}, .names = NULL, .lock = -1};
    int error = globs_read(conf->library_log_names, &lines->names);
    if (error != 0)
        return fail(error, path, strerror(-error));
    lines->logs.directory = trusted_directory_make(path, 0755, culprit, sizeof culprit);
    if (lines->logs.directory < 0)
        return fail(lines->logs.directory, culprit[0] != '\0' ? culprit : path,
                    strerror(-lines->logs.directory));
    shared = conf_library_log_dir_is_in(conf);
    if (shared != NULL) {
        char word[TERMINAL_WORD_SIZE];
        fprintf(stderr, "%s: [libraries] log_dir: %s and '%s' must be separate directories\n",
                program_invocation_short_name, terminal_word(path, word), shared);
        return -EINVAL;
    }
    lines->lock =
        openat(lines->logs.directory, ".lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    error = lines->lock < 0 ? -errno : take_lock(lines->lock);
    if (error != 0)
        return fail(error, path, strerror(-error));
    library_user_name(uid, lines->user);
    return 0;
}

void user_lines_close(struct user_lines *lines)
{
    globs_free(lines->names);
    if (lines->logs.directory >= 0)
        close(lines->logs.directory);
    if (lines->lock >= 0)
        close(lines->lock);
}

int user_lines_append(const struct user_lines *lines, const struct log_message *message,
                      int64_t time_s)
{
    char file[LOG_NAME_SIZE + sizeof ".log"];
    int found = user_lines_find(lines->logs.directory, lines->names, message->name);
    if (found == 1)
        found = check_logs(lines);
    if (found != 0)
        return found;
    file_of(message->name, file);
    return library_log_write(&lines->logs, file, message, lines->user, time_s);
}

/* ---- What is handed in ----------------------------------------------------------------------- */

static bool line_fits(const struct record_view *file)
{
    struct log_message message;
    const char *digits = file->name + sizeof USER_LINES_WORD;
    size_t length = strspn(digits, "0123456789");
    const char *pid = digits + length + 1;
    return length == USER_LINES_DIGITS && digits[length] == '.' && pid[0] != '\0' &&
           pid[strspn(pid, "0123456789")] == '\0' &&
           log_message_read(file->text, file->length, &message) == 0;
}

static const char *why_not(int error)
{
    return error == -ENOENT   ? "the site has no such log, and creates none"
           : error == -EMFILE ? "too many logs were begun"
                              : strerror(-error);
}

static size_t take_lines(const struct conf *conf, uid_t uid, const struct built_record *file,
                         size_t count)
{
    struct user_lines lines;
    struct log_message message = {.name = ""};
    size_t done = 0, most = count < USER_LINES_AT_ONCE ? count : USER_LINES_AT_ONCE;
    if (conf->library_log_dir[0] == '\0') {
        fail(-ENOENT, "it is empty", "lines that users have handed in are left out");
        return count;
    }
    int error = user_lines_open(conf, uid, &lines), told = 0;
    int64_t now_s = (int64_t)time(NULL);
    bool is_open = error == 0;
    for (; done < most && error == 0; done++) {
        int64_t time_s = strtoll(file[done].name + sizeof USER_LINES_WORD, NULL, 10) / 1000000000;
        error = log_message_read(file[done].text, file[done].length, &message);
        if (error == 0)
            error = user_lines_append(&lines, &message, time_s < now_s ? time_s : now_s);
        /* no later flush would write these either */
        if (error != -ENOENT && error != -EMSGSIZE && error != -EMFILE && error != -EPERM)
            continue;
        if (told != error)
            fprintf(stderr, "jobtrail-submit: user %s: %s.log: lines are left out: %s\n",
                    lines.user, message.name, why_not(error));
        told = error;
        error = 0;
    }
    done -= error != 0 && done > 0;
    if (is_open && error != 0)
        fail(error, message.name, strerror(-error));
    user_lines_close(&lines);
    return done;
}

const struct hand_in_part hand_in_part_lines = {USER_LINES_WORD, line_fits, take_lines};
