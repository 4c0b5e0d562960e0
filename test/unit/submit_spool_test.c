/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The spool as the flush sees it, and the flush on made-up jobs.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "flush.h"
#include "process.h"
#include "quarantine.h"
#include "spool_path.h"
#include "spool_read.h"
#include "submit_fixture.h"
#include "worker.h"

/* Everything of a test lies below this directory, which each test gets empty. */
static char root[32];
static char spool_dir[64], records_dir[64], state_dir[64];

static struct made_ledger made;
static struct made_fields fields;

static int set_up(void **state)
{
    (void)state;
    strcpy(root, "/tmp/submit_spool_test.XXXXXX");
    if (mkdtemp(root) == NULL)
        return -1;
    snprintf(spool_dir, sizeof spool_dir, "%s/spool", root);
    snprintf(records_dir, sizeof records_dir, "%s/records", root);
    snprintf(state_dir, sizeof state_dir, "%s/state", root);
    return mkdir(spool_dir, 0711);
}

static int tear_down(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}

static int open_spool(void)
{
    int fd = open(spool_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(fd >= 0);
    return fd;
}

/* "DIRECTORY/NAME", valid until the next call but three. */
static const char *below(const char *directory, const char *name)
{
    static char paths[4][PATH_MAX];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, PATH_MAX, "%s/%s", directory, name);
    return path;
}

static void write_bytes(const char *path, const void *bytes, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, size), size);
    close(fd);
}

static int exists(const char *path)
{
    return access(path, F_OK) == 0;
}

/* How many names the directory holds whose names contain `part`; -1: no directory. */
static int count_files(const char *directory, const char *part)
{
    DIR *listing = opendir(directory);
    struct dirent *entry;
    int count = 0;
    if (listing == NULL)
        return -1;
    while ((entry = readdir(listing)) != NULL)
        count += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
                 strstr(entry->d_name, part) != NULL;
    closedir(listing);
    return count;
}

static void the_list_has_directories_named_like_jobs_in_their_order(void **state)
{
    static const char *const names[] = {
        "10.0",
        "9.1",
        "9.0",
        "9.10",
        "4294967295.4294967295",
        /* none of these */
        "0.1",
        "10",
        "10.",
        ".0",
        "10.0.0",
        "10.x",
        "x.0",
        "10.-1",
        "10.+1",
        " 10.0",
        "+10.0",
        "4294967296.0",
        "10.4294967296",
        "journal",
        "99999999999999999999999999999999.0",
    };
    static const char *const expected[] = {"9.0", "9.1", "9.10", "10.0", "4294967295.4294967295"};
    struct spool_jobs jobs;
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_int_equal(mkdir(below(spool_dir, names[i]), 0700), 0);
    int spool = open_spool();
    assert_int_equal(spool_list(spool, 0, &jobs), 0);
    assert_int_equal(jobs.count, 5);
    for (size_t i = 0; i < 5; i++)
        assert_string_equal(jobs.job[i].name, expected[i]);
    assert_int_equal(jobs.job[2].job, 9);
    assert_int_equal(jobs.job[2].restart, 10);
    free(jobs.job);
    assert_int_equal(spool_list(spool, 9, &jobs), 0);
    assert_int_equal(jobs.count, 3);
    free(jobs.job);
    assert_int_equal(spool_list(spool, 11, &jobs), 0);
    assert_int_equal(jobs.count, 0);
    free(jobs.job);
    close(spool);
    assert_int_equal(spool_list(-1, 0, &jobs), -EBADF);
}

static void the_spool_directory_may_hold_the_nodes_name(void **state)
{
    char path[32];
    volatile size_t too_small = 5; /* not known to the compiler, which would warn */
    (void)state;
    assert_int_equal(spool_expand("/a/b", "n1", path, sizeof path), 0);
    assert_string_equal(path, "/a/b");
    assert_int_equal(spool_expand("/a/%n/b", "n1", path, sizeof path), 0);
    assert_string_equal(path, "/a/n1/b");
    assert_int_equal(spool_expand("/a/%n", "n1", path, sizeof path), 0);
    assert_string_equal(path, "/a/n1");
    assert_int_equal(spool_expand("/a/%n", "n1", path, too_small), -ENAMETOOLONG);
    assert_int_equal(spool_expand("/a/%n", "n1", path, too_small + 1), 0);
}

