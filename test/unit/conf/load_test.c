/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Reading jobtrail.conf: defaults, values, and each refusal with its place and hint.
 */
#include "conf/compile.h"
#include "conf/conf.h"
#include "conf/conf_rules.h"
#include "extensions.h"
#include "test/unit/fixture/cases.h"

/* conf_load() of a file with these bytes. */
static int load_bytes(const char *bytes, size_t size, struct conf *conf, struct conf_error *error)
{
    char path[] = "/tmp/conf_load_test.XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, size), size);
    close(fd);
    int rc = conf_load(path, conf, error);
    unlink(path);
    return rc;
}

static int load(const char *text, struct conf *conf, struct conf_error *error)
{
    return load_bytes(text, strlen(text), conf, error);
}

static struct conf loaded(const char *text)
{
    struct conf conf;
    struct conf_error error = {0};
    if (load(text, &conf, &error) != 0)
        fail_msg("%u:%u: %s", error.line, error.column, error.reason);
    return conf;
}

TEST(an_empty_file_gives_the_defaults)
{
    struct conf conf = loaded("");
    assert_int_equal(conf.path[0], '/');
    assert_string_equal(conf.cluster, "");
    assert_string_equal(conf.syshost, "");
    assert_string_equal(conf.timezone, "");
    assert_int_equal(conf.scheduler, CONF_SLURM);
    assert_string_equal(conf.spool, "/run/jobtrail");
    assert_int_equal(conf.ledger_bytes, 64u << 20);
    assert_int_equal(conf.mount, CONF_MOUNT_AUTO);
    assert_non_null(strstr(conf.library, "/libjobtrail.so"));
    assert_non_null(strstr(conf.submit, "/jobtrail-submit"));
    assert_string_equal(conf.state, "/var/lib/jobtrail");
    assert_int_equal(conf.epilog_timeout_s, 10);
    assert_int_equal(conf.job_timeout_s, 300);
    assert_int_equal(conf.job_cpu_s, 120);
    assert_int_equal(conf.hash_file_bytes, UINT64_C(4) << 30);
    assert_int_equal(conf.hash_objects, 0);
    assert_non_null(strstr(conf.hooks, "/jobtrail/hooks"));
    assert_string_equal(conf.transport, "file");
    assert_string_equal(conf.file_dir, "/var/spool/jobtrail/records");
    assert_string_equal(conf.answers_address, "");
    assert_string_equal(conf.answers_listen, "");
    assert_string_equal(conf.answers_user, "jobtrail");
    assert_string_equal(conf.munge_socket, "");
    assert_string_equal(conf.answers_store, "sqlite:/var/lib/jobtrail/jobtrail.db");
    assert_string_equal(conf.answers_see, "slurm");
    assert_string_equal(conf.answers_operators, "");
    assert_int_equal(conf.answers_requests, 16);
    assert_int_equal(conf.answers_time_s, 300);
    assert_int_equal(conf.answers_memory_bytes, UINT64_C(2) << 30);
    assert_int_equal(conf.answers_bytes, UINT64_C(1) << 30);
    assert_string_equal(conf.web_socket, "");
    assert_string_equal(conf.web_proxy_user, "");
    assert_string_equal(conf.library_patterns, "*.so *.so.* *.a *.mod *.smod");
    assert_string_equal(conf.library_except, "*.dpkg-new *.dpkg-tmp *;[0-9a-f]*");
    assert_string_equal(conf.library_owners, "");
    assert_string_equal(conf.library_state, "/var/lib/jobtrail/libraries");
    assert_string_equal(conf.library_logs, "/var/log/jobtrail/libraries");
    assert_int_equal(conf.library_log_bytes, 4u << 20);
    assert_int_equal(conf.library_log_files, 4);
    assert_string_equal(conf.library_list, "");
    assert_false(conf.library_watch);
    assert_string_equal(conf.library_use_logs, "");
    assert_false(conf.library_use_records);
    assert_false(conf.library_use_atime);
    assert_string_equal(conf.library_log_dir, "");
    assert_string_equal(conf.library_log_names, "");
    assert_int_equal(conf.witness, CONF_WITNESS_AUTO);
    assert_int_equal(conf.profile_steps, CONF_PROFILE_NONE);
    assert_int_equal(conf.profile_mode, CONF_PROFILE_LIGHT);
    assert_int_equal(conf.profile_bytes, 64 << 20);
    assert_string_equal(conf.profile_directory, "");
    assert_string_equal(conf.profile_samples, "none");
    assert_string_equal(conf.profile_logs, "none");
    assert_int_equal(conf.profile_user_bytes, 1 << 30);
    assert_int_equal(conf.profile.count, 8); /* shells, launchers, ... */
    assert_int_equal(conf.library_trees.count, 0);
    assert_int_equal(conf.library_names.count, 0);
    assert_int_equal(conf.library_groups.count, 0);
    assert_int_equal(conf.host.count, 0);
    assert_true(conf.path_rules.count > 0 && conf.env.count > 0);
    assert_int_equal(conf.path_rules.rule[0].line, 0);
    assert_true(conf.track_programs == CONF_PROGRAMS_ALL && !conf.catch_signals);
    assert_false(conf.track_system_tools);
    assert_true(conf_rule_is_system_tools(&conf, &conf.path_rules.rule[conf.path_rules.count - 1]));
    assert_int_equal(conf.command_line, POLICY_LINE_YES);
    assert_true(conf.redact_default && conf.redact.count > 0 && conf.redact.rule[0].line == 0);
    assert_false(conf.count_routines);
    assert_int_equal(conf.routine.count, 0);
    assert_int_equal(conf.sample, 0);
    assert_int_equal(conf.always_ranks, 128);
    assert_int_equal(conf.scalar.count, 3);
    assert_int_equal(conf.mpi.count, 3);
    for (int i = 0; i < CONF_KEYS; i++)
        assert_int_equal(conf.key_line[i], 0);
    conf_free(&conf);
}

