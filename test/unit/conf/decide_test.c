/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What holds for a process: path rules, then argument rules; and how its run is sampled.
 */
#include "conf/policy/policy_read.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_policy.h"

static void *policy;

static int compile_rules(void **state)
{
    (void)state;
    policy = compiled("[paths]\n"
                      "custom = .*/run\n" /* 2 */
                      "skip = .*/sh\n"
                      "pkgs = .*/R\n"
                      "[arguments]\n"
                      "jump_1 = .*/run;-m\n" /* 6 */
                      "jump_2 = .*/run;--two\n"
                      "jump_3 = .*/run;--three\n"
                      "jump_4 = .*/run;--four\n"
                      "continue = .*/run;-.*keep\n"
                      "skip = .*/run;-c\n" /* 11 */
                      "keep = .*/run;.*keep\n"
                      "pkgs = .*/run;.*pkgs\n"
                      "keep = /last/run;\n" /* 14 */
                      "continue = /next/run;\n");
    return 0;
}

static int free_rules(void **state)
{
    (void)state;
    free(policy);
    return 0;
}

struct decision_case {
    const char *argv[8];
    enum policy_action action;
    uint32_t line;
    int index;
};

static void check_decision(const struct decision_case *expected)
{
    char *argv[8];
    int argc = 0;
    for (; argc < 8 && expected->argv[argc] != NULL; argc++)
        argv[argc] = (char *)expected->argv[argc];
    struct policy_decision found =
        policy_decide(policy, argv[0], strlen(argv[0]), argc, argv, NULL);
    if (found.action != expected->action || found.line != expected->line ||
        found.index != expected->index)
        fail_msg("%s %s: action %d, line %u, index %d", argv[0], argc > 1 ? argv[1] : "",
                 found.action, found.line, found.index);
}

