/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The least that a transport is: a copy of this file is how another one begins (CONTRIBUTING.md,
 * "A transport"). It gives records to /dev/null. No row of conf_transports[] has it, so nobody
 * loses records by it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/base/clocks.h"
#include "conf/base/io.h"
#include "submit/outbox/transport.h"

/* What stays open for all records of a turn. */
struct null_state {
    const struct conf *conf; /* which outlives it: keys of the transport's own section */
    int fd;
};

/* A transport that cannot begin has failed: it is left alone for some time, and records wait. */
static int null_open(const struct conf *conf, void **state, struct transport_trouble *trouble)
{
    struct null_state *opened = malloc(sizeof *opened);
    int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (opened == NULL || fd < 0) {
        int error = fd < 0 ? -errno : -ENOMEM;
        snprintf(trouble->text, sizeof trouble->text, "/dev/null: %s", strerror(-error));
        free(opened);
        if (fd >= 0)
            close(fd);
        return error;
    }
    *opened = (struct null_state){.conf = conf, .fd = fd};
    *state = opened;
    return 0;
}

/* What is pending when this returns is sent again, and so may come twice: nobody knows how far the
 * receiver had come. A record that it will never take has its reason in `why`, and is set aside;
 * the others go on. */
static int null_send(void *state, struct transport_item *items, size_t count, uint64_t deadline_ns,
                     struct transport_trouble *trouble)
{
    const struct null_state *own = state;
    /* Each call ends by deadline_ns, too: a descriptor that may block is used with poll(2). */
    for (size_t i = 0; i < count; i++) {
        struct transport_item *item = &items[i];
        if (item->outcome != TRANSPORT_PENDING)
            continue;
        if (clock_left_ms(deadline_ns) == 0)
            return -ETIMEDOUT; /* says enough: the outbox words it */
        if (item->record.length == 0) {
            item->outcome = TRANSPORT_REFUSED;
            snprintf(item->why, sizeof item->why, "it is empty");
            continue;
        }
        const struct iovec parts[] = {{(void *)(uintptr_t)item->record.text, item->record.length}};
        int error = io_write_parts(own->fd, parts, 1);
        if (error != 0) {
            snprintf(trouble->text, sizeof trouble->text, "/dev/null: %s", strerror(-error));
            return error;
        }
        item->outcome =
            TRANSPORT_ACCEPTED; /* not before the receiver has it for good, as far as it says */
    }
    return 0;
}

/* For jobtrail-submit outbox ask, and doctor. -EPROTO: it answers, and does not show whether it
 * takes records. */
static int null_ask(void *state, uint64_t deadline_ns, struct transport_trouble *trouble)
{
    (void)state;
    (void)deadline_ns;
    (void)trouble;
    return 0;
}

static void null_close(void *state)
{
    struct null_state *own = state;
    close(own->fd);
    free(own);
}

const struct transport transport_null = {
    .name = "null",
    .open = null_open,
    .send = null_send,
    .ask = null_ask,
    .close = null_close,
};
