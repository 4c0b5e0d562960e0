/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/profile/flush/profile_send.h"

#include "conf/base/number_list.h"

/* Of one message. */
enum { MESSAGE_BYTES = 1 << 20 };

struct ranks_wanted ranks_wanted_of(const char *site, const struct journal_step *step)
{
    return (struct ranks_wanted){site, step == NULL ? "" : step->profile_ranks};
}

bool ranks_wanted_has(const struct ranks_wanted *wanted, uint32_t rank)
{
    return number_list_has(wanted->site, rank) &&
           (wanted->user[0] == '\0' || number_list_has(wanted->user, rank));
}

int profile_send(void *context, const void *bytes, size_t size)
{
    struct profile_sending *sending = context;
    int error = 0;
    sending->bytes += size;
    for (size_t at = 0; error == 0 && at < size; at += MESSAGE_BYTES) {
        struct iovec part = {(char *)(uintptr_t)bytes + at,
                             size - at < MESSAGE_BYTES ? size - at : MESSAGE_BYTES};
        error = worker_send(sending->pipe, sending->unit, &part, 1);
    }
    return error;
}

uint64_t profile_send_room(const struct profile_sending *sending)
{
    return sending->bytes < sending->most ? sending->most - sending->bytes : 0;
}

int profile_send_file(struct profile_sending *sending, uint64_t unit, const void *bytes,
                      size_t size)
{
    if (size > profile_send_room(sending))
        return 0;
    sending->unit = unit;
    return profile_send(sending, bytes, size);
}
