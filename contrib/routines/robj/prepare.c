/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "contrib/routines/robj/prepare.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#include "conf/base/cleanup.h"
#include "conf/base/grow.h"
#include "conf/base/io.h"
#include "contrib/routines/robj/object_edit.h"

static size_t padded(size_t size)
{
    return size + size % 2;
}

static void write_field(char *field, size_t room, const char *text)
{
    memset(field, ' ', room);
    memcpy(field, text, strnlen(text, room));
}

/* A header as that of ar D: without user, group and time. */
static void make_header(const char *name, struct ar_hdr *header)
{
    char text[sizeof header->ar_name + 1];
    snprintf(text, sizeof text, "%.15s%s", name, name[0] == '/' ? "" : "/");
    write_field(header->ar_name, sizeof header->ar_name, text);
    write_field(header->ar_date, sizeof header->ar_date, "0");
    write_field(header->ar_uid, sizeof header->ar_uid, "0");
    write_field(header->ar_gid, sizeof header->ar_gid, "0");
    write_field(header->ar_mode, sizeof header->ar_mode, name[0] == '/' ? "0" : "100644");
    memcpy(header->ar_fmag, ARFMAG, sizeof header->ar_fmag);
}

static int write_member(int fd, const struct written_member *member)
{
    char size[24];
    struct ar_hdr header;
    if (member->header != NULL)
        header = *member->header;
    else
        make_header(member->name, &header);
    snprintf(size, sizeof size, "%zu", member->size);
    write_field(header.ar_size, sizeof header.ar_size, size);
    const struct iovec parts[] = {
        {&header, sizeof header},
        {(void *)(uintptr_t)member->bytes, member->size},
        {(void *)(uintptr_t) "\n", member->size % 2},
    };
    return io_write_parts(fd, parts, 3);
}

static void put_number(unsigned char *at, uint64_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> 8 * (3 - i));
}

/* Where the header of each member will be, behind an index of `index_size` bytes. */
static int find_places(const struct written_archive *archive, size_t index_size, uint64_t *places)
{
    uint64_t at = SARMAG + sizeof(struct ar_hdr) + index_size;
    if (archive->names != NULL)
        at += sizeof(struct ar_hdr) + padded(archive->names_size);
    for (size_t i = 0; i < archive->members; i++) {
        places[i] = at;
        at += sizeof(struct ar_hdr) + padded(archive->member[i].size);
    }
    return at > UINT32_MAX ? -EFBIG : 0;
}

/* The index: how many names, the place of the member of each, and the names. Malloc'ed. */
static int make_index(const struct written_archive *archive, unsigned char **index, size_t *size)
{
    size_t needed = 4 + 4 * archive->symbols;
    for (size_t i = 0; i < archive->symbols; i++)
        needed += strlen(archive->symbol[i].name) + 1;
    needed = padded(needed);
    CLEANUP_FREE unsigned char *bytes = calloc(1, needed);
    CLEANUP_FREE uint64_t *places = calloc(archive->members + 1, sizeof *places);
    if (bytes == NULL || places == NULL)
        return -ENOMEM;
    int error = find_places(archive, needed, places);
    if (error != 0)
        return error;
    put_number(bytes, archive->symbols);
    unsigned char *text = bytes + 4 + 4 * archive->symbols;
    for (size_t i = 0; i < archive->symbols; i++) {
        put_number(bytes + 4 + 4 * i, places[archive->symbol[i].member]);
        text = (unsigned char *)stpcpy((char *)text, archive->symbol[i].name) + 1;
    }
    *index = bytes;
    *size = needed;
    bytes = NULL;
    return 0;
}

int archive_write(int fd, const struct written_archive *archive)
{
    CLEANUP_FREE unsigned char *index = NULL;
    struct written_member head = {.name = "/"};
    int error = make_index(archive, &index, &head.size);
    head.bytes = index;
    if (error == 0)
        error = io_write_all(fd, ARMAG, SARMAG);
    if (error == 0)
        error = write_member(fd, &head);
    if (error == 0 && archive->names != NULL)
        error =
            write_member(fd, &(struct written_member){archive->names, NULL,
                                                      (const unsigned char *)(archive->names + 1),
                                                      archive->names_size});
    for (size_t i = 0; i < archive->members && error == 0; i++)
        error = write_member(fd, &archive->member[i]);
    return error;
}

/* What is written, as it is put together. */
struct product {
    struct written_member *member;
    size_t members;
    struct written_symbol *symbol;
    size_t symbols;
    unsigned char **made; /* bytes of members that are not the input's */
    size_t made_count;
    char *names; /* of trampolines' members, each of TRAMPOLINE_NAME bytes */
};

enum { TRAMPOLINE_NAME = 40 };

static void product_free(struct product *product)
{
    for (size_t i = 0; i < product->made_count; i++)
        free(product->made[i]);
    free(product->made);
    free(product->member);
    free(product->symbol);
    free(product->names);
}

#define CLEANUP_PRODUCT __attribute__((cleanup(product_free)))

static int add_symbol(struct product *product, const char *name)
{
    if (GROW(product->symbol, product->symbols) != 0)
        return -ENOMEM;
    product->symbol[product->symbols++] = (struct written_symbol){name, product->members};
    return 0;
}

