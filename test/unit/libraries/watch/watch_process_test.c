/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/watch/watch_process.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "conf/base/process.h"
#include "test/unit/fixture/cases.h"

static uint32_t user_of(const char *status)
{
    uint32_t uid = 12345;
    assert_int_equal(watch_process_user(status, &uid), 0);
    return uid;
}

TEST(who_starts_a_program_of_roots_is_its_user)
{
    assert_int_equal(user_of("Name:\tsu\nUid:\t1001\t0\t0\t0\nGid:\t5\t6\t7\t8\n"), 1001);
    assert_int_equal(user_of("Name:\tcp\nUid:\t0\t0\t0\t0\n"), 0);
    /* a server of root's that acts for a user */
    assert_int_equal(user_of("Name:\tsmbd\nUid:\t0\t1002\t0\t1002\n"), 1002);
}

static bool is_found(struct watch_processes *processes, int32_t pid, int pidfd, bool is_gone)
{
    const struct watch_event event = {.pid = pid, .pidfd = pidfd, .is_gone = is_gone};
    struct library_who who;
    bool is_known = watch_process_find(processes, &event, 1000, &who);
    assert_int_equal(who.how, is_known ? LIBRARY_WHO_BY_FILE : LIBRARY_WHO_UNKNOWN);
    return is_known;
}

/* Another process has its pid, as this one here. */
TEST(a_process_that_is_gone_is_not_who_has_its_pid)
{
    struct watch_processes *processes = watch_processes_new("/nowhere");
    assert_non_null(processes);
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    int fd = (int)syscall(SYS_pidfd_open, child, 0);
    assert_true(fd >= 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_false(is_found(processes, getpid(), fd, false));
    assert_false(is_found(processes, getpid(), -1, true));
    close(fd);
    fd = (int)syscall(SYS_pidfd_open, getpid(), 0);
    assert_true(is_found(processes, getpid(), fd, false));
    close(fd);
    free(processes);
}

/* The process of a session of its own, whose leader is `is_led` or gone. */
static struct library_who who_of_a_session(bool is_led)
{
    struct watch_processes *processes = watch_processes_new("/nowhere");
    struct library_who who;
    int told[2], held[2];
    pid_t member = 0;
    assert_non_null(processes);
    assert_int_equal(pipe(told) | pipe(held), 0);
    pid_t leader = fork();
    if (leader == 0) {
        setsid();
        member = fork();
        close(held[1]);
        if (member > 0 && write(told[1], &member, sizeof member) < 0)
            _exit(1);
        if ((member == 0 || is_led) && read(held[0], &member, 1) < 0)
            _exit(1);
        _exit(0);
    }
    close(held[0]);
    close(told[1]);
    assert_int_equal(read(told[0], &member, sizeof member), sizeof member);
    if (!is_led)
        assert_int_equal(waitpid(leader, NULL, 0), leader);
    const struct watch_event event = {.pid = member, .pidfd = -1};
    assert_true(watch_process_find(processes, &event, 1000, &who));
    assert_int_equal(who.session, leader);
    close(held[1]);
    if (is_led)
        assert_int_equal(waitpid(leader, NULL, 0), leader);
    close(told[0]);
    free(processes);
    return who;
}

TEST(a_session_is_known_by_the_start_of_its_leader)
{
    struct process_stat here;
    assert_int_equal(process_stat_read(getpid(), &here), 0);
    assert_true(who_of_a_session(true).session_ticks >= here.start_ticks);
    assert_int_equal(who_of_a_session(false).session_ticks, 0);
}

/* Within so short a time what was read is used again. */
TEST(who_executes_is_looked_at_again)
{
    const struct watch_event event = {.pid = getpid(), .pidfd = -1};
    struct watch_processes *processes = watch_processes_new("/nowhere");
    struct library_who who;
    assert_non_null(processes);
    assert_int_equal(prctl(PR_SET_NAME, "before"), 0);
    assert_true(watch_process_find(processes, &event, 1000, &who));
    assert_int_equal(prctl(PR_SET_NAME, "behind"), 0);
    assert_true(watch_process_find(processes, &event, 1000, &who));
    assert_string_equal(who.command, "before");
    watch_process_executes(processes, getpid() + 256);
    assert_true(watch_process_find(processes, &event, 1000, &who));
    assert_string_equal(who.command, "before");
    watch_process_executes(processes, getpid());
    assert_true(watch_process_find(processes, &event, 1000, &who));
    assert_string_equal(who.command, "behind");
    free(processes);
}

TEST(a_text_without_users_is_refused)
{
    uint32_t uid;
    assert_int_equal(watch_process_user("", &uid), -EPROTO);
    assert_int_equal(watch_process_user("Name:\tcp\nUid:\t1\n", &uid), -EPROTO);
    assert_int_equal(watch_process_user("Name:\tUid:\t1\t1\n", &uid), -EPROTO);
}
