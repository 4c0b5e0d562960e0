/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A job's file of what the kernel reported: written, read again, full, and damaged.
 */
#include "contrib/witness/job_notes.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "test/unit/fixture/cases.h"

static char path[] = "/tmp/job_notes_test.XXXXXX";
static int directory;

static const struct kernel_listen listening = {1000, 5000, true, true, 900};

static int begin(struct job_notes *notes)
{
    return job_notes_begin(directory, &listening, notes);
}

static void begin_anew(struct job_notes *notes)
{
    unlinkat(directory, KERNEL_NOTES_NAME, 0);
    assert_int_equal(begin(notes), 0);
}

static struct kernel_event event_of(const char *name)
{
    return (struct kernel_event){.kind = KERNEL_EVENT_MAP,
                                 .name = name,
                                 .name_size = strlen(name),
                                 .build_id_size = 3,
                                 .build_id = {0xab, 0, 1}};
}

/* A struct has bytes between its members, which are of no meaning. */
static void assert_note(const struct kernel_note *found, const struct kernel_note *expected)
{
    char found_line[KERNEL_LINE_MAX], line[KERNEL_LINE_MAX];
    kernel_note_print("end", found, found_line, sizeof found_line);
    kernel_note_print("end", expected, line, sizeof line);
    assert_string_equal(found_line, line);
}

TEST(what_is_written_is_read)
{
    struct job_notes notes;
    struct kernel_notes read;
    const struct kernel_event first = event_of("/a b\nc"), second = event_of("/d");
    struct kernel_note note = {.pid = 9,
                               .parent = 8,
                               .start_ns = 100,
                               .parent_start_ns = 50,
                               .end_ns = 300,
                               .exec_ns = 200,
                               .execs = 2,
                               .program = 2,
                               .lack = KERNEL_LACK_THREADS,
                               .uid = UINT32_MAX,
                               .status = 9,
                               .run_ns = UINT64_MAX,
                               .system_ns = 6,
                               .peak_kib = 1,
                               .read_bytes = 2,
                               .write_bytes = 3,
                               .device = 4,
                               .inode = 5,
                               .major_faults = 6};
    begin_anew(&notes);
    assert_int_equal(job_notes_program(&notes, &first), 1);
    assert_int_equal(job_notes_program(&notes, &second), 2);
    assert_int_equal(job_notes_program(&notes, &first), 1);
    assert_int_equal(job_notes_objects(&notes, (uint32_t[]){2}, 1), 1);
    assert_int_equal(job_notes_objects(&notes, (uint32_t[]){1, 2}, 2), 2);
    assert_int_equal(job_notes_objects(&notes, (uint32_t[]){2}, 1), 1);
    note.objects = 2;
    assert_true(job_notes_end(&notes, &note));
    job_notes_numbers(&notes, "clock", 1000, 9000);
    note.pid = 7;
    note.program = 1;
    note.major_faults = 0;
    assert_true(job_notes_end(&notes, &note));
    job_notes_replaced(&notes, &note);
    job_notes_lost(&notes, 150, 400, 17);
    assert_int_equal(job_notes_write(&notes), 0);
    job_notes_free(&notes);
    assert_int_equal(kernel_notes_read(directory, &read), 0);
    assert_int_equal(read.count, 2);
    assert_int_equal(read.bad_lines, 0);
    assert_int_equal(read.listeners, 1);
    assert_int_equal(read.lost, 17);
    assert_int_equal(read.noted[0].note.pid, 7);
    assert_string_equal(read.noted[0].program->name, "/a b\nc");
    assert_string_equal(read.noted[0].program->build_id, "ab0001");
    assert_int_equal(read.noted[0].end_real_ns, 8300);
    note.pid = 9;
    note.program = 2;
    note.major_faults = 6;
    note.lack |= KERNEL_LACK_OBJECTS; /* what was lost may have been a mapping */
    assert_note(&read.noted[1].note, &note);
    assert_string_equal(read.noted[1].program->name, "/d");
    note.pid = 7;
    note.program = 1;
    note.major_faults = 0;
    assert_int_equal(read.replaced_count, 1);
    assert_note(&read.replaced[0].note, &note);
    assert_ptr_equal(read.replaced[0].program, &read.programs[0]);
    assert_ptr_equal(read.replaced[0].objects, &read.sets[1]);
    assert_int_equal(read.replaced[0].end_real_ns, 8300);
    assert_int_equal(read.noted[1].objects->count, 2);
    const uint32_t *object = read.object + read.noted[1].objects->first;
    assert_string_equal(read.programs[object[0]].name, "/a b\nc");
    assert_string_equal(read.programs[object[1]].name, "/d");
    assert_int_equal(read.noted[1].end_real_ns, 4300);
    assert_int_equal(read.noted[1].exec_real_ns, 4200);
    kernel_notes_free(&read);
}

