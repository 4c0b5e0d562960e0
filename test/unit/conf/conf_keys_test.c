/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The keys that hold one value: their defaults, their bounds, and what is left of a refused value.
 */
#include "conf/conf_keys.h"
#include "test/unit/fixture/cases.h"

static struct conf conf;

static int set_up(void **state)
{
    const struct conf_key *key;
    struct conf_fault fault;
    (void)state;
    conf = (struct conf){.cluster = NULL};
    return conf_keys_default(&conf, &key, &fault);
}

static int tear_down(void **state)
{
    (void)state;
    conf_keys_free(&conf);
    return 0;
}

static const struct conf_key *key_of(const char *section, const char *name)
{
    int index = conf_key_find(section, name);
    if (index < 0)
        fail_msg("no key %s in [%s]", name, section);
    return &conf_keys[index];
}

static int set(const char *section, const char *name, const char *text, struct conf_fault *fault)
{
    *fault = (struct conf_fault){.reason = NULL};
    return conf_key_set(key_of(section, name), &conf, text, fault);
}

/* The value, as the file would give it. */
static const char *value_of(const char *section, const char *name)
{
    static char text[512];
    memset(text, 'x', sizeof text);
    conf_key_print(key_of(section, name), &conf, text, sizeof text);
    return text;
}

TEST(each_key_is_found_by_its_name_alone)
{
    for (int i = 0; i < CONF_KEYS; i++)
        assert_int_equal(conf_key_find(conf_keys[i].section, conf_keys[i].name), i);
    assert_int_equal(conf_key_find("spool", "library"), -1);
    assert_int_equal(conf_key_find("preload", "dir"), -1);
    assert_int_equal(conf_key_find("", ""), -1);
    assert_int_equal(conf_key_find("spool", "dirs"), -1);
}

/* What `jobtrail-conf show` prints can be written into a file. */
TEST(each_default_comes_back_from_its_text)
{
    for (int i = 0; i < CONF_KEYS; i++) {
        char text[512], again[512];
        struct conf_fault fault;
        conf_key_print(&conf_keys[i], &conf, text, sizeof text);
        if (conf_key_set(&conf_keys[i], &conf, text, &fault) != 0)
            fail_msg("[%s] %s = %s: %s", conf_keys[i].section, conf_keys[i].name, text,
                     fault.reason);
        conf_key_print(&conf_keys[i], &conf, again, sizeof again);
        assert_string_equal(again, text);
    }
}

TEST(numbers_are_taken_from_their_least_to_their_most)
{
    static const struct {
        const char *section, *name;
        uint64_t least, most;
    } cases[] = {
        {"submit", "epilog_timeout", 1, 300}, {"submit", "job_timeout", 1, 300},
        {"submit", "job_cpu", 1, 86400},      {"file", "subdirectories", 0, 9999},
        {"syslog", "block_size", 64, 65000},  {"http", "batch", 1, 10000},
        {"http", "timeout", 1, 300},          {"sampling", "always_ranks", 1, 1000000000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const uint64_t good[] = {cases[i].least, cases[i].most},
                       bad[] = {cases[i].least - 1, cases[i].most + 1};
        struct conf_fault fault;
        char text[32];
        for (int k = 0; k < 2; k++) {
            snprintf(text, sizeof text, "%llu", (unsigned long long)good[k]);
            if (set(cases[i].section, cases[i].name, text, &fault) != 0)
                fail_msg("%s = %s: %s", cases[i].name, text, fault.reason);
            assert_string_equal(value_of(cases[i].section, cases[i].name), text);
            snprintf(text, sizeof text, "%llu", (unsigned long long)bad[k]);
            if (set(cases[i].section, cases[i].name, text, &fault) != -EINVAL)
                fail_msg("%s = %s is taken", cases[i].name, text);
        }
        snprintf(text, sizeof text, "%llus", (unsigned long long)cases[i].most);
        assert_int_equal(set(cases[i].section, cases[i].name, text, &fault), -EINVAL);
        assert_int_equal(fault.offset, strlen(text) - 1);
        assert_int_equal(set(cases[i].section, cases[i].name, "", &fault), -EINVAL);
        assert_int_equal(set(cases[i].section, cases[i].name, "+1", &fault), -EINVAL);
        assert_int_equal(set(cases[i].section, cases[i].name, " 1", &fault), -EINVAL);
    }
}

TEST(sizes_have_the_largest_suffix_that_is_exact)
{
    static const char *const cases[][2] = {
        {"1048576", "1M"}, {"1024K", "1M"},        {"1M", "1M"},    {"1536K", "1536K"},
        {"1G", "1G"},      {"1048577", "1048577"}, {"1024M", "1G"}, {"1073741824", "1G"},
    };
    static const char *const bad[] = {"1048575", "1025M", "1m",       "1MB",          "1.5M",
                                      "",        "M",     "0x100000", "99999999999G", "-1M"};
    struct conf_fault fault;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(set("spool", "ledger_size", cases[i][0], &fault), 0);
        assert_string_equal(value_of("spool", "ledger_size"), cases[i][1]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (set("spool", "ledger_size", bad[i], &fault) != -EINVAL)
            fail_msg("taken: '%s'", bad[i]);
}

TEST(a_refused_value_leaves_the_one_before)
{
    static const char *const cases[][4] = {
        {"site", "cluster", "alpha", "a/b"},
        {"spool", "dir", "/run/x", "x"},
        {"spool", "mount", "yes", "y"},
        {"spool", "ledger_size", "2M", "1"},
        {"preload", "library", "/opt/$PLATFORM/libjobtrail.so", "/opt/$ORIGIN/libjobtrail.so"},
        {"submit", "epilog_timeout", "7", "0"},
        {"transport", "use", "file syslog", "file mail"},
        {"http", "format", "bulk", "Bulk"},
        {"link", "startup_object", "all", "al"},
        {"tracking", "programs", "mpi", "MPI"},
        {"tracking", "command_line", "program", "programs"},
    };
    struct conf_fault fault;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *section = cases[i][0], *name = cases[i][1];
        assert_int_equal(set(section, name, cases[i][2], &fault), 0);
        if (set(section, name, cases[i][3], &fault) != -EINVAL)
            fail_msg("[%s] %s = %s is taken", section, name, cases[i][3]);
        assert_non_null(fault.reason);
        assert_non_null(fault.hint);
        assert_string_equal(value_of(section, name), cases[i][2]);
    }
}

TEST(a_fault_says_where_it_is)
{
    static const struct {
        const char *section, *name, *text;
        size_t offset;
    } cases[] = {
        {"site", "cluster", "alpha beta", 5},
        {"spool", "dir", "/a/%n/%j", 6},
        {"spool", "dir", "/a/%", 3},
        {"spool", "dir", "/a/%%n", 3},
        {"submit", "state", "/a\tb", 2},
        {"preload", "library", "/a:b", 2},
        {"preload", "library", "/a b", 2},
        {"preload", "library", "/a/$PLATFORMS/x", 3},
        {"transport", "use", "file,  mail", 7},
        {"transport", "use", "file, file", 6},
        {"transport", "use", " , ", 0},
        {"transport", "use", "none file", 0},
        {"transport", "use", "files", 0},
    };
    struct conf_fault fault;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int result = set(cases[i].section, cases[i].name, cases[i].text, &fault);
        if (result != -EINVAL || fault.offset != cases[i].offset)
            fail_msg("%s: %d, %zu", cases[i].text, result, fault.offset);
    }
}

EACH(set_up, tear_down)
