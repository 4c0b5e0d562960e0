/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * record_signature_check(): what anybody may have written. And what is signed is found to be, by
 * its key alone; one that was there is replaced.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/secret_file.h"
#include "submit/definition/record_signature.h"
#include "submit/load/parse/record_crc.h"
#include "test/fuzz/fuzz.h"

static struct signature_key *key[2];

static void make_keys(void)
{
    for (int i = 0; i < 2; i++) {
        char path[64];
        snprintf(path, sizeof path, "/tmp/fuzz_signature.%d.%d", (int)getpid(), i);
        if (key_file_make(path) != 0 || signature_key_read(path, &key[i]) != 0)
            abort();
        unlink(path);
    }
}

static enum signature_state check(int from, const char *text, size_t size)
{
    return record_signature_check((const struct signature_key *const *)&key[from], 1, text, size);
}

static void check_signed(const char *text, size_t size)
{
    struct load_reason reason;
    if (check(0, text, size) != SIGNATURE_GOOD || check(1, text, size) != SIGNATURE_OTHER)
        abort();
    if (record_crc_check(text, size, &reason) != 0 && strncmp(text, "{\"crc\":\"0x", 10) == 0 &&
        strspn(text + 10, "0123456789abcdefABCDEF") == 4 && text[14] == '"')
        abort();
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    size_t length, again_length;
    char *text = malloc(size + 1), *to = malloc(size + RECORD_SIGNATURE_ROOM + 1);
    char *again = malloc(size + 2 * RECORD_SIGNATURE_ROOM + 1);
    if (key[0] == NULL)
        make_keys();
    if (text == NULL || to == NULL || again == NULL)
        abort();
    memcpy(text, data, size);
    text[size] = '\0';
    if (check(0, text, size) == SIGNATURE_GOOD)
        abort();
    if (record_sign(key[0], text, size, to, &length) == 0) {
        to[length] = '\0';
        check_signed(to, length);
        if (record_sign(key[0], to, length, again, &again_length) != 0 || again_length != length ||
            memcmp(to, again, length) != 0)
            abort();
    }
    free(again);
    free(to);
    free(text);
    return 0;
}
