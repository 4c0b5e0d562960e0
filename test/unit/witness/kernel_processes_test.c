/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Processes of jobs, from what a real kernel reported of a script (test/data/witness), and from
 * what no kernel tells in a test: losses, pids that come again, more than there is room for.
 */
#include "contrib/witness/kernel_processes.h"

#include "conf/base/io.h"
#include "test/unit/fixture/cases.h"

enum { ENDED_MAX = 64, SET_MAX = 16, JOB = 3, DAEMON = 100, S = 1000000000 };

/* What a static program lacks, and what may be unknown of objects. */
enum {
    OF_STATIC = KERNEL_LACK_LIBRARY | KERNEL_LACK_LOADER,
    OF_OBJECTS = OF_STATIC | KERNEL_LACK_OBJECTS,
};

static struct kernel_note ended[ENDED_MAX];
static size_t ended_count;
static struct kernel_note replaced[ENDED_MAX];
static size_t replaced_count;
static char program[ENDED_MAX][32]; /* from 1 on: the last part of the path of a file */
static uint32_t program_count, set[ENDED_MAX][SET_MAX], set_count;
static unsigned losses;

static uint32_t take_program(void *context, uint32_t job, const struct kernel_event *event)
{
    const char *slash = memrchr(event->name, '/', event->name_size);
    (void)context;
    assert_int_equal(job, JOB);
    assert_true(program_count < ENDED_MAX - 1);
    slash = slash == NULL ? event->name : slash + 1;
    snprintf(program[++program_count], sizeof program[0], "%.*s",
             (int)(event->name + event->name_size - slash), slash);
    return program_count;
}

static uint32_t take_objects(void *context, uint32_t job, const uint32_t *file, size_t count)
{
    (void)context;
    assert_int_equal(job, JOB);
    assert_true(set_count < ENDED_MAX - 1 && count <= SET_MAX);
    memcpy(set[++set_count], file, count * sizeof *file);
    return set_count;
}

static void take_end(void *context, uint32_t job, const struct kernel_note *note)
{
    (void)context;
    assert_int_equal(job, JOB);
    assert_true(ended_count < ENDED_MAX);
    ended[ended_count++] = *note;
}

static void take_replaced(void *context, uint32_t job, const struct kernel_note *note)
{
    (void)context;
    assert_int_equal(job, JOB);
    assert_true(replaced_count < ENDED_MAX);
    replaced[replaced_count++] = *note;
}

static void take_loss(void *context, uint32_t job)
{
    (void)context;
    assert_int_equal(job, JOB);
    losses++;
}

static struct kernel_processes *begin(bool has_maps, bool has_ends)
{
    const struct kernel_processes_calls calls = {.take_program = take_program,
                                                 .take_objects = take_objects,
                                                 .take_end = take_end,
                                                 .take_replaced = take_replaced,
                                                 .take_loss = take_loss,
                                                 .has_maps = has_maps,
                                                 .has_ends = has_ends};
    struct kernel_processes *processes = kernel_processes_new(&calls);
    assert_non_null(processes);
    ended_count = replaced_count = program_count = set_count = losses = 0;
    kernel_processes_daemon(processes, DAEMON, S, JOB);
    return processes;
}

/* ---- Recorded -------------------------------------------------------------------------------- */

static void give_ends(struct kernel_processes *processes)
{
    char *text;
    size_t size;
    assert_int_equal(whole_file_open_read(RECORDED "/ends", 1 << 20, &text, &size), 0);
    const unsigned char *left = (const unsigned char *)text;
    while (size > 0) {
        struct task_end end;
        assert_int_equal(task_end_read(&left, &size, &end), 1);
        kernel_processes_end(processes, &end);
    }
    free(text);
}

/* Forks and exits of all processes, and the rest if it is `whole`. The parent of the first is the
 * daemon. */
static void give_events(struct kernel_processes *processes, bool is_whole)
{
    char *text;
    size_t size;
    assert_int_equal(whole_file_open_read(RECORDED "/events", 1 << 20, &text, &size), 0);
    for (size_t at = 0, used; at < size; at += used) {
        struct kernel_event event;
        assert_int_equal(
            kernel_event_read((const unsigned char *)text + at, size - at, &event, &used), 0);
        if (at == 0)
            kernel_processes_daemon(processes, event.parent, event.time_ns - S, JOB);
        if (is_whole || event.kind == KERNEL_EVENT_FORK || event.kind == KERNEL_EVENT_EXIT)
            kernel_processes_event(processes, &event);
    }
    free(text);
}

