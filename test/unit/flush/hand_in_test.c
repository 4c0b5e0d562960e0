/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Records that ordinary users hand in: what is taken of them, and what is not.
 */
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "conf/base/crc.h"
#include "spank/job_formats.h"
#include "submit/flush/flush.h"
#include "submit/hand_in/hand_in_check.h"
#include "submit/hand_in/link_send.h"
#include "submit/job/spool_read.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_tree.h"

#define UUID "019a9f00-1122-4abc-8def-0102030405ff"

#define LINK_OF(date, user) "link.lab." date "." user "." UUID ".json"

enum { GAMES = 5, MAN = 6 }; /* Debian's users of these names */

static char sessions_dir[64], records_dir[64], state_dir[64], spool_dir[64];
static struct conf conf;

static int set_up(void **state)
{
    if (made_tree_set_up(state) != 0)
        return -1;
    snprintf(sessions_dir, sizeof sessions_dir, "%s/sessions", made_tree);
    snprintf(records_dir, sizeof records_dir, "%s/records", made_tree);
    snprintf(state_dir, sizeof state_dir, "%s/state", made_tree);
    snprintf(spool_dir, sizeof spool_dir, "%s/spool", made_tree);
    conf = (struct conf){
        .spool = spool_dir,
        .sessions = sessions_dir,
        .state = state_dir,
        .transport = (char *)"file",
        .key_file = (char *)"",
        .file_dir = records_dir,
        .outbox_bytes = 64 << 20,
        .job_timeout_s = 60,
        .job_cpu_s = 60,
        .epilog_timeout_s = 60,
    };
    return 0;
}

static struct flush_count flush(void)
{
    const struct flush_options options = {.node = "n1", .sessions = 1};
    struct flush_count count;
    assert_int_equal(flush_run(&conf, &options, &count), 0);
    return count;
}

