/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * The reader of a compiled policy, which runs inside users' processes. The input is a policy; its
 * magic, version and size are mended in half of the inputs, so that what follows is reached.
 */
#include <stdlib.h>
#include <string.h>

#include "conf/policy/policy_read.h"
#include "conf/redact.h"
#include "test/fuzz/fuzz.h"

static void use(const void *policy)
{
    static char first[] = "x", second[] = "-c", third[] = "train.py";
    char *const argv[] = {first, second, third, NULL};
    static const char path[] = "/usr/bin/python3.11";
    static const char line[] = "mysql\0-psecret\0--token\0x\0A_KEY=y\0https://u:p@h/\0Bearer z";
    char copy[sizeof line], *out;
    struct redactor redactor;
    size_t size;
    uint32_t count;
    for (int i = 0; i < POLICY_SECTIONS; i++) {
        const char *text = policy_string(policy, i);
        if (text != NULL && strlen(text) > POLICY_MAX_BYTES)
            abort();
        policy_match(policy, i, path, sizeof path - 1);
        const struct policy_rule *rules = policy_rules(policy, i, &count);
        for (uint32_t rule = 0; rules != NULL && rule < count; rule++) {
            if (rules[rule].action == UINT32_MAX)
                break;
        }
    }
    memcpy(copy, line, sizeof copy);
    policy_skips_line(policy, path, sizeof path - 1, copy, sizeof copy - 1, NULL);
    if (policy_command_line(policy) > POLICY_LINE_NO)
        abort();
    redactor_make(policy, &redactor);
    if (redact(&redactor, line, sizeof line, &out, &size) == 1) {
        if (size > REDACT_GROWTH * sizeof line)
            abort();
        free(out);
    }
    struct policy_decision decision = policy_decide(policy, path, sizeof path - 1, 3, argv, NULL);
    if (decision.action < POLICY_KEEP || decision.action > POLICY_RUNTIME)
        abort();
    size_t tables;
    const struct policy_known_table *known = policy_known_tables(policy, &tables);
    for (size_t i = 0; i < tables; i++) {
        const struct policy_known_table *table = policy_known_table(policy, known[i].identity);
        if (table != NULL)
            policy_interval_of(table->interval, table->count, 1);
    }
    for (unsigned bit = 0; bit < 64; bit += 8) {
        uint64_t ns = UINT64_C(1) << bit;
        const struct policy_interval *interval = policy_interval(policy, POLICY_MPI, ns);
        if (interval != NULL && interval->from_ns > ns)
            abort();
    }
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    char *policy = malloc(size + 1); /* aligned, and of no byte more than it has */
    if (policy == NULL || size == 0) {
        free(policy);
        return 0;
    }
    policy = realloc(policy, size);
    memcpy(policy, data, size);
    if (size >= sizeof(struct policy_header) && data[size - 1] % 2 == 0) {
        struct policy_header *header = (struct policy_header *)policy;
        header->magic = POLICY_MAGIC;
        header->version = POLICY_VERSION;
        header->size = (uint32_t)size;
    }
    if (policy_usable(policy, size))
        use(policy);
    free(policy);
    return 0;
}