TEST(each_key_takes_its_value)
{
    struct conf conf = loaded(
        "# comment\n"
        "[site]\ncluster = alpha\nsyshost: beta ; comment\ntimezone = Europe/Berlin\n"
        "scheduler = SGE\n"
        "[spool]\r\ndir = /scratch/%n/jt\r\nledger_size = 1M\n"
        "mount = no\n"
        "[preload]\nlibrary = /opt/$PLATFORM/libjobtrail.so\n"
        "[hooks]\ndir = \n"
        "[submit]\nprogram=/opt/bin/js\nstate=/s\nepilog_timeout=300\n"
        "job_timeout = 20\n"
        "hash_objects = yes\n"
        "job_cpu = 7\nhash_file_size = 3M\n"
        "[transport]\nuse = none\n\n   \n; comment\n[file]\ndir = /r\n"
        "[signature]\nkey_file = /etc/jobtrail/key\n"
        "[answers]\naddress = c:7315\nuser = jt\nmunge_socket = /m\nlisten = [::1]:0\nstore = "
        "sqlite:/x\n"
        "see = own\noperators = a, b\nrequests = 3\ntime = 9\nmemory = 1G\nsize "
        "= 1M\nweb_socket = /run/w\nweb_proxy_user = www\n"
        "[libraries]\ntree = /opt/my libs ; a comment\ntree = /sw\npatterns = *.so\nexcept "
        "=\nowners = build "
        "@sw\nstate = /ls\n"
        "logs =\nlog_size = 1M\nlog_files = 0\nlist = /li\nwatch = yes\nuse_logs = /us\n"
        "log_dir = /ul\nuse_records = yes\nuse_atime = yes\nlog_names = app-* x\n"
        "name = imsl  /sw/imsl*\nname = other *\n"
        "group = math imsl\n[witness]\nlevel = objects\n"
        "[profile]\nsteps = asked\nmode = exact\nsize = 2M\ndirectory = /kept\nsamples = "
        "0,4-7\nlogs = summary\nuser_size = 3M\nskip = /a\n"
        "[tracking]\nprograms = mpi\nsystem_tools = yes\nroutine_counts = yes\n"
        "[routines]\nkeep = soname:libx\\.so\n");
    assert_string_equal(conf.cluster, "alpha");
    assert_true(conf.count_routines);
    assert_int_equal(conf.track_programs, CONF_PROGRAMS_MPI);
    assert_int_equal(conf.routine.count, 1);
    assert_string_equal(conf.routine.rule[0].pattern, "soname:libx\\.so");
    assert_string_equal(conf.syshost, "beta");
    assert_int_equal(conf.scheduler, CONF_SGE);
    assert_string_equal(conf.timezone, "Europe/Berlin");
    assert_string_equal(conf.spool, "/scratch/%n/jt");
    assert_int_equal(conf.ledger_bytes, 1u << 20);
    assert_int_equal(conf.mount, CONF_MOUNT_NO);
    assert_string_equal(conf.library, "/opt/$PLATFORM/libjobtrail.so");
    assert_string_equal(conf.hooks, "");
    assert_string_equal(conf.submit, "/opt/bin/js");
    assert_string_equal(conf.state, "/s");
    assert_int_equal(conf.epilog_timeout_s, 300);
    assert_int_equal(conf.job_timeout_s, 20);
    assert_int_equal(conf.hash_objects, 1);
    assert_int_equal(conf.job_cpu_s, 7);
    assert_int_equal(conf.hash_file_bytes, 3u << 20);
    assert_string_equal(conf.transport, "none");
    assert_string_equal(conf.file_dir, "/r");
    assert_string_equal(conf.key_file, "/etc/jobtrail/key");
    assert_string_equal(conf.answers_address, "c:7315");
    assert_string_equal(conf.answers_user, "jt");
    assert_string_equal(conf.munge_socket, "/m");
    assert_string_equal(conf.answers_listen, "[::1]:0");
    assert_string_equal(conf.answers_store, "sqlite:/x");
    assert_string_equal(conf.answers_see, "own");
    assert_string_equal(conf.answers_operators, "a, b");
    assert_int_equal(conf.answers_requests, 3);
    assert_int_equal(conf.answers_time_s, 9);
    assert_int_equal(conf.answers_memory_bytes, 1u << 30);
    assert_int_equal(conf.answers_bytes, 1u << 20);
    assert_string_equal(conf.web_socket, "/run/w");
    assert_string_equal(conf.web_proxy_user, "www");
    assert_string_equal(conf.library_patterns, "*.so");
    assert_string_equal(conf.library_except, "");
    assert_string_equal(conf.library_owners, "build @sw");
    assert_string_equal(conf.library_state, "/ls");
    assert_string_equal(conf.library_logs, "");
    assert_int_equal(conf.library_log_bytes, 1u << 20);
    assert_int_equal(conf.library_log_files, 0);
    assert_string_equal(conf.library_list, "/li");
    assert_true(conf.library_watch);
    assert_string_equal(conf.library_use_logs, "/us");
    assert_true(conf.library_use_records);
    assert_true(conf.library_use_atime);
    assert_string_equal(conf.library_log_dir, "/ul");
    assert_string_equal(conf.library_log_names, "app-* x");
    assert_int_equal(conf.witness, CONF_WITNESS_OBJECTS);
    assert_int_equal(conf.profile_steps, CONF_PROFILE_ASKED);
    assert_int_equal(conf.profile_mode, CONF_PROFILE_EXACT);
    assert_int_equal(conf.profile_bytes, 2 << 20);
    assert_string_equal(conf.profile_directory, "/kept");
    assert_string_equal(conf.profile_samples, "0,4-7");
    assert_string_equal(conf.profile_logs, "summary");
    assert_int_equal(conf.profile_user_bytes, 3 << 20);
    assert_int_equal(conf.profile.count, 1);
    assert_int_equal(conf.library_trees.count, 2);
    assert_string_equal(conf.library_trees.line[0].text, "/opt/my libs");
    assert_int_equal(conf.library_names.count, 2);
    assert_string_equal(conf.library_names.line[0].name, "imsl");
    assert_string_equal(conf.library_names.line[0].text, "/sw/imsl*");
    assert_int_equal(conf.library_groups.count, 1);
    assert_true(conf.track_system_tools);
    assert_false(
        conf_rule_is_system_tools(&conf, &conf.path_rules.rule[conf.path_rules.count - 1]));
    assert_int_equal(conf.key_line[0], 3);
    conf_free(&conf);
}

