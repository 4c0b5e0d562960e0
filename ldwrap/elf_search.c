/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * What libelf.a of elfutils 0.192 (Debian 13) needs and lacks: it was made without lib/eu-search.c,
 * https://sourceware.org/bugzilla/show_bug.cgi?id=32293. The tree holds chunks that
 * elf_getdata_rawchunk() has read, in one thread. An archive that has these functions goes first.
 */
#include <search.h>
#include <stddef.h>

/* libelf's; its lock, where there is one, comes after the root */
struct search_tree {
    void *root;
};

typedef int compare_function(const void *, const void *);

void eu_search_tree_init(struct search_tree *tree);
void eu_search_tree_fini(struct search_tree *tree, void (*free_node)(void *));
void *eu_tsearch(const void *key, struct search_tree *tree, compare_function *compare);
void *eu_tdelete(const void *key, struct search_tree *tree, compare_function *compare);

__attribute__((weak)) void eu_search_tree_init(struct search_tree *tree)
{
    tree->root = NULL;
}

__attribute__((weak)) void eu_search_tree_fini(struct search_tree *tree, void (*free_node)(void *))
{
    tdestroy(tree->root, free_node);
    tree->root = NULL;
}

__attribute__((weak)) void *eu_tsearch(const void *key, struct search_tree *tree,
                                       compare_function *compare)
{
    return tsearch(key, &tree->root, compare);
}

__attribute__((weak)) void *eu_tdelete(const void *key, struct search_tree *tree,
                                       compare_function *compare)
{
    return tdelete(key, &tree->root, compare);
}
