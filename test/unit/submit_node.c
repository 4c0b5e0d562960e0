/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit_node.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

char root[32], spool_dir[64], records_dir[64], state_dir[64];

struct made_ledger made;
struct made_fields fields;

int node_set_up(void **state)
{
    (void)state;
    strcpy(root, "/tmp/submit_node.XXXXXX");
    if (mkdtemp(root) == NULL)
        return -1;
    snprintf(spool_dir, sizeof spool_dir, "%s/spool", root);
    snprintf(records_dir, sizeof records_dir, "%s/records", root);
    snprintf(state_dir, sizeof state_dir, "%s/state", root);
    return mkdir(spool_dir, 0711);
}

int node_tear_down(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "umount -l '%s'/spool/*/user 2>/dev/null; rm -rf '%s'", root,
             root);
    return system(command);
}

int open_spool(void)
{
    int fd = open(spool_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(fd >= 0);
    return fd;
}

const char *below(const char *directory, const char *name)
{
    static char paths[4][PATH_MAX];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, PATH_MAX, "%s/%s", directory, name);
    return path;
}

void write_bytes(const char *path, const void *bytes, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, size), size);
    close(fd);
}

int exists(const char *path)
{
    return access(path, F_OK) == 0;
}

int count_files(const char *directory, const char *part)
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

uint64_t own_ticks(void)
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

struct conf conf_of(void)
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
        .key_file = (char *)"",
        .file_dir = records_dir,
        .file_fsync = (char *)"batch",
        .outbox_bytes = 64 << 20,
        .epilog_timeout_s = 1,
        .job_timeout_s = 60,
        .job_cpu_s = 60,
        .hash_file_bytes = 1 << 20,
        .hash_file_s = 10,
        .hash_job_bytes = 64 << 20,
        .hash_job_s = 10,
        .outbox_job_share = 100,
        .outbox_user_share = 100,
    };
}

struct flush_count flush_with(const struct conf *conf, uint32_t job, int dry_run)
{
    const struct flush_options options = {.node = "n1", .job = job, .dry_run = dry_run};
    struct flush_count count;
    memset(&count, 0x5a, sizeof count);
    assert_int_equal(flush_run(conf, &options, &count), 0);
    return count;
}

struct flush_count flush(void)
{
    struct conf conf = conf_of();
    return flush_with(&conf, 0, 0);
}

void assert_count(struct flush_count found, struct flush_count expected)
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

void put(const char *job, const char *name, const void *bytes, size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", job, name);
    write_bytes(below(spool_dir, path), bytes, size);
}

void make_job(const char *name, const char *more)
{
    char text[2048];
    assert_int_equal(mkdir(below(spool_dir, name), 0711), 0);
    snprintf(text, sizeof text,
             "step time=1700000000.000000000 job=%u restart=0 step=0 node=n1 uid=%u gid=%u "
             "nodes=1 tasks=1\n%s",
             (unsigned)atoi(name), (unsigned)getuid(), (unsigned)getgid(), more);
    put(name, "journal", text, strlen(text));
}

void make_ledger(int count)
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

void put_ledger(const char *name)
{
    put(name, "ledger", made.bytes, made.size);
}

void make_whole_job(const char *name, int count)
{
    make_job(name, EPILOG);
    make_ledger(count);
    put_ledger(name);
}
