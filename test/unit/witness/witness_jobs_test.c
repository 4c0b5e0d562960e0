/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Jobs that the witness finds in a spool: one whose file cannot be begun at first.
 */
#include "contrib/witness/witness_jobs.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "test/unit/fixture/cases.h"

static const struct kernel_listen listening = {1000, 5000, true, true, 900};

static int make_directory(int at, const char *name)
{
    assert_int_equal(mkdirat(at, name, 0700), 0);
    int directory = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(directory >= 0);
    return directory;
}

/* As where the file system is full for a moment. */
TEST(a_job_whose_file_cannot_be_begun_is_tried_again)
{
    char path[] = "/tmp/witness_jobs_test.XXXXXX";
    assert_non_null(mkdtemp(path));
    int spool = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int job = make_directory(spool, "4711.0");
    close(make_directory(job, KERNEL_NOTES_NAME));
    struct witness_jobs *jobs = witness_jobs_new(spool, &listening);
    assert_non_null(jobs);

    assert_int_equal(witness_jobs_look(jobs, NULL, 2000), 0);
    assert_int_equal(witness_jobs_next(jobs, 0), 0);
    assert_int_equal(witness_jobs_look(jobs, NULL, 3000), 0);
    assert_null(witness_jobs_notes(jobs, 1));
    assert_int_equal(unlinkat(job, KERNEL_NOTES_NAME, AT_REMOVEDIR), 0);
    assert_int_equal(witness_jobs_look(jobs, NULL, 4000), 0);
    assert_non_null(witness_jobs_notes(jobs, 1));
    assert_int_equal(witness_jobs_look(jobs, NULL, 5000), 0);
    assert_int_equal(job_notes_write(witness_jobs_notes(jobs, 1)), 0);

    struct kernel_notes read;
    assert_int_equal(kernel_notes_read(job, &read), 0);
    assert_int_equal(read.listeners, 1);
    assert_int_equal(read.gap_count, 1);
    assert_int_equal(read.gaps[0].from_ns, 6000);
    assert_int_equal(read.gaps[0].to_ns, 8000);
    assert_int_equal(read.bad_lines, 0);
    kernel_notes_free(&read);
    witness_jobs_free(jobs);
    assert_int_equal(unlinkat(job, KERNEL_NOTES_NAME, 0), 0);
    close(job);
    assert_int_equal(unlinkat(spool, "4711.0", AT_REMOVEDIR), 0);
    close(spool);
    assert_int_equal(rmdir(path), 0);
}
