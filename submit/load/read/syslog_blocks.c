/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "submit/load/read/syslog_blocks.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/linkhash.h>

#include "conf/base/hash.h"
#include "submit/load/parse/record_crc.h"
#include "submit/load/read/syslog_line.h"

#define TAG        "XALT_LOGGING_"
#define XALT_ERROR "XALT_LOGGING_ERROR_" /* XALT's messages about its own troubles */
#define BLOCKS_MAX 10000u
#define RECORD_MAX (16u << 20)
#define DONE_MAX   (1u << 18) /* records */
#define ALLOCATION 32u        /* bytes that one takes beside its own, about */

struct syslog_block {
    char *text; /* owned; NULL: not seen */
    size_t size;
};

struct unfinished {
    char *head; /* owned: of a line, up to and with the check sum */
    char *crc;  /* owned: "0xNNNN", "" when the line says none */
    struct syslog_block *blocks;
    size_t count, seen, bytes;
};

struct syslog_blocks {
    struct lh_table *unfinished; /* by "key crc": struct unfinished, the oldest first */
    size_t bytes;                /* that those take, about */
    /* By the digest of the same: blocks that come again are nothing new. The newest, and those
     * before them. */
    struct id_cache done, done_before;
    size_t widest; /* block but a last one, of any record */
};

/* ---- Lines ----------------------------------------------------------------------------------- */

struct syslog_line {
    char *head; /* TAG... without `nb:`, `idx:` and what follows */
    char *key, *crc, *value;
    size_t blocks, index, value_size;
};

/* The word after `name` in the head, which ends at a blank; NULL when there is none. */
static char *word_after(char *head, const char *name)
{
    char *at = strstr(head, name);
    return at == NULL ? NULL : at + strlen(name);
}

static size_t number_after(const char *text)
{
    size_t digits = text == NULL ? 0 : strspn(text, "0123456789");
    return digits == 0 || digits > 6 ? SIZE_MAX : (size_t)strtoul(text, NULL, 10);
}

static void end_word(char *word)
{
    if (word != NULL)
        word[strcspn(word, " ")] = '\0';
}

/* Takes `name` and the word after it out of the head, as often as they stand there. */
static void cut_word(char *head, const char *name)
{
    for (char *at = head; (at = strstr(at, name)) != NULL;) {
        const char *after = at + strlen(name) + strcspn(at + strlen(name), " ");
        memmove(at, after, strlen(after) + 1);
    }
}

/* The kind that a line says, or the key of its record: KIND_REST; they may not differ. What we do
 * not know is none. */
static int read_kind(const struct syslog_line *line, enum record_kind *kind,
                     struct load_reason *reason)
{
    const char *said = word_after(line->head, " kind:");
    enum record_kind of_key = record_kind_of(line->key, strcspn(line->key, " _"));
    *kind = said == NULL ? RECORD_KINDS : record_kind_of(said, strcspn(said, " "));
    if (*kind == RECORD_KINDS)
        *kind = of_key;
    if (of_key != RECORD_KINDS && of_key != *kind)
        return load_refuse(reason, "is a syslog line of one kind with the key of another");
    return 0;
}

/* Version 1 has a record in one line: TAG... KIND:TEXT. Returns TEXT, NULL for other lines. */
static char *version_1(char *head, enum record_kind *kind)
{
    char *message = strchr(head, ' ');
    size_t length = message == NULL ? 0 : strcspn(message + 1, ": ");
    if (message == NULL || message[1 + length] != ':')
        return NULL;
    *kind = record_kind_of(message + 1, length);
    return *kind == RECORD_KINDS ? NULL : message + 1 + length + 1;
}

static int take_version_1(const char *text, char **whole, size_t *size, struct load_reason *reason)
{
    if (text[0] != '{')
        return load_refuse(reason, "is packed as only XALT 2 did");
    *whole = strdup(text);
    *size = strlen(text);
    return *whole == NULL ? -ENOMEM : 1;
}

static int parse_line(char *head, struct syslog_line *line, struct load_reason *reason)
{
    char *value = strstr(head, " value:");
    if (value != NULL)
        *value = '\0';
    const char *version = word_after(head, " V:");
    if (version == NULL || version[0] < '3' || version[0] > '4' || version[1] != ' ')
        return load_refuse(reason, "is a syslog line of another version than 1, 3 and 4");
    if (value == NULL)
        return load_refuse(reason, "is a syslog line that was cut short");
    line->value = value + strlen(" value:");
    line->value_size = strlen(line->value);
    line->blocks = number_after(word_after(head, " nb:"));
    line->index = number_after(word_after(head, " idx:"));
    cut_word(head, " nb:");
    cut_word(head, " idx:");
    line->key = word_after(head, " key:");
    line->crc = word_after(head, " crcStr:");
    if (line->crc == NULL)
        line->crc = word_after(head, " crc:");
    enum record_kind kind;
    if (version_1(head, &kind) != NULL || line->key == NULL || line->blocks == 0 ||
        line->blocks > BLOCKS_MAX || line->index >= line->blocks)
        return load_refuse(reason, "is a syslog line with a damaged head");
    line->head = head;
    return 0;
}

