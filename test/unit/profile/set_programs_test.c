/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What is told of a set with several programs is told of each.
 */
#include "contrib/profile/set_programs.h"

#include <signal.h>

#include "contrib/profile/profile_log.h"
#include "contrib/profile/routine_log.h"
#include "contrib/profile/set_order.h"
#include "test/unit/fixture/cases.h"

#define SECOND UINT64_C(1000000000)

enum { BATCH = 7 };

static struct profile_set set;
static struct set_programs programs;

static void add(const char *path, uint64_t program, uint32_t step, uint32_t number, uint32_t size)
{
    struct profile_rank rank = {.node = "n1",
                                .step = step,
                                .task = number,
                                .rank = number,
                                .size = size,
                                .program = program,
                                .pid = 50,
                                .end_pid = 50,
                                .flags = PROFILE_RANK_ENDED};
    uint32_t name;
    assert_int_equal(name_table_add(&set.names, path, &name), 0);
    rank.executable = name + 1;
    assert_int_equal(profile_set_add(&set, &rank, (struct set_table){NULL, 0}), 0);
}

static int begin(void **state)
{
    (void)state;
    return profile_set_begin(&set);
}

static int end(void **state)
{
    (void)state;
    set_programs_free(&programs);
    profile_set_free(&set);
    return 0;
}

/* As of a batch script that calls mpirun twice, and programs without it. */
static void add_all(void)
{
    add("/bin/a", 0x63, BATCH, 0, 3);
    add("/bin/bb", 0x62, BATCH, 0, 2);
    add("/bin/a", 0x63, 0, 1, 3);
    add("/bin/bb", 0x62, 0, 1, 2);
    add("/bin/prepare", 0, BATCH, 0, 1);
    add("/bin/c", 0, BATCH, 0, 2); /* its launcher has no name for it */
    add("/bin/c", 0, BATCH, 1, 2);
    add("/bin/finish", 0, BATCH, 0, 1);
    assert_int_equal(set_programs_find(&set, &programs), 0);
}

struct noted {
    char text[256];
    FILE *to;
};

static int note(void *context, const bool *is_of)
{
    struct noted *noted = context;
    for (size_t i = 0; i < set.rank_count; i++)
        if (is_of[i])
            fprintf(noted->to, "%zu ", i);
    fputc('|', noted->to);
    return 0;
}

static void assert_each(const bool *is_taken, const char *expected)
{
    struct noted noted = {.text = ""};
    noted.to = fmemopen(noted.text, sizeof noted.text, "w");
    size_t untold = 1;
    assert_int_equal(set_programs_each(&programs, is_taken, note, &noted, &untold), 0);
    assert_int_equal(untold, 0);
    fclose(noted.to);
    assert_string_equal(noted.text, expected);
}

TEST(programs_are_the_launchers_or_of_a_step)
{
    const bool is_taken[] = {false, true, false, false, false, true, true, false};
    size_t count;
    add_all();
    assert_int_equal(programs.count, 5);
    assert_each(NULL, "0 2 |1 3 |4 |5 6 |7 |");
    assert_each(is_taken, "1 |5 6 |");
    assert_int_equal(set_programs_count(&programs, is_taken, &count), 0);
    assert_int_equal(count, 2);
}

static int note_own(void *context, const bool *is_of)
{
    size_t *told = context;
    assert_true(is_of[*told]);
    assert_true(*told == 0 || !is_of[*told - 1]);
    ++*told;
    return 0;
}

/* As a forged file has them: to walk all ranks for each is to walk ten thousand million. */
TEST(of_very_many_programs_some_are_told_and_the_others_counted)
{
    enum { RANKS = 100000 };
    const struct profile_rank rank = {.node = "n1", .step = 0, .size = 2};
    char line[128] = "";
    size_t told = 0, untold, count;
    set.ranks = calloc(RANKS, sizeof *set.ranks);
    assert_non_null(set.ranks);
    for (set.rank_count = 0; set.rank_count < RANKS; set.rank_count++) {
        set.ranks[set.rank_count] = rank;
        set.ranks[set.rank_count].program = RANKS - set.rank_count;
    }
    assert_int_equal(set_programs_find(&set, &programs), 0);
    assert_int_equal(programs.count, RANKS);
    assert_int_equal(set_programs_count(&programs, NULL, &count), 0);
    assert_int_equal(count, RANKS);
    assert_int_equal(set_programs_each(&programs, NULL, note_own, &told, &untold), 0);
    assert_int_equal(told, SET_PROGRAMS_TOLD);
    assert_int_equal(untold, RANKS - SET_PROGRAMS_TOLD);
    FILE *to = fmemopen(line, sizeof line, "w");
    set_programs_print_untold(0, to);
    set_programs_print_untold(untold, to);
    fclose(to);
    assert_string_equal(line,
                        "# 99744 other programs have no log here: --program NAME chooses one\n");
}

