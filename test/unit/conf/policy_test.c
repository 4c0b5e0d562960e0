/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * From rules to the bytes of a policy and back, whole and damaged, and the file they are kept in.
 */
#include <fcntl.h>
#include <regex.h>
#include <sys/stat.h>
#include <time.h>

#include "conf/compile.h"
#include "conf/policy/policy_read.h"
#include "conf/policy_file.h"
#include "extensions.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/rounds.h"

struct policy {
    void *bytes;
    size_t size;
};

static struct conf_rule arguments[] = {
    {POLICY_JUMP_1, (char *)".*/custom;-m", 20, 8},
    {POLICY_SKIP, (char *)".*/custom;-c", 21, 8},
};

static struct conf_interval scalar[] = {{0, 1, 10000, 5}, {1800, 1, 100, 6}, {7200, 1, 1, 7}};

static struct conf conf_of(struct conf_rule *rules, size_t count)
{
    static char path[] = "/etc/jobtrail/jobtrail.conf", spool[] = "/run/jobtrail/%n",
                library[] = "/opt/$PLATFORM/libjobtrail.so", submit[] = "/opt/bin/jobtrail-submit",
                hooks[] = "/opt/hooks";
    return (struct conf){.path = path,
                         .spool = spool,
                         .library = library,
                         .profile_directory = library,
                         .submit = submit,
                         .hooks = hooks,
                         .ledger_bytes = 5u << 20,
                         .mount = CONF_MOUNT_YES,
                         .epilog_timeout_s = 7,
                         .always_ranks = 64,
                         .track_programs = CONF_PROGRAMS_MPI,
                         .sample = 1,
                         .scalar = {scalar, 3},
                         .argument = {arguments, 2},
                         .path_rules = {rules, count}};
}

static struct policy compiled(struct conf_rule *rules, size_t count)
{
    struct conf conf = conf_of(rules, count);
    struct conf_error error = {0};
    struct policy policy = {0};
    if (compile_policy(&conf, &policy.bytes, &policy.size, &error) != 0)
        fail_msg("%s (%s)", error.reason, error.hint);
    assert_true(policy_usable(policy.bytes, policy.size));
    return policy;
}

static struct conf_rule example[] = {
    {POLICY_KEEP, (char *)".*/special/bash", 10, 8},  {POLICY_SKIP, (char *)".*/(ba|da)?sh", 11, 8},
    {POLICY_PKGS, (char *)".*/python[0-9.]*", 12, 8}, {POLICY_KEEP, (char *)".*/python3", 13, 8},
    {POLICY_CUSTOM, (char *)".*/custom", 14, 8},
};

#define EXAMPLES (sizeof example / sizeof *example)

/* The line of the rule that decides, or 0. */
static unsigned line_for(const void *bytes, const char *text)
{
    const struct policy_rule *rule = policy_match(bytes, POLICY_PATH, text, strlen(text));
    return rule == NULL ? 0 : rule->line;
}

TEST(rules_of_an_extension_that_is_left_out_have_no_effect)
{
    struct conf_rule routine[] = {{POLICY_KEEP, (char *)"soname:libm.so.6", 2, 8}};
    struct conf conf = conf_of(NULL, 0);
    struct policy with, without = compiled(NULL, 0);
    struct conf_error error;
    conf.routine = (struct conf_rules){routine, 1};
    assert_int_equal(compile_policy(&conf, &with.bytes, &with.size, &error), 0);
    assert_int_equal(with.size > without.size, JOBTRAIL_ROUTINES);
    free(with.bytes);
    free(without.bytes);
}

TEST(the_first_rule_that_matches_the_whole_path_wins)
{
    static const struct {
        const char *text;
        unsigned line;
    } cases[] = {
        {"/opt/special/bash", 10},
        {"/bin/bash", 11},
        {"/bin/sh", 11},
        {"/bin/python3.11", 12},
        {"/bin/python3", 12},
        {"/bin/bashful", 0},
        {"bash", 0},
        {"", 0},
        {"/bin/bash/", 0},
        {"/bin/bash\n", 0},
        {"/bin/python", 12},
    };
    struct policy policy = compiled(example, EXAMPLES);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (line_for(policy.bytes, cases[i].text) != cases[i].line)
            fail_msg("'%s': line %u", cases[i].text, line_for(policy.bytes, cases[i].text));
    free(policy.bytes);
}