TEST(a_token_may_go_to_this_host_or_by_tls)
{
    static const char *const urls[] = {"http://localhost/",      "http://localhost:8088/x",
                                       "http://127.0.0.1:1/",    "http://127.9.9.9",
                                       "http://[::1]:9/a@b",     "https://c.example.org/",
                                       "http://LocalHost?q=http"};
    for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, "[transport]\nuse = http\n[http]\ntoken_file = /t\nurl = %s\n",
                 urls[i]);
        struct conf conf = loaded(text);
        assert_string_equal(conf.http_url, urls[i]);
        conf_free(&conf);
    }
    /* one that is not used, or has nothing to tell, is as it may be */
    struct conf conf = loaded("[http]\ntoken_file = /t\nurl = http://c.example.org/\n");
    conf_free(&conf);
    conf = loaded("[transport]\nuse = http\n[http]\nurl = http://c.example.org/\n");
    conf_free(&conf);
}

TEST(rules_keep_their_order_and_place)
{
    struct conf conf = loaded("[paths]\nskip =  /a\nkeep=/b=c\npkgs = /d;e\n"
                              "[hosts]\nskip = n1\n[paths]\nskip = /f\n"
                              "[tracking]\nprograms = mpi\nsystem_tools = yes\n");
    static const struct {
        enum policy_action action;
        const char *pattern;
        unsigned line, column;
    } expected[] = {
        {POLICY_SKIP, "/a", 2, 9},
        {POLICY_KEEP, "/b=c", 3, 6},
        {POLICY_PKGS, "/d;e", 4, 8},
        {POLICY_SKIP, "/f", 8, 8},
    };
    assert_int_equal(conf.path_rules.count, 4);
    for (size_t i = 0; i < 4; i++) {
        const struct conf_rule *rule = &conf.path_rules.rule[i];
        assert_int_equal(rule->action, expected[i].action);
        assert_string_equal(rule->pattern, expected[i].pattern);
        assert_int_equal(rule->line, expected[i].line);
        assert_int_equal(rule->column, expected[i].column);
    }
    assert_int_equal(conf.host.count, 1);
    assert_int_equal(conf.env.rule[0].line, 0);
    conf_free(&conf);
}

