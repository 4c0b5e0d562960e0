/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/libraries/watch/watch_sessions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MINUTE_MS = 60000, BEGIN_S = 0x1000 };

static struct watch_sessions *empty(void)
{
    struct watch_sessions *sessions = calloc(1, sizeof *sessions);
    assert_non_null(sessions);
    return sessions;
}

static void a_session_has_one_event_until_ten_quiet_minutes(void **state)
{
    struct watch_sessions *sessions = empty();
    (void)state;
    for (uint64_t minute = 10; minute <= 70; minute += 10) {
        int64_t now_s = BEGIN_S + (int64_t)(minute - 10) * 60;
        assert_string_equal(watch_sessions_event(sessions, 7, now_s, minute * MINUTE_MS), "1000-7");
        assert_string_not_equal(watch_sessions_event(sessions, 8, now_s, minute * MINUTE_MS),
                                "1000-7");
    }
    assert_string_equal(watch_sessions_event(sessions, 7, 0x2000, 80 * MINUTE_MS + 1), "2000-7");
    free(sessions);
}

static void an_event_takes_a_day_at_most(void **state)
{
    struct watch_sessions *sessions = empty();
    const char *event = NULL;
    (void)state;
    for (uint64_t minute = 5; minute <= 24 * 60 + 5; minute += 5)
        event =
            watch_sessions_event(sessions, 7, BEGIN_S + (int64_t)minute - 5, minute * MINUTE_MS);
    assert_string_equal(event, "1000-7");
    event = watch_sessions_event(sessions, 7, 0x2000, (24 * 60 + 10) * MINUTE_MS);
    assert_string_equal(event, "2000-7");
    free(sessions);
}

static void many_sessions_take_the_place_of_the_quietest(void **state)
{
    struct watch_sessions *sessions = empty();
    uint64_t now_ms = 1;
    (void)state;
    for (int id = 1; id <= 10 * WATCH_SESSIONS_MAX; id++) {
        assert_string_equal(watch_sessions_event(sessions, 0, BEGIN_S + id, now_ms++), "1001-0");
        watch_sessions_event(sessions, id, BEGIN_S + id, now_ms++);
    }
    assert_string_equal(watch_sessions_event(sessions, 1, 0x9000, now_ms), "9000-1");
    free(sessions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_session_has_one_event_until_ten_quiet_minutes),
        cmocka_unit_test(an_event_takes_a_day_at_most),
        cmocka_unit_test(many_sessions_take_the_place_of_the_quietest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
