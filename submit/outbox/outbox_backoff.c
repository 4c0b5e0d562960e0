/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/outbox/outbox_backoff.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "conf/base/io.h"

enum { SHORTEST_S = 15, LONGEST_S = 900, MOST_S = 2 * LONGEST_S };

void outbox_backoff_read(int directory, struct outbox_backoff *backoff)
{
    char text[512];
    struct outbox_backoff found = {.failures = 0};
    if (io_read_text(directory, OUTBOX_BACKOFF, text, sizeof text) > 0 &&
        sscanf(text, "%u %" SCNu64 " %255[^\n]", &found.failures, &found.until_s, found.reason) < 2)
        found = (struct outbox_backoff){.failures = 0};
    *backoff = found;
}

int outbox_backoff_holds(const struct outbox_backoff *backoff)
{
    uint64_t now = (uint64_t)time(NULL);
    return backoff->failures > 0 && now < backoff->until_s && backoff->until_s - now <= MOST_S;
}

static uint64_t until_s(unsigned failures, unsigned asked_s)
{
    uint64_t pause = SHORTEST_S, asked = asked_s < MOST_S ? asked_s : MOST_S;
    uint32_t random;
    for (unsigned i = 1; i < failures && pause < LONGEST_S; i++)
        pause *= 2;
    if (pause > LONGEST_S)
        pause = LONGEST_S;
    if (getrandom(&random, sizeof random, 0) != sizeof random)
        random = UINT32_MAX / 2;
    pause = pause / 2 + pause * random / UINT32_MAX;
    return (uint64_t)time(NULL) + (pause > asked ? pause : asked);
}

int outbox_backoff_extend(int directory, const struct outbox_backoff *backoff,
                          const struct transport_trouble *trouble)
{
    unsigned failures = backoff->failures < 1000 ? backoff->failures + 1 : backoff->failures;
    int fd = openat(directory, OUTBOX_BACKOFF ".new",
                    O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return -errno;
    int error = dprintf(fd, "%u %" PRIu64 " %.*s\n", failures, until_s(failures, trouble->wait_s),
                        (int)strcspn(trouble->text, "\n"), trouble->text) < 0
                    ? -EIO
                    : 0;
    if (close(fd) != 0 && error == 0)
        error = -errno;
    if (error == 0 && renameat(directory, OUTBOX_BACKOFF ".new", directory, OUTBOX_BACKOFF) != 0)
        error = -errno;
    return error;
}
