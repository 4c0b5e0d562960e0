/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Users, passwords and tokens in URLs.
 */
#include "conf/redact_scan.h"

/* A user of that many bytes may be a token. */
enum { TOKEN_MIN = 16 };

static bool is_number(const struct scan *scan, size_t from, size_t to)
{
    while (from < to && scan->text[from] >= '0' && scan->text[from] <= '9')
        from++;
    return from == to;
}

/* The last '@' from `from` to `to`; `to`: there is none. */
static size_t last_at(const struct scan *scan, size_t from, size_t to)
{
    const char *found = memrchr(scan->text + from, '@', to - from);
    return found == NULL ? to : (size_t)(found - scan->text);
}

/* Where the password at `from` ends in a URL whose host ends at `to`; 0: it is no password but a
 * port. A password should have no slash; one that has is known by a byte that is no digit. */
static size_t end_of_password(struct scan *scan, size_t from, size_t to)
{
    size_t at = last_at(scan, from, to);
    if (at < to)
        return at;
    if (to < scan->no_at || is_number(scan, from, to))
        return 0;
    size_t end = end_of_value(scan, to);
    at = last_at(scan, to, end);
    if (at < end)
        return at;
    scan->no_at = end;
    return 0;
}

/* Whether a URL's user may be a token; false for one that has been redacted in part. */
static bool may_be_token(const struct scan *scan, size_t from, size_t to)
{
    return to - from >= TOKEN_MIN &&
           memmem(scan->text + from, to - from, REDACTED, strlen(REDACTED)) == NULL;
}

size_t redact_url(struct scan *scan, size_t word, const struct policy_rule *rule)
{
    size_t from = word + strlen("://"), to = from;
    while (to < scan->end && strchr("/?#", scan->text[to]) == NULL &&
           kind_at(scan, to) != BYTE_BLANK && kind_at(scan, to) != BYTE_QUOTE)
        to++;
    const char *colon = memchr(scan->text + from, ':', to - from);
    size_t user = colon == NULL ? to : (size_t)(colon - scan->text);
    size_t password = colon == NULL ? 0 : end_of_password(scan, user + 1, to);
    if (password != 0) {
        if (may_be_token(scan, from, user))
            redact_hide(scan, from, user, rule);
        return redact_hide(scan, user + 1, password, rule);
    }
    /* the first '@': what is taken out of the rest does not move it */
    const char *sign = memchr(scan->text + from, '@', user - from);
    size_t at = sign == NULL ? from : (size_t)(sign - scan->text);
    if (!may_be_token(scan, from, at) || is_at(scan, at + 1, "sha256:") ||
        is_at(scan, at + 1, "sha512:"))
        return word;
    return redact_hide(scan, from, at, rule);
}
