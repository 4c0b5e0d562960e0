/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What root opens, and what it does not: with real owners and modes, so that it needs root.
 */
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "conf/base/trusted.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_tree.h"

enum { OTHER = 12345 };

static void make_file(const char *name)
{
    int fd = open(below(name), O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    close(fd);
}

/* ROOT/a/b/file */
static int set_up(void **state)
{
    if (made_tree_set_up(state) != 0)
        return 1;
    if (mkdir(below("a"), 0755) != 0 || mkdir(below("a/b"), 0755) != 0)
        return 1;
    make_file("a/b/file");
    return 0;
}

static void opens(const char *name)
{
    char culprit[PATH_MAX];
    int fd = trusted_open(below(name), culprit, sizeof culprit);
    assert_true(fd >= 0);
    close(fd);
}

static void refuses(const char *name, int error)
{
    char culprit[PATH_MAX];
    assert_int_equal(trusted_open(below(name), culprit, sizeof culprit), error);
}

static void blames(const char *name, const char *what)
{
    char culprit[PATH_MAX];
    assert_int_equal(trusted_open(below(name), culprit, sizeof culprit), -EPERM);
    assert_string_equal(culprit, below(what));
}

TEST(roots_own_file_is_opened)
{
    opens("a/b/file");
    opens("a//b/../b/./file");
    refuses("a/b/none", -ENOENT);
    refuses("a/b", -EINVAL);
    refuses("a/b/file/x", -ENOTDIR);
    assert_int_equal(mkfifo(below("a/b/pipe"), 0644), 0);
    refuses("a/b/pipe", -EINVAL);
}

TEST(who_may_write_to_it_or_above_it_is_named)
{
    static const char *const places[] = {"a/b/file", "a/b", "a", ""};
    static const mode_t modes[] = {0775, 0757, 0777};
    if (geteuid() != 0)
        skip();
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        char place[PATH_MAX + 64];
        snprintf(place, sizeof place, "%s%s%s", made_tree, places[i][0] == '\0' ? "" : "/",
                 places[i]);
        for (size_t j = 0; j < sizeof modes / sizeof modes[0]; j++) {
            assert_int_equal(chmod(place, modes[j]), 0);
            refuses("a/b/file", -EPERM);
        }
        assert_int_equal(chmod(place, 0755), 0);
        assert_int_equal(chown(place, OTHER, 0), 0);
        refuses("a/b/file", -EPERM);
        assert_int_equal(chown(place, 0, OTHER), 0);
        opens("a/b/file");
    }
    assert_int_equal(chmod(below("a/b"), 0777), 0);
    blames("a/b/file", "a/b");
}

TEST(in_a_sticky_directory_only_what_is_roots_counts)
{
    if (geteuid() != 0)
        skip();
    assert_int_equal(chmod(below("a/b"), 01777), 0);
    opens("a/b/file");
    assert_int_equal(chown(below("a/b/file"), OTHER, OTHER), 0);
    blames("a/b/file", "a/b/file");
    assert_int_equal(chown(below("a/b/file"), 0, 0), 0);
    assert_int_equal(chown(below("a/b"), OTHER, OTHER), 0);
    blames("a/b/file", "a/b");
}

TEST(a_link_is_roots_and_so_is_the_way_it_leads)
{
    if (geteuid() != 0)
        skip();
    assert_int_equal(symlink("a/b/file", below("relative")), 0);
    assert_int_equal(symlink(below("a/b"), below("absolute")), 0);
    opens("relative");
    opens("absolute/file");
    assert_int_equal(lchown(below("relative"), OTHER, OTHER), 0);
    blames("relative", "relative");
    assert_int_equal(mkdir(below("theirs"), 0755), 0);
    assert_int_equal(symlink("../a/b/file", below("theirs/link")), 0);
    opens("theirs/link");
    assert_int_equal(chown(below("theirs"), OTHER, OTHER), 0);
    blames("theirs/link", "theirs");
    assert_int_equal(symlink("theirs/link", below("through")), 0);
    blames("through", "theirs");
    assert_int_equal(symlink("loop", below("loop")), 0);
    refuses("loop", -ELOOP);
}

