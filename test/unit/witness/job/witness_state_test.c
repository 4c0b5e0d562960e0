/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The line in which the kernel witness says how it does.
 */
#include <fcntl.h>
#include <sys/wait.h>

#include "contrib/witness/job/witness_state.h"
#include "test/unit/fixture/cases.h"

static char place[] = "/tmp/jobtrail-witness-state-XXXXXX";
static int lock, spool;

static int make_state(void **unused)
{
    char path[sizeof place + 16];
    (void)unused;
    strcpy(place + sizeof place - 7, "XXXXXX");
    assert_non_null(mkdtemp(place));
    snprintf(path, sizeof path, "%s/" WITNESS_STATE, place);
    lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    spool = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return lock < 0 || spool < 0;
}

static int remove_state(void **unused)
{
    char path[sizeof place + 16];
    (void)unused;
    close(lock);
    close(spool);
    snprintf(path, sizeof path, "%s/" WITNESS_STATE, place);
    unlink(path);
    return rmdir(place);
}

TEST(what_is_written_is_read)
{
    const struct witness_state large = {2, INT32_MAX, 1, UINT64_MAX, 2, 3, 4, 5, 6, 7, UINT64_MAX};
    const struct witness_state small = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    struct witness_state read;
    bool is_running = true;
    assert_int_equal(witness_state_write(lock, &large), 0);
    assert_int_equal(witness_state_read(spool, &read, &is_running), 0);
    assert_true(read.level == 2 && read.events == INT32_MAX && read.since_ns == UINT64_MAX &&
                read.unmatched == UINT64_MAX && !is_running);
    assert_int_equal(witness_state_write(lock, &small), 0);
    assert_int_equal(witness_state_read(spool, &read, &is_running), 0);
    assert_true(read.level == 1 && read.events == 2 && read.ends == 3 && read.since_ns == 4 &&
                read.until_ns == 5 && read.jobs == 6 && read.noted == 7 && read.left == 8 &&
                read.lost == 9 && read.overruns == 10 && read.unmatched == 11);
}

/* The lock is another process's. */
TEST(a_witness_runs_while_it_has_its_lock)
{
    const struct witness_state some = {.jobs = 1};
    struct witness_state read;
    bool is_running = false;
    int status;
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    assert_int_equal(witness_state_write(lock, &some), 0);
    assert_int_equal(fcntl(lock, F_SETLK, &whole), 0);
    pid_t pid = fork();
    if (pid == 0)
        _exit(witness_state_read(spool, &read, &is_running) == 0 && is_running ? 0 : 1);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

TEST(another_content_is_refused)
{
    struct witness_state read;
    bool is_running;
    assert_int_equal(witness_state_read(spool, &read, &is_running), -ENOENT);
    assert_int_equal(pwrite(lock, "level=1 events=x\n", 17, 0), 17);
    assert_int_equal(witness_state_read(spool, &read, &is_running), -EINVAL);
    assert_int_equal(witness_state_wait(spool, 1000), -EINVAL);
}

TEST(nobody_waits_for_a_witness_that_is_gone)
{
    const struct witness_state some = {.jobs = 1};
    assert_int_equal(witness_state_wait(spool, 1000000), -ENOENT);
    assert_int_equal(witness_state_write(lock, &some), 0);
    assert_int_equal(witness_state_wait(spool, 1000000), -ENOENT);
}

EACH(make_state, remove_state)