TEST(the_longest_line_that_fits_is_read_whole)
{
    char text[300] = "[paths]\nskip = ";
    size_t start = strlen(text);
    struct conf_error error;
    struct conf conf;
    memset(text + start, 'x', 198 - strlen("skip = "));
    strcat(text, "\n");
    assert_int_equal(load(text, &conf, &error), 0);
    assert_int_equal(conf.path_rules.count, 3); /* and module commands, the system's tools */
    assert_int_equal(strlen(conf.path_rules.rule[0].pattern), 198 - strlen("skip = "));
    conf_free(&conf);
}

TEST(a_longer_line_is_refused_and_not_split)
{
    char text[300] = "[paths]\nskip = ";
    size_t start = strlen(text);
    struct conf_error error;
    struct conf conf;
    memset(text + start, 'x', 199 - strlen("skip = "));
    strcat(text, "\n");
    assert_int_equal(load(text, &conf, &error), -EINVAL);
    assert_int_equal(error.line, 2);
    assert_int_equal(error.column, 199);
    assert_string_equal(error.reason, "line too long");
    assert_string_equal(error.hint, "at most 198 bytes; split a pattern into several rules");
}

struct refusal {
    const char *text;
    unsigned line, column;
    const char *reason, *hint; /* a part of each */
};

