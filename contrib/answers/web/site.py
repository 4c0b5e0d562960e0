# SPDX-License-Identifier: LGPL-2.1-or-later
"""How the site's list names a library; and the door to records of jobtrail-libmon(8) and the index of jobtrail-alldoc(1),
if the extension is installed: a module web_door with
    is_recorded(model, name)
    target(model, kind, name, objects, fits)    of a thing, for each of
    TABLES                                      {name: function of (model, options, target)}
    documentation"""

from ... import extensions

DOOR = next(extensions.doors("web_door"), None)
LACKING = extensions.lacking("libraries")


def files_named(model, name):
    """Paths that the site's list has of a library of this name."""
    return {path for path, file in model.site.files.items() if file.library == name}


def objects_named(model, name):
    """{number of an object of the store} that the site's list calls so."""
    paths = files_named(model, name)
    return {number for number, path in model.store.lookup("SELECT id, path FROM object") if path in paths} if paths else set()


def is_known(model, name):
    """Whether there is such a library, used or not."""
    return bool(files_named(model, name)) or (DOOR is not None and DOOR.is_recorded(model, name))


def has_documentation():
    return DOOR is not None and DOOR.documentation.is_there()