static void only_a_regular_file_with_one_link_is_opened(void **state)
{
    static const char *const refused[] = {"link",      "dangling", "fifo",
                                          "directory", "hard",     "socket"};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int spool = open_spool();
    (void)state;
    write_bytes(below(spool_dir, "plain"), "x", 1);
    int fd = spool_open_file(spool, "plain");
    assert_true(fd >= 0);
    close(fd);
    write_bytes(below(spool_dir, "target"), "x", 1);
    assert_int_equal(symlinkat("plain", spool, "link"), 0);
    assert_int_equal(symlinkat("nowhere", spool, "dangling"), 0);
    assert_int_equal(mkfifoat(spool, "fifo", 0600), 0);
    assert_int_equal(mkdirat(spool, "directory", 0700), 0);
    assert_int_equal(linkat(spool, "target", spool, "hard", 0), 0);
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", spool_dir);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    close(listener);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        if (spool_open_file(spool, refused[i]) != -EINVAL)
            fail_msg("%s is opened", refused[i]);
    }
    assert_int_equal(spool_open_file(spool, "missing"), -ENOENT);
    close(spool);
}

static void a_file_is_read_whole_up_to_its_limit(void **state)
{
    static char bytes[100000];
    char *text;
    size_t size;
    int spool = open_spool();
    (void)state;
    memset(bytes, 'x', sizeof bytes);
    static const size_t sizes[] = {0, 1, 16382, 16383, 16384, 32767, 32768, sizeof bytes};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        write_bytes(below(spool_dir, "file"), bytes, sizes[i]);
        assert_int_equal(spool_read_file(spool, "file", sizeof bytes, &text, &size), 0);
        assert_int_equal(size, sizes[i]);
        assert_memory_equal(text, bytes, size);
        assert_int_equal(text[size], '\0');
        free(text);
    }
    assert_int_equal(spool_read_file(spool, "file", sizeof bytes - 1, &text, &size), -EFBIG);
    assert_int_equal(spool_read_file(spool, "missing", 10, &text, &size), -ENOENT);
    close(spool);
}

static void the_second_holder_of_a_lock_waits_in_vain(void **state)
{
    (void)state;
    int first = open_spool(), second = open_spool();
    assert_int_equal(spool_lock(first, 0), 0);
    assert_int_equal(spool_lock(second, 0), -EAGAIN);
    assert_int_equal(spool_lock(second, 1), -EAGAIN);
    close(first);
    assert_int_equal(spool_lock(second, 0), 0);
    close(second);
}

static void the_lock_of_a_removed_directory_is_worth_nothing(void **state)
{
    (void)state;
    int fd = open_spool();
    assert_int_equal(rmdir(spool_dir), 0);
    assert_int_equal(spool_lock(fd, 0), -ENOENT);
    close(fd);
}

static void a_job_that_is_a_symbolic_link_is_not_opened(void **state)
{
    const struct spool_job job = {.job = 1, .name = "1.0"};
    int spool = open_spool();
    (void)state;
    assert_int_equal(mkdir(below(root, "elsewhere"), 0700), 0);
    assert_int_equal(symlink("../elsewhere", below(spool_dir, "1.0")), 0);
    int result = spool_open_job(spool, &job);
    assert_true(result == -ENOTDIR || result == -ELOOP);
    close(spool);
}

/* Clock ticks since boot at which this process started. */
static uint64_t own_ticks(void)
{
    char text[1024];
    unsigned long long ticks;
    FILE *file = fopen("/proc/self/stat", "re");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_int_equal(sscanf(strrchr(text, ')') + 1,
                            " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d"
                            " %*d %*d %llu",
                            &ticks),
                     1);
    return ticks;
}