TEST(a_program_is_chosen_by_its_hash_or_name)
{
    static const struct {
        const char *word, *expected;
    } words[] = {
        {"bb", "1 3 |"}, {"/bin/bb", "1 3 |"}, {"0000000000000063", "0 2 |"}, {"-", "4 |5 6 |7 |"}};
    bool none[8] = {false};
    char line[256] = "";
    add_all();
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        bool is_of[8] = {false};
        assert_true(set_programs_choose(&programs, words[i].word, is_of));
        assert_each(is_of, words[i].expected);
    }
    assert_false(set_programs_choose(&programs, "b", none));
    assert_each(none, "");
    FILE *to = fmemopen(line, sizeof line, "w");
    set_programs_print(&programs, to);
    fclose(to);
    assert_string_equal(
        line, "# programs: 0000000000000063 a, 0000000000000062 bb, - prepare, - c, - finish\n");
}

/* The lines on ends of a program's ranks in `show --mpi`, or else in `show`. */
static void assert_ends(const bool *is_of, bool is_mpi, const char *expected)
{
    char text[1024] = "", *wanted = strdup(expected), *rest = wanted;
    FILE *to = fmemopen(text, sizeof text, "w");
    assert_non_null(wanted);
    if (is_mpi)
        assert_int_equal(routine_log_text(&set, is_of, true, to), 0);
    else
        assert_int_equal(profile_log_ends(&set, is_of, true, to), 0);
    fclose(to);
    for (char *line = strsep(&rest, "|"); line != NULL; line = strsep(&rest, "|"))
        if (strstr(text, line) == NULL)
            fail_msg("%s is not in %s", line, text);
    free(wanted);
}

static void kill_at(size_t rank, uint64_t second)
{
    struct profile_rank *killed = &set.ranks[rank];
    killed->flags = PROFILE_RANK_END_KNOWN;
    killed->way = PROFILE_WAY_SIGNALED;
    killed->status = SIGKILL;
    killed->end_at_ns = killed->end_min_ns = killed->end_max_ns = second * SECOND;
}

/* Of the one a rank is missing, which may have been killed before. */
TEST(who_was_killed_first_is_told_of_a_program)
{
    const bool of_a[8] = {true, false, true}, of_bb[8] = {false, true, false, true};
    add_all();
    kill_at(0, 20);
    kill_at(2, 21);
    kill_at(1, 31);
    kill_at(3, 30);
    assert_ends(
        of_a, false,
        "# rank 0 of 3, step 7, node n1, pid 50, ended first of those that are here: killed by "
        "SIGKILL, at |, at least 1.000000 s before the next one ended\n");
    assert_ends(
        of_bb, false,
        "# rank 1 of 2, step 0, node n1, pid 50, ended first: killed by SIGKILL, at |, at least "
        "1.000000 s before the next one ended\n");
}

TEST(a_rank_that_was_killed_outside_of_mpi_is_told)
{
    const bool of_a[8] = {true, false, true}, of_bb[8] = {false, true, false, true};
    struct profile_routine_entry entry = {
        .rank = 0, .calls = 1, .open = 1, .open_since_ns = SECOND, .flags = 1};
    add_all();
    kill_at(0, 20);
    kill_at(2, 21);
    kill_at(3, 30);
    setenv("TZ", "UTC", 1);
    assert_int_equal(name_table_add(&set.names, "MPI_Recv", &entry.name), 0);
    set.routines = calloc(1, sizeof entry);
    assert_non_null(set.routines);
    set.routines[0] = entry;
    set.routine_count = set.routine_room = 1;
    assert_ends(of_a, true,
                "# rank 0 of 3, step 7, node n1, pid 50: was in MPI_Recv since "
                "1970-01-01T00:00:01.000; killed by SIGKILL, at 1970-01-01T00:00:20.000\n|"
                "# rank 1 of 3, step 0, node n1, pid 50: was outside of MPI; killed by SIGKILL, at "
                "1970-01-01T00:00:21.000\n|"
                "# step 7: no profile of rank 2 of 3\n");
    assert_ends(of_bb, true,
                "# rank 1 of 2, step 0, node n1, pid 50: was in no counted call; killed by "
                "SIGKILL, at 1970-01-01T00:00:30.000\n");
}

EACH(begin, end)
