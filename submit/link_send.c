/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "link_send.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "hand_in.h"
#include "transport.h"

/* For the wrapper, which waits. */
enum { SEND_MS = 5000 };

static int send_by_file(const struct conf *conf, const struct transport_record *record)
{
    struct transport_trouble trouble;
    struct transport_item item = {.record = *record};
    void *state;
    int result = transport_file.open(conf, &state, &trouble);
    if (result != 0)
        return result;
    result = transport_file.send(state, &item, 1, transport_deadline(SEND_MS), &trouble);
    transport_file.close(state);
    return item.outcome == TRANSPORT_ACCEPTED ? 0 : result != 0 ? result : -EIO;
}

char *link_outbox(void)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    char *path = NULL;
    int length = -1;
    if (state != NULL && state[0] == '/')
        length = asprintf(&path, "%s/jobtrail/outbox", state);
    else if (home != NULL && home[0] == '/')
        length = asprintf(&path, "%s/.local/state/jobtrail/outbox", home);
    return length < 0 ? NULL : path;
}

int link_send(const struct conf *conf, const struct record *record)
{
    const struct transport_record sent = {record->name, record->text, record->length};
    if (strcmp(conf->transport, "none") == 0)
        return 0;
    if (strcmp(conf->transport, "file") == 0 && send_by_file(conf, &sent) == 0)
        return 0;
    if (hand_in(conf, &sent) == 0)
        return 0;
    CLEANUP_FREE char *outbox = link_outbox();
    const struct conf place = {.file_dir = outbox, .file_fsync = (char *)"no"};
    return outbox == NULL ? -ENOENT : send_by_file(&place, &sent);
}