static void a_process_is_alive_by_its_pid_and_start(void **state)
{
    uint64_t ticks = own_ticks();
    (void)state;
    assert_true(process_alive(getpid(), ticks));
    assert_false(process_alive(getpid(), ticks + 1));
    assert_false(process_alive(0, 0));
    assert_false(process_alive(-1, ticks));
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    for (uint64_t later = 0; later < 1000; later++) /* a zombie, whenever it started */
        assert_false(process_alive(child, ticks + later));
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void a_process_is_alive_whatever_it_calls_itself(void **state)
{
    static const char *const names[] = {"a\nb", ") Z 1 1", "a) b (c", "\n\n\n\n\n\n\n\n\n\n\n\n"};
    char before[16];
    uint64_t ticks = own_ticks();
    (void)state;
    assert_int_equal(prctl(PR_GET_NAME, before), 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(prctl(PR_SET_NAME, names[i]), 0);
        int alive = process_alive(getpid(), ticks);
        prctl(PR_SET_NAME, before);
        if (!alive)
            fail_msg("not as %s", names[i]);
    }
}

static struct conf conf_of(void)
{
    return (struct conf){
        .path = (char *)"/nonexistent/jobtrail.conf",
        .library = (char *)"/nonexistent/libjobtrail.so",
        .submit = (char *)"/nonexistent/jobtrail-submit",
        .hooks = (char *)"",
        .cluster = (char *)"c",
        .syshost = (char *)"tiny",
        .spool = spool_dir,
        .ledger_bytes = MADE_LEDGER_MAX,
        .state = state_dir,
        .transport = (char *)"file",
        .file_dir = records_dir,
        .file_fsync = (char *)"batch",
        .outbox_bytes = 64 << 20,
        .epilog_timeout_s = 1,
    };
}

static struct flush_count flush_with(const struct conf *conf, uint32_t job, int dry_run)
{
    const struct flush_options options = {.node = "n1", .job = job, .dry_run = dry_run};
    struct flush_count count;
    memset(&count, 0x5a, sizeof count);
    assert_int_equal(flush_run(conf, &options, &count), 0);
    return count;
}

static struct flush_count flush(void)
{
    struct conf conf = conf_of();
    return flush_with(&conf, 0, 0);
}

#define COUNT(...) ((struct flush_count){__VA_ARGS__})

static void assert_count(struct flush_count found, struct flush_count expected)
{
    if (memcmp(&found, &expected, sizeof found) != 0)
        fail_msg("jobs %lu, records %lu, dropped %lu, damaged %lu, quarantined %lu, running %lu, "
                 "failed %lu, overflowed %lu, refused %lu, waiting %lu",
                 (unsigned long)found.jobs, (unsigned long)found.records,
                 (unsigned long)found.dropped, (unsigned long)found.damaged,
                 (unsigned long)found.quarantined, (unsigned long)found.running,
                 (unsigned long)found.failed, (unsigned long)found.overflowed,
                 (unsigned long)found.refused, (unsigned long)found.waiting);
}

/* Makes the file `name` of the job `job`. */
static void put(const char *job, const char *name, const void *bytes, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", job, name);
    write_bytes(below(spool_dir, path), bytes, size);
}

/* A job's directory with a journal: this user's step, then `more`. */
static void make_job(const char *name, const char *more)
{
    char text[2048];
    assert_int_equal(mkdir(below(spool_dir, name), 0711), 0);
    snprintf(text, sizeof text,
             "step time=1700000000.000000000 job=%u restart=0 step=0 node=n1 uid=%u gid=%u "
             "nodes=1 tasks=1\n%s",
             (unsigned)atoi(name), (unsigned)getuid(), (unsigned)getgid(), more);
    put(name, "journal", text, strlen(text));
}

#define EPILOG "epilog time=1700000100.000000000 user=alice account=proj partition=main\n"

/* A ledger of `count` runs of /bin/x in memory. */
static void make_ledger(int count)
{
    made_start(&made);
    for (int i = 0; i < count; i++) {
        struct ledger_slot slot =
            made_slot(50 + i, UINT64_C(1700000010000000000) + (uint64_t)i * 1000000);
        fields.size = 0;
        made_text(&fields, LEDGER_EXEC, "/nonexistent/x");
        made_text(&fields, LEDGER_TASK, "0.0");
        made_add(&made, &slot, 0, &fields);
    }
}

static void put_ledger(const char *name)
{
    put(name, "ledger", made.bytes, made.size);
}

/* A job that is over, with `count` captures. */
static void make_whole_job(const char *name, int count)
{
    make_job(name, EPILOG);
    make_ledger(count);
    put_ledger(name);
}

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

static void a_job_becomes_records_once(void **state)
{
    (void)state;
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

static void a_record_ends_with_a_newline_and_is_for_the_group_at_most(void **state)
{
    struct stat status;
    char last[2];
    (void)state;
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

static void only_the_job_asked_for_is_flushed_with_all_its_restarts(void **state)
{
    struct conf conf = conf_of();
    (void)state;
    make_whole_job("7.0", 1);
    make_whole_job("7.1", 1);
    make_whole_job("8.0", 1);
    assert_count(flush_with(&conf, 7, 0), COUNT(.jobs = 2, .records = 2));
    assert_false(exists(below(spool_dir, "7.0")));
    assert_false(exists(below(spool_dir, "7.1")));
    assert_true(exists(below(spool_dir, "8.0")));
}

static void a_spool_that_never_was_holds_nothing(void **state)
{
    (void)state;
    assert_int_equal(rmdir(spool_dir), 0);
    assert_count(flush(), COUNT(0));
    assert_false(exists(records_dir));
}

static void a_job_without_captures_leaves_nothing(void **state)
{
    (void)state;
    make_job("7.0", EPILOG);
    make_whole_job("8.0", 0);
    assert_count(flush(), COUNT(.jobs = 2));
    assert_int_equal(count_files(spool_dir, ""), 0);
    assert_false(exists(records_dir));
}

static void sound_captures_of_a_damaged_ledger_are_sent_and_the_rest_is_kept(void **state)
{
    (void)state;
    make_whole_job("7.0", 3);
    made_at(&made, 2 * LEDGER_PAGE)->fields_bytes = UINT32_MAX;
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

static void what_is_no_ledger_is_kept_aside(void **state)
{
    (void)state;
    make_whole_job("7.0", 1);
    made.bytes[0] = 'x';
    put_ledger("7.0");
    make_job("8.0", EPILOG);
    write_bytes(below(spool_dir, "8.0/ledger"), "", 0);
    assert_count(flush(), COUNT(.jobs = 2, .quarantined = 2));
    assert_int_equal(count_files(spool_dir, ""), 0);
    assert_string_equal(quarantine_reason("7.0"), "the ledger is not one\n");
    assert_string_equal(quarantine_reason("8.0"), "the ledger is not one\n");
}

static void an_endless_ledger_is_kept_aside_up_to_its_size(void **state)
{
    struct stat status;
    (void)state;
    make_job("7.0", EPILOG);
    assert_int_equal(mknod(below(spool_dir, "7.0/ledger"), S_IFREG | 0600, 0), 0);
    assert_int_equal(truncate(below(spool_dir, "7.0/ledger"), (off_t)1 << 43), 0);
    assert_count(flush(), COUNT(.jobs = 1, .quarantined = 1));
    assert_int_equal(stat(below(state_dir, "quarantine/7.0/ledger"), &status), 0);
    assert_int_equal(status.st_size, MADE_LEDGER_MAX);
    assert_true(status.st_blocks < 16);
}

static void a_ledger_that_its_owner_linked_elsewhere_is_not_read(void **state)
{
    (void)state;
    make_whole_job("7.0", 1);
    assert_int_equal(link(below(spool_dir, "7.0/ledger"), below(root, "mine")), 0);
    assert_count(flush(), COUNT(.jobs = 1, .quarantined = 1));
    assert_false(exists(below(spool_dir, "7.0")));
    assert_string_equal(quarantine_reason("7.0"), "the ledger is not one\n");
    assert_false(exists(below(state_dir, "quarantine/7.0/ledger")));
    assert_true(exists(below(state_dir, "quarantine/7.0/journal")));
}

static void a_job_of_nobody_is_kept_aside(void **state)
{
    (void)state;
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

static void a_quarantine_that_cannot_be_made_keeps_the_spool(void **state)
{
    (void)state;
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

static void a_job_id_that_was_given_out_again_keeps_both_jobs_aside(void **state)
{
    (void)state;
    make_damaged_job("7.0", "1700000000.000000001");
    assert_count(flush(), COUNT(.jobs = 1, .quarantined = 1));
    make_damaged_job("7.0", "1700000000.000000002");
    assert_count(flush(), COUNT(.jobs = 1, .quarantined = 1));
    assert_string_equal(quarantine_reason("7.0"), "the ledger is not one\n");
    assert_string_equal(quarantine_reason("7.0-2"), "the ledger is not one\n");
    /* the same job again, as after a flush that was killed before it removed the spool directory */
    make_damaged_job("7.0", "1700000000.000000002");
    assert_count(flush(), COUNT(.jobs = 1, .quarantined = 1));
    assert_int_equal(count_files(below(state_dir, "quarantine"), ""), 2);
}

static void what_was_set_aside_can_be_put_back_and_flushed(void **state)
{
    char command[256];
    (void)state;
    make_whole_job("7.0", 2);
    made_at(&made, LEDGER_PAGE)->fields_bytes = UINT32_MAX;
    put_ledger("7.0");
    assert_count(flush(), COUNT(.jobs = 1, .records = 1, .damaged = 1, .quarantined = 1));
    make_ledger(2); /* mended */
    write_bytes(below(state_dir, "quarantine/7.0/ledger"), made.bytes, made.size);
    snprintf(command, sizeof command, "mv %s/quarantine/7.0 %s", state_dir, spool_dir);
    assert_int_equal(system(command), 0);
    assert_count(flush(), COUNT(.jobs = 1, .records = 2));
    assert_int_equal(count_files(records_dir, ""), 2);
}

static void a_full_quarantine_keeps_the_reason_without_the_ledger(void **state)
{
    (void)state;
    make_damaged_job("7.0", "1700000000.000000001");
    assert_count(flush(), COUNT(.jobs = 1, .quarantined = 1));
    int fd = open(below(state_dir, "quarantine/7.0/ledger"), O_WRONLY | O_CLOEXEC);
    assert_int_equal(fallocate(fd, 0, 0, (off_t)QUARANTINE_MAX_BYTES), 0);
    make_damaged_job("8.0", "1700000000.000000001");
    assert_count(flush(), COUNT(.jobs = 1, .quarantined = 1));
    assert_string_equal(
        quarantine_reason("8.0"),
        "the ledger is not one; without ledger and packages, as the quarantine is full\n");
    assert_true(exists(below(state_dir, "quarantine/8.0/journal")));
    assert_false(exists(below(state_dir, "quarantine/8.0/ledger")));
    close(fd);
}

static void a_job_whose_task_runs_is_left_alone(void **state)
{
    char line[256], name[16];
    (void)state;
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

static void a_job_whose_task_is_gone_is_flushed_without_an_epilog(void **state)
{
    char line[256];
    (void)state;
    snprintf(line, sizeof line, "task time=1700000001.000000000 step=0 task=0 pid=%d ticks=%lu\n",
             (int)getpid(), (unsigned long)own_ticks() + 1); /* another one with our pid */
    make_job("7.0", line);
    make_ledger(1);
    put_ledger("7.0");
    assert_count(flush(), COUNT(.jobs = 1, .records = 1));
    assert_int_equal(count_files(records_dir, ".zzz."), 1);
}

static void a_step_that_is_being_set_up_is_left_alone(void **state)
{
    char line[256];
    (void)state;
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

static void a_dry_run_prints_and_changes_nothing(void **state)
{
    struct conf conf = conf_of();
    char text[16];
    (void)state;
    make_whole_job("7.0", 2);
    make_whole_job("8.0", 2);
    made_at(&made, LEDGER_PAGE)->fields_bytes = UINT32_MAX;
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

static void what_cannot_be_delivered_stays_for_the_next_try(void **state)
{
    const struct flush_options options = {.node = "n1"};
    struct conf conf = conf_of();
    struct flush_count count;
    (void)state;
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

static void one_job_in_trouble_does_not_keep_the_others(void **state)
{
    (void)state;
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

static void two_flushes_at_once_send_each_record_once(void **state)
{
    char name[16];
    (void)state;
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

static void a_flush_leaves_no_descriptor_open(void **state)
{
    (void)state;
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

static void a_user_learns_nothing_of_files_that_only_root_can_read(void **state)
{
    /* Whoever runs this test can read the file, but not with the rights of the job's user. */
    static const struct {
        mode_t mode;
        const char *hash;
    } cases[] = {{0, "0"}, {0444, "a9993e364706816aba3e25717850c26c9cd0d89d"}};
    unsigned id = geteuid() == 0 ? 65534 : (unsigned)getuid();
    unsigned group = geteuid() == 0 ? 65534 : (unsigned)getgid();
    (void)state;
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
        assert_count(flush(), COUNT(.jobs = 1, .records = 1));
        read_hash(hash);
        assert_string_equal(hash, cases[i].hash);
        assert_int_equal(unlink(below(root, "program")), 0);
    }
}

static int refuse_second(void *context, const struct transport_record *record)
{
    int *taken = context;
    assert_int_equal(strlen(record->text), record->length);
    return ++*taken == 2 ? -EDQUOT : 0;
}

static void a_worker_that_breaks_down_or_is_refused_ends_the_work(void **state)
{
    struct conf conf = conf_of();
    struct journal journal = {0};
    struct worker_summary summary = {.records = 77};
    char text[256];
    int taken = 0;
    (void)state;
    make_ledger(3);
    int ledger = made_file(&made, made.size);
    snprintf(text, sizeof text, "step time=1.000000000 job=7 uid=%u gid=%u\n", (unsigned)getuid(),
             (unsigned)getgid());
    assert_int_equal(journal_parse(text, strlen(text), &journal), 0);
    const struct worker_order order = {.conf = &conf,
                                       .journal = &journal,
                                       .ledger = ledger,
                                       .packages = -1,
                                       .kind = WORKER_ENDS,
                                       .now_ns = 1};
    assert_int_equal(worker_run(&order, refuse_second, &taken, &summary), -EDQUOT);
    assert_int_equal(taken, 2);
    taken = 10;
    assert_int_equal(worker_run(&order, refuse_second, &taken, &summary), 0);
    assert_int_equal(taken, 13);
    assert_int_equal(summary.records, 3);
    journal.uid = (uid_t)-1; /* nobody can become this one */
    summary.records = 77;
    assert_int_equal(worker_run(&order, refuse_second, &taken, &summary), -EPROTO);
    assert_int_equal(taken, 13);
    assert_int_equal(summary.records, 77);
    journal_free(&journal);
    close(ledger);
}

static void records_that_nobody_wants_go_nowhere(void **state)
{
    struct conf conf = conf_of();
    (void)state;
    make_whole_job("7.0", 1);
    conf.transport = (char *)"none";
    assert_count(flush_with(&conf, 0, 0), COUNT(.jobs = 1, .records = 1));
    assert_false(exists(records_dir));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_list_has_directories_named_like_jobs_in_their_order),
        TEST(the_spool_directory_may_hold_the_nodes_name),
        TEST(only_a_regular_file_with_one_link_is_opened),
        TEST(a_file_is_read_whole_up_to_its_limit),
        TEST(the_second_holder_of_a_lock_waits_in_vain),
        TEST(the_lock_of_a_removed_directory_is_worth_nothing),
        TEST(a_job_that_is_a_symbolic_link_is_not_opened),
        TEST(a_process_is_alive_by_its_pid_and_start),
        TEST(a_process_is_alive_whatever_it_calls_itself),
        TEST(a_job_becomes_records_once),
        TEST(a_record_ends_with_a_newline_and_is_for_the_group_at_most),
        TEST(only_the_job_asked_for_is_flushed_with_all_its_restarts),
        TEST(a_spool_that_never_was_holds_nothing),
        TEST(a_job_without_captures_leaves_nothing),
        TEST(sound_captures_of_a_damaged_ledger_are_sent_and_the_rest_is_kept),
        TEST(what_is_no_ledger_is_kept_aside),
        TEST(an_endless_ledger_is_kept_aside_up_to_its_size),
        TEST(a_ledger_that_its_owner_linked_elsewhere_is_not_read),
        TEST(a_job_of_nobody_is_kept_aside),
        TEST(a_quarantine_that_cannot_be_made_keeps_the_spool),
        TEST(a_job_id_that_was_given_out_again_keeps_both_jobs_aside),
        TEST(what_was_set_aside_can_be_put_back_and_flushed),
        TEST(a_full_quarantine_keeps_the_reason_without_the_ledger),
        TEST(a_job_whose_task_runs_is_left_alone),
        TEST(a_job_whose_task_is_gone_is_flushed_without_an_epilog),
        TEST(a_step_that_is_being_set_up_is_left_alone),
        TEST(a_dry_run_prints_and_changes_nothing),
        TEST(what_cannot_be_delivered_stays_for_the_next_try),
        TEST(one_job_in_trouble_does_not_keep_the_others),
        TEST(two_flushes_at_once_send_each_record_once),
        TEST(a_flush_leaves_no_descriptor_open),
        TEST(a_user_learns_nothing_of_files_that_only_root_can_read),
        TEST(a_worker_that_breaks_down_or_is_refused_ends_the_work),
        TEST(records_that_nobody_wants_go_nowhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
