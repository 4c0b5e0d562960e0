/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "preload/capture.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "conf/policy/policy_read.h"
#include "preload/ancestor.h"
#include "preload/fact_variables.h"
#include "preload/memory.h"
#include "preload/system.h"

/* ---- The uuid of a run ----------------------------------------------------------------------- */

enum { KEY_BYTES = 16 };

static uint64_t rotated(uint64_t value, int bits)
{
    return value << bits | value >> (64 - bits);
}

static void rounds(uint64_t v[4], int count)
{
    while (count-- > 0) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = rotated(v[1], 13) ^ v[0];
        v[3] = rotated(v[3], 16) ^ v[2];
        v[0] = rotated(v[0], 32);
        v[2] += v[1];
        v[0] += v[3];
        v[1] = rotated(v[1], 17) ^ v[2];
        v[3] = rotated(v[3], 21) ^ v[0];
        v[2] = rotated(v[2], 32);
    }
}

/* SipHash-2-4 (Aumasson, Bernstein 2012) of three words. */
static uint64_t sip(const uint64_t key[2], uint64_t a, uint64_t b, uint64_t c)
{
    const uint64_t words[] = {a, b, c, (uint64_t)24 << 56};
    uint64_t v[4] = {key[0] ^ UINT64_C(0x736f6d6570736575), key[1] ^ UINT64_C(0x646f72616e646f6d),
                     key[0] ^ UINT64_C(0x6c7967656e657261), key[1] ^ UINT64_C(0x7465646279746573)};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        v[3] ^= words[i];
        rounds(v, 2);
        v[0] ^= words[i];
    }
    v[2] ^= 0xff;
    rounds(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* The kernel gives each program that it starts 16 random bytes. libc makes its stack canary and its
 * pointer guard of them, so they are the key of a function that cannot be inverted: who reads a
 * uuid learns nothing about them. */
static void find_key(const unsigned char *random, uint64_t key[2])
{
    const long nonblock = 1;
    key[0] = key[1] = 0;
    if (random != NULL)
        memcpy(key, random, KEY_BYTES);
    if (key[0] == 0 && key[1] == 0)
        system_call6(SYS_getrandom, (long)key, KEY_BYTES, nonblock, 0, 0, 0);
}

uint64_t uuid_make(const unsigned char *random, uint64_t now_ns, uint64_t salt, uint8_t uuid[16])
{
    uint64_t key[2];
    find_key(random, key);
    const uint64_t words[2] = {sip(key, now_ns, salt, 0), sip(key, now_ns, salt, 1)};
    memcpy(uuid, words, 16);
    uint64_t milliseconds = now_ns / 1000000;
    for (int i = 0; i < 6; i++)
        uuid[i] = (uint8_t)(milliseconds >> (40 - 8 * i));
    uuid[6] = (uint8_t)(0x70 | (uuid[6] & 0x0f));
    uuid[8] = (uint8_t)(0x80 | (uuid[8] & 0x3f));
    return sip(key, now_ns, salt, 2);
}

static bool file_exists(const char *path)
{
    return system_call6(SYS_faccessat, AT_FDCWD, (long)path, 0, 0, 0, 0) == 0;
}

static bool has_variable(char **envp, const char *start)
{
    for (; *envp != NULL; envp++) {
        if (text_after(*envp, start) != NULL)
            return true;
    }
    return false;
}

static bool is_root_of(const struct ledger_header *header)
{
    struct stat status;
    return system_stat_path("/", &status) == 0 && status.st_ino == header->root_inode &&
           status.st_dev == header->root_device;
}

/* The kind of container that this process runs in, by the files and variables that the runtimes
 * make: "apptainer", "enroot", "charliecloud", "podman", "docker"; NULL: none. The files tell
 * nothing of the root directory in which the ledger was made.
 *
 * apptainer and singularity make /.singularity.d; podman makes /run/.containerenv; docker makes
 * /.dockerenv; enroot, which pyxis uses, makes its lock /.lock and recognises itself by it;
 * ch-run(1) sets CH_RUNNING for programs that want to know. */
static const char *container_kind(char **envp, const struct ledger_header *header)
{
    static const struct {
        const char *path, *kind;
    } marks[] = {{"/.singularity.d", "apptainer"},
                 {"/run/.containerenv", "podman"},
                 {"/.dockerenv", "docker"},
                 {"/.lock", "enroot"}};
    /* The variable first: files may have come with the image, from the runtime that built it. */
    if (has_variable(envp, "CH_RUNNING="))
        return "charliecloud";
    if (is_root_of(header))
        return NULL;
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        if (file_exists(marks[i].path))
            return marks[i].kind;
    }
    return NULL;
}

