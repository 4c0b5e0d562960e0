/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Who a user is outside of Slurm, and what a user is called.
 */
#include <pwd.h>
#include <stdio.h>

#include "spank/journal.h"
#include "submit/job/job_journal.h"
#include "test/unit/fixture/cases.h"

enum { NO_ACCOUNT = 3000000123u, ANY_GROUP = 77 };

TEST(a_user_outside_of_slurm_has_ids_a_name_and_a_node_and_nothing_else)
{
    struct job_identity identity;
    assert_int_equal(job_identity_of_user(0, ANY_GROUP, "n1", &identity), 0);
    assert_int_equal(identity.job, 0);
    assert_int_equal(identity.restart, 0);
    assert_int_equal(identity.array_job, JOURNAL_NONE);
    assert_int_equal(identity.array_task, JOURNAL_NONE);
    assert_int_equal(identity.het_job, JOURNAL_NONE);
    assert_int_equal(identity.uid, 0);
    assert_int_equal(identity.gid, 0); /* the account's, not that of the directory */
    assert_string_equal(identity.user, "root");
    assert_string_equal(identity.node, "n1");
    assert_string_equal(identity.account, "");
    assert_string_equal(identity.partition, "");
    assert_string_equal(identity.qos, "");
    assert_string_equal(identity.cluster, "");
    job_identity_free(&identity);
}

TEST(a_user_without_an_account_has_the_given_group_and_the_number)
{
    struct job_identity identity;
    char number[16];
    if (getpwuid(NO_ACCOUNT) != NULL)
        fail_msg("this machine has an account %u", NO_ACCOUNT);
    assert_int_equal(job_identity_of_user(NO_ACCOUNT, ANY_GROUP, "n1", &identity), 0);
    assert_int_equal(identity.uid, NO_ACCOUNT);
    assert_int_equal(identity.gid, ANY_GROUP);
    snprintf(number, sizeof number, "%u", (unsigned)NO_ACCOUNT);
    assert_string_equal(identity.user, number);
    job_identity_free(&identity);
}

TEST(a_known_name_is_kept_and_an_unknown_one_is_looked_up)
{
    struct job_identity identity;
    assert_int_equal(job_identity_start(&identity), 0);
    assert_int_equal(identity.uid, (uid_t)-1);
    assert_int_equal(identity.gid, (gid_t)-1);
    identity.uid = 0;
    assert_int_equal(job_identity_name_user(&identity), 0);
    assert_string_equal(identity.user, "root");
    identity.uid = getpwnam("nobody")->pw_uid;
    assert_int_equal(job_identity_name_user(&identity), 0);
    assert_string_equal(identity.user, "root");
    job_identity_free(&identity);
    assert_null(identity.user);
    job_identity_free(&identity);
}
