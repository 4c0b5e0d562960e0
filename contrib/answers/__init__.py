# SPDX-License-Identifier: LGPL-2.1-or-later
"""The extension `answers` (README.md): the service that users ask, and pages."""
