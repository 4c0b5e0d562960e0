# SPDX-License-Identifier: LGPL-2.1-or-later
"""A connection to MariaDB by PyMySQL that never sends the password, and talks to no host but the server.

PyMySQL itself continues without TLS where the server has none, and authenticates by each method that the
server asks for, also by sending the password as clear text.
"""

from ssl import SSLError

from pymysql import MySQLError, _auth
from pymysql.connections import Connection as PyMySQLConnection
from pymysql.constants import CLIENT, CR
from pymysql.cursors import SSCursor
from pymysql.err import OperationalError

from . import credentials

ERRORS = MySQLError
CURSOR = SSCursor
# Methods that prove that we have the password without sending it. As in mariadb_connection.c.
PLUGINS = ("mysql_native_password", "client_ed25519")
HINT = (
    "%s; a remote server must use TLS with a valid certificate: set ssl-ca in %s, or switch this off"
    " (skip-ssl-verify-server-cert, skip-ssl)"
)


def no_tls(why):
    return OperationalError(CR.CR_SSL_CONNECTION_ERROR, HINT % (why, credentials.path()))


def refuse_old_password(*_):
    raise OperationalError(CR.CR_AUTH_PLUGIN_CANNOT_LOAD, "the server asks for a password as in MySQL 3.23")


_auth.scramble_old_password = refuse_old_password  # PyMySQL gives it to any server that asks


class Connection(PyMySQLConnection):
    def __init__(self, unix_socket=None, ssl=None, **options):
        self.wants_tls = ssl is not None
        super().__init__(unix_socket=unix_socket, ssl=ssl, local_infile=False, **options)

    def connect(self, sock=None):
        try:
            super().connect(sock)
        except OperationalError as error:
            reason = getattr(error, "original_exception", None)
            if isinstance(reason, SSLError):
                raise no_tls(reason) from None
            raise

    def _request_authentication(self):
        if self.wants_tls and not self.server_capabilities & CLIENT.SSL:
            raise no_tls("the server does not offer TLS")
        if not self.server_capabilities & CLIENT.PLUGIN_AUTH:
            raise OperationalError(CR.CR_AUTH_PLUGIN_CANNOT_LOAD, "the server is too old")
        if self._auth_plugin_name not in PLUGINS:  # it asks for another when it needs to
            self._auth_plugin_name = PLUGINS[0]
        return self.trouble_as_error(super()._request_authentication)

    def _process_auth(self, plugin_name, auth_packet):
        name = plugin_name.decode("ascii", "replace")
        if name not in PLUGINS:
            raise OperationalError(
                CR.CR_AUTH_PLUGIN_CANNOT_LOAD,
                "Authentication plugin %s, which the server asks for, is not supported: give the account"
                " one of %s"
                % (name, ", ".join(PLUGINS)),
            )
        return super()._process_auth(plugin_name, auth_packet)

    def set_character_set(self, charset, collation=None):
        """PyMySQL from 1.1 on calls this when it connects. Its own passes over an answer that asks for a file
        of ours, and the server then waits for that."""
        self.query("SET NAMES " + charset)

    def _read_query_result(self, unbuffered=False):
        return self.trouble_as_error(super()._read_query_result, unbuffered=unbuffered)

    @staticmethod
    def trouble_as_error(call, **options):
        """PyMySQL raises RuntimeError when the server asks for a file of ours, and for a plugin that needs
        another package."""
        try:
            return call(**options)
        except RuntimeError as error:
            raise OperationalError(CR.CR_UNKNOWN_ERROR, str(error)) from None
