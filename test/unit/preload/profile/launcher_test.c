/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What a launcher calls an MPI program.
 */
#include "preload/profile/launcher.h"
#include "test/unit/fixture/cases.h"

static uint64_t program_of(const char *one, const char *other)
{
    char *envp[] = {(char *)(uintptr_t)one, (char *)(uintptr_t)other, NULL};
    return launcher_program(envp);
}

TEST(the_environment_tells_it)
{
    uint64_t pmix = program_of("PMIX_NAMESPACE=a", "PMI_JOBID=7.0");
    assert_int_not_equal(pmix, 0);
    assert_int_equal(pmix, program_of("PMI_JOBID=7.0", "PMIX_NAMESPACE=a"));
    assert_int_equal(pmix, program_of("PMI_JOBID=a", "A=b"));
    assert_int_not_equal(pmix, program_of("PMI_JOBID=b", "A=b"));
    assert_int_equal(program_of("A=b", "PMI_RANK=0"), 0);
}

/* No process above the test is Hydra's. */
TEST(without_a_daemon_above_hydra_tells_nothing)
{
    assert_int_equal(program_of("PMI_FD=7", "PMI_RANK=0"), 0);
    assert_int_equal(program_of("PMI_FD=7", "PMI_JOBID=a"), program_of("PMI_JOBID=a", "A=b"));
}

TEST(the_daemons_port_is_the_argument_behind_the_option)
{
    static const char line[] = "hydra_pmi_proxy\0--rmk\0user\0--control-port\0n1:4711\0--proxy-id\0"
                               "0";
    assert_string_equal(launcher_port(line, sizeof line), "n1:4711");
    /* a line that is cut, even within the port, has none */
    for (size_t size = 0; size < sizeof line - sizeof "--proxy-id\0"
                                                      "0";
         size++)
        assert_null(launcher_port(line, size));
    static const char empty[] = "proxy\0--control-port\0\0x";
    assert_null(launcher_port(empty, sizeof empty));
    static const char last[] = "proxy\0--control-port";
    assert_null(launcher_port(last, sizeof last));
}
