/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the process watch saw last of a suspension: written, read again, damaged, and added to the
 * journal.
 */
#include <fcntl.h>

#include "spank/journal.h"
#include "submit/job/spool_job.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_tree.h"

static void write_file(const char *name, const char *text)
{
    int fd = openat(made_tree_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

TEST(what_is_written_is_read)
{
    static const struct suspension written[] = {{true, UINT64_MAX}, {false, 1}, {true, 7}};
    for (size_t i = 0; i < sizeof written / sizeof written[0]; i++) {
        assert_int_equal(suspension_write(made_tree_fd, &written[i]), 0);
        struct suspension found = suspension_read(made_tree_fd);
        assert_true(found.time_ns == written[i].time_ns);
        assert_int_equal(found.is_suspended, written[i].is_suspended);
    }
}

TEST(another_format_is_no_look)
{
    static const char *const texts[] = {
        "", "running\n", "running 5", "walking 5\n", "suspended x\n", "suspended 5 6\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        write_file(SUSPENSION_NAME, texts[i]);
        struct suspension found = suspension_read(made_tree_fd);
        assert_int_equal(found.time_ns, 0);
        assert_false(found.is_suspended);
    }
    unlinkat(made_tree_fd, SUSPENSION_NAME, 0);
    assert_int_equal(suspension_read(made_tree_fd).time_ns, 0);
}

/* The end of the last pause, in seconds, with this file and lines behind the `suspend`. */
static struct journal_pause pause_with(const char *file, const char *lines)
{
    char text[512];
    struct journal journal;
    snprintf(text, sizeof text,
             "step time=1.000000000 job=7 step=0 uid=1000 gid=100\n"
             "suspend time=20.000000000 since=10.000000000\n%s",
             lines);
    write_file(JOURNAL_NAME, text);
    write_file(SUSPENSION_NAME, file);
    assert_int_equal(spool_job_journal(made_tree_fd, &journal), 0);
    assert_int_equal(journal.pause_count, 1);
    struct journal_pause pause = journal.pauses[0];
    journal_free(&journal);
    return pause;
}

TEST(the_last_look_tells_how_long_a_suspension_lasted_at_the_least)
{
    const uint64_t second = 1000000000;
    struct journal_pause pause = pause_with("suspended 90000000000\n", "");
    assert_true(pause.may_start_ns == 10 * second && pause.start_ns == 20 * second);
    assert_true(pause.end_ns == 90 * second && pause.may_end_ns == UINT64_MAX);
    /* Slurm resumes a job to kill it */
    pause = pause_with("suspended 90000000000\n", "end time=95.000000000 step=0\n");
    assert_true(pause.end_ns == 90 * second && pause.may_end_ns == 95 * second);
    /* a look of a later suspension, which the journal does not have yet */
    pause = pause_with("suspended 96000000000\n", "end time=95.000000000 step=0\n");
    assert_true(pause.end_ns == 20 * second && pause.may_end_ns == 95 * second);
    pause = pause_with("running 90000000000\n", "");
    assert_true(pause.end_ns == 20 * second && pause.may_end_ns == UINT64_MAX);
    pause = pause_with("suspended 99000000000\n", "resume time=80.000000000 since=70.000000000\n");
    assert_true(pause.end_ns == 70 * second && pause.may_end_ns == 80 * second);
}

ALL(made_tree_set_up, made_tree_tear_down)
