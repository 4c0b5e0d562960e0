/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The flush on made-up jobs.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "spank/spool_part.h"
#include "submit/flush/job_progress.h"
#include "submit/flush/reading.h"
#include "submit/flush/start_records.h"
#include "submit/outbox/outbox.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_node.h"

TEST(a_job_becomes_records_once)
{
    make_whole_job("7.0", 3);
    made_header(&made)->dropped[LEDGER_DROP_SPACE] = 4;
    put_ledger("7.0");
    assert_count(flush(), COUNT(.jobs = 1, .records = 3, .dropped = 4));
    assert_false(exists(below(spool_dir, "7.0")));
    assert_int_equal(count_files(records_dir, ""), 3);
    assert_int_equal(count_files(records_dir, "run.tiny."), 3);
    assert_int_equal(count_files(records_dir, ".alice.zzz.019a9f00-0000-7000-8000-"), 3);
    assert_int_equal(count_files(state_dir, ""), 2); /* the outbox and the hashes */
    assert_int_equal(count_files(below(state_dir, "outbox"), ""), 1);
    assert_int_equal(count_files(below(state_dir, "outbox/file"), ""), 1); /* the lock */
    assert_count(flush(), COUNT(0));
    assert_int_equal(count_files(records_dir, ""), 3);
}