/* Runs `act` as a user, with `context`; returns what it did, 0 to 255. */
static int as(uid_t uid, int (*act)(const void *), const void *context)
{
    int status;
    if (geteuid() != 0)
        skip();
    pid_t pid = fork();
    if (pid == 0) {
        if (setgroups(0, NULL) != 0 || setresgid(uid, uid, uid) != 0 ||
            setresuid(uid, uid, uid) != 0)
            _exit(255);
        _exit(act(context));
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int give(const void *record)
{
    return -hand_in(&conf, record);
}

static bool text_is_taken(const char *name, const char *user_name, const char *text)
{
    const struct record_view record = record_view(name, text, strlen(text));
    return hand_in_text_fits(&record, user_name, GAMES);
}

static int hand_in_as(uid_t uid, const char *name, const char *text)
{
    const struct record_view record = record_view(name, text, strlen(text));
    return -as(uid, give, &record);
}

/* The record of a link, as far as a flush looks at it. */
static const char *link_of(const char *user)
{
    static char text[512];
    snprintf(text, sizeof text, "{\"resultT\":{\"build_user\":\"%s\",\"uuid\":\"" UUID "\"}}",
             user);
    return text;
}

static int names_in(const char *path)
{
    DIR *listing = opendir(path);
    int count = 0;
    for (struct dirent *entry; listing != NULL && (entry = readdir(listing)) != NULL;)
        count += entry->d_name[0] != '.';
    if (listing != NULL)
        closedir(listing);
    return count;
}

/* What a user has in this directory of his. */
static int left(uid_t uid, const char *directory)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%u/%s", sessions_dir, (unsigned)uid, directory);
    return names_in(path);
}

static int delivered(void)
{
    return names_in(records_dir);
}

TEST(a_users_record_is_taken_once)
{
    flush(); /* makes the directory */
    assert_int_equal(hand_in_as(GAMES, LINK_OF("a", "games"), link_of("games")), 0);
    assert_int_equal(hand_in_as(GAMES, LINK_OF("b", "games"),
                                "{\"resultT\":{\"build_user\":\"games\",\"uuid\":\"" UUID
                                "\"},\"linkA\":[[\"/a\\ud83d\\ude00\",\"0\"]]}\n"),
                     0);
    assert_int_equal(hand_in_as(MAN, LINK_OF("a", "man"), link_of("man")), 0);
    assert_int_equal(flush().records, 3);
    assert_int_equal(delivered(), 3);
    assert_int_equal(flush().records, 0);
    assert_int_equal(left(GAMES, "records") + left(GAMES, "refused"), 0);
}

TEST(roots_record_goes_to_the_outbox_at_once)
{
    char path[128];
    const struct record_view record = record_view(LINK_OF("a", "root"), "{}", 2);
    if (geteuid() != 0)
        skip();
    assert_int_equal(hand_in(&conf, &record), 0);
    snprintf(path, sizeof path, "%s/outbox/file", state_dir);
    assert_int_equal(access(path, F_OK), 0);
    flush();
    assert_int_equal(delivered(), 1);
}

TEST(what_is_no_record_of_the_users_own_is_put_aside)
{
    static const char *const names[] = {
        "run.lab.a.games.zzz." UUID ".json",  /* root makes these */
        "coverage.lab.a.games." UUID ".json", /* and these */
        "link.lab.a.games.x." UUID ".json",   /* of a user games.x */
        "link.lab.a.games.x.json",
        "link.lab.a.games." UUID ".0123456789ab.json",
        "pkg.lab.a.games." UUID ".json", /* and these are told in the run's directory */
        "link.l\tab.a.games." UUID ".json",
        "link.l\"ab.a.games." UUID ".json", /* transports put it into JSON */
        "link.l\\ab.a.games." UUID ".json",
        "nothing",
    };
    static const char *const texts[] = {
        "",
        "[]",
        "{",
        "{}",
        "{\"resultT\":{\"build_user\":\"games\",\n\"uuid\":\"" UUID "\"}}",
        "{\"resultT\":{\"build_user\":\"g\xc3\xa4mes\",\"uuid\":\"" UUID "\"}}",
        "{\"resultT\":{\"build_user\":\"games\",\"uuid\":\"019a9f00-1122-4abc-8def-0102030405fe\"}"
        "}",
        "{\"resultT\":{\"build_user\":\"games\",\"uuid\":\"" UUID "\"}}{}",
        "{\"resultT\":{\"build_user\":\"man\",\"build_user\":\"games\",\"uuid\":\"" UUID "\"}}",
        "{\"resultT\":{\"build_user\":[\"man\"],\"uuid\":\"" UUID "\"}}",
        "{\"resultT\":{\"build_user\":\"man\"},\"resultT\":{\"build_user\":\"games\",\"uuid\":"
        "\"" UUID "\"}}",
    };
    const int bad = (int)(sizeof names / sizeof names[0] + sizeof texts / sizeof texts[0]);
    char name[128];
    flush();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_int_equal(hand_in_as(GAMES, names[i], link_of("games")), 0);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        snprintf(name, sizeof name, "link.lab.%zu.games." UUID ".json", i);
        assert_int_equal(hand_in_as(GAMES, name, texts[i]), 0);
    }
    struct flush_count count = flush();
    assert_int_equal(count.records, 0);
    assert_int_equal(count.damaged, bad);
    assert_int_equal(delivered(), 0);
    assert_int_equal(left(GAMES, "records"), 0);
    assert_int_equal(left(GAMES, "refused"), bad);
    assert_int_equal(hand_in_as(GAMES, LINK_OF("a", "games"), link_of("games")), 0);
    count = flush();
    assert_int_equal(count.records, 1);
    assert_int_equal(count.damaged, 0);
}

#define IN_LINK(rest) "{\"resultT\":{\"build_user\":\"games\",\"uuid\":\"" UUID "\"}," rest "}"

/* What says more than a link: it is somebody else's run, package or coverage to a reader who looks
 * for their keys first. And JSON that not every reader takes, or takes alike. */
