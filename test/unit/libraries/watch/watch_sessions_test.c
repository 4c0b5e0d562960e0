/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/watch/library_watch.h"

#include "test/unit/fixture/cases.h"

enum { MINUTE_MS = 60000, BEGIN_S = 0x1000 };

static struct watch_sessions *empty(void)
{
    struct watch_sessions *sessions = calloc(1, sizeof *sessions);
    assert_non_null(sessions);
    return sessions;
}

static const char *event_of(struct watch_sessions *sessions, struct library_who who, int64_t now_s,
                            uint64_t now_ms)
{
    static struct library_who last;
    last = who;
    last.time_s = now_s;
    watch_sessions_event(sessions, &last, now_ms);
    return last.event;
}

static struct library_who root_in(int32_t session)
{
    return (struct library_who){.session = session, .session_ticks = 50, .login_uid = 1001};
}

TEST(a_session_has_one_event_until_ten_quiet_minutes)
{
    struct watch_sessions *sessions = empty();
    for (uint64_t minute = 10; minute <= 70; minute += 10) {
        int64_t now_s = BEGIN_S + (int64_t)(minute - 10) * 60;
        uint64_t now_ms = minute * MINUTE_MS;
        assert_string_equal(event_of(sessions, root_in(7), now_s, now_ms), "1000-7-0-1001");
        assert_string_equal(event_of(sessions, root_in(8), now_s, now_ms), "1000-8-0-1001");
    }
    assert_string_equal(event_of(sessions, root_in(7), 0x2000, 80 * MINUTE_MS + 1),
                        "2000-7-0-1001");
    free(sessions);
}

TEST(each_user_of_a_session_has_an_event)
{
    struct watch_sessions *sessions = empty();
    struct library_who su = root_in(7), nobody = root_in(7);
    su.uid = 1002;
    nobody.login_uid = LIBRARY_NO_USER;
    for (int round = 0; round < 2; round++) {
        assert_string_equal(event_of(sessions, root_in(7), BEGIN_S + round, 1), "1000-7-0-1001");
        assert_string_equal(event_of(sessions, su, BEGIN_S + round, 1), "1000-7-1002-1001");
        assert_string_equal(event_of(sessions, nobody, BEGIN_S + round, 1), "1000-7-0");
    }
    free(sessions);
}

TEST(a_session_that_has_the_number_of_one_before_has_an_event)
{
    struct watch_sessions *sessions = empty();
    struct library_who gone = root_in(7), next = root_in(7);
    gone.session_ticks = 0;
    next.session_ticks = 60;
    assert_string_equal(event_of(sessions, root_in(7), BEGIN_S, 1), "1000-7-0-1001");
    assert_string_equal(event_of(sessions, gone, BEGIN_S + 1, 2), "1000-7-0-1001");
    assert_string_equal(event_of(sessions, next, BEGIN_S + 2, 3), "1002-7-0-1001");
    assert_string_equal(event_of(sessions, gone, BEGIN_S + 3, 4), "1002-7-0-1001");
    /* one whose leader was gone at once */
    gone.session = next.session = 9;
    assert_string_equal(event_of(sessions, gone, BEGIN_S + 4, 5), "1004-9-0-1001");
    assert_string_equal(event_of(sessions, gone, BEGIN_S + 5, 6), "1004-9-0-1001");
    assert_string_equal(event_of(sessions, next, BEGIN_S + 6, 7), "1006-9-0-1001");
    free(sessions);
}

TEST(an_event_takes_a_day_at_most)
{
    struct watch_sessions *sessions = empty();
    const char *event = NULL;
    for (uint64_t minute = 5; minute <= 24 * 60 + 5; minute += 5)
        event = event_of(sessions, root_in(7), BEGIN_S + (int64_t)minute - 5, minute * MINUTE_MS);
    assert_string_equal(event, "1000-7-0-1001");
    event = event_of(sessions, root_in(7), 0x2000, (24 * 60 + 10) * MINUTE_MS);
    assert_string_equal(event, "2000-7-0-1001");
    free(sessions);
}

TEST(many_sessions_take_the_place_of_the_quietest)
{
    struct watch_sessions *sessions = empty();
    uint64_t now_ms = 1;
    for (int id = 1; id <= 10 * WATCH_SESSIONS_MAX; id++) {
        assert_string_equal(event_of(sessions, root_in(0), BEGIN_S + id, now_ms++),
                            "1001-0-0-1001");
        event_of(sessions, root_in(id), BEGIN_S + id, now_ms++);
    }
    assert_string_equal(event_of(sessions, root_in(1), 0x9000, now_ms), "9000-1-0-1001");
    free(sessions);
}

TEST(the_longest_event_has_room)
{
    struct watch_sessions *sessions = empty();
    struct library_who who = {
        .session = INT32_MAX, .uid = UINT32_MAX - 1, .login_uid = UINT32_MAX - 1};
    assert_string_equal(event_of(sessions, who, INT64_MAX, 1),
                        "7fffffffffffffff-2147483647-4294967294-4294967294");
    free(sessions);
}