TEST(all_recorded_processes_have_program_and_status)
{
    static const struct {
        const char *name;
        int status;
    } expected[] = {
        {"exit_with", 3 << 8},     {"dash", 9},         {"exit_with", 4 << 8},
        {"main_thread_leaves", 0}, {"threads_exit", 0}, {"exit_with_static", 5 << 8},
        {"exit_with", 6 << 8},     {"dash", 9 << 8},
    };
    struct kernel_processes *processes = begin(true, true);
    give_ends(processes);
    give_events(processes, true);
    kernel_processes_round(processes);
    assert_int_equal(ended_count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < ended_count; i++) {
        assert_string_equal(program[ended[i].program], expected[i].name);
        assert_int_equal(ended[i].status, expected[i].status);
        bool is_static = strcmp(expected[i].name, "exit_with_static") == 0;
        assert_int_equal(ended[i].lack, is_static ? OF_STATIC : KERNEL_LACK_LIBRARY);
        assert_true(ended[i].end_ns > ended[i].exec_ns && ended[i].exec_ns > ended[i].start_ns);
        assert_true(ended[i].peak_kib > 100);
        assert_int_not_equal(ended[i].inode, 0);
    }
    for (size_t i = 0; i + 1 < ended_count; i++) {
        assert_int_equal(ended[i].parent, ended[ended_count - 1].pid);
        assert_int_equal(ended[i].parent_start_ns, ended[ended_count - 1].start_ns);
    }
    kernel_processes_round(processes);
    kernel_processes_round(processes);
    assert_int_equal(kernel_processes_unmatched(processes), 0);
    kernel_processes_free(processes);
}

TEST(without_ends_of_threads_only_times_are_known)
{
    struct kernel_processes *processes = begin(true, false);
    give_events(processes, true);
    assert_int_equal(ended_count, 8);
    for (size_t i = 0; i < ended_count; i++)
        assert_int_equal(ended[i].lack & ~(uint32_t)OF_OBJECTS, KERNEL_LACK_STATUS);
    kernel_processes_free(processes);
}

TEST(ends_of_other_processes_are_dropped_and_counted)
{
    struct kernel_processes *processes = begin(true, true);
    give_ends(processes);
    kernel_processes_round(processes);
    assert_int_equal(kernel_processes_unmatched(processes), 0);
    kernel_processes_round(processes);
    assert_int_equal(kernel_processes_unmatched(processes), 33);
    kernel_processes_free(processes);
}

/* ---- Made ------------------------------------------------------------------------------------ */

static void give(struct kernel_processes *processes, enum kernel_event_kind kind, int32_t pid,
                 int32_t tid, int32_t parent, uint64_t time_ns)
{
    const struct kernel_event event = {.kind = kind,
                                       .time_ns = time_ns,
                                       .pid = pid,
                                       .tid = tid,
                                       .parent = parent,
                                       .name = "/bin/some",
                                       .name_size = 9};
    kernel_processes_event(processes, &event);
}

static void end_thread(struct kernel_processes *processes, int32_t pid, int32_t tid, bool is_last,
                       uint64_t run_ns)
{
    const struct task_end end = {.pid = pid,
                                 .tid = tid,
                                 .is_last = is_last,
                                 .status = 7 << 8,
                                 .process_us = 1000,
                                 .run_ns = run_ns};
    kernel_processes_end(processes, &end);
}

TEST(processes_of_no_job_are_forgotten)
{
    struct kernel_processes *processes = begin(true, true);
    give(processes, KERNEL_EVENT_FORK, 7, 7, 6, 2 * (uint64_t)S);
    give(processes, KERNEL_EVENT_EXEC, 7, 7, 0, 2 * (uint64_t)S);
    give(processes, KERNEL_EVENT_MAP, 7, 7, 0, 2 * (uint64_t)S);
    assert_int_equal(kernel_processes_job(processes, 7, 2 * (uint64_t)S), 0);
    give(processes, KERNEL_EVENT_EXIT, 7, 7, 6, 3 * (uint64_t)S);
    assert_int_equal(ended_count, 0);
    assert_int_equal(program_count, 0);
    kernel_processes_free(processes);
}

