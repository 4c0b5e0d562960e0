/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/scan/library_walk.h"

#include <fcntl.h>
#include <limits.h>

#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_tree.h"

struct met {
    char text[4096]; /* a line for each file, below the tree */
    char last[256];
    size_t last_size;
    int roots, fail;
};

static int met_root(void *context, const struct library_root *root, size_t *place)
{
    struct met *met = context;
    assert_int_equal(root->size, strlen(made_tree));
    met->roots++;
    *place = 7;
    return 0;
}

static int pass_root(void *context, const struct library_root *root, size_t *place)
{
    (void)context;
    (void)root;
    *place = 0;
    return 0;
}

/* Keys ascend. */
static int met_file(void *context, const struct library_seen *seen)
{
    struct met *met = context;
    char path[256];
    size_t both = met->last_size < seen->size ? met->last_size : seen->size;
    int order = memcmp(met->last, seen->key, both);
    assert_true(order < 0 || (order == 0 && met->last_size < seen->size));
    memcpy(met->last, seen->key, seen->size);
    met->last_size = seen->size;
    library_path(seen->key, seen->size, path);
    assert_int_equal(seen->place, 7);
    assert_true(S_ISREG(seen->status->st_mode));
    assert_string_equal(strrchr(path, '/') + 1, seen->name);
    strcat(strcat(met->text, path + strlen(made_tree)), ";");
    return met->fail;
}

static int met_unreadable(void *context, const char *key, size_t size, int error)
{
    (void)context;
    (void)key;
    (void)size;
    fail_msg("unreadable: %d", error);
    return error;
}

static int walk_within(const char *path, size_t bytes, struct met *met)
{
    struct globs *patterns, *except;
    assert_int_equal(globs_read("*.a", &patterns), 0);
    assert_int_equal(globs_read("no*", &except), 0);
    const struct library_walk order = {.patterns = patterns,
                                       .except = except,
                                       .context = met,
                                       .bytes = bytes,
                                       .root = met_root,
                                       .file = met_file,
                                       .unreadable = met_unreadable};
    int error = library_walk(&order, path);
    globs_free(patterns);
    globs_free(except);
    return error;
}

static int walk(const char *path, struct met *met)
{
    return walk_within(path, 0, met);
}

static void put(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", made_tree, name);
    int fd = open(path, O_CREAT | O_WRONLY, 0600);
    assert_true(fd >= 0);
    close(fd);
}

static int make_tree(void **state)
{
    char command[512];
    if (made_tree_set_up(state) != 0)
        return -1;
    snprintf(command, sizeof command,
             "cd %s && mkdir -p a/b a.a/c z.a && ln -s a link && ln -s a/x.a l.a && mkfifo f.a",
             made_tree);
    return system(command);
}

TEST(files_come_in_the_order_of_their_keys_and_links_are_not_followed)
{
    struct met met = {.roots = 0};
    put("a/x.a");
    put("a/b/y.a");
    put("a.a/c/z.a");
    put("a-1.a");
    put("a/b.a");
    put("a/x.txt");
    put("a/no.a");
    put("\n.a");
    assert_int_equal(walk(made_tree, &met), 0);
    assert_string_equal(met.text, "/\n.a;/a/b/y.a;/a/b.a;/a/x.a;/a-1.a;/a.a/c/z.a;");
    assert_int_equal(met.roots, 1);
}

/* With so little memory that a part of a directory has one name or two. */
TEST(a_large_directory_is_walked_in_parts)
{
    static struct met all, parts;
    for (int i = 0; i < 100; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s%d.a", i % 3 == 0 ? "a/b/" : "a/", (i * 37) % 101);
        put(name);
    }
    assert_int_equal(walk(made_tree, &all), 0);
    assert_true(strlen(all.text) > 700);
    for (size_t bytes = 4; bytes <= 4096; bytes *= 4) {
        parts = (struct met){.roots = 0};
        assert_int_equal(walk_within(made_tree, bytes, &parts), 0);
        assert_string_equal(parts.text, all.text);
    }
}

TEST(a_call_ends_the_walk)
{
    struct met met = {.fail = -EDOM};
    assert_int_equal(walk(made_tree, &met), -EDOM);
    assert_string_equal(met.text, "/\n.a;");
}

static int longest, too_long;

static int met_any_file(void *context, const struct library_seen *seen)
{
    (void)context;
    if ((int)seen->size > longest)
        longest = (int)seen->size;
    return 0;
}

static void met_too_deep(void *context)
{
    (void)context;
    too_long++;
}

/* 20 levels of 250 bytes, each with a file. */
TEST(a_path_that_nothing_can_open_is_too_deep)
{
    struct globs *patterns, *except;
    char name[251];
    memset(name, 'd', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    int at = open(made_tree, O_RDONLY | O_DIRECTORY);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(mkdirat(at, name, 0700), 0);
        int below = openat(at, name, O_RDONLY | O_DIRECTORY);
        assert_true(below >= 0);
        close(at);
        at = below;
        close(openat(at, "x.a", O_CREAT | O_WRONLY, 0600));
    }
    close(at);
    assert_int_equal(globs_read("*.a", &patterns), 0);
    assert_int_equal(globs_read("no*", &except), 0);
    const struct library_walk order = {.patterns = patterns,
                                       .except = except,
                                       .root = pass_root,
                                       .file = met_any_file,
                                       .unreadable = met_unreadable,
                                       .too_deep = met_too_deep};
    assert_int_equal(library_walk(&order, made_tree), 0);
    assert_true(longest >= PATH_MAX - 500 && longest < PATH_MAX);
    assert_int_equal(too_long, 1);
    globs_free(patterns);
    globs_free(except);
}

TEST(a_tree_that_cannot_be_opened_is_an_error)
{
    struct met met = {.roots = 0};
    char path[256];
    assert_int_equal(walk("/nowhere/x", &met), -ENOENT);
    snprintf(path, sizeof path, "%s/link", made_tree);
    int error = walk(path, &met);
    assert_true(error == -ELOOP || error == -ENOTDIR);
    snprintf(path, sizeof path, "%s/link/b", made_tree);
    error = walk(path, &met);
    assert_true(error == -ELOOP || error == -ENOTDIR);
    assert_string_equal(met.text, "");
}

ALL(make_tree, made_tree_tear_down)