TEST(a_relative_path_is_looked_at_from_the_root_on)
{
    char culprit[PATH_MAX], here[PATH_MAX];
    if (geteuid() != 0)
        skip();
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(below("a/b")), 0);
    int fd = trusted_open("file", culprit, sizeof culprit);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(chmod(below("a"), 0777), 0);
    assert_int_equal(trusted_open("file", culprit, sizeof culprit), -EPERM);
    assert_string_equal(culprit, below("a"));
    assert_int_equal(chdir(here), 0);
}

/* What trusted_directory() says about each measure; 0 for a descriptor. */
static int directory(const char *name, enum trusted_others others)
{
    char culprit[PATH_MAX];
    int fd = trusted_directory(below(name), others, culprit, sizeof culprit);
    if (fd < 0)
        return fd;
    close(fd);
    return 0;
}

TEST(of_the_last_directory_as_much_is_asked_as_the_caller_says)
{
    if (geteuid() != 0)
        skip();
    assert_int_equal(directory("a/b", TRUSTED_ALONE), 0);
    assert_int_equal(directory("a/none", TRUSTED_ALONE), -ENOENT);
    assert_int_equal(directory("a/b/file", TRUSTED_ALONE), -ENOTDIR);
    assert_int_equal(chmod(below("a/b"), 01777), 0);
    assert_int_equal(directory("a/b", TRUSTED_ALONE), -EPERM);
    assert_int_equal(directory("a/b", TRUSTED_STICKY), 0);
    assert_int_equal(chown(below("a/b"), OTHER, OTHER), 0);
    assert_int_equal(directory("a/b", TRUSTED_STICKY), -EPERM);
    assert_int_equal(directory("a/b", TRUSTED_ANYBODYS), 0);
    assert_int_equal(mkdir(below("a/b/c"), 0755), 0);
    assert_int_equal(directory("a/b/c", TRUSTED_ANYBODYS), -EPERM); /* his could be elsewhere */
    assert_int_equal(symlink("a", below("link")), 0);
    assert_int_equal(directory("link", TRUSTED_ANYBODYS), 0);
    assert_int_equal(lchown(below("link"), OTHER, OTHER), 0);
    assert_int_equal(directory("link", TRUSTED_ANYBODYS), -EPERM);
}

static int beside(const char *name)
{
    char culprit[PATH_MAX];
    return trusted_beside(below(name), culprit, sizeof culprit);
}

TEST(a_file_to_be_made_lies_where_roots_links_lead)
{
    if (geteuid() != 0)
        skip();
    assert_int_equal(beside("a/b/file"), 0);
    assert_int_equal(beside("a/b/new"), 0);
    assert_int_equal(beside("a/none/new"), -ENOENT);
    assert_int_equal(symlink("a/b/new", below("dangling")), 0);
    assert_int_equal(beside("dangling"), 0);
    assert_int_equal(chmod(below("a/b"), 01777), 0);
    assert_int_equal(beside("a/b/new"), -EPERM);
    assert_int_equal(beside("dangling"), -EPERM);
    assert_int_equal(chmod(below("a/b"), 0755), 0);
    assert_int_equal(lchown(below("dangling"), OTHER, OTHER), 0);
    assert_int_equal(beside("dangling"), -EPERM);
    assert_int_equal(chown(below("a/b/file"), OTHER, OTHER), 0);
    assert_int_equal(beside("a/b/file"), 0); /* whose the file itself is does not matter */
}

TEST(others_than_root_decide_for_themselves)
{
    if (geteuid() != 0)
        skip();
    assert_int_equal(chmod(below("a/b"), 0777), 0);
    assert_int_equal(chown(below("a/b/file"), OTHER, OTHER), 0);
    pid_t child = fork();
    if (child == 0) {
        char culprit[PATH_MAX];
        _exit(setuid(OTHER) != 0 || trusted_open(below("a/b/file"), culprit, sizeof culprit) < 0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    refuses("a/b/file", -EPERM);
}

EACH(set_up, made_tree_tear_down)
