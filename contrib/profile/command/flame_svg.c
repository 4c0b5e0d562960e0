/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A flame graph as a picture: a box for each stack, as wide as its part of the exclusive times of
 * all, above the box of its caller. Boxes have no styles and no scripts, so that the picture can
 * stand in a page that forbids both.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conf/base/cleanup.h"
#include "conf/base/crc.h"
#include "conf/base/text.h"
#include "contrib/profile/command/profile_forms.h"
#include "contrib/profile/numbers.h"
#include "contrib/profile/rank_end.h"
#include "contrib/profile/set_programs.h"

/* LEAST: of a box; FONT: width of a letter, in tenths of a pixel. */
enum { WIDTH = 1200, HEIGHT = 17, LEAST = 1, FONT = 72, BOXES_MAX = 4096, DEPTH_MAX = 256 };

struct box {
    const char *name;
    uint32_t stack, parent, id;
};

struct flame {
    const struct profile_set *set;
    const bool *is_taken;
    const struct set_sum *sums;
    uint64_t *total; /* owned; by stack: exclusive times of it and of all that it called */
    double *left;    /* owned; by stack: where its box begins, then where the next callee's does */
    uint32_t *depth; /* owned; by stack */
    struct box *box; /* owned */
    size_t count, left_out;
    uint32_t deepest;
    bool is_light;   /* of a box, calls were counted alone */
    size_t programs; /* whose times they are */
};

static int largest_first(const void *one, const void *other)
{
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return a < b ? 1 : a > b ? -1 : 0;
}

static int in_order(const void *one, const void *other)
{
    const struct box *a = one, *b = other;
    if (a->parent != b->parent)
        return a->parent < b->parent ? -1 : 1;
    int names = strcmp(a->name, b->name);
    return names != 0 ? names : (a->id > b->id) - (a->id < b->id);
}

/* A callee's number is larger than its caller's. */
static void add_up(struct flame *flame)
{
    const struct profile_set *set = flame->set;
    for (size_t i = set->stacks.count; i-- > 0;) {
        saturate_add(&flame->total[i], flame->sums[i].exclusive_ns);
        if (i > 0)
            saturate_add(&flame->total[set->stacks.key[i].parent], flame->total[i]);
    }
    for (size_t i = 1; i < set->stacks.count; i++)
        flame->depth[i] = flame->depth[set->stacks.key[i].parent] + 1;
}

/* A box is larger than this, and so is its caller's. Sets `*least`; returns 0 or -ENOMEM. */
static int find_least(const struct flame *flame, uint64_t *least)
{
    size_t count = flame->set->stacks.count;
    CLEANUP_FREE uint64_t *sorted = calloc(count, sizeof *sorted);
    if (sorted == NULL)
        return -ENOMEM;
    memcpy(sorted, flame->total, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, largest_first);
    *least = flame->total[PROFILE_SET_INIT] / WIDTH * LEAST;
    if (count > BOXES_MAX && sorted[BOXES_MAX] > *least)
        *least = sorted[BOXES_MAX];
    return 0;
}

static void choose(struct flame *flame, const uint32_t *id, uint64_t least)
{
    const struct profile_set *set = flame->set;
    for (size_t i = 0; i < set->stacks.count; i++) {
        if (flame->total[i] == 0)
            continue;
        if (flame->total[i] <= least || flame->depth[i] >= DEPTH_MAX) {
            flame->left_out++;
            continue;
        }
        if (flame->depth[i] > flame->deepest)
            flame->deepest = flame->depth[i];
        flame->box[flame->count++] = (struct box){set->names.text[set->stacks.key[i].what],
                                                  (uint32_t)i, set->stacks.key[i].parent, id[i]};
    }
    qsort(flame->box, flame->count, sizeof *flame->box, in_order);
}

/* At most `room` characters of UTF-8; escaped for XML. */
static void print_text(const char *text, size_t room)
{
    for (size_t characters = 0; *text != '\0'; text++) {
        bool is_first = ((unsigned char)*text & 0xc0) != 0x80;
        characters += is_first;
        if (characters > room)
            return;
        if (strchr("<>&\"'", *text) != NULL)
            printf("&#%d;", *text);
        else
            putchar(*text);
    }
}

/* A warm colour of the name: the same in each picture. */
static unsigned colour_of(const char *name)
{
    unsigned hash = crc16(name, strlen(name));
    return (205 + hash % 50) << 16 | (80 + hash / 50 % 150) << 8 | hash / 7500 % 50;
}

