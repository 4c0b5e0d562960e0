/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/lines/line_limits.h"

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

/* Where all places are taken, that of the one who may write the most lines now: they have written
 * little, or nothing for long. NULL: lines of all were left out. */
static struct line_user *place_of_new(struct line_limits *limits, uint64_t now_ms)
{
    struct line_user *found = NULL;
    if (limits->count < LINE_USERS_MAX)
        return &limits->user[limits->count++];
    for (size_t i = 0; i < limits->count; i++) {
        struct line_user *user = &limits->user[i];
        refill(user, now_ms);
        if (user->left_out == 0 && (found == NULL || user->lines > found->lines))
            found = user;
    }
    return found;
}

bool line_limits_knows(const struct line_limits *limits, uint32_t uid)
{
    for (size_t i = 0; i < limits->count; i++)
        if (limits->user[i].uid == uid)
            return true;
    return false;
}

static void begin_user(struct line_user *user, uint32_t uid, uint64_t now_ms)
{
    *user = (struct line_user){
        .uid = uid, .lines = LINES_AT_ONCE, .since_ms = now_ms, .day_ms = now_ms};
}

static struct line_user *user_of(struct line_limits *limits, uint32_t uid, uint64_t now_ms)
{
    for (size_t i = 0; i < limits->count; i++)
        if (limits->user[i].uid == uid)
            return &limits->user[i];
    struct line_user *user = uid == LINE_SHARED ? NULL : place_of_new(limits, now_ms);
    if (user != NULL)
        begin_user(user, uid, now_ms);
    else if (limits->shared.uid != LINE_SHARED)
        begin_user(&limits->shared, LINE_SHARED, now_ms);
    return user != NULL ? user : &limits->shared;
}

bool line_limits_take(struct line_limits *limits, uint32_t uid, const char *log, uint64_t now_ms)
{
    struct line_user *user = user_of(limits, uid, now_ms);
    refill(user, now_ms);
    if (user->lines > 0 && user->left_out == 0) {
        user->lines--;
        return true;
    }
    user->left_out++;
    snprintf(user->log, sizeof user->log, "%s", log);
    return false;
}

bool line_limits_begin_log(struct line_limits *limits, uint32_t uid, uint64_t now_ms)
{
    struct line_user *user = user_of(limits, uid, now_ms);
    if (now_ms - user->day_ms >= LINE_DAY_MS) {
        user->day_ms = now_ms;
        user->logs = 0;
    }
    if (user->logs >= LINE_NEW_LOGS)
        return false;
    user->logs++;
    return true;
}

struct line_user *line_limits_untold(struct line_limits *limits, uint64_t now_ms, bool is_end)
{
    for (size_t i = 0; i <= limits->count; i++) {
        struct line_user *user = i < limits->count ? &limits->user[i] : &limits->shared;
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