TEST(the_daemon_is_not_told_of)
{
    struct kernel_processes *processes = begin(true, true);
    give(processes, KERNEL_EVENT_FORK, DAEMON, DAEMON, 6, S + 5);
    end_thread(processes, DAEMON, DAEMON, true, 1);
    give(processes, KERNEL_EVENT_EXIT, DAEMON, DAEMON, 6, 3 * (uint64_t)S);
    assert_int_equal(ended_count, 0);
    assert_int_equal(kernel_processes_job(processes, DAEMON, S), 0);
    kernel_processes_free(processes);
}

TEST(a_process_before_the_daemon_had_its_pid)
{
    struct kernel_processes *processes = begin(true, true);
    give(processes, KERNEL_EVENT_FORK, 7, 7, DAEMON, S / 2);
    give(processes, KERNEL_EVENT_EXIT, DAEMON, DAEMON, 6, S / 2 + 1);
    assert_int_equal(kernel_processes_job(processes, 7, S / 2), 0);
    assert_int_equal(kernel_processes_job(processes, DAEMON, S), JOB);
    kernel_processes_free(processes);
}

TEST(a_process_that_has_a_dead_daemons_pid_stays)
{
    struct kernel_processes *processes = begin(true, true);
    const uint64_t at = 2 * (uint64_t)S;
    give(processes, KERNEL_EVENT_FORK, 7, 7, DAEMON, at);
    kernel_processes_daemon(processes, 7, S, JOB + 1);
    assert_int_equal(ended_count, 0);
    assert_int_equal(kernel_processes_job(processes, 7, at), JOB);
    assert_int_equal(kernel_processes_job(processes, 7, S), 0);
    kernel_processes_free(processes);
}

TEST(threads_that_are_told_of_late_are_added)
{
    struct kernel_processes *processes = begin(true, true);
    const uint64_t at = 2 * (uint64_t)S;
    give(processes, KERNEL_EVENT_FORK, 7, 7, DAEMON, at);
    give(processes, KERNEL_EVENT_FORK, 7, 8, 7, at + 1);
    end_thread(processes, 7, 8, false, 40);
    end_thread(processes, 7, 7, true, 2);
    give(processes, KERNEL_EVENT_EXIT, 7, 7, DAEMON, at + 2000000);
    assert_int_equal(ended_count, 0);
    give(processes, KERNEL_EVENT_EXIT, 7, 8, DAEMON, at + 2000001);
    assert_int_equal(ended_count, 1);
    assert_int_equal(ended[0].run_ns, 42);
    assert_int_equal(ended[0].lack, 0);
    assert_int_equal(ended[0].end_ns, at + 1000000); /* as the kernel's statistics have it */
    kernel_processes_free(processes);
}

TEST(a_process_whose_threads_were_lost_ends_in_the_next_round)
{
    struct kernel_processes *processes = begin(true, true);
    const uint64_t at = 2 * (uint64_t)S;
    give(processes, KERNEL_EVENT_FORK, 7, 7, DAEMON, at);
    give(processes, KERNEL_EVENT_FORK, 7, 8, 7, at + 1);
    end_thread(processes, 7, 7, true, 2);
    give(processes, KERNEL_EVENT_EXIT, 7, 7, DAEMON, at + 2000000);
    kernel_processes_round(processes);
    assert_int_equal(ended_count, 0);
    kernel_processes_round(processes);
    assert_int_equal(ended_count, 1);
    assert_int_equal(ended[0].status, 7 << 8);
    assert_int_equal(ended[0].lack, KERNEL_LACK_THREADS);
    kernel_processes_free(processes);
}

TEST(a_pid_that_comes_again_is_another_process)
{
    struct kernel_processes *processes = begin(true, true);
    const uint64_t at = 2 * (uint64_t)S;
    give(processes, KERNEL_EVENT_FORK, 7, 7, DAEMON, at);
    give(processes, KERNEL_EVENT_FORK, 7, 7, DAEMON, at + S);
    assert_int_equal(ended_count, 1);
    assert_int_equal(ended[0].start_ns, at);
    assert_int_equal(ended[0].end_ns, at + S);
    assert_int_equal(ended[0].lack, KERNEL_LACK_END | KERNEL_LACK_STATUS);
    end_thread(processes, 7, 7, true, 2);
    give(processes, KERNEL_EVENT_EXIT, 7, 7, DAEMON, at + S + 2000000);
    assert_int_equal(ended_count, 2);
    assert_int_equal(ended[1].lack, 0);
    kernel_processes_free(processes);
}