TEST(a_policy_carries_actions_strings_and_numbers)
{
    struct policy policy = compiled(example, EXAMPLES);
    const struct policy_header *header = policy.bytes;
    uint32_t count;
    const struct policy_rule *rules = policy_rules(policy.bytes, POLICY_PATH, &count);
    assert_int_equal(count, EXAMPLES);
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(rules[i].action, example[i].action);
    assert_string_equal(policy_string(policy.bytes, POLICY_SPOOL), "/run/jobtrail/%n");
    assert_string_equal(policy_string(policy.bytes, POLICY_LIBRARY),
                        "/opt/$PLATFORM/libjobtrail.so");
    assert_string_equal(policy_string(policy.bytes, POLICY_SUBMIT), "/opt/bin/jobtrail-submit");
    assert_string_equal(policy_string(policy.bytes, POLICY_CONF), "/etc/jobtrail/jobtrail.conf");
    assert_int_equal(header->ledger_bytes, 5u << 20);
    assert_int_equal(header->epilog_timeout_s, 7);
    assert_int_equal(header->switches,
                     POLICY_TRACK_MPI | POLICY_SAMPLE | POLICY_MOUNT | POLICY_PROFILE_KEPT);
    assert_int_equal(header->always_ranks, 64);
    free(policy.bytes);
}

TEST(a_list_without_rules_matches_nothing)
{
    struct policy policy = compiled(NULL, 0);
    uint32_t count = 1;
    assert_null(policy_rules(policy.bytes, POLICY_HOST, &count));
    assert_int_equal(count, 0);
    assert_null(policy_match(policy.bytes, POLICY_HOST, "", 0));
    assert_null(policy_match(policy.bytes, POLICY_PATH, "/bin/sh", 7));
    free(policy.bytes);
}

/* The policy of this probability for short runs, after the one in `*policy`, which it replaces. */
static void follow(struct policy *policy, unsigned below)
{
    struct conf_interval interval = {.above = 1, .below = below};
    struct conf conf = conf_of(example, EXAMPLES);
    struct conf_error error;
    struct policy next;
    conf.scalar = conf.mpi = (struct conf_intervals){&interval, 1};
    assert_int_equal(compile_policy_after(&conf, policy->bytes, &next.bytes, &next.size, &error),
                     0);
    assert_true(policy_usable(next.bytes, next.size));
    free(policy->bytes);
    *policy = next;
}

TEST(a_policy_knows_the_sampling_tables_of_those_before_it)
{
    struct policy policy = {NULL, 0};
    const struct policy_header *header;
    uint64_t identities[POLICY_KNOWN_TABLES_MAX + 10];
    size_t count;
    for (unsigned i = 0; i < POLICY_KNOWN_TABLES_MAX + 10; i++) {
        follow(&policy, 100 + i);
        follow(&policy, 100 + i); /* the same one is known once */
        header = policy.bytes;
        identities[i] = header->scalar_table;
        assert_int_equal(header->mpi_table, header->scalar_table);
        policy_known_tables(policy.bytes, &count);
        assert_int_equal(count, i < POLICY_KNOWN_TABLES_MAX ? i + 1 : POLICY_KNOWN_TABLES_MAX);
    }
    for (unsigned i = 0; i < POLICY_KNOWN_TABLES_MAX + 10; i++) {
        const struct policy_known_table *table = policy_known_table(policy.bytes, identities[i]);
        assert_true((table != NULL) == (i >= 10));
        assert_true(table == NULL || table->interval[0].probability == 1.0 / (100 + i));
    }
    assert_null(policy_known_table(policy.bytes, 0));
    free(policy.bytes);
}

