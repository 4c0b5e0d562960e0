/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Writes the first input of fuzz_policy: seed_policy CONFIGURATION POLICY. jobtrail-conf does so as
 * well, but not as root by a configuration that others can change, as in a checkout with umask 002.
 */
#include <stdio.h>
#include <stdlib.h>

#include "conf/compile.h"

int main(int argc, char **argv)
{
    struct conf conf;
    struct conf_error why;
    char text[1024];
    void *bytes;
    size_t size;
    if (argc != 3)
        return 2;
    if (conf_load(argv[1], &conf, &why) != 0 || compile_policy(&conf, &bytes, &size, &why) != 0) {
        conf_error_text(&why, text, sizeof text);
        fprintf(stderr, "%s\n", text);
        return 1;
    }
    FILE *file = fopen(argv[2], "we");
    if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        perror(argv[2]);
        return 1;
    }
    free(bytes);
    conf_free(&conf);
    return 0;
}