TEST(a_pid_that_comes_again_outside_is_of_no_job)
{
    struct kernel_processes *processes = begin(true, true);
    const uint64_t at = 2 * (uint64_t)S;
    give(processes, KERNEL_EVENT_FORK, 7, 7, DAEMON, at);
    give(processes, KERNEL_EVENT_FORK, 7, 7, 6, at + S);
    assert_int_equal(ended_count, 1);
    assert_int_equal(kernel_processes_job(processes, 7, at + S), 0);
    kernel_processes_free(processes);
}

static bool is_alive(int32_t pid, uint64_t start_ns)
{
    (void)start_ns;
    return pid != 8;
}

TEST(after_a_loss_who_is_gone_has_ended)
{
    struct kernel_processes *processes = begin(true, true);
    const uint64_t at = 2 * (uint64_t)S;
    give(processes, KERNEL_EVENT_FORK, 7, 7, DAEMON, at);
    give(processes, KERNEL_EVENT_FORK, 8, 8, 7, at + 1);
    kernel_processes_sweep(processes, at + 9, is_alive);
    assert_int_equal(ended_count, 1);
    assert_int_equal(ended[0].pid, 8);
    assert_int_equal(ended[0].end_ns, at + 9);
    assert_int_equal(ended[0].lack, KERNEL_LACK_END | KERNEL_LACK_STATUS);
    assert_int_equal(kernel_processes_job(processes, 7, at), JOB);
    kernel_processes_free(processes);
}

TEST(an_older_process_lacks_its_start)
{
    struct kernel_processes *processes = begin(true, true);
    const uint64_t at = 2 * (uint64_t)S;
    const struct kernel_process older = {.note = {.pid = 7, .parent = DAEMON, .start_ns = at},
                                         .job = JOB,
                                         .threads = 2,
                                         .known_ns = at + 100};
    kernel_processes_older(processes, &older);
    end_thread(processes, 7, 9, false, 2);
    give(processes, KERNEL_EVENT_EXIT, 7, 9, DAEMON, at + 99); /* is in `threads` already */
    end_thread(processes, 7, 8, false, 2);
    give(processes, KERNEL_EVENT_EXIT, 7, 8, DAEMON, at + 101);
    assert_int_equal(ended_count, 0);
    end_thread(processes, 7, 7, true, 2);
    give(processes, KERNEL_EVENT_EXIT, 7, 7, DAEMON, at + S);
    assert_int_equal(ended_count, 1);
    assert_int_equal(ended[0].lack, KERNEL_LACK_START | KERNEL_LACK_OBJECTS);
    assert_int_equal(ended[0].end_ns, at + 11000000); /* it started within a tick of that */
    kernel_processes_free(processes);
}

TEST(a_set_user_id_program_lives_on_after_its_exec)
{
    struct kernel_processes *processes = begin(true, true);
    const uint64_t at = 2 * (uint64_t)S;
    give(processes, KERNEL_EVENT_FORK, 7, 7, DAEMON, at);
    end_thread(processes, 7, 7, true, 2); /* a short one: its end has come already */
    give(processes, KERNEL_EVENT_EXEC, 7, 7, 0, at + 1);
    give(processes, KERNEL_EVENT_EXIT, 7, 7, DAEMON, at + 2);
    give(processes, KERNEL_EVENT_MAP, 7, 7, 0, at + 3);
    assert_int_equal(ended_count, 0);
    give(processes, KERNEL_EVENT_EXIT, 7, 7, DAEMON, at + 2000000);
    assert_int_equal(ended_count, 1);
    assert_string_equal(program[ended[0].program], "some");
    assert_int_equal(ended[0].status, 7 << 8);
    assert_int_equal(ended[0].lack, OF_STATIC);
    give(processes, KERNEL_EVENT_FORK, 8, 8, DAEMON, at + S); /* a long one */
    give(processes, KERNEL_EVENT_EXIT, 8, 8, DAEMON, at + S + 2);
    kernel_processes_round(processes);
    kernel_processes_round(processes);
    assert_int_equal(kernel_processes_job(processes, 8, at + S), JOB);
    kernel_processes_free(processes);
}

static void map_from(struct kernel_processes *processes, const char *path, uint64_t offset,
                     uint64_t time_ns)
{
    const struct kernel_event event = {.kind = KERNEL_EVENT_MAP,
                                       .offset = offset,
                                       .time_ns = time_ns,
                                       .pid = 7,
                                       .tid = 7,
                                       .name = path,
                                       .name_size = strlen(path)};
    kernel_processes_event(processes, &event);
}

static void map(struct kernel_processes *processes, const char *path, uint64_t time_ns)
{
    map_from(processes, path, 0, time_ns);
}

