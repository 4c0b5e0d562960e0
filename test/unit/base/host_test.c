/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/base/host.h"

#include "test/unit/fixture/cases.h"

TEST(the_nodes_name_is_slurms_or_the_hosts)
{
    char host[256];
    setenv("SLURMD_NODENAME", "n7", 1);
    assert_string_equal(host_node(), "n7");
    assert_int_equal(gethostname(host, sizeof host), 0);
    host[strcspn(host, ".")] = '\0';
    setenv("SLURMD_NODENAME", "../../etc", 1); /* no name leads to another directory */
    assert_string_equal(host_node(), host);
    setenv("SLURMD_NODENAME", "", 1);
    assert_string_equal(host_node(), host);
    unsetenv("SLURMD_NODENAME");
    assert_string_equal(host_node(), host);
}

TEST(the_boot_has_an_id_on_one_line)
{
    char boot[HOST_BOOT_SIZE], again[HOST_BOOT_SIZE];
    host_boot(boot);
    host_boot(again);
    assert_int_equal(strlen(boot), 36);
    assert_int_equal(strspn(boot, "0123456789abcdef-"), 36);
    assert_string_equal(boot, again);
}
