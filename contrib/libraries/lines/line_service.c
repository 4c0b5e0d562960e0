/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/lines/line_service.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/cleanup.h"
#include "conf/base/clocks.h"
#include "conf/base/descriptors.h"
#include "conf/base/globs.h"
#include "conf/base/trusted.h"
#include "conf/conf_libraries.h"
#include "contrib/libraries/library_user.h"
#include "contrib/libraries/lines/line_limits.h"
#include "contrib/libraries/lines/line_log.h"

/* Who has connected has to send its line within this time. */
enum {
    CONNECTIONS = 64,
    OF_ONE_USER = 8,
    PATIENCE_MS = 2000,
    WAITING = 64,
    TURN_MS = 1000,
    UNREAD_MAX = 64
};

struct connection {
    int fd; /* -1: none */
    uint32_t uid;
    uint64_t until_ms;
};

struct line_service {
    const struct conf *conf;
    int directory, listener, signals;
    struct globs *names;
    struct line_limits limits;
    struct connection connection[CONNECTIONS];
    int told; /* errno of the last trouble, which is told once */
};

static int fail(int error, const char *what)
{
    fprintf(stderr, "jobtrail-libmon: log_dir: %s: %s\n", what, strerror(-error));
    return error;
}

/* ---- Lines ----------------------------------------------------------------------------------- */

static int append_line(const struct line_service *service, const struct log_message *message,
                       uint32_t uid)
{
    char user[LIBRARY_USER_SIZE] = "unknown";
    const struct line_logs logs = {
        .logs = {service->directory, service->conf->library_log_bytes,
                 service->conf->library_log_files},
        .names = service->names,
    };
    if (uid != LINE_SHARED)
        library_user_name(uid, user);
    return line_log_append(&logs, message, user, (int64_t)time(NULL));
}

static enum log_answer answer_of(struct line_service *service, int error, const char *name)
{
    if (error == -ENOENT)
        return LOG_NO_SUCH;
    if (error == -EMSGSIZE)
        return LOG_TOO_LONG;
    if (error != 0 && service->told != error)
        fail(error, name);
    service->told = error;
    return error == 0 ? LOG_WRITTEN : LOG_FAILED;
}