TEST(a_second_listener_goes_on)
{
    struct job_notes notes;
    struct kernel_notes read;
    const struct kernel_event first = event_of("/a"), second = event_of("/b");
    const struct kernel_note note = {.pid = 9, .end_ns = 1, .program = 1};
    begin_anew(&notes);
    assert_int_equal(job_notes_program(&notes, &first), 1);
    job_notes_left(&notes);
    assert_int_equal(job_notes_write(&notes), 0);
    job_notes_free(&notes);
    assert_int_equal(begin(&notes), 0);
    assert_int_equal(job_notes_program(&notes, &second), 1);
    assert_true(job_notes_end(&notes, &note));
    job_notes_left(&notes);
    assert_int_equal(job_notes_write(&notes), 0);
    job_notes_free(&notes);
    assert_int_equal(kernel_notes_read(directory, &read), 0);
    assert_int_equal(read.listeners, 2);
    assert_int_equal(read.gap_count, 1);
    assert_int_equal(read.gaps[0].from_ns, 4900);
    assert_int_equal(read.gaps[0].to_ns, 5000);
    assert_int_equal(read.left, 2);
    assert_int_equal(read.count, 1);
    assert_string_equal(read.noted[0].program->name, "/b");
    kernel_notes_free(&read);
}

TEST(a_file_that_was_removed_is_not_made_again)
{
    struct job_notes notes;
    begin_anew(&notes);
    assert_int_equal(job_notes_write(&notes), 0);
    unlinkat(directory, KERNEL_NOTES_NAME, 0);
    job_notes_left(&notes);
    assert_int_equal(job_notes_write(&notes), 0);
    assert_int_equal(faccessat(directory, KERNEL_NOTES_NAME, F_OK, 0), -1);
    job_notes_free(&notes);
}

TEST(a_full_file_counts_what_it_has_no_room_for)
{
    struct job_notes notes;
    struct kernel_notes read;
    struct stat status;
    const struct kernel_note note = {.pid = 9, .end_ns = 1};
    begin_anew(&notes);
    notes.size = KERNEL_NOTES_BYTES - KERNEL_NOTES_RESERVE;
    notes.length = 0; /* the file is as if it was so large */
    assert_false(job_notes_end(&notes, &note));
    assert_false(job_notes_end(&notes, &note));
    assert_int_equal(job_notes_write(&notes), 0);
    job_notes_free(&notes);
    assert_int_equal(fstatat(directory, KERNEL_NOTES_NAME, &status, 0), 0);
    assert_int_equal(status.st_size, KERNEL_LEFT_SIZE);
    assert_int_equal(kernel_notes_read(directory, &read), 0);
    assert_int_equal(read.left, 2);
    kernel_notes_free(&read);
}

TEST(what_cannot_be_appended_is_told_of_as_left)
{
    struct job_notes notes;
    struct kernel_notes read;
    struct rlimit limit, before;
    const struct kernel_note note = {.pid = 9, .end_ns = 1};
    begin_anew(&notes);
    assert_int_equal(job_notes_write(&notes), 0);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = before;
    limit.rlim_cur = notes.size;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_true(job_notes_end(&notes, &note));
    assert_true(job_notes_end(&notes, &note));
    job_notes_left(&notes);
    assert_int_equal(job_notes_write(&notes), -EFBIG);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(kernel_notes_read(directory, &read), 0);
    assert_int_equal(read.left, 3);
    assert_int_equal(read.count, 0);
    kernel_notes_free(&read);
    assert_int_equal(job_notes_write(&notes), 0); /* there is room again */
    job_notes_free(&notes);
    assert_int_equal(kernel_notes_read(directory, &read), 0);
    assert_int_equal(read.left, 1);
    assert_int_equal(read.count, 2);
    kernel_notes_free(&read);
}

