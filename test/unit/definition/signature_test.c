/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Signatures of records: what is signed, what is found to be, and the files that keys are in.
 */
#include <sys/stat.h>
#include <sys/wait.h>

#include "conf/base/crc.h"
#include "conf/base/text.h"
#include "conf/secret_file.h"
#include "submit/definition/record_signature.h"
#include "test/unit/fixture/cases.h"
#include "test/unit/fixture/made_tree.h"

/* RFC 4231, 4.2 to 4.4 and 4.7 (a key that is longer than a block). */
static const struct {
    const char *key_hex; /* one byte that is repeated, or NULL: the text of `key` */
    size_t key_size;
    const char *key, *data, *mac;
} vectors[] = {
    {"\x0b", 20, NULL, "Hi There",
     "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
    {NULL, 4, "Jefe", "what do ya want for nothing?",
     "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
    {"\xaa", 20, NULL,
     "\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd"
     "\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd\xdd"
     "\xdd\xdd\xdd\xdd",
     "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
    {"\xaa", 131, NULL, "Test Using Larger Than Block-Size Key - Hash Key First",
     "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
};

TEST(test_hmac)
{
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
        unsigned char key[131], mac[SIGNATURE_MAC_BYTES];
        char digits[2 * SIGNATURE_MAC_BYTES + 1];
        if (vectors[i].key != NULL)
            memcpy(key, vectors[i].key, vectors[i].key_size);
        else
            memset(key, vectors[i].key_hex[0], vectors[i].key_size);
        /* in two parts */
        const struct iovec parts[] = {{(char *)vectors[i].data, 3},
                                      {(char *)vectors[i].data + 3, strlen(vectors[i].data) - 3}};
        signature_hmac(key, vectors[i].key_size, parts, 2, mac);
        text_hex(mac, sizeof mac, digits);
        assert_string_equal(digits, vectors[i].mac);
    }
}

/* ---- Keys ------------------------------------------------------------------------------------ */

static char paths[4][64];

static const char *key_file(int n, const char *text)
{
    FILE *file;
    snprintf(paths[n], sizeof paths[n], "%s/key%d", made_tree, n);
    unlink(paths[n]);
    umask(077);
    file = fopen(paths[n], "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    return paths[n];
}

static struct signature_key *made_key(int n)
{
    struct signature_key *key = NULL;
    snprintf(paths[n], sizeof paths[n], "%s/key%d", made_tree, n);
    unlink(paths[n]);
    assert_int_equal(key_file_make(paths[n]), 0);
    assert_int_equal(signature_key_read(paths[n], &key), 0);
    return key;
}

TEST(test_key_files)
{
    static const char *const bad[] = {
        "",
        "\n",
        "00112233445566778899aabbccddeeff",                                 /* 16 bytes */
        "00112233445566778899aabbccddeeff00112233445566778899aabbccddeef",  /* half a byte */
        "00112233445566778899aabbccddeeff00112233445566778899aabbccddeefg", /* no digit */
        " 0112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"};
    static const char good[] = "00112233445566778899aAbBccddeeff00112233445566778899aabbccddeeff\n";
    unsigned char key[KEY_BYTES_MAX];
    struct stat status;
    char link_path[128];
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(key_file_read(key_file(0, bad[i]), key), -EINVAL);
    assert_int_equal(key_file_read(key_file(0, good), key), 32);
    assert_int_equal(key[10], 0xaa);
    assert_int_equal(key[31], 0xff);
    /* what others may read, or have, is no secret */
    static const mode_t modes[] = {0640, 0604, 0620, 0601};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        assert_int_equal(chmod(paths[0], modes[i]), 0);
        assert_int_equal(key_file_read(paths[0], key), -EPERM);
    }
    assert_int_equal(chmod(paths[0], 0400), 0);
    assert_int_equal(key_file_read(paths[0], key), 32);
    snprintf(link_path, sizeof link_path, "%s/link", made_tree);
    assert_int_equal(symlink(paths[0], link_path), 0);
    assert_int_equal(key_file_read(link_path, key), -EPERM);
    assert_int_equal(key_file_read(made_tree, key), -EPERM);
    if (geteuid() == 0) {
        assert_int_equal(chown(paths[0], 65534, 65534), 0);
        assert_int_equal(key_file_read(paths[0], key), -EPERM);
    }
    assert_int_equal(key_file_make(paths[0]), -EEXIST);
    assert_int_equal(key_file_read("/nonexistent", key), -ENOENT);
    unlink(paths[0]);
    umask(0);
    assert_int_equal(key_file_make(paths[0]), 0);
    assert_int_equal(stat(paths[0], &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
}

/* ---- Records --------------------------------------------------------------------------------- */

static const char record[] =
    "{\"crc\":\"0x1234\",\"userT\":{\"user\":\"a\\\",\\\"signature\\\":\\\"\"},"
    "\"libA\":[]}";

static char *signed_by(const struct signature_key *key, const char *text, size_t *length)
{
    char *to = malloc(strlen(text) + RECORD_SIGNATURE_ROOM);
    assert_non_null(to);
    assert_int_equal(record_sign(key, text, strlen(text), to, length), 0);
    assert_true(*length <= strlen(text) + RECORD_SIGNATURE_ROOM);
    to[*length] = '\0';
    return to;
}

static enum signature_state check(const struct signature_key *key, const char *text)
{
    return record_signature_check(&key, 1, text, strlen(text));
}

TEST(test_sign)
{
    struct signature_key *key = made_key(0), *other = made_key(1);
    const struct signature_key *const both[] = {other, key};
    size_t length, again_length;
    char *text = signed_by(key, record, &length);
    assert_int_equal(strlen(text), length);
    assert_int_equal(check(key, record), SIGNATURE_NONE);
    assert_int_equal(check(key, text), SIGNATURE_GOOD);
    assert_int_equal(check(other, text), SIGNATURE_OTHER);
    assert_int_equal(record_signature_check(NULL, 0, text, length), SIGNATURE_OTHER);
    assert_int_equal(record_signature_check(both, 2, text, length), SIGNATURE_GOOD);
    /* to all who know nothing of it, it is a member like others, under the check sum */
    char crc[7], *plain = strdup(text);
    memcpy(plain + 8, "0xFFFF", 6);
    snprintf(crc, sizeof crc, "0x%04X", crc16(plain, length));
    assert_memory_equal(text + 8, crc, 6);
    /* once more: one signature, the newest */
    char *again = signed_by(key, text, &again_length);
    assert_string_equal(again, text);
    free(again);
    again = signed_by(other, text, &again_length);
    assert_int_equal(again_length, length);
    assert_int_equal(check(other, again), SIGNATURE_GOOD);
    assert_int_equal(check(key, again), SIGNATURE_OTHER);
    free(again);
    free(plain);
    free(text);
    signature_key_free(other);
    signature_key_free(key);
}

/* Whatever bit is another, it is no good signature any more. */
TEST(test_every_bit)
{
    struct signature_key *key = made_key(0);
    size_t length;
    char *text = signed_by(key, record, &length);
    for (size_t i = 0; i < length; i++) {
        for (int bit = 0; bit < 8; bit++) {
            text[i] = (char)(text[i] ^ 1 << bit);
            enum signature_state found =
                record_signature_check((const struct signature_key *const *)&key, 1, text, length);
            /* but of the check sum, which is checked by itself */
            if (i < 10 || i >= 14)
                assert_int_not_equal(found, SIGNATURE_GOOD);
            text[i] = (char)(text[i] ^ 1 << bit);
        }
    }
    assert_int_equal(check(key, text), SIGNATURE_GOOD);
    for (size_t cut = 0; cut < length; cut++) /* each behind a NUL that none reads over */
        assert_int_not_equal(
            record_signature_check((const struct signature_key *const *)&key, 1, text, cut),
            SIGNATURE_GOOD);
    free(text);
    signature_key_free(key);
}

TEST(test_odd_texts)
{
    static const char *const none[] = {"", "{", "}", "{}", "[1]", "x", "\n\n"};
    static const char *const without_crc[] = {"{\"a\":1}", "{\"a\":1}\n\n", "{\"a\":\"b\"}",
                                              "{\"crc\":\"0xGGGG\"}", "{\"signature\":\"x\"}"};
    struct signature_key *key = made_key(0);
    char to[512];
    size_t length;
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++) {
        assert_int_equal(record_sign(key, none[i], strlen(none[i]), to, &length), -EINVAL);
        assert_int_equal(check(key, none[i]), SIGNATURE_NONE);
    }
    for (size_t i = 0; i < sizeof without_crc / sizeof without_crc[0]; i++) {
        char *text = signed_by(key, without_crc[i], &length);
        assert_int_equal(check(key, text), SIGNATURE_GOOD);
        free(text);
    }
    /* no signature of ours */
    assert_int_equal(check(key, "{\"a\":1,\"signature\":\"\"}"), SIGNATURE_WRONG);
    assert_int_equal(check(key, "{\"a\":1,\"signature\":\"hmac-sha256:0:0\"}"), SIGNATURE_WRONG);
    assert_int_equal(check(key, "{\"signature\":\"x\",\"a\":1}"), SIGNATURE_NONE);
    signature_key_free(key);
}

/* What reads users' data is forked, and has no key. */
TEST(test_children_have_no_key)
{
    struct signature_key *key = made_key(0);
    char to[512];
    size_t length;
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        _exit(record_sign(key, record, sizeof record - 1, to, &length) == -EIO ? 0 : 1);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(record_sign(key, record, sizeof record - 1, to, &length), 0);
    signature_key_free(key);
}

ALL(made_tree_set_up, made_tree_tear_down)
