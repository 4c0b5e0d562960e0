/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/libraries/uses/use_counts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "conf/base/directory.h"
#include "conf/base/grow.h"
#include "conf/base/io.h"

/* ---- Kinds of uses --------------------------------------------------------------------------- */

enum { NAME_SIZE = 64 };

static const struct {
    const char *word, *log_word;
    const char *const *programs; /* NULL: it is not known by names */
} kinds[USE_KINDS] = {
    [USE_OPEN] = {"open", "LIB_OPENED", NULL},
    [USE_EXEC] = {"exec", "LIB_EXECUTED", NULL},
    [USE_LINK] = {"link", "LIB_LINKED",
                  (const char *const[]){"ld", "ld.bfd", "ld.gold", "ld.lld", "lld", "gold", "mold",
                                        "ld.mold", "wild", "collect2", NULL}},
    /* of gfortran, LLVM, NVIDIA and PGI, Intel, Cray and NAG, and LFortran */
    [USE_COMPILE] = {"compile", "LIB_COMPILED",
                     (const char *const[]){"f951", "flang", "flang-new", "flang1", "fort1",
                                           "pgf901", "fortcom", "xfortcom", "ftnfe", "forcomp",
                                           "lfortran", NULL}},
    [USE_EDIT] = {"edit", "LIB_EDITED",
                  (const char *const[]){"vi", "vim", "vim.basic", "vim.tiny", "nvim", "nano",
                                        "emacs", "ed", "gdb", "lldb", NULL}},
    [USE_COPY] = {"copy", "LIB_COPIED",
                  (const char *const[]){"cp",          "mv",       "install",   "tar",
                                        "bsdtar",      "cpio",     "rsync",     "scp",
                                        "sftp-server", "dpkg",     "dpkg-deb",  "rpm",
                                        "debsums",     "ldconfig", "updatedb",  "updatedb.plocate",
                                        "md5sum",      "sha1sum",  "sha256sum", "aide",
                                        "tripwire",    "clamscan", "clamd",     "bacula-fd",
                                        "bareos-fd",   "dsmc",     "restic",    "borg",
                                        NULL}},
};

const char *use_kind_word(enum use_kind kind)
{
    return kinds[kind].word;
}

const char *use_kind_log_word(enum use_kind kind)
{
    return kinds[kind].log_word;
}

static bool is_one_of(const char *name, const char *const *names)
{
    for (; *names != NULL; names++)
        if (strcmp(name, *names) == 0)
            return true;
    return false;
}

static enum use_kind kind_of_name(const char *name)
{
    for (int kind = 0; kind < USE_KINDS; kind++)
        if (kinds[kind].programs != NULL && is_one_of(name, kinds[kind].programs))
            return (enum use_kind)kind;
    return USE_OPEN;
}

/* x86_64-linux-gnu-ld.bfd and ld.lld-15 too: what is before a dash is a machine, and a number
 * behind the last one a version. */
enum use_kind use_kind_of(const char *program)
{
    char name[NAME_SIZE];
    const char *at = basename(program);
    if (snprintf(name, sizeof name, "%s", at) >= (int)sizeof name)
        return USE_OPEN;
    char *dash = strrchr(name, '-');
    if (dash != NULL && dash[1] != '\0' && dash[1 + strspn(dash + 1, "0123456789.")] == '\0')
        *dash = '\0';
    enum use_kind kind = kind_of_name(name);
    for (at = name; kind == USE_OPEN && (at = strchr(at, '-')) != NULL;)
        kind = kind_of_name(++at);
    return kind;
}

/* ---- Opens ----------------------------------------------------------------------------------- */

/* Of a process with more open files the others are not looked at. */
enum { FILES_MAX = 1024, INFO_TEXT = 256 };

void use_opens_note(struct use_opens *opens, int32_t pid, size_t use)
{
    opens->open[opens->next].pid = pid;
    opens->open[opens->next].use = use;
    opens->next = (opens->next + 1) % USE_OPENS_MAX;
    opens->count += opens->count < USE_OPENS_MAX;
}

static void take_back(struct use_opens *opens, struct use_counts *counts, size_t place)
{
    use_counts_take_back(counts, opens->open[place].use);
    opens->open[place].pid = 0;
}

void use_opens_closed(struct use_opens *opens, struct use_counts *counts, int32_t pid,
                      const char *path)
{
    size_t others = USE_OPENS_MAX;
    for (size_t i = 1; i <= opens->count; i++) { /* the last one first */
        size_t place = (opens->next + USE_OPENS_MAX - i) % USE_OPENS_MAX;
        bool is_own = opens->open[place].pid == pid;
        if (opens->open[place].pid == 0 || (!is_own && others != USE_OPENS_MAX) ||
            strcmp(counts->use[opens->open[place].use].path, path) != 0)
            continue;
        if (is_own) {
            take_back(opens, counts, place);
            return;
        }
        others = place;
    }
    if (others != USE_OPENS_MAX)
        take_back(opens, counts, others);
}

/* `name`: of the descriptor. The file itself is not looked at: its server may not answer. Before
 * Linux 5.14 its inode is not reported. */