/* Limits of one field's content, bytes, so that one long list leaves room for the other fields. */
enum {
    ARGV_MAX = 8 << 10,
    ENV_MAX = 32 << 10,
    ENV_VALUE_MAX = 8 << 10,
    OBJECTS_MAX = 4096, /* entries of the link map that are listed */
    ID_MAX = 64,        /* of a build-id */
    OBJECT_BYTES = sizeof(struct ledger_field) + 1 + ID_MAX + 1, /* a field but for its path */
};

/* XALT's watermark: the owner and the type of its note. */
#define WATERMARK_OWNER "XALT"
#define WATERMARK_TYPE  0x746c6158u

/* Returns the path, which is in the field; size 0: it is not known, or not below the root. */
static struct image_bytes put_cwd(struct fields *fields)
{
    size_t room;
    struct image_bytes path = {NULL, 0};
    if (!fields_begin(fields, LEDGER_CWD))
        return path;
    unsigned char *at = fields_room(fields, PATH_MAX, &room);
    long size = system_call6(SYS_getcwd, (long)at, (long)room, 0, 0, 0, 0);
    if (size > 1 && at[0] == '/')
        path = (struct image_bytes){at, (size_t)size - 1};
    if (size > 0)
        fields_wrote(fields, (size_t)size - 1);
    fields_end(fields);
    return path;
}

/* The stricter choice of the site's and the user's. */
static enum policy_command_line wanted_lines(const struct capture_source *source)
{
    return source->switches->command_line == SWITCH_NO ? POLICY_LINE_NO
                                                       : policy_command_line(source->policy->base);
}

static void put_argv(const struct image *image, enum policy_command_line wanted,
                     struct fields *fields)
{
    int count = wanted == POLICY_LINE_PROGRAM && image->argc > 1 ? 1 : image->argc;
    if (wanted == POLICY_LINE_NO || !fields_begin(fields, LEDGER_ARGV))
        return;
    for (int i = 0; i < count && image->argv[i] != NULL; i++)
        fields_add(fields, image->argv[i], text_length(image->argv[i]) + 1, ARGV_MAX);
    fields_end(fields);
}

static bool is_env_allowed(const void *policy, const char *entry, size_t *length)
{
    size_t name = 0;
    while (entry[name] != '=' && entry[name] != '\0')
        name++;
    const struct policy_rule *rule = policy_match(policy, POLICY_ENV, entry, name);
    if (rule == NULL || rule->action != POLICY_KEEP)
        return false;
    *length = name + text_length(entry + name);
    return true;
}

static void put_env(char **envp, const void *policy, struct fields *fields)
{
    size_t length;
    if (!fields_begin(fields, LEDGER_ENV))
        return;
    for (; *envp != NULL; envp++) {
        if (!is_env_allowed(policy, *envp, &length) || length > ENV_VALUE_MAX)
            continue;
        fields_add(fields, *envp, length + 1, ENV_MAX);
    }
    fields_end(fields);
}

static void add_fact(struct fields *fields, const char *name, const char *value, size_t most)
{
    size_t length = text_length(value);
    fields_add(fields, name, text_length(name), fields->room);
    fields_add(fields, value, length < most ? length : most, fields->room);
    fields_add(fields, "", 1, fields->room);
}

/* What the batch system says of its job. */
static void add_batch_system(char **envp, struct fields *fields)
{
#define FACT_NAME(name) #name "=",
    static const char names[][sizeof FACT_LONGEST "="] = {FACT_VARIABLES(FACT_NAME)};
#undef FACT_NAME
    for (; *envp != NULL; envp++) {
        for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
            const char *value = text_after(*envp, names[i]);
            if (value != NULL)
                add_fact(fields, names[i], value,
                         text_equal(names[i], FACT_HOSTS "=") ? FACT_HOSTS_MAX : FACT_VALUE_MAX);
        }
    }
}