TEST(a_file_of_another_kind_is_refused)
{
    struct job_notes notes;
    unlinkat(directory, KERNEL_NOTES_NAME, 0);
    assert_int_equal(symlinkat("/dev/null", directory, KERNEL_NOTES_NAME), 0);
    assert_int_equal(begin(&notes), -ELOOP);
    unlinkat(directory, KERNEL_NOTES_NAME, 0);
    int fd = openat(directory, KERNEL_NOTES_NAME, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(write(fd, "other\n", 6), 6);
    close(fd);
    assert_int_equal(begin(&notes), -EINVAL);
}

static struct kernel_notes parse(const char *text)
{
    struct kernel_notes notes;
    char *copy = strdup(text);
    assert_int_equal(kernel_notes_parse(copy, strlen(copy), &notes), 0);
    return notes;
}

/* What the reader takes for doubtful about a program that ran from 100 to 200 s. */
static bool is_doubtful(const char *lack, const char *losses)
{
    char text[512];
    snprintf(
        text, sizeof text,
        "listen 0 0 1 1\n%send 5 0 90000000000 0 200000000000 100000000000 1 0 0 %s 0 0 0 0 0 0 "
        "0 0 0\n",
        losses, lack);
    struct kernel_notes notes = parse(text);
    assert_int_equal(notes.count, 1);
    assert_int_equal(notes.bad_lines, 0);
    bool is_it = (notes.noted[0].note.lack & KERNEL_LACK_OBJECTS) != 0;
    kernel_notes_free(&notes);
    return is_it;
}

TEST(a_loss_makes_doubtful_what_began_then)
{
    static const char unloaded[] = "32", is_static[] = "96";
    assert_false(is_doubtful(unloaded, ""));
    assert_false(is_doubtful(unloaded, "lost 50000000000 99999999999 7\n"));
    assert_true(is_doubtful(unloaded, "lost 50000000000 100000000000 7\n"));
    assert_true(is_doubtful(unloaded, "lost 110000000000 120000000000 7\n"));
    assert_false(is_doubtful(unloaded, "lost 110000000001 120000000000 7\n"));
    assert_true(is_doubtful(is_static, "lost 101000000000 120000000000 7\n"));
    assert_false(is_doubtful(is_static, "lost 101000000001 120000000000 7\n"));
    assert_false(is_doubtful(unloaded, "lost 200000000001 250000000000 7\n"));
    /* before, and behind, and one that has gone on for both */
    assert_false(is_doubtful(unloaded, "lost 1 2 7\nlost 150000000000 160000000000 7\n"));
    assert_true(is_doubtful(unloaded, "lost 9 10 1\nlost 60000000000 70000000000 7\n"
                                      "lost 65000000000 160000000000 7\n"));
}

TEST(damaged_lines_are_counted_and_skipped)
{
    struct kernel_notes notes =
        parse("left x\n"
              "end 1 2 3\n"
              "end 0 0 1 0 2 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"     /* no pid */
              "end 1 0 3 0 2 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"     /* it ends before its start */
              "end 1 0 1 0 2 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n" /* a number too many */
              "end 1 0 1 0 2 0 0 0 0 0 0 0 0 0 0 0 0 0 0 cut\n"
              "end 1 0 1 0 2 0 0 0 0 0 0 0 0 0 0 0 0 0 0 7 cut\n"
              "end 1 0 1 0 2 0 0 5 0 0 0 0 0 0 0 0 0 0 0\n"
              "program 2 - /x\n" /* not the next number */
              "program 1 0123456789012345678901234567890123456789x /x\n"
              "program\n"
              "what\n"
              "objects 2 1\n"           /* not the next number */
              "end 2 0 1 0 2 0 0 0 0"); /* cut */
    assert_int_equal(notes.count, 1);
    assert_null(notes.noted[0].program);
    assert_int_equal(notes.bad_lines, 13);
    kernel_notes_free(&notes);
}

/* The second listener's first line has become part of one that was cut. */
TEST(numbers_of_a_listener_that_is_not_known_are_no_others)
{
    struct kernel_notes notes = parse("listen 0 0 1 1\n"
                                      "program 1 - /first\n"
                                      "objects 1 1\n"
                                      "end 5 0 1 0 2 1 1 1 0 32 0 0 0 0 0 0 0 0 1\n"
                                      "end 6 0 3listen 0 0 1 1\n"
                                      "program 1 - /second\n"
                                      "objects 1 1\n"
                                      "end 7 0 5 0 6 5 1 1 0 32 0 0 0 0 0 0 0 0 1\n"
                                      "listen 0 0 1 1\n"
                                      "program 1 - /third\n"
                                      "end 8 0 7 0 8 7 1 1 0 32 0 0 0 0 0 0 0 0 0\n");
    assert_int_equal(notes.count, 3);
    assert_int_equal(notes.left, 1);
    assert_string_equal(notes.noted[0].program->name, "/first");
    assert_non_null(notes.noted[0].objects);
    assert_int_equal(notes.noted[0].note.lack, KERNEL_LACK_LIBRARY);
    assert_null(notes.noted[1].program);
    assert_null(notes.noted[1].objects);
    assert_int_equal(notes.noted[1].note.lack, KERNEL_LACK_LIBRARY | KERNEL_LACK_OBJECTS);
    assert_string_equal(notes.noted[2].program->name, "/third");
    assert_int_equal(notes.noted[2].note.lack, KERNEL_LACK_LIBRARY);
    kernel_notes_free(&notes);
}

TEST(a_line_that_was_cut_is_not_gone_on_with)
{
    static const char cut[] = "end 9 0 1 0 2 0 0 0 0 0 0 0 0 0 0 0 0 0 1";
    struct job_notes notes;
    struct kernel_notes read;
    const struct kernel_event program = event_of("/a");
    const struct kernel_note note = {.pid = 9, .end_ns = 1, .program = 1};
    begin_anew(&notes);
    assert_int_equal(job_notes_write(&notes), 0);
    job_notes_free(&notes);
    int fd = openat(directory, KERNEL_NOTES_NAME, O_WRONLY | O_APPEND);
    assert_int_equal(write(fd, cut, sizeof cut - 1), sizeof cut - 1);
    close(fd);
    assert_int_equal(begin(&notes), 0);
    assert_int_equal(job_notes_program(&notes, &program), 1);
    assert_true(job_notes_end(&notes, &note));
    assert_int_equal(job_notes_write(&notes), 0);
    job_notes_free(&notes);
    assert_int_equal(kernel_notes_read(directory, &read), 0);
    assert_int_equal(read.listeners, 2);
    assert_int_equal(read.bad_lines, 1);
    assert_int_equal(read.left, 1);
    assert_int_equal(read.count, 1);
    assert_string_equal(read.noted[0].program->name, "/a");
    kernel_notes_free(&read);
}

TEST(a_process_is_found_by_pid_and_start)
{
    struct kernel_notes notes =
        parse("listen 0 0 1 1\n"
              "end 5 0 9000000000 0 9900000000 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
              "end 5 0 1009000000 0 2000000000 0 0 0 256 0 0 0 0 0 0 0 0 0 0\n"
              "end 4 0 1009000000 0 2000000000 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
    const struct kernel_noted *found = kernel_notes_find(&notes, 5, 100, false);
    assert_non_null(found);
    assert_int_equal(found->note.status, 256);
    assert_ptr_equal(kernel_notes_find(&notes, 5, 101, false), found);
    assert_null(kernel_notes_find(&notes, 5, 102, false));
    assert_null(kernel_notes_find(&notes, 5, 90, false));
    assert_ptr_equal(kernel_notes_find(&notes, 5, 150, true), found);
    assert_null(kernel_notes_find(&notes, 5, 300, true));
    assert_null(kernel_notes_find(&notes, 6, 100, false));
    assert_null(kernel_notes_find(&notes, 5, UINT64_MAX, true));
    kernel_notes_free(&notes);
}

static int make_directory(void **state)
{
    (void)state;
    if (mkdtemp(path) == NULL)
        return -1;
    directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return directory < 0 ? -1 : 0;
}

static int remove_directory(void **state)
{
    (void)state;
    unlinkat(directory, KERNEL_NOTES_NAME, 0);
    close(directory);
    return rmdir(path);
}

ALL(make_directory, remove_directory)