/* Adds a member. Bytes that were `made` for it are the product's from now on, in every case. */
static int add_member(struct product *product, const struct written_member *member,
                      unsigned char *made)
{
    if (GROW(product->made, product->made_count) != 0) {
        free(made);
        return -ENOMEM;
    }
    product->made[product->made_count++] = made;
    if (GROW(product->member, product->members) != 0)
        return -ENOMEM;
    product->member[product->members++] = *member;
    return 0;
}

/* The edits of a member, whose symbols in order->preparation.symbols begin at `*at`; `*at` is then
 * behind them. */
static int edit_member(const struct prepare_order *order, size_t member, size_t *at,
                       struct product *product, struct symbol_edit **edits, size_t *count,
                       struct prepared *prepared)
{
    const struct archive_symbols *symbols = order->preparation.symbols;
    int error = 0;
    for (; *at < symbols->count && symbols->item[*at].member == member && error == 0; (*at)++) {
        const struct archive_symbol *symbol = &symbols->item[*at];
        bool is_reference = symbol->kind == SYMBOL_REFERENCE;
        const struct entry *entry = entries_find(order->entries, symbol->name);
        bool is_renamed = entry != NULL && (!is_reference || order->preparation.renames_references);
        if (!is_reference)
            error = add_symbol(product, is_renamed ? entry->renamed : symbol->name);
        prepared->unsatisfied +=
            entry != NULL && !is_renamed && !order->preparation.has_trampolines;
        if (!is_renamed || error != 0)
            continue;
        if (GROW(*edits, *count) != 0)
            return -ENOMEM;
        (*edits)[(*count)++] = (struct symbol_edit){symbol->number, entry->renamed, NULL};
        prepared->definitions += !is_reference;
        prepared->references += is_reference;
    }
    return error;
}

static int take_members(const struct prepare_order *order, struct product *product,
                        struct prepared *prepared)
{
    const struct archive *archive = order->preparation.archive;
    size_t at = 0;
    int error = 0;
    for (size_t i = 0; i < archive->count && error == 0; i++) {
        const struct archive_member *member = &archive->member[i];
        struct written_member written = {member->header, member->name, member->bytes, member->size};
        CLEANUP_FREE struct symbol_edit *edits = NULL;
        unsigned char *made = NULL;
        size_t count = 0;
        error = edit_member(order, i, &at, product, &edits, &count, prepared);
        const struct object_edit edit = {edits, count, {0, NULL, 0}};
        if (error == 0 && count > 0)
            error = object_edit(&member->object, &edit, &made, &written.size);
        if (error == 0 && made != NULL)
            written.bytes = made;
        if (error == 0)
            error = add_member(product, &written, made);
    }
    return error;
}

/* The definition that a trampoline stands for: the first one, which a linker takes. */
static const GElf_Sym *definition_of(const struct archive_symbols *symbols, const char *name)
{
    size_t count, at = archive_symbols_find(symbols, name, &count);
    while (count > 1 && symbols->by_name[at]->kind == SYMBOL_REFERENCE) {
        at++;
        count--;
    }
    return &symbols->by_name[at]->symbol;
}

/* How many entries members refer to. */
static size_t count_used(const struct entries *entries, const struct archive_symbols *symbols)
{
    size_t used = 0;
    for (size_t i = 0; i < entries->count; i++) {
        size_t count, at = archive_symbols_find(symbols, entries->item[i].name, &count);
        used += archive_symbols_are_used(symbols, at, count);
    }
    return used;
}

static int make_trampolines(const struct prepare_order *order, struct product *product)
{
    const struct entries *entries = order->entries;
    int error = 0;
    product->names = calloc(entries->count + 1, TRAMPOLINE_NAME);
    if (product->names == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < entries->count && error == 0; i++) {
        const struct entry *entry = &entries->item[i];
        struct written_member member = {.name = product->names + i * TRAMPOLINE_NAME};
        unsigned char *made = NULL;
        snprintf(product->names + i * TRAMPOLINE_NAME, TRAMPOLINE_NAME, "trampoline%zu.o", i + 1);
        error = trampoline_make(order->trampoline, entry->name, entry->renamed, order->library,
                                definition_of(order->preparation.symbols, entry->name), &made,
                                &member.size);
        if (error != 0)
            break;
        member.bytes = made;
        error = add_symbol(product, entry->name);
        if (error == 0)
            error = add_member(product, &member, made);
        else
            free(made);
    }
    return error;
}

int prepare_write(const struct prepare_order *order, int fd, struct prepared *prepared)
{
    CLEANUP_PRODUCT struct product product = {.members = 0};
    const struct archive *archive = order->preparation.archive;
    struct prepared done = {0};
    int error = 0;
    if (order->preparation.has_trampolines) {
        error = make_trampolines(order, &product);
        done.trampolines = order->entries->count;
        if (order->preparation.renames_references)
            done.inside = count_used(order->entries, order->preparation.symbols);
    }
    if (error == 0 && order->has_members)
        error = take_members(order, &product, &done);
    if (error == 0 && !archive->is_archive && !order->preparation.has_trampolines)
        error = io_write_all(fd, product.member[0].bytes, product.member[0].size);
    else if (error == 0)
        error = archive_write(
            fd, &(struct written_archive){order->has_members ? archive->names : NULL,
                                          archive->names_size, product.member, product.members,
                                          product.symbol, product.symbols});
    if (error == 0)
        *prepared = done;
    return error;
}