static bool is_there(const struct line_service *service, const char *name)
{
    char file[LOG_NAME_SIZE + sizeof ".log"];
    snprintf(file, sizeof file, "%s.log", name);
    return faccessat(service->directory, file, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static uint32_t place_of(const struct line_service *service, uint32_t uid)
{
    return line_limits_knows(&service->limits, uid) || library_user_is_there(uid) ? uid
                                                                                  : LINE_SHARED;
}

static enum log_answer take_message(struct line_service *service, const char *bytes, size_t size,
                                    uint32_t uid)
{
    struct log_message message;
    if (log_message_read(bytes, size, &message) != 0)
        return LOG_WRONG;
    bool is_new = !is_there(service, message.name);
    if (is_new && !globs_match(service->names, message.name))
        return LOG_NO_SUCH;
    uint32_t place = place_of(service, uid);
    if (is_new && !line_limits_begin_log(&service->limits, place, clock_ms()))
        return LOG_NO_MORE;
    if (!line_limits_take(&service->limits, place, message.name, clock_ms()))
        return LOG_LEFT_OUT;
    return answer_of(service, append_line(service, &message, uid), message.name);
}

static void tell_left_out(struct line_service *service, bool is_end)
{
    struct line_user *user;
    while ((user = line_limits_untold(&service->limits, clock_ms(), is_end)) != NULL) {
        char words[64];
        int size = snprintf(words, sizeof words, "LINES_LEFT_OUT count=%llu",
                            (unsigned long long)user->left_out);
        const struct log_message message = {user->log, words, (size_t)size + 1, false};
        append_line(service, &message, user->uid);
        user->left_out = 0;
    }
}

/* ---- Connections ----------------------------------------------------------------------------- */

static void end_connection(struct connection *connection, enum log_answer answer)
{
    char byte = 0;
    /* what is not read would take the answer's place; who sends more and more does without one */
    shutdown(connection->fd, SHUT_RD);
    for (int i = 0; i < UNREAD_MAX && recv(connection->fd, &byte, 1, MSG_DONTWAIT) > 0; i++)
        ;
    byte = (char)answer;
    if (send(connection->fd, &byte, 1, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
        errno = 0; /* whoever does not wait for it has no answer */
    close(connection->fd);
    connection->fd = -1;
}

static struct connection *free_connection(struct line_service *service, uint32_t uid)
{
    struct connection *found = NULL;
    int others = 0;
    for (int i = 0; i < CONNECTIONS; i++) {
        struct connection *connection = &service->connection[i];
        if (connection->fd < 0)
            found = connection;
        else
            others += connection->uid == uid;
    }
    return others < OF_ONE_USER ? found : NULL;
}

static void accept_one(struct line_service *service)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    int fd = accept4(service->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd < 0)
        return;
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) {
        close(fd);
        return;
    }
    struct connection refused = {.fd = fd}, *connection = free_connection(service, peer.uid);
    if (connection == NULL)
        end_connection(&refused, LOG_TOO_MANY);
    else
        *connection = (struct connection){fd, peer.uid, clock_ms() + PATIENCE_MS};
}

/* One packet, whole, or nothing yet. */
static void read_connection(struct line_service *service, struct connection *connection)
{
    char bytes[LOG_MESSAGE_MAX + 1];
    ssize_t size = recv(connection->fd, bytes, sizeof bytes, MSG_DONTWAIT);
    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    end_connection(connection, size <= 0
                                   ? LOG_WRONG
                                   : take_message(service, bytes, (size_t)size, connection->uid));
}

static void end_late(struct line_service *service)
{
    uint64_t now = clock_ms();
    for (int i = 0; i < CONNECTIONS; i++)
        if (service->connection[i].fd >= 0 && service->connection[i].until_ms <= now)
            end_connection(&service->connection[i], LOG_WRONG);
}

/* Those who wait to be accepted do so while all places are taken: a place is free in two seconds.
 */
static int wait_for_some(struct line_service *service, struct pollfd ready[CONNECTIONS + 2])
{
    bool has_place = false;
    for (int i = 0; i < CONNECTIONS; i++) {
        ready[i] = (struct pollfd){.fd = service->connection[i].fd, .events = POLLIN};
        has_place |= ready[i].fd < 0;
    }
    ready[CONNECTIONS] =
        (struct pollfd){.fd = has_place ? service->listener : -1, .events = POLLIN};
    ready[CONNECTIONS + 1] = (struct pollfd){.fd = service->signals, .events = POLLIN};
    return poll(ready, CONNECTIONS + 2, TURN_MS);
}

static void serve(struct line_service *service)
{
    struct pollfd ready[CONNECTIONS + 2];
    for (;;) {
        if (wait_for_some(service, ready) > 0) {
            if (ready[CONNECTIONS + 1].revents != 0)
                return;
            for (int i = 0; i < CONNECTIONS; i++)
                if (ready[i].fd >= 0 && ready[i].revents != 0)
                    read_connection(service, &service->connection[i]);
            if (ready[CONNECTIONS].fd >= 0 && ready[CONNECTIONS].revents != 0)
                accept_one(service);
        }
        end_late(service);
        tell_left_out(service, false);
    }
}

/* ---- Begin and end --------------------------------------------------------------------------- */

/* In a directory of root's, in place of a socket that is there, by the directory's descriptor: a
 * path can be longer than an address. */
static int listen_at(const char *path)
{
    char culprit[PATH_MAX] = "";
    const char *name;
    struct stat status;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    CLEANUP_CLOSE int parent = trusted_parent(path, &name, TRUSTED_ALONE, culprit, sizeof culprit);
    if (parent < 0)
        return fail(parent, culprit[0] != '\0' ? culprit : path);
    if (fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISSOCK(status.st_mode))
        return fail(-EEXIST, path);
    if (snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", parent, name) >=
        (int)sizeof address.sun_path)
        return fail(-ENAMETOOLONG, path);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && (unlinkat(parent, name, 0) == 0 || errno == ENOENT) &&
        bind(fd, (struct sockaddr *)&address, sizeof address) == 0 &&
        fchmodat(parent, name, 0666, 0) == 0 && listen(fd, WAITING) == 0)
        return fd;
    int error = -errno;
    if (fd >= 0)
        close(fd);
    return fail(error, path);
}

static int open_logs(const char *path)
{
    char culprit[PATH_MAX];
    int fd = trusted_directory_make(path, 0755, culprit, sizeof culprit);
    return fd < 0 ? fail(fd, culprit[0] != '\0' ? culprit : path) : fd;
}

static int get_ready(struct line_service *service)
{
    int error = globs_read(service->conf->library_log_names, &service->names);
    if (error != 0)
        return fail(error, "log_names");
    service->directory = open_logs(service->conf->library_log_dir);
    if (service->directory < 0)
        return service->directory;
    const char *shared = conf_library_log_dir_is_in(service->conf);
    if (shared != NULL) {
        fprintf(stderr,
                "jobtrail-libmon: log_dir: %s is, has or lies in the directory of '%s': name one "
                "of its own\n",
                service->conf->library_log_dir, shared);
        return -EINVAL;
    }
    service->signals = signal_fd(NULL, 0);
    if (service->signals < 0)
        return fail(service->signals, "signals");
    service->listener = listen_at(service->conf->library_log_socket);
    return service->listener < 0 ? service->listener : 0;
}

int line_service_run(const struct conf *conf)
{
    static struct line_service service;
    service = (struct line_service){.conf = conf, .directory = -1, .listener = -1, .signals = -1};
    for (int i = 0; i < CONNECTIONS; i++)
        service.connection[i].fd = -1;
    int error = get_ready(&service);
    if (error == 0) {
        serve(&service);
        tell_left_out(&service, true);
    }
    const int fds[] = {service.directory, service.listener, service.signals};
    for (size_t i = 0; i < sizeof fds / sizeof *fds; i++)
        if (fds[i] >= 0)
            close(fds[i]);
    globs_free(service.names);
    return error;
}