/* ---- Records --------------------------------------------------------------------------------- */

static void free_unfinished(struct unfinished *record)
{
    for (size_t i = 0; i < record->count; i++)
        free(record->blocks[i].text);
    free(record->blocks);
    free(record->head);
    free(record->crc);
    free(record);
}

static void free_entry(struct lh_entry *entry)
{
    free(lh_entry_k(entry));
    free_unfinished(lh_entry_v(entry));
}

static struct unfinished *new_unfinished(const struct syslog_line *line)
{
    struct unfinished *record = calloc(1, sizeof *record);
    if (record == NULL)
        return NULL;
    record->count = line->blocks;
    record->blocks = calloc(line->blocks, sizeof *record->blocks);
    record->head = strdup(line->head);
    char *crc = line->crc == NULL ? strdup("") : strdup(line->crc);
    end_word(crc);
    record->crc = crc;
    if (record->blocks == NULL || record->head == NULL || crc == NULL) {
        record->count = record->blocks == NULL ? 0 : record->count;
        free_unfinished(record);
        return NULL;
    }
    return record;
}

static void note_done(struct syslog_blocks *blocks, const char *name)
{
    struct digest digest;
    if (blocks->done.used == DONE_MAX) {
        id_cache_free(&blocks->done_before);
        blocks->done_before = blocks->done;
        blocks->done = (struct id_cache){0};
    }
    hash_bytes(name, strlen(name), &digest);
    id_cache_add(&blocks->done, &digest, 1);
}

static bool is_done(const struct syslog_blocks *blocks, const char *name)
{
    struct digest digest;
    hash_bytes(name, strlen(name), &digest);
    return id_cache_find(&blocks->done, &digest) != 0 ||
           id_cache_find(&blocks->done_before, &digest) != 0;
}

/* Of memory, about. */
static size_t bytes_of(const struct unfinished *record)
{
    return sizeof *record + strlen(record->head) + record->count * sizeof *record->blocks +
           record->seen * ALLOCATION + record->bytes;
}

static void forget_record(struct syslog_blocks *blocks, struct lh_entry *entry)
{
    blocks->bytes -= bytes_of(lh_entry_v(entry));
    lh_table_delete_entry(blocks->unfinished, entry);
}

/* `*entry` becomes NULL when the record is whole already. */
static int find_or_add(struct syslog_blocks *blocks, const struct syslog_line *line,
                       struct lh_entry **entry)
{
    char *name = NULL;
    char *key = strdup(line->key);
    end_word(key);
    if (key == NULL ||
        asprintf(&name, "%s %zu %.6s", key, line->blocks, line->crc == NULL ? "" : line->crc) < 0) {
        free(key);
        return -ENOMEM;
    }
    free(key);
    *entry = lh_table_lookup_entry(blocks->unfinished, name);
    if (*entry != NULL || is_done(blocks, name)) {
        free(name);
        return 0;
    }
    struct unfinished *record = new_unfinished(line);
    if (record == NULL || lh_table_insert(blocks->unfinished, name, record) != 0) {
        free(name);
        return -ENOMEM;
    }
    *entry = lh_table_lookup_entry(blocks->unfinished, name);
    blocks->bytes += bytes_of(record);
    return 0;
}

static int add_block(struct syslog_blocks *blocks, struct unfinished *record,
                     const struct syslog_line *line, struct load_reason *reason)
{
    struct syslog_block *block = &record->blocks[line->index];
    if (block->text != NULL && block->size >= line->value_size)
        return 0; /* sent twice */
    if (record->bytes + line->value_size > RECORD_MAX)
        return load_refuse(reason, "is larger than %u bytes", RECORD_MAX);
    char *text = strndup(line->value, line->value_size);
    if (text == NULL)
        return -ENOMEM;
    blocks->bytes -= bytes_of(record);
    if (block->text == NULL)
        record->seen++;
    free(block->text); /* of a line that was cut */
    record->bytes += line->value_size - block->size;
    *block = (struct syslog_block){text, line->value_size};
    blocks->bytes += bytes_of(record);
    if (line->index + 1 < line->blocks && block->size > blocks->widest)
        blocks->widest = block->size;
    return 0;
}

/* The blocks one after the other; those that are shorter than `width` had blanks at their end,
 * unless that makes the record too large. */