TEST(the_librarys_mapping_is_seen)
{
    static const struct {
        const char *name;
        uint32_t lack;
    } maps[] = {{"[vdso]", OF_STATIC},
                {"//anon", OF_STATIC},
                {"/lib64/ld-linux-x86-64.so.2", KERNEL_LACK_LIBRARY},
                {"/opt/lib/libjobtrail-profile.so", OF_STATIC}, /* no object */
                {"/home/notlibjobtrail.so", KERNEL_LACK_LIBRARY},
                {"/opt/lib/libjobtrail.so", 0}};
    const uint64_t at = 2 * (uint64_t)S;
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        struct kernel_processes *processes = begin(true, true);
        give(processes, KERNEL_EVENT_FORK, 7, 7, DAEMON, at);
        give(processes, KERNEL_EVENT_EXEC, 7, 7, 0, at + 1);
        give(processes, KERNEL_EVENT_MAP, 7, 7, 0, at + 2);
        map(processes, maps[i].name, at + 3);
        give(processes, KERNEL_EVENT_FORK, 8, 8, 7, at + 4); /* a child is as its parent */
        end_thread(processes, 8, 8, true, 2);
        give(processes, KERNEL_EVENT_EXIT, 8, 8, 7, at + 2000000);
        assert_int_equal(ended_count, 1);
        assert_int_equal(ended[0].lack, maps[i].lack);
        kernel_processes_free(processes);
    }
}

TEST(what_the_library_could_not_write_is_seen)
{
    struct kernel_processes *processes = begin(true, true);
    const uint64_t at = 2 * (uint64_t)S;
    give(processes, KERNEL_EVENT_FORK, 7, 7, DAEMON, at);
    give(processes, KERNEL_EVENT_EXEC, 7, 7, 0, at + 1);
    map(processes, "/bin/first", at + 2);
    map(processes, "/lib/libjobtrail.so", at + 3);
    map_from(processes, "/lib/libjobtrail.so", 0x9000, at + 4);
    give(processes, KERNEL_EVENT_EXEC, 7, 7, 0, at + 5);
    map(processes, "/bin/last", at + 6);
    map_from(processes, "/home/libjobtrail.so", 0x1000, at + 7); /* another file of that name */
    end_thread(processes, 7, 7, true, 2);
    give(processes, KERNEL_EVENT_EXIT, 7, 7, DAEMON, at + 2000000);
    assert_int_equal(replaced_count, 1);
    assert_string_equal(program[replaced[0].program], "first");
    assert_int_equal(replaced[0].lack, KERNEL_LACK_LEDGER | KERNEL_LACK_STATUS);
    assert_int_equal(ended_count, 1);
    assert_int_equal(ended[0].lack, KERNEL_LACK_LIBRARY | KERNEL_LACK_LEDGER);
    kernel_processes_free(processes);
}

TEST(each_program_that_is_replaced_is_told_of)
{
    struct kernel_processes *processes = begin(true, true);
    const uint64_t at = 2 * (uint64_t)S;
    give(processes, KERNEL_EVENT_FORK, 7, 7, DAEMON, at);
    give(processes, KERNEL_EVENT_EXEC, 7, 7, 0, at + 1);
    map(processes, "/bin/static", at + 2);
    give(processes, KERNEL_EVENT_EXEC, 7, 7, 0, at + 3);
    map(processes, "/bin/dynamic", at + 4);
    map(processes, "/lib/libc.so", at + 5);
    give(processes, KERNEL_EVENT_EXEC, 7, 7, 0, at + 6);
    map(processes, "/bin/with_library", at + 7);
    map(processes, "/lib/libjobtrail.so", at + 8);
    give(processes, KERNEL_EVENT_EXEC, 7, 7, 0, at + 9); /* its mapping was lost */
    give(processes, KERNEL_EVENT_EXEC, 7, 7, 0, at + 10);
    map(processes, "/bin/last", at + 11);
    end_thread(processes, 7, 7, true, 2);
    give(processes, KERNEL_EVENT_EXIT, 7, 7, DAEMON, at + 2000000);
    assert_int_equal(replaced_count, 3);
    assert_string_equal(program[replaced[0].program], "static");
    assert_string_equal(program[replaced[1].program], "dynamic");
    assert_true(replaced[0].exec_ns == at + 1 && replaced[0].end_ns == at + 3);
    assert_true(replaced[1].exec_ns == at + 3 && replaced[1].end_ns == at + 6);
    assert_int_equal(replaced[0].lack, OF_STATIC | KERNEL_LACK_STATUS);
    assert_int_equal(replaced[1].lack, KERNEL_LACK_LIBRARY | KERNEL_LACK_STATUS);
    assert_true(replaced[0].objects == 0 && replaced[1].objects == 1);
    assert_true(replaced[1].execs == 2 && replaced[1].parent == DAEMON);
    assert_string_equal(program[replaced[2].program], "with_library");
    assert_true(replaced[2].exec_ns == at + 6 && replaced[2].end_ns == at + 9);
    assert_true(replaced[2].lack == KERNEL_LACK_STATUS && replaced[2].objects == 0);
    assert_int_equal(ended_count, 1);
    assert_string_equal(program[ended[0].program], "last");
    kernel_processes_free(processes);
}