TEST(path_and_argument_rules_decide_in_turn)
{
    static const struct decision_case cases[] = {
        {{"/bin/sh", "-c"}, POLICY_SKIP, 3, 0},
        {{"/bin/R", "keep"}, POLICY_PKGS, 4, 0},
        {{"/bin/other"}, POLICY_KEEP, 0, 0},
        {{"/bin/run"}, POLICY_SKIP, 0, 0},
        {{"/last/run"}, POLICY_KEEP, 14, 0},
        {{"/last/run", "x"}, POLICY_KEEP, 14, 0},
        {{"/next/run"}, POLICY_SKIP, 0, 0},
        {{"/bin/run", "-c"}, POLICY_SKIP, 11, 1},
        {{"/bin/run", "x", "y", "keep", "-c"}, POLICY_KEEP, 12, 3},
        {{"/bin/run", "-keep"}, POLICY_SKIP, 0, 0},
        {{"/bin/run", "-keep", "pkgs"}, POLICY_PKGS, 13, 2},
        {{"/bin/run", "-m", "keep", "pkgs"}, POLICY_PKGS, 13, 3},
        {{"/bin/run", "--two", "keep", "keep", "pkgs"}, POLICY_PKGS, 13, 4},
        {{"/bin/run", "--three", "keep", "keep", "keep", "pkgs"}, POLICY_PKGS, 13, 5},
        {{"/bin/run", "--four", "keep", "keep", "keep", "keep", "pkgs"}, POLICY_PKGS, 13, 6},
        {{"/bin/run", "--four", "keep"}, POLICY_SKIP, 0, 0},
        {{"/last/run", "-m"}, POLICY_KEEP, 14, 0},
        {{"/bin/run", ""}, POLICY_SKIP, 0, 0},
        {{"/last/run", ""}, POLICY_KEEP, 14, 1}, /* an empty one matches like none */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_decision(&cases[i]);
}

TEST(a_decision_names_both_rules)
{
    char *argv[] = {(char *)"/bin/run", (char *)"-c"};
    uint32_t count;
    struct policy_decision found = policy_decide(policy, argv[0], 8, 2, argv, NULL);
    assert_ptr_equal(found.path, policy_rules(policy, POLICY_PATH, &count));
    assert_int_equal(found.path->action, POLICY_CUSTOM);
    assert_int_equal(found.path->line, 2);
    assert_int_equal(found.argument->line, 11);
    found = policy_decide(policy, "/bin/sh", 7, 0, NULL, NULL);
    assert_null(found.argument);
    assert_int_equal(found.action, POLICY_SKIP);
}

TEST(arguments_are_looked_at_up_to_a_bound)
{
    size_t room = POLICY_ARGUMENT_BYTES - strlen("keep");
    char *filler = calloc(1, POLICY_ARGUMENT_BYTES + 2);
    char *argv[] = {(char *)"/bin/run", filler, (char *)"keep", NULL};
    assert_non_null(filler);
    memset(filler, 'x', room);
    assert_int_equal(policy_decide(policy, argv[0], 8, 3, argv, NULL).action, POLICY_KEEP);
    filler[room] = 'x';
    assert_int_equal(policy_decide(policy, argv[0], 8, 3, argv, NULL).action, POLICY_SKIP);
    memset(filler, 'x', POLICY_ARGUMENT_BYTES + 1);
    memcpy(filler + POLICY_ARGUMENT_BYTES + 1 - strlen("keep"), "keep", strlen("keep"));
    assert_int_equal(policy_decide(policy, argv[0], 8, 2, argv, NULL).action, POLICY_SKIP);
    free(filler);
}

static unsigned looked;

/* Names one file, "file", which is /private/keep. */
static uint32_t walk_one_file(const struct policy_files *files, const struct policy_table *table,
                              uint32_t state, const char *argument)
{
    (void)files;
    looked++;
    return strcmp(argument, "file") == 0 ? policy_walk(table, state, "keep", 4) : POLICY_NO_FILE;
}

TEST(files_are_looked_for_where_it_matters)
{
    static const struct {
        const char *argv[4];
        enum policy_action action;
        unsigned looked;
    } cases[] = {
        {{"/bin/run", "file"}, POLICY_KEEP, 1},
        {{"/bin/run", "keep"}, POLICY_KEEP, 1},
        {{"/bin/run", "-m", "file", "file"}, POLICY_KEEP, 1},
        {{"/bin/run", "-c", "file"}, POLICY_SKIP, 0},
        {{"/bin/run", "", "none"}, POLICY_SKIP, 1},
        {{"/bin/other", "file"}, POLICY_KEEP, 0},
    };
    const struct policy_files files = {walk_one_file, 0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *argv[4];
        int argc = 0;
        for (; argc < 4 && cases[i].argv[argc] != NULL; argc++)
            argv[argc] = (char *)cases[i].argv[argc];
        looked = 0;
        enum policy_action found =
            policy_decide(policy, argv[0], strlen(argv[0]), argc, argv, &files).action;
        if (found != cases[i].action || looked != cases[i].looked)
            fail_msg("case %zu: action %d, looked for %u files", i, found, looked);
    }
}

TEST(custom_without_argument_rules_skips)
{
    void *bytes = compiled("[paths]\ncustom = .*/run\n");
    char *argv[] = {(char *)"/bin/run", (char *)"keep"};
    struct policy_decision found = policy_decide(bytes, argv[0], 8, 2, argv, NULL);
    assert_int_equal(found.action, POLICY_SKIP);
    assert_int_equal(found.line, 0);
    assert_int_equal(found.path->action, POLICY_CUSTOM);
    free(bytes);
}

/* 2^64 * above / below, rounded down, less 1. */
static uint64_t threshold(uint64_t above, uint64_t below)
{
    return (uint64_t)((((unsigned __int128)above << 64) / below) - 1);
}

static void assert_interval(const void *bytes, enum policy_section which, uint64_t run_s,
                            uint64_t above, uint64_t below)
{
    const struct policy_interval *found = policy_interval(bytes, which, run_s * 1000000000u);
    assert_non_null(found);
    assert_true(found->threshold == threshold(above, below));
    assert_true(found->probability == (double)above / (double)below);
}

TEST(runs_are_sampled_by_their_time)
{
    void *bytes = compiled("");
    assert_interval(bytes, POLICY_SCALAR, 0, 1, 10000);
    assert_interval(bytes, POLICY_SCALAR, 1799, 1, 10000);
    assert_interval(bytes, POLICY_SCALAR, 1800, 1, 100);
    assert_interval(bytes, POLICY_SCALAR, 7199, 1, 100);
    assert_interval(bytes, POLICY_SCALAR, 7200, 1, 1);
    assert_interval(bytes, POLICY_SCALAR, 1u << 31, 1, 1);
    assert_interval(bytes, POLICY_MPI, 899, 1, 10000);
    assert_interval(bytes, POLICY_MPI, 900, 1, 100);
    assert_interval(bytes, POLICY_MPI, 1800, 1, 1);
    assert_true(policy_interval(bytes, POLICY_MPI, UINT64_MAX)->threshold == UINT64_MAX);
    assert_int_equal(policy_interval(bytes, POLICY_MPI, 899999999999u)->from_ns, 0);
    free(bytes);
}

TEST(a_table_of_the_file_replaces_the_default)
{
    void *bytes = compiled("[sampling]\nmpi = 0 0.05\nmpi = 90s 1:3\nmpi = 2m 0.123456789\n"
                           "mpi = 1h 1.0\nalways_ranks = 1000\nenabled = no\n"
                           "[tracking]\nprograms = mpi\nsignal_handler = yes\n");
    const struct policy_header *header = bytes;
    assert_interval(bytes, POLICY_SCALAR, 0, 1, 10000);
    assert_interval(bytes, POLICY_MPI, 0, 5, 100);
    assert_interval(bytes, POLICY_MPI, 90, 1, 3);
    assert_interval(bytes, POLICY_MPI, 120, 123456789, 1000000000);
    assert_interval(bytes, POLICY_MPI, 3600, 1, 1);
    assert_int_equal(header->always_ranks, 1000);
    assert_int_equal(header->switches, POLICY_TRACK_MPI | POLICY_CATCH_SIGNALS | POLICY_ENABLED);
    free(bytes);
}

/* Readers of 32 and of 64 bits map the same file. */
_Static_assert(sizeof(struct policy_header) == 64 + 8 * POLICY_SECTIONS, "no padding");
_Static_assert(sizeof(struct policy_known_table) == 16 + 24 * POLICY_INTERVALS_MAX, "no padding");
_Static_assert(sizeof(struct policy_interval) == 24, "no padding");

ALL(compile_rules, free_rules)
