/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which packages get a record.
 */
#include "conf/compile.h"
#include "submit/flush/ledger_send.h"
#include "test/unit/fixture/cases.h"

#define RUN_A "0123456789abcdef0123456789abcdef"

/* A policy with these package rules. */
static void *policy_of(struct conf_rule *rules, size_t count)
{
    struct conf conf = {.path = (char *)"/c",
                        .spool = (char *)"/s",
                        .library = (char *)"/l",
                        .profile_directory = (char *)"",
                        .submit = (char *)"/j",
                        .hooks = (char *)"",
                        .package = {rules, count}};
    struct conf_error error;
    void *policy;
    size_t size;
    assert_int_equal(compile_policy(&conf, &policy, &size, &error), 0);
    return policy;
}

TEST(the_earlier_of_the_rules_for_name_and_path_decides)
{
    struct conf_rule rules[] = {
        {POLICY_KEEP, (char *)"python:name:known", 1, 1},
        {POLICY_SKIP, (char *)"python:path:/home/.*", 2, 1},
        {POLICY_SKIP, (char *)"python:name:_.*", 3, 1},
        {POLICY_KEEP, (char *)"python:path:.*/site-packages/.*", 4, 1},
        {POLICY_SKIP, (char *)"R:name:.*", 5, 1},
    };
    static const struct {
        const char *program, *name, *path;
        int kept;
    } cases[] = {
        {"python", "known", "/home/a/known.py", 1},
        {"python", "other", "/home/a/other.py", 0},
        {"python", "other", "/home/a/site-packages/other.py", 0},
        {"python", "_x", "/opt/site-packages/_x.py", 0},
        {"python", "x", "/opt/site-packages/x.py", 1},
        {"python", "x", "/opt/x.py", 1},
        {"R", "known", "", 0},
        {"octave", "_x", "", 1},
    };
    void *policy = policy_of(rules, sizeof rules / sizeof rules[0]);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct package package = {
            RUN_A, cases[i].program, cases[i].name, "", cases[i].path, 0, false};
        if (package_kept(policy, &package) != cases[i].kept)
            fail_msg("%s %s", cases[i].name, cases[i].path);
    }
    free(policy);
}