static const char *const forged_links[] = {
    IN_LINK("\"userT\":{\"run_uuid\":\"" UUID "\",\"user\":\"root\"}"),
    IN_LINK("\"slurmT\":{\"job_id\":1}"),
    IN_LINK("\"xalt_run_uuid\":\"" UUID "\""),
    IN_LINK("\"ownerT\":{\"user\":\"root\"}"),
    IN_LINK("\"coverageT\":{\"uuid\":\"" UUID "\"},\"coverageA\":[]"),
    IN_LINK("\"signature\":\"0\""),
    IN_LINK("\"laterT\":{}"),
    IN_LINK("\"\":0"),
    IN_LINK("\"LinkA\":[]"),
    IN_LINK("\"link\\u0041\":[]"),
    IN_LINK("\"linkA\":[],\"linkA\":[]"),
    IN_LINK("\"resultT\":{\"build_user\":\"root\"}"),
    IN_LINK("\"ResultT\":{\"build_user\":\"root\"}"),
    IN_LINK("\"linkA\":[NaN]"),
    IN_LINK("\"linkA\":NaN"),
    IN_LINK("\"linkA\":[-Infinity]"),
    IN_LINK("\"linkA\":[1e]"),
    IN_LINK("\"linkA\":[01]"),
    IN_LINK("\"linkA\":[1,]"),
    IN_LINK("\"linkA\":[\"\\ud83d\"]"),
    IN_LINK("\"linkA\":[\"\\ude00\\ud83d\"]"),
    IN_LINK("\"linkA\":[\"\\ud83d\\u0041\"]"),
    IN_LINK("\"linkA\":[\"\\ud83d\\ud83d\\ude00\"]"),
    "{\"resultT\":{\"build_epoch\":NaN,\"build_user\":\"games\",\"uuid\":\"" UUID "\"}}",
    "{\"resultT\":{\"build_user\":\"games\",\"uuid\":\"" UUID "\",\"Build_User\":\"root\"}}",
    "{\"resultT\":{\"build_user\":\"games\",\"uuid\":\"" UUID "\",\"build\\u005fuser\":\"root\"}}",
};

enum { FORGED = sizeof forged_links / sizeof forged_links[0] };

TEST(a_link_that_says_more_than_a_link_is_put_aside)
{
    flush();
    for (int i = 0; i < FORGED; i++) {
        assert_int_equal(hand_in_as(GAMES, LINK_OF("a", "games"), forged_links[i]), 0);
        struct flush_count count = flush();
        if (count.records != 0 || count.damaged != 1 || delivered() != 0)
            fail_msg("taken: %s", forged_links[i]);
        assert_int_equal(left(GAMES, "records"), 0);
    }
}

static void expect_link_of(const char *name, const char *text)
{
    char path[256], found[512];
    snprintf(path, sizeof path, "%s/%s", records_dir, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = read(fd, found, sizeof found - 1);
    assert_true(size > 0);
    found[size] = '\0';
    close(fd);
    assert_string_equal(found, text);
    assert_int_equal(unlink(path), 0);
}

/* The name in a record is $USER, which users and containers set. */
TEST(a_link_is_its_owners_whatever_name_it_has)
{
    static const struct {
        const char *in_name, *in_text;
    } cases[] = {{"man", "man"},     {"games", "man"},   {"man", "games"},
                 {"Games", "Games"}, {"root", "root"},   {"gamesome", "a.b \\u00e9"},
                 {"", ""},           {"games", "games"}, {"x_y", "games\\u0000"}};
    char name[128], text[600];
    flush();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(name, sizeof name, "link.lab.a.%s." UUID ".json", cases[i].in_name);
        assert_int_equal(hand_in_as(GAMES, name, link_of(cases[i].in_text)), 0);
        struct flush_count count = flush();
        assert_int_equal(count.records, 1);
        assert_int_equal(count.damaged, 0);
        assert_int_equal(delivered(), 1);
        snprintf(text, sizeof text, "%s\n", link_of("games"));
        expect_link_of(LINK_OF("a", "games"), text);
        assert_int_equal(left(GAMES, "records") + left(GAMES, "refused"), 0);
    }
    /* one that is there twice is one record */
    assert_int_equal(hand_in_as(GAMES, LINK_OF("a", "games"), link_of("games")), 0);
    assert_int_equal(hand_in_as(GAMES, LINK_OF("a", "man"), link_of("man")), 0);
    struct flush_count count = flush();
    assert_true(count.records == 1 && count.damaged == 1);
    assert_int_equal(left(GAMES, "records"), 0);
    /* a CRC is that of what the record says now */
    assert_int_equal(
        hand_in_as(GAMES, LINK_OF("b", "man"),
                   "{\"crc\":\"0x0000\",\"resultT\":{\"build_user\":\"man\",\"uuid\":\"" UUID
                   "\"}}"),
        0);
    assert_int_equal(flush().records, 1);
    snprintf(text, sizeof text,
             "{\"crc\":\"0xFFFF\",\"resultT\":{\"build_user\":\"games\",\"uuid\":\"" UUID "\"}}\n");
    char crc[7];
    snprintf(crc, sizeof crc, "0x%04X", crc16(text, strlen(text) - 1));
    memcpy(text + 8, crc, 6);
    expect_link_of(LINK_OF("b", "games"), text);
}

