/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Records that ordinary users hand in: what is taken of them, and what is not.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "flush.h"
#include "hand_in.h"

#define UUID "019a9f00-1122-4abc-8def-0102030405ff"

enum { GAMES = 5, MAN = 6 }; /* Debian's users of these names */

static char root[32], sessions_dir[64], records_dir[64], state_dir[64], spool_dir[64];
static struct conf conf;

static int set_up(void **state)
{
    (void)state;
    strcpy(root, "/tmp/submit_hand_in_test.XXXXXX");
    if (mkdtemp(root) == NULL || chmod(root, 0755) != 0)
        return -1;
    snprintf(sessions_dir, sizeof sessions_dir, "%s/sessions", root);
    snprintf(records_dir, sizeof records_dir, "%s/records", root);
    snprintf(state_dir, sizeof state_dir, "%s/state", root);
    snprintf(spool_dir, sizeof spool_dir, "%s/spool", root);
    conf = (struct conf){
        .spool = spool_dir,
        .sessions = sessions_dir,
        .state = state_dir,
        .transport = (char *)"file",
        .file_dir = records_dir,
        .file_fsync = (char *)"no",
        .outbox_bytes = 64 << 20,
        .epilog_timeout_s = 60,
    };
    return 0;
}

static int tear_down(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command);
}

static struct flush_count flush(void)
{
    const struct flush_options options = {.node = "n1", .sessions = 1};
    struct flush_count count;
    assert_int_equal(flush_run(&conf, &options, &count), 0);
    return count;
}

static int hand_in_as(uid_t uid, const char *name, const char *text)
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        if (setresgid(uid, uid, uid) != 0 || setresuid(uid, uid, uid) != 0)
            _exit(255);
        _exit(-hand_in(&conf, &(struct transport_record){name, text, strlen(text)}));
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return -WEXITSTATUS(status);
}

static int delivered(void)
{
    DIR *listing = opendir(records_dir);
    int count = 0;
    for (struct dirent *entry; listing != NULL && (entry = readdir(listing)) != NULL;)
        count += entry->d_name[0] != '.';
    if (listing != NULL)
        closedir(listing);
    return count;
}

static void a_users_record_is_taken_once(void **state)
{
    (void)state;
    flush(); /* makes the directory */
    assert_int_equal(hand_in_as(GAMES, "link.lab.2024.games." UUID ".json", "{\"a\":1}"), 0);
    assert_int_equal(hand_in_as(GAMES, "pkg.lab.2024.games." UUID ".0123456789ab.json", "{}\n"), 0);
    assert_int_equal(hand_in_as(MAN, "link.lab.2024.man." UUID ".json", "{\"b\":2}"), 0);
    assert_int_equal(flush().records, 3);
    assert_int_equal(delivered(), 3);
    assert_int_equal(flush().records, 0);
}

static void roots_record_goes_to_the_outbox_at_once(void **state)
{
    char path[128];
    const struct transport_record record = {"link.lab.2024.root." UUID ".json", "{}", 2};
    (void)state;
    assert_int_equal(hand_in(&conf, &record), 0);
    snprintf(path, sizeof path, "%s/outbox/file", state_dir);
    assert_int_equal(access(path, F_OK), 0);
    flush();
    assert_int_equal(delivered(), 1);
}

static void what_is_no_record_of_the_users_own_is_left(void **state)
{
    static const char *const names[] = {
        "link.lab.2024.man." UUID ".json",      /* another's */
        "run.lab.2024.games.zzz." UUID ".json", /* root makes these */
        "link.lab.2024.gamesome." UUID ".json", "link.lab.2024.games.x.json", "nothing",
    };
    static const char *const texts[] = {"", "[]", "{\"a\":\"\n\"}", "{\xff}", "{"};
    char path[256], name[128];
    (void)state;
    flush();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_int_equal(hand_in_as(GAMES, names[i], "{}"), 0);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        snprintf(name, sizeof name, "link.lab.%zu.games." UUID ".json", i);
        assert_int_equal(hand_in_as(GAMES, name, texts[i]), 0);
    }
    snprintf(path, sizeof path, "%s/5/records/link.lab.a.games." UUID ".json", sessions_dir);
    assert_int_equal(symlink("/etc/hostname", path), 0);
    snprintf(path, sizeof path, "%s/5/records/link.lab.b.games." UUID ".json", sessions_dir);
    assert_int_equal(mkfifo(path, 0666), 0);
    snprintf(path, sizeof path, "%s/5/records/link.lab.c.games." UUID ".json", sessions_dir);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644); /* root's file */
    assert_int_equal(write(fd, "{}", 2), 2);
    close(fd);
    assert_int_equal(flush().records, 0);
    assert_int_equal(delivered(), 0);
    assert_int_equal(hand_in_as(GAMES, "link.lab.2024.games." UUID ".json", "{}"), 0);
    assert_int_equal(flush().records, 1);
}

static void without_a_place_for_sessions_nothing_is_handed_in(void **state)
{
    (void)state;
    assert_int_equal(hand_in_as(GAMES, "link.lab.2024.games." UUID ".json", "{}"), -ENOENT);
    conf.sessions = (char *)"";
    assert_int_equal(hand_in_as(GAMES, "link.lab.2024.games." UUID ".json", "{}"), -ENOENT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_users_record_is_taken_once),
        TEST(roots_record_goes_to_the_outbox_at_once),
        TEST(what_is_no_record_of_the_users_own_is_left),
        TEST(without_a_place_for_sessions_nothing_is_handed_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