TEST(a_wrong_pattern_is_refused_with_its_place_in_the_file)
{
    struct conf_rule rules[] = {
        {POLICY_SKIP, (char *)"/fine", 20, 8},
        {POLICY_SKIP, (char *)"/a(b", 21, 8},
    };
    struct conf conf = conf_of(rules, 2);
    struct conf_error error = {0};
    void *bytes = NULL;
    size_t size;
    char text[700];
    assert_int_equal(compile_policy(&conf, &bytes, &size, &error), -EINVAL);
    assert_null(bytes);
    conf_error_text(&error, text, sizeof text);
    assert_string_equal(text,
                        "/etc/jobtrail/jobtrail.conf:21:10: '(' is not closed (write \\( for a "
                        "parenthesis as such)");
}

TEST(too_large_an_automaton_is_refused_with_the_rule_to_simplify)
{
    struct conf_rule rules[] = {
        {POLICY_SKIP, (char *)".*/fine", 20, 8},
        {POLICY_SKIP, (char *)".*a.{40}", 21, 8},
    };
    struct conf conf = conf_of(rules, 2);
    struct conf_error error = {0};
    void *bytes;
    size_t size;
    assert_int_equal(compile_policy(&conf, &bytes, &size, &error), -E2BIG);
    assert_int_equal(error.line, 21);
    assert_int_equal(error.column, 8);
    assert_non_null(strstr(error.hint, ".*a.{40}"));
}

/* xorshift64: the same numbers on every machine. */
static uint32_t random_below(uint64_t *seed, uint32_t bound)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return (uint32_t)(*seed >> 33) % bound;
}

/* Appends a random pattern that POSIX and we read alike. Returns its end. */
static char *random_pattern(uint64_t *seed, char *at, unsigned depth)
{
    static const char *const atoms[] = {"a", "b", "c", ".", "[ab]", "[^a]", "[b-c]", "[[:alpha:]]"};
    static const char *const repeats[] = {"*", "+", "?", "{2}", "{1,2}", "{0,3}", "{2,}"};
    uint32_t items = 1 + random_below(seed, 3);
    for (uint32_t i = 0; i < items; i++) {
        if (depth > 0 && random_below(seed, 3) == 0) {
            at = random_pattern(seed, stpcpy(at, "("), depth - 1);
            at = stpcpy(at, ")");
        } else {
            at = stpcpy(at, atoms[random_below(seed, 8)]);
        }
        if (random_below(seed, 3) == 0)
            at = stpcpy(at, repeats[random_below(seed, 7)]);
    }
    if (random_below(seed, 4) == 0)
        at = random_pattern(seed, stpcpy(at, "|"), depth > 0 ? depth - 1 : 0);
    return at;
}

static int posix_matches(const regex_t *posix, const char *text)
{
    return regexec(posix, text, 0, NULL, 0) == 0;
}

static void compare_with_posix(uint64_t *seed, char *pattern)
{
    char anchored[2048], text[10];
    struct conf_rule rule = {POLICY_KEEP, pattern, 1, 1};
    struct policy policy = compiled(&rule, 1);
    regex_t posix;
    snprintf(anchored, sizeof anchored, "^(%s)$", pattern);
    assert_int_equal(regcomp(&posix, anchored, REG_EXTENDED | REG_NOSUB), 0);
    for (int i = 0; i < 40; i++) {
        uint32_t length = random_below(seed, sizeof text);
        for (uint32_t k = 0; k < length; k++)
            text[k] = "abc-"[random_below(seed, 4)];
        text[length] = '\0';
        if ((line_for(policy.bytes, text) == 1) != posix_matches(&posix, text))
            fail_msg("'%s' on '%s': POSIX says %d", pattern, text, posix_matches(&posix, text));
    }
    regfree(&posix);
    free(policy.bytes);
}

TEST(random_patterns_match_what_posix_says)
{
    uint64_t seed = 20240229;
    char pattern[1024];
    for (int i = 0; i < rounds(3000); i++) {
        random_pattern(&seed, pattern, 2);
        compare_with_posix(&seed, pattern);
    }
}