/* The reader has become the user: he may have got it under control. The linker puts this one in. */
static int reader_takes_all;

bool __real_hand_in_text_fits(const struct record_view *record, const char *user_name, uid_t uid);
bool __wrap_hand_in_text_fits(const struct record_view *record, const char *user_name, uid_t uid);

bool __wrap_hand_in_text_fits(const struct record_view *record, const char *user_name, uid_t uid)
{
    return reader_takes_all || __real_hand_in_text_fits(record, user_name, uid);
}

static void the_reader_is_not_believed(const char *text)
{
    assert_int_equal(hand_in_as(GAMES, LINK_OF("a", "games"), text), 0);
    reader_takes_all = 1;
    struct flush_count count = flush();
    reader_takes_all = 0;
    if (count.records != 0 || count.failed != 1 || delivered() != 0)
        fail_msg("taken: %s", text);
}

TEST(what_the_reader_takes_for_a_record_is_not_believed)
{
    static const char *const texts[] = {
        "{\"resultT\":{\"build_user\":\"man\",\"uuid\":\"" UUID "\"}}",
        "{\"resultT\":{\"build_user\":\"games\",\"uuid\":\"" UUID "\",\"build_user\":\"man\"}}",
        "{\"resultT\":{\"build_user\":\"games\",\"uuid\":\"019a9f00-1122-4abc-8def-0102030405fe\"}"
        "}",
    };
    flush();
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        the_reader_is_not_believed(texts[i]);
    for (int i = 0; i < FORGED; i++)
        the_reader_is_not_believed(forged_links[i]);
}

/* What a user can make where his records are. */
static int make_odd_files(const void *directory)
{
    char path[256];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
#define AT(x)                                                                                      \
    (snprintf(path, sizeof path, "%s/%s", (const char *)directory, LINK_OF(x, "games")), path)
    int failed = symlink("/etc/shadow", AT("shadow")) != 0;
    failed += symlink("/dev/zero", AT("zero")) != 0;
    failed += mkfifo(AT("fifo"), 0666) != 0;
    failed += mkdir(AT("directory"), 0700) != 0;
    snprintf(address.sun_path, sizeof address.sun_path, "%s/socket", (const char *)directory);
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    failed += bind(fd, (struct sockaddr *)&address, sizeof address) != 0;
    failed += rename(address.sun_path, AT("socket")) != 0;
    return failed;
}