static const struct refusal refusals[] = {
    {"[spool]\nmount = never\n", 2, 9, "neither yes nor no", "write auto, yes or no"},
    {"[sppol]\n", 1, 2, "unknown section 'sppol'", "lists them"},
    {"[whatever]\n", 1, 2, "unknown section", "lists them"},
    {"\n[spool\n", 2, 1, "no ']'", "write [SECTION]"},
    {"[spool] dir = /x\n", 1, 9, "text after", "line of its own"},
    {"dir = /x\n", 1, 1, "in no section", "write a [SECTION] line above it"},
    {"nope = /x\n", 1, 1, "in no section", "write a [SECTION] line above it"},
    {"[spool]\ndri = /x\n", 2, 1, "unknown key 'dri' in [spool]", "lists them"},
    {"[spool]\nlibrary = /x\n", 2, 1, "unknown key", "lists them"},
    {"[spool]\nfrobnicate = 1\n", 2, 1, "unknown key", "lists them"},
    {"[spool]\n= 1\n", 2, 1, "unknown key ''", "lists them"},
    {"[paths]\nskp = /x\n", 2, 1, "unknown key", "lists them"},
    {"[hosts]\npkgs = n1\n", 2, 1, "unknown key", "lists them"},
    {"[hosts]\ncustom = n1\n", 2, 1, "unknown key", "lists them"},
    {"[paths]\njump_1 = /x\n", 2, 1, "unknown key", "lists them"},
    {"[arguments]\njump_5 = /x;y\n", 2, 1, "unknown key", "lists them"},
    {"[arguments]\ncustom = /x;y\n", 2, 1, "unknown key", "lists them"},
    {"[arguments]\nskip = /x ;-c\n", 2, 11, "a ';' after a blank", "PATH;ARGUMENT"},
    {"[libraries]\ntrees = /x\n", 2, 1, "unknown key", "lists them"},
    {"[libraries]\nname = foo /opt/a ;b/*\n", 2, 19, "a ';' after a blank", "starts a comment"},
    {"[libraries]\nlogs = /x ;there\n", 2, 11, "a ';' after a blank", "starts a comment"},
    {"[libraries]\nstate = x\n", 2, 9, "not an absolute path", "start with '/'"},
    {"[libraries]\nlogs = x\n", 2, 8, "not an absolute path", "start with '/'"},
    {"[libraries]\nlog_size = 1\n", 2, 12, "size out of range", "1M to 1G"},
    {"[libraries]\nlog_files = 101\n", 2, 13, "out of range", "0 to 100"},
    {"[libraries]\nlist = x\n", 2, 8, "not an absolute path", "start with '/'"},
    {"[libraries]\nwatch = maybe\n", 2, 9, "neither yes nor no", "yes or no"},
    {"[libraries]\nuse_atime = 10\n", 2, 13, "neither yes nor no", "yes or no"},
    {"[libraries]\nuse_logs = x\n", 2, 12, "not an absolute path", "start with '/'"},
    {"[libraries]\nuse_records = file\n", 2, 15, "neither yes nor no", "yes or no"},
    {"[libraries]\nlog_dir = x\n", 2, 11, "not an absolute path", "start with '/'"},
#if JOBTRAIL_LIBRARIES
    {"[libraries]\ntree = x\n", 2, 8, "not an absolute path", "start with '/'"},
    {"[libraries]\ntree = /\n", 2, 8, "the whole system", "name the directories"},
    {"[libraries]\ntree = /x/../y\n", 2, 10, "own path", "'/..'"},
    {"[libraries]\ntree = /x/\n", 2, 10, "own path", "'/' at the end"},
    {"[libraries]\ntree = /x\ntree = /x/y\n", 3, 8, "inside of another", "outer one"},
    {"[libraries]\ntree = /x/y\ntree = /x\n", 3, 8, "inside of another", "outer one"},
    {"[libraries]\nname = imsl\n", 2, 12, "no pattern", "NAME and a PATTERN"},
    {"[libraries]\nname = a/b *\n", 2, 9, "not a name", "letters"},
    {"[libraries]\ngroup = .a *\n", 2, 9, "no name", "NAME and a PATTERN"},
    {"[libraries]\npatterns = /opt/*.so\n", 2, 12, "a '/' in a pattern", "as *.so"},
    {"[libraries]\npatterns =\n", 2, 11, "no pattern", "as *.so"},
    {"[libraries]\npatterns = *.so [abc\n", 2, 17, "without an end", "close '['"},
    {"[libraries]\nexcept = a\\\n", 2, 11, "without an end", "close '['"},
    {"[libraries]\npatterns = [!]a]* [[:digit:]] \\[ [abc *]\n", 2, 34, "without an end", "'['"},
    {"[libraries]\ntree = /opt/sw*\n", 2, 15, "a pattern", "name each directory"},
    {"[libraries]\ngroup = a b[\n", 2, 12, "without an end", "close '['"},
    {"[libraries]\nowners = a, b\n", 2, 11, "no name of a user", "USER or @GROUP"},
    {"[libraries]\nowners = a @\n", 2, 12, "no name of a user", "USER or @GROUP"},
    {"[libraries]\nexcept = a/b\n", 2, 11, "a '/' in a pattern", "as *.so"},
    {"[libraries]\nlog_names = a/*\n", 2, 14, "a '/' in a pattern", "as *.so"},
    {"[libraries]\nlogs = /l\nuse_logs = /l\n", 3, 1, "'use_logs' and 'logs'", "of its own"},
    {"[libraries]\nlog_dir = /l/a\nlogs = /l\n", 2, 1, "'log_dir' and 'logs'", "of its own"},
    {"[libraries]\nlog_dir = /l\nuse_logs = //l/./u/\n", 2, 1, "'log_dir' and 'use_logs'",
     "of its own"},
    {"[libraries]\nuse_logs = /var/log/jobtrail/libraries\n", 2, 1, "'use_logs' and 'logs'",
     "of its own"},
#endif
    {"[witness]\nlevel = yes\n", 2, 9, "unknown level", "write auto, off, ends or objects"},
    {"[profile]\nsteps = yes\n", 2, 9, "unknown kind of steps", "none, asked or all"},
    {"[profile]\nmode = quick\n", 2, 8, "unknown mode", "write light or exact"},
    {"[profile]\nsize = 2G\n", 2, 8, "out of range", "1G"},
    {"[profile]\nsamples = 4-1\n", 2, 11, "no list of numbers", "such as 0,4-7"},
    {"[profile]\nlogs = sumary\n", 2, 8, "no list of numbers", "none, summary, all, or"},
    {"[profile]\nuser_size = 2000G\n", 2, 13, "out of range", "1024G"},
    {"[tracking]\nsystem_tools = sed\n", 2, 16, "neither yes nor no", "yes or no"},
    {"[tracking]\nprograms = maybe\n", 2, 12, "unknown kind of programs", "all, scalar or mpi"},
    {"[sampling]\nenable = no\n", 2, 1, "unknown key", "lists them"},
    {"[sampling]\nscaler = 0 1\n", 2, 1, "unknown key", "lists them"},
    {"[sampling]\nprograms = 0 1\n", 2, 1, "unknown key", "lists them"},
    {"[tracking]\nroutine_counts = all\n", 2, 18, "neither yes nor no", "yes or no"},
#if JOBTRAIL_ROUTINES
    {"[routines]\nkeep = libm.so.6\n", 2, 8, "a pattern of no kind", "start with soname:"},
#endif
    {"[sampling]\nalways_ranks = 0\n", 2, 16, "out of range", "1 to 1000000000"},
    {"[sampling]\nalways_ranks = 12x\n", 2, 18, "not a number of ranks", "1 to 1000000000"},
    {"[sampling]\nscalar = 10 1\n", 2, 10, "does not start at 0", "start with 0"},
    {"[sampling]\nscalar = 0 1\nscalar = 0 1\n", 3, 10, "not later", "ascending"},
    {"[sampling]\nmpi = 0 1\nmpi = 1h 1\nmpi = 59m 1\n", 4, 7, "not later", "ascending"},
    {"[sampling]\nmpi = 0 1\nmpi = 1 1\nmpi = 2 1\nmpi = 3 1\nmpi = 4 1\nmpi = 5 1\nmpi = 6 1\nmpi "
     "= 7 1\nmpi = 8 1\nmpi = 9 1\nmpi = 10 1\nmpi = 11 1\nmpi = 12 1\nmpi = 13 1\nmpi = 14 1\nmpi "
     "= 15 1\nmpi = 16 1\n",
     18, 7, "more than 16", "join"},
    {"[sampling]\nmpi = 0\n", 2, 8, "no probability", "FROM PROBABILITY"},
    {"[sampling]\nmpi =\n", 2, 6, "not a time", "whole seconds"},
    {"[sampling]\nmpi = -1 1\n", 2, 7, "not a time", "whole seconds"},
    {"[sampling]\nmpi = 0d 1\n", 2, 8, "not a time", "s, m or h"},
    {"[sampling]\nmpi = 0.5 1\n", 2, 8, "not a time", "whole seconds"},
    {"[sampling]\nmpi = 1234567890 1\n", 2, 7, "not a time", "whole seconds"},
    {"[sampling]\nmpi = 999999h 1\n", 2, 7, "more than 10^9 seconds", "s, m or h"},
    {"[sampling]\nmpi = 0  0\n", 2, 10, "a probability of 0", "1:1000000"},
    {"[sampling]\nmpi = 0 0.000\n", 2, 9, "a probability of 0", "1:1000000"},
    {"[sampling]\nmpi = 0 1.01\n", 2, 9, "a probability above 1", "up to 1"},
    {"[sampling]\nmpi = 0 2\n", 2, 9, "a probability above 1", "up to 1"},
    {"[sampling]\nmpi = 0 1:0\n", 2, 9, "a probability above 1", "1:N"},
    {"[sampling]\nmpi = 0 2:3\n", 2, 9, "not a probability", "1:N"},
    {"[sampling]\nmpi = 0 1%\n", 2, 9, "not a probability", "decimal"},
    {"[sampling]\nmpi = 0 .5\n", 2, 9, "not a probability", "decimal"},
    {"[sampling]\nmpi = 0 1 1\n", 2, 9, "not a probability", "decimal"},
    {"[sampling]\nmpi = 0 0.1234567891\n", 2, 9, "not a probability", "decimal"},
    {"[spool]\njust text\n", 2, 1, "neither a comment", "'#'"},
    {"[spool]\ndir = /a\n[file]\n[spool]\ndir = /b\n", 5, 1, "given twice", "line 2"},
    {"[spool]\ndir = /a\n  /b\n", 3, 1, "starts with blanks", "cannot be continued"},
    {"[spool]\n dir = /a\n", 2, 1, "starts with blanks", "first column"},
    {"[site]\ncluster = a/b\n", 2, 12, "not a name", "letters"},
    {"[site]\nsyshost = .x\n", 2, 11, "starts with '.'", "letter"},
    {"[site]\ntimezone = Europe/Berln\n", 2, 12, "no time zone", "such as Europe/Berlin"},
    {"[site]\nscheduler = Torque\n", 2, 13, "unknown batch system", "PBS"},
    {"[site]\ntimezone = CET-1CEST\n", 2, 12, "no time zone", "tzdata"},
    {"[spool]\ndir = run\n", 2, 7, "not an absolute path", "start with '/'"},
    {"[spool]\ndir =\n", 2, 6, "not an absolute path", "start with '/'"},
    {"[spool]\ndir = /a/%n/%j\n", 2, 13, "unknown % sequence", "%n"},
    {"[spool]\ndir = /a%\n", 2, 9, "unknown % sequence", "%n"},
    {"[spool]\nledger_size = big\n", 2, 15, "not a size", "from 1M to 1G"},
    {"[spool]\nledger_size = 64MB\n", 2, 17, "not a size", "from 1M to 1G"},
    {"[spool]\nledger_size = 1023K\n", 2, 15, "out of range", "from 1M to 1G"},
    {"[spool]\nledger_size = 2G\n", 2, 15, "out of range", "from 1M to 1G"},
    {"[spool]\nledger_size = 99999999999999999999\n", 2, 15, "not a size", "from 1M to 1G"},
    {"[spool]\nledger_size = -1M\n", 2, 15, "not a size", "from 1M to 1G"},
    {"[hooks]\ndir = hooks\n", 2, 7, "not an absolute path", "start with '/'"},
    {"[hooks]\ndir = /a:/b\n", 2, 9, "PYTHONPATH", "another path"},
    {"[preload]\nlibrary = lib.so\n", 2, 11, "not an absolute path", "start with '/'"},
    {"[preload]\nlibrary = /a:/b\n", 2, 13, "LD_PRELOAD", "another path"},
    {"[preload]\nlibrary = /a /b\n", 2, 13, "LD_PRELOAD", "another path"},
    {"[preload]\nlibrary = /$ORIGIN/x\n", 2, 12, "unknown $ sequence", "$PLATFORM"},
    {"[submit]\nprogram = x\n", 2, 11, "not an absolute path", "start with '/'"},
    {"[submit]\nepilog_timeout = 0\n", 2, 18, "out of range", "1 to 300"},
    {"[submit]\nepilog_timeout = 301\n", 2, 18, "out of range", "1 to 300"},
    {"[submit]\nepilog_timeout = 10s\n", 2, 20, "not a number", "1 to 300"},
    {"[submit]\njob_cpu = 0\n", 2, 11, "out of range", "from 1 to 86400"},
    {"[submit]\nhash_file_size = 1025G\n", 2, 18, "size out of range", "1024G"},
    {"[submit]\nhash_objects = true\n", 2, 16, "neither yes nor no", "yes or no"},
    {"[answers]\naddress = collector\n", 2, 11, "no port", "HOST:PORT"},
    {"[answers]\naddress = ::1:70\n", 2, 11, "no port", "[] around"},
    {"[answers]\naddress = [::1:70\n", 2, 11, "no port", "[] around"},
    {"[answers]\nlisten = c:65536\n", 2, 11, "no port", "HOST:PORT"},
    {"[answers]\nlisten = c:80x\n", 2, 11, "no port", "HOST:PORT"},
    {"[answers]\nsee = some\n", 2, 7, "unknown value", "own, slurm or all"},
    {"[answers]\nrequests = 0\n", 2, 12, "out of range", "from 1 to 1000"},
    {"[answers]\nmemory = 1K\n", 2, 10, "out of range", "1024G"},
    {"[answers]\nweb_socket = run/w\n", 2, 14, "not an absolute path", "start with '/'"},
    {"[answers]\nweb_socket = /run/w\n", 2, 1, "needs web_proxy_user", "user of the web server"},
    {"[transport]\nuse = pigeon\n", 2, 7, "unknown transport", "some of file, syslog"},
    {"[transport]\nuse = file, pigeon\n", 2, 13, "unknown transport", "file"},
    {"[transport]\nuse = file file\n", 2, 12, "a transport twice", "once"},
    {"[transport]\nuse = file none\n", 2, 7, "none beside other", "none"},
    {"[transport]\nuse =\n", 2, 6, "no transport", "none"},
    {"[transport]\nuse = http\n", 2, 1, "has no url", "[http]"},
    {"[transport]\nuse = kafka\n", 2, 1, "has no brokers", "[kafka]"},
    {"[transport]\nuse = http\n[http]\nurl = http://c.example.org/\ntoken_file = /t\n", 4, 1,
     "in clear text", "https://"},
    {"[transport]\nuse = http\n[http]\ntoken_file = /t\nurl = HTTP://c.example.org/\n", 5, 7,
     "not a URL", "https://"},
    {"[transport]\nuse = http\n[http]\nurl = http://me:secret@c.example.org/\n", 4, 1,
     "in clear text", "https://"},
    {"[transport]\nuse = http\n[http]\ntoken_file = /t\nurl = http://127.0.0.1@evil.org/\n", 5, 1,
     "in clear text", "https://"},
    {"[transport]\nuse = http\n[http]\ntoken_file = /t\nurl = http://localhost.evil.org/\n", 5, 1,
     "in clear text", "https://"},
    {"[transport]\nuse = http\n[http]\ntoken_file = /t\nurl = http://localhost\\@evil.org/\n", 5, 1,
     "in clear text", "https://"},
    {"[transport]\nuse = http\n[http]\ntoken_file = /t\nurl = http://[::1]evil.org/\n", 5, 1,
     "in clear text", "https://"},
    {"[transport]\nuse = http\n[http]\ntoken_file = /t\nurl = http://127.1.evil.org/\n", 5, 1,
     "in clear text", "https://"},
    {"[http]\nurl = ftp://x\n", 2, 7, "not a URL", "https"},
    {"[http]\nformat = xml\n", 2, 10, "unknown value", "bulk"},
    {"[http]\nbatch = 0\n", 2, 9, "out of range", "10000"},
    {"[http]\nca = here\n", 2, 6, "absolute", "'/'"},
    {"[file]\nsubdirectories = x\n", 2, 18, "not a number", "9999"},
    {"[syslog]\nblock_size = 63\n", 2, 14, "out of range", "64"},
    {"[file]\ndir = records\n", 2, 7, "not an absolute path", "start with '/'"},
    {"[paths]\nskip =\n", 2, 7, "an empty pattern", "remove the line"},
    {"[paths]\nskip = ; x\n", 2, 8, "an empty pattern", "remove the line"},
    {"[spool]\njunk\n[qqqqqqqq]\n", 3, 2, "unknown section", "lists them"},
};