TEST(random_lists_decide_by_their_first_match)
{
    uint64_t seed = 7;
    char pattern[5][1024], text[8] = "";
    for (int i = 0; i < rounds(300); i++) {
        struct conf_rule rules[5];
        struct policy alone[5];
        for (unsigned k = 0; k < 5; k++) {
            random_pattern(&seed, pattern[k], 1);
            rules[k] = (struct conf_rule){POLICY_KEEP, pattern[k], k + 1, 1};
            alone[k] = compiled(&rules[k], 1);
        }
        struct policy all = compiled(rules, 5);
        for (int n = 0; n < 20; n++) {
            unsigned first = 0;
            for (size_t at = 0; at < sizeof text - 1; at++)
                text[at] = "abc\0"[random_below(&seed, 4)];
            for (unsigned k = 5; k-- > 0;)
                first = line_for(alone[k].bytes, text) != 0 ? k + 1 : first;
            assert_int_equal(line_for(all.bytes, text), first);
        }
        for (unsigned k = 0; k < 5; k++)
            free(alone[k].bytes);
        free(all.bytes);
    }
}

static void read_list(const void *bytes, enum policy_section which)
{
    uint32_t count;
    const struct policy_rule *rules = policy_rules(bytes, which, &count);
    const struct policy_rule *rule = policy_match(bytes, which, "/usr/bin/bash", 13);
    assert_true(rule == NULL || (rule >= rules && rule < rules + count));
}

static void read_table(const void *bytes, size_t size, enum policy_section which)
{
    const struct policy_interval *found = policy_interval(bytes, which, 3600000000000u);
    const char *start = bytes;
    assert_true(found == NULL ||
                ((const char *)found >= start && (const char *)(found + 1) <= start + size));
    assert_true(found == NULL || found->from_ns <= 3600000000000u);
}

/* Uses everything in `size` bytes at `bytes` that a reader would, if they are usable. */
static void read_all(const void *bytes, size_t size)
{
    static char *const argv[] = {(char *)"x", (char *)"-m", (char *)"a", (char *)"-c"};
    if (!policy_usable(bytes, size))
        return;
    for (enum policy_section which = POLICY_HOST; which <= POLICY_ENV; which++)
        read_list(bytes, which);
    read_list(bytes, POLICY_ARGUMENT);
    read_list(bytes, POLICY_PKG);
    for (enum policy_section which = POLICY_SPOOL; which <= POLICY_CONF; which++) {
        const char *text = policy_string(bytes, which);
        assert_true(text == NULL || strlen(text) < size);
    }
    read_table(bytes, size, POLICY_SCALAR);
    size_t known;
    const struct policy_known_table *table = policy_known_tables(bytes, &known);
    for (size_t i = 0; i < known; i++)
        assert_true(policy_known_table(bytes, table[i].identity) == NULL || table[i].count > 0);
    read_table(bytes, size, POLICY_MPI);
    struct policy_decision decision = policy_decide(bytes, "/bin/custom", 11, 4, argv, NULL);
    assert_true(decision.action >= POLICY_KEEP && decision.action <= POLICY_RUNTIME);
}

