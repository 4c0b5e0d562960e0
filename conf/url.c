/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "conf/url.h"

#include <arpa/inet.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* The part between "://" and the path, and its length. A backslash ends it too: programs that read
 * URLs do not agree about its meaning. */
static const char *authority(const char *url, size_t *length)
{
    const char *start = strstr(url, "://");
    start = start == NULL ? url + strlen(url) : start + 3;
    *length = strcspn(start, "/?#\\");
    return start;
}

bool url_has_user(const char *url)
{
    size_t length;
    const char *start = authority(url, &length);
    return memchr(start, '@', length) != NULL;
}

void url_print(const char *url, char *text, size_t size)
{
    size_t length;
    const char *start = authority(url, &length);
    const char *at = memrchr(start, '@', length);
    if (at == NULL)
        snprintf(text, size, "%s", url);
    else
        snprintf(text, size, "%.*s%s", (int)(start - url), url, at + 1);
}

static bool is_loopback_address(const char *host, size_t length)
{
    struct in_addr address;
    char text[INET_ADDRSTRLEN];
    if (length >= sizeof text)
        return false;
    memcpy(text, host, length);
    text[length] = '\0';
    return inet_pton(AF_INET, text, &address) == 1 && ntohl(address.s_addr) >> 24 == 127;
}

bool url_host_is_loopback(const char *host, size_t length)
{
    return (length == 9 && strncasecmp(host, "localhost", 9) == 0) ||
           (length == 5 && memcmp(host, "[::1]", 5) == 0) || is_loopback_address(host, length);
}

bool url_is_loopback(const char *url)
{
    size_t length;
    const char *start = authority(url, &length);
    if (memchr(start, '@', length) != NULL || start[length] == '\\')
        return 0;
    const char *end = *start == '[' ? memchr(start, ']', length) : NULL;
    size_t host = end != NULL ? (size_t)(end + 1 - start) : strcspn(start, ":/?#");
    if (host < length && start[host] != ':')
        return 0;
    return url_host_is_loopback(start, host);
}