/* Where the kernel protects hard links (fs.protected_hardlinks), a user could not make this one. */
static void link_anothers_file(const char *directory, const char *text)
{
    char from[128], to[256];
    snprintf(from, sizeof from, "%s/secret", made_tree);
    int fd = open(from, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    assert_int_equal(fchown(fd, MAN, MAN), 0);
    close(fd);
    snprintf(to, sizeof to, "%s/%s", directory, LINK_OF("hard", "games"));
    assert_int_equal(link(from, to), 0);
    snprintf(to, sizeof to, "%s/%s", directory, LINK_OF("mans", "games"));
    fd = open(to, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    assert_int_equal(fchown(fd, MAN, MAN), 0);
    close(fd);
}

TEST(only_the_users_own_regular_files_are_read)
{
    char directory[128];
    flush();
    snprintf(directory, sizeof directory, "%s/%d/records", sessions_dir, GAMES);
    assert_int_equal(hand_in_as(GAMES, LINK_OF("z", "games"), link_of("games")), 0);
    assert_int_equal(as(GAMES, make_odd_files, directory), 0);
    link_anothers_file(directory, link_of("games"));
    struct flush_count count = flush();
    assert_int_equal(count.records, 1);
    assert_int_equal(count.damaged, 7);
    assert_int_equal(delivered(), 1);
    assert_int_equal(left(GAMES, "records"), 0);
    assert_int_equal(access("/etc/shadow", F_OK), 0);
}

static int make_many(const void *directory)
{
    char path[256];
    for (int i = 0; i < 100000; i++) {
        snprintf(path, sizeof path, "%s/%d", (const char *)directory, i);
        if (mknod(path, S_IFREG | 0600, 0) != 0)
            return 1;
    }
    return 0;
}

/* On a slow machine the user's time is up after fewer names, and the next turn is much later. */
static struct flush_count flush_next_piece(void)
{
    char path[128];
    snprintf(path, sizeof path, "%s/sessions" JOB_FORMATS_SUFFIX "/turn.%d", state_dir, GAMES);
    unlink(path);
    return flush();
}

TEST(a_hundred_thousand_names_are_worked_off_in_pieces)
{
    char directory[128];
    uint64_t records = 0;
    int flushes = 0;
    flush();
    assert_int_equal(hand_in_as(GAMES, LINK_OF("a", "games"), link_of("games")), 0);
    assert_int_equal(hand_in_as(MAN, LINK_OF("a", "man"), link_of("man")), 0);
    snprintf(directory, sizeof directory, "%s/%d/records", sessions_dir, GAMES);
    assert_int_equal(as(GAMES, make_many, directory), 0);
    for (; left(GAMES, "records") > 0 && flushes < 1000; flushes++) {
        struct flush_count count = flush_next_piece();
        assert_true(count.damaged <= 10000);
        records += count.records;
    }
    assert_true(flushes >= 10);
    assert_int_equal(records, 2);
    assert_int_equal(delivered(), 2);
    assert_int_equal(left(GAMES, "records"), 0);
    assert_int_equal(left(GAMES, "refused"), 100000);
}

static int make_huge(const void *directory)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", (const char *)directory, LINK_OF("huge", "games"));
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    return fd < 0 || write(fd, "{", 1) != 1 || ftruncate(fd, (off_t)1 << 40) != 0;
}

TEST(a_file_of_a_terabyte_is_not_read)
{
    char directory[128];
    flush();
    assert_int_equal(hand_in_as(GAMES, LINK_OF("a", "games"), link_of("games")), 0);
    snprintf(directory, sizeof directory, "%s/%d/records", sessions_dir, GAMES);
    assert_int_equal(as(GAMES, make_huge, directory), 0);
    struct flush_count count = flush();
    assert_int_equal(count.records, 1);
    assert_int_equal(count.damaged, 1);
}

/* A link's record with so many inputs. */
static char *long_link(int inputs)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    fprintf(stream, "{\"resultT\":{\"build_user\":\"games\",\"uuid\":\"" UUID "\"},\"linkA\":[");
    for (int i = 0; i < inputs; i++)
        fprintf(stream, "%s\"%d\"", i == 0 ? "" : ",", inputs);
    fputs("]}", stream);
    fclose(stream);
    return text;
}

/* Writes the two texts over each other, the file cut and grown, until it is killed. */
static pid_t start_rewriting(const char *directory, const char *const texts[2])
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", directory, LINK_OF("a", "games"));
    pid_t pid = fork();
    if (pid != 0)
        return pid;
    if (setresgid(GAMES, GAMES, GAMES) != 0 || setresuid(GAMES, GAMES, GAMES) != 0)
        _exit(1);
    for (unsigned i = 0;; i++) {
        const char *text = texts[i % 2];
        int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if (fd < 0 || pwrite(fd, text, strlen(text), 0) < 0 ||
            ftruncate(fd, (off_t)strlen(text)) != 0)
            _exit(1);
        close(fd);
    }
}

