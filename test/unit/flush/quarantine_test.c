/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What the flush of made-up jobs sets aside.
 */
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include "spank/journal.h"
#include "submit/job/quarantine.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_node.h"

/* What the quarantine says of the job, or "" */
static const char *quarantine_reason(const char *job)
{
    static char text[256];
    char name[128];
    snprintf(name, sizeof name, "quarantine/%s/reason", job);
    FILE *file = fopen(below(state_dir, name), "re");
    text[0] = '\0';
    if (file != NULL) {
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        fclose(file);
    }
    return text;
}

TEST(sound_captures_of_a_damaged_ledger_are_sent_and_the_rest_is_kept)
{
    make_whole_job("7.0", 3);
    made_at(&made, LEDGER_FIRST + LEDGER_PAGE)->fields_bytes = UINT32_MAX;
    put_ledger("7.0");
    assert_count(flush(), COUNT(.jobs = 1, .records = 2, .damaged = 1, .quarantined = 1));
    assert_false(exists(below(spool_dir, "7.0")));
    assert_int_equal(count_files(records_dir, ""), 2);
    assert_string_equal(quarantine_reason("7.0"), "damaged captures in the ledger\n");
    assert_true(exists(below(state_dir, "quarantine/7.0/journal")));
    struct stat status;
    assert_int_equal(stat(below(state_dir, "quarantine/7.0/ledger"), &status), 0);
    assert_int_equal(status.st_size, made.size);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_int_equal(stat(below(state_dir, "quarantine/7.0"), &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
    int fd = open(below(state_dir, "quarantine/7.0/ledger"), O_RDONLY | O_CLOEXEC);
    static char copy[MADE_LEDGER_MAX];
    assert_int_equal(read(fd, copy, sizeof copy), made.size);
    assert_memory_equal(copy, made.bytes, made.size);
    close(fd);
    assert_count(flush(), COUNT(0));
}

TEST(what_is_no_ledger_is_kept_aside)
{
    make_whole_job("7.0", 1);
    made.bytes[0] = 'x';
    put_ledger("7.0");
    make_job("8.0", EPILOG);
    write_bytes(below(spool_dir, "8.0/ledger"), "", 0);
    make_whole_job("9.0", 1);
    made.bytes[7] = '2'; /* of another version */
    put_ledger("9.0");
    assert_count(flush(), COUNT(.jobs = 3, .quarantined = 3));
    assert_string_equal(quarantine_reason("9.0"),
                        "the ledger is not one of this version of jobtrail\n");
    assert_int_equal(count_files(spool_dir, ""), 0);
    assert_string_equal(quarantine_reason("7.0"),
                        "the ledger is not one of this version of jobtrail\n");
    assert_string_equal(quarantine_reason("8.0"),
                        "the ledger is not one of this version of jobtrail\n");
}

TEST(a_job_whose_journal_is_no_file_of_its_own_is_kept_aside)
{
    make_whole_job("7.0", 1);
    assert_int_equal(rename(below(spool_dir, "7.0/journal"), below(root, "elsewhere")), 0);
    assert_int_equal(symlink("/nonexistent", below(spool_dir, "7.0/journal")), 0);
    make_whole_job("8.0", 1);
    assert_int_equal(link(below(spool_dir, "8.0/journal"), below(root, "linked")), 0);
    assert_count(flush(), COUNT(.jobs = 2, .quarantined = 2));
    assert_int_equal(count_files(spool_dir, ""), 0);
    assert_string_equal(quarantine_reason("7.0"), "the journal does not say whose job this is\n");
    assert_string_equal(quarantine_reason("8.0"), "the journal does not say whose job this is\n");
}

TEST(an_endless_ledger_is_kept_aside_up_to_its_size)
{
    struct stat status;
    make_job("7.0", EPILOG);
    assert_int_equal(mknod(below(spool_dir, "7.0/ledger"), S_IFREG | 0600, 0), 0);
    assert_int_equal(truncate(below(spool_dir, "7.0/ledger"), (off_t)1 << 43), 0);
    assert_count(flush(), COUNT(.jobs = 1, .quarantined = 1));
    assert_int_equal(stat(below(state_dir, "quarantine/7.0/ledger"), &status), 0);
    assert_int_equal(status.st_size, MADE_LEDGER_MAX);
    assert_true(status.st_blocks < 16);
}

TEST(a_ledger_that_its_owner_linked_elsewhere_is_not_read)
{
    make_whole_job("7.0", 1);
    assert_int_equal(link(below(spool_dir, "7.0/ledger"), below(root, "mine")), 0);
    assert_count(flush(), COUNT(.jobs = 1, .quarantined = 1));
    assert_false(exists(below(spool_dir, "7.0")));
    assert_string_equal(quarantine_reason("7.0"),
                        "the ledger is not one of this version of jobtrail\n");
    assert_false(exists(below(state_dir, "quarantine/7.0/ledger")));
    assert_true(exists(below(state_dir, "quarantine/7.0/journal")));
}

TEST(a_job_of_nobody_is_kept_aside)
{
    assert_int_equal(mkdir(below(spool_dir, "7.0"), 0711), 0); /* the journal is missing */
    make_ledger(1);
    put_ledger("7.0");
    make_whole_job("8.0", 1);
    write_bytes(below(spool_dir, "8.0/journal"), "junk\n", 5);
    assert_count(flush(), COUNT(.jobs = 2, .quarantined = 2));
    assert_int_equal(count_files(spool_dir, ""), 0);
    assert_false(exists(records_dir));
    assert_string_equal(quarantine_reason("7.0"), "the journal does not say whose job this is\n");
    assert_string_equal(quarantine_reason("8.0"), "the journal does not say whose job this is\n");
    assert_true(exists(below(state_dir, "quarantine/7.0/ledger")));
}

TEST(what_was_kept_can_be_moved_back_and_flushed)
{
    uid_t uid = geteuid() == 0 ? 12345 : geteuid();
    gid_t gid = geteuid() == 0 ? 12345 : getegid();
    char text[256];
    assert_int_equal(mkdir(below(spool_dir, "7.0"), 0711), 0);
    snprintf(text, sizeof text, "step time=1.000000000 job=7 step=0 uid=%u gid=%u\n" EPILOG,
             (unsigned)uid, (unsigned)gid);
    put("7.0", "journal", text, strlen(text));
    make_ledger(1);
    unsigned char first = made.bytes[0];
    made.bytes[0] = 'x';
    put_ledger("7.0");
    assert_int_equal(chown(below(spool_dir, "7.0/ledger"), uid, gid), 0);
    assert_count(flush(), COUNT(.jobs = 1, .quarantined = 1));
    assert_string_equal(quarantine_reason("7.0"),
                        "the ledger is not one of this version of jobtrail\n");
    assert_int_equal(rename(below(state_dir, "quarantine/7.0"), below(spool_dir, "7.0")), 0);
    int fd = open(below(spool_dir, "7.0/ledger"), O_WRONLY | O_CLOEXEC);
    assert_int_equal(pwrite(fd, &first, 1, 0), 1);
    close(fd);
    assert_count(flush(), COUNT(.jobs = 1, .records = 1));
}

TEST(a_quarantine_that_cannot_be_made_keeps_the_spool)
{
    make_whole_job("7.0", 1);
    made.bytes[0] = 'x';
    put_ledger("7.0");
    assert_int_equal(mkdir(state_dir, 0700), 0);
    write_bytes(below(state_dir, "quarantine"), "", 0);
    assert_count(flush(), COUNT(.failed = 1));
    assert_true(exists(below(spool_dir, "7.0/ledger")));
    assert_int_equal(unlink(below(state_dir, "quarantine")), 0);
    assert_count(flush(), COUNT(.jobs = 1, .quarantined = 1));
}

static void make_damaged_job(const char *name, const char *when)
{
    char text[256];
    make_whole_job(name, 1);
    made.bytes[0] = 'x';
    put_ledger(name);
    snprintf(text, sizeof text, "step time=%s job=%u step=0 uid=%u gid=%u\n" EPILOG, when,
             (unsigned)atoi(name), (unsigned)getuid(), (unsigned)getgid());
    put(name, "journal", text, strlen(text));
}

TEST(a_job_id_that_was_given_out_again_keeps_both_jobs_aside)
{
    make_damaged_job("7.0", "1700000000.000000001");
    assert_count(flush(), COUNT(.jobs = 1, .quarantined = 1));
    make_damaged_job("7.0", "1700000000.000000002");
    assert_count(flush(), COUNT(.jobs = 1, .quarantined = 1));
    assert_string_equal(quarantine_reason("7.0"),
                        "the ledger is not one of this version of jobtrail\n");
    assert_string_equal(quarantine_reason("7.0-2"),
                        "the ledger is not one of this version of jobtrail\n");
    /* the same job again, as after a flush that was killed before it removed the spool directory */
    make_damaged_job("7.0", "1700000000.000000002");
    assert_count(flush(), COUNT(.jobs = 1, .quarantined = 1));
    assert_int_equal(count_files(below(state_dir, "quarantine"), ""), 2);
}

TEST(what_was_set_aside_can_be_put_back_and_flushed)
{
    char command[256];
    make_whole_job("7.0", 2);
    made_at(&made, LEDGER_FIRST)->fields_bytes = UINT32_MAX;
    put_ledger("7.0");
    assert_count(flush(), COUNT(.jobs = 1, .records = 1, .damaged = 1, .quarantined = 1));
    make_ledger(2); /* mended */
    write_bytes(below(state_dir, "quarantine/7.0/ledger"), made.bytes, made.size);
    snprintf(command, sizeof command, "mv %s/quarantine/7.0 %s", state_dir, spool_dir);
    assert_int_equal(system(command), 0);
    assert_count(flush(), COUNT(.jobs = 1, .records = 2));
    assert_int_equal(count_files(records_dir, ""), 2);
}

TEST(a_full_quarantine_keeps_the_reason_without_the_ledger)
{
    make_damaged_job("7.0", "1700000000.000000001");
    assert_count(flush(), COUNT(.jobs = 1, .quarantined = 1));
    int fd = open(below(state_dir, "quarantine/7.0/ledger"), O_WRONLY | O_CLOEXEC);
    assert_int_equal(fallocate(fd, 0, 0, (off_t)QUARANTINE_MAX_BYTES), 0);
    make_damaged_job("8.0", "1700000000.000000001");
    assert_count(flush(), COUNT(.jobs = 1, .quarantined = 1));
    assert_string_equal(quarantine_reason("8.0"),
                        "the ledger is not one of this version of jobtrail; without its files, as "
                        "the quarantine is full\n");
    assert_false(exists(below(state_dir, "quarantine/8.0/journal")));
    assert_false(exists(below(state_dir, "quarantine/8.0/ledger")));
    close(fd);
}

TEST(a_job_whose_journal_was_full_is_flushed_and_says_so)
{
    make_whole_job("7.0", 2);
    write_bytes(below(spool_dir, "7.0/" JOURNAL_LEFT_OUT), "\n\n\n", 3);
    assert_count(flush(), COUNT(.jobs = 1, .records = 2, .left_out = 3));
    assert_false(exists(below(spool_dir, "7.0")));
}

/* As a node has it where a job's journal was written by a version without a bound. */
TEST(a_job_with_a_huge_journal_is_flushed)
{
    make_whole_job("7.0", 2);
    FILE *file = fopen(below(spool_dir, "7.0/journal"), "ae");
    assert_int_equal(ftruncate(fileno(file), (off_t)300 << 20), 0);
    fputs("\n" EPILOG, file);
    fclose(file);
    assert_count(flush(), COUNT(.jobs = 1, .records = 2));
}

/* Entries as quarantine_keep() leaves them. */
static void make_entries(const char *user, unsigned first, unsigned count)
{
    char name[64];
    mkdir(state_dir, 0700);
    mkdir(below(state_dir, "quarantine"), 0700);
    for (unsigned i = first; i < first + count; i++) {
        snprintf(name, sizeof name, "quarantine/%u.0", i);
        assert_int_equal(mkdir(below(state_dir, name), 0700), 0);
        snprintf(name, sizeof name, "quarantine/%u.0/" QUARANTINE_OWNER, i);
        write_bytes(below(state_dir, name), user, strlen(user));
        snprintf(name, sizeof name, "quarantine/%u.0/reason", i);
        write_bytes(below(state_dir, name), "made\n", 5);
    }
}

TEST(one_users_entries_leave_room_for_those_of_others)
{
    char me[16];
    snprintf(me, sizeof me, "%u\n", (unsigned)getuid());
    make_entries(me, 1000, QUARANTINE_USER_ENTRIES - 1);
    make_entries("12345\n", 3000, QUARANTINE_USER_ENTRIES);
    make_damaged_job("7.0", "1700000000.000000001");
    assert_count(flush(), COUNT(.jobs = 1, .quarantined = 1));
    make_damaged_job("8.0", "1700000000.000000001");
    assert_count(flush(), COUNT(.jobs = 1, .lost = 1));
    assert_false(exists(below(state_dir, "quarantine/8.0")));
    assert_false(exists(below(spool_dir, "8.0")));
    make_damaged_job("7.0", "1700000000.000000001"); /* its entry is there: it is filled again */
    assert_count(flush(), COUNT(.jobs = 1, .quarantined = 1));
    int quarantine = open(below(state_dir, "quarantine"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(overflow_read(quarantine), 1);
    close(quarantine);
}

TEST(there_is_an_end_to_entries_of_all_users)
{
    char user[16];
    for (unsigned i = 0; i < QUARANTINE_MAX_ENTRIES / QUARANTINE_USER_ENTRIES; i++) {
        snprintf(user, sizeof user, "%u\n", 50000 + i);
        make_entries(user, 1000 * (i + 1), QUARANTINE_USER_ENTRIES);
    }
    make_damaged_job("7.0", "1700000000.000000001");
    assert_count(flush(), COUNT(.jobs = 1, .lost = 1));
}

EACH(node_set_up, node_tear_down)
