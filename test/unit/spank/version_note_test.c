/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * How versions find each other: what root believes of the file `version`, with real owners and
 * modes, so that it needs root.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "spank/job_formats.h"
#include "spank/spool_path.h"
#include "spank/version_note.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_tree.h"

enum { OTHER = 12345 };

#define SOUND "formats 7\nconf /c\nplugin /p\nsubmit /s\n"

static void write_text(const char *name, const char *text, size_t size)
{
    unlink(below(name));
    int fd = open(below(name), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, size), size);
    close(fd);
}

TEST(a_text_is_taken_or_refused_as_a_whole)
{
    static const struct {
        const char *text;
        int error;
    } cases[] = {
        {SOUND, 0},
        {"submit /s\nformats 60000\nconf /c\n", 0},
        {SOUND "later words\nformatsx\n\n", 0},
        {"", -EINVAL},
        {"formats 7\n", -EINVAL},
        {"conf /c\nsubmit /s\n", -EINVAL},
        {"formats 7\nconf /c\nsubmit /s", -EINVAL},
        {"formats 0\nconf /c\nsubmit /s\n", -EINVAL},
        {"formats 07\nconf /c\nsubmit /s\n", -EINVAL},
        {"formats -7\nconf /c\nsubmit /s\n", -EINVAL},
        {"formats 7 \nconf /c\nsubmit /s\n", -EINVAL},
        {"formats 60001\nconf /c\nsubmit /s\n", -EINVAL},
        {"formats 4294967303\nconf /c\nsubmit /s\n", -EINVAL},
        {SOUND "formats 7\n", -EINVAL},
        {SOUND "plugin /q\n", -EINVAL},
        {"formats 7\nconf c\nsubmit /s\n", -EINVAL},
        {"formats 7\nconf /c\nsubmit \n", -EINVAL},
        {"formats 7\nconf /c\nsubmit s\n", -EINVAL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct version_note note = {.formats = 1};
        assert_int_equal(version_note_parse(cases[i].text, strlen(cases[i].text), &note),
                         cases[i].error);
        assert_int_equal(note.formats == 1, cases[i].error != 0);
    }
    struct version_note note;
    assert_int_equal(version_note_parse(SOUND, strlen(SOUND), &note), 0);
    assert_int_equal(note.formats, 7);
    assert_string_equal(note.conf, "/c");
    assert_string_equal(note.plugin, "/p");
    assert_string_equal(note.submit, "/s");
    const char zero[] = "formats 7\nconf /c\0d\nsubmit /s\n";
    assert_int_equal(version_note_parse(zero, sizeof zero - 1, &note), -EINVAL);
}

TEST(a_path_that_is_too_long_is_refused)
{
    char text[2 * PATH_MAX];
    struct version_note note;
    for (int more = 0; more < 2; more++) {
        int length = snprintf(text, sizeof text, "formats 7\nconf /c\nsubmit /%0*d\n",
                              PATH_MAX - 2 + more, 0);
        assert_int_equal(version_note_parse(text, (size_t)length, &note), more ? -EINVAL : 0);
    }
}

TEST_IN(only_a_file_that_is_roots_alone_is_believed, made_tree_set_up, made_tree_tear_down)
{
    if (geteuid() != 0)
        skip();
    struct version_note note;
    assert_int_equal(version_note_read(made_tree, &note), -ENOENT);
    write_text(VERSION_NOTE, SOUND, strlen(SOUND));
    assert_int_equal(version_note_read(made_tree, &note), 0);
    assert_int_equal(chmod(below(VERSION_NOTE), 0664), 0);
    assert_int_equal(version_note_read(made_tree, &note), -EPERM);
    assert_int_equal(chmod(below(VERSION_NOTE), 0644), 0);
    assert_int_equal(chown(below(VERSION_NOTE), OTHER, 0), 0);
    assert_int_equal(version_note_read(made_tree, &note), -EPERM);
    assert_int_equal(chown(below(VERSION_NOTE), 0, 0), 0);
    assert_int_equal(chmod(made_tree, 0775), 0);
    assert_int_equal(version_note_read(made_tree, &note), -EPERM);
    assert_int_equal(chmod(made_tree, 01777), 0); /* as a directory of sessions */
    assert_int_equal(version_note_read(made_tree, &note), 0);
    assert_int_equal(chown(made_tree, OTHER, 0), 0);
    assert_int_equal(version_note_read(made_tree, &note), -EPERM);
}

TEST_IN(what_is_no_file_of_that_size_is_refused, made_tree_set_up, made_tree_tear_down)
{
    struct version_note note;
    char *large = calloc(1, VERSION_NOTE_BYTES);
    assert_non_null(large);
    memset(large, '\n', VERSION_NOTE_BYTES);
    memcpy(large, SOUND, strlen(SOUND));
    write_text(VERSION_NOTE, large, VERSION_NOTE_BYTES);
    assert_int_equal(version_note_read(made_tree, &note), -EFBIG);
    write_text(VERSION_NOTE, large, VERSION_NOTE_BYTES - 1);
    assert_int_equal(version_note_read(made_tree, &note), 0);
    free(large);
    assert_int_equal(unlink(below(VERSION_NOTE)), 0);
    assert_int_equal(mkfifo(below(VERSION_NOTE), 0644), 0);
    assert_int_equal(version_note_read(made_tree, &note), -EINVAL);
    assert_int_equal(unlink(below(VERSION_NOTE)), 0);
    assert_int_equal(mkdir(below(VERSION_NOTE), 0755), 0);
    assert_int_equal(version_note_read(made_tree, &note), -EINVAL);
    assert_int_equal(rmdir(below(VERSION_NOTE)), 0);
    write_text("elsewhere", SOUND, strlen(SOUND));
    assert_int_equal(symlink("elsewhere", below(VERSION_NOTE)), 0);
    assert_int_equal(version_note_read(made_tree, &note), -ELOOP);
}

TEST_IN(what_is_written_is_read_and_links_are_resolved, made_tree_set_up, made_tree_tear_down)
{
    if (geteuid() != 0)
        skip();
    struct version_note note;
    struct stat first, second;
    write_text("plugin", "", 0);
    write_text("submit", "", 0);
    assert_int_equal(symlink("plugin", below("current")), 0);
    assert_int_equal(chmod(made_tree, 01777), 0);
    write_text(VERSION_NOTE, "of a user", 9); /* who was faster */
    assert_int_equal(chown(below(VERSION_NOTE), OTHER, 0), 0);
    assert_int_equal(version_note_write(made_tree, "/a.conf", below("current"), below("submit")),
                     0);
    assert_int_equal(version_note_read(made_tree, &note), 0);
    assert_int_equal(note.formats, JOB_FORMATS);
    assert_string_equal(note.conf, "/a.conf");
    assert_string_equal(note.plugin, below("plugin"));
    assert_string_equal(note.submit, below("submit"));
    assert_int_equal(stat(below(VERSION_NOTE), &first), 0);
    assert_int_equal(first.st_mode & 07777, 0644);
    assert_int_equal(version_note_write(made_tree, "/a.conf", below("plugin"), below("submit")), 0);
    assert_int_equal(stat(below(VERSION_NOTE), &second), 0);
    assert_int_equal(first.st_ino, second.st_ino); /* it said so already */
    assert_int_equal(version_note_write(made_tree, "/b.conf", NULL, below("submit")), 0);
    assert_int_equal(version_note_read(made_tree, &note), 0);
    assert_string_equal(note.conf, "/b.conf");
    assert_string_equal(note.plugin, "");
    assert_int_equal(version_note_write(made_tree, "a.conf", NULL, below("submit")), -EINVAL);
    assert_int_equal(version_note_write(made_tree, "/a\nformats 9", NULL, below("submit")),
                     -EINVAL);
}

/* As a user can make it in the directory of sessions. */
TEST_IN(a_directory_of_that_name_is_in_nobodys_way, made_tree_set_up, made_tree_tear_down)
{
    if (geteuid() != 0)
        skip();
    struct version_note note;
    assert_int_equal(mkdir(below(VERSION_NOTE), 0700), 0);
    assert_int_equal(chown(below(VERSION_NOTE), OTHER, OTHER), 0);
    assert_int_equal(version_note_write(made_tree, "/a.conf", NULL, "/proc/self/exe"), 0);
    assert_int_equal(version_note_read(made_tree, &note), 0);
    assert_int_equal(unlink(below(VERSION_NOTE)), 0);
    assert_int_equal(mkdir(below(VERSION_NOTE), 0700), 0);
    assert_int_equal(mkdir(below(VERSION_NOTE "/within"), 0700), 0);
    assert_int_equal(version_note_write(made_tree, "/b.conf", NULL, "/proc/self/exe"), 0);
    assert_int_equal(version_note_read(made_tree, &note), 0);
    assert_string_equal(note.conf, "/b.conf");
}

static bool has_number(const uint32_t *formats, size_t count, uint32_t number)
{
    bool has = false;
    for (size_t i = 0; i < count; i++)
        has |= formats[i] == number;
    return has;
}

TEST_IN(other_numbers_are_found_by_name, made_tree_set_up, made_tree_tear_down)
{
    uint32_t formats[VERSIONS_MAX];
    char path[PATH_MAX], own[32];
    static const char *const others[] = {".3",  ".60000", ".03", ".60001", ".x",      ".3x",
                                         "5.0", ".new.3", ".-3", ".",      "outbox.3"};
    snprintf(own, sizeof own, ".%d", JOB_FORMATS);
    assert_int_equal(mkdir(below(own), 0755), 0);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        mkdir(below(others[i]), 0755);
    size_t count = version_note_others(below(""), formats);
    assert_int_equal(count, 2);
    assert_true(has_number(formats, count, 3) && has_number(formats, count, 60000));
    assert_int_equal(version_note_others(below("outbox"), formats), 1);
    assert_int_equal(formats[0], 3);
    assert_int_equal(version_note_path("/s/", 3, path), 0);
    assert_string_equal(path, "/s/.3");
    assert_int_equal(version_note_path("/s/outbox", 1, path), 0);
    assert_string_equal(path, "/s/outbox");
    for (int i = 100; i < 100 + 2 * VERSIONS_MAX; i++) {
        snprintf(own, sizeof own, ".%d", i);
        assert_int_equal(mkdir(below(own), 0755), 0);
    }
    assert_int_equal(version_note_others(below(""), formats), VERSIONS_MAX);
}