static void check_refusal(const struct refusal *refusal)
{
    struct conf conf = {.path = (char *)"untouched"};
    struct conf_error error = {0};
    if (load(refusal->text, &conf, &error) != -EINVAL)
        fail_msg("not refused: %s", refusal->text);
    if (error.line != refusal->line || error.column != refusal->column ||
        strstr(error.reason, refusal->reason) == NULL || strstr(error.hint, refusal->hint) == NULL)
        fail_msg("%s: %u:%u: %s (%s)", refusal->text, error.line, error.column, error.reason,
                 error.hint);
    assert_string_equal(conf.path, "untouched");
}

TEST(each_refusal_has_its_place_reason_and_hint)
{
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++)
        check_refusal(&refusals[i]);
}

TEST(a_nul_byte_is_refused)
{
    static const char bytes[] = "[site]\nclu\0ster = x\n";
    struct conf conf;
    struct conf_error error;
    assert_int_equal(load_bytes(bytes, sizeof bytes - 1, &conf, &error), -EINVAL);
    assert_int_equal(error.line, 2);
    assert_int_equal(error.column, 4);
}

TEST(a_missing_file_is_an_error)
{
    struct conf conf;
    struct conf_error error;
    char text[600];
    assert_int_equal(conf_load("/nonexistent/jobtrail.conf", &conf, &error), -ENOENT);
    conf_error_text(&error, text, sizeof text);
    assert_string_equal(text, "/nonexistent/jobtrail.conf: No such file or directory");
    assert_int_equal(conf_load("/", &conf, &error), -EISDIR);
}