static bool is_for_writing(int infos, const char *name, ino_t inode)
{
    char text[INFO_TEXT];
    unsigned flags;
    unsigned long long number;
    if (io_read_text(infos, name, text, sizeof text) <= 0)
        return false;
    const char *flag_line = strstr(text, "flags:"), *inode_line = strstr(text, "\nino:");
    return flag_line != NULL && sscanf(flag_line, "flags: %o", &flags) == 1 &&
           (flags & O_ACCMODE) != O_RDONLY && inode_line != NULL &&
           sscanf(inode_line, "\nino: %llu", &number) == 1 && number == inode;
}

static bool has_open_for_writing(int32_t pid, const char *path)
{
    char place[32];
    struct stat status;
    CLEANUP_LISTING DIR *infos = NULL;
    snprintf(place, sizeof place, "/proc/%d/fdinfo", (int)pid);
    if (listing_open(AT_FDCWD, place, &infos) != 0 || lstat(path, &status) != 0)
        return false;
    int count = 0;
    for (const char *name; count < FILES_MAX && (name = listing_next(infos)) != NULL; count++)
        if (is_for_writing(dirfd(infos), name, status.st_ino))
            return true;
    return false;
}

void use_opens_settle(struct use_opens *opens, struct use_counts *counts)
{
    for (size_t i = 0; i < opens->count; i++)
        if (opens->open[i].pid != 0 &&
            has_open_for_writing(opens->open[i].pid, counts->use[opens->open[i].use].path))
            take_back(opens, counts, i);
    opens->count = opens->next = 0;
}

static void digest_of(const char *path, enum use_kind kind, const struct library_who *who,
                      struct digest *digest)
{
    const void *const pieces[] = {path,          &kind,           &who->how,   &who->uid,
                                  &who->command, &who->login_uid, who->program};
    const size_t sizes[] = {strlen(path),        sizeof kind,          sizeof who->how,
                            sizeof who->uid,     strlen(who->command), sizeof who->login_uid,
                            strlen(who->program)};
    hash_pieces(pieces, sizes, sizeof sizes / sizeof *sizes, digest);
}

/* All that follow return the place of the use, or -errno. */

static int64_t count_again(struct use_counts *counts, const struct use *more,
                           const struct digest *digest)
{
    int64_t number = id_cache_find(&counts->index, digest);
    if (number == 0)
        return -ENOENT;
    struct use *use = &counts->use[number - 1];
    for (int i = 0; i < USE_OUTPUTS; i++)
        use->count[i] += more->count[i];
    if (use->late_s == 0 || (more->late_s != 0 && more->late_s < use->late_s))
        use->late_s = more->late_s;
    return number - 1;
}

static int64_t begin_use(struct use_counts *counts, const struct use *use,
                         const struct digest *digest)
{
    char *copy = counts->count < USES_MAX ? strdup(use->path) : NULL;
    if (copy == NULL || GROW(counts->use, counts->count) != 0) {
        free(copy);
        return -ENOMEM;
    }
    counts->use[counts->count] = *use;
    counts->use[counts->count++].path = copy;
    id_cache_add(&counts->index, digest, (int64_t)counts->count);
    return (int64_t)counts->count - 1;
}

/* Of a user who may be anybody. */
static int64_t add_of_user(struct use_counts *counts, const struct use *use, struct digest *digest)
{
    struct digest user;
    struct use shown = *use;
    struct library_who *who = &shown.who;
    hash_bytes(&who->uid, sizeof who->uid, &user);
    int64_t count = id_cache_find(&counts->users, &user);
    if (count >= USE_COMMANDS_OF_USER) {
        who->command[0] = who->program[0] = '\0';
        who->login_uid = LIBRARY_NO_USER;
        digest_of(use->path, use->kind, who, digest);
        int64_t place = count_again(counts, use, digest);
        if (place != -ENOENT)
            return place;
    }
    int64_t place = count < USES_OF_USER ? begin_use(counts, &shown, digest) : -EDQUOT;
    if (place >= 0)
        id_cache_add(&counts->users, &user, count + 1);
    return place;
}

static int64_t add_use(struct use_counts *counts, const struct use *use)
{
    struct digest digest;
    digest_of(use->path, use->kind, &use->who, &digest);
    int64_t place = count_again(counts, use, &digest);
    if (place == -ENOENT)
        place = use->who.how >= LIBRARY_WHO_BY_FILE && use->who.uid != 0
                    ? add_of_user(counts, use, &digest)
                    : begin_use(counts, use, &digest);
    if (place < 0)
        counts->lost += use->count[USE_RECORD] > use->count[USE_LOG] ? use->count[USE_RECORD]
                                                                     : use->count[USE_LOG];
    return place;
}

int64_t use_counts_add(struct use_counts *counts, const char *path, enum use_kind kind,
                       const struct library_who *who)
{
    char *shown = (char *)path; /* is copied */
    return add_use(counts,
                   &(struct use){.path = shown, .kind = kind, .count = {1, 1}, .who = *who});
}

void use_counts_merge(struct use_counts *counts, const struct use *use)
{
    add_use(counts, use);
}

void use_counts_take_back(struct use_counts *counts, size_t place)
{
    for (int i = 0; i < USE_OUTPUTS; i++)
        counts->use[place].count[i] -= counts->use[place].count[i] > 0;
}

void use_counts_clear(struct use_counts *counts)
{
    for (size_t i = 0; i < counts->count; i++)
        free(counts->use[i].path);
    free(counts->use);
    id_cache_free(&counts->index);
    id_cache_free(&counts->users);
    *counts = (struct use_counts){.use = NULL};
}
