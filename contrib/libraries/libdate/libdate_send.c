/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/libdate/libdate_send.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/terminal_text.h"
#include "conf/conf.h"
#include "contrib/libraries/log_message.h"

enum { PATIENCE_S = 5 };

struct sending {
    struct conf conf;
    bool is_quiet;
    char name[LOG_NAME_SIZE];
};

__attribute__((format(printf, 2, 3))) static void complain(const struct sending *sending,
                                                           const char *format, ...)
{
    va_list args;
    if (sending->is_quiet)
        return;
    fputs("jobtrail-libdate: ", stderr);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    putc('\n', stderr);
}

/* NAME, NAME.log, or either of them below the site's directory. */
static bool read_name(struct sending *sending, const char *log)
{
    const char *directory = sending->conf.library_log_dir;
    size_t length = strlen(directory);
    if (strncmp(log, directory, length) == 0 && log[length] == '/')
        log += length + 1;
    size_t size = strlen(log);
    if (size > 4 && strcmp(log + size - 4, ".log") == 0)
        size -= 4;
    snprintf(sending->name, sizeof sending->name, "%.*s", (int)(size < INT16_MAX ? size : 0), log);
    return size < sizeof sending->name && log_name_is_good(sending->name);
}

/* Returns a descriptor or -errno. */
static int connect_to(const char *path)
{
    const struct timeval patience = {.tv_sec = PATIENCE_S};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path)
        return -ENAMETOOLONG;
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return -errno;
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    int error = -errno;
    close(fd);
    return error;
}

/* Sends the bytes. Returns the answer, or -errno. */
static int ask(int fd, const char *bytes, size_t size)
{
    char answer;
    if (send(fd, bytes, size, MSG_NOSIGNAL) < 0 && errno != EPIPE)
        return -errno; /* a service that has refused the connection has answered already */
    ssize_t got = recv(fd, &answer, 1, 0);
    if (got < 0 && errno == ECONNRESET) /* refused, before the line was read */
        return LOG_TOO_MANY;
    return got < 0 ? -errno : got == 0 ? -EPROTO : answer;
}

static enum libdate_sent tell_answer(const struct sending *sending, int answer)
{
    const char *directory = sending->conf.library_log_dir, *name = sending->name;
    switch (answer) {
    case LOG_WRITTEN:
        return LIBDATE_SENT;
    case LOG_NO_SUCH:
        complain(sending, "there is no log %s.log in %s, and log_names of jobtrail.conf makes none",
                 name, directory);
        return LIBDATE_REFUSED;
    case LOG_TOO_LONG:
        complain(sending, "the line is too long: it may have %d bytes", LOG_LINE_SIZE - 2);
        return LIBDATE_REFUSED;
    case LOG_LEFT_OUT:
        complain(sending, "too many lines of yours: this one is counted, and left out");
        return LIBDATE_LEFT_OUT;
    case LOG_TOO_MANY:
        complain(sending, "too many lines of yours are on their way: this one is left out");
        return LIBDATE_LEFT_OUT;
    case LOG_NO_MORE:
        complain(sending, "too many logs were begun by you today: %s.log is not made", name);
        return LIBDATE_LEFT_OUT;
    case LOG_FAILED:
        complain(sending, "%s/%s.log cannot be written: the administrator's syslog says why",
                 directory, name);
        return LIBDATE_UNSENT;
    default:
        complain(sending, "the service does not answer as it should: %s",
                 answer < 0 ? strerror(-answer) : "it is of another version");
        return LIBDATE_UNSENT;
    }
}

static enum libdate_sent send_line(struct sending *sending, const char *log, char *const *words,
                                   size_t count)
{
    char bytes[LOG_MESSAGE_MAX], shown[TERMINAL_WORD_SIZE];
    if (sending->conf.library_log_dir[0] == '\0') {
        complain(sending, "this site has no log_dir in [libraries] of jobtrail.conf");
        return LIBDATE_REFUSED;
    }
    if (!read_name(sending, log)) {
        complain(sending, "no name of a log in %s: %s; it has letters, digits and ._+-",
                 sending->conf.library_log_dir, terminal_word(log, shown));
        return LIBDATE_REFUSED;
    }
    size_t size = log_message_make(sending->name, words, count, bytes);
    if (size == 0)
        return tell_answer(sending, LOG_TOO_LONG);
    CLEANUP_CLOSE int fd = connect_to(sending->conf.library_log_socket);
    if (fd < 0) {
        complain(sending, "%s: %s: the node's watcher, which serves it, does not run",
                 sending->conf.library_log_socket, strerror(-fd));
        return LIBDATE_UNSENT;
    }
    return tell_answer(sending, ask(fd, bytes, size));
}

enum libdate_sent libdate_send(const char *conf, const char *log, char *const *words, size_t count,
                               bool is_quiet)
{
    struct sending sending = {.is_quiet = is_quiet};
    struct conf_error fault;
    char text[1024];
    if (conf_load(conf, &sending.conf, &fault) != 0) {
        conf_error_text(&fault, text, sizeof text);
        complain(&sending, "%s", text);
        return LIBDATE_UNSENT;
    }
    enum libdate_sent sent = send_line(&sending, log, words, count);
    conf_free(&sending.conf);
    return sent;
}