TEST(an_error_reads_as_one_line)
{
    struct conf_error error = {"f", 3, 9, "bad", "good"};
    char text[64];
    conf_error_text(&error, text, sizeof text);
    assert_string_equal(text, "f:3:9: bad (good)");
    error.hint[0] = '\0';
    error.column = 0;
    conf_error_text(&error, text, sizeof text);
    assert_string_equal(text, "f:3: bad");
}

TEST(the_policy_lies_beside_the_configuration)
{
    static const char *const cases[][2] = {
        {"/etc/jobtrail.conf", "/etc/jobtrail.policy"},
        {"/etc/jobtrail", "/etc/jobtrail.policy"},
        {"x.conf.d", "x.conf.d.policy"},
    };
    for (size_t i = 0; i < 3; i++) {
        char *path = conf_policy_path(cases[i][0]);
        assert_string_equal(path, cases[i][1]);
        free(path);
    }
}

static void assert_same_rules(const struct conf_rules *a, const struct conf_rules *b)
{
    assert_int_equal(a->count, b->count);
    for (size_t i = 0; i < a->count; i++) {
        assert_int_equal(a->rule[i].action, b->rule[i].action);
        assert_string_equal(a->rule[i].pattern, b->rule[i].pattern);
    }
}

TEST(the_installed_file_says_what_is_built_in)
{
    struct conf built_in = loaded("");
    struct conf shipped;
    struct conf_error error;
    assert_int_equal(conf_load(SHIPPED_CONF, &shipped, &error), 0);
    assert_true(shipped.path_rules.rule[0].line > 0 && shipped.env.rule[0].line > 0);
    assert_same_rules(&shipped.host, &built_in.host);
    assert_same_rules(&shipped.path_rules, &built_in.path_rules);
    assert_same_rules(&shipped.env, &built_in.env);
    assert_same_rules(&shipped.profile, &built_in.profile);
    assert_same_rules(&shipped.redact, &built_in.redact);
    assert_same_rules(&shipped.argument, &built_in.argument); /* of module commands */
    assert_int_equal(shipped.package.count, 0);
    conf_free(&shipped);
    conf_free(&built_in);
}

TEST(rules_of_redact_come_before_the_built_in_ones)
{
    struct conf conf = loaded("[redact]\nhide = name:pin\n");
    size_t all = conf.redact.count;
    assert_string_equal(conf.redact.rule[0].pattern, "name:pin");
    assert_int_equal(conf.redact.rule[0].action, POLICY_HIDE);
    assert_int_equal(conf.redact.rule[0].line, 2);
    assert_int_equal(conf.redact.rule[1].line, 0);
    conf_free(&conf);
    conf = loaded("[tracking]\ncommand_line = no\nredact_default = no\n[redact]\nkeep = url:ftp\n");
    assert_true(all > 1 && conf.redact.count == 1);
    assert_int_equal(conf.command_line, POLICY_LINE_NO);
    conf_free(&conf);
}

TEST(the_built_in_rules_compile)
{
    struct conf conf = loaded("");
    struct conf_error error;
    void *bytes;
    size_t size;
    assert_int_equal(compile_policy(&conf, &bytes, &size, &error), 0);
    free(bytes);
    conf_free(&conf);
}