/* The plugin's variable tells that this is Slurm, where the journal has the job. */
static void put_facts(const struct capture_source *source, struct fields *fields)
{
    const struct switches *switches = source->switches;
    if ((switches->threads == NULL && switches->task != NULL) ||
        !fields_begin(fields, LEDGER_FACTS))
        return;
    if (switches->threads != NULL)
        add_fact(fields, FACT_THREADS "=", switches->threads, FACT_VALUE_MAX);
    if (switches->task == NULL)
        add_batch_system(source->image->envp, fields);
    fields_end(fields);
}

/* The loader's name of an object may be relative to the working directory at the start, by
 * LD_LIBRARY_PATH, DT_RUNPATH or a link by path. */
static void add_object_path(struct fields *fields, const char *name, struct image_bytes cwd)
{
    bool is_relative = name[0] != '/';
    while (is_relative && name[0] == '.' && name[1] == '/') {
        while (*++name == '/')
            ;
    }
    if (is_relative) {
        fields_add(fields, cwd.at, cwd.size, fields->room);
        if (cwd.size > 1)
            fields_add(fields, "/", 1, fields->room);
    }
    fields_add(fields, name, text_length(name), fields->room);
}

static void put_objects(const struct image *image, struct image_bytes cwd, struct fields *fields)
{
    const struct r_debug *loader = image_loader(image);
    const struct link_map *entry = loader == NULL ? NULL : loader->r_map;
    size_t count = 0;
    for (int i = 0; entry != NULL; i++, entry = entry->l_next) {
        if (!image_is_object(entry))
            continue;
        count++;
        bool is_known = entry->l_name[0] == '/' || cwd.size > 0;
        size_t most = OBJECT_BYTES + cwd.size + text_length(entry->l_name);
        if (i >= OBJECTS_MAX || !is_known || fields->room - fields->used < most) {
            fields->unlisted++;
            fields->slot_flags |= LEDGER_SLOT_CUT;
            continue;
        }
        struct image_bytes id = image_build_id(image, entry);
        unsigned char id_size = id.size > ID_MAX ? ID_MAX : (unsigned char)id.size;
        fields_begin(fields, LEDGER_OBJECT);
        fields_add(fields, &id_size, 1, fields->room);
        fields_add(fields, id.at, id_size, fields->room);
        add_object_path(fields, entry->l_name, cwd);
        fields_end(fields);
    }
    /* The loader itself is an object. */
    if (count == 0 && image_is_dynamic(image))
        fields->slot_flags |= LEDGER_SLOT_CUT;
}

uint64_t capture_fill(const struct capture_source *source, struct fields *fields)
{
    const char *task = source->switches->task;
    const struct ancestor_source ancestors = {
        .self = source->self,
        .last = source->switches->task_pid,
        .lines = {source->policy->base, source->policy->identity, wanted_lines(source)},
        .head = source->head,
        .is_shared = ancestor_is_random(source->image),
    };
    fields_put(fields, LEDGER_EXEC, source->path->text, source->path->length);
    if (task != NULL)
        fields_put(fields, LEDGER_TASK, task, text_length(task));
    struct image_bytes cwd = put_cwd(fields);
    put_argv(source->image, ancestors.lines.wanted, fields);
    put_env(source->image->envp, source->policy->base, fields);
    put_facts(source, fields);
    struct image_bytes note = image_exec_note(source->image, ELF_NOTE_GNU, NT_GNU_BUILD_ID);
    if (note.at != NULL)
        fields_put(fields, LEDGER_BUILD_ID, note.at, note.size);
    note = image_exec_note(source->image, WATERMARK_OWNER, WATERMARK_TYPE);
    if (note.at != NULL)
        fields_put(fields, LEDGER_WATERMARK, note.at, note.size);
    const char *kind = container_kind(source->image->envp, source->head);
    if (kind != NULL)
        fields_put(fields, LEDGER_CONTAINER, kind, text_length(kind));
    uint64_t name_space = ancestor_put_all(&ancestors, fields);
    put_objects(source->image, cwd, fields);
    return name_space;
}