TEST(an_end_waits_for_its_event_as_long_as_that_takes)
{
    struct kernel_processes *processes = begin(true, true);
    const uint64_t at = 2 * (uint64_t)S;
    give(processes, KERNEL_EVENT_FORK, 7, 7, DAEMON, at);
    end_thread(processes, 7, 7, true, 2);
    end_thread(processes, 9, 9, true, 2); /* of no job */
    for (int i = 0; i < 5; i++)
        kernel_processes_round(processes); /* the kernel frees its memory */
    assert_int_equal(kernel_processes_unmatched(processes), 1);
    give(processes, KERNEL_EVENT_EXIT, 7, 7, DAEMON, at + 9 * (uint64_t)S);
    assert_int_equal(ended_count, 1);
    assert_int_equal(ended[0].status, 7 << 8);
    kernel_processes_free(processes);
}

TEST(without_mappings_the_short_name_is_the_program)
{
    struct kernel_processes *processes = begin(false, true);
    const uint64_t at = 2 * (uint64_t)S;
    give(processes, KERNEL_EVENT_FORK, 7, 7, DAEMON, at);
    give(processes, KERNEL_EVENT_EXEC, 7, 7, 0, at + 1);
    end_thread(processes, 7, 7, true, 2);
    give(processes, KERNEL_EVENT_EXIT, 7, 7, DAEMON, at + 2000000);
    assert_int_equal(ended_count, 1);
    assert_string_equal(program[ended[0].program], "some");
    assert_int_equal(ended[0].execs, 1);
    kernel_processes_free(processes);
}

TEST(what_has_no_room_is_counted)
{
    struct kernel_processes *processes = begin(true, true);
    const uint64_t at = 2 * (uint64_t)S;
    for (int32_t i = 0; i < KERNEL_PROCESSES_MAX + 9; i++)
        give(processes, KERNEL_EVENT_FORK, 1000 + i, 1000 + i, DAEMON, at);
    /* the daemon has a place too */
    assert_int_equal(losses, KERNEL_PROCESSES_MAX + 9 - (KERNEL_PROCESSES_MAX / 2 - 1));
    for (int32_t i = 0; i < KERNEL_ENDS_MAX + 5; i++)
        end_thread(processes, 1000 + i, 1000 + i, true, 0);
    assert_int_equal(kernel_processes_unmatched(processes), 5);
    kernel_processes_drop(processes, JOB);
    assert_int_equal(kernel_processes_job(processes, 1000, at), 0);
    assert_int_equal(ended_count, 0);
    kernel_processes_free(processes);
}

TEST(a_job_leaves_room_for_another_one)
{
    struct kernel_processes *processes = begin(true, true);
    const uint64_t at = 2 * (uint64_t)S;
    for (int32_t i = 0; i < KERNEL_PROCESSES_MAX; i++)
        give(processes, KERNEL_EVENT_FORK, 1000 + i, 1000 + i, DAEMON, at);
    kernel_processes_daemon(processes, 200, S, JOB + 1);
    give(processes, KERNEL_EVENT_FORK, 201, 201, 200, at);
    assert_int_equal(kernel_processes_job(processes, 201, at), JOB + 1);
    kernel_processes_drop(processes, JOB);
    kernel_processes_daemon(processes, DAEMON, S, JOB);
    losses = 0;
    for (int32_t i = 0; i < KERNEL_PROCESSES_MAX / 2 - 9; i++)
        give(processes, KERNEL_EVENT_FORK, 1000 + i, 1000 + i, DAEMON, at);
    assert_int_equal(losses, 0);
    kernel_processes_free(processes);
}