static void print_box(struct flame *flame, const struct box *box)
{
    char name[TERMINAL_WORD_SIZE];
    const struct set_sum *sum = &flame->sums[box->stack];
    uint64_t all = flame->total[PROFILE_SET_INIT], total = flame->total[box->stack];
    double share = (double)total / (double)all, width = share * WIDTH;
    double x = box->stack == PROFILE_SET_INIT ? 0 : flame->left[box->parent];
    unsigned y = (flame->deepest - flame->depth[box->stack]) * HEIGHT;
    terminal_word(box->name, name);
    printf("<g><title>");
    print_text(name, sizeof name);
    const char *mark = sum->is_light ? PROFILE_LIGHT_MARK : "";
    printf(": %s%.6f s (%s%.2f%%), of its own %s%.6f s, %" PRIu64 " call%s</title>", mark,
           (double)total / 1e9, mark, 100 * share, mark, (double)sum->exclusive_ns / 1e9,
           sum->calls, plural_end(sum->calls));
    flame->is_light |= sum->is_light;
    printf("<rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" fill=\"#%06x\"/>", x, y, width,
           HEIGHT - 1, colour_of(box->name));
    if (width > 3.0 * FONT / 10) {
        printf("<text x=\"%.2f\" y=\"%u\">", x + 3, y + HEIGHT - 5);
        print_text(name, (size_t)(width * 10 / FONT));
        printf("</text>");
    }
    printf("</g>\n");
    flame->left[box->stack] = x;
    if (box->stack != PROFILE_SET_INIT)
        flame->left[box->parent] += width;
}

static int draw(struct flame *flame, const uint32_t *id)
{
    size_t count = flame->set->stacks.count;
    CLEANUP_FREE uint64_t *total = calloc(count, sizeof *total);
    CLEANUP_FREE double *left = calloc(count, sizeof *left);
    CLEANUP_FREE uint32_t *depth = calloc(count, sizeof *depth);
    CLEANUP_FREE struct box *box = calloc(count, sizeof *box);
    uint64_t least;
    if (total == NULL || left == NULL || depth == NULL || box == NULL)
        return -ENOMEM;
    flame->total = total;
    flame->left = left;
    flame->depth = depth;
    flame->box = box;
    add_up(flame);
    int error = find_least(flame, &least);
    if (error != 0)
        return error;
    choose(flame, id, least);
    unsigned height = (flame->deepest + 1) * HEIGHT;
    printf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %u\" width=\"%d\" "
           "height=\"%u\" font-family=\"monospace\" font-size=\"12\">\n",
           WIDTH, height + HEIGHT, WIDTH, height + HEIGHT);
    for (size_t i = 0; i < flame->count; i++)
        print_box(flame, &flame->box[i]);
    printf("<text x=\"3\" y=\"%u\">%.6f s in all, times of threads and ranks added", height + 12,
           (double)flame->total[PROFILE_SET_INIT] / 1e9);
    if (flame->left_out > 0)
        printf("; %zu stack%s no box: too narrow, or too deep", flame->left_out,
               plural(flame->left_out, " has", "s have"));
    if (flame->is_light)
        printf("; " PROFILE_LIGHT_MARK " short calls were counted: their time is in the caller's");
    char text[RANK_END_OPEN_TEXT];
    size_t open = rank_end_open(flame->set, flame->is_taken);
    if (flame->programs > 1)
        printf("; of %zu programs together", flame->programs);
    if (open > 0)
        printf("; the %s", rank_end_open_text(open, text));
    printf("</text>\n</svg>\n");
    return 0;
}

int profile_flame_svg(const struct profile_set *set, const struct set_order *order,
                      const bool *is_taken)
{
    struct set_sum *sums_at = NULL;
    size_t taken;
    int error = set_sums_make(set, is_taken, &sums_at, &taken);
    CLEANUP_FREE struct set_sum *sums = sums_at;
    struct flame flame = {.set = set, .is_taken = is_taken, .sums = sums};
    struct set_programs programs = {.count = 0};
    if (error == 0)
        error = set_programs_find(set, &programs);
    if (error == 0)
        error = set_programs_count(&programs, is_taken, &flame.programs);
    set_programs_free(&programs);
    return error != 0 ? error : draw(&flame, order->id);
}
