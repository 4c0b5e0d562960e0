/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Records as messages to the local syslog daemon, in blocks as XALT's interface version 4 has them:
 *
 *   <14>DATE XALT_LOGGING_SYSHOST: V:4 kind:K syshost:S key:KEY crcStr:0xNNNN nb:N idx:I value:TEXT
 *
 * All blocks but the last have block_size bytes of the text: a reader that knows the size can put
 * back blanks that were cut off a line's end, as XALT's does. syslog has no receipt; a record
 * counts as accepted when the daemon has read all its datagrams and is still there.
 */
#include <errno.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/clocks.h"
#include "conf/base/crc.h"
#include "submit/outbox/transport.h"

enum { HEAD_MAX = 512 };

struct syslog_state {
    const struct conf *conf;
    int fd;
    int kind; /* SOCK_DGRAM or SOCK_STREAM, as the daemon has it */
};

static int connect_as(const char *path, int kind)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address.sun_path)
        return -ENAMETOOLONG;
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, kind | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
        return fd;
    int error = errno;
    if (fd >= 0)
        close(fd);
    return -error;
}

static int syslog_open(const struct conf *conf, void **state, struct transport_trouble *trouble)
{
    int kind = SOCK_DGRAM;
    int fd = connect_as(conf->syslog_socket, kind);
    if (fd == -EPROTOTYPE)
        fd = connect_as(conf->syslog_socket, kind = SOCK_STREAM);
    struct syslog_state *opened = fd < 0 ? NULL : malloc(sizeof *opened);
    if (opened == NULL) {
        int error = fd < 0 ? fd : -ENOMEM;
        snprintf(trouble->text, sizeof trouble->text, "%.180s: %s", conf->syslog_socket,
                 strerror(-error));
        if (fd >= 0)
            close(fd);
        return error;
    }
    *opened = (struct syslog_state){.conf = conf, .fd = fd, .kind = kind};
    *state = opened;
    return 0;
}

/* A stream's messages end with NUL. */
static int send_message(const struct syslog_state *state, char *text, size_t length,
                        uint64_t deadline_ns)
{
    size_t size = length + (state->kind == SOCK_STREAM);
    text[length] = '\0';
    for (size_t sent = 0; sent < size;) {
        unsigned left = clock_left_ms(deadline_ns);
        const struct timeval wait = {.tv_sec = left / 1000, .tv_usec = left % 1000 * 1000};
        if (left == 0)
            return -ETIMEDOUT;
        if (setsockopt(state->fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait) != 0)
            return -errno;
        ssize_t got = send(state->fd, text + sent, size - sent, MSG_NOSIGNAL);
        if (got < 0 && errno != EINTR)
            return errno == EAGAIN ? -ETIMEDOUT : -errno;
        sent += got > 0 ? (size_t)got : 0;
    }
    return 0;
}

/* "<14>Nov 22 01:57:19 XALT_LOGGING_SYSHOST: V:4 ... nb:" of a record; returns its length. */
static int write_head(const struct record_view *record, const char *key, char *head)
{
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    time_t now = time(NULL);
    struct tm local;
    char crc[8] = "";
    int host = (int)record->syshost.length;
    if (localtime_r(&now, &local) == NULL)
        return 0;
    if (record->length > 14 && memcmp(record->text, "{\"crc\":\"0x", 10) == 0)
        snprintf(crc, sizeof crc, "%.6s", record->text + 8);
    else
        snprintf(crc, sizeof crc, "0x%04X", crc16(record->text, record->length));
    return snprintf(head, HEAD_MAX,
                    "<%d>%s %2d %02d:%02d:%02d XALT_LOGGING_%.*s: V:4 kind:%.*s syshost:%.*s "
                    "key:%s "
                    "crcStr:%s nb:",
                    LOG_USER | LOG_INFO, months[local.tm_mon], local.tm_mday, local.tm_hour,
                    local.tm_min, local.tm_sec, host, record->syshost.at,
                    (int)record->kind_word.length, record->kind_word.at, host, record->syshost.at,
                    key, crc);
}

static int send_blocks(const struct syslog_state *state, const struct record_view *record,
                       const char *key, char *message, uint64_t deadline_ns)
{
    size_t block = state->conf->syslog_block_bytes;
    size_t blocks = record->length == 0 ? 1 : (record->length - 1) / block + 1;
    int head = write_head(record, key, message);
    int error = 0;
    for (size_t i = 0; i < blocks && error == 0; i++) {
        size_t at = i * block;
        size_t size = record->length - at < block ? record->length - at : block;
        int length = head + snprintf(message + head, HEAD_MAX, "%zu idx:%zu value:", blocks, i);
        memcpy(message + length, record->text + at, size);
        error = send_message(state, message, (size_t)length + size, deadline_ns);
    }
    return error;
}

/* Waits until the daemon has taken everything off the socket; an empty datagram then tells whether
 * it is still there. */
static int wait_read(const struct syslog_state *state, uint64_t deadline_ns)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    int unread = 0;
    while (ioctl(state->fd, SIOCOUTQ, &unread) == 0 && unread > 0) {
        if (clock_left_ms(deadline_ns) == 0)
            return -ETIMEDOUT;
        nanosleep(&pause, NULL);
    }
    return send(state->fd, "", 0, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

static int send_all(const struct syslog_state *state, struct transport_item *items, size_t count,
                    uint64_t deadline_ns)
{
    char *message = malloc(2 * HEAD_MAX + state->conf->syslog_block_bytes + 1);
    int error = message == NULL ? -ENOMEM : 0;
    for (size_t i = 0; i < count && error == 0; i++) {
        char key[RECORD_KEY_SIZE];
        if (items[i].outcome != TRANSPORT_PENDING)
            continue;
        if (record_view_key(&items[i].record, key)) {
            error = send_blocks(state, &items[i].record, key, message, deadline_ns);
            continue;
        }
        items[i].outcome = TRANSPORT_REFUSED;
        snprintf(items[i].why, sizeof items[i].why, "not the name of a record");
    }
    free(message);
    return error != 0 ? error : wait_read(state, deadline_ns);
}

static int syslog_send(void *context, struct transport_item *items, size_t count,
                       uint64_t deadline_ns, struct transport_trouble *trouble)
{
    const struct syslog_state *state = context;
    int error = send_all(state, items, count, deadline_ns);
    for (size_t i = 0; i < count && error == 0; i++)
        if (items[i].outcome == TRANSPORT_PENDING)
            items[i].outcome = TRANSPORT_ACCEPTED;
    if (error != 0)
        snprintf(trouble->text, sizeof trouble->text, "%.180s: %s", state->conf->syslog_socket,
                 strerror(-error));
    return error;
}

/* The daemon listens: it was connected to. */
static int syslog_ask(void *context, uint64_t deadline_ns, struct transport_trouble *trouble)
{
    (void)context;
    (void)deadline_ns;
    (void)trouble;
    return 0;
}

static void syslog_close(void *context)
{
    struct syslog_state *state = context;
    close(state->fd);
    free(state);
}

const struct transport transport_syslog = {"syslog", syslog_open, syslog_send, syslog_ask,
                                           syslog_close};
