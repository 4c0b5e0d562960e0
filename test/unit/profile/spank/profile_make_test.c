/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The file for profiles, as root makes it.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "conf/base/clocks.h"
#include "conf/base/host.h"
#include "contrib/profile/spank/profile_make.h"
#include "preload/profile/profile_file.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_tree.h"

TEST(a_profile_has_its_size_its_counter_and_few_blocks)
{
    struct profile_header header;
    struct stat status;
    char boot[HOST_BOOT_SIZE];
    int job = open(made_tree, O_DIRECTORY | O_CLOEXEC);
    assert_int_equal(spool_make_profile(job, geteuid(), getegid(), 64 << 20), 0);
    int fd = openat(job, PROFILE_NAME, O_RDONLY | O_CLOEXEC);
    assert_int_equal(fstat(fd, &status), 0);
    assert_int_equal(status.st_size, 64 << 20);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_true(status.st_blocks * 512 <= 1 << 20);
    assert_int_equal(read(fd, &header, sizeof header), sizeof header);
    assert_true(header.magic == PROFILE_MAGIC && header.size_bytes == 64 << 20);
    assert_int_equal(header.used_bytes, PROFILE_PAGE);
    assert_int_equal(header.counter, cycles_are_clock() ? PROFILE_CYCLES : PROFILE_COARSE);
    assert_true(header.made.ticks != 0 && header.made.boot_ns != 0 && header.made.real_ns != 0);
    host_boot(boot);
    assert_string_equal(header.boot, boot);
    close(fd);
    assert_int_equal(spool_make_profile(job, geteuid(), getegid(), 1 << 20), 0); /* it stays */
    assert_int_equal(fstatat(job, PROFILE_NAME, &status, 0), 0);
    assert_int_equal(status.st_size, 64 << 20);
    close(job);
}

ALL(made_tree_set_up, made_tree_tear_down)
