/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/libraries/lines/line_limits.h"

#include <stdio.h>
#include <string.h>

static void refill(struct line_user *user, uint64_t now_ms)
{
    uint64_t more = (now_ms - user->since_ms) / LINE_MS;
    if (more == 0)
        return;
    user->since_ms += more * LINE_MS;
    user->lines =
        more >= LINES_AT_ONCE - user->lines ? LINES_AT_ONCE : user->lines + (uint32_t)more;
}

/* In place of one who has written nothing for long. NULL: there are too many who write. */
static struct line_user *place_of_new(struct line_limits *limits, uint64_t now_ms)
{
    if (limits->count < LINE_USERS_MAX)
        return &limits->user[limits->count++];
    for (size_t i = 0; i < limits->count; i++) {
        refill(&limits->user[i], now_ms);
        if (limits->user[i].lines == LINES_AT_ONCE && limits->user[i].left_out == 0)
            return &limits->user[i];
    }
    return NULL;
}

static struct line_user *user_of(struct line_limits *limits, uint32_t uid, uint64_t now_ms)
{
    for (size_t i = 0; i < limits->count; i++)
        if (limits->user[i].uid == uid)
            return &limits->user[i];
    struct line_user *user = place_of_new(limits, now_ms);
    if (user != NULL)
        *user = (struct line_user){.uid = uid, .lines = LINES_AT_ONCE, .since_ms = now_ms};
    return user;
}

bool line_limits_take(struct line_limits *limits, uint32_t uid, const char *log, uint64_t now_ms)
{
    struct line_user *user = user_of(limits, uid, now_ms);
    if (user == NULL)
        return false;
    refill(user, now_ms);
    if (user->lines > 0 && user->left_out == 0) {
        user->lines--;
        return true;
    }
    user->left_out++;
    snprintf(user->log, sizeof user->log, "%s", log);
    return false;
}

struct line_user *line_limits_untold(struct line_limits *limits, uint64_t now_ms, bool is_end)
{
    for (size_t i = 0; i < limits->count; i++) {
        struct line_user *user = &limits->user[i];
        if (user->left_out == 0)
            continue;
        refill(user, now_ms);
        if (!is_end && user->lines == 0)
            continue;
        if (user->lines > 0)
            user->lines--;
        return user;
    }
    return NULL;
}