TEST(a_record_ends_with_a_newline_and_is_for_the_group_at_most)
{
    struct stat status;
    char last[2];
    make_whole_job("7.0", 1);
    flush();
    DIR *listing = opendir(records_dir);
    struct dirent *entry;
    while ((entry = readdir(listing)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        int fd = openat(dirfd(listing), entry->d_name, O_RDONLY | O_CLOEXEC);
        assert_int_equal(fstat(fd, &status), 0);
        assert_int_equal(status.st_mode & 0137, 0);
        assert_int_equal(pread(fd, last, 2, status.st_size - 2), 2);
        assert_memory_equal(last, "}\n", 2);
        close(fd);
    }
    closedir(listing);
}

TEST(only_the_job_asked_for_is_flushed_with_all_its_restarts)
{
    struct conf conf = conf_of();
    make_whole_job("7.0", 1);
    make_whole_job("7.1", 1);
    make_whole_job("8.0", 1);
    assert_count(flush_with(&conf, 7, 0), COUNT(.jobs = 2, .records = 2));
    assert_false(exists(below(spool_dir, "7.0")));
    assert_false(exists(below(spool_dir, "7.1")));
    assert_true(exists(below(spool_dir, "8.0")));
}

TEST(a_spool_that_never_was_holds_nothing)
{
    assert_int_equal(rmdir(spool_dir), 0);
    assert_count(flush(), COUNT(0));
    assert_false(exists(records_dir));
}

TEST(a_job_without_captures_leaves_nothing)
{
    make_job("7.0", EPILOG);
    make_whole_job("8.0", 0);
    assert_count(flush(), COUNT(.jobs = 2));
    assert_int_equal(count_files(spool_dir, ""), 0);
    assert_false(exists(records_dir));
}

TEST(a_job_whose_task_runs_is_left_alone)
{
    char line[256], name[16];
    snprintf(line, sizeof line, "task time=1700000001.000000000 step=0 task=0 pid=%d ticks=%lu\n",
             (int)getpid(), (unsigned long)own_ticks());
    make_job("7.0", line);
    make_ledger(1);
    put_ledger("7.0");
    assert_count(flush(), COUNT(.running = 1));
    assert_true(exists(below(spool_dir, "7.0/ledger")));
    assert_false(exists(records_dir));
    /* once its epilog has run, it has outlived its job */
    snprintf(name, sizeof name, "8.0");
    strcat(line, EPILOG);
    make_job(name, line);
    put_ledger(name);
    assert_count(flush(), COUNT(.jobs = 1, .records = 1, .running = 1));
}

TEST(a_job_whose_task_is_gone_is_flushed_without_an_epilog)
{
    char line[256];
    snprintf(line, sizeof line, "task time=1700000001.000000000 step=0 task=0 pid=%d ticks=%lu\n",
             (int)getpid(), (unsigned long)own_ticks() + 1); /* another one with our pid */
    make_job("7.0", line);
    make_ledger(1);
    put_ledger("7.0");
    assert_count(flush(), COUNT(.jobs = 1, .records = 1));
    assert_int_equal(count_files(records_dir, ".zzz."), 1);
}

TEST(a_step_that_is_being_set_up_is_left_alone)
{
    char line[256];
    snprintf(line, sizeof line,
             "step time=1700000001.000000000 job=7 step=1 uid=%u gid=%u pid=%d ticks=%lu\n",
             (unsigned)getuid(), (unsigned)getgid(), (int)getpid(), (unsigned long)own_ticks());
    make_job("7.0", line);
    make_ledger(1);
    put_ledger("7.0");
    assert_count(flush(), COUNT(.running = 1));
    strcat(line, "end time=1700000002.000000000 step=1\n");
    make_job("8.0", line);
    put_ledger("8.0");
    assert_count(flush(), COUNT(.jobs = 1, .records = 1, .running = 1));
}

TEST(a_dry_run_prints_and_changes_nothing)
{
    struct conf conf = conf_of();
    char text[16];
    make_whole_job("7.0", 2);
    make_whole_job("8.0", 2);
    made_at(&made, LEDGER_FIRST)->fields_bytes = UINT32_MAX;
    put_ledger("8.0");
    fflush(stdout);
    int saved = dup(STDOUT_FILENO);
    int out = memfd_create("stdout", MFD_CLOEXEC);
    dup2(out, STDOUT_FILENO);
    struct flush_count count = flush_with(&conf, 0, 1);
    fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    assert_int_equal(count.records, 3);
    assert_int_equal(count.damaged, 1);
    assert_int_equal(count.quarantined, 0);
    assert_int_equal(pread(out, text, 10, 0), 10);
    assert_memory_equal(text, "{\"crc\":\"0x", 10);
    off_t size = lseek(out, 0, SEEK_END);
    char *whole = malloc((size_t)size);
    int lines = 0;
    assert_int_equal(pread(out, whole, (size_t)size, 0), size);
    for (off_t i = 0; i < size; i++)
        lines += whole[i] == '\n';
    assert_int_equal(lines, 3);
    free(whole);
    close(out);
    assert_true(exists(below(spool_dir, "7.0/ledger")));
    assert_true(exists(below(spool_dir, "8.0/ledger")));
    assert_false(exists(records_dir));
    assert_false(exists(state_dir));
    assert_count(flush(), COUNT(.jobs = 2, .records = 3, .damaged = 1, .quarantined = 1));
}

TEST(what_cannot_be_delivered_stays_for_the_next_try)
{
    const struct flush_options options = {.node = "n1"};
    struct conf conf = conf_of();
    struct flush_count count;
    /* no outbox: the captures stay */
    make_whole_job("7.0", 2);
    write_bytes(state_dir, "", 0);
    assert_int_equal(flush_run(&conf, &options, &count), -ENOTDIR);
    assert_true(exists(below(spool_dir, "7.0/ledger")));
    assert_int_equal(unlink(state_dir), 0);
    /* no directory for the records: they stay in the outbox */
    write_bytes(records_dir, "", 0);
    assert_count(flush(), COUNT(.jobs = 1, .records = 2, .waiting = 1));
    assert_false(exists(below(spool_dir, "7.0")));
    assert_int_equal(count_files(below(state_dir, "outbox/file"), "."),
                     3); /* and lock and backoff */
    assert_int_equal(unlink(records_dir), 0);
    assert_count(flush(), COUNT(.waiting = 1)); /* not before the backoff is over */
    assert_int_equal(unlink(below(state_dir, "outbox/file/.backoff")), 0);
    assert_count(flush(), COUNT(0));
    assert_int_equal(count_files(records_dir, "run.tiny."), 2);
    assert_int_equal(count_files(below(state_dir, "outbox/file"), ""), 1);
}

TEST(one_job_in_trouble_does_not_keep_the_others)
{
    make_whole_job("7.0", 1);
    make_whole_job("8.0", 1);
    make_whole_job("9.0", 1);
    int fd = open(below(spool_dir, "8.0"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(flock(fd, LOCK_EX), 0); /* another flush is at it */
    assert_count(flush(), COUNT(.jobs = 2, .records = 2, .failed = 1));
    assert_true(exists(below(spool_dir, "8.0")));
    close(fd);
    assert_count(flush(), COUNT(.jobs = 1, .records = 1));
}

TEST(two_flushes_at_once_send_each_record_once)
{
    char name[16];
    for (int i = 1; i <= 10; i++) {
        snprintf(name, sizeof name, "%d.0", i);
        make_whole_job(name, 3);
    }
    struct conf conf = conf_of();
    conf.epilog_timeout_s = 60;
    pid_t child = fork();
    if (child == 0)
        _exit((int)flush_with(&conf, 0, 0).records);
    uint64_t records = flush_with(&conf, 0, 0).records;
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(records + (unsigned)WEXITSTATUS(status), 30);
    assert_int_equal(count_files(spool_dir, ""), 0);
}

TEST(a_flush_leaves_no_descriptor_open)
{
    make_whole_job("7.0", 1);
    made.bytes[0] = 'x';
    put_ledger("7.0");
    make_whole_job("8.0", 2);
    int before = count_files("/proc/self/fd", "");
    flush();
    assert_int_equal(count_files("/proc/self/fd", ""), before);
}

/* The hash of the only record. */
static void read_hash(char hash[64])
{
    char text[256], *found;
    DIR *listing = opendir(records_dir);
    struct dirent *entry;
    hash[0] = '\0';
    while ((entry = readdir(listing)) != NULL) {
        if (entry->d_name[0] == '.')
            continue;
        int fd = openat(dirfd(listing), entry->d_name, O_RDONLY | O_CLOEXEC);
        ssize_t size = read(fd, text, sizeof text - 1);
        close(fd);
        assert_true(size > 0);
        text[size] = '\0';
        found = strstr(text, "\"hash_id\":\"");
        assert_non_null(found);
        assert_int_equal(sscanf(found, "\"hash_id\":\"%63[^\"]", hash), 1);
    }
    closedir(listing);
}

TEST(a_user_learns_nothing_of_files_that_only_root_can_read)
{
    /* Whoever runs this test can read the file, but not with the rights of the job's user. */
    static const struct {
        mode_t mode;
        const char *hash;
    } cases[] = {{0, "0"}, {0444, "a9993e364706816aba3e25717850c26c9cd0d89d"}};
    unsigned id = geteuid() == 0 ? 65534 : (unsigned)getuid();
    unsigned group = geteuid() == 0 ? 65534 : (unsigned)getgid();
    assert_int_equal(chmod(root, 0755), 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[512], hash[64];
        struct ledger_slot slot = made_slot(50, UINT64_C(1700000010000000000));
        write_bytes(below(root, "program"), "abc", 3);
        assert_int_equal(chmod(below(root, "program"), cases[i].mode), 0);
        make_job("7.0", "");
        snprintf(text, sizeof text, "step time=1.000000000 job=7 step=0 uid=%u gid=%u\n" EPILOG, id,
                 group);
        write_bytes(below(spool_dir, "7.0/journal"), text, strlen(text));
        made_start(&made);
        fields.size = 0;
        made_text(&fields, LEDGER_EXEC, below(root, "program"));
        made_add(&made, &slot, 0, &fields);
        put_ledger("7.0");
        assert_int_equal(chown(below(spool_dir, "7.0/ledger"), id, group), 0);
        assert_count(flush(), COUNT(.jobs = 1, .records = 1));
        read_hash(hash);
        assert_string_equal(hash, cases[i].hash);
        assert_int_equal(unlink(below(root, "program")), 0);
    }
}

TEST(the_users_files_may_have_a_part_of_their_own)
{
    make_job("7.0", EPILOG);
    make_ledger(3);
    assert_int_equal(mkdir(below(spool_dir, "7.0/user"), 0711), 0);
    put("7.0", "user/ledger", made.bytes, made.size);
    assert_count(flush(), COUNT(.jobs = 1, .records = 3));
    assert_false(exists(below(spool_dir, "7.0")));
}

TEST(what_another_user_wrote_does_not_become_this_jobs)
{
    if (geteuid() != 0)
        return; /* nobody to be */
    for (int packages = 0; packages < 2; packages++) {
        make_whole_job("7.0", 3);
        put("7.0", "packages", "", 0);
        assert_int_equal(
            chown(below(spool_dir, packages ? "7.0/packages" : "7.0/ledger"), 12345, 12345), 0);
        assert_count(flush(), COUNT(.jobs = 1, .records = packages ? 3 : 0, .quarantined = 1));
        assert_int_equal(count_files(records_dir, "run."), packages ? 3 : -1);
        char reason[128] = "";
        int fd = open(below(state_dir, "quarantine/7.0/reason"), O_RDONLY | O_CLOEXEC);
        assert_true(read(fd, reason, sizeof reason - 1) > 0);
        close(fd);
        assert_string_equal(reason, "the ledger or the packages are another user's\n");
    }
}

TEST(captures_that_went_with_their_file_system_are_in_the_coverage)
{
    struct conf conf = conf_of();
    char own[64];
    make_job("7.0", "task time=1700000001.000000000 step=0 task=0 pid=1 ticks=1\n" EPILOG);
    assert_int_equal(mkdir(below(spool_dir, "7.0/user"), 0711), 0);
    assert_int_equal(symlink("mnt:[1]", below(spool_dir, "7.0/mounted")), 0);
    assert_count(flush_with(&conf, 0, 0), COUNT(.failed = 1)); /* it may be there yet */
    assert_true(exists(below(spool_dir, "7.0")));
    assert_int_equal(unlink(below(spool_dir, "7.0/mounted")), 0);
    spool_part_namespace(own, sizeof own);
    assert_int_equal(symlink(own, below(spool_dir, "7.0/mounted")), 0);
    assert_count(flush_with(&conf, 0, 0), COUNT(.jobs = 1));
    assert_int_equal(count_files(records_dir, "coverage."), 1);
    assert_false(exists(below(spool_dir, "7.0")));
}

/* A job in which so many runs go on whose starts get records. */
static void make_starts(const char *job, int count)
{
    made_start(&made);
    for (int i = 0; i < count; i++) {
        struct ledger_slot slot = made_slot(50 + i, UINT64_C(1700000010000000000));
        slot.flags = LEDGER_SLOT_START;
        fields.size = 0;
        made_text(&fields, LEDGER_EXEC, "/nonexistent/x");
        made_add(&made, &slot, 0, &fields);
    }
    make_job(job, "");
    put_ledger(job);
}

TEST(the_process_watch_takes_what_the_jobs_user_wrote_alone)
{
    struct conf conf = conf_of();
    if (geteuid() != 0)
        return; /* nobody to be */
    make_starts("7.0", 1);
    for (int foreign = 1; foreign >= 0; foreign--) {
        int spool = open_spool();
        assert_int_equal(chown(below(spool_dir, "7.0/ledger"), foreign ? 12345 : 0, 0), 0);
        assert_int_equal(start_records_send(&conf, spool), 0);
        assert_int_equal(count_files(records_dir, ".aaa."), foreign ? -1 : 1);
        close(spool);
    }
}

TEST(the_outbox_charges_the_same_blocks_when_it_is_opened_again)
{
    struct conf conf = conf_of();
    struct outbox *outbox;
    assert_int_equal(outbox_open(&conf, &outbox), 0);
    outbox_owner(outbox, getuid(), 7);
    for (int i = 0; i < 10; i++) {
        char name[64];
        snprintf(name, sizeof name, "run.c.2023_11_14_22_13_20_0000.alice.aaa.%02d.json", i);
        const struct record_view record = record_view(name, "{}", 2);
        assert_int_equal(outbox_add(outbox, &record), 0);
        assert_int_equal(i == 5 ? outbox_add(outbox, &record) : 0, 0); /* in the same block */
        assert_int_equal(outbox_commit(outbox), 0);
    }
    uint64_t room = outbox_room(outbox);
    outbox_close(outbox);
    assert_int_equal(outbox_open(&conf, &outbox), 0);
    assert_int_equal(outbox_room(outbox), room);
    outbox_close(outbox);
}

TEST(forged_starts_have_root_write_no_more_names_than_captures_find_room)
{
    enum {
        COUNT_OF = 5,
        FULL = (LEDGER_FIRST / LEDGER_PAGE + COUNT_OF) * (NAME_MAX + 1),
        BEFORE = FULL - 2 * NAME_MAX
    };
    struct conf conf = conf_of();
    struct stat status;
    char before[BEFORE];
    conf.ledger_bytes = LEDGER_FIRST + COUNT_OF * LEDGER_PAGE;
    make_starts("7.0", COUNT_OF);
    memset(before, '\n', sizeof before);
    put("7.0", "started", before, sizeof before);
    int spool = open_spool(), sent = 0;
    for (int look = 0; look < 2; look++) {
        assert_int_equal(start_records_send(&conf, spool), 0);
        assert_int_equal(stat(below(spool_dir, "7.0/started"), &status), 0);
        assert_true(status.st_size > BEFORE && status.st_size <= FULL);
        int files = count_files(records_dir, ".aaa.");
        assert_true(files >= 1 && files < COUNT_OF);
        assert_true(look == 0 || files == sent);
        sent = files;
    }
    close(spool);
}

TEST(a_start_that_was_told_is_not_told_again)
{
    struct conf conf = conf_of();
    struct stat once, twice;
    make_starts("7.0", 5);
    int spool = open_spool();
    assert_int_equal(start_records_send(&conf, spool), 0);
    assert_int_equal(count_files(records_dir, ".aaa."), 5);
    assert_int_equal(stat(below(spool_dir, "7.0/started"), &once), 0);
    assert_int_equal(start_records_send(&conf, spool), 0);
    assert_int_equal(stat(below(spool_dir, "7.0/started"), &twice), 0);
    assert_int_equal(once.st_size, twice.st_size);
    close(spool);
}

/* As its end, of which the epilog tells the cluster, would be another's in the store. */
TEST(a_run_whose_cluster_is_not_known_yet_has_no_start_record)
{
    struct conf conf = conf_of();
    conf.cluster = (char *)"";
    make_starts("7.0", 1);
    for (int known = 0; known <= 1; known++) {
        if (known) {
            FILE *journal = fopen(below(spool_dir, "7.0/journal"), "ae");
            fputs("prolog time=1700000000.000000000 cluster=lab\n", journal);
            fclose(journal);
        }
        int spool = open_spool();
        assert_int_equal(start_records_send(&conf, spool), 0);
        assert_int_equal(count_files(records_dir, ".aaa."), known ? 1 : -1);
        close(spool);
    }
}

/* No epilog has told that it is over, nor has its boot: its id was given out again. */
TEST(what_a_later_job_has_found_is_over_and_its_owners)
{
    const struct flush_options options = {.node = "n1", .orphans = 1};
    struct conf conf = conf_of();
    struct flush_count count;
    char running[128];
    snprintf(running, sizeof running, "task time=1.0 step=0 task=0 pid=%d ticks=%llu\n",
             (int)getpid(), (unsigned long long)own_ticks());
    make_job("7.0.left1", running);
    make_job("7.0", running);
    make_ledger(2);
    put_ledger("7.0.left1");
    put_ledger("7.0");
    assert_int_equal(flush_run(&conf, &options, &count), 0);
    assert_count(count, COUNT(.jobs = 1, .records = 2, .left = 1, .running = 1));
    assert_false(exists(below(spool_dir, "7.0.left1")));
    assert_true(exists(below(spool_dir, "7.0/ledger")));
}

static int refuse_second(void *context, const struct record_view *record)
{
    int *taken = context;
    assert_int_equal(strlen(record->text), record->length);
    return ++*taken == 2 ? -EDQUOT : 0;
}

TEST(a_worker_that_breaks_down_is_late_or_refused_ends_the_work)
{
    struct conf conf = conf_of();
    struct journal journal = {0};
    struct reading_summary summary = {.records = 77};
    char text[256];
    int taken = 0;
    make_ledger(3);
    int ledger = made_file(&made, made.size);
    snprintf(text, sizeof text, "step time=1.000000000 job=7 uid=%u gid=%u\n", (unsigned)getuid(),
             (unsigned)getgid());
    assert_int_equal(journal_parse(text, strlen(text), &journal), 0);
    enum flush_outcome outcome = FLUSH_SPENT;
    struct reading_request request = {.kind = READING_JOB,
                                      .conf = &conf,
                                      .identity = &journal.identity,
                                      .take = refuse_second,
                                      .context = &taken,
                                      .journal = &journal,
                                      .ledger = ledger,
                                      .packages = -1,
                                      .now_ns = 1};
    assert_int_equal(reading_run(&request, &summary, &outcome), -EDQUOT);
    assert_int_equal(taken, 2);
    assert_int_equal(outcome, FLUSH_SPENT); /* untouched */
    taken = 10;
    assert_int_equal(reading_run(&request, &summary, &outcome), 0);
    assert_int_equal(outcome, FLUSH_DONE);
    assert_int_equal(taken, 13);
    assert_int_equal(summary.records, 3);
    request.deadline_ns = 1;
    summary.records = 77;
    assert_int_equal(reading_run(&request, &summary, &outcome), 0);
    assert_int_equal(outcome, FLUSH_LATE);
    assert_int_equal(taken, 13);
    assert_int_equal(summary.records, 77);
    request.deadline_ns = 0;
    journal.identity.uid = (uid_t)-1; /* nobody can become this one */
    assert_int_equal(reading_run(&request, &summary, &outcome), 0);
    assert_int_equal(outcome, FLUSH_BROKEN);
    assert_int_equal(taken, 13);
    assert_int_equal(summary.records, 77);
    journal_free(&journal);
    close(ledger);
}

static int count(void *context, const struct record_view *record)
{
    *(int *)context += record->kind == RECORD_RUN;
    return 0;
}

TEST(a_worker_goes_on_where_another_was_ended)
{
    enum { ONE = LEDGER_FIRST / LEDGER_PAGE, TWO, THREE, FOUR }; /* captures have a page each */
    static const struct {
        struct reading_place from, reached;
        int runs;
    } cases[] = {
        {{0, 0}, {FOUR, 1}, 3},
        {{TWO, 0}, {FOUR, 1}, 3},
        {{TWO, 1}, {FOUR, 1}, 2},
        {{THREE, 0}, {FOUR, 1}, 2},
        {{THREE, 1}, {FOUR, 1}, 1},
        {{FOUR, 1}, {FOUR, 1}, 0},
        {{FOUR + 1, 0}, {FOUR + 1, 0}, 0},
    };
    struct conf conf = conf_of();
    struct journal journal = {0};
    struct reading_summary summary;
    char text[256];
    make_ledger(3);
    int ledger = made_file(&made, made.size);
    snprintf(text, sizeof text, "step time=1.000000000 job=7 uid=%u gid=%u\n", (unsigned)getuid(),
             (unsigned)getgid());
    assert_int_equal(journal_parse(text, strlen(text), &journal), 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int runs = 0;
        struct reading_place reached = cases[i].from;
        enum flush_outcome outcome;
        const struct reading_request request = {.kind = READING_JOB,
                                                .conf = &conf,
                                                .identity = &journal.identity,
                                                .take = count,
                                                .context = &runs,
                                                .journal = &journal,
                                                .ledger = ledger,
                                                .packages = -1,
                                                .now_ns = 1,
                                                .resume_at = cases[i].from,
                                                .taken_up_to = &reached};
        assert_int_equal(reading_run(&request, &summary, &outcome), 0);
        assert_int_equal(outcome, FLUSH_DONE);
        assert_int_equal(runs, cases[i].runs);
        assert_int_equal(summary.records, cases[i].runs);
        assert_int_equal(reached.unit, cases[i].reached.unit);
        assert_int_equal(reached.records, cases[i].reached.records);
    }
    journal_free(&journal);
    close(ledger);
}

/* One that its user has got under control may end itself, and the next one tell it all again. */
TEST(a_worker_cannot_tell_again_what_another_told)
{
    struct conf conf = conf_of();
    struct journal journal = {0};
    struct reading_summary summary;
    struct core_time_sums told = {.runs = 0};
    enum flush_outcome outcome;
    char text[256];
    int runs = 0;
    make_ledger(1);
    int ledger = made_file(&made, made.size);
    snprintf(text, sizeof text,
             "step time=1700000000.000000000 job=7 step=0 cpus=2 uid=%u gid=%u\n"
             "epilog time=1700000050.000000000 user=alice\n",
             (unsigned)getuid(), (unsigned)getgid());
    assert_int_equal(journal_parse(text, strlen(text), &journal), 0);
    const struct reading_request request = {.kind = READING_JOB,
                                            .conf = &conf,
                                            .identity = &journal.identity,
                                            .take = count,
                                            .context = &runs,
                                            .journal = &journal,
                                            .ledger = ledger,
                                            .packages = -1,
                                            .now_ns = 1,
                                            .told = &told};
    assert_int_equal(reading_run(&request, &summary, &outcome), 0);
    assert_int_equal(outcome, FLUSH_DONE);
    assert_true(told.rows > 99.9 && told.rows < 100.1); /* two CPUs for 50 s */
    assert_int_equal(reading_run(&request, &summary, &outcome), 0);
    assert_int_equal(outcome, FLUSH_BROKEN);
    assert_true(told.rows < 100.1);
    told.rows = 0;
    assert_int_equal(reading_run(&request, &summary, &outcome), 0);
    assert_int_equal(outcome, FLUSH_DONE);
    journal_free(&journal);
    close(ledger);
}

static int take_others(void *context, const struct record_view *record)
{
    const char *at = strstr(record->text, "\"others_runs\":");
    if (at != NULL)
        assert_int_equal(sscanf(at, "\"others_runs\":%lf,\"others_seconds\":%lf", (double *)context,
                                (double *)context + 1),
                         2);
    return 0;
}

/* What processes count in their ledger may be any number: no more is taken of it than fits. */
TEST(runs_that_left_no_stub_are_no_more_than_the_job_had_time_for)
{
    static const struct {
        uint64_t runs, ns;
        double taken_runs, taken_s;
    } cases[] = {
        {3, UINT64_C(2500000000), 3, 2.5},
        {UINT64_C(9007199254740990), UINT64_MAX, 1000000, 100},
        {(UINT64_C(1) << 63) + 1, 0, 1000000, 0},
    };
    struct conf conf = conf_of();
    struct journal journal = {0};
    struct reading_summary summary;
    enum flush_outcome outcome;
    char text[256];
    snprintf(text, sizeof text,
             "step time=1700000000.000000000 job=7 step=0 cpus=2 uid=%u gid=%u\n"
             "epilog time=1700000050.000000000 user=alice\n",
             (unsigned)getuid(), (unsigned)getgid());
    assert_int_equal(journal_parse(text, strlen(text), &journal), 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double others[2] = {-1, -1};
        make_ledger(1);
        made_header(&made)->others_runs = cases[i].runs;
        made_header(&made)->others_ns = cases[i].ns;
        int ledger = made_file(&made, made.size);
        const struct reading_request request = {.kind = READING_JOB,
                                                .conf = &conf,
                                                .identity = &journal.identity,
                                                .take = take_others,
                                                .context = others,
                                                .journal = &journal,
                                                .ledger = ledger,
                                                .packages = -1,
                                                .now_ns = 1};
        assert_int_equal(reading_run(&request, &summary, &outcome), 0);
        assert_int_equal(outcome, FLUSH_DONE);
        assert_true(others[0] == cases[i].taken_runs && others[1] == cases[i].taken_s);
        close(ledger);
    }
    journal_free(&journal);
}

static struct job_progress progress_of(int directory)
{
    struct job_progress progress;
    assert_int_equal(job_progress_open(directory, JOB_PROGRESS_NAME, &progress), 0);
    return progress;
}

TEST(a_place_is_noted_and_read_again)
{
    make_job("7.0", EPILOG);
    int directory = open(below(spool_dir, "7.0"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct job_progress progress = progress_of(directory);
    assert_true(progress.place.unit == 0 && progress.place.records == 0);
    progress.place = (struct reading_place){UINT64_C(1) << 33, 12};
    progress.used_ns = 5000000;
    progress.passed_over[progress.passed_over_count++] = 9;
    progress.told = (struct core_time_sums){1.5, 2.25, 1e14, 4, UINT32_MAX};
    assert_int_equal(job_progress_note(&progress), 0);
    job_progress_close(&progress);
    progress = progress_of(directory);
    assert_true(progress.place.unit == UINT64_C(1) << 33 && progress.place.records == 12);
    assert_int_equal(progress.used_ns, 5000000);
    assert_true(progress.passed_over_count == 1 && progress.passed_over[0] == 9);
    assert_true(progress.told.runs == 1.5 && progress.told.run_days == 2.25 &&
                progress.told.rows == 1e14 && progress.told.row_runs == 4 &&
                progress.told.row_tasks == UINT32_MAX);
    job_progress_close(&progress);
    int spool = open_spool();
    assert_true(job_progress_time(spool, "7.0") > INT64_C(1700000000000000000));
    assert_true(job_progress_time(spool, "8.0") == 0);
    close(spool);
    put("7.0", "flushed", "none", 4);
    progress = progress_of(directory);
    assert_true(progress.place.unit == 0 && progress.place.records == 0);
    job_progress_close(&progress);
    close(directory);
    assert_count(flush(), COUNT(.jobs = 1));
    assert_false(exists(below(spool_dir, "7.0")));
}

/* The whole allocation has been told by what the first flush took. */
TEST(what_earlier_flushes_took_counts)
{
    static const char *const notes[] = {"0 0 0 0 0 0 0 0.0 0.0 0.0 0 0\n",
                                        "0 0 0 0 0 0 0 0.0 0.0 200.0 0 0\n"};
    static const char *const jobs[] = {"7.0", "8.0"};
    struct conf conf = conf_of();
    for (size_t i = 0; i < 2; i++) {
        make_job(jobs[i], "step time=1700000000.000000000 step=1 cpus=2\n" EPILOG);
        make_ledger(0);
        put_ledger(jobs[i]);
        put(jobs[i], "flushed", notes[i], strlen(notes[i]));
        flush_with(&conf, 0, 0);
        assert_int_equal(count_files(records_dir, "coverage."), 1);
    }
}

/* `count` runs of a task, one after the other, of which each has a CPU for a second. */
static void make_busy_ledger(int count)
{
    fields.size = 0;
    made_text(&fields, LEDGER_EXEC, "/bin/x");
    made_text(&fields, LEDGER_TASK, "1.0.9");
    made_start(&made);
    for (int i = 0; i < count; i++) {
        struct ledger_slot slot =
            made_slot(10 + i, UINT64_C(1700000001000000000) + (uint64_t)i * 1000000000);
        slot.state = LEDGER_ENDED;
        slot.end_ns = slot.start_ns + 1000000000;
        made_add(&made, &slot, 0, &fields);
    }
}

TEST(a_flush_that_goes_on_has_what_the_one_before_noted)
{
    enum { RUNS = 90 };
    struct conf conf = conf_of();
    conf.outbox_bytes = 64 << 10;
    conf.file_dir = (char *)"/proc/none"; /* the outbox keeps what it has */
    make_job("7.0", "step time=1700000000.000000000 step=1 cpus=2\n"
                    "task time=1700000000.000000000 step=1 task=0 pid=9 ticks=9\n" EPILOG);
    make_busy_ledger(RUNS);
    put_ledger("7.0");
    flush_with(&conf, 0, 0);
    int directory = open(below(spool_dir, "7.0"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct job_progress progress = progress_of(directory);
    const uint64_t before = LEDGER_FIRST / LEDGER_PAGE; /* units are pages, from 1 on */
    assert_true(progress.place.unit > before && progress.place.unit < before + RUNS);
    double runs = (double)(progress.place.unit - before);
    assert_true(progress.told.runs > 0.9 * runs && progress.told.runs < 1.1 * runs);
    assert_true(progress.told.run_days == progress.told.runs);
    job_progress_close(&progress);
    close(directory);
    conf.outbox_bytes = 64 << 20;
    assert_int_equal(flush_with(&conf, 0, 0).records + (uint64_t)runs, RUNS);
    assert_false(exists(below(spool_dir, "7.0")));
    assert_false(exists(below(state_dir, "quarantine/7.0")));
}

/* A child, or a flush with it, that is at a unit and ends. */
TEST(what_has_ended_two_readers_is_passed_over_by_the_third)
{
    make_job("7.0", EPILOG);
    int directory = open(below(spool_dir, "7.0"), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    for (uint64_t unit = 2; unit < 2 + JOB_PROGRESS_PASSED_OVER; unit++) {
        for (int i = 0; i < JOB_PROGRESS_TRIES; i++) {
            struct job_progress progress = progress_of(directory);
            assert_int_equal(progress.passed_over_count, unit - 2);
            assert_false(progress.is_hopeless);
            *progress.begun = unit;
            if (i == 1) /* the flush noted it: or it found it so */
                job_progress_failed(&progress);
            assert_int_equal(job_progress_note(&progress), 0);
            job_progress_close(&progress);
        }
        struct job_progress progress = progress_of(directory);
        assert_int_equal(progress.passed_over_count, unit - 1);
        assert_int_equal(progress.passed_over[unit - 2], unit);
        job_progress_ended(&progress);
        job_progress_close(&progress);
    }
    struct job_progress progress = progress_of(directory);
    for (int i = 0; i < 2; i++) {
        *progress.begun = 99;
        job_progress_failed(&progress);
    }
    assert_true(progress.is_hopeless);
    job_progress_close(&progress);
    close(directory);
}

TEST(records_that_nobody_wants_go_nowhere)
{
    struct conf conf = conf_of();
    make_whole_job("7.0", 1);
    conf.transport = (char *)"none";
    assert_count(flush_with(&conf, 0, 0), COUNT(.jobs = 1, .records = 1));
    assert_false(exists(records_dir));
}

/* Between the journal and its first line. */
TEST(a_job_that_is_being_noted_is_left_alone)
{
    static const struct timespec long_ago[2] = {{1700000000, 0}, {1700000000, 0}};
    make_job("7.0", "");
    write_bytes(below(spool_dir, "7.0/journal"), "", 0);
    assert_count(flush(), COUNT(0));
    write_bytes(below(spool_dir, "7.0/journal"), "st", 2);
    const struct flush_options orphans = {.node = "n1", .orphans = 1};
    struct conf conf = conf_of();
    struct flush_count count;
    assert_int_equal(flush_run(&conf, &orphans, &count), 0);
    assert_count(count, COUNT(0));
    write_bytes(below(spool_dir, "7.0/journal"), "", 0);
    assert_int_equal(utimensat(AT_FDCWD, below(spool_dir, "7.0"), long_ago, 0), 0);
    assert_count(flush(), COUNT(.jobs = 1));
    assert_false(exists(below(spool_dir, "7.0")));
    assert_false(exists(below(state_dir, "quarantine")));
}

/* A worker that is killed has its records taken back, and is started again. */
TEST(records_that_are_taken_back_take_no_room)
{
    static char text[400 << 10];
    const struct record_view record = record_view("run.tiny.1.alice.zzz.x.json", text, sizeof text);
    struct conf conf = conf_of();
    struct outbox *outbox;
    conf.outbox_bytes = 1 << 20;
    memset(text, ' ', sizeof text);
    assert_int_equal(outbox_open(&conf, &outbox), 0);
    for (int i = 0; i < 5; i++) {
        for (int k = 0; k < 3; k++) /* there is room for two */
            assert_int_equal(outbox_add(outbox, &record), k < 2 ? 0 : -ENOBUFS);
        assert_true(outbox_room(outbox) < sizeof text);
        outbox_abort(outbox);
        assert_int_equal(outbox_room(outbox), conf.outbox_bytes);
    }
    assert_int_equal(outbox_add(outbox, &record), 0);
    assert_int_equal(outbox_commit(outbox), 0);
    uint64_t room = outbox_room(outbox);
    assert_true(room < conf.outbox_bytes - sizeof text);
    outbox_abort(outbox);
    assert_int_equal(outbox_room(outbox), room);
    outbox_close(outbox);
}

EACH(node_set_up, node_tear_down)