/* A copy that ends where its allocation does, so that AddressSanitizer sees what reads beyond. */
static void *copy_of(const void *bytes, size_t size)
{
    void *copy = malloc(size > 0 ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    return copy;
}

TEST(a_truncated_policy_is_refused)
{
    struct policy policy = compiled(example, EXAMPLES);
    for (size_t size = 0; size < policy.size; size++) {
        void *copy = copy_of(policy.bytes, size);
        assert_false(policy_usable(copy, size));
        free(copy);
    }
    free(policy.bytes);
}

TEST(a_truncated_policy_that_claims_its_size_never_crashes)
{
    struct policy policy = compiled(example, EXAMPLES);
    for (size_t size = sizeof(struct policy_header); size < policy.size; size++) {
        struct policy_header *copy = copy_of(policy.bytes, size);
        copy->size = (uint32_t)size;
        read_all(copy, size);
        free(copy);
    }
    free(policy.bytes);
}

TEST(every_flipped_header_byte_is_refused_or_harmless)
{
    struct policy policy = compiled(example, EXAMPLES);
    unsigned char *copy = copy_of(policy.bytes, policy.size);
    for (size_t at = 0; at < sizeof(struct policy_header); at++) {
        for (unsigned mask = 1; mask < 256; mask++) {
            copy[at] ^= (unsigned char)mask;
            if (at < offsetof(struct policy_header, ledger_bytes))
                assert_false(policy_usable(copy, policy.size));
            read_all(copy, policy.size);
            copy[at] ^= (unsigned char)mask;
        }
    }
    free(copy);
    free(policy.bytes);
}

TEST(random_damage_never_crashes_a_reader)
{
    struct policy policy = compiled(example, EXAMPLES);
    uint64_t seed = 42;
    for (int i = 0; i < rounds(20000); i++) {
        unsigned char *copy = copy_of(policy.bytes, policy.size);
        for (uint32_t n = 1 + random_below(&seed, 4); n > 0; n--) {
            /* the tables' heads and first cells are where damage tells */
            uint32_t bound = random_below(&seed, 2) ? (uint32_t)policy.size : 1400;
            copy[8 + random_below(&seed, bound - 8)] = (unsigned char)random_below(&seed, 256);
        }
        read_all(copy, policy.size);
        free(copy);
    }
    free(policy.bytes);
}

static char *temporary_path(const char *name)
{
    static char directory[] = "/tmp/conf_policy_test.XXXXXX";
    static int made;
    char *path;
    if (!made)
        assert_non_null(mkdtemp(directory));
    made = 1;
    assert_true(asprintf(&path, "%s/%s", directory, name) > 0);
    return path;
}

TEST(a_written_policy_is_whole_and_readable_by_all)
{
    char *path = temporary_path("written.policy");
    char *missing = temporary_path("missing/x.policy");
    struct stat status;
    assert_int_equal(policy_file_write(path, "old", 3), 0);
    assert_int_equal(policy_file_write(path, "newer", 5), 0);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_size, 5);
    assert_int_equal(status.st_mode & 07777, 0644);
    assert_int_equal(policy_file_write(missing, "x", 1), -ENOENT);
    assert_int_equal(unlink(path), 0);
    free(missing);
    free(path);
}

/* Sets the content's time of a file to `seconds` from now. */
static void set_age(const char *path, time_t seconds)
{
    struct timespec times[2] = {{.tv_sec = time(NULL) + seconds}, {.tv_sec = time(NULL) + seconds}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

TEST(a_policy_is_current_when_it_is_newer_and_from_the_same_file)
{
    char *source = temporary_path("jobtrail.conf");
    char *other = temporary_path("other.conf");
    char *path = temporary_path("jobtrail.policy");
    struct conf conf = conf_of(example, EXAMPLES);
    struct conf_error error;
    struct policy policy;
    conf.path = source;
    assert_int_equal(compile_policy(&conf, &policy.bytes, &policy.size, &error), 0);
    assert_int_equal(policy_file_write(source, "", 0), 0);
    assert_int_equal(policy_file_write(other, "", 0), 0);
    assert_false(policy_file_is_current(path, source));
    assert_int_equal(policy_file_write(path, policy.bytes, policy.size), 0);
    set_age(path, 60);
    assert_true(policy_file_is_current(path, source));
    assert_false(policy_file_is_current(path, other));
    set_age(source, 120);
    assert_false(policy_file_is_current(path, source));
    set_age(source, -120);
    assert_true(policy_file_is_current(path, source));
    set_age(path, -60); /* newer than the content, older than the inode */
    assert_false(policy_file_is_current(path, source));
    assert_int_equal(policy_file_write(path, policy.bytes, policy.size - 1), 0);
    set_age(path, 60);
    assert_false(policy_file_is_current(path, source));
    unlink(path);
    unlink(other);
    unlink(source);
    free(policy.bytes);
    free(path);
    free(other);
    free(source);
}

static int remove_directory(void **state)
{
    char *directory = temporary_path("");
    (void)state;
    int rc = rmdir(directory);
    free(directory);
    return rc;
}

ALL(NULL, remove_directory)
