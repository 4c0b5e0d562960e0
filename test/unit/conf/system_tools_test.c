/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Which executables are small tools of the system, and what brings them back.
 */
#include "conf/conf_rules.h"
#include "conf/policy/policy_read.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_policy.h"

/* What `policy` decides about an executable. */
static enum policy_action action_of(const void *policy, const char *path)
{
    return policy_decide(policy, path, strlen(path), 0, NULL, NULL).action;
}

static void check_all(const char *text, const char *const paths[], enum policy_action expected)
{
    void *policy = compiled(text);
    for (size_t i = 0; paths[i] != NULL; i++)
        if (action_of(policy, paths[i]) != expected)
            fail_msg("%s: %d", paths[i], action_of(policy, paths[i]));
    free(policy);
}

/* Real paths: of Debian, of Red Hat, with and without a merged /usr. */
static const char *const tools[] = {
    "/usr/bin/dash",
    "/bin/dash",
    "/usr/bin/bash",
    "/bin/bash",
    "/usr/bin/zsh-5.8",
    "/bin/busybox",
    "/usr/bin/sed",
    "/bin/sed",
    "/usr/bin/mawk",
    "/usr/bin/gawk",
    "/usr/bin/grep",
    "/usr/bin/egrep",
    "/usr/bin/[",
    "/usr/bin/cat",
    "/bin/ls",
    "/usr/bin/sha256sum",
    "/usr/bin/md5sum",
    "/usr/bin/sum",
    "/usr/bin/coreutils",
    "/usr/lib/cargo/bin/coreutils/rm",
    "/usr/bin/env",
    "/usr/bin/nice",
    "/usr/bin/timeout",
    "/usr/bin/time",
    "/usr/bin/xargs",
    "/usr/bin/find",
    "/usr/bin/uname",
    "/bin/uname",
    "/usr/bin/hostname",
    "/bin/hostname",
    "/usr/bin/mktemp",
    "/usr/bin/getopt",
    "/usr/bin/tput",
    "/usr/bin/lesspipe",
    "/usr/bin/tar",
    "/bin/tar",
    "/usr/bin/gzip",
    "/usr/bin/xz",
    "/usr/bin/zstd",
    "/usr/bin/bzip2",
    "/usr/bin/unzip",
    "/usr/bin/ps",
    "/bin/ps",
    "/usr/bin/pgrep",
    "/usr/sbin/killall5",
    "/usr/bin/kmod",
    "/sbin/ldconfig",
    "/usr/sbin/ldconfig.real",
    "/usr/bin/which",
    "/usr/bin/diff3",
    "/usr/bin/lscpu",
    "/usr/sbin/ip",
    "/usr/sbin/sysctl",
    "/usr/bin/systemctl",
    "/lib/systemd/systemd-user-runtime-dir",
    "/usr/bin/sleep",
    "/usr/bin/yes",
    "/usr/bin/flock",
    "/usr/bin/logger",
    "/usr/bin/numactl",
    "/usr/bin/taskset",
    "/usr/bin/getconf",
    "/usr/bin/Rscript",
    "/usr/lib64/R/bin/Rscript",
    "/opt/R/4.3/bin/Rscript",
    NULL,
};

TEST(the_systems_tools_are_skipped)
{
    check_all("", tools, POLICY_SKIP);
}

TEST(rules_of_the_file_do_not_replace_the_list)
{
    check_all("[paths]\nskip = /opt/site/.*\n", tools, POLICY_SKIP);
}

TEST(tools_elsewhere_and_software_of_the_system_are_kept)
{
    static const char *const software[] = {
        "/home/ann/bin/sed",
        "/usr/local/bin/sed",
        "/opt/coreutils/9.4/bin/ls",
        "/home/ann/usr/bin/sed",
        "/srv/usr/bin/cat",
        "/usr/bin/sed/x",
        "/usr/bin/sedx",
        "/usr/bin/x",
        "/usr/bin/ssh",
        "/usr/bin/git",
        "/usr/lib/git-core/git-remote-http",
        "/usr/libexec/git-core/git-remote-http",
        "/usr/bin/make",
        "/usr/bin/cmake",
        "/usr/bin/x86_64-linux-gnu-gcc-12",
        "/usr/bin/gcc",
        "/usr/lib/gcc/x86_64-linux-gnu/12/cc1",
        "/usr/libexec/gcc/x86_64-redhat-linux/11/cc1",
        "/usr/lib/jvm/java-17-openjdk-amd64/bin/java",
        "/usr/bin/gnuplot",
        "/usr/bin/rsync",
        "/usr/bin/curl",
        "/usr/bin/vim.basic",
        "/usr/bin/node",
        "/usr/bin/julia",
        "/usr/bin/convert-im6.q16",
        "/usr/bin/ffmpeg",
        NULL,
    };
    static const char *const packaged[] = {
        "/usr/bin/python3.11",
        "/usr/bin/perl",
        "/usr/lib/R/bin/exec/R",
        "/usr/bin/octave-cli-7.3.0",
        NULL,
    };
    check_all("", software, POLICY_KEEP);
    check_all("", packaged, POLICY_PKGS);
}

TEST(the_switch_and_the_rules_of_the_file_bring_them_back)
{
    static const char *const sed[] = {"/usr/bin/sed", NULL};
    static const char *const cat[] = {"/usr/bin/cat", NULL};
    check_all("[tracking]\nsystem_tools = yes\n[paths]\nskip = /opt/x\n", tools, POLICY_KEEP);
    check_all("[paths]\nkeep = .*\n", tools, POLICY_KEEP);
    check_all("[paths]\nkeep = /usr/bin/sed\n", sed, POLICY_KEEP);
    check_all("[paths]\nkeep = /usr/bin/sed\n", cat, POLICY_SKIP);
    check_all("[paths]\npkgs = /usr/bin/sed\n", sed, POLICY_PKGS);
}

/* jobtrail-conf show prints them as comments, which an administrator may make rules of. */
TEST(each_pattern_fits_into_a_line)
{
    for (size_t i = 0; system_tools[i] != NULL; i++)
        if (strlen("#skip = ") + strlen(system_tools[i]) > 198)
            fail_msg("%zu bytes: %s", strlen(system_tools[i]), system_tools[i]);
}