static char *join_blocks(const struct unfinished *record, size_t width, size_t *size)
{
    if ((record->count - 1) * width > RECORD_MAX)
        width = 0;
    char *text = malloc(record->count * width + record->bytes + 1);
    char *to = text;
    for (size_t i = 0; text != NULL && i < record->count; i++) {
        const struct syslog_block *block = &record->blocks[i];
        to = (char *)memcpy(to, block->text, block->size) + block->size;
        for (size_t at = block->size; i + 1 < record->count && at < width; at++)
            *to++ = ' ';
    }
    if (text == NULL)
        return NULL;
    *to = '\0';
    *size = (size_t)(to - text);
    return text;
}

/* Its own blocks say how wide they were, unless all lost blanks: then those of other records do. */
static int finish_record(const struct syslog_blocks *blocks, const struct unfinished *record,
                         char **text, size_t *size)
{
    struct load_reason ignored;
    size_t widest = 0;
    for (size_t i = 0; i + 1 < record->count; i++)
        if (record->blocks[i].size > widest)
            widest = record->blocks[i].size;
    *text = join_blocks(record, widest, size);
    if (*text == NULL)
        return -ENOMEM;
    if (record_crc_check(*text, *size, &ignored) == 0 || record->count == 1)
        return 1;
    size_t wider_size;
    char *wider = join_blocks(record, blocks->widest, &wider_size);
    if (wider != NULL && record_crc_check(wider, wider_size, &ignored) == 0) {
        free(*text);
        *text = wider;
        *size = wider_size;
    } else {
        free(wider);
    }
    return 1;
}

/* ---- All ------------------------------------------------------------------------------------- */

struct syslog_blocks *syslog_blocks_new(void)
{
    struct syslog_blocks *blocks = calloc(1, sizeof *blocks);
    if (blocks == NULL)
        return NULL;
    blocks->unfinished = lh_kchar_table_new(1024, free_entry);
    if (blocks->unfinished == NULL) {
        free(blocks);
        return NULL;
    }
    return blocks;
}

/* Of what others may have logged, and under which name, nothing is ours. */
static char *head_of(const char *line)
{
    return (char *)syslog_line_program(line, TAG);
}

bool syslog_blocks_is_one(const char *line)
{
    const char *head = head_of(line);
    return head != NULL && strncmp(head, XALT_ERROR, strlen(XALT_ERROR)) != 0;
}

int syslog_blocks_add(struct syslog_blocks *blocks, char *text, char **whole, size_t *size,
                      enum record_kind *kind, struct load_reason *reason)
{
    struct syslog_line line = {0};
    struct lh_entry *entry = NULL;
    char *head = head_of(text);
    const char *single = head == NULL ? NULL : version_1(head, kind);
    if (head == NULL)
        return load_refuse(reason, "is no syslog line of a record");
    if (single != NULL)
        return take_version_1(single, whole, size, reason);
    int error = parse_line(head, &line, reason);
    if (error == 0)
        error = read_kind(&line, kind, reason);
    if (error == 0)
        error = find_or_add(blocks, &line, &entry);
    if (error != 0 || entry == NULL)
        return error;
    struct unfinished *record = lh_entry_v(entry);
    error = add_block(blocks, record, &line, reason);
    if (error != 0 || record->seen < record->count)
        return error;
    error = finish_record(blocks, record, whole, size);
    if (error > 0 && record_crc_check(*whole, *size, reason) == 0)
        note_done(blocks, lh_entry_k(entry));
    forget_record(blocks, entry);
    return error;
}

void syslog_blocks_drain(struct syslog_blocks *blocks, size_t keep_bytes,
                         void (*visit)(void *context, const char *lines, size_t size,
                                       const char *reason),
                         void *context)
{
    struct lh_entry *entry;
    while (blocks->bytes > keep_bytes) {
        entry = blocks->unfinished->head;
        const struct unfinished *record = lh_entry_v(entry);
        struct load_reason reason;
        char *text = NULL;
        size_t size = 0;
        FILE *lines = open_memstream(&text, &size);
        for (size_t i = 0; lines != NULL && i < record->count; i++)
            if (record->blocks[i].text != NULL)
                fprintf(lines, "%s nb:%02zu idx:%02zu value:%s\n", record->head, record->count, i,
                        record->blocks[i].text);
        load_refuse(&reason, "has %zu of %zu blocks", record->seen, record->count);
        if (lines != NULL && fclose(lines) == 0)
            visit(context, text, size, reason.text);
        free(text);
        forget_record(blocks, entry);
    }
}

void syslog_blocks_free(struct syslog_blocks *blocks)
{
    if (blocks == NULL)
        return;
    lh_table_free(blocks->unfinished);
    id_cache_free(&blocks->done);
    id_cache_free(&blocks->done_before);
    free(blocks);
}