TEST(what_changes_while_it_is_read_is_a_record_or_none)
{
    char directory[128], path[192], *texts[2] = {long_link(20), long_link(60000)}, *text;
    size_t size;
    int whole = 0, records;
    flush();
    assert_int_equal(hand_in_as(GAMES, LINK_OF("b", "games"), link_of("games")), 0);
    snprintf(directory, sizeof directory, "%s/%d/records", sessions_dir, GAMES);
    snprintf(path, sizeof path, "%s/%s", records_dir, LINK_OF("a", "games"));
    pid_t writer = start_rewriting(directory, (const char *const *)texts);
    for (int i = 0; i < 50; i++) {
        flush();
        if (spool_read_file(AT_FDCWD, path, 1 << 20, &text, &size) != 0)
            continue;
        assert_true(text_is_taken(LINK_OF("a", "games"), "games", strtok(text, "\n")));
        assert_int_equal(unlink(path), 0);
        free(text);
        whole++;
    }
    kill(writer, SIGKILL);
    assert_int_equal(waitpid(writer, NULL, 0), writer);
    records = delivered();
    assert_true(records == 1 && whole > 0);
    free(texts[0]);
    free(texts[1]);
}

TEST(records_wait_while_the_outbox_is_more_than_half_full)
{
    static char text[600000];
    char name[128];
    flush();
    conf.outbox_bytes = 1 << 20;
    conf.file_dir = (char *)"/proc/nowhere"; /* nothing leaves the outbox */
    memset(text, 'x', sizeof text);
    const struct record_view record = record_view(LINK_OF("a", "root"), text, sizeof text);
    assert_int_equal(hand_in(&conf, &record), 0);
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "link.lab.%d.games." UUID ".json", i);
        assert_int_equal(hand_in_as(GAMES, name, link_of("games")), 0);
    }
    struct flush_count count = flush();
    assert_int_equal(count.records, 0);
    assert_int_equal(count.overflowed, 0);
    assert_int_equal(count.failed, 0);
    assert_int_equal(left(GAMES, "records"), 3);
    conf.outbox_bytes = 64 << 20;
    assert_int_equal(flush().records, 3);
    assert_int_equal(left(GAMES, "records"), 0);
}

/* What cannot be removed afterwards would be taken with each flush. */
TEST(nothing_is_taken_out_of_a_directory_that_is_closed)
{
    char directory[128];
    flush();
    assert_int_equal(hand_in_as(GAMES, LINK_OF("a", "games"), link_of("games")), 0);
    snprintf(directory, sizeof directory, "%s/%d/records", sessions_dir, GAMES);
    assert_int_equal(chmod(directory, 0500), 0);
    struct flush_count count = flush();
    assert_int_equal(count.records, 0);
    assert_int_equal(count.failed, 1);
    assert_int_equal(chmod(directory, 0700), 0);
    assert_int_equal(flush().records, 1);
}

TEST(a_directory_that_another_user_has_made_is_not_used_and_gives_way)
{
    char path[128];
    if (geteuid() != 0)
        skip();
    flush();
    snprintf(path, sizeof path, "%s/%d", sessions_dir, GAMES);
    assert_int_equal(mkdir(path, 0777) + chmod(path, 0777) + chown(path, MAN, MAN), 0);
    assert_int_equal(hand_in_as(GAMES, LINK_OF("a", "games"), link_of("games")), -EPERM);
    assert_int_equal(names_in(path), 0);
    assert_int_equal(flush().failed, 0);
    assert_int_equal(hand_in_as(GAMES, LINK_OF("a", "games"), link_of("games")), 0);
    assert_int_equal(flush().records, 1);
}

TEST(users_who_could_move_each_others_directories_are_not_served)
{
    const struct flush_options options = {.node = "n1", .sessions = 1};
    struct flush_count count;
    flush();
    assert_int_equal(chmod(sessions_dir, 0777), 0);
    assert_int_equal(flush_run(&conf, &options, &count), -EPERM);
    assert_int_equal(chmod(sessions_dir, 01733), 0);
    flush();
}

TEST(without_a_place_for_sessions_nothing_is_handed_in)
{
    assert_int_equal(hand_in_as(GAMES, LINK_OF("a", "games"), "{}"), -ENOENT);
    conf.sessions = (char *)"";
    assert_int_equal(hand_in_as(GAMES, LINK_OF("a", "games"), "{}"), -ENOENT);
}

EACH(set_up, made_tree_tear_down)
