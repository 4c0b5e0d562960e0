/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Redacting command lines by the built-in rules: what comes out is bounded, has as many arguments,
 * and does not change when it is redacted again.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "conf/compile.h"
#include "conf/redact.h"
#include "test/fuzz/fuzz.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);

static struct redactor redactor;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    char path[] = "/tmp/fuzz_redact.XXXXXX";
    static const char own[] = "[redact]\nhide = word:r.*d|word:own[0-9]*\n"
                              "hide = option:.*:-o\nhide = option:[a-f]:(-[xyz]*q|--q.*)\n";
    struct conf conf;
    struct conf_error error;
    static void *policy; /* what the redactor reads */
    size_t size;
    (void)argc;
    (void)argv;
    int fd = mkstemp(path);
    if (fd < 0 || write(fd, own, sizeof own - 1) != sizeof own - 1 ||
        conf_load(path, &conf, &error) != 0 || compile_policy(&conf, &policy, &size, &error) != 0)
        abort();
    close(fd);
    unlink(path);
    conf_free(&conf);
    redactor_make(policy, &redactor);
    return 0;
}

static size_t nuls(const char *text, size_t size)
{
    size_t count = 0;
    for (size_t i = 0; i < size; i++)
        count += text[i] == '\0';
    return count;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    char *text = malloc(size + 1), *once,
         *twice; /* of no byte more than it has, for the sanitizer */
    size_t once_size, twice_size;
    if (text == NULL || size == 0) {
        free(text);
        return 0;
    }
    text = realloc(text, size);
    memcpy(text, data, size);
    if (redact(&redactor, text, size, &once, &once_size) == 1) {
        if (once_size > REDACT_GROWTH * size || nuls(once, once_size) != nuls(text, size))
            abort();
        if (redact(&redactor, once, once_size, &twice, &twice_size) != 0)
            abort();
        free(once);
    }
    free(text);
    return 0;
}
