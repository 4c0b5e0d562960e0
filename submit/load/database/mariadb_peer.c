/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Whether a server's certificate is that of the host that was asked for.
 *
 * Connector/C up to 3.3 checks that by itself. 3.4 does not compare the name where the host is
 * 127.0.0.1 or ::1, and it does not look who has signed the certificate there. At other hosts a
 * certificate that is signed by itself is good enough where no authority is named: the server hears
 * the user's name and a scramble of the password, and is to prove then that it has the password,
 * too. Source: plugins/auth/my_auth.c of Connector/C 3.4, send_client_reply_packet().
 */
#include "submit/load/database/mariadb_inside.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <errmsg.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

/* MARIADB_OPT_TLS_VERIFICATION_CALLBACK: headers up to 3.4.1 have no name for it. What was built
 * with them may be run with a newer library. */
#define VERIFICATION_CALLBACK ((enum mysql_option)7031)

/* Connectors before 3.4 check by themselves. 3.4.0 and 3.4.1 do not, and call nobody. */
static bool checks_by_itself(void)
{
    unsigned major = 0, minor = 0;
    return sscanf(mysql_get_client_info(), "%u.%u", &major, &minor) == 2 &&
           (major < 3 || (major == 3 && minor < 4));
}

/* How MARIADB_TLS begins, since 3.0. Its own header includes one that packages do not have. */
struct tls {
    void *data, *pvio;
    SSL *ssl;
};

/* What is wrong with the certificate, or NULL. The connector goes on after a fault of the chain. */
static const char *fault_of(SSL *ssl, const char *host)
{
    long chain = SSL_get_verify_result(ssl);
    if (chain != X509_V_OK)
        return X509_verify_cert_error_string(chain);
    X509 *certificate = SSL_get1_peer_certificate(ssl);
    bool is_of_host = certificate != NULL && (X509_check_host(certificate, host, 0, 0, NULL) == 1 ||
                                              X509_check_ip_asc(certificate, host, 0) == 1);
    X509_free(certificate);
    return is_of_host ? NULL : "it is not certified for this host";
}

/* The connector calls it after the handshake, before it tells the user's name; `flags` is what it
 * would check. Its own environment variable, which switches checks off, does not count. */
static int check_peer(struct tls *tls, unsigned flags)
{
    (void)flags;
    MYSQL *connection = SSL_get_app_data(tls->ssl);
    const char *fault = fault_of(tls->ssl, connection->host);
    if (fault == NULL)
        return 0;
    connection->net.last_errno = CR_SSL_CONNECTION_ERROR;
    snprintf(connection->net.last_error, sizeof connection->net.last_error,
             "the server's certificate is refused: %s", fault);
    /* It heeds a refusal only where an authority is named. */
    mysql_options(connection, MYSQL_OPT_SSL_CA, "/nonexistent");
    return 1;
}

const char *maria_check_peer(MYSQL *connection)
{
    const char *library = "";
    if (mysql_optionsv(connection, VERIFICATION_CALLBACK, check_peer) != 0)
        return checks_by_itself() ? NULL
                                  : "libmariadb 3.4.0 and 3.4.1 take any certificate where no "
                                    "authority is named: install a newer one";
    mariadb_get_infov(connection, MARIADB_TLS_LIBRARY, &library);
    return strncmp(library, "OpenSSL", strlen("OpenSSL")) == 0
               ? NULL
               : "libmariadb was built without OpenSSL: it cannot be told to check who the server "
                 "is";
}
